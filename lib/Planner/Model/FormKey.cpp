//===- FormKey.cpp - Keys of vertices that cost the same ------------------===//

#include "tapestry/Planner/Model/FormKey.h"
#include "llvm/Support/Format.h"

using namespace tapestry;
using namespace tapestry::model;

void model::describe(llvm::raw_ostream &os, const Projection &projection) {
  for (const ProjectionDim &dim : projection.dims) {
    os << "|" << dim.constant << "," << dim.size << "," << dim.stride << "/"
       << dim.floordiv << "%" << dim.mod;
    if (dim.fold != Fold::Wrap)
      os << stringifyFold(dim.fold);
    if (dim.arms.any())
      os << "+" << dim.arms.before << "," << dim.arms.behind;
    for (const AffineTerm &term : dim.terms)
      os << ";" << term.dim << "*" << term.coefficient;
  }
}

void model::describe(llvm::raw_ostream &os, llvm::ArrayRef<int64_t> numbers) {
  for (int64_t number : numbers)
    os << number << ",";
}

void model::describe(llvm::raw_ostream &os, const PlanOperand &operand) {
  describe(os, operand.projection);
  for (const ZRange &range : operand.guard)
    os << "[" << range.lo << "," << range.hi;
  os << "k" << static_cast<unsigned>(operand.kind) << "t" << operand.trips;
}

void model::describeWork(llvm::raw_ostream &os, const PlanGraph &graph,
                         const PlanVertex &vertex) {
  for (const PlanLabel &label : vertex.labels)
    os << label.extent << (label.selected ? "s" : "")
       << (label.reduced ? "r" : "") << (label.scanned ? "n" : "") << ",";
  if (vertex.totalCount != 1)
    os << "o" << vertex.totalCount;
  if (vertex.cutAs)
    os << "c";
  os << "t" << vertex.trips << "f" << llvm::format("%.17g", vertex.flops) << "+"
     << llvm::format("%.17g", vertex.extraBytes) << "b" << vertex.elementBytes
     << "," << vertex.accumulatorBytes;
  describe(os, vertex.output);
  for (const PlanOperand &operand : vertex.operands) {
    const PlanVertex &producer = graph.vertices[operand.producer];
    os << "<" << producer.elementBytes << ":";
    describe(os, producer.shape);
    describe(os, operand);
  }
}

void model::describeConstraints(llvm::raw_ostream &os, const PlanVertex &vertex,
                                ConstraintsOf which) {
  if (vertex.constraints.empty())
    return;
  bool any = false;
  auto describeAll = [&](const std::vector<ShardingConstraint> &constraints) {
    for (const ShardingConstraint &constraint : constraints) {
      if (constraint.isHard && which == ConstraintsOf::Preferences)
        continue;
      any = true;
      os << (constraint.isHard ? "@" : "?")
         << llvm::format("%.17g", constraint.weight) << constraint.isClosed;
      for (const LabelConstraint &demand : constraint.cuts) {
        os << ";" << demand.label << "=" << demand.parts;
        for (const std::string &axis : demand.axes)
          os << "/" << axis;
      }
    }
    os << "!";
  };
  describeAll(vertex.constraints.work);
  describeAll(vertex.constraints.home);
  if (vertex.constraints.entersAt)
    os << "<" << vertex.constraints.entersAt->device;
  for (const DevicePin &pin : vertex.constraints.leavesAt)
    os << ">" << pin.device;
  for (unsigned label = 0; any && label < vertex.labels.size(); ++label)
    os << vertex.labels[label].name << ",";
}

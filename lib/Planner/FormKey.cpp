//===- FormKey.cpp - Keys of vertices that cost the same ------------------===//

#include "FormKey.h"
#include "llvm/Support/Format.h"

using namespace tapestry;

void tapestry::describe(llvm::raw_ostream &os, const Projection &projection) {
  for (const ProjectionDim &dim : projection.dims) {
    os << "|" << dim.constant << "," << dim.size << "," << dim.stride;
    for (const AffineTerm &term : dim.terms)
      os << ";" << term.dim << "*" << term.coefficient;
  }
}

void tapestry::describe(llvm::raw_ostream &os,
                        llvm::ArrayRef<int64_t> numbers) {
  for (int64_t number : numbers)
    os << number << ",";
}

void tapestry::describeRequests(llvm::raw_ostream &os, const PlanVertex &vertex,
                                RequestsOf which) {
  if (vertex.constraints.empty())
    return;
  bool any = false;
  auto describeAll = [&](const std::vector<CutRequest> &requests) {
    for (const CutRequest &request : requests) {
      if (request.isHard && which == RequestsOf::Preferences)
        continue;
      any = true;
      os << (request.isHard ? "@" : "?")
         << llvm::format("%.17g", request.weight) << request.isClosed;
      for (const CutPin &pin : request.cuts) {
        os << ";" << pin.label << "=" << pin.parts;
        for (const std::string &axis : pin.axes)
          os << "/" << axis;
      }
    }
    os << "!";
  };
  describeAll(vertex.constraints.work);
  describeAll(vertex.constraints.home);
  for (unsigned label = 0; any && label < vertex.labels.size(); ++label)
    os << vertex.labels[label].name << ",";
}

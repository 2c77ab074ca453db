//===- Constraints.cpp - What pins and preferences are about
//-----------------===//

#include "Analyzer.h"
#include "llvm/ADT/StringExtras.h"

using namespace tapestry::ein;
using namespace tapestry::ein::ast;
using tapestry::LabelConstraint;
using tapestry::ShardingConstraint;

std::optional<std::vector<Analyzer::CutTarget>>
Analyzer::dimensionTargets(const Tensor &tensor, bool hasLabels,
                           llvm::ArrayRef<Label> labels, llvm::SMRange where) {
  if (hasLabels && labels.size() != tensor.shape.size()) {
    diagnostics.error(where, "'" + tensor.name + "' has " +
                                 countOf(tensor.shape.size(), "dimension") +
                                 ", but " + countOf(labels.size(), "label") +
                                 " here");
    return std::nullopt;
  }
  for (auto [position, label] : llvm::enumerate(labels))
    for (const Label &earlier : labels.take_front(position))
      if (earlier.name == label.name) {
        diagnostics.error(label.range,
                          "label '" + label.name + "' names two dimensions");
        return std::nullopt;
      }
  std::vector<CutTarget> targets;
  for (auto [dim, extent] : llvm::enumerate(tensor.shape)) {
    std::string number = std::to_string(dim);
    std::string written = number;
    if (hasLabels)
      written = labels[dim].name.str();
    else if (tensor.vertex && !graph.vertices[*tensor.vertex].block)
      written = graph.vertices[*tensor.vertex].labels[dim].name;
    targets.push_back({written, number, extent});
  }
  return targets;
}

std::vector<Analyzer::CutTarget>
Analyzer::labelTargets(const Scope &scope, const Tensor &tensor,
                       const EquationStmt &stmt, const EquationStmt &side) {
  // The labels of a vertex are those of its statement, in order, whatever they
  // are called in the end.
  llvm::SmallVector<std::string> written;
  for (const Label &label : side.labels)
    written.push_back(label.name.str());
  // Dimensions without names have numbers.
  if (!side.hasLabels && !macroUsedBy(scope, stmt))
    for (size_t dim = 0; dim < tensor.shape.size(); ++dim)
      written.push_back(std::to_string(dim));
  const Vertex &vertex = graph.vertices[*tensor.vertex];
  if (vertex.scatter)
    llvm::append_range(written, vertex.scatter->points);
  else if (stmt.monoid != Monoid::None)
    for (const Label &label : stmt.reduceLabels)
      written.push_back(label.name.str());
  std::vector<CutTarget> targets;
  for (auto [position, label] : llvm::enumerate(vertex.labels))
    targets.push_back({position < written.size() && !written[position].empty()
                           ? written[position]
                           : label.name,
                       label.name, label.extent});
  return targets;
}

bool Analyzer::addEntry(const Scope &scope, const CutEntry &entry,
                        llvm::ArrayRef<CutTarget> targets, llvm::StringRef name,
                        ShardingConstraint &constraint) {
  // No label is written as a number.
  const auto *target = llvm::find_if(targets, [&](const CutTarget &candidate) {
    return entry.label == candidate.written ||
           (llvm::isDigit(entry.label.front()) &&
            entry.label == candidate.planned);
  });
  if (target == targets.end()) {
    std::string known = llvm::join(
        llvm::map_range(targets, [](const CutTarget &t) { return t.written; }),
        ", ");
    diagnostics.error(
        entry.labelRange,
        "'" + entry.label + "' is no label of '" + name + "'; " +
            (known.empty() ? "it has none" : "its labels are " + known));
    return false;
  }
  LabelConstraint pin;
  pin.label = target->planned;
  for (const LabelConstraint &earlier : constraint.cuts)
    if (earlier.label == pin.label) {
      diagnostics.error(entry.labelRange,
                        "label '" + entry.label + "' is given twice");
      return false;
    }
  auto *bare = entry.parts ? llvm::dyn_cast<NameExpr>(entry.parts) : nullptr;
  bool isAxis = !entry.parts || (bare && !entry.axes.empty() &&
                                 !scope.lookupConstant(bare->name));
  if (isAxis) {
    for (const AxisName &axis : entry.axes)
      pin.axes.push_back(axis.name.str());
  } else {
    std::optional<int64_t> parts =
        ConstantEvaluator(scope, diagnostics, "a number of parts")
            .evaluateInt(entry.parts);
    if (!parts)
      return false;
    if (*parts < 1 || (constraint.isHard && *parts > target->extent)) {
      diagnostics.error(entry.parts->range, "label '" + entry.label + "' of '" +
                                                name + "' has extent " +
                                                llvm::Twine(target->extent) +
                                                " and cannot be cut into " +
                                                llvm::Twine(*parts) + " parts");
      return false;
    }
    pin.parts = *parts;
  }
  constraint.cuts.push_back(std::move(pin));
  return true;
}

void Analyzer::addConstraints(const Scope &scope,
                              llvm::ArrayRef<Constraint> constraints,
                              llvm::ArrayRef<CutTarget> targets,
                              llvm::StringRef name,
                              std::vector<ShardingConstraint> &into,
                              std::string *layoutGroup) {
  for (const Constraint &asked : constraints) {
    if (!asked.group.empty()) {
      if (!layoutGroup)
        diagnostics.error(asked.range, "a layout group is named where '" +
                                           name + "' is defined");
      else if (!layoutGroup->empty() && *layoutGroup != asked.group)
        diagnostics.error(asked.range, "'" + name + "' is in layout group '" +
                                           *layoutGroup + "' already");
      else
        *layoutGroup = asked.group.str();
      continue;
    }
    ShardingConstraint constraint;
    constraint.isHard = !asked.isPreference;
    constraint.isClosed = asked.isClosed;
    if (auto *weight = llvm::dyn_cast_or_null<FloatLiteral>(asked.weight))
      constraint.weight = weight->value;
    else if (auto *whole = llvm::dyn_cast_or_null<IntLiteral>(asked.weight))
      constraint.weight = whole->value;
    bool ok = true;
    for (const CutEntry &entry : asked.entries)
      ok &= addEntry(scope, entry, targets, name, constraint);
    if (ok)
      into.push_back(std::move(constraint));
  }
}

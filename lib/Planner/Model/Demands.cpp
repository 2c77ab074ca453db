//===- Demands.cpp - What constraints come to on a grid -------------------===//

#include "Demands.h"
#include "tapestry/Support/Counted.h"
#include "llvm/ADT/STLExtras.h"

using namespace tapestry;
using namespace tapestry::model;

std::optional<Cut> model::axesNamed(const DeviceGrid &grid,
                                    llvm::StringRef name) {
  if (std::optional<unsigned> axis = grid.axisNamed(name))
    return Cut{*axis};
  Cut parts;
  for (unsigned axis = 0; axis < grid.axes.size(); ++axis)
    if (llvm::StringRef(grid.axes[axis].name).rsplit('.').first == name)
      parts.push_back(axis);
  if (parts.empty())
    return std::nullopt;
  return parts;
}

static std::string describeGrid(const DeviceGrid &grid) {
  std::string text = countOf(grid.numDevices(), "device");
  for (auto [number, axis] : llvm::enumerate(grid.axes))
    text +=
        (number ? ", " : " (") + axis.name + " = " + std::to_string(axis.size);
  return text + (grid.axes.empty() ? "" : ")");
}

static std::string listAxes(const DeviceGrid &grid) {
  std::string text;
  for (const DeviceGrid::Axis &axis : grid.axes)
    text += (text.empty() ? "'" : ", '") + axis.name + "'";
  return text.empty() ? "none" : text;
}

/// The place of another constraint, for the end of a message.
static std::string atPlace(const Demand &demand, const PlanVertex &vertex) {
  std::string text;
  if (demand.vertex != &vertex)
    text += " by '" + demand.vertex->name + "'";
  if (!demand.constraint->place.empty())
    text += " at " + demand.constraint->place;
  return text.empty() ? " elsewhere" : text;
}

/// The position of the label or dimension that `name` stands for.
static std::optional<unsigned> findTarget(const PlanVertex &vertex, Side side,
                                          llvm::StringRef name) {
  if (side == Side::Work)
    return vertex.labelNamed(name);
  unsigned number = 0;
  if (!name.getAsInteger(10, number))
    return number < vertex.shape.size() ? std::optional<unsigned>(number)
                                        : std::nullopt;
  std::optional<unsigned> label = vertex.labelNamed(name);
  for (unsigned dim = 0; label && dim < vertex.output.dims.size(); ++dim)
    if (!vertex.output.dims[dim].terms.empty() &&
        vertex.output.dims[dim].terms[0].dim == *label)
      return dim;
  return std::nullopt;
}

static llvm::Error noTarget(const PlanVertex &vertex, Side side,
                            const ShardingConstraint &constraint,
                            llvm::StringRef name) {
  std::string known;
  for (const PlanLabel &label : vertex.labels)
    if (side == Side::Work || !label.reduced)
      known += (known.empty() ? "'" : ", '") + label.name + "'";
  return constraintError(
      constraint, vertex, "there is no ",
      side == Side::Work ? "label '" : "dimension '", name, "', there ",
      known.empty() ? "is none" : "are ", known,
      side == Side::Home && !vertex.isInput ? " (or their numbers)" : "");
}

llvm::Error model::checkNames(const PlanVertex &vertex, Side side,
                              const ShardingConstraint &constraint) {
  for (const LabelConstraint &asked : constraint.cuts)
    if (!findTarget(vertex, side, asked.label))
      return noTarget(vertex, side, constraint, asked.label);
  return llvm::Error::success();
}

/// The number of parts and the axes that one constraint asks for, checked by
/// itself.
static llvm::Error resolve(const PlanVertex &vertex, const DeviceGrid &grid,
                           const ShardingConstraint &constraint,
                           const LabelConstraint &asked, int64_t extent,
                           Demand &demand) {
  demand.vertex = &vertex;
  demand.constraint = &constraint;
  demand.parts = asked.parts;
  if (!asked.axes.empty()) {
    demand.cut.emplace();
    for (const std::string &name : asked.axes) {
      std::optional<Cut> axes = axesNamed(grid, name);
      if (!axes)
        return constraintError(constraint, vertex, "label '", asked.label,
                               "' is pinned to axis '", name, "', there are ",
                               listAxes(grid));
      demand.cut->append(axes->begin(), axes->end());
    }
    Cut sorted = *demand.cut;
    llvm::sort(sorted);
    for (unsigned i = 1; i < sorted.size(); ++i)
      if (sorted[i] == sorted[i - 1])
        return constraintError(constraint, vertex, "label '", asked.label,
                               "' is pinned to axis '",
                               grid.axes[sorted[i]].name, "' twice");
    int64_t made = partsOf(grid, *demand.cut);
    if (asked.parts != 0 && asked.parts != made)
      return constraintError(constraint, vertex, "label '", asked.label,
                             "' is pinned to ", countOf(asked.parts, "part"),
                             ", the axes named make ", made);
    demand.parts = made;
  }
  if (demand.parts < 1)
    return constraintError(constraint, vertex, "label '", asked.label,
                           "' is pinned to ", demand.parts,
                           " parts, the least is 1");
  if (demand.parts > extent)
    return constraintError(constraint, vertex, "label '", asked.label,
                           "' is pinned to ", countOf(demand.parts, "part"),
                           ", its extent is ", extent);
  if (grid.numDevices() % demand.parts != 0)
    return constraintError(constraint, vertex, "label '", asked.label,
                           "' is pinned to ", countOf(demand.parts, "part"),
                           ", which ", describeGrid(grid), " cannot make");
  return llvm::Error::success();
}

llvm::Error model::merge(Demand &into, const Demand &demand,
                         llvm::StringRef label) {
  if (into.parts != 0 && into.parts != demand.parts)
    return constraintError(*demand.constraint, *demand.vertex, "label '", label,
                           "' is pinned to ", countOf(demand.parts, "part"),
                           ", and to ", into.parts,
                           atPlace(into, *demand.vertex));
  if (into.cut && demand.cut && *into.cut != *demand.cut)
    return constraintError(*demand.constraint, *demand.vertex, "label '", label,
                           "' is pinned to other axes than",
                           atPlace(into, *demand.vertex));
  if (into.parts == 0 || (!into.cut && demand.cut))
    into = demand;
  return llvm::Error::success();
}

static int64_t extentOf(const PlanVertex &vertex, Side side, unsigned target) {
  return side == Side::Work ? vertex.labels[target].extent
                            : vertex.shape[target];
}

static std::string targetName(const PlanVertex &vertex, Side side,
                              unsigned target) {
  return side == Side::Work ? vertex.labels[target].name
                            : std::to_string(target);
}

unsigned model::numTargets(const PlanVertex &vertex, Side side) {
  return side == Side::Work ? vertex.labels.size() : vertex.shape.size();
}

llvm::Error model::addConstraint(Demands &demands, const PlanVertex &vertex,
                                 const DeviceGrid &grid,
                                 const ShardingConstraint &constraint,
                                 Side side) {
  llvm::SmallVector<bool> named(demands.size(), false);
  for (const LabelConstraint &asked : constraint.cuts) {
    std::optional<unsigned> target = findTarget(vertex, side, asked.label);
    if (!target)
      return noTarget(vertex, side, constraint, asked.label);
    if (named[*target])
      return constraintError(constraint, vertex, "label '", asked.label,
                             "' is pinned twice");
    named[*target] = true;
    Demand demand;
    if (llvm::Error error = resolve(vertex, grid, constraint, asked,
                                    extentOf(vertex, side, *target), demand))
      return error;
    if (side == Side::Work && vertex.labels[*target].isRegion &&
        demand.parts != 1)
      return constraintError(constraint, vertex, "label '", asked.label,
                             "' is written in regions and cannot be cut");
    if (llvm::Error error = merge(demands[*target], demand, asked.label))
      return error;
  }
  for (unsigned target = 0; constraint.isClosed && target < demands.size();
       ++target)
    if (!named[target])
      if (llvm::Error error =
              merge(demands[target], Demand{1, Cut(), &vertex, &constraint},
                    targetName(vertex, side, target)))
        return error;
  return llvm::Error::success();
}

llvm::Error model::checkTogether(const Demands &demands,
                                 const PlanVertex &vertex,
                                 const DeviceGrid &grid, Side side) {
  llvm::SmallVector<int, 16> userOf(grid.axes.size(), -1);
  int64_t product = 1;
  for (unsigned target = 0; target < demands.size(); ++target) {
    const Demand &demand = demands[target];
    if (demand.parts == 0)
      continue;
    if (demand.cut)
      for (unsigned axis : *demand.cut) {
        if (userOf[axis] >= 0)
          return constraintError(
              *demand.constraint, vertex, "axis '", grid.axes[axis].name,
              "' is to cut both label '",
              targetName(vertex, side, userOf[axis]), "' and label '",
              targetName(vertex, side, target), "'");
        userOf[axis] = target;
      }
    // Each count divides the devices, so the product stays small.
    product *= demand.parts;
    if (grid.numDevices() % product != 0)
      return constraintError(*demand.constraint, vertex, "with label '",
                             targetName(vertex, side, target), "' in ",
                             countOf(demand.parts, "part"), " the pins make ",
                             countOf(product, "part"), " in all, ",
                             describeGrid(grid), " cannot hold them");
  }
  return llvm::Error::success();
}

llvm::Expected<Demands> model::constraintsOf(const PlanVertex &vertex,
                                             const DeviceGrid &grid,
                                             Side side) {
  Demands demands(numTargets(vertex, side));
  auto add =
      [&](const std::vector<ShardingConstraint> &constraints) -> llvm::Error {
    for (const ShardingConstraint &constraint : constraints)
      if (constraint.isHard)
        if (llvm::Error error =
                addConstraint(demands, vertex, grid, constraint, side))
          return error;
    return llvm::Error::success();
  };
  const ShardingConstraints &asked = vertex.constraints;
  if (side == Side::Work || vertex.isInput)
    if (llvm::Error error = add(asked.work))
      return std::move(error);
  if (side == Side::Home || vertex.isInput)
    if (llvm::Error error = add(asked.home))
      return std::move(error);
  if (llvm::Error error = checkTogether(demands, vertex, grid, side))
    return std::move(error);
  return demands;
}

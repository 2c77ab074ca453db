//===- Constraints.cpp - Sharding constraints on a plan -------------------===//

#include "tapestry/Planner/Model/Constraints.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace tapestry;
using namespace tapestry::model;

namespace {
/// What constraints come to for one label or dimension; 0 parts: open.
struct Demand {
  int64_t parts = 0;
  std::optional<Cut> cut;
  /// Who asked for it first.
  const PlanVertex *vertex = nullptr;
  const ShardingConstraint *constraint = nullptr;
};
using Demands = llvm::SmallVector<Demand, 4>;

/// Whether labels stand for dimensions of the index space or of the result.
enum class Side { Work, Home };
} // namespace

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

//===----------------------------------------------------------------------===//
// From names to demands
//===----------------------------------------------------------------------===//

/// An error at the constraint's place, about a label of a vertex.
template <typename... Parts>
static llvm::Error constraintError(const ShardingConstraint &constraint,
                                   const PlanVertex &vertex,
                                   const Parts &...parts) {
  return errorAt(constraint.place, vertex.isInput ? "input '" : "vertex '",
                 vertex.name, "': ", parts...);
}

static std::string describeGrid(const DeviceGrid &grid) {
  std::string text = std::to_string(grid.numDevices()) + " devices";
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
                             "' is pinned to ", asked.parts,
                             " parts, the axes named make ", made);
    demand.parts = made;
  }
  if (demand.parts < 1)
    return constraintError(constraint, vertex, "label '", asked.label,
                           "' is pinned to ", demand.parts,
                           " parts, the least is 1");
  if (demand.parts > extent)
    return constraintError(constraint, vertex, "label '", asked.label,
                           "' is pinned to ", demand.parts,
                           " parts, its extent is ", extent);
  if (grid.numDevices() % demand.parts != 0)
    return constraintError(constraint, vertex, "label '", asked.label,
                           "' is pinned to ", demand.parts, " parts, which ",
                           describeGrid(grid), " cannot make");
  return llvm::Error::success();
}

/// Adds what is asked of a target to what was asked before.
static llvm::Error merge(Demand &into, const Demand &demand,
                         llvm::StringRef label) {
  if (into.parts != 0 && into.parts != demand.parts)
    return constraintError(*demand.constraint, *demand.vertex, "label '", label,
                           "' is pinned to ", demand.parts, " parts, and to ",
                           into.parts, atPlace(into, *demand.vertex));
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

static unsigned numTargets(const PlanVertex &vertex, Side side) {
  return side == Side::Work ? vertex.labels.size() : vertex.shape.size();
}

/// Adds what one constraint asks to `demands`, one entry per label or
/// dimension.
static llvm::Error addConstraint(Demands &demands, const PlanVertex &vertex,
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

/// Whether the parts and axes of all targets fit onto the grid together.
static llvm::Error checkTogether(const Demands &demands,
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
                             demand.parts, " parts the pins make ", product,
                             " parts in all, ", describeGrid(grid),
                             " cannot hold them");
  }
  return llvm::Error::success();
}

/// The constraints of one side; those of an input are the same on both.
static llvm::Expected<Demands>
constraintsOf(const PlanVertex &vertex, const DeviceGrid &grid, Side side) {
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

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

static llvm::Error checkPreferences(const PlanVertex &vertex) {
  auto check = [&](const std::vector<ShardingConstraint> &constraints,
                   Side side) -> llvm::Error {
    for (const ShardingConstraint &constraint : constraints) {
      if (constraint.isHard)
        continue;
      if (!(constraint.weight >= 0))
        return constraintError(constraint, vertex, "a preference has weight ",
                               llvm::format("%g", constraint.weight),
                               ", the least is 0");
      for (const LabelConstraint &asked : constraint.cuts)
        if (!findTarget(vertex, side, asked.label))
          return noTarget(vertex, side, constraint, asked.label);
    }
    return llvm::Error::success();
  };
  if (llvm::Error error = check(vertex.constraints.work, Side::Work))
    return error;
  return check(vertex.constraints.home, Side::Home);
}

std::vector<std::vector<unsigned>> model::layoutGroups(const PlanGraph &graph) {
  llvm::MapVector<llvm::StringRef, std::vector<unsigned>> groups;
  for (unsigned v = 0; v < graph.vertices.size(); ++v)
    if (const std::string &name = graph.vertices[v].constraints.layoutGroup;
        !name.empty())
      groups[name].push_back(v);
  std::vector<std::vector<unsigned>> result;
  for (auto &[name, members] : groups)
    if (members.size() > 1)
      result.push_back(std::move(members));
  return result;
}

static std::string describeShape(llvm::ArrayRef<int64_t> shape) {
  return "[" +
         llvm::join(llvm::map_range(
                        shape, [](int64_t n) { return std::to_string(n); }),
                    ", ") +
         "]";
}

llvm::Error model::layoutGroupError(const PlanVertex &vertex,
                                    llvm::Error error) {
  ErrorFacts facts = factsOf(std::move(error));
  return errorAt(
      facts.place.empty() ? vertex.constraints.layoutGroupPlace : facts.place,
      "layout group '", vertex.constraints.layoutGroup, "': ", facts.text);
}

/// The members have one shape, and their constraints agree.
static llvm::Error checkGroup(const PlanGraph &graph, const DeviceGrid &grid,
                              llvm::ArrayRef<unsigned> members) {
  const PlanVertex &first = graph.vertices[members.front()];
  Demands demands(first.shape.size());
  for (unsigned member : members) {
    const PlanVertex &vertex = graph.vertices[member];
    if (vertex.shape != first.shape)
      return layoutGroupError(vertex, planError("'", first.name, "' has shape ",
                                                describeShape(first.shape),
                                                ", '", vertex.name, "' has ",
                                                describeShape(vertex.shape)));
    auto own = constraintsOf(vertex, grid, Side::Home);
    if (!own)
      return own.takeError();
    for (auto [dim, demand] : llvm::enumerate(*own))
      if (demand.parts != 0)
        if (llvm::Error error =
                merge(demands[dim], demand, std::to_string(dim)))
          return layoutGroupError(vertex, std::move(error));
  }
  if (llvm::Error error = checkTogether(demands, first, grid, Side::Home))
    return layoutGroupError(first, std::move(error));
  return llvm::Error::success();
}

llvm::Error model::checkConstraints(const PlanGraph &graph,
                                    const DeviceGrid &grid) {
  for (const PlanVertex &vertex : graph.vertices) {
    if (vertex.constraints.empty())
      continue;
    for (Side side : {Side::Work, Side::Home})
      if (llvm::Error error = constraintsOf(vertex, grid, side).takeError())
        return error;
    if (llvm::Error error = checkPreferences(vertex))
      return error;
  }
  for (const std::vector<unsigned> &members : layoutGroups(graph))
    if (llvm::Error error = checkGroup(graph, grid, members))
      return error;
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

static bool hasHard(const std::vector<ShardingConstraint> &constraints) {
  return llvm::any_of(constraints, [](const ShardingConstraint &constraint) {
    return constraint.isHard;
  });
}

/// The constraints of a graph that was checked; all open where it was not.
static Demands checkedConstraints(const PlanVertex &vertex,
                                  const DeviceGrid &grid, Side side) {
  auto demands = constraintsOf(vertex, grid, side);
  if (demands)
    return std::move(*demands);
  llvm::consumeError(demands.takeError());
  return Demands(numTargets(vertex, side));
}

static bool partsMatch(const Demands &demands, llvm::ArrayRef<int64_t> parts) {
  return llvm::all_of(llvm::zip_equal(demands, parts), [](const auto &entry) {
    const auto &[demand, count] = entry;
    return demand.parts == 0 || demand.parts == count;
  });
}

static bool cutsMatch(const Demands &demands, const DeviceGrid &grid,
                      const Partition &partition) {
  for (auto [demand, cut] : llvm::zip_equal(demands, partition.cuts))
    if (demand.parts != 0 && (demand.parts != partsOf(grid, cut) ||
                              (demand.cut && *demand.cut != cut)))
      return false;
  return true;
}

static bool layoutMatches(const Demands &demands, const DeviceGrid &grid,
                          const Layout &layout) {
  for (auto [demand, dim] : llvm::zip_equal(demands, layout.dims)) {
    if (demand.parts == 0)
      continue;
    if (!dim.isPlain() || demand.parts != partsOf(grid, dim.cut()) ||
        (demand.cut && llvm::ArrayRef<unsigned>(*demand.cut) != dim.cut()))
      return false;
  }
  return true;
}

bool model::allowsParts(const PlanVertex &vertex, const DeviceGrid &grid,
                        llvm::ArrayRef<int64_t> parts) {
  if (vertex.constraints.empty())
    return true;
  return partsMatch(checkedConstraints(vertex, grid, Side::Work), parts);
}

bool model::allows(const PlanVertex &vertex, const DeviceGrid &grid,
                   const Partition &partition) {
  const ShardingConstraints &asked = vertex.constraints;
  if (!hasHard(asked.work) && !(vertex.isInput && hasHard(asked.home)))
    return true;
  return cutsMatch(checkedConstraints(vertex, grid, Side::Work), grid,
                   partition);
}

bool model::allowsHome(const PlanVertex &vertex, const DeviceGrid &grid,
                       const Layout &layout) {
  const ShardingConstraints &asked = vertex.constraints;
  if (!hasHard(asked.home) && !(vertex.isInput && hasHard(asked.work)))
    return true;
  return layoutMatches(checkedConstraints(vertex, grid, Side::Home), grid,
                       layout);
}

/// The weights of the preferences on one side for which `isMet` is false.
static double weightOf(const PlanVertex &vertex, const DeviceGrid &grid,
                       Side side,
                       llvm::function_ref<bool(const Demands &)> isMet) {
  double weight = 0;
  auto add = [&](const std::vector<ShardingConstraint> &constraints) {
    for (const ShardingConstraint &constraint : constraints) {
      if (constraint.isHard)
        continue;
      Demands demands(numTargets(vertex, side));
      llvm::Error error =
          addConstraint(demands, vertex, grid, constraint, side);
      if (error || !isMet(demands))
        weight += constraint.weight;
      llvm::consumeError(std::move(error));
    }
  };
  if (side == Side::Work || vertex.isInput)
    add(vertex.constraints.work);
  if (side == Side::Home || vertex.isInput)
    add(vertex.constraints.home);
  return weight;
}

double model::brokenWeight(const PlanVertex &vertex, const DeviceGrid &grid,
                           const Partition &partition) {
  return weightOf(vertex, grid, Side::Work, [&](const Demands &demands) {
    return cutsMatch(demands, grid, partition);
  });
}

double model::brokenHomeWeight(const PlanVertex &vertex, const DeviceGrid &grid,
                               const Layout &layout) {
  return weightOf(vertex, grid, Side::Home, [&](const Demands &demands) {
    return layoutMatches(demands, grid, layout);
  });
}

/// Moves constraints on the home to the labels of their dimensions. A dimension
/// that is written whole is in one part.
static llvm::Error foldHome(Demands &work, const Demands &home,
                            const PlanVertex &vertex, const DeviceGrid &grid) {
  for (auto [dim, demand] : llvm::enumerate(home)) {
    if (demand.parts == 0)
      continue;
    const ProjectionDim &written = vertex.output.dims[dim];
    if (written.terms.empty()) {
      if (demand.parts == 1)
        continue;
      return constraintError(*demand.constraint, vertex, "dimension ", dim,
                             " of the result is written whole and pinned to ",
                             demand.parts, " parts");
    }
    unsigned label = written.terms[0].dim;
    if (llvm::Error error =
            merge(work[label], demand, vertex.labels[label].name))
      return error;
  }
  return checkTogether(work, vertex, grid, Side::Work);
}

/// The constraints on the work and, folded, those on the homes.
static llvm::Expected<Demands>
foldedConstraints(const PlanVertex &vertex, const DeviceGrid &grid,
                  llvm::ArrayRef<PlanVertex> companions = {}) {
  auto demands = constraintsOf(vertex, grid, Side::Work);
  if (!demands || vertex.isInput)
    return demands;
  auto fold = [&](const PlanVertex &result) -> llvm::Error {
    auto home = constraintsOf(result, grid, Side::Home);
    return home ? foldHome(*demands, *home, result, grid) : home.takeError();
  };
  if (llvm::Error error = fold(vertex))
    return std::move(error);
  for (const PlanVertex &companion : companions)
    if (llvm::Error error = fold(companion))
      return std::move(error);
  return demands;
}

/// Whether nothing is asked of a vertex or of its companions.
static bool isFree(const PlanVertex &vertex,
                   llvm::ArrayRef<PlanVertex> companions) {
  return vertex.constraints.empty() &&
         llvm::all_of(companions, [](const PlanVertex &companion) {
           return companion.constraints.empty();
         });
}

static PartVector partsOfConstraints(const Demands &demands) {
  PartVector parts;
  for (const Demand &demand : demands)
    parts.push_back(demand.parts);
  return parts;
}

llvm::Expected<PartVector>
model::constrainedParts(const PlanVertex &vertex, const DeviceGrid &grid,
                        llvm::ArrayRef<PlanVertex> companions) {
  if (isFree(vertex, companions))
    return PartVector(vertex.labels.size(), 0);
  auto demands = foldedConstraints(vertex, grid, companions);
  if (!demands)
    return demands.takeError();
  return partsOfConstraints(*demands);
}

/// The constraints of `vertex` with one of its preferences among them.
static llvm::Expected<Demands>
constraintsWith(const PlanVertex &vertex, const DeviceGrid &grid,
                const ShardingConstraint &preference) {
  PlanVertex constrained = vertex;
  constrained.constraints = ShardingConstraints();
  auto add = [&](const std::vector<ShardingConstraint> &from,
                 std::vector<ShardingConstraint> &into) {
    for (const ShardingConstraint &constraint : from)
      if (constraint.isHard || &constraint == &preference) {
        into.push_back(constraint);
        into.back().isHard = true;
      }
  };
  add(vertex.constraints.work, constrained.constraints.work);
  add(vertex.constraints.home, constrained.constraints.home);
  // Who asked is forgotten with `constrained`.
  auto demands = foldedConstraints(constrained, grid);
  if (demands)
    for (Demand &demand : *demands) {
      demand.vertex = &vertex;
      demand.constraint = nullptr;
    }
  return demands;
}

std::optional<PartVector>
model::preferredParts(const PlanVertex &vertex, const DeviceGrid &grid,
                      const ShardingConstraint &preference) {
  auto demands = constraintsWith(vertex, grid, preference);
  if (demands)
    return partsOfConstraints(*demands);
  llvm::consumeError(demands.takeError());
  return std::nullopt;
}

llvm::SmallVector<std::optional<Cut>, 4>
model::constrainedCuts(const PlanVertex &vertex, const DeviceGrid &grid,
                       const ShardingConstraint *preference,
                       llvm::ArrayRef<PlanVertex> companions) {
  llvm::SmallVector<std::optional<Cut>, 4> cuts(vertex.labels.size());
  if (isFree(vertex, companions))
    return cuts;
  auto demands = preference ? constraintsWith(vertex, grid, *preference)
                            : foldedConstraints(vertex, grid, companions);
  if (!demands) {
    llvm::consumeError(demands.takeError());
    return cuts;
  }
  for (auto [cut, demand] : llvm::zip_equal(cuts, *demands))
    cut = demand.cut;
  return cuts;
}

double model::brokenPartsWeight(const PlanVertex &vertex,
                                const DeviceGrid &grid,
                                llvm::ArrayRef<int64_t> parts) {
  double weight =
      weightOf(vertex, grid, Side::Work, [&](const Demands &demands) {
        return partsMatch(demands, parts);
      });
  if (vertex.isInput)
    return weight;
  llvm::SmallVector<int64_t, 4> ofDims;
  for (const ProjectionDim &dim : vertex.output.dims)
    ofDims.push_back(dim.terms.empty() ? 1 : parts[dim.terms[0].dim]);
  return weight +
         weightOf(vertex, grid, Side::Home, [&](const Demands &demands) {
           return partsMatch(demands, ofDims);
         });
}

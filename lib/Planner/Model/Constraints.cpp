//===- Constraints.cpp - Sharding constraints on a plan -------------------===//

#include "Demands.h"
#include "tapestry/Support/Counted.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace tapestry;
using namespace tapestry::model;

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
      if (llvm::Error error = checkNames(vertex, side, constraint))
        return error;
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

llvm::Error model::checkDevicePin(const DevicePin &pin, int64_t devices) {
  if (pin.device >= 0 && pin.device < devices)
    return llvm::Error::success();
  return errorAt(pin.place, pin.tensor, " is on device ", pin.device,
                 ", the plan has ", countOf(devices, "device"),
                 devices == 1 ? ", number 0" : ", numbers 0 to ",
                 devices == 1 ? "" : std::to_string(devices - 1));
}

llvm::Error model::checkDevicePins(const PlanGraph &graph, int64_t devices) {
  for (const PlanVertex &vertex : graph.vertices) {
    if (vertex.constraints.entersAt)
      if (llvm::Error error =
              checkDevicePin(*vertex.constraints.entersAt, devices))
        return error;
    for (const DevicePin &pin : vertex.constraints.leavesAt)
      if (llvm::Error error = checkDevicePin(pin, devices))
        return error;
  }
  return llvm::Error::success();
}

llvm::Error model::checkConstraints(const PlanGraph &graph,
                                    const DeviceGrid &grid) {
  if (llvm::Error error = checkDevicePins(graph, grid.numDevices()))
    return error;
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

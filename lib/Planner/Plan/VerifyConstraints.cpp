//===- VerifyConstraints.cpp - Whether a plan does what constraints ask ---===//
//
// Compares names of axes and boxes of devices; shares nothing with
// Constraints.cpp, by which plans are made.
//
//===----------------------------------------------------------------------===//

#include "tapestry/Planner/Plan/Verify.h"
#include "tapestry/Support/Counted.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace tapestry;
using namespace tapestry::model;
using namespace tapestry::plan;

namespace {
/// One label or dimension as the plan cuts it.
struct PlannedCut {
  /// What constraints may call it.
  llvm::SmallVector<std::string, 2> names;
  int64_t parts = 1;
  /// The names of the axes, major first; nothing where it is not cut plainly.
  std::optional<std::vector<std::string>> axes;
};
} // namespace

static std::vector<std::string> namesOf(const DeviceGrid &grid,
                                        llvm::ArrayRef<unsigned> cut) {
  std::vector<std::string> names;
  for (unsigned axis : cut)
    names.push_back(grid.axes[axis].name);
  return names;
}

/// The prime axes that the names of a constraint stand for.
static std::vector<std::string> primesNamed(const DeviceGrid &grid,
                                            llvm::ArrayRef<std::string> asked) {
  std::vector<std::string> primes;
  for (const std::string &name : asked)
    for (const DeviceGrid::Axis &axis : grid.axes)
      if (axis.name == name ||
          llvm::StringRef(axis.name).starts_with(name + "."))
        primes.push_back(axis.name);
  return primes;
}

static llvm::Error checkConstraint(const PlanVertex &vertex,
                                   const DeviceGrid &grid,
                                   const ShardingConstraint &constraint,
                                   llvm::ArrayRef<PlannedCut> cuts,
                                   llvm::StringRef what) {
  llvm::SmallVector<bool> named(cuts.size(), false);
  std::string place = "vertex '" + vertex.name + "': " + what.str();
  for (const LabelConstraint &demand : constraint.cuts) {
    const PlannedCut *cut = llvm::find_if(cuts, [&](const PlannedCut &c) {
      return llvm::is_contained(c.names, demand.label);
    });
    if (cut == cuts.end())
      return planError(place, " '", demand.label, "' is pinned, there is none");
    named[cut - cuts.begin()] = true;
    if (demand.parts != 0 && cut->parts != demand.parts)
      return planError(place, " '", demand.label, "' is pinned to ",
                       countOf(demand.parts, "part"), ", the plan has ",
                       cut->parts);
    if (demand.axes.empty())
      continue;
    std::vector<std::string> wanted = primesNamed(grid, demand.axes);
    if (!cut->axes || *cut->axes != wanted)
      return planError(place, " '", demand.label, "' is pinned to axes [",
                       llvm::join(wanted, ", "), "], the plan has [",
                       cut->axes ? llvm::join(*cut->axes, ", ") : "a window",
                       "]");
  }
  for (auto [cut, isNamed] : llvm::zip_equal(cuts, named))
    if (constraint.isClosed && !isNamed && cut.parts != 1)
      return planError(place, " '", cut.names.front(),
                       "' is pinned to 1 part, the plan has ", cut.parts);
  return llvm::Error::success();
}

static std::vector<PlannedCut> cutsOfWork(const PlanVertex &vertex,
                                          const Plan &plan, unsigned v) {
  std::vector<PlannedCut> cuts;
  const std::optional<Partition> &partition =
      plan.placement.vertices[v].partition;
  for (unsigned l = 0; l < vertex.labels.size(); ++l) {
    PlannedCut &cut = cuts.emplace_back();
    cut.names.push_back(vertex.labels[l].name);
    cut.parts = plan.vertices[v].parts[l];
    if (partition)
      cut.axes = namesOf(plan.grid, partition->cuts[l]);
  }
  return cuts;
}

static std::vector<PlannedCut> cutsOfHome(const PlanVertex &vertex,
                                          const Plan &plan, unsigned v) {
  std::vector<PlannedCut> cuts;
  const Layout &home = plan.placement.vertices[v].home;
  for (unsigned d = 0; d < home.dims.size(); ++d) {
    PlannedCut &cut = cuts.emplace_back();
    cut.names.push_back(std::to_string(d));
    if (!vertex.output.dims[d].terms.empty())
      cut.names.push_back(
          vertex.labels[vertex.output.dims[d].terms[0].dim].name);
    cut.parts = 1;
    for (const LayoutTerm &term : home.dims[d].terms)
      for (unsigned axis : term.cut)
        cut.parts *= plan.grid.axes[axis].size;
    if (home.dims[d].isPlain())
      cut.axes = namesOf(plan.grid, home.dims[d].cut());
  }
  return cuts;
}

/// Every member holds the same box on every device.
static llvm::Error checkGroups(const PlanGraph &graph, const Plan &plan) {
  llvm::StringMap<unsigned> firstOf;
  for (unsigned v = 0; v < graph.vertices.size(); ++v) {
    const PlanVertex &vertex = graph.vertices[v];
    if (vertex.constraints.layoutGroup.empty())
      continue;
    auto [first, isNew] =
        firstOf.try_emplace(vertex.constraints.layoutGroup, v);
    const Layout &home = plan.placement.vertices[v].home;
    const Layout &other = plan.placement.vertices[first->second].home;
    if (isNew || home == other)
      continue;
    for (int64_t device = 0; device < plan.devices; ++device)
      if (home.box(plan.grid, device) != other.box(plan.grid, device))
        return planError("layout group '", vertex.constraints.layoutGroup,
                         "': device ", device, " of ", plan.devices,
                         " holds another part of '", vertex.name, "' than of '",
                         graph.vertices[first->second].name, "'");
  }
  return llvm::Error::success();
}

llvm::Error plan::verifyConstraints(const PlanGraph &graph, const Plan &plan) {
  for (unsigned v = 0; v < graph.vertices.size(); ++v) {
    const PlanVertex &vertex = graph.vertices[v];
    if (vertex.constraints.empty())
      continue;
    for (const ShardingConstraint &constraint : vertex.constraints.work)
      if (constraint.isHard)
        if (llvm::Error error =
                checkConstraint(vertex, plan.grid, constraint,
                                cutsOfWork(vertex, plan, v), "label"))
          return error;
    for (const ShardingConstraint &constraint : vertex.constraints.home)
      if (constraint.isHard)
        if (llvm::Error error =
                checkConstraint(vertex, plan.grid, constraint,
                                cutsOfHome(vertex, plan, v), "dimension"))
          return error;
  }
  return checkGroups(graph, plan);
}

//===- Verify.cpp - Whether a plan is right -------------------------------===//

#include "tapestry/Planner/Plan/Verify.h"
#include "VerifyCosts.h"
#include "tapestry/Planner/Cost/RecountMoves.h"
#include "tapestry/Planner/Model/Constraints.h"
#include "tapestry/Planner/Model/Partitions.h"
#include "tapestry/Support/Counted.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

using namespace tapestry;
using namespace tapestry::cost;
using namespace tapestry::layout;
using namespace tapestry::model;
using namespace tapestry::plan;

//===----------------------------------------------------------------------===//
// Parts and axes
//===----------------------------------------------------------------------===//

static llvm::Error checkPartCount(const PlanVertex &vertex,
                                  llvm::ArrayRef<int64_t> parts) {
  if (parts.size() == vertex.labels.size())
    return llvm::Error::success();
  return planError("vertex '", vertex.name, "': parts for ",
                   countOf(parts.size(), "label"), ", it has ",
                   vertex.labels.size());
}

/// Between 1 and the extent per label, within the devices together.
static llvm::Error checkCut(const PlanVertex &vertex,
                            llvm::ArrayRef<int64_t> parts, int64_t devices) {
  int64_t product = 1;
  for (auto [label, count] : llvm::zip_equal(vertex.labels, parts)) {
    if (count < 1 || count > label.extent)
      return planError("vertex '", vertex.name, "': label '", label.name,
                       "' is cut into ", countOf(count, "part"),
                       ", its extent is ", label.extent);
    if (count > devices / product)
      return planError("vertex '", vertex.name, "': with label '", label.name,
                       "' in ", countOf(count, "part"), " there are ",
                       llvm::SaturatingMultiply<uint64_t>(product, count),
                       " parts in all for ", countOf(devices, "device"));
    product *= count;
  }
  return llvm::Error::success();
}

llvm::Error plan::verifyVertexParts(const PlanVertex &vertex,
                                    llvm::ArrayRef<int64_t> parts,
                                    int64_t devices) {
  if (llvm::Error error = checkPartCount(vertex, parts))
    return error;
  if (!vertex.isInput)
    return checkCut(vertex, parts, devices);
  for (auto [label, count] : llvm::zip_equal(vertex.labels, parts))
    if (count < 1 || count > devices)
      return planError("input '", vertex.name, "': label '", label.name,
                       "' is cut into ", countOf(count, "part"), " for ",
                       countOf(devices, "device"));
  return llvm::Error::success();
}

/// An input with one reader is stored as that reader wants it: along a
/// dimension there are as many parts as the labels in the subscript have
/// together.
static llvm::Error checkStoredInput(const PlanGraph &graph,
                                    const PlanVertex &vertex, PlanUse use,
                                    llvm::ArrayRef<PartVector> parts) {
  const PlanVertex &reader = graph.vertices[use.vertex];
  if (llvm::Error error = checkPartCount(reader, parts[use.vertex]))
    return error;
  const Projection &projection = reader.operands[use.operand].projection;
  const PartVector &own = parts[reader.operands[use.operand].producer];
  for (unsigned dim = 0; dim < own.size(); ++dim) {
    int64_t wanted = 1;
    for (const AffineTerm &term : projection.dims[dim].terms)
      wanted *= parts[use.vertex][term.dim];
    if (own[dim] != wanted)
      return planError("input '", vertex.name, "': label '",
                       vertex.labels[dim].name, "' is in ",
                       countOf(own[dim], "part"), ", its only reader '",
                       reader.name, "' reads it in ", wanted);
  }
  return llvm::Error::success();
}

llvm::Error plan::verifyParts(const PlanGraph &graph,
                              llvm::ArrayRef<PartVector> parts,
                              int64_t devices) {
  if (parts.size() != graph.vertices.size())
    return planError("the plan has ", countOf(parts.size(), "vertex"),
                     ", the graph has ", graph.vertices.size());
  for (unsigned v = 0; v < graph.vertices.size(); ++v) {
    const PlanVertex &vertex = graph.vertices[v];
    if (llvm::Error error = checkPartCount(vertex, parts[v]))
      return error;
    if (vertex.storedFor) {
      if (llvm::Error error =
              checkStoredInput(graph, vertex, *vertex.storedFor, parts))
        return error;
      continue;
    }
    if (llvm::Error error = checkCut(vertex, parts[v], devices))
      return error;
    if (vertex.cutAs && parts[v] != parts[*vertex.cutAs])
      return planError("vertex '", vertex.name, "' is cut into ",
                       partsToString(parts[v]), " parts, but it comes with '",
                       graph.vertices[*vertex.cutAs].name, "', which is in ",
                       partsToString(parts[*vertex.cutAs]));
  }
  return llvm::Error::success();
}

llvm::Error plan::verifyAxes(const PlanVertex &vertex, const DeviceGrid &grid,
                             llvm::ArrayRef<int64_t> parts,
                             const Partition &partition) {
  if (partition.cuts.size() != vertex.labels.size())
    return planError("vertex '", vertex.name, "': axes for ",
                     countOf(partition.cuts.size(), "label"), ", it has ",
                     vertex.labels.size());
  std::map<unsigned, unsigned> userOf;
  for (unsigned l = 0; l < vertex.labels.size(); ++l) {
    const PlanLabel &label = vertex.labels[l];
    int64_t product = 1;
    for (unsigned axis : partition.cuts[l]) {
      if (axis >= grid.axes.size())
        return planError("vertex '", vertex.name, "': label '", label.name,
                         "' is cut over axis number ", axis, ", the grid has ",
                         countOf(grid.axes.size(), "axis"));
      auto [first, isNew] = userOf.try_emplace(axis, l);
      if (!isNew)
        return planError("vertex '", vertex.name, "': axis '",
                         grid.axes[axis].name, "' cuts both label '",
                         vertex.labels[first->second].name, "' and label '",
                         label.name, "'");
      product *= grid.axes[axis].size;
    }
    if (product != parts[l])
      return planError("vertex '", vertex.name, "': label '", label.name,
                       "' is in ", countOf(parts[l], "part"),
                       ", its axes make ", product);
  }
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Coverage
//===----------------------------------------------------------------------===//

/// Proves that the boxes that devices have cover `space` exactly once within
/// each replica. Devices that agree on all axes but `held` see the same
/// replica.
static std::optional<CoverageFault>
findFaultPerReplica(const DeviceGrid &grid, llvm::ArrayRef<unsigned> held,
                    llvm::ArrayRef<ZRange> space,
                    llvm::function_ref<ZBox(int64_t)> boxOf) {
  std::map<int64_t, std::vector<ZBox>> replicas;
  for (int64_t device = 0, e = grid.numDevices(); device < e; ++device) {
    int64_t replica = device;
    for (unsigned axis : held)
      replica -= grid.coordinate(device, axis) * grid.strideOf(axis);
    replicas[replica].push_back(boxOf(device));
  }
  const std::vector<ZBox> *proved = nullptr;
  for (auto &[replica, boxes] : replicas) {
    if (proved && *proved == boxes)
      continue;
    if (auto fault = findCoverageFault(space, boxes))
      return fault;
    proved = &boxes;
  }
  return std::nullopt;
}

static llvm::Error coverageError(llvm::StringRef what,
                                 const CoverageFault &fault,
                                 llvm::StringRef verb) {
  return planError(what, ": point ", partsToString(fault.point), " is ", verb,
                   " ", fault.times, " times, not once");
}

namespace {
/// Coverage of equal spaces with equal cuts is proved once.
class CoverageChecker {
public:
  explicit CoverageChecker(const DeviceGrid &grid) : grid(grid) {}

  llvm::Error checkWork(const PlanVertex &vertex, const Partition &partition) {
    llvm::SmallVector<int64_t, 4> extents = vertex.extents();
    Cut used;
    std::vector<int64_t> key(extents.begin(), extents.end());
    for (const Cut &cut : partition.cuts) {
      used.append(cut.begin(), cut.end());
      key.push_back(-1);
      key.insert(key.end(), cut.begin(), cut.end());
    }
    if (!proved.insert(key).second)
      return llvm::Error::success();
    if (auto fault = findFaultPerReplica(
            grid, used, boxOfShape(extents), [&](int64_t device) {
              return partition.block(grid, extents, device);
            }))
      return coverageError("vertex '" + vertex.name + "'", *fault, "computed");
    return llvm::Error::success();
  }

  llvm::Error checkHome(const PlanVertex &vertex, const Layout &home) {
    std::string what = "home of '" + vertex.name + "'";
    if (home.rank() != vertex.shape.size())
      return planError(what, " has rank ", home.rank(), ", the tensor has ",
                       vertex.shape.size());
    if (!home.partial.empty())
      return planError(what, " holds partial values along ",
                       countOf(home.partial.size(), "axis"), ", expected 0");
    if (!home.isPlain())
      return planError(what, " is not a plain cut of the tensor");
    std::vector<int64_t> key = {-2};
    for (const LayoutDim &dim : home.dims) {
      key.push_back(-1);
      key.push_back(dim.extent);
      key.insert(key.end(), dim.cut().begin(), dim.cut().end());
    }
    key.insert(key.end(), vertex.shape.begin(), vertex.shape.end());
    if (!proved.insert(key).second)
      return llvm::Error::success();
    if (auto fault = findFaultPerReplica(
            grid, home.usedAxes(), boxOfShape(vertex.shape),
            [&](int64_t device) { return home.box(grid, device); }))
      return coverageError(what, *fault, "held");
    return llvm::Error::success();
  }

private:
  const DeviceGrid &grid;
  std::set<std::vector<int64_t>> proved;
};

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

/// Steps through the collectives of a plan and demands those that its layouts
/// need, each once.
class CollectiveChecker {
public:
  CollectiveChecker(const PlanGraph &graph, const Plan &plan)
      : graph(graph), plan(plan), found(plan.placement.collectives.size()) {}

  /// Every step of a move, for one reader. Totals of a scan are accumulators.
  llvm::Error demand(unsigned vertex, unsigned reader,
                     llvm::ArrayRef<Layout> steps, bool areTotals = false) {
    for (unsigned step = 0; step + 1 < steps.size(); ++step) {
      bool isWide = areTotals || !steps[step].partial.empty();
      if (llvm::Error error =
              demand(vertex, reader, steps[step], steps[step + 1],
                     graph.vertices[vertex].bytesPerElement(isWide)))
        return error;
    }
    return llvm::Error::success();
  }

  llvm::Error checkAllNeeded() {
    for (unsigned c = 0; c < found.size(); ++c)
      if (!found[c])
        return planError(
            "collective number ", c, " of the plan (",
            stringifyCollective(plan.placement.collectives[c].kind),
            ") is not needed by any of ",
            countOf(graph.vertices.size(), "vertex"));
    return llvm::Error::success();
  }

private:
  llvm::Error demand(unsigned vertex, unsigned reader, const Layout &from,
                     const Layout &to, int64_t elementBytes) {
    Collective wanted = countMove(plan.grid, from, to);
    if (wanted.kind == CollectiveKind::None ||
        wanted.kind == CollectiveKind::Slice)
      return llvm::Error::success();
    const auto &listed = plan.placement.collectives;
    for (unsigned c = 0; c < listed.size(); ++c) {
      if (found[c] || listed[c].vertex != vertex ||
          listed[c].reader != reader || listed[c].from != from ||
          listed[c].to != to)
        continue;
      found[c] = true;
      return compare(listed[c], wanted, elementBytes);
    }
    return planError("result of '", graph.vertices[vertex].name, "': the plan ",
                     "has no ", stringifyCollective(wanted.kind), " of ",
                     countOf(wanted.elements, "element"),
                     " that one of its readers needs");
  }

  llvm::Error compare(const PlannedCollective &listed, const Collective &wanted,
                      int64_t elementBytes) {
    const PlanVertex &vertex = graph.vertices[listed.vertex];
    if (listed.kind != wanted.kind)
      return planError("result of '", vertex.name, "': the plan has ",
                       stringifyCollective(listed.kind), ", needed is ",
                       stringifyCollective(wanted.kind));
    if (listed.group != wanted.groupSize)
      return planError(
          "result of '", vertex.name, "': ", stringifyCollective(listed.kind),
          " over groups of ", listed.group, ", needed are ", wanted.groupSize);
    int64_t bytes = wanted.elements * elementBytes;
    if (listed.bytes != bytes)
      return planError("result of '", vertex.name,
                       "': ", stringifyCollective(listed.kind), " of ",
                       countOf(listed.bytes, "byte"), ", it sends ", bytes);
    return llvm::Error::success();
  }

  const PlanGraph &graph;
  const Plan &plan;
  std::vector<bool> found;
};
} // namespace

/// The moves of a vertex's operands and of its result are legal, step by step,
/// and in the plan.
static llvm::Error checkMoves(const PlanGraph &graph, const Plan &plan,
                              unsigned v, CoverageChecker &coverage,
                              CollectiveChecker &collectives) {
  const PlanVertex &vertex = graph.vertices[v];
  const VertexPlacement &placed = plan.placement.vertices[v];
  if (!placed.operandRoutes.empty() &&
      placed.operandRoutes.size() != vertex.operands.size())
    return planError("vertex '", vertex.name, "' has routes for ",
                     countOf(placed.operandRoutes.size(), "operand"), " of ",
                     vertex.operands.size());
  for (unsigned o = 0; o < vertex.operands.size(); ++o) {
    unsigned producer = vertex.operands[o].producer;
    llvm::SmallVector<Layout, 3> steps =
        layoutsOfRead(graph, plan.placement, {v, o});
    for (const Layout &step : llvm::ArrayRef(steps).drop_front().drop_back())
      if (llvm::Error error =
              coverage.checkHome(graph.vertices[producer], step))
        return error;
    if (llvm::Error error = collectives.demand(producer, v, steps))
      return error;
  }
  if (auto totals = totalsOfBlocks(graph, plan.placement, plan.grid, v))
    if (llvm::Error error =
            collectives.demand(v, v, {totals->first, totals->second},
                               /*areTotals=*/true))
      return error;
  llvm::SmallVector<Layout, 3> steps =
      layoutsOfResult(graph, plan.placement, v);
  for (const Layout &step : placed.homeRoute)
    if (llvm::Error error = coverage.checkHome(vertex, step))
      return error;
  if (vertex.isInput && steps.back() != steps.front())
    return planError("home of input '", vertex.name,
                     "' is not how its partition cuts it");
  Layout whole = steps[0];
  whole.partial.clear();
  if (!steps[0].partial.empty() && steps[1] != whole &&
      !canReduceScatter(plan.grid, steps[0], steps[1]))
    return planError("the partial values of '", vertex.name,
                     "' are combined neither where they lie nor in a target of "
                     "a reduce_scatter");
  for (const auto &[from, to] :
       layoutsAtBorder(graph, plan.placement, plan.grid, v))
    if (llvm::Error error = collectives.demand(v, v, {from, to}))
      return error;
  return collectives.demand(v, v, steps);
}

static llvm::Error checkPlacement(const PlanGraph &graph, const Plan &plan) {
  if (plan.placement.vertices.size() != graph.vertices.size())
    return planError("the plan places ",
                     countOf(plan.placement.vertices.size(), "vertex"),
                     ", the graph has ", graph.vertices.size());
  CoverageChecker coverage(plan.grid);
  for (unsigned v = 0; v < graph.vertices.size(); ++v) {
    const PlanVertex &vertex = graph.vertices[v];
    const VertexPlacement &placed = plan.placement.vertices[v];
    if (!placed.partition) {
      if (vertex.storedFor)
        continue;
      return planError("vertex '", vertex.name, "' has no axes");
    }
    if (llvm::Error error = verifyAxes(
            vertex, plan.grid, plan.vertices[v].parts, *placed.partition))
      return error;
    if (llvm::Error error = coverage.checkWork(vertex, *placed.partition))
      return error;
    if (vertex.cutAs &&
        !(placed.partition == plan.placement.vertices[*vertex.cutAs].partition))
      return planError(
          "vertex '", vertex.name, "' is cut over other axes than '",
          graph.vertices[*vertex.cutAs].name, "', with which it comes");
  }

  CollectiveChecker collectives(graph, plan);
  for (unsigned v = 0; v < graph.vertices.size(); ++v) {
    const PlanVertex &vertex = graph.vertices[v];
    const VertexPlacement &placed = plan.placement.vertices[v];
    if (vertex.storedFor) {
      if (placed.home != readLayout(graph, plan.placement, *vertex.storedFor))
        return planError(
            "home of input '", vertex.name, "' is not where its only reader '",
            graph.vertices[vertex.storedFor->vertex].name, "' reads it");
      continue;
    }
    if (llvm::Error error = coverage.checkHome(vertex, placed.home))
      return error;
    if (llvm::Error error = checkMoves(graph, plan, v, coverage, collectives))
      return error;
  }
  return collectives.checkAllNeeded();
}

/// The graph says of the right inputs that their only reader stores them, found
/// from the readers anew.
static llvm::Error checkStorage(const PlanGraph &graph) {
  std::vector<unsigned> reads(graph.vertices.size());
  for (const PlanVertex &vertex : graph.vertices)
    for (const PlanOperand &operand : vertex.operands)
      ++reads[operand.producer];
  for (unsigned v = 0; v < graph.vertices.size(); ++v) {
    const PlanVertex &vertex = graph.vertices[v];
    bool isStoredForReader = vertex.isInput && !vertex.isOutput &&
                             reads[v] == 1 && vertex.constraints.empty();
    if (vertex.storedFor.has_value() != isStoredForReader)
      return planError("vertex '", vertex.name, "' with ", reads[v],
                       " reads is marked as stored for ",
                       vertex.storedFor ? "one of them" : "none",
                       ": its storage was not resolved");
    if (!vertex.storedFor)
      continue;
    auto [reader, operand] = *vertex.storedFor;
    if (reader >= graph.vertices.size() ||
        operand >= graph.vertices[reader].operands.size() ||
        graph.vertices[reader].operands[operand].producer != v)
      return planError("vertex '", vertex.name, "' is stored for operand ",
                       operand, " of vertex number ", reader,
                       ", which does not read it");
  }
  return llvm::Error::success();
}

llvm::Error plan::verifyPlan(const PlanGraph &graph, const Plan &plan) {
  if (llvm::Error error = checkStorage(graph))
    return error;
  if (plan.grid.numDevices() != plan.devices)
    return planError("the plan is for ", countOf(plan.devices, "device"),
                     ", its grid has ", plan.grid.numDevices());
  if (llvm::Error error = checkDevicePins(graph, plan.devices))
    return error;
  if (plan.vertices.size() != graph.vertices.size())
    return planError("the plan has ", countOf(plan.vertices.size(), "vertex"),
                     ", the graph has ", graph.vertices.size());
  std::vector<PartVector> parts;
  for (unsigned v = 0; v < graph.vertices.size(); ++v) {
    if (plan.vertices[v].name != graph.vertices[v].name)
      return planError("vertex number ", v, " is '", plan.vertices[v].name,
                       "' in the plan, '", graph.vertices[v].name,
                       "' in the graph");
    parts.push_back(plan.vertices[v].parts);
  }
  if (llvm::Error error = verifyParts(graph, parts, plan.devices))
    return error;
  if (llvm::Error error = checkPlacement(graph, plan))
    return error;
  if (llvm::Error error = verifyConstraints(graph, plan))
    return error;
  return verifyCosts(graph, plan);
}

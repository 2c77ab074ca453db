//===- PlacementTest.cpp - Axes, homes and the bytes of collectives -------===//

#include "tapestry/Planner/Layout/Placement.h"
#include "../TestErrors.h"
#include "../TestGraphs.h"
#include "tapestry/Planner/Cost/Elements/PaperCost.h"
#include "tapestry/Planner/Layout/Routing.h"
#include "tapestry/Planner/Plan/Planner.h"
#include "llvm/ADT/STLExtras.h"
#include <functional>
#include <limits>
#include <set>

using namespace tapestry;
using namespace tapestry::layout;
using namespace tapestry::model;
using namespace tapestry::plan;
using namespace tapestry::test;

namespace {

Plan planFor(const PlanGraph &graph, int64_t devices,
             llvm::StringRef solver = "exact") {
  PlannerOptions options;
  options.devices = devices;
  options.solver = solver.str();
  return valueOf(makePlan(graph, options));
}

//===----------------------------------------------------------------------===//
// A second count of the same bytes: point by point, from the cuts alone
//===----------------------------------------------------------------------===//

using Points = std::set<std::vector<int64_t>>;

class Counter {
public:
  Counter(const PlanGraph &graph, const Plan &plan)
      : graph(graph), plan(plan) {}

  int64_t coordinate(int64_t device, unsigned axis) const {
    for (unsigned later = plan.grid.axes.size(); later-- > axis + 1;)
      device /= plan.grid.axes[later].size;
    return device % plan.grid.axes[axis].size;
  }

  /// The values of a label that a device works on.
  std::vector<int64_t> share(unsigned v, unsigned label, int64_t device) const {
    int64_t parts = 1, index = 0;
    for (unsigned axis : plan.placement.vertices[v].partition->cuts[label]) {
      parts *= plan.grid.axes[axis].size;
      index = index * plan.grid.axes[axis].size + coordinate(device, axis);
    }
    int64_t extent = graph.vertices[v].labels[label].extent;
    int64_t block = (extent + parts - 1) / parts;
    std::vector<int64_t> values;
    for (int64_t x = index * block; x < std::min(extent, (index + 1) * block);
         ++x)
      values.push_back(x);
    return values;
  }

  /// The elements of a tensor in the smallest box around what `projection`
  /// touches along each dimension. A device without work along one label still
  /// holds and reads what its other labels ask for: that is what a layout says.
  Points touched(unsigned v, int64_t device, const Projection &projection,
                 llvm::ArrayRef<int64_t> shape) const {
    Points result = {{}};
    for (unsigned dim = 0; dim < shape.size(); ++dim) {
      std::set<int64_t> at = {projection.dims[dim].constant};
      for (const AffineTerm &term : projection.dims[dim].terms) {
        std::set<int64_t> sums;
        for (int64_t value : share(v, term.dim, device))
          for (int64_t before : at)
            sums.insert(before + term.coefficient * value);
        at = std::move(sums);
      }
      Points longer;
      if (!at.empty())
        for (const auto &point : result)
          for (int64_t x = std::max<int64_t>(0, *at.begin());
               x <= std::min(shape[dim] - 1, *at.rbegin()); ++x) {
            auto extended = point;
            extended.push_back(x);
            longer.insert(extended);
          }
      result = std::move(longer);
    }
    return result;
  }

  std::vector<Points> results(unsigned v) const {
    std::vector<Points> all;
    for (int64_t device = 0; device < plan.devices; ++device)
      all.push_back(touched(v, device, graph.vertices[v].output,
                            graph.vertices[v].shape));
    return all;
  }
  std::vector<Points> reads(PlanUse use) const {
    const PlanOperand &operand =
        graph.vertices[use.vertex].operands[use.operand];
    std::vector<Points> all;
    for (int64_t device = 0; device < plan.devices; ++device)
      all.push_back(touched(use.vertex, device, operand.projection,
                            graph.vertices[operand.producer].shape));
    return all;
  }

  static int64_t missing(const std::vector<Points> &from,
                         const std::vector<Points> &to) {
    int64_t count = 0;
    for (unsigned device = 0; device < to.size(); ++device)
      for (const auto &point : to[device])
        count += !from[device].count(point);
    return count;
  }

  /// Groups of devices that hold partial values of the same elements.
  std::vector<std::vector<int64_t>> groups(unsigned v) const {
    const PlanVertex &vertex = graph.vertices[v];
    std::map<std::vector<int64_t>, std::vector<int64_t>> byOtherAxes;
    for (int64_t device = 0; device < plan.devices; ++device) {
      std::vector<int64_t> key;
      for (unsigned axis = 0; axis < plan.grid.axes.size(); ++axis) {
        bool isReduced = false;
        for (unsigned l = 0; l < vertex.labels.size(); ++l)
          isReduced |= vertex.labels[l].reduced &&
                       llvm::is_contained(
                           plan.placement.vertices[v].partition->cuts[l], axis);
        if (!isReduced)
          key.push_back(coordinate(device, axis));
      }
      byOtherAxes[key].push_back(device);
    }
    std::vector<std::vector<int64_t>> result;
    for (auto &[key, members] : byOtherAxes)
      result.push_back(members);
    return result;
  }

  const PlanGraph &graph;
  const Plan &plan;
};

/// Replays a plan: what every device holds after each collective, and that the
/// listed ones are those that are needed, in order, with the right bytes.
class Replay {
public:
  Replay(const PlanGraph &graph, const Plan &plan)
      : graph(graph), plan(plan), counter(graph, plan), uses(graph.uses()),
        homes(graph.vertices.size()), next(plan.placement.collectives.begin()),
        end(plan.placement.collectives.end()) {}

  void run() {
    for (unsigned v = 0; v < graph.vertices.size(); ++v) {
      for (unsigned o = 0; o < graph.vertices[v].operands.size(); ++o)
        ASSERT_NO_FATAL_FAILURE(fetch(v, o));
      if (!graph.vertices[v].storedFor) {
        ASSERT_NO_FATAL_FAILURE(bringHome(v));
      }
    }
    EXPECT_TRUE(next == end);
  }

private:
  void fetch(unsigned v, unsigned o) {
    unsigned producer = graph.vertices[v].operands[o].producer;
    const PlanVertex &tensor = graph.vertices[producer];
    if (tensor.storedFor)
      return;
    expectMove(producer, v, homes[producer], counter.reads({v, o}),
               operandLayout(graph, graph.vertices[v], o,
                             *plan.placement.vertices[v].partition));
  }

  void expectMove(unsigned tensor, unsigned reader,
                  const std::vector<Points> &from,
                  const std::vector<Points> &to, const Layout &layout) {
    int64_t elements = Counter::missing(from, to);
    if (elements == 0)
      return;
    ASSERT_TRUE(next != end && next->vertex == tensor && next->reader == reader)
        << graph.vertices[tensor].name << " for "
        << graph.vertices[reader].name;
    EXPECT_EQ(next->to, layout);
    EXPECT_EQ(next->bytes, elements * graph.vertices[tensor].elementBytes);
    ++next;
  }

  /// What devices hold of a layout that some reader wants.
  std::vector<Points> wanted(unsigned v, const Layout &layout) {
    for (const PlanUse &use : uses[v])
      if (operandLayout(graph, graph.vertices[use.vertex], use.operand,
                        *plan.placement.vertices[use.vertex].partition) ==
          layout)
        return counter.reads(use);
    ADD_FAILURE() << "nobody wants the home of " << graph.vertices[v].name;
    return {};
  }

  void bringHome(unsigned v) {
    const PlanVertex &vertex = graph.vertices[v];
    const VertexPlacement &placed = plan.placement.vertices[v];
    std::vector<Points> held = counter.results(v);
    auto groups = counter.groups(v);
    int64_t size = groups.front().size();
    Layout whole = resultLayout(vertex, *placed.partition);
    whole.partial.clear();
    homes[v] = placed.home == whole ? held : wanted(v, placed.home);
    ASSERT_FALSE(homes[v].empty());
    if (size > 1) {
      int64_t once = 0;
      for (const auto &group : groups) {
        for (int64_t member : group)
          ASSERT_EQ(held[member], held[group[0]]);
        once += held[group[0]].size();
      }
      ASSERT_TRUE(next != end && next->vertex == v) << vertex.name;
      EXPECT_EQ(next->group, size);
      bool isScatter = next->kind == CollectiveKind::ReduceScatter;
      EXPECT_TRUE(isScatter || next->kind == CollectiveKind::AllReduce);
      EXPECT_EQ(next->bytes, (isScatter ? 1 : 2) * (size - 1) * once *
                                 vertex.bytesPerElement(true));
      EXPECT_EQ(next->to, isScatter ? placed.home : whole);
      if (isScatter) {
        // Each group's members share the group's elements without overlap.
        for (const auto &group : groups) {
          Points together;
          size_t sum = 0;
          for (int64_t member : group) {
            together.insert(homes[v][member].begin(), homes[v][member].end());
            sum += homes[v][member].size();
          }
          EXPECT_EQ(together, held[group[0]]);
          EXPECT_EQ(sum, held[group[0]].size());
        }
        held = homes[v];
      }
      ++next;
    }
    expectMove(v, v, held, homes[v], placed.home);
  }

  const PlanGraph &graph;
  const Plan &plan;
  Counter counter;
  std::vector<llvm::SmallVector<PlanUse, 2>> uses;
  std::vector<std::vector<Points>> homes;
  std::vector<PlannedCollective>::const_iterator next, end;
};

void replay(const PlanGraph &graph, const Plan &plan) {
  Replay(graph, plan).run();
}

TEST(Placement, BytesEqualACountPointByPoint) {
  std::mt19937 random(31);
  const int64_t deviceCounts[] = {1, 2, 3, 4, 5, 6, 8, 12};
  size_t collectives = 0;
  std::set<CollectiveKind> kinds;
  for (int round = 0; round < 250; ++round) {
    PlanGraph graph = randomGraph(random, 1 + random() % 5);
    for (PlanVertex &vertex : graph.vertices) {
      vertex.elementBytes = 1 << random() % 4;
      vertex.accumulatorBytes = random() % 2 ? 8 : 0;
    }
    int64_t devices = deviceCounts[random() % std::size(deviceCounts)];
    Plan plan = planFor(graph, devices, round % 2 ? "exact" : "eindecomp");
    replay(graph, plan);
    collectives += plan.placement.collectives.size();
    for (const PlannedCollective &collective : plan.placement.collectives)
      kinds.insert(collective.kind);
  }
  EXPECT_GT(collectives, 200u);
  EXPECT_EQ(kinds.size(), 6u) << "every kind with traffic occurs";
}

TEST(Placement, ReplaysModels) {
  Plan plan = planFor(llamaGraph(1, 64), 8);
  replay(llamaGraph(1, 64), plan);
  EXPECT_FALSE(plan.placement.collectives.empty());
  plan = planFor(chainGraph(12), 6);
  replay(chainGraph(12), plan);
}

//===----------------------------------------------------------------------===//
// Quality and determinism
//===----------------------------------------------------------------------===//

TEST(Placement, KnownCollectivesOfTheChain) {
  PlanGraph graph = chainGraph();
  Plan plan = planFor(graph, 8);
  // DE is cut along its sum; nothing else moves, since all axes can be aligned.
  ASSERT_EQ(plan.placement.collectives.size(), 1u);
  const PlannedCollective &sum = plan.placement.collectives[0];
  EXPECT_EQ(graph.vertices[sum.vertex].name, "DE");
  EXPECT_EQ(sum.kind, CollectiveKind::AllReduce);
  EXPECT_EQ(sum.group, 4);
  EXPECT_EQ(sum.bytes, 2 * 3 * (4096 * 2048) * 2 * 4);
}

TEST(Placement, ScattersWhereAConsumerWantsIt) {
  // Z reads C cut in 4 by rows; C is made in one piece per device, partial.
  GraphBuilder b;
  b.input("A", {8, 64}).input("B", {64, 8}).input("D", {8, 8});
  b.vertex("C", "i k", {{"A", "i j"}, {"B", "j k"}});
  b.vertex("Z", "i k", {{"C", "i k"}, {"D", "i k"}});
  std::vector<PartVector> parts = {{1, 4}, {4, 1}, {4, 1}, {1, 1, 4}, {4, 1}};
  Placement placement =
      valueOf(placeGraph(b.graph, DeviceGrid::ofPrimes(4), parts));
  ASSERT_EQ(placement.collectives.size(), 1u);
  EXPECT_EQ(placement.collectives[0].kind, CollectiveKind::ReduceScatter);
  EXPECT_EQ(placement.collectives[0].bytes, 3 * 64 * 4);
  EXPECT_EQ(placement.vertices[3].home, placement.collectives[0].to);
  EXPECT_TRUE(placement.vertices[3].home.isPlain());
}

TEST(Placement, WeighsPartialValuesByTheirOwnBytes) {
  // Z wants C by rows, W wants all of it. Both ways send 6 n elements, but the
  // gathered half is narrow where partial values are wide.
  GraphBuilder b;
  b.input("A", {8, 64}).input("B", {64, 8});
  b.vertex("C", "i k", {{"A", "i j"}, {"B", "j k"}});
  b.vertex("Z", "i k", {{"C", "i k"}});
  b.vertex("W", "i k l", {{"C", "i k"}}, {{"l", 4}});
  std::vector<PartVector> parts = {
      {1, 4}, {4, 1}, {1, 1, 4}, {4, 1}, {1, 1, 4}};
  DeviceGrid grid = DeviceGrid::ofPrimes(4);
  Placement placement = valueOf(placeGraph(b.graph, grid, parts));
  ASSERT_EQ(placement.collectives.size(), 1u);
  EXPECT_EQ(placement.collectives[0].kind, CollectiveKind::AllReduce);
  EXPECT_EQ(placement.totalBytes(), 2 * 3 * 64 * 4);

  b.graph.vertices[2].elementBytes = 2;
  b.graph.vertices[2].accumulatorBytes = 4;
  placement = valueOf(placeGraph(b.graph, grid, parts));
  ASSERT_EQ(placement.collectives.size(), 2u);
  EXPECT_EQ(placement.collectives[0].kind, CollectiveKind::ReduceScatter);
  EXPECT_EQ(placement.collectives[1].kind, CollectiveKind::AllGather);
  EXPECT_EQ(placement.totalBytes(), 3 * 64 * 4 + 3 * 64 * 2);
}

TEST(Placement, InputsLieAsTheirOnlyReaderWants) {
  GraphBuilder b;
  b.input("X", {22}).input("W", {9, 9});
  b.vertex("Y", "y", {{"X", "2*y+r"}, {"W", "y y"}}, {{"y", 9}, {"r", 3}});
  std::vector<PartVector> parts = {{3}, {3, 3}, {3, 1}};
  Placement placement =
      valueOf(placeGraph(b.graph, DeviceGrid::ofPrimes(3), parts));
  EXPECT_TRUE(placement.collectives.empty());
  // A window: parts [0, 7), [6, 13), [12, 19); a diagonal: two dimensions over
  // one axis. Neither has a partition of its own.
  DeviceGrid grid = DeviceGrid::ofPrimes(3);
  EXPECT_FALSE(placement.vertices[0].partition);
  EXPECT_FALSE(placement.vertices[0].home.isPlain());
  EXPECT_EQ(placement.vertices[0].home.box(grid, 1), ZBox({ZRange{6, 13}}));
  EXPECT_FALSE(placement.vertices[1].partition);
  EXPECT_EQ(placement.vertices[1].home.box(grid, 2),
            ZBox({ZRange{6, 9}, ZRange{6, 9}}));
}

TEST(Placement, LeftOverAxesHoldReplicas) {
  GraphBuilder b;
  b.input("X", {3, 2});
  b.vertex("Y", "i j", {{"X", "i j"}});
  b.vertex("Z", "j", {{"Y", "i j"}});
  // 24 devices, 6 parts: the grid has 2, 2, 2 and 3.
  Plan plan = planFor(b.graph, 24);
  EXPECT_EQ(plan.vertices[1].parts, PartVector({3, 2}));
  Cut used = plan.placement.vertices[1].home.usedAxes();
  EXPECT_EQ(used.size(), 2u);
  EXPECT_EQ(plan.placement.vertices[1].home.replicatedAxes(plan.grid).size(),
            2u);
  replay(b.graph, plan);
}

/// The fewest bytes of all assignments of axes.
int64_t fewestBytes(const PlanGraph &graph, const DeviceGrid &grid,
                    llvm::ArrayRef<PartVector> parts) {
  // Every label's cut: ordered lists of distinct axes with the right product.
  std::vector<std::vector<Partition>> choices(graph.vertices.size());
  for (unsigned v = 0; v < graph.vertices.size(); ++v) {
    const PlanVertex &vertex = graph.vertices[v];
    Partition partition;
    partition.cuts.resize(vertex.labels.size());
    std::vector<bool> used(grid.axes.size(), false);
    std::function<void(unsigned)> extend = [&](unsigned label) {
      if (label == vertex.labels.size()) {
        choices[v].push_back(partition);
        return;
      }
      if (partsOf(grid, partition.cuts[label]) == parts[v][label])
        extend(label + 1);
      for (unsigned axis = 0; axis < grid.axes.size(); ++axis) {
        if (used[axis])
          continue;
        used[axis] = true;
        partition.cuts[label].push_back(axis);
        if (parts[v][label] % partsOf(grid, partition.cuts[label]) == 0)
          extend(label);
        partition.cuts[label].pop_back();
        used[axis] = false;
      }
    };
    if (vertex.storedFor)
      choices[v].push_back(Partition());
    else
      extend(0);
  }
  std::vector<Partition> chosen(graph.vertices.size());
  int64_t best = std::numeric_limits<int64_t>::max();
  std::function<void(unsigned)> visit = [&](unsigned v) {
    if (v == graph.vertices.size()) {
      best = std::min(best, routeGraph(graph, grid, chosen).totalBytes());
      return;
    }
    for (const Partition &partition : choices[v]) {
      chosen[v] = partition;
      visit(v + 1);
    }
  };
  double combinations = 1;
  for (const auto &list : choices)
    combinations *= list.size();
  if (combinations > 3000)
    return -1;
  visit(0);
  return best;
}

TEST(Placement, IsNearlyAlwaysTheBestOfAll) {
  std::mt19937 random(63);
  unsigned compared = 0, best = 0;
  double ours = 0, least = 0;
  while (compared < 150) {
    PlanGraph graph = randomGraph(random, 2 + random() % 4);
    Plan plan = planFor(graph, random() % 2 ? 4 : 6);
    int64_t fewest = fewestBytes(graph, plan.grid, plan.allParts());
    if (fewest < 0)
      continue;
    ++compared;
    int64_t bytes = plan.placement.totalBytes();
    ASSERT_GE(bytes, fewest);
    best += bytes == fewest;
    ours += bytes;
    least += fewest;
  }
  EXPECT_GE(best, 140u);
  EXPECT_LE(ours, 1.02 * least);
}

TEST(Placement, IsDeterministic) {
  for (int64_t devices : {8, 12}) {
    Plan first = planFor(llamaGraph(2), devices);
    Plan second = planFor(llamaGraph(2), devices);
    for (unsigned v = 0; v < first.vertices.size(); ++v) {
      EXPECT_TRUE(first.placement.vertices[v].partition ==
                  second.placement.vertices[v].partition);
      EXPECT_EQ(first.placement.vertices[v].home,
                second.placement.vertices[v].home);
    }
    EXPECT_EQ(first.placement.totalBytes(), second.placement.totalBytes());
  }
}

TEST(Placement, KeepsGivenPartitions) {
  PlanGraph graph = chainGraph(16);
  Plan plan = planFor(graph, 8);
  // Another order of the axes of CDE than would be chosen.
  std::vector<std::optional<Partition>> fixed(graph.vertices.size());
  fixed[7] = *plan.placement.vertices[7].partition;
  for (Cut &cut : fixed[7]->cuts)
    for (unsigned &axis : cut)
      axis = 2 - axis;
  Placement placement =
      valueOf(placeGraph(graph, plan.grid, plan.allParts(), fixed));
  EXPECT_TRUE(placement.vertices[7].partition == fixed[7]);
  EXPECT_EQ(placement.totalBytes(), plan.placement.totalBytes())
      << "the others follow";
}

TEST(Placement, RefusesPartsThatAreNoProductOfAxes) {
  PlanGraph graph = chainGraph(16);
  std::vector<PartVector> parts = planFor(graph, 8).allParts();
  parts[8] = {3, 2};
  expectError(placeGraph(graph, DeviceGrid::ofPrimes(8), parts),
              {"'Z'", "'i' in 3", "d.0 = 2"});
}

TEST(Placement, PeakBytes) {
  // One device: X (64) and Y (128) at once while Y is made; then Y and Z (128).
  GraphBuilder b;
  b.input("X", {16});
  b.vertex("Y", "i j", {{"X", "i"}}, {{"j", 2}});
  b.vertex("Z", "i j", {{"Y", "i j"}});
  Plan plan = planFor(b.graph, 1);
  EXPECT_EQ(plan.peakBytesPerDevice, 64 + 128 + 128);
  // Four devices hold a quarter of each.
  plan = planFor(b.graph, 4);
  EXPECT_EQ(plan.peakBytesPerDevice, (64 + 128 + 128) / 4);
}

} // namespace

//===- SpmdRelaxationTest.cpp - Bounds on plans for many devices ----------===//

#include "tapestry/Planner/Cost/Seconds/SpmdRelaxation.h"
#include "../../../../lib/Planner/Cost/Seconds/MoveBound.h"
#include "../../../../lib/Planner/Cost/Seconds/ReshardingTable.h"
#include "../../TestErrors.h"
#include "../../TestGraphs.h"
#include "tapestry/Planner/Cost/Seconds/SpmdProblem.h"
#include "tapestry/Planner/Model/CutEnumerator.h"
#include "tapestry/Planner/Plan/Planner.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace tapestry;
using namespace tapestry::cost::seconds;
using namespace tapestry::machine;
using namespace tapestry::model;
using namespace tapestry::optimize;
using namespace tapestry::plan;
using namespace tapestry::test;

namespace {

/// Two kinds of links, latencies and volumes that both matter.
Machine testMachine(double latency = 1e-6) {
  Machine machine;
  machine.name = "test";
  machine.flopsPerSecond = 2e9;
  machine.memoryBandwidth = 4e9;
  machine.vertexLatency = 1e-7;
  machine.axes = {{"node", 4, {1e9, 5 * latency}}, {"gpu", 8, {2e10, latency}}};
  machine.otherLink = {5e9, 2 * latency};
  return machine;
}

DeviceGrid gridOf(std::vector<std::pair<std::string, int64_t>> axes) {
  DeviceGrid grid;
  for (auto &[name, size] : axes)
    grid.axes.push_back({name, size});
  return splitIntoPrimes(grid);
}

std::vector<DeviceGrid> gridsOfManyAxes() {
  return {gridOf({{"d", 16}}), gridOf({{"node", 2}, {"gpu", 8}}),
          gridOf({{"node", 4}, {"gpu", 4}}),
          gridOf({{"node", 2}, {"gpu", 6}, {"x", 2}})};
}

/// All cuts that there are.
SpmdOptions everything() {
  SpmdOptions options;
  options.mostPartitions = 100000;
  options.mostLayouts = 100000;
  return options;
}

/// What the bound is a bound on.
double optimumOf(const PlanGraph &graph, const DeviceGrid &grid,
                 const Machine &machine) {
  SpmdProblem built =
      valueOf(buildSpmdProblem(graph, grid, machine, everything()));
  EXPECT_TRUE(built.isComplete);
  return valueOf(solveExact(built.problem)).cost;
}

/// Products, a window, a diagonal; extents that do not divide.
PlanGraph unevenGraph() {
  GraphBuilder b;
  b.input("X", {29}).input("K", {3}).input("A", {27, 10});
  b.vertex("Y", "y", {{"X", "y+r"}, {"K", "r"}}, {{"y", 27}, {"r", 3}});
  b.vertex("Z", "j", {{"Y", "i"}, {"A", "i j"}});
  b.vertex("W", "i j", {{"Y", "i"}, {"Z", "j"}, {"A", "i j"}});
  b.vertex("D", "i", {{"W", "i i"}}, {{"i", 10}});
  return b.graph;
}

/// Two products that share an operand, and a chain behind them.
PlanGraph productGraph(int64_t m, int64_t k, int64_t n) {
  GraphBuilder b;
  b.input("A", {m, k}).input("B", {k, n}).input("C", {k, n});
  b.vertex("P", "i j", {{"A", "i k"}, {"B", "k j"}});
  b.vertex("Q", "i j", {{"A", "i k"}, {"C", "k j"}});
  b.vertex("S", "i l", {{"P", "i j"}, {"Q", "l j"}});
  b.vertex("T", "i", {{"S", "i l"}});
  b.vertex("U", "i l", {{"S", "i l"}, {"T", "i"}});
  return b.graph;
}

} // namespace

TEST(MoveBound, NeverExceedsTheCheapestWay) {
  for (double latency : {1e-9, 1e-6, 1e-4})
    for (const DeviceGrid &grid : gridsOfManyAxes())
      for (llvm::SmallVector<int64_t> shape :
           {llvm::SmallVector<int64_t>{64, 48}, {13, 7}, {3, 5}}) {
        Machine machine = testMachine(latency);
        ReshardingCostCache costs(grid);
        std::vector<Layout> layouts;
        // Every axis cuts a dimension or none, in ascending order.
        for (unsigned code = 0, end = std::pow(3, grid.axes.size()); code < end;
             ++code) {
          llvm::SmallVector<Cut> cuts(2);
          for (unsigned axis = 0, left = code; axis < grid.axes.size();
               ++axis, left /= 3)
            if (left % 3 > 0)
              cuts[left % 3 - 1].push_back(axis);
          layouts.push_back(Layout::blocked(shape, cuts));
        }
        ReshardingTable table(grid, machine, costs, layouts, 4);
        MoveBound bound(grid, machine);
        for (unsigned from = 0; from < layouts.size(); ++from)
          for (unsigned to = 0; to < layouts.size(); ++to)
            ASSERT_LE(bound.seconds(FirstPart(grid, layouts[from]),
                                    FirstPart(grid, layouts[to]),
                                    shape[0] * shape[1], 4),
                      table.seconds(from, to) * (1 + 1e-12));
      }
}

TEST(MoveBound, IsTightWhereAllIsGathered) {
  DeviceGrid grid = gridOf({{"node", 4}, {"gpu", 8}});
  Machine machine = testMachine(0);
  Layout cut = Layout::blocked({32000}, {Cut{0, 1, 2, 3, 4}});
  MoveBound bound(grid, machine);
  // Three parts over the slow link, then seven times four over the fast one.
  EXPECT_NEAR(bound.seconds(FirstPart(grid, cut),
                            FirstPart(grid, Layout::replicated({32000})), 32000,
                            4),
              3 * 4000 / 1e9 + 28 * 4000 / 2e10, 1e-12);
}

TEST(SpmdRelaxation, BoundsTheOptimumOverAllCuts) {
  double closest = 0;
  for (double latency : {1e-8, 1e-6})
    for (const DeviceGrid &grid : gridsOfManyAxes())
      for (const PlanGraph &graph :
           {unevenGraph(), chainGraph(12), productGraph(64, 256, 64),
            productGraph(9, 100, 23)}) {
        Machine machine = testMachine(latency);
        double optimum = optimumOf(graph, grid, machine);
        double bound = spmdLowerBound(graph, grid, machine);
        EXPECT_LE(bound, optimum);
        EXPECT_GE(bound, independentSeconds(graph, machine, grid.numDevices()));
        closest = std::max(closest, bound / optimum);
        RelaxationOptions coarse;
        coarse.mostChoices = 3;
        EXPECT_LE(spmdLowerBound(graph, grid, machine, 1e9, coarse), optimum);
        // Early ends are bounds as well.
        EXPECT_LE(spmdLowerBound(graph, grid, machine, optimum / 2), optimum);
      }
  EXPECT_GT(closest, 0.9);
}

TEST(SpmdRelaxation, BoundsWhatGoesOnBesideWork) {
  unsigned cheaper = 0;
  for (const DeviceGrid &grid : gridsOfManyAxes()) {
    Machine machine = testMachine(1e-7);
    machine.cutProducts = 33000;
    PlanGraph graph = productGraph(256, 64, 256);
    double optimum = optimumOf(graph, grid, machine);
    double apart = optimumOf(graph, grid, testMachine(1e-7));
    EXPECT_LE(spmdLowerBound(graph, grid, machine), optimum);
    EXPECT_LE(optimum, apart);
    cheaper += optimum < apart * (1 - 1e-9);
  }
  EXPECT_GT(cheaper, 0u);
}

TEST(SpmdRelaxation, BoundsRandomGraphs) {
  std::mt19937 random(5);
  for (unsigned trial = 0; trial < 5; ++trial) {
    PlanGraph graph = randomGraph(random, 3);
    for (const DeviceGrid &grid :
         {gridOf({{"node", 2}, {"gpu", 8}}), gridOf({{"d", 16}})})
      EXPECT_LE(spmdLowerBound(graph, grid, testMachine()),
                optimumOf(graph, grid, testMachine()));
  }
}

/// Layers of a transformer on merged axes: what is stated is close.
TEST(SpmdRelaxation, CertifiesPlansOnMergedAxes) {
  PlannerOptions options;
  options.costModel = "spmd";
  options.machine = valueOf(machineNamed("h100x256"));
  options.devices = 64;
  Plan found = valueOf(makePlan(llamaGraph(2), options));
  EXPECT_FALSE(found.provedOptimal);
  EXPECT_LE(found.lowerBound, found.cost);
  EXPECT_GT(found.lowerBound, 0.98 * found.cost);
}

TEST(OtherGroupings, DifferInMoreThanOrder) {
  DeviceGrid grid = gridOf({{"node", 16}, {"gpu", 8}});
  std::vector<Cut> groups = {{0, 1}, {2, 3}, {4, 5, 6}};
  std::vector<std::vector<Cut>> found = otherGroupings(grid, groups);
  // 2 x 8 nodes, and 16 nodes with 2 x 4 of a host.
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0], (std::vector<Cut>{{0}, {1, 2, 3}, {4, 5, 6}}));
  EXPECT_EQ(found[1], (std::vector<Cut>{{0, 1, 2, 3}, {4}, {5, 6}}));
}

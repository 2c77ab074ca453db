//===- PlannerTest.cpp - The front door -----------------------------------===//

#include "tapestry/Planner/Plan/Planner.h"
#include "../TestErrors.h"
#include "../TestGraphs.h"
#include "tapestry/Planner/Cost/Elements/PaperCost.h"
#include "tapestry/Planner/Plan/Verify.h"
#include "llvm/ADT/StringRef.h"

using namespace tapestry;
using namespace tapestry::cost::elements;
using namespace tapestry::model;
using namespace tapestry::optimize;
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

TEST(Planner, PlansModels) {
  for (const SolverInfo &solver : allSolvers()) {
    Plan plan = planFor(llamaGraph(32), 8, solver.name);
    expectSuccess(verifyPlan(llamaGraph(32), plan));
    EXPECT_EQ(plan.vertices.size(), 1089u);
    EXPECT_EQ(plan.solver, solver.name);
    EXPECT_LE(plan.lowerBound, 117325692928);
    EXPECT_GE(plan.cost, 117325692928);
    EXPECT_GT(plan.planSeconds, 0);
    EXPECT_GT(plan.peakBytesPerDevice, 0);
  }
}

TEST(Planner, PlansForAnyCount) {
  PlanGraph small = llamaGraph(1, 128);
  for (int64_t devices : {1, 2, 3, 5, 7, 11, 12, 13, 30, 49, 97, 101, 210})
    for (const SolverInfo &solver : allSolvers()) {
      Plan plan = planFor(small, devices, solver.name);
      expectSuccess(verifyPlan(small, plan));
      EXPECT_EQ(plan.devices, devices);
    }
}

TEST(Planner, PlansTinyProgramsForManyDevices) {
  GraphBuilder b;
  b.input("A", {3, 4}).input("B", {4, 5});
  b.vertex("C", "i k", {{"A", "i j"}, {"B", "j k"}});
  b.vertex("S", "i", {{"C", "i k"}});
  b.vertex("T", "", {{"S", "i"}});
  // 10,000 = 2^4 * 5^4 and 4 * 5 is the most that C's labels take.
  Plan plan = planFor(b.graph, 10000);
  PartVector parts = plan.vertices[2].parts;
  EXPECT_EQ(parts[0] * parts[1] * parts[2], 2 * 5 * 4);
  EXPECT_EQ(plan.vertices[4].parts.size(), 1u);
  for (int64_t devices : {9973, 65536, 30030})
    expectSuccess(verifyPlan(b.graph, planFor(b.graph, devices)));
}

TEST(Planner, OneDeviceMovesNothing) {
  Plan plan = planFor(chainGraph(32), 1);
  EXPECT_TRUE(plan.placement.collectives.empty());
  EXPECT_TRUE(plan.grid.axes.empty());
  EXPECT_EQ(plan.userGrid.axes.size(), 1u);
}

TEST(Planner, PlansAnEmptyGraph) {
  Plan plan = planFor(PlanGraph(), 4);
  EXPECT_EQ(plan.cost, 0);
  EXPECT_TRUE(plan.vertices.empty());
}

TEST(Planner, InputsWithoutReadersStayWhole) {
  GraphBuilder b;
  b.input("A", {8}).input("Unused", {8});
  b.vertex("B", "i", {{"A", "i"}});
  Plan plan = planFor(b.graph, 4);
  EXPECT_EQ(plan.vertices[1].parts, PartVector({1}));
  EXPECT_EQ(plan.vertices[0].parts, PartVector({4}));
}

TEST(Planner, SharedInputsChooseWhatAReaderWants) {
  GraphBuilder b;
  b.input("A", {12, 10});
  b.vertex("R", "i", {{"A", "i j"}});
  b.vertex("C", "j", {{"A", "i j"}});
  b.vertex("D", "i", {{"A", "i i"}}, {{"i", 10}});
  Plan plan = planFor(b.graph, 4);
  const PartVector &input = plan.vertices[0].parts;
  EXPECT_EQ(input[0] * input[1], 4);
  double repartition = 0;
  for (const PlannedVertex &vertex : plan.vertices)
    repartition += vertex.cost[PaperRepartition];
  EXPECT_GT(repartition, 0) << "the diagonal is nobody's plain layout";
}

TEST(Planner, TakesNamedGrids) {
  PlannerOptions options;
  options.grid.axes.push_back({"node", 2});
  options.grid.axes.push_back({"gpu", 6});
  Plan plan = valueOf(tapestry::plan::makePlan(chainGraph(24), options));
  EXPECT_EQ(plan.devices, 12);
  ASSERT_EQ(plan.grid.axes.size(), 3u);
  EXPECT_EQ(plan.grid.axes[0].name, "node.0");
  EXPECT_EQ(plan.grid.axes[2].name, "gpu.1");
  EXPECT_EQ(plan.grid.axes[2].size, 3);
}

TEST(Planner, RefusesWrongOptions) {
  PlannerOptions options;
  options.devices = 4;
  options.solver = "oracle";
  expectError(makePlan(chainGraph(8), options), {"'oracle'", "'exact'"});
  options.solver = "exact";
  options.costModel = "simd";
  expectError(makePlan(chainGraph(8), options), {"'simd'", "'paper'"});
  options.costModel = "paper";
  options.devices = 0;
  expectError(makePlan(chainGraph(8), options), {"'d'", "0 devices"});
  options.devices = -3;
  expectError(makePlan(chainGraph(8), options), {"-3"});
  options.devices = maxDevices + 1;
  expectError(makePlan(chainGraph(8), options),
              {std::to_string(maxDevices + 1), std::to_string(maxDevices)});
  options.devices = 4;
  options.grid.axes.push_back({"x", 2});
  expectError(makePlan(chainGraph(8), options), {"4 devices", "2"});
  options.devices = 0;
  options.grid.axes.push_back({"x", 2});
  expectError(makePlan(chainGraph(8), options), {"'x'", "twice"});

  PlanGraph graph = chainGraph(8);
  graph.vertices[5].labels[0].extent = 9;
  options.grid.axes.pop_back();
  expectError(makePlan(graph, options), {"'AB'", "'i'", "9", "8"});
}

TEST(Planner, CompletesSketches) {
  PlanGraph graph = chainGraph(16);
  PlanSketch sketch;
  sketch.userGrid = DeviceGrid();
  sketch.userGrid.axes.push_back({"d", 4});
  sketch.solver = "me";
  sketch.parts.resize(graph.vertices.size());
  for (unsigned v = 5; v < 8; ++v)
    sketch.parts[v] = PartVector({2, 2, 1});
  expectError(completePlan(graph, sketch), {"'Z'", "no parts"});
  sketch.parts[8] = PartVector({17, 1});
  expectError(completePlan(graph, sketch), {"'Z'", "17", "16"});
  sketch.parts[8] = PartVector({2, 2});
  sketch.partitions.resize(graph.vertices.size());
  sketch.partitions[8] = Partition();
  sketch.partitions[8]->cuts.resize(2);
  expectError(completePlan(graph, sketch), {"'Z'", "'i'", "2", "1"});
  sketch.partitions[8]->cuts = {{0}, {1}};
  Plan plan = valueOf(completePlan(graph, sketch));
  expectSuccess(verifyPlan(graph, plan));
  EXPECT_EQ(plan.vertices[0].parts, PartVector({2, 1}));
}

} // namespace

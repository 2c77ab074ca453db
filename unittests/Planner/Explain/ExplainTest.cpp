//===- ExplainTest.cpp - What is printed of a plan ------------------------===//

#include "tapestry/Planner/Explain/Explain.h"
#include "../TestErrors.h"
#include "../TestGraphs.h"
#include "tapestry/Planner/Layout/Memory.h"
#include "tapestry/Planner/Plan/PlanTotals.h"
#include "tapestry/Planner/Plan/Planner.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace tapestry;
using namespace tapestry::explain;
using namespace tapestry::layout;
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

void expectText(const std::string &text, std::vector<std::string> parts) {
  for (const std::string &part : parts)
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
}

TEST(Explain, ShowsNumbersInColumns) {
  PlanGraph graph = chainGraph();
  Plan plan = planFor(graph, 8);
  plan.program = "chain.ein";
  std::string text = valueOf(explainPlan(graph, plan));
  expectText(
      text, {"plan of chain.ein for 8 devices (d = 8), solver exact",
             "cost 335544320 elements, proved optimal",
             "402653184 bytes sent by all devices", "i=4 k=2 j=1", "k:d.0",
             "all_reduce            1  402653184  100.0 %",
             "all others chosen anew", "all 8 devices work on every vertex",
             // 17 n^2 of 20 n^2, and A, B, C, D, E may be stored whole.
             "at least 285212672 elements", "within 17.6 % of any",
             "no bound on the bytes of its collectives", "4096 x 4096 x 4096"});
  EXPECT_EQ(text.find(planTable(graph, plan)), 0u);

  // The numbers of the vertex table end in the same column.
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(text).split(lines, '\n');
  auto header = llvm::find_if(
      lines, [](llvm::StringRef line) { return line.contains("repartition"); });
  ASSERT_NE(header, lines.end());
  size_t width = header->size();
  for (auto line = header; !line->empty(); ++line)
    EXPECT_EQ(line->size(), width) << line->str();
}

TEST(Explain, FindsChoicesAmongAllowedHomes) {
  // The pin leaves few homes: a home's number among all layouts is not its
  // number among the choices of the group's variable.
  PlanGraph graph = chainGraph(24);
  ShardingConstraint pin;
  pin.cuts.push_back({"1", 2, {}});
  pin.isClosed = true;
  graph.vertices[*graph.vertexNamed("Z")].constraints.home.push_back(pin);
  for (llvm::StringRef name : {"AB", "Z"})
    graph.vertices[*graph.vertexNamed(name)].constraints.layoutGroup = "g";
  PlannerOptions options;
  options.devices = 6;
  options.solver = "exact";
  options.costModel = "spmd";
  Plan plan = valueOf(tapestry::plan::makePlan(graph, options));
  auto explained = valueOf(ExplainedProblem::make(graph, plan, 0));
  const PlanProblem &problem = explained.problem();
  std::vector<uint32_t> choice;
  for (auto [variable, own] :
       llvm::zip_equal(problem.variables, explained.choice())) {
    ASSERT_TRUE(own) << variable.name;
    ASSERT_LT(*own, variable.numChoices()) << variable.name;
    choice.push_back(*own);
  }
  EXPECT_NEAR(problem.evaluate(choice), plan.cost, 1e-9 * plan.cost);
  expectText(valueOf(explainPlan(graph, plan)), {"all others chosen anew"});

  // A home that the pin forbids is no choice; nothing is priced beside it.
  unsigned z = *graph.vertexNamed("Z");
  plan.placement.vertices[z].home =
      Layout::blocked(graph.vertices[z].shape, llvm::SmallVector<Cut>{{0}, {}});
  ExplainOptions few;
  few.reoptimized = 1;
  expectText(valueOf(explainPlan(graph, plan, few)),
             {"the plan is not among those that the search looks at"});
}

TEST(Explain, ShowsTheVerticesAskedFor) {
  PlanGraph graph = chainGraph();
  Plan plan = planFor(graph, 8);
  ExplainOptions options;
  options.vertices = {"CDE"};
  std::string text = valueOf(explainPlan(graph, plan, options));
  size_t start = text.find("chosen anew");
  ASSERT_NE(start, std::string::npos);
  EXPECT_NE(text.find("CDE", start), std::string::npos);
  EXPECT_EQ(text.find(" AB ", start), std::string::npos);
  options.vertices = {"CDE", "Y"};
  expectError(explainPlan(graph, plan, options), {"'Y'"});
}

TEST(Explain, SaysWhichAlternativesAreOnlyLocal) {
  PlanGraph graph = llamaGraph(1);
  Plan plan = planFor(graph, 8);
  ExplainOptions options;
  options.reoptimized = 2;
  std::string text = valueOf(explainPlan(graph, plan, options));
  expectText(text, {"marked 'kept'", " anew ", " kept "});
  options.reoptimized = 1000;
  text = valueOf(explainPlan(graph, plan, options));
  EXPECT_EQ(text.find("'kept'"), std::string::npos);
}

TEST(Explain, ChoosesAnewForAllVerticesOfLargeGraphs) {
  PlanGraph graph = llamaGraph(32);
  Plan plan = planFor(graph, 8);
  std::string text = valueOf(explainPlan(graph, plan));
  EXPECT_EQ(text.find("kept"), std::string::npos);
  expectText(text, {"  Dn31  ", " anew "});
  // Marginals do not look at memory: few are solved again.
  ExplainOptions options;
  options.memoryBytes = 2 * plan.peakBytesPerDevice;
  options.alternatives = 1;
  options.reoptimized = 1;
  expectText(valueOf(explainPlan(graph, plan, options)), {"marked 'kept'"});
}

TEST(Explain, SaysHowFarFromOptimal) {
  PlanGraph graph = llamaGraph(1);
  Plan found = planFor(graph, 8, "eindecomp");
  expectText(planTable(graph, found), {"% of optimal"});
  // Choosing everything else anew beats a plan that is not optimal.
  expectText(valueOf(explainPlan(graph, found)), {"  -"});
  Plan plan = planFor(graph, 8);
  plan.provedOptimal = false;
  plan.lowerBound = 0;
  expectText(planTable(graph, plan), {"no lower bound"});
}

TEST(Explain, PrintsSecondsAndIdleDevices) {
  PlanGraph graph = chainGraph();
  Plan plan = planFor(graph, 8);
  plan.costModel = "spmd";
  plan.cost = 0.00123456789;
  plan.idleDevices = 3;
  plan.provedOptimal = true;
  expectText(planTable(graph, plan),
             {"1.23457e-03 seconds, proved", "3 of 11 devices stay idle",
              "under the cost model paper it costs 335544320 elements"});
}

TEST(Explain, SolvesTheProblemInSecondsAgain) {
  PlanGraph graph = chainGraph(256);
  PlannerOptions options;
  options.devices = 4;
  options.costModel = "spmd";
  options.mayIdle = false;
  Plan plan = valueOf(tapestry::plan::makePlan(graph, options));
  ExplainedProblem explained = valueOf(ExplainedProblem::make(graph, plan));
  std::vector<uint32_t> choice;
  for (const auto &c : explained.choice()) {
    ASSERT_TRUE(c.has_value());
    choice.push_back(*c);
  }
  EXPECT_NEAR(explained.problem().evaluate(choice), plan.cost,
              1e-9 * plan.cost);
  for (unsigned v = 5; v < 9; ++v) {
    auto variable = explained.variableOf(v);
    ASSERT_TRUE(variable.has_value());
    EXPECT_EQ(explained.partsOf(v, choice[*variable]), plan.vertices[v].parts);
    for (const Alternative &other : valueOf(reoptimizedAlternatives(
             explained.problem(), *variable, {choice[*variable]}, 3)))
      EXPECT_GE(other.cost, plan.cost * (1 - 1e-9));
  }
  expectText(valueOf(explainPlan(graph, plan)),
             {" seconds", " anew ", "under the cost model paper",
              "lower bounds for contractions"});
}

TEST(Explain, ShowsPlansWrittenByHand) {
  // 3 parts are no viable partition for 4 devices, and one device is idle.
  PlanGraph graph = chainGraph(12);
  PlanSketch sketch;
  sketch.userGrid.axes.push_back({"d", 6});
  sketch.parts.resize(graph.vertices.size());
  for (unsigned v = 5; v < 8; ++v)
    sketch.parts[v] = PartVector({1, 3, 1});
  sketch.parts[8] = PartVector({3, 2});
  Plan plan = valueOf(completePlan(graph, sketch));
  std::string text = valueOf(explainPlan(graph, plan));
  expectText(text, {"AB             3          3        0", " anew "});
}

//===----------------------------------------------------------------------===//
// Totals
//===----------------------------------------------------------------------===//

TEST(PlanTotals, AddUp) {
  PlannerOptions options;
  options.grid.axes = {{"node", 2}, {"one", 1}, {"gpu", 4}};
  PlanGraph graph = llamaGraph(1, 16);
  Plan plan = valueOf(tapestry::plan::makePlan(graph, options));
  ASSERT_FALSE(plan.placement.collectives.empty());
  EXPECT_EQ(userAxisOf(plan), (std::vector<unsigned>{0, 2, 2}));
  for (const auto &sums : {trafficByKind(plan), trafficByAxis(plan)}) {
    int64_t bytes = 0;
    size_t collectives = 0;
    for (const TrafficSum &sum : sums) {
      bytes += sum.bytes;
      collectives += sum.collectives;
    }
    EXPECT_EQ(bytes, plan.placement.totalBytes());
    EXPECT_EQ(collectives, plan.placement.collectives.size());
  }
  auto axes = trafficByAxis(plan);
  ASSERT_EQ(axes.size(), 3u);
  EXPECT_EQ(axes[0].name, "node");
  EXPECT_EQ(axes[1].bytes, 0);
}

TEST(PlanTotals, CountsSpanningGroupsToTheOutermostAxis) {
  // One reduction over all devices, one over the inner axis alone.
  GraphBuilder b;
  b.input("A", {8, 8});
  b.vertex("S", "i", {{"A", "i j"}});
  b.vertex("T", "", {{"S", "i"}});
  PlanSketch sketch;
  sketch.userGrid.axes = {{"node", 2}, {"gpu", 2}};
  sketch.parts = {std::nullopt, PartVector({2, 2}), PartVector({2})};
  Partition outer, inner;
  outer.cuts = {{0}, {1}};
  inner.cuts = {{0}};
  sketch.partitions = {std::nullopt, outer, inner};
  Plan plan = valueOf(completePlan(b.graph, sketch));
  auto axes = trafficByAxis(plan);
  // S is summed over gpu, T over node.
  EXPECT_EQ(axes[0].collectives, 1u);
  EXPECT_EQ(axes[1].collectives, 1u);
  sketch.parts = {std::nullopt, PartVector({1, 4}), PartVector({4})};
  sketch.partitions.clear();
  plan = valueOf(completePlan(b.graph, sketch));
  EXPECT_EQ(trafficByAxis(plan)[1].collectives, 0u);
  EXPECT_EQ(trafficByAxis(plan)[0].bytes, plan.placement.totalBytes());
}

TEST(PlanTotals, HoldsTensorsWhileTheyAreNeeded) {
  // A (i, j) is stored by rows, S = A A' summed over k by halves, T reads S.
  GraphBuilder b;
  b.input("A", {8, 4}).input("B", {4, 8});
  b.vertex("S", "i k", {{"A", "i j"}, {"B", "j k"}});
  b.vertex("T", "i", {{"S", "i k"}});
  b.graph.vertices.back().isOutput = true;
  PlanSketch sketch;
  sketch.userGrid.axes.push_back({"d", 2});
  sketch.parts = {std::nullopt, std::nullopt, PartVector({1, 1, 2}),
                  PartVector({2, 1})};
  Plan plan = valueOf(completePlan(b.graph, sketch));
  auto timeline = memoryTimeline(b.graph, plan.grid, plan.placement);
  ASSERT_EQ(timeline.size(), 4u);
  // Half of A and B; 64 partial values of S, of which 32 come home; half of T,
  // whose buffer the caller provides.
  EXPECT_EQ(timeline[2].inputs, 2 * 16 * 4);
  EXPECT_EQ(timeline[2].partials, 64 * 4);
  EXPECT_EQ(timeline[2].results, 32 * 4 + 4 * 4);
  EXPECT_EQ(timeline[3].partials, 0);
  EXPECT_EQ(timeline[3].copies, 0);
  EXPECT_EQ(timeline[3].results, 32 * 4 + 4 * 4);
  EXPECT_EQ(timeline[2].total(), plan.peakBytesPerDevice);
}

TEST(PlanTotals, CountsDevices) {
  GraphBuilder b;
  b.input("A", {5, 3});
  b.vertex("S", "i", {{"A", "i j"}});
  PlanSketch sketch;
  sketch.userGrid.axes.push_back({"d", 8});
  sketch.parts = {std::nullopt, PartVector({4, 1})};
  Plan plan = valueOf(completePlan(b.graph, sketch));
  // Blocks of two rows: three of four are filled, on two replicas.
  DeviceUse use = devicesOf(b.graph, plan, 1);
  EXPECT_EQ(use.working, 3);
  EXPECT_EQ(use.repeating, 3);
  EXPECT_EQ(use.empty, 2);
}

} // namespace

//===- SpmdTest.cpp - Plans in seconds ------------------------------------===//

#include "../../TestErrors.h"
#include "../../TestGraphs.h"
#include "tapestry/Planner/Cost/Elements/PaperProblem.h"
#include "tapestry/Planner/Cost/RecountMoves.h"
#include "tapestry/Planner/Cost/Seconds/SpmdProblem.h"
#include "tapestry/Planner/Layout/Memory.h"
#include "tapestry/Planner/Layout/Routing.h"
#include "tapestry/Planner/Model/TensorParts.h"
#include "tapestry/Planner/Plan/Planner.h"
#include "tapestry/Planner/Plan/Verify.h"
#include "tapestry/Support/ReshardingCostCache.h"
#include "gtest/gtest.h"
#include <random>

using namespace tapestry;
using namespace tapestry::cost;
using namespace tapestry::cost::elements;
using namespace tapestry::cost::seconds;
using namespace tapestry::layout;
using namespace tapestry::machine;
using namespace tapestry::model;
using namespace tapestry::optimize;
using namespace tapestry::plan;
using namespace tapestry::test;

namespace {

/// Two kinds of links, a slow device: everything matters.
Machine testMachine() {
  Machine machine;
  machine.name = "test";
  machine.flopsPerSecond = 2e9;
  machine.memoryBandwidth = 4e9;
  machine.vertexLatency = 1e-7;
  machine.axes = {{"node", 2, {1e9, 5e-6}}, {"gpu", 4, {2e10, 1e-6}}};
  machine.otherLink = {5e9, 2e-6};
  return machine;
}

using Axes = std::vector<std::pair<std::string, int64_t>>;

DeviceGrid userGridOf(const Axes &axes) {
  DeviceGrid grid;
  for (auto &[name, size] : axes)
    grid.axes.push_back({name, size});
  return grid;
}

DeviceGrid gridOf(const Axes &axes) {
  return splitIntoPrimes(userGridOf(axes));
}

/// Convolution, product, diagonal and an elementwise tail.
PlanGraph mixedGraph() {
  GraphBuilder b;
  b.input("X", {13}).input("K", {3}).input("A", {11, 6});
  b.vertex("Y", "y", {{"X", "y+r"}, {"K", "r"}}, {{"y", 11}, {"r", 3}});
  b.vertex("Z", "j", {{"Y", "i"}, {"A", "i j"}});
  b.vertex("W", "i j", {{"Y", "i"}, {"Z", "j"}, {"A", "i j"}});
  return b.graph;
}

std::vector<uint32_t> randomChoice(const PlanProblem &problem,
                                   std::mt19937 &random) {
  std::vector<uint32_t> choice;
  for (const PlanProblem::Variable &variable : problem.variables)
    choice.push_back(random() % variable.numChoices());
  return choice;
}

double totalOf(llvm::ArrayRef<VertexCost> costs) {
  double total = 0;
  for (const VertexCost &cost : costs)
    total += cost.total();
  return total;
}

Plan planSpmd(const PlanGraph &graph, const DeviceGrid &grid) {
  PlannerOptions options;
  options.costModel = "spmd";
  options.machine = testMachine();
  options.grid = grid;
  return valueOf(makePlan(graph, options));
}

} // namespace

TEST(ReshardingCostCache, AgreesWithTheVerifier) {
  std::mt19937 random(7);
  DeviceGrid grid = gridOf({{"node", 2}, {"gpu", 6}});
  ReshardingCostCache costs(grid);
  auto randomLayout = [&](llvm::ArrayRef<int64_t> shape) {
    llvm::SmallVector<Cut> cuts(shape.size());
    for (unsigned axis = 0; axis < grid.axes.size(); ++axis)
      if (unsigned dim = random() % (shape.size() + 1); dim < shape.size())
        cuts[dim].insert(cuts[dim].begin() + random() % (cuts[dim].size() + 1),
                         axis);
    return Layout::blocked(shape, cuts);
  };
  unsigned moving = 0;
  for (unsigned trial = 0; trial < 400; ++trial) {
    llvm::SmallVector<int64_t> shape = {int64_t(1 + random() % 14),
                                        int64_t(1 + random() % 9)};
    Layout from = randomLayout(shape), to = randomLayout(shape);
    if (trial % 3 == 0) { // A window.
      to.dims[0].constant = int64_t(random() % 3) - 1;
      to.dims[0].span = 1 + random() % 3;
    }
    Collective wanted = countMove(grid, from, to);
    Collective found = costs.measure(costs.idOf(from), costs.idOf(to));
    EXPECT_EQ(found.kind, wanted.kind);
    EXPECT_EQ(found.axes, wanted.axes);
    EXPECT_EQ(found.groupSize, wanted.groupSize);
    EXPECT_EQ(found.elements, wanted.elements);
    EXPECT_EQ(found.mostReceived, wanted.mostReceived);
    moving += wanted.elements > 0;
  }
  EXPECT_GT(moving, 200u);
}

TEST(SpmdProblem, PricesWhatThePlacementCosts) {
  std::mt19937 random(11);
  Machine machine = testMachine();
  for (const DeviceGrid &grid :
       {gridOf({{"node", 2}, {"gpu", 4}}), gridOf({{"gpu", 3}, {"node", 2}}),
        gridOf({{"d", 5}}), gridOf({{"d", 1}})})
    for (const PlanGraph &graph : {mixedGraph(), chainGraph(12)}) {
      SpmdProblem built = valueOf(buildSpmdProblem(graph, grid, machine));
      EXPECT_TRUE(built.isComplete);
      ASSERT_FALSE(built.problem.validate());
      for (unsigned trial = 0; trial < 40; ++trial) {
        std::vector<uint32_t> choice = randomChoice(built.problem, random);
        Placement placement = built.placementOf(choice);
        double priced = built.problem.evaluate(choice);
        double costs = totalOf(spmdCosts(graph, grid, machine, placement));
        EXPECT_NEAR(costs, priced, 1e-9 * priced);
      }
    }
}

/// Products whose partial results are worth cutting, and small ones.
static PlanGraph productGraph() {
  GraphBuilder b;
  b.input("A", {256, 512}).input("B", {512, 128}).input("C", {128, 6});
  b.vertex("P", "i j", {{"A", "i k"}, {"B", "k j"}});
  b.vertex("Q", "i l", {{"P", "i j"}, {"C", "j l"}});
  b.vertex("T", "j", {{"P", "i j"}});
  return b.graph;
}

static Machine machineThatCuts() {
  Machine machine = testMachine();
  machine.cutProducts = 40000;
  return machine;
}

TEST(SpmdProblem, PricesWhatGoesOnBesideWork) {
  std::mt19937 random(3);
  Machine machine = machineThatCuts();
  PlanGraph graph = productGraph();
  unsigned cheaper = 0;
  for (const DeviceGrid &grid :
       {gridOf({{"node", 2}, {"gpu", 4}}), gridOf({{"gpu", 3}})}) {
    SpmdProblem built = valueOf(buildSpmdProblem(graph, grid, machine));
    ASSERT_FALSE(built.problem.validate());
    for (unsigned trial = 0; trial < 100; ++trial) {
      std::vector<uint32_t> choice = randomChoice(built.problem, random);
      Placement placement = built.placementOf(choice);
      double priced = built.problem.evaluate(choice);
      double costs = totalOf(spmdCosts(graph, grid, machine, placement));
      EXPECT_NEAR(costs, priced, 1e-9 * priced);
      double apart = totalOf(spmdCosts(graph, grid, testMachine(), placement));
      cheaper += costs < apart * (1 - 1e-9);
    }
  }
  EXPECT_GT(cheaper, 20u);
}

// 256 x 128 numbers on each of two devices, which send each other half of them
// and then the sums of that: 65,536 bytes each time, 16,384 of a part.
TEST(SpmdCost, TheLongerOfWorkAndReduction) {
  Machine machine = machineThatCuts();
  DeviceGrid two = gridOf({{"node", 2}});
  GraphBuilder b;
  b.input("A", {256, 512}).input("B", {512, 128});
  b.vertex("P", "i j", {{"A", "i k"}, {"B", "k j"}});
  const PlanVertex &product = b.graph.vertices[2];
  Layout made = Layout::blocked({256, 128}, {Cut{}, Cut{}});
  Layout sum = made;
  made.partial = {0};
  Collective reduce = planResharding(two, made, sum);
  auto exposed = [&](double work) {
    return combineSeconds(product, made, sum, reduce, two, machine, work);
  };
  double part = 2 * 5e-6 + 2 * 16384 / 1e9;
  // Long work hides all but the last part, short work a quarter of itself less.
  EXPECT_NEAR(exposed(1), part, 1e-12);
  EXPECT_NEAR(exposed(4e-6), 4 * part - 3e-6, 1e-12);
  machine.cutProducts = 0;
  EXPECT_NEAR(exposed(1), 2 * 5e-6 + 2 * 65536 / 1e9, 1e-12);
  // Where rows are scattered no device has its own before.
  machine.cutProducts = 40000;
  Layout rows = Layout::blocked({256, 128}, {Cut{0}, Cut{}});
  EXPECT_NEAR(combineSeconds(product, made, rows,
                             planResharding(two, made, rows), two, machine, 1),
              5e-6 + 65536 / 1e9, 1e-12);
  Layout columns = Layout::blocked({256, 128}, {Cut{}, Cut{0}});
  EXPECT_NEAR(combineSeconds(product, made, columns,
                             planResharding(two, made, columns), two, machine,
                             1),
              5e-6 + 16384 / 1e9, 1e-12);
}

// Cuts of either reduced label leave partial results in one layout; those of c,
// of 3, work longer than those of d, of 32.
TEST(SpmdPlan, CutsOfOneLayoutWorkDifferently) {
  GraphBuilder b;
  b.input("A", {256, 3, 32}).input("B", {3, 32, 128});
  b.vertex("P", "i j", {{"A", "i c d"}, {"B", "c d j"}});
  PlannerOptions options;
  options.costModel = "spmd";
  options.machine = machineThatCuts();
  options.grid = userGridOf({{"node", 2}});
  for (double bandwidth : {5e6, 6.7e6, 2e7, 1e8, 1e9}) {
    options.machine.axes[0].link.bandwidth = bandwidth;
    DeviceGrid grid = splitIntoPrimes(options.grid);
    SpmdProblem built =
        valueOf(buildSpmdProblem(b.graph, grid, options.machine));
    std::mt19937 random(1);
    double exact = valueOf(solveExact(built.problem)).cost;
    for (unsigned trial = 0; trial < 300; ++trial) {
      std::vector<uint32_t> choice = randomChoice(built.problem, random);
      double costs = totalOf(
          spmdCosts(b.graph, grid, options.machine, built.placementOf(choice)));
      EXPECT_NEAR(built.problem.evaluate(choice), costs, 1e-9 * costs);
      EXPECT_LE(exact, costs * (1 + 1e-12));
    }
  }
}

TEST(SpmdPlan, VerifiesWhatGoesOnBesideWork) {
  for (const DeviceGrid &grid :
       {userGridOf({{"node", 2}, {"gpu", 4}}), userGridOf({{"d", 6}})}) {
    PlannerOptions options;
    options.costModel = "spmd";
    options.machine = machineThatCuts();
    options.grid = grid;
    Plan plan = valueOf(makePlan(productGraph(), options));
    EXPECT_FALSE(verifyPlan(productGraph(), plan));
    EXPECT_LE(plan.lowerBound, plan.cost);
    options.machine = testMachine();
    EXPECT_LE(plan.cost, valueOf(makePlan(productGraph(), options)).cost);
  }
}

TEST(SpmdProblem, BoundsPeaksFromBelow) {
  std::mt19937 random(5);
  Machine machine = testMachine();
  DeviceGrid grid = gridOf({{"node", 2}, {"gpu", 3}});
  SpmdOptions options;
  options.memoryLimit = 1;
  PlanGraph graph = mixedGraph();
  // What no output needs is not certain.
  for (auto [vertex, uses] : llvm::zip_equal(graph.vertices, graph.uses()))
    vertex.isOutput = !vertex.isInput && uses.empty();
  SpmdProblem built = valueOf(buildSpmdProblem(graph, grid, machine, options));
  ASSERT_FALSE(built.problem.validate());
  PlanProblem guide = built.problem;
  guide.memory = guide.expected;
  double certain = 0, expected = 0;
  for (unsigned trial = 0; trial < 100; ++trial) {
    std::vector<uint32_t> choice = randomChoice(built.problem, random);
    int64_t bound = built.problem.peakBytes(choice);
    int64_t estimate =
        peakBytesPerDevice(graph, grid, built.placementOf(choice));
    EXPECT_LE(bound, estimate);
    certain += double(bound) / estimate;
    expected += double(guide.peakBytes(choice)) / estimate;
  }
  // What guides the search is the estimate, but for some copies.
  EXPECT_GT(expected / 100, 0.75);
  EXPECT_LE(expected / 100, 1);
  EXPECT_GT(expected, certain);
  EXPECT_GT(certain / 100, 0.5);
}

TEST(SpmdProblem, ExactEqualsBruteForce) {
  GraphBuilder b;
  b.input("X", {7}).input("A", {7, 4});
  b.vertex("Z", "j", {{"X", "i"}, {"A", "i j"}});
  b.vertex("W", "j", {{"Z", "j"}});
  Machine machine = testMachine();
  for (const DeviceGrid &grid :
       {gridOf({{"node", 2}, {"gpu", 2}}), gridOf({{"d", 3}})}) {
    SpmdProblem built = valueOf(buildSpmdProblem(b.graph, grid, machine));
    Solution exact = valueOf(solveExact(built.problem));
    std::vector<uint32_t> choice(built.problem.variables.size(), 0);
    double best = built.problem.evaluate(choice);
    for (bool more = true; more;) {
      best = std::min(best, built.problem.evaluate(choice));
      more = false;
      for (unsigned v = 0; v < choice.size() && !more; ++v) {
        more = ++choice[v] < built.problem.variables[v].numChoices();
        if (!more)
          choice[v] = 0;
      }
    }
    EXPECT_NEAR(exact.cost, best, 1e-12 * best);
  }
}

TEST(SpmdPlan, VerifiesOnManyGrids) {
  for (const DeviceGrid &grid :
       {userGridOf({{"node", 2}, {"gpu", 4}}), userGridOf({{"d", 7}}),
        userGridOf({{"d", 6}}), userGridOf({{"node", 4}, {"gpu", 16}})})
    for (const PlanGraph &graph :
         {mixedGraph(), chainGraph(64), llamaGraph(1, 64)}) {
      Plan plan = planSpmd(graph, grid);
      EXPECT_FALSE(verifyPlan(graph, plan));
      EXPECT_LE(plan.lowerBound, plan.cost);
      EXPECT_GT(plan.lowerBound, 0);
    }
}

TEST(SpmdPlan, LeavesCheapWorkWholeAndDevicesAlone) {
  // Ten numbers: any message costs more than all of the work.
  GraphBuilder b;
  b.input("X", {10}).input("Y", {10});
  b.vertex("S", "", {{"X", "i"}, {"Y", "i"}}, {{"i", 10}});
  b.vertex("Z", "i", {{"X", "i"}, {"S", ""}});
  PlannerOptions options;
  options.costModel = "spmd";
  options.machine = testMachine();
  options.devices = 4;
  Plan plan = valueOf(tapestry::plan::makePlan(b.graph, options));
  EXPECT_TRUE(plan.placement.collectives.empty());
  EXPECT_TRUE(plan.provedOptimal);
}

TEST(SpmdPlan, GathersOverSlowAxesFirst) {
  // Two steps over node and gpu beat one that pays the node's link for all.
  DeviceGrid grid = gridOf({{"node", 2}, {"gpu", 4}});
  Machine machine = testMachine();
  GraphBuilder b;
  b.input("X", {1 << 20});
  b.vertex("Y", "i", {{"X", "i"}});
  b.vertex("Z", "j", {{"Y", "i"}}, {{"j", 8}});
  SpmdProblem built = valueOf(buildSpmdProblem(b.graph, grid, machine));
  // Y cut over everything, kept so, read whole.
  std::vector<uint32_t> choice(built.problem.variables.size(), 0);
  unsigned y = 1, z = 2;
  for (auto [number, partition] : llvm::enumerate(built.partitionsOf(y)))
    if (partition.cuts[0] == Cut({0, 1, 2}))
      choice[*built.variables()[y].work] = number;
  for (auto [number, layout] : llvm::enumerate(built.homesOf(y)))
    if (layout.dims[0].cut() == llvm::ArrayRef<unsigned>({0, 1, 2}))
      choice[*built.variables()[y].home] = number;
  Placement placement = built.placementOf(choice);
  ASSERT_EQ(placement.vertices[z].operandRoutes.size(), 1u);
  EXPECT_FALSE(placement.vertices[z].operandRoutes[0].empty());
  double routed = totalOf(spmdCosts(b.graph, grid, machine, placement));
  placement.vertices[z].operandRoutes.clear();
  listCollectives(b.graph, grid, placement);
  EXPECT_LT(routed, totalOf(spmdCosts(b.graph, grid, machine, placement)));
}

TEST(SpmdPlan, HonoursPinsAndGroups) {
  PlanGraph graph = chainGraph(48);
  unsigned z = *graph.vertexNamed("Z"), ab = *graph.vertexNamed("AB");
  unsigned cde = *graph.vertexNamed("CDE");
  DeviceGrid grid = userGridOf({{"node", 2}, {"gpu", 4}});
  Plan freely = planSpmd(graph, grid);
  ShardingConstraint pin;
  pin.cuts.push_back({"i", 4, {}});
  pin.isClosed = true;
  graph.vertices[z].constraints.work.push_back(pin);
  graph.vertices[ab].constraints.layoutGroup = "g";
  graph.vertices[cde].constraints.layoutGroup = "g";
  graph.vertices[z].constraints.layoutGroup = "g";
  Plan plan = planSpmd(graph, grid);
  EXPECT_EQ(plan.vertices[z].parts, PartVector({4, 1}));
  EXPECT_EQ(plan.placement.vertices[ab].home,
            plan.placement.vertices[cde].home);
  EXPECT_EQ(plan.placement.vertices[ab].home, plan.placement.vertices[z].home);
  EXPECT_GE(plan.cost, freely.cost);
  EXPECT_TRUE(plan.provedOptimal);
}

TEST(PaperMemory, BoundsPlansThatKeepResultsInPlace) {
  // Parts say how much a device holds, whichever axes they are over.
  std::mt19937 random(23);
  for (unsigned trial = 0; trial < 40; ++trial) {
    PlanGraph graph = randomGraph(random, 4);
    DeviceGrid grid = DeviceGrid::ofPrimes(6);
    PlanProblem problem = valueOf(buildPaperProblem(graph, grid));
    limitPaperMemory(graph, 1, problem);
    ASSERT_FALSE(problem.validate());
    Solution solution;
    for (const PlanProblem::Variable &variable : problem.variables)
      solution.choice.push_back(random() % variable.numChoices());
    int64_t inputs = 0;
    std::vector<PartVector> parts =
        partsOfSolution(graph, problem, solution.choice);
    for (unsigned v = 0; v < graph.vertices.size(); ++v)
      if (graph.vertices[v].isInput && graph.uses()[v].size() != 1)
        inputs += partElements(plainParts(graph.vertices[v].shape, parts[v])) *
                  graph.vertices[v].elementBytes;
    EXPECT_GE(problem.peakBytes(solution.choice), inputs);
    EXPECT_GT(problem.peakBytes(solution.choice), 0);
  }
}

TEST(SpmdPlan, TellsPinsOfEqualShapesApart) {
  // The same product twice; the pin names the first label here, the second
  // there.
  GraphBuilder b;
  b.input("A", {8, 8}).input("B", {8, 8}).input("E", {8, 8}).input("F", {8, 8});
  b.vertex("C", "i k", {{"A", "i j"}, {"B", "j k"}});
  b.vertex("D", "k i", {{"E", "k j"}, {"F", "j i"}});
  ShardingConstraint pin;
  pin.cuts.push_back({"i", 2, {}});
  pin.isClosed = true;
  for (const char *name : {"C", "D"})
    b.graph.vertices[*b.graph.vertexNamed(name)].constraints.work.push_back(
        pin);
  Plan plan = planSpmd(b.graph, userGridOf({{"d", 2}}));
  EXPECT_EQ(plan.vertices[*b.graph.vertexNamed("C")].parts[0], 2);
  EXPECT_EQ(plan.vertices[*b.graph.vertexNamed("D")].parts[0], 1);
}

//===- CompanionTest.cpp - Plans of vertices with several results ---------===//

#include "../TestErrors.h"
#include "../TestGraphs.h"
#include "tapestry/Planner/Cost/Elements/PaperCost.h"
#include "tapestry/Planner/Cost/Elements/PaperProblem.h"
#include "tapestry/Planner/Cost/Seconds/SpmdCost.h"
#include "tapestry/Planner/Cost/Seconds/SpmdProblem.h"
#include "tapestry/Planner/Explain/Explain.h"
#include "tapestry/Planner/Optimize/Problem.h"
#include "tapestry/Planner/Pareto/Pareto.h"
#include "tapestry/Planner/Plan/PlanFile.h"
#include "tapestry/Planner/Plan/Planner.h"
#include "tapestry/Planner/Plan/Verify.h"
#include "llvm/ADT/STLExtras.h"

using namespace tapestry;
using namespace tapestry::cost;
using namespace tapestry::cost::elements;
using namespace tapestry::cost::seconds;
using namespace tapestry::explain;
using namespace tapestry::layout;
using namespace tapestry::machine;
using namespace tapestry::model;
using namespace tapestry::optimize;
using namespace tapestry::pareto;
using namespace tapestry::plan;
using namespace tapestry::test;

namespace {

/// C[i, k] and R[i] come from one vertex over i, j, k; D reads both, E only R.
class Companions : public ::testing::Test {
protected:
  void SetUp() override {
    GraphBuilder b;
    b.input("A", {24, 36}).input("B", {36, 16});
    b.vertex("C", "i k", {{"A", "i j"}, {"B", "j k"}});
    b.vertex("R", "i", {{"A", "i j"}, {"B", "j k"}});
    b.vertex("D", "i k", {{"C", "i k"}, {"R", "i"}});
    b.vertex("E", "i", {{"R", "i"}, {"D", "i k"}});
    graph = b.graph;
    // R has the labels of C in their order.
    PlanVertex &r = graph.vertices[R];
    r.labels = graph.vertices[C].labels;
    r.output = Projection();
    r.output.dims.push_back(graph.vertices[C].output.dims[0]);
    for (PlanLabel &label : r.labels)
      label.reduced = label.name != "i";
    r.cutAs = C;
    r.operands.clear();
    r.flops = 0;
    r.accumulatorBytes = 8;
    graph.resolveStorage();
  }

  Plan planWith(llvm::StringRef costModel, llvm::StringRef solver,
                int64_t devices, int64_t memoryLimit = 0) {
    PlannerOptions options;
    options.devices = devices;
    options.costModel = costModel.str();
    options.solver = solver.str();
    options.mayIdle = false;
    options.memoryLimit = memoryLimit;
    // plan() itself ends with verifyPlan().
    return valueOf(makePlan(graph, options));
  }

  void expectTogether(const Plan &plan) {
    EXPECT_EQ(plan.vertices[C].parts, plan.vertices[R].parts);
    EXPECT_EQ(plan.placement.vertices[C].partition,
              plan.placement.vertices[R].partition);
  }

  PlanGraph graph;
  static constexpr unsigned A = 0, C = 2, R = 3, D = 4;
};

TEST_F(Companions, EverySolverCutsThemAlike) {
  for (llvm::StringRef costModel : {"paper", "spmd"})
    for (int64_t devices : {1, 2, 6, 8}) {
      Plan best = planWith(costModel, "exact", devices);
      expectTogether(best);
      EXPECT_TRUE(best.provedOptimal);
      for (llvm::StringRef solver : {"bounded", "eindecomp"}) {
        Plan other = planWith(costModel, solver, devices);
        expectTogether(other);
        EXPECT_GE(other.cost, best.cost * (1 - 1e-12)) << solver.str();
      }
    }
}

TEST_F(Companions, UnderAMemoryLimit) {
  for (llvm::StringRef costModel : {"paper", "spmd"}) {
    Plan free = planWith(costModel, "exact", 8);
    Plan tight = planWith(costModel, "exact", 8, free.peakBytesPerDevice);
    expectTogether(tight);
    EXPECT_LE(tight.peakBytesPerDevice, free.peakBytesPerDevice);
  }
}

/// Every solution of the problem costs what the plan that it means costs, so
/// what exact proves holds for all plans that cut companions alike.
TEST_F(Companions, ElementsOfAllSolutionsAreThoseOfTheirPlans) {
  PlanProblem problem = valueOf(buildPaperProblem(graph, 6));
  std::vector<uint32_t> choice(problem.variables.size(), 0);
  std::mt19937 random(3);
  for (int round = 0; round < 500; ++round) {
    for (auto [number, variable] : llvm::zip_equal(choice, problem.variables))
      number = random() % variable.numChoices();
    std::vector<PartVector> parts = partsOfSolution(graph, problem, choice);
    EXPECT_EQ(parts[C], parts[R]);
    double cost = 0;
    for (const VertexCost &vertex : paperCosts(graph, parts))
      cost += vertex.total();
    EXPECT_NEAR(problem.evaluate(choice), cost, 1e-9 * cost);
  }
}

TEST_F(Companions, SecondsOfAllSolutionsAreThoseOfTheirPlans) {
  DeviceGrid grid = DeviceGrid::ofPrimes(6);
  Machine machine = valueOf(machineNamed("cpu"));
  SpmdProblem problem = valueOf(buildSpmdProblem(graph, grid, machine));
  EXPECT_EQ(problem.variables()[C].work, problem.variables()[R].work);
  EXPECT_NE(problem.variables()[C].home, problem.variables()[R].home);
  std::vector<uint32_t> choice(problem.problem.variables.size(), 0);
  std::mt19937 random(5);
  for (int round = 0; round < 500; ++round) {
    for (auto [number, variable] :
         llvm::zip_equal(choice, problem.problem.variables))
      number = random() % variable.numChoices();
    Placement placement = problem.placementOf(choice);
    EXPECT_EQ(placement.vertices[C].partition, placement.vertices[R].partition);
    double seconds = 0;
    for (const VertexCost &vertex : spmdCosts(graph, grid, machine, placement))
      seconds += vertex.total();
    EXPECT_NEAR(problem.problem.evaluate(choice), seconds, 1e-9 * seconds);
  }
}

TEST_F(Companions, ParetoMovesThemTogether) {
  ParetoOptions options;
  options.devices = 6;
  options.seed = 1;
  options.evaluations = 2000;
  SingleGraph space(graph);
  ParetoFront front = valueOf(searchPareto(space, options));
  ASSERT_GT(front.members.size(), 1u);
  for (const ParetoMember &member : front.members) {
    expectTogether(member.plan);
    expectSuccess(verifyPlan(graph, member.plan));
  }
}

TEST_F(Companions, VerifyRefusesOtherCuts) {
  for (llvm::StringRef costModel : {"paper", "spmd"}) {
    Plan good = planWith(costModel, "exact", 8);
    Plan wrong = good;
    std::reverse(wrong.vertices[R].parts.begin(),
                 wrong.vertices[R].parts.end());
    if (wrong.vertices[R].parts != good.vertices[R].parts)
      expectError(verifyPlan(graph, wrong), {"'R'", "'C'"});
    // The same parts over other axes.
    wrong = good;
    Partition &partition = *wrong.placement.vertices[R].partition;
    bool isChanged = false;
    for (Cut &cut : partition.cuts)
      if (cut.size() > 1) {
        std::swap(cut[0], cut[1]);
        isChanged = true;
        break;
      }
    ASSERT_TRUE(isChanged);
    expectError(verifyPlan(graph, wrong), {"'R'", "other axes", "'C'"});
  }
}

TEST_F(Companions, ValidateRefusesWhatIsNone) {
  expectSuccess(graph.validate());
  PlanGraph good = graph;
  graph.vertices[R].cutAs = A;
  expectError(graph.validate(), {"'R'", "number 0"});
  graph = good;
  graph.vertices[D].cutAs = C;
  graph.vertices[D].flops = 0;
  expectError(graph.validate(), {"'D'", "companion with 2 operands"});
  graph = good;
  graph.vertices[R].labels[0].extent = 25;
  expectError(graph.validate(), {"'R'", "25", "24"});
  graph = good;
  graph.vertices[R].constraints.layoutGroup = "g";
  expectError(graph.validate(), {"'R'", "constraints"});
}

/// A pin of the home, a preference, and a contradiction with the lead.
TEST_F(Companions, HomesAreConstrained) {
  ShardingConstraint three, whole;
  three.cuts = {{"0", 3, {}}};
  whole.cuts = {{"0", 1, {}}};
  graph.vertices[R].constraints.home = {three};
  graph.resolveStorage();
  auto partsOfHome = [&](const Plan &plan) {
    return partsOf(plan.grid, plan.placement.vertices[R].home.dims[0].cut());
  };
  for (llvm::StringRef costModel : {"paper", "spmd"})
    for (llvm::StringRef solver : {"exact", "bounded", "eindecomp"}) {
      Plan plan = planWith(costModel, solver, 6);
      expectTogether(plan);
      EXPECT_EQ(partsOfHome(plan), 3) << costModel.str() << solver.str();
    }
  // Where results stay as they are cut, the lead's cut is the companion's.
  EXPECT_EQ(planWith("paper", "exact", 6).vertices[C].parts[0], 3);
  whole.isHard = false;
  whole.weight = 1000;
  graph.vertices[R].constraints.home = {whole};
  for (llvm::StringRef costModel : {"paper", "spmd"})
    EXPECT_EQ(partsOfHome(planWith(costModel, "exact", 6)), 1);

  graph.vertices[R].constraints.home = {three};
  ShardingConstraint two;
  two.cuts = {{"i", 2, {}}};
  graph.vertices[C].constraints.work = {two};
  PlannerOptions options;
  options.devices = 6;
  options.costModel = "paper";
  expectError(makePlan(graph, options).takeError(), {"'i'", "2", "3"});
  EXPECT_EQ(partsOfHome(planWith("spmd", "exact", 6)), 3);
}

TEST_F(Companions, PlanFilesAreFollowed) {
  for (llvm::StringRef costModel : {"paper", "spmd"}) {
    Plan plan = planWith(costModel, "exact", 6);
    std::string text;
    llvm::raw_string_ostream os(text);
    writePlan(os, graph, plan);
    Plan read = valueOf(parsePlan(text, "plan.json", graph));
    expectTogether(read);
    EXPECT_EQ(read.cost, plan.cost);
    EXPECT_EQ(read.placement.vertices[R].home, plan.placement.vertices[R].home);
  }
  // A file that decides nothing but the companion's home.
  Plan read = valueOf(parsePlan(
      R"({"tapestry_plan": 1, "devices": 6,
          "vertices": [{"name": "R", "home": [["d.1"]]}]})",
      "home.json", graph));
  EXPECT_EQ(partsOf(read.grid, read.placement.vertices[R].home.dims[0].cut()),
            3);
}

TEST_F(Companions, AreExplained) {
  for (llvm::StringRef costModel : {"paper", "spmd"}) {
    Plan plan = planWith(costModel, "exact", 6);
    EXPECT_NE(valueOf(explainPlan(graph, plan)).find("C"), std::string::npos);
  }
}

} // namespace

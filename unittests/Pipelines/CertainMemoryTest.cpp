//===- CertainMemoryTest.cpp - Bounds on memory against programs ----------===//
//
// What the planner holds for certain is compared with the peaks of programs,
// plan by plan, and the least that it says of all plans with a search through
// every one of them.
//
//===----------------------------------------------------------------------===//

#include "../Planner/TestErrors.h"
#include "mlir/IR/BuiltinOps.h"
#include "tapestry/Analysis/PlanGraphs.h"
#include "tapestry/Dialect/Tapestry/Transforms/PartitionGraph.h"
#include "tapestry/Import/Ein/Import.h"
#include "tapestry/InitAll.h"
#include "tapestry/Pipelines/Pipelines.h"
#include <limits>
#include <random>

using namespace tapestry;
using namespace tapestry::cost;
using namespace tapestry::model;
using namespace tapestry::optimize;
using namespace tapestry::plan;
using namespace tapestry::test;

namespace {

/// A program of a few statements over three matrices, a vector and what it has
/// made, drawn with its extents.
class RandomProgram {
public:
  explicit RandomProgram(std::mt19937 &random) : random(random) {}

  std::string write(unsigned statements) {
    std::string text = "param n = " + std::to_string(1 + random() % 96) + "\n";
    std::string type = random() % 4 ? "f32" : "bf16";
    for (std::string name : {"A", "B", "C"}) {
      text += "input " + name + " : " + type + "[n, n]\n";
      matrices.push_back(name);
    }
    std::string outputs;
    for (unsigned s = 0; s < statements; ++s) {
      std::string name = "T" + std::to_string(s);
      text += statement(name) + "\n";
      if (s + 1 == statements || random() % 4 == 0)
        outputs += "output " + name + "\n";
    }
    return text + outputs;
  }

private:
  std::string pick(std::initializer_list<const char *> list) {
    return list.begin()[random() % list.size()];
  }
  /// A tensor that there is, the later the likelier.
  std::string matrix() {
    size_t last = matrices.size() - 1;
    return matrices[last - std::min<size_t>(random() % 4, random() % 5) %
                               matrices.size()];
  }
  std::string vector() { return vectors[random() % vectors.size()]; }

  std::string statement(const std::string &name) {
    unsigned kind = random() % (vectors.empty() ? 10 : 13);
    if (kind == 9) {
      vectors.push_back(name);
      return name + "[i] = " + pick({"sum", "max"}) + "[j] " + matrix() +
             "[i, j]" + pick({"", " * A[j, i]"});
    }
    std::string a = matrix(), b = matrix();
    matrices.push_back(name);
    std::string left = name + "[i, k] = ";
    switch (kind) {
    case 0:
    case 1:
    case 2:
      return left + "sum[j] " + a + "[i, j] * " + b + "[j, k]";
    case 3:
      return left + "sum[j] " + a + "[j, i] * " + b + "[j, k] * " + b +
             "[i, j]";
    case 4:
      return left + "exp(" + a + "[i, k])";
    case 5:
      return left + a + "[i, k] + " + b + "[k, i] * 2.0";
    case 6:
      return name + "[i:n, k:n] = sum[r:3] pad(" + a +
             ", 0.0)[i + r - 1, k] * " + b + "[k, i]";
    case 7:
      return left + a + "[i, k] * " + b + "[i, k]";
    case 8: // Little or nothing of what is read lies inside.
      return name + "[i:n, k:n] = pad(" + a + ", 0.0)[i + n" +
             pick({"", " - 1"}) + ", k] + " + b + "[k, i]";
    case 10:
      return left + a + "[i, k] - " + vector() + "[i]";
    case 11:
      return left + vector() + "[k] + " + vector() + "[i]";
    default:
      return left + "sum[j] (" + a + "[i, j] - " + vector() + "[i]) * " + b +
             "[j, k]";
    }
  }

  std::mt19937 &random;
  std::vector<std::string> matrices, vectors;
};

/// A program with its planner's graph.
struct Program {
  explicit Program(const std::string &text) {
    static const bool areTargetsThere = (registerAllTargets(), true);
    (void)areTargetsThere;
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    registerPipelineDialects(registry);
    context.appendDialectRegistry(registry);
    context.disableMultithreading();
    context.loadAllAvailableDialects();
    module = ein::importEin(llvm::MemoryBufferRef(text, "test.ein"),
                            ein::EinOptions(), &context);
    if (!module)
      return;
    mlir::PassManager pm(&context);
    buildGraphPipeline(pm);
    if (failed(pm.run(*module)))
      return;
    graph = *module->getOps<teg::GraphOp>().begin();
    auto built = buildPlanGraph(graph.getBody().front());
    if (succeeded(built))
      vertices = std::move(*built);
  }

  int64_t peakOf(const Plan &plan) {
    teg::applyPlan(graph, *vertices, plan);
    std::optional<int64_t> peak = findPeakBytes(graph);
    EXPECT_TRUE(peak);
    return peak.value_or(0);
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  teg::GraphOp graph;
  std::optional<GraphVertices> vertices;
};

/// The plans of a program on one grid under one model.
struct Plans {
  Plans(Program &program, llvm::StringRef costModel, int64_t devices)
      : program(program), grid(DeviceGrid::ofPrimes(devices)) {
    options.costModel = costModel.str();
    options.grid = grid;
    const CostModel &model = *valueOf(costModelNamed(costModel));
    options.machine = machine::builtInMachines().front();
    problem = valueOf(
        model.buildProblem({program.vertices->graph, grid, options.machine},
                           std::numeric_limits<int64_t>::max()));
  }

  double count() const {
    double plans = 1;
    for (const PlanProblem::Variable &variable : problem->problem().variables)
      plans *= variable.numChoices();
    return plans;
  }

  Plan planOf(llvm::ArrayRef<uint32_t> choice) {
    Decision decision = valueOf(problem->decode(choice));
    PlanSketch sketch;
    sketch.userGrid = grid;
    sketch.solver = "exact";
    sketch.costModel = options.costModel;
    sketch.machine = options.machine;
    for (PartVector &parts : decision.parts)
      sketch.parts.push_back(parts);
    sketch.placed = std::move(decision.placed);
    return valueOf(completePlan(program.vertices->graph, sketch));
  }

  Program &program;
  DeviceGrid grid;
  PlannerOptions options;
  std::unique_ptr<ModelProblem> problem;
};

TEST(CertainMemory, IsNeverMoreThanAProgramHolds) {
  std::mt19937 random(20261122);
  unsigned programs = 40, measured = 0;
  double tightness = 0;
  for (unsigned number = 0; number < programs; ++number) {
    std::string text = RandomProgram(random).write(1 + random() % 5);
    Program program(text);
    ASSERT_TRUE(program.vertices) << text;
    for (const char *model : {"paper", "spmd"}) {
      int64_t devices = 1 + random() % 8;
      Plans plans(program, model, devices);
      const PlanProblem &problem = plans.problem->problem();
      for (unsigned sample = 0; sample < 8; ++sample) {
        std::vector<uint32_t> choice;
        for (const PlanProblem::Variable &variable : problem.variables)
          choice.push_back(random() % variable.numChoices());
        int64_t bound = problem.peakBytes(choice);
        int64_t peak = program.peakOf(plans.planOf(choice));
        EXPECT_LE(bound, peak) << model << " on " << devices << "\n" << text;
        tightness += double(bound) / peak;
        ++measured;
        if (bound > peak)
          return;
      }
    }
  }
  // Not because it says nothing.
  EXPECT_GT(tightness / measured, 0.5);
}

/// Lowering erases what only a read outside of a tensor leads to.
TEST(CertainMemory, CountsNothingThatNobodyReads) {
  std::string text = "param n = 29\n"
                     "input A : f32[n, n]\ninput B : f32[n, n]\n";
  for (std::string name : {"T0", "T1", "T2", "T3"})
    text += name + "[i, k] = sum[j] A[i, j] * B[j, k]\n";
  text += "U[i, k] = sum[j] T0[i, j] * T1[j, k] * T2[i, j] * T3[j, k]\n"
          "R[i] = sum[k] U[i, k]\n"
          "Y[i] = pad(R, 0.0)[i + n] + B[i, 0]\noutput Y\n";
  Program program(text);
  ASSERT_TRUE(program.vertices);
  for (const char *model : {"paper", "spmd"})
    for (int64_t devices : {1, 3}) {
      Plans plans(program, model, devices);
      const PlanProblem &problem = plans.problem->problem();
      std::vector<uint32_t> choice(problem.variables.size(), 0);
      EXPECT_LE(problem.peakBytes(choice), program.peakOf(plans.planOf(choice)))
          << model << " on " << devices;
    }
}

/// Large results that are computed block by block are never there as a whole,
/// nor what is made of them by rows before all of it is summed up.
TEST(CertainMemory, CountsNothingThatIsStreamed) {
  std::mt19937 random(31);
  std::string large = "param n = 640\nparam m = 2053\n";
  std::string small = "param n = 24\nparam m = 29\n";
  std::string scores = "input Q : f32[n, 16]\ninput K : f32[m, 16]\n"
                       "input V : f32[m, 8]\n"
                       "S[i, t] = sum[c] Q[i, c] * K[t, c]\n";
  std::string softmax = "P[i, t] = softmax[t] S[i, t]\n"
                        "O[i, d] = sum[t] P[i, t] * V[t, d]\n";
  std::string unscaled = "M[i] = max[t] S[i, t]\n"
                         "E[i, t] = exp(S[i, t] - M[i])\n"
                         "N[i, d] = sum[t] E[i, t] * V[t, d]\n"
                         "R[i, d] = N[i, d] + Q[i, 2 * d]\n"
                         "L[i] = sum[t] E[i, t]\n"
                         "O[i, d] = R[i, d] / L[i]\n";
  std::string layers = "R[i, t] = max(S[i, t], 0.0)\n"
                       "O[i, d] = sum[t] R[i, t] * V[t, d]\n";
  bool isBelowScores = false;
  for (bool isLarge : {true, false})
    for (const std::string &rest : {softmax, unscaled, layers}) {
      std::string sizes = isLarge ? large : small;
      std::string text = sizes + scores + rest + "output O\n";
      Program program(text);
      ASSERT_TRUE(program.vertices) << text;
      for (int64_t devices : {1, 2, 5}) {
        Plans plans(program, devices == 5 ? "paper" : "spmd", devices);
        const PlanProblem &problem = plans.problem->problem();
        for (unsigned sample = 0; sample < 8; ++sample) {
          std::vector<uint32_t> choice;
          for (const PlanProblem::Variable &variable : problem.variables)
            choice.push_back(random() % variable.numChoices());
          int64_t peak = program.peakOf(plans.planOf(choice));
          EXPECT_LE(problem.peakBytes(choice), peak) << "on " << devices << "\n"
                                                     << text;
          isBelowScores |= isLarge && peak * devices < 4 * 640 * 2053;
        }
      }
    }
  EXPECT_TRUE(isBelowScores);
}

/// Every choice, one after the other; false after the last.
bool advance(const PlanProblem &problem, std::vector<uint32_t> &choice) {
  for (unsigned at = choice.size(); at-- > 0;) {
    if (++choice[at] < problem.variables[at].numChoices())
      return true;
    choice[at] = 0;
  }
  return false;
}

TEST(CertainMemory, LeastIsThatOfAllPlans) {
  std::mt19937 random(7);
  unsigned searched = 0, binding = 0;
  for (unsigned tries = 0; tries < 400 && searched < 12; ++tries) {
    std::string text = RandomProgram(random).write(1 + random() % 3);
    Program program(text);
    ASSERT_TRUE(program.vertices) << text;
    if (program.vertices->graph.vertices.size() > 6)
      continue;
    Plans plans(program, random() % 2 ? "paper" : "spmd", 2 + random() % 7);
    if (plans.count() < 4 || plans.count() > 300)
      continue;
    ++searched;
    const PlanProblem &problem = plans.problem->problem();
    std::vector<uint32_t> choice(problem.variables.size(), 0);
    std::vector<std::pair<int64_t, double>> all;
    do
      all.push_back(
          {program.peakOf(plans.planOf(choice)), problem.evaluate(choice)});
    while (advance(problem, choice));
    int64_t least = llvm::min_element(all)->first;
    binding += least < llvm::max_element(all)->first;

    PlannerOptions options = plans.options;
    options.findPeak = [&](const Plan &plan) { return program.peakOf(plan); };
    const PlanGraph &graph = program.vertices->graph;
    options.memoryLimit = least - 1;
    expectError(makePlan(graph, options),
                {"no plan keeps within " + std::to_string(least - 1),
                 "the least that any plan needs is " + std::to_string(least) +
                     " bytes"});
    // At any other limit, the cheapest of what keeps it.
    for (int64_t limit : {least, all[random() % all.size()].first}) {
      options.memoryLimit = limit;
      double cheapest = std::numeric_limits<double>::infinity();
      for (auto [peak, cost] : all)
        if (peak <= limit)
          cheapest = std::min(cheapest, cost);
      Plan plan = valueOf(makePlan(graph, options));
      EXPECT_TRUE(plan.isPeakExact);
      EXPECT_LE(plan.peakBytesPerDevice, limit) << text;
      EXPECT_NEAR(plan.cost, cheapest, 1e-9 * cheapest) << text;
      EXPECT_TRUE(plan.provedOptimal) << text;
    }
  }
  EXPECT_EQ(searched, 12u);
  EXPECT_GT(binding, 4u);
}

} // namespace

//===- CostModelTest.cpp - Registered models, and one of a plug-in --------===//
//
// Linked with the plug-in's file, so that its model is planned by like those of
// the planner itself.
//
//===----------------------------------------------------------------------===//

#include "tapestry/Planner/Cost/CostModel.h"
#include "../TestErrors.h"
#include "../TestGraphs.h"
#include "tapestry/Planner/Cost/Elements/PaperCost.h"
#include "tapestry/Planner/Explain/Explain.h"
#include "tapestry/Planner/Layout/Routing.h"
#include "tapestry/Planner/Model/CutEnumerator.h"
#include "tapestry/Planner/Plan/PlanFile.h"
#include "tapestry/Planner/Plan/Verify.h"
#include "tapestry/Plugin.h"
#include "llvm/ADT/STLExtras.h"
#include <array>
#include <limits>
#include <random>

extern "C" const tapestry::PluginInfo *tapestryGetPluginInfo();

using namespace tapestry;
using namespace tapestry::cost;
using namespace tapestry::cost::elements;
using namespace tapestry::explain;
using namespace tapestry::layout;
using namespace tapestry::machine;
using namespace tapestry::model;
using namespace tapestry::plan;
using namespace tapestry::test;

namespace {

/// The model of the plug-in.
const CostModel &busiest() {
  llvm::cantFail(tapestryGetPluginInfo()->registerTables());
  return *valueOf(costModelNamed("busiest"));
}

/// (A B)^2, where B may be A: however A B is kept, one of its readers wants
/// another part.
PlanGraph squareGraph(int64_t n, bool isShared) {
  GraphBuilder b;
  b.input("A", {n, n});
  if (!isShared)
    b.input("B", {n, n});
  b.vertex("AB", "i k", {{"A", "i j"}, {isShared ? "A" : "B", "k j"}});
  b.vertex("Z", "i l", {{"AB", "i k"}, {"AB", "k l"}});
  return b.graph;
}

/// All cuts of an index space; of those of work, that make most blocks.
std::vector<Partition> cutsOf(const DeviceGrid &grid,
                              llvm::ArrayRef<int64_t> extents, bool isWork) {
  std::vector<Partition> cuts;
  std::vector<int64_t> blocks;
  forEachCut(grid, CutSpace::ofAxes(grid), extents,
             [&](const Partition &partition) {
               cuts.push_back(partition);
               blocks.push_back(1);
               for (const Cut &cut : partition.cuts)
                 blocks.back() *= partsOf(grid, cut);
             });
  int64_t most = *llvm::max_element(blocks);
  std::vector<Partition> kept;
  for (auto [partition, count] : llvm::zip_equal(cuts, blocks))
    if (!isWork || count == most)
      kept.push_back(partition);
  return kept;
}

/// The least cost of all plans that share all work out, counted by the
/// verifier's side of the model: every cut, home and stop on the way home.
class Exhaustive {
public:
  Exhaustive(const PlanGraph &graph, const DeviceGrid &grid)
      : graph(graph), grid(grid) {
    placement.vertices.resize(graph.vertices.size());
  }

  double leastCost() {
    visit(0);
    return best;
  }
  uint64_t plans = 0;

private:
  void visit(unsigned v) {
    if (v == graph.vertices.size())
      return count();
    const PlanVertex &vertex = graph.vertices[v];
    VertexPlacement &placed = placement.vertices[v];
    if (vertex.storedFor)
      return visit(v + 1);
    for (const Partition &kept : cutsOf(grid, vertex.shape, false)) {
      placed.home = Layout::blocked(vertex.shape, kept.cuts);
      if (vertex.isInput) {
        placed.partition = kept;
        visit(v + 1);
        continue;
      }
      for (const Partition &cut : cutsOf(grid, vertex.extents(), true)) {
        placed.partition = cut;
        placed.operandRoutes.assign(vertex.operands.size(), {});
        for (unsigned o = 0; o < vertex.operands.size(); ++o) {
          unsigned producer = vertex.operands[o].producer;
          if (graph.vertices[producer].storedFor)
            placement.vertices[producer].home =
                operandLayout(graph, vertex, o, cut);
        }
        visitWaysHome(v, resultLayout(vertex, cut));
      }
    }
  }

  void visitWaysHome(unsigned v, const Layout &made) {
    VertexPlacement &placed = placement.vertices[v];
    placed.homeRoute.clear();
    if (made.partial.empty())
      return visit(v + 1);
    Layout whole = made;
    whole.partial.clear();
    std::vector<Layout> stops = {whole};
    for (const Partition &cut : cutsOf(grid, graph.vertices[v].shape, false)) {
      Layout stop = Layout::blocked(graph.vertices[v].shape, cut.cuts);
      if (canReduceScatter(grid, made, stop))
        stops.push_back(stop);
    }
    for (const Layout &stop : stops) {
      placed.homeRoute.assign(stop == placed.home ? 0 : 1, stop);
      visit(v + 1);
    }
    placed.homeRoute.clear();
  }

  void count() {
    ++plans;
    Machine none;
    double cost = 0;
    for (const VertexCost &vertex :
         busiest().recount({{graph, grid, none}, {}, placement}))
      cost += vertex.total();
    best = std::min(best, cost);
  }

  const PlanGraph &graph;
  const DeviceGrid &grid;
  Placement placement;
  double best = std::numeric_limits<double>::infinity();
};

TEST(CostModel, AreFoundByName) {
  EXPECT_EQ(valueOf(costModelNamed(defaultCostModel)), &elementsModel());
  EXPECT_EQ(&busiest(), costModels().back());
  // Once more, and another one under a name that is taken.
  size_t count = costModels().size();
  EXPECT_FALSE(bool(registerCostModel(busiest())));
  struct Impostor : CostModel {
    llvm::StringRef name() const override { return "paper"; }
    llvm::StringRef unit() const override { return "lies"; }
    llvm::ArrayRef<CostComponent> components() const override { return {}; }
    bool decidesHomes() const override { return false; }
    llvm::Expected<std::unique_ptr<ModelProblem>>
    buildProblem(const CostContext &, int64_t) const override {
      return planError("no problem");
    }
    std::vector<VertexCost> price(const DecidedPlan &) const override {
      return {};
    }
    std::vector<VertexCost> recount(const DecidedPlan &) const override {
      return {};
    }
  } impostor;
  EXPECT_EQ(llvm::toString(registerCostModel(impostor)),
            "there are two cost models named 'paper'");
  EXPECT_EQ(costModels().size(), count);
  EXPECT_EQ(valueOf(costModelNamed("paper")), &elementsModel());
  expectError(costModelNamed("fastest"),
              {"'fastest'", "'paper', 'spmd' and 'busiest'"});
}

TEST(CostModel, BusiestIsTheBestOfAll) {
  unsigned positive = 0;
  for (int64_t n : {2, 3, 4})
    for (int64_t devices : {2, 3, 4}) {
      // On two axes there are many plans without a home of A's own.
      PlanGraph graph = squareGraph(n, /*isShared=*/devices < 4);
      PlannerOptions options;
      options.devices = devices;
      options.costModel = busiest().name().str();
      Plan plan = valueOf(tapestry::plan::makePlan(graph, options));
      EXPECT_TRUE(plan.provedOptimal);
      EXPECT_EQ(plan.lowerBound, plan.cost);
      expectSuccess(verifyPlan(graph, plan));
      Exhaustive exhaustive(graph, plan.grid);
      EXPECT_EQ(exhaustive.leastCost(), plan.cost)
          << n << " on " << devices << " of " << exhaustive.plans;
      positive += plan.cost > 0;
    }
  EXPECT_GT(positive, 3u);
}

TEST(CostModel, BusiestIsRightForRandomGraphs) {
  std::mt19937 random(17);
  for (unsigned round = 0; round < 30; ++round) {
    PlanGraph graph = randomGraph(random, 1 + round % 5);
    PlannerOptions options;
    options.devices = std::array<int64_t, 4>{2, 3, 4, 6}[round % 4];
    options.costModel = busiest().name().str();
    Plan plan = valueOf(tapestry::plan::makePlan(graph, options));
    EXPECT_TRUE(plan.provedOptimal);
    double priced = 0;
    for (const VertexCost &vertex : busiest().price(plan.decided(graph)))
      priced += vertex.total();
    EXPECT_EQ(priced, plan.cost);
    // The file says all, in the model's own components.
    std::string text;
    llvm::raw_string_ostream os(text);
    writePlan(os, graph, plan);
    EXPECT_NE(text.find("\"bytes_read\": "), std::string::npos);
    EXPECT_EQ(text.find("\"join\""), std::string::npos);
    Plan read = valueOf(parsePlan(text, "plan.json", graph));
    EXPECT_EQ(read.cost, plan.cost);
    EXPECT_TRUE(read.provedOptimal);
    // Wrong costs are refused.
    plan.vertices.back().cost[0] += 1;
    expectError(verifyPlan(graph, plan), {"bytes_home"});
  }
}

TEST(CostModel, BusiestIsExplained) {
  PlanGraph graph = squareGraph(8, /*isShared=*/true);
  PlannerOptions options;
  options.devices = 4;
  options.costModel = busiest().name().str();
  Plan plan = valueOf(tapestry::plan::makePlan(graph, options));
  auto explained = valueOf(ExplainedProblem::make(graph, plan));
  std::vector<uint32_t> choice;
  for (std::optional<uint32_t> number : explained.choice()) {
    ASSERT_TRUE(number.has_value());
    choice.push_back(*number);
  }
  EXPECT_EQ(explained.problem().evaluate(choice), plan.cost);
  unsigned Z = *graph.vertexNamed("Z");
  EXPECT_EQ(explained.partsOf(Z, choice[*explained.variableOf(Z)]),
            plan.vertices[Z].parts);
  // It knows no limits: what its best plan exceeds is an error.
  options.memoryLimit = plan.peakBytesPerDevice;
  EXPECT_EQ(valueOf(tapestry::plan::makePlan(graph, options)).cost, plan.cost);
  options.memoryLimit = plan.peakBytesPerDevice - 1;
  expectError(tapestry::plan::makePlan(graph, options),
              {"'busiest'", "memory"});
}

} // namespace

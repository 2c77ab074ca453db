//===- VerifyTest.cpp - Wrong plans are refused ---------------------------===//

#include "tapestry/Planner/Plan/Verify.h"
#include "../TestErrors.h"
#include "../TestGraphs.h"
#include "tapestry/Planner/Cost/Elements/PaperCost.h"
#include "tapestry/Planner/Plan/Planner.h"

using namespace tapestry;
using namespace tapestry::cost::elements;
using namespace tapestry::model;
using namespace tapestry::plan;
using namespace tapestry::test;

namespace {

/// Two matrix products and a sum on 8 devices, none of them trivial: uneven
/// extents, an input with two readers.
class Verify : public ::testing::Test {
protected:
  void SetUp() override {
    GraphBuilder b;
    b.input("A", {21, 34}).input("B", {34, 18}).input("E", {21, 18});
    b.vertex("C", "i k", {{"A", "i j"}, {"B", "j k"}});
    b.vertex("D", "i k", {{"C", "i k"}, {"E", "i k"}});
    b.vertex("F", "i", {{"D", "i k"}, {"E", "i k"}});
    graph = b.graph;
    PlannerOptions options;
    options.devices = 8;
    good = valueOf(makePlan(graph, options));
    wrong = good;
  }

  void expectRefused(std::vector<std::string> parts) {
    expectError(verifyPlan(graph, wrong), std::move(parts));
    wrong = good;
  }

  PlanGraph graph;
  Plan good, wrong;
  static constexpr unsigned A = 0, C = 3, D = 4, F = 5;
};

TEST_F(Verify, AcceptsPlans) {
  expectSuccess(verifyPlan(graph, good));
  std::mt19937 random(13);
  for (int round = 0; round < 100; ++round) {
    PlanGraph other = randomGraph(random, 5);
    PlannerOptions options;
    options.devices = 1 + random() % 16;
    // plan() itself ends with verifyPlan().
    expectSuccess(verifyPlan(other, valueOf(makePlan(other, options))));
  }
}

TEST_F(Verify, Storage) {
  ASSERT_EQ(graph.vertices[A].storedFor, (PlanUse{C, 0}));
  graph.vertices[A].storedFor.reset();
  expectRefused({"'A'", "1 reads", "stored for none"});
  graph.vertices[A].storedFor = PlanUse{C, 1};
  expectRefused({"'A'", "operand 1", "vertex number 3"});
  graph.resolveStorage();
  graph.vertices[A].constraints.layoutGroup = "g";
  expectRefused({"'A'", "1 reads", "stored for one of them"});
}

TEST_F(Verify, Shape) {
  wrong.devices = 9;
  expectRefused({"9 devices", "8"});
  wrong.vertices.pop_back();
  expectRefused({"5 vertices", "6"});
  wrong.vertices[C].name = "Q";
  expectRefused({"'Q'", "'C'", "number 3"});
  wrong.vertices[C].parts.pop_back();
  expectRefused({"'C'", "2 labels", "3"});
}

TEST_F(Verify, Parts) {
  wrong.vertices[F].parts = {22, 1};
  expectRefused({"'F'", "'i'", "22", "21"});
  wrong.vertices[F].parts = {0, 1};
  expectRefused({"'F'", "'i'", "0 parts", "21"});
  wrong.vertices[F].parts = {4, 4};
  expectRefused({"'F'", "'k'", "16 parts", "8 devices"});
  wrong.vertices[F].parts = {int64_t(1) << 62, 4};
  expectRefused({"'F'", "'i'", "21"});
  // A is stored as C reads it.
  wrong.vertices[A].parts[0] = wrong.vertices[A].parts[0] == 1 ? 2 : 1;
  expectRefused({"'A'", "'0'", "'C'"});
}

TEST_F(Verify, Axes) {
  wrong.placement.vertices[C].partition->cuts[0] = {7};
  expectRefused({"'C'", "'i'", "number 7", "3 axes"});
  wrong.placement.vertices[C].partition->cuts = {{0}, {0}, {1}};
  expectRefused({"'C'", "'d.0'", "'i'", "'k'"});
  wrong.placement.vertices[C].partition->cuts.pop_back();
  expectRefused({"'C'", "2 labels", "3"});
  wrong.placement.vertices[C].partition = std::nullopt;
  expectRefused({"'C'", "no axes"});
  // Axes that make another number of parts than the plan says.
  for (Cut &cut : wrong.placement.vertices[D].partition->cuts)
    if (!cut.empty()) {
      cut.pop_back();
      break;
    }
  expectRefused({"'D'", "parts, its axes make"});
  wrong.placement.vertices.pop_back();
  expectRefused({"places 5", "6"});
}

TEST_F(Verify, Homes) {
  // A home that holds only part of the tensor.
  wrong.placement.vertices[D].home.dims[0].terms[0].extent = 20;
  expectRefused({"'D'", "plain"});
  // A home that says the tensor is smaller.
  wrong.placement.vertices[D].home = Layout::replicated({20, 18});
  expectRefused({"'D'", "point", "times"});
  // A home whose parts cover the diagonal only.
  wrong.placement.vertices[D].home =
      Layout::blocked({21, 18}, {Cut{0}, Cut{0}});
  expectRefused({"'D'", "plain"});
  wrong.placement.vertices[D].home = Layout::replicated({21, 18, 1});
  expectRefused({"'D'", "rank 3", "2"});
  wrong.placement.vertices[D].home.partial = {0};
  expectRefused({"'D'", "partial"});
  // Right in itself, but not where the result lies.
  wrong.placement.vertices[D].home = Layout::replicated({21, 18});
  expectRefused({"'D'", "the plan has no"});
  wrong.placement.vertices[A].home = Layout::replicated({21, 34});
  expectRefused({"'A'", "'C'"});
}

TEST_F(Verify, Collectives) {
  ASSERT_FALSE(good.placement.collectives.empty());
  wrong.placement.collectives.front().bytes += 4;
  expectRefused({std::to_string(good.placement.collectives.front().bytes),
                 std::to_string(good.placement.collectives.front().bytes + 4)});
  wrong.placement.collectives.front().group += 1;
  expectRefused({"groups of"});
  wrong.placement.collectives.front().kind = CollectiveKind::Slice;
  expectRefused({"slice", "needed is"});
  wrong.placement.collectives.erase(wrong.placement.collectives.begin());
  expectRefused({"the plan has no"});
  wrong.placement.collectives.push_back(wrong.placement.collectives.front());
  wrong.placement.collectives.back().vertex = D;
  expectRefused({"not needed"});
}

TEST_F(Verify, Costs) {
  wrong.vertices[C].cost[PaperJoin] += 1;
  expectRefused({"'C'", "join"});
  wrong.vertices[F].cost[PaperAggregate] += 1;
  expectRefused({"'F'", "aggregate"});
  wrong.vertices[D].cost[PaperRepartition] += 1;
  expectRefused({"'D'", "repartition"});
  wrong.cost *= 1.5;
  expectRefused({"the plan's cost"});
  wrong.lowerBound = wrong.cost + 1;
  expectRefused({"lower bound", "exceeds"});
  wrong.lowerBound = wrong.cost - 1;
  expectRefused({"optimal", "lower bound"});
}

TEST_F(Verify, RefusesRandomDamageToCuts) {
  // Give one vertex other axes, leave all else: something must not fit, unless
  // the change is one that moves nothing (then costs and layouts are equal
  // too).
  std::mt19937 random(77);
  unsigned refused = 0, changed = 0;
  for (int round = 0; round < 200; ++round) {
    PlanGraph other = randomGraph(random, 4);
    PlannerOptions options;
    options.devices = 12;
    Plan plan = valueOf(tapestry::plan::makePlan(other, options));
    unsigned v = random() % other.vertices.size();
    auto &partition = plan.placement.vertices[v].partition;
    if (!partition || partition->cuts.empty())
      continue;
    Partition before = *partition;
    Cut &cut = partition->cuts[random() % partition->cuts.size()];
    if (random() % 2)
      cut.push_back(random() % 3);
    else if (!cut.empty())
      cut.front() = (cut.front() + 1) % 3;
    if (*partition == before)
      continue;
    ++changed;
    if (llvm::Error error = verifyPlan(other, plan)) {
      llvm::consumeError(std::move(error));
      ++refused;
    } else {
      // Accepted: the layouts that follow are those of the original.
      EXPECT_EQ(partsOf(plan.grid, cut),
                plan.vertices[v].parts[&cut - partition->cuts.begin()]);
    }
  }
  EXPECT_GT(changed, 50u);
  EXPECT_GT(refused * 10, changed * 9);
}

} // namespace

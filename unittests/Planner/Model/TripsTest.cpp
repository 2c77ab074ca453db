//===- TripsTest.cpp - Vertices that run several times --------------------===//

#include "../TestErrors.h"
#include "../TestGraphs.h"
#include "tapestry/Planner/Cost/Elements/PaperCost.h"
#include "tapestry/Planner/Plan/Planner.h"
#include "tapestry/Planner/Plan/Verify.h"
#include "gtest/gtest.h"

using namespace tapestry;
using namespace tapestry::cost::elements;
using namespace tapestry::machine;
using namespace tapestry::model;
using namespace tapestry::plan;
using namespace tapestry::test;

namespace {

Plan planOf(const PlanGraph &graph, llvm::StringRef model, int64_t devices) {
  PlannerOptions options;
  options.costModel = model.str();
  options.devices = devices;
  if (model == "spmd")
    options.machine = builtInMachines().front();
  return valueOf(makePlan(graph, options));
}

void setTrips(PlanGraph &graph, int64_t trips) {
  for (PlanVertex &vertex : graph.vertices) {
    vertex.trips = trips;
    for (PlanOperand &operand : vertex.operands)
      operand.trips = trips;
  }
}

TEST(Trips, AllOfAGraphMultiplyItsCost) {
  PlanGraph graph = chainGraph(96);
  for (llvm::StringRef model : {"paper", "spmd"}) {
    setTrips(graph, 1);
    Plan once = planOf(graph, model, 6);
    setTrips(graph, 70);
    Plan often = planOf(graph, model, 6);
    EXPECT_NEAR(often.cost, 70 * once.cost, 1e-9 * often.cost);
    EXPECT_NEAR(often.lowerBound, 70 * once.lowerBound, 1e-9 * often.cost);
  }
}

// Solvers, prices and the verifier's own count agree.
TEST(Trips, PlansOfRandomGraphsVerify) {
  std::mt19937 random(5);
  for (unsigned seed = 0; seed < 12; ++seed) {
    PlanGraph graph = randomGraph(random, 5);
    for (PlanVertex &vertex : graph.vertices) {
      vertex.trips = vertex.isInput ? 1 : 1 + random() % 90;
      for (PlanOperand &operand : vertex.operands)
        operand.trips =
            std::min(vertex.trips, graph.vertices[operand.producer].trips);
    }
    for (llvm::StringRef model : {"paper", "spmd"}) {
      Plan plan = planOf(graph, model, seed % 2 ? 4 : 6);
      llvm::Error error = verifyPlan(graph, plan);
      EXPECT_FALSE(error) << llvm::toString(std::move(error));
      EXPECT_TRUE(plan.provedOptimal);
    }
  }
}

// Read in every pass from outside, X is fetched once; made in every pass, each
// time.
TEST(Trips, WhatIsFetchedOnceCostsOnce) {
  GraphBuilder b;
  b.input("A", {8, 8});
  b.vertex("X", "i j", {{"A", "i j"}});
  b.vertex("Y", "j i", {{"X", "i j"}});
  PlanGraph graph = b.graph;
  std::vector<PartVector> parts = {{4, 1}, {4, 1}, {4, 1}};
  graph.vertices[2].trips = 10;
  double once = paperCosts(graph, parts)[2][PaperRepartition];
  graph.vertices[2].operands[0].trips = 10;
  EXPECT_GT(once, 0);
  EXPECT_EQ(paperCosts(graph, parts)[2][PaperRepartition], 10 * once);
}

// A loop's body decides how its tensor is kept, however it comes and goes.
TEST(Trips, BodiesOutweighWhatIsAround) {
  auto homeOfX = [](int64_t trips) {
    GraphBuilder b;
    b.input("A", {64, 64});
    b.vertex("X", "i j", {{"A", "i j"}});
    b.vertex("Y", "i", {{"X", "i j"}});
    b.vertex("Z", "j", {{"X", "i j"}});
    PlanGraph graph = b.graph;
    graph.vertices[3].trips = graph.vertices[3].operands[0].trips = trips;
    return planOf(graph, "paper", 4).vertices[1].parts;
  };
  EXPECT_EQ(homeOfX(1000), (PartVector{1, 4}));
}

// A plan for other passes is none for these.
TEST(Trips, TheVerifierCountsThem) {
  PlanGraph graph = chainGraph(96);
  Plan plan = planOf(graph, "paper", 4);
  setTrips(graph, 2);
  llvm::Error error = verifyPlan(graph, plan);
  EXPECT_TRUE(static_cast<bool>(error));
  llvm::consumeError(std::move(error));
}

} // namespace

//===- ScanTest.cpp - Plans of running values -----------------------------===//

#include "../TestErrors.h"
#include "../TestGraphs.h"
#include "tapestry/Planner/Layout/Routing.h"
#include "tapestry/Planner/Plan/Planner.h"
#include "tapestry/Planner/Plan/Verify.h"

using namespace tapestry;
using namespace tapestry::layout;
using namespace tapestry::model;
using namespace tapestry::plan;
using namespace tapestry::test;

namespace {

/// C[n, i] = X[n, i] and all X[n, j] with j < i, in f32 stored as f16.
PlanGraph scan(int64_t lines, int64_t points) {
  GraphBuilder b;
  b.input("X", {lines, points});
  b.vertex("C", "n i", {{"X", "n i"}});
  PlanVertex &vertex = b.graph.vertices[1];
  vertex.labels[1].scanned = true;
  vertex.elementBytes = 2;
  vertex.accumulatorBytes = 4;
  vertex.flops = double(lines) * points;
  return b.graph;
}

Plan planned(const PlanGraph &graph, llvm::StringRef costModel,
             int64_t devices) {
  PlannerOptions options;
  options.devices = devices;
  options.costModel = costModel.str();
  options.mayIdle = false;
  return valueOf(makePlan(graph, options)); // Ends with verifyPlan().
}

TEST(Scan, TotalsGoFromEveryBlockToAll) {
  PlanGraph graph = scan(3, 5);
  const PlanVertex &vertex = graph.vertices[1];
  DeviceGrid grid{{{"d.0", 2}, {"d.1", 2}}};
  // 5 points in 4 blocks are 2, 2, 1 and none.
  Partition cut;
  cut.cuts = {{}, {0, 1}};
  auto move = totalsMove(vertex, grid, cut);
  ASSERT_TRUE(move);
  EXPECT_EQ(move->first.box(grid, 2), (ZBox{{0, 3}, {2, 3}}));
  EXPECT_TRUE(isEmpty(move->first.box(grid, 3)));
  EXPECT_EQ(move->second.box(grid, 3), (ZBox{{0, 3}, {0, 3}}));
  Collective moved = planResharding(grid, move->first, move->second);
  EXPECT_EQ(moved.kind, CollectiveKind::AllGather);
  EXPECT_EQ(moved.elements, 3 * (2 + 2 + 2 + 3));
  cut.cuts = {{0}, {}};
  EXPECT_FALSE(totalsMove(vertex, grid, cut));
  EXPECT_FALSE(totalsMove(graph.vertices[0], grid, cut));
}

TEST(Scan, LinesAreCutBeforeWhatTheyRunAlong) {
  for (llvm::StringRef costModel : {"paper", "spmd"}) {
    Plan lines = planned(scan(4096, 4096), costModel, 8);
    EXPECT_EQ(lines.vertices[1].parts, (PartVector{8, 1})) << costModel.str();
    EXPECT_TRUE(lines.placement.collectives.empty());
    // One line: 7 blocks get the totals of the others.
    Plan line = planned(scan(1, 1 << 24), costModel, 7);
    EXPECT_EQ(line.vertices[1].parts, (PartVector{1, 7})) << costModel.str();
    ASSERT_EQ(line.placement.collectives.size(), 1u);
    EXPECT_EQ(line.placement.collectives[0].kind, CollectiveKind::AllGather);
    EXPECT_EQ(line.placement.collectives[0].bytes, 7 * 6 * 4);
  }
}

TEST(Scan, VerifierCountsTotals) {
  PlanGraph graph = scan(1, 1 << 20);
  for (llvm::StringRef costModel : {"paper", "spmd"}) {
    Plan good = planned(graph, costModel, 4);
    ASSERT_EQ(good.placement.collectives.size(), 1u);
    Plan bad = good;
    bad.placement.collectives[0].bytes /= 2; // as if they were f16
    expectError(verifyPlan(graph, bad), {"'C'", "24 bytes", "sends 48"});
    bad = good;
    bad.placement.collectives.clear();
    expectError(verifyPlan(graph, bad), {"'C'", "no all_gather of 12"});
    // What is no scan exchanges nothing, and costs less.
    PlanGraph other = graph;
    other.vertices[1].labels[1].scanned = false;
    expectError(verifyPlan(other, good), {"all_gather", "not needed"});
    bad = good;
    bad.placement.collectives.clear();
    expectError(verifyPlan(other, bad), {"'C'", "is given as", "counted"});
  }
}

TEST(Scan, ValidateNamesWhatIsWrong) {
  PlanGraph graph = scan(4, 8);
  expectSuccess(graph.validate());
  graph.vertices[1].labels[0].scanned = true;
  expectError(graph.validate(), {"'C'", "'n'", "'i'"});
  GraphBuilder b;
  b.input("X", {4, 8});
  b.vertex("S", "n", {{"X", "n i"}});
  b.graph.vertices[1].labels[0].scanned = true;
  expectError(b.graph.validate(), {"'S'", "'n'", "'i'", "reduced"});
}

} // namespace

//===- OperandPiecesTest.cpp - Plans of views, concatenation and gather ---===//

#include "../TestErrors.h"
#include "../TestGraphs.h"
#include "tapestry/Planner/Cost/Seconds/SpmdCost.h"
#include "tapestry/Planner/Layout/Placement.h"
#include "tapestry/Planner/Layout/Routing.h"
#include "tapestry/Planner/Plan/Planner.h"
#include "tapestry/Planner/Plan/Verify.h"

using namespace tapestry;
using namespace tapestry::cost::seconds;
using namespace tapestry::layout;
using namespace tapestry::machine;
using namespace tapestry::model;
using namespace tapestry::plan;
using namespace tapestry::test;

namespace {

Plan planned(const PlanGraph &graph, llvm::StringRef costModel,
             int64_t devices) {
  PlannerOptions options;
  options.devices = devices;
  options.costModel = costModel.str();
  options.mayIdle = false;
  return valueOf(makePlan(graph, options)); // Ends with verifyPlan().
}

/// What all devices but the readers' own hold of `operand`, by enumeration of
/// the index points of every device.
void expectBoxesHoldReads(const PlanGraph &graph, const Plan &plan,
                          unsigned v) {
  const PlanVertex &vertex = graph.vertices[v];
  for (unsigned o = 0; o < vertex.operands.size(); ++o) {
    const PlanOperand &operand = vertex.operands[o];
    Layout layout =
        operandLayout(graph, vertex, o, *plan.placement.vertices[v].partition);
    for (int64_t device = 0; device < plan.devices; ++device) {
      ZBox block = plan.placement.vertices[v].partition->block(
          plan.grid, vertex.extents(), device);
      if (!operand.guard.empty())
        block = intersect(block, operand.guard);
      ZBox held = layout.box(plan.grid, device);
      if (isEmpty(block)) {
        EXPECT_TRUE(isEmpty(held) || operand.guard.empty());
        continue;
      }
      EXPECT_TRUE(contains(held, operand.projection.image(block)));
    }
  }
}

/// Y[i, j] = i < 12 ? P[i, j] : Q[i - 12, j], of computed tensors.
PlanGraph concatenation() {
  GraphBuilder b;
  b.input("A", {12, 16}).input("B", {20, 16});
  b.vertex("P", "i j", {{"A", "i j"}});
  b.vertex("Q", "i j", {{"B", "i j"}});
  b.vertex("Y", "i j", {{"P", "i j"}, {"Q", "i-12 j"}}, {{"i", 32}, {"j", 16}});
  PlanVertex &y = b.graph.vertices[4];
  y.operands[0].guard = {{0, 12}, {0, 16}};
  y.operands[1].guard = {{12, 32}, {0, 16}};
  b.vertex("Z", "j", {{"Y", "i j"}});
  return b.graph;
}

TEST(OperandPieces, ConcatenationsArePlanned) {
  PlanGraph graph = concatenation();
  expectSuccess(graph.validate());
  for (llvm::StringRef costModel : {"paper", "spmd"})
    for (int64_t devices : {1, 2, 6, 8})
      expectBoxesHoldReads(graph, planned(graph, costModel, devices), 4);
}

TEST(OperandPieces, WrapAroundAndRepeatArePlanned) {
  GraphBuilder b;
  b.input("A", {24, 16});
  b.vertex("P", "i j", {{"A", "i j"}});
  // Y[i, j] = P[(i + 5) mod 24, j], R[i, j] = P[i floordiv 2, j].
  b.vertex("Y", "i j", {{"P", "i+5 j"}}, {{"i", 24}});
  b.vertex("R", "i j", {{"P", "i j"}});
  PlanVertex &y = b.graph.vertices[2], &r = b.graph.vertices[3];
  y.operands[0].projection.dims[0].mod = 24;
  r.operands[0].projection.dims[0].floordiv = 2;
  r.labels[0].extent = r.shape[0] = 48;
  expectSuccess(b.graph.validate());
  for (llvm::StringRef costModel : {"paper", "spmd"})
    for (int64_t devices : {1, 2, 6, 8}) {
      Plan plan = planned(b.graph, costModel, devices);
      expectBoxesHoldReads(b.graph, plan, 2);
      expectBoxesHoldReads(b.graph, plan, 3);
    }
}

/// G[s, a] = T[Tok[s], a]: the row v is selected.
PlanGraph gather() {
  GraphBuilder b;
  b.input("T", {4096, 8}).input("Tok", {64});
  b.vertex("G", "s a", {{"T", "v a"}, {"Tok", "s"}});
  PlanVertex &g = b.graph.vertices[2];
  g.labels[2].selected = true;
  g.operands[0].kind = AccessKind::Indexed;
  g.flops = 64 * 8;
  return b.graph;
}

TEST(OperandPieces, SelectedLabelsLeavePartialValuesAndSaveNoWork) {
  PlanGraph graph = gather();
  expectSuccess(graph.validate());
  for (llvm::StringRef costModel : {"paper", "spmd"})
    for (int64_t devices : {2, 8})
      expectBoxesHoldReads(graph, planned(graph, costModel, devices), 2);

  const PlanVertex &g = graph.vertices[2];
  DeviceGrid grid = DeviceGrid::ofPrimes(4);
  Machine machine;
  machine.flopsPerSecond = 1; // Nothing else counts.
  machine.memoryBandwidth = 1e15;
  machine.vertexLatency = 0;
  Partition overRows{{Cut{}, Cut{}, Cut{0, 1}}};
  Partition overTokens{{Cut{0, 1}, Cut{}, Cut{}}};
  EXPECT_EQ(resultLayout(g, overRows).partial, (Cut{0, 1}));
  EXPECT_EQ(workSeconds(graph, g, grid, machine, overRows), 64 * 8);
  EXPECT_EQ(workSeconds(graph, g, grid, machine, overTokens), 64 * 8 / 4);

  // Of the table no more is read than one element per point.
  machine.flopsPerSecond = 1e30;
  machine.memoryBandwidth = 1;
  EXPECT_EQ(workSeconds(graph, g, grid, machine, Partition{{{}, {}, {}}}),
            4 * (64 * 8 + 64 * 8 + 64));
}

/// S[A, d] = sum[n] X[n, d], where A is selected.
TEST(OperandPieces, SelectedLabelsOfTheResultAreCutAndSaveNoWork) {
  GraphBuilder b;
  b.input("X", {64, 8}).input("A", {64});
  b.vertex("S", "a d", {{"X", "n d"}, {"A", "n"}});
  PlanVertex &s = b.graph.vertices[2];
  s.labels[0].extent = s.shape[0] = 4096;
  s.labels[0].selected = true;
  s.flops = 64 * 8;
  expectSuccess(b.graph.validate());
  for (llvm::StringRef costModel : {"paper", "spmd"})
    for (int64_t devices : {2, 8})
      expectBoxesHoldReads(b.graph, planned(b.graph, costModel, devices), 2);

  DeviceGrid grid = DeviceGrid::ofPrimes(4);
  Machine machine;
  machine.flopsPerSecond = 1; // Nothing else counts.
  machine.memoryBandwidth = 1e15;
  machine.vertexLatency = 0;
  Partition overRows{{Cut{0, 1}, Cut{}, Cut{}}};
  Partition overPoints{{Cut{}, Cut{}, Cut{0, 1}}};
  EXPECT_TRUE(resultLayout(s, overRows).partial.empty());
  EXPECT_EQ(resultLayout(s, overPoints).partial, (Cut{0, 1}));
  EXPECT_EQ(workSeconds(b.graph, s, grid, machine, overRows), 64 * 8);
  EXPECT_EQ(workSeconds(b.graph, s, grid, machine, overPoints), 64 * 8 / 4);
}

/// One of R rows of H is replaced; the others stay.
TEST(OperandPieces, RowsThatStayCostNothing) {
  auto rowsOf = [](int64_t count) {
    GraphBuilder b;
    b.input("X", {13}).input("Into", {count, 13});
    b.vertex("H", "b", {{"X", "b"}});
    PlanVertex &h = b.graph.vertices[2];
    Projection rows = Projection::identity(1);
    rows.dims.insert(rows.dims.begin(), {{}, /*constant=*/0, /*size=*/count});
    h.shape = {count, 13};
    h.output = rows;
    h.operands.emplace_back().producer = 1;
    h.operands.back().projection = rows;
    h.extraBytes = -4 * 13 * (2 * count - 1);
    b.graph.resolveStorage();
    expectSuccess(b.graph.validate());
    return b.graph;
  };
  Machine machine;
  machine.flopsPerSecond = 1e30; // Nothing but bytes counts.
  machine.memoryBandwidth = 1;
  machine.vertexLatency = 0;
  DeviceGrid grid = DeviceGrid::ofPrimes(4);
  for (int64_t count : {1, 100}) {
    PlanGraph graph = rowsOf(count);
    EXPECT_EQ(workSeconds(graph, graph.vertices[2], grid, machine,
                          Partition{{Cut{0, 1}}}),
              4 * 2 * 4);
    EXPECT_LE(independentSeconds(graph, machine, 4), 4 * 2 * 4);
    planned(graph, "spmd", 4); // Bounds do not exceed what it costs.
  }
}

TEST(OperandPieces, ValidateRefusesWrongPieces) {
  PlanGraph graph = concatenation();
  graph.vertices[4].operands[1].guard[0].lo = 11;
  expectError(graph.validate(), {"'Y'", "operand 1", "[-1, 20)", "[0, 20)"});
  graph = concatenation();
  graph.vertices[4].operands[0].guard[0] = {0, 40};
  expectError(graph.validate(), {"'Y'", "operand 0", "'i'", "[0, 40)", "32"});
  graph = concatenation();
  graph.vertices[4].operands[0].guard[1] = {3, 3};
  expectError(graph.validate(), {"'Y'", "'j'", "[3, 3)"});
  graph = concatenation();
  graph.vertices[4].operands[0].guard.pop_back();
  expectError(graph.validate(), {"'Y'", "1 range", "2 labels"});
  graph = concatenation();
  graph.vertices[4].operands[0].projection.dims[0].floordiv = 0;
  expectError(graph.validate(), {"'Y'", "floordiv 0"});
}

} // namespace

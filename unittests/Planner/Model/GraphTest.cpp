//===- GraphTest.cpp - Checks of the graph that is planned ----------------===//

#include "../TestErrors.h"
#include "../TestGraphs.h"

using namespace tapestry;
using namespace tapestry::model;
using namespace tapestry::test;

namespace {

/// C[i, k] = sum[j] A[i, j] * B[j, k] with extents 4, 6, 5.
PlanGraph matmul() {
  GraphBuilder b;
  b.input("A", {4, 6}).input("B", {6, 5});
  b.vertex("C", "i k", {{"A", "i j"}, {"B", "j k"}});
  return b.graph;
}

TEST(Graph, AcceptsWhatTheTestsPlan) {
  expectSuccess(matmul().validate());
  expectSuccess(chainGraph().validate());
  expectSuccess(classifierGraph().validate());
  expectSuccess(llamaGraph(2).validate());
  std::mt19937 random(11);
  for (int i = 0; i < 200; ++i)
    expectSuccess(randomGraph(random, 5).validate());
}

TEST(Graph, HasTheReferencesVertexCounts) {
  EXPECT_EQ(chainGraph().vertices.size(), 9u);
  EXPECT_EQ(classifierGraph().vertices.size(), 18u);
  EXPECT_EQ(llamaGraph(1).vertices.size(), 35u);
  EXPECT_EQ(llamaGraph(32).vertices.size(), 1089u);
}

TEST(Graph, ListsUsesPerOperand) {
  GraphBuilder b;
  b.input("A", {5, 5});
  b.vertex("S", "i k", {{"A", "i j"}, {"A", "k j"}, {"A", "i j"}});
  auto uses = b.graph.uses();
  ASSERT_EQ(uses[0].size(), 2u) << "equal reads are one operand";
  EXPECT_EQ(uses[0][1].operand, 1u);
  EXPECT_TRUE(uses[1].empty());
}

TEST(Graph, RefusesExtentsAndNames) {
  PlanGraph graph = matmul();
  graph.vertices[2].labels[1].extent = 7;
  expectError(graph.validate(), {"'C'", "'k'", "7", "5"});

  graph = matmul();
  graph.vertices[0].shape[1] = 0;
  graph.vertices[0].labels[1].extent = 0;
  expectError(graph.validate(), {"'A'", "'1'", "extent 0", "1"});

  graph = matmul();
  graph.vertices[2].labels[2].extent = 8;
  expectError(graph.validate(), {"'C'", "operand 0", "'A'", "[0, 8)", "6"});

  graph = matmul();
  graph.vertices[1].name = "A";
  expectError(graph.validate(), {"0", "1", "'A'"});

  graph = matmul();
  graph.vertices[0] = PlanVertex::input("A", {int64_t(1) << 31, 1 << 30});
  expectError(graph.validate(), {"'A'", "more bytes"});
}

TEST(Graph, RefusesWrongReductionsAndOutputs) {
  PlanGraph graph = matmul();
  graph.vertices[2].labels[2].reduced = false;
  expectError(graph.validate(), {"'C'", "'j'", "neither"});

  graph = matmul();
  graph.vertices[2].labels[0].reduced = true;
  expectError(graph.validate(), {"'C'", "'i'", "in the output"});

  graph = matmul();
  graph.vertices[2].output.dims[1] = graph.vertices[2].output.dims[0];
  graph.vertices[2].shape[1] = 4;
  expectError(graph.validate(), {"'C'", "'i'", "twice"});

  graph = matmul();
  graph.vertices[2].output.dims[1].terms[0].coefficient = 2;
  expectError(graph.validate(), {"'C'", "dimension 1", "plain label"});
}

TEST(Graph, RefusesWrongOperands) {
  PlanGraph graph = matmul();
  graph.vertices[2].operands[1].producer = 2;
  expectError(graph.validate(), {"'C'", "operand 1", "number 2"});

  graph = matmul();
  graph.vertices[2].operands[0].projection.dims.pop_back();
  expectError(graph.validate(), {"'C'", "operand 0", "1", "2"});

  graph = matmul();
  graph.vertices[2].operands[0].projection.dims[0].terms[0].dim = 9;
  expectError(graph.validate(), {"'C'", "label number 9", "3 labels"});

  graph = matmul();
  graph.vertices[2].operands[0].projection.dims[0].constant = 1;
  expectError(graph.validate(), {"'C'", "[1, 5)", "[0, 4)"});
  graph.vertices[2].operands[0].padded = true;
  expectSuccess(graph.validate());
}

} // namespace

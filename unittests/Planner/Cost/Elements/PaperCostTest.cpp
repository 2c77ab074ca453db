//===- PaperCostTest.cpp - The paper's worked examples --------------------===//

#include "tapestry/Planner/Cost/Elements/PaperCost.h"
#include "../../TestErrors.h"
#include "../../TestGraphs.h"
#include "tapestry/Planner/Model/Partitions.h"
#include <set>

using namespace tapestry;
using namespace tapestry::cost;
using namespace tapestry::cost::elements;
using namespace tapestry::model;
using namespace tapestry::test;

namespace {

PlanGraph matmul(int64_t i, int64_t j, int64_t k) {
  GraphBuilder b;
  b.input("X", {i, j}).input("Y", {j, k});
  b.vertex("Z", "i k", {{"X", "i j"}, {"Y", "j k"}});
  return b.graph;
}

// Labels of Z are i, k, j: the paper's d = [i, j, j, k].

TEST(PaperCost, Section7Join) {
  PlanGraph graph = matmul(8, 8, 8);
  // d = [4, 1, 1, 4] makes 16 calls with 16 + 16 elements each.
  EXPECT_EQ(joinCost(graph, graph.vertices[2], {4, 4, 1}), 16 * (16 + 16));
  EXPECT_EQ(aggregateCost(graph.vertices[2], {4, 4, 1}), 0);
}

TEST(PaperCost, Section7Aggregate) {
  PlanGraph graph = matmul(8, 8, 8);
  EXPECT_EQ(aggregateCost(graph.vertices[2], {2, 4, 2}), 64);
}

TEST(PaperCost, Section7Repartition) {
  EXPECT_EQ(
      repartitionCost(plainParts({8, 8}, {2, 4}), plainParts({8, 8}, {4, 1})),
      320);
  EXPECT_EQ(
      repartitionCost(plainParts({8, 8}, {2, 4}), plainParts({8, 8}, {2, 4})),
      0);
}

TEST(PaperCost, Section8CountsPartitions) {
  llvm::SmallVector<int64_t> extents(6, 1024);
  EXPECT_EQ(viablePartitions(extents, 1024).size(), 3003u);
  EXPECT_EQ(countViablePartitions(extents, 1024), 3003);
}

TEST(PaperCost, Section8ListsPartitions) {
  std::set<std::vector<int64_t>> found;
  for (const PartVector &parts : viablePartitions({8, 8, 8}, 8))
    found.insert({parts[0], parts[2], parts[2], parts[1]});
  std::set<std::vector<int64_t>> expected = {// The eight of section 8.2 ...
                                             {2, 1, 1, 4},
                                             {4, 1, 1, 2},
                                             {8, 1, 1, 1},
                                             {1, 1, 1, 8},
                                             {2, 2, 2, 2},
                                             {4, 2, 2, 1},
                                             {1, 2, 2, 4},
                                             {1, 8, 8, 1},
                                             // ... and those that it omits.
                                             {2, 4, 4, 1},
                                             {1, 4, 4, 2}};
  EXPECT_EQ(found, expected);
}

TEST(PaperCost, PartitionsForAnyCount) {
  // 12 = 2 * 2 * 3 over two labels: 3 * 2 ways.
  EXPECT_EQ(viablePartitions({12, 12}, 12).size(), 6u);
  // An extent of 5 holds no 7 parts: the other label takes them.
  EXPECT_EQ(viablePartitions({5, 9}, 7),
            std::vector<PartVector>({PartVector({1, 7})}));
  // Where 7 fits nowhere nothing is cut.
  EXPECT_EQ(viablePartitions({5, 6}, 7),
            std::vector<PartVector>({PartVector({1, 1})}));
  // 24 on extents 3 and 2: the largest product that divides 24 is 6.
  EXPECT_EQ(largestReachableProduct({3, 2}, 24), 6);
  EXPECT_EQ(viablePartitions({3, 2}, 24),
            std::vector<PartVector>({PartVector({3, 2})}));
  // 16 on extents 3 and 5: 2 * 4, though 3 * 5 is more.
  EXPECT_EQ(largestReachableProduct({3, 5}, 16), 8);
  // A scalar vertex has one partition.
  EXPECT_EQ(viablePartitions({}, 8).size(), 1u);
}

TEST(PaperCost, PartitionsAgreeWithCountingAll) {
  std::mt19937 random(5);
  for (int round = 0; round < 300; ++round) {
    int64_t devices = 1 + random() % 40;
    llvm::SmallVector<int64_t> extents;
    for (unsigned rank = random() % 4; rank > 0; --rank)
      extents.push_back(1 + random() % 11);
    std::set<PartVector> best;
    int64_t most = 0;
    PartVector parts(extents.size(), 1);
    auto visit = [&](auto &self, unsigned label, int64_t product) -> void {
      if (label < extents.size()) {
        for (parts[label] = 1; parts[label] <= extents[label]; ++parts[label])
          self(self, label + 1, product * parts[label]);
        return;
      }
      if (devices % product != 0 || product < most)
        return;
      if (product > most)
        best.clear();
      most = product;
      best.insert(parts);
    };
    visit(visit, 0, 1);
    auto viable = viablePartitions(extents, devices);
    EXPECT_EQ(std::set<PartVector>(viable.begin(), viable.end()), best);
    EXPECT_EQ(viable.size(), best.size());
    EXPECT_EQ(countViablePartitions(extents, devices), double(best.size()));
    EXPECT_TRUE(std::is_sorted(viable.rbegin(), viable.rend()));
  }
}

TEST(PaperCost, RoundsUnevenPartsUp) {
  PlanGraph graph = matmul(10, 7, 5);
  // i in 4 parts of 3, j in 2 parts of 4: X parts of 12, Y parts of 20.
  EXPECT_EQ(joinCost(graph, graph.vertices[2], {4, 1, 2}), 8 * (12 + 20));
  // 4 groups of 2 combine parts of 3 * 5 elements.
  EXPECT_EQ(aggregateCost(graph.vertices[2], {4, 1, 2}), 4 * 15);
  // 10 elements from 4 parts of 3 to 3 parts of 4; n_int is 3.
  EXPECT_DOUBLE_EQ(
      repartitionCost(plainParts({10}, {4}), plainParts({10}, {3})),
      (4.0 / 3 - 1) * 3 * (4 + 3));
}

TEST(PaperCost, WindowsHaveHalos) {
  GraphBuilder b;
  b.input("X", {21, 6});
  b.vertex("Y", "y c", {{"X", "2*y+r c"}}, {{"y", 10}, {"r", 3}});
  b.vertex("P", "y c", {{"~Y", "y+q-1 c"}}, {{"y", 10}, {"q", 3}});
  expectSuccess(b.graph.validate());
  const PlanVertex &y = b.graph.vertices[1];
  // Labels y, c, r. Five outputs of stride 2 and width 3 read 11 elements.
  TensorParts read =
      projectedParts(y.operands[0].projection, y.extents(), {2, 3, 1}, {21, 6});
  EXPECT_EQ(read, TensorParts({{11, 2}, {2, 3}}));
  EXPECT_EQ(joinCost(b.graph, y, {2, 3, 1}), 6 * 22);
  // Cutting r makes partial sums; both labels count in the dimension.
  read =
      projectedParts(y.operands[0].projection, y.extents(), {2, 1, 3}, {21, 6});
  EXPECT_EQ(read, TensorParts({{9, 6}, {6, 1}}));
  EXPECT_EQ(aggregateCost(y, {2, 1, 3}), 6 / 3 * 2 * 30);
  // A padded window is clipped to the tensor; equal sizes but other counts are
  // not equal layouts.
  const PlanVertex &p = b.graph.vertices[2];
  read =
      projectedParts(p.operands[0].projection, p.extents(), {1, 1, 1}, {10, 6});
  EXPECT_EQ(read, TensorParts({{10, 1}, {6, 1}}));
  read =
      projectedParts(p.operands[0].projection, p.extents(), {2, 1, 1}, {10, 6});
  EXPECT_EQ(read, TensorParts({{7, 2}, {6, 1}}));
  // n_c = 42, n_p = 30, n_int = 30: (42/30 - 1) * 2 * 72.
  EXPECT_DOUBLE_EQ(repartitionCost(plainParts({10, 6}, {2, 1}), read),
                   (42.0 / 30 - 1) * 2 * 72);
}

TEST(PaperCost, PartsBesideTheirBlocksAreAssembled) {
  GraphBuilder b;
  b.input("X", {20, 6});
  b.vertex("Y", "y c", {{"~X", "y+10 c"}}, {{"y", 20}, {"c", 6}});
  b.vertex("Z", "y c", {{"~X", "y-19 c"}}, {{"y", 20}, {"c", 6}});
  expectSuccess(b.graph.validate());
  auto readOf = [&](unsigned v, const PartVector &parts) {
    const PlanVertex &vertex = b.graph.vertices[v];
    return projectedParts(vertex.operands[0].projection, vertex.extents(),
                          parts, {20, 6});
  };
  // Rows 10 to 19 are read, 5 for each of two parts of 10: (15 - 10) / 10 for
  // two of 90 and 60.
  EXPECT_EQ(readOf(1, {2, 1}), TensorParts({{10, 2, 5}, {6, 1}}));
  EXPECT_DOUBLE_EQ(
      repartitionCost(plainParts({20, 6}, {2, 1}), readOf(1, {2, 1})),
      0.5 * 2 * (90 + 60));
  // The last part reads one row.
  EXPECT_EQ(readOf(2, {2, 1}), TensorParts({{10, 2, 1}, {6, 1}}));
  // A tensor that is whole, or cut elsewhere, is where it is read.
  EXPECT_EQ(readOf(1, {1, 2}), TensorParts({{20, 1}, {3, 2}}));
  EXPECT_EQ(repartitionCost(plainParts({20, 6}, {1, 2}), readOf(1, {1, 2})), 0);
}

TEST(PaperCost, InputsWithOneReaderAreFree) {
  PlanGraph graph = chainGraph(64);
  std::vector<PartVector> parts(9, PartVector({1, 1}));
  for (unsigned v = 5; v < 8; ++v)
    parts[v] = {2, 2, 2};
  parts[8] = {4, 2};
  std::vector<VertexCost> costs = paperCosts(graph, parts);
  EXPECT_EQ(costs[5][PaperRepartition], 0) << "A and B come as AB wants them";
  EXPECT_EQ(costs[5][PaperJoin], 8 * 2 * 32 * 32);
  // CDE reads DE as cut by j and k: that is how DE is made.
  EXPECT_EQ(costs[7][PaperRepartition], 0);
  // Z reads 16 x 32 of both: each producer part goes where its half is used.
  EXPECT_EQ(costs[8][PaperRepartition], 2 * 32 * 32 * 8);
  EXPECT_EQ(costs[0].total(), 0);
}

} // namespace

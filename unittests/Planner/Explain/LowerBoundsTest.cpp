//===- LowerBoundsTest.cpp - Bounds against every plan there is -----------===//

#include "tapestry/Planner/Explain/LowerBounds.h"
#include "../TestErrors.h"
#include "../TestGraphs.h"
#include "tapestry/Planner/Cost/Elements/PaperCost.h"
#include "tapestry/Planner/Model/Partitions.h"
#include "tapestry/Planner/Plan/Planner.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>
#include <limits>

using namespace tapestry;
using namespace tapestry::cost::elements;
using namespace tapestry::explain;
using namespace tapestry::model;
using namespace tapestry::plan;
using namespace tapestry::test;

namespace {

/// C = A B alone, the operands given or computed.
PlanGraph productGraph(int64_t m, int64_t n, int64_t k, bool computesA = false,
                       bool computesB = false) {
  GraphBuilder b;
  b.input("A0", {m, k}).input("B0", {k, n});
  if (computesA)
    b.vertex("A", "i j", {{"A0", "i j"}});
  if (computesB)
    b.vertex("B", "j k", {{"B0", "j k"}});
  b.vertex("C", "i k",
           {{computesA ? "A" : "A0", "i j"}, {computesB ? "B" : "B0", "j k"}});
  b.graph.vertices.back().isOutput = true;
  return b.graph;
}

/// Calls `check` with the completed plan of every combination of viable
/// partitions, or of `most` random ones where there are more.
template <typename Check>
void forEachPlan(const PlanGraph &graph, int64_t devices, size_t most,
                 Check check) {
  std::vector<std::vector<PartVector>> choices;
  double count = 1;
  for (const PlanVertex &vertex : graph.vertices) {
    choices.push_back(vertex.isInput
                          ? std::vector<PartVector>(1)
                          : viablePartitions(vertex.extents(), devices));
    count *= choices.back().size();
  }
  std::mt19937 random(7);
  bool isSample = count > most;
  std::vector<size_t> number(choices.size(), 0);
  for (size_t round = 0; round < (isSample ? most : size_t(count)); ++round) {
    PlanSketch sketch;
    sketch.userGrid.axes.push_back({"d", devices});
    size_t rest = round;
    for (size_t v = 0; v < choices.size(); ++v) {
      size_t pick =
          isSample ? random() % choices[v].size() : rest % choices[v].size();
      rest /= choices[v].size();
      if (graph.vertices[v].isInput)
        sketch.parts.push_back(std::nullopt);
      else
        sketch.parts.push_back(choices[v][pick]);
    }
    check(valueOf(completePlan(graph, sketch)));
  }
}

Plan exactPlan(const PlanGraph &graph, int64_t devices) {
  PlannerOptions options;
  options.devices = devices;
  return valueOf(makePlan(graph, options));
}

/// What the bound at a vertex is one of.
double atVertex(const PlannedVertex &vertex) {
  return vertex.cost[PaperJoin] + vertex.cost[PaperAggregate];
}

TEST(LowerBounds, HoldForEveryPlan) {
  unsigned informative = 0, limited = 0, plans = 0;
  for (auto [m, n, k] : {std::tuple(8, 8, 8), std::tuple(64, 4, 2),
                         std::tuple(3, 5, 7), std::tuple(1, 16, 12)})
    for (int computed = 0; computed < 4; ++computed)
      for (int64_t devices : {2, 4, 6, 8, 16}) {
        PlanGraph graph = productGraph(m, n, k, computed & 1, computed & 2);
        forEachPlan(graph, devices, 400, [&](const Plan &plan) {
          ++plans;
          int64_t bytes = plan.placement.totalBytes();
          PlanBounds bounds = boundPlans(graph, plan);
          EXPECT_LE(bounds.bytes, bytes);
          EXPECT_LE(bounds.cost, plan.cost);
          for (auto [bound, vertex] :
               llvm::zip_equal(bounds.vertices, plan.vertices)) {
            EXPECT_LE(bound.touched, bound.plannedTouched);
            EXPECT_LE(bound.cost, atVertex(vertex));
          }
          informative += bounds.bytes > 0;
          // The plan itself shows that this memory is enough.
          PlanBounds within = boundPlans(graph, plan, plan.peakBytesPerDevice);
          EXPECT_LE(within.bytes, bytes);
          EXPECT_GE(within.bytes, bounds.bytes * (1 - 1e-6));
          limited += within.bytes > bounds.bytes * (1 + 1e-6);
        });
      }
  EXPECT_GT(informative, plans / 20);
  EXPECT_GT(limited, plans / 50);
}

TEST(LowerBounds, HoldForRandomGraphs) {
  std::mt19937 random(3);
  unsigned informative = 0;
  for (unsigned round = 0; round < 40; ++round) {
    PlanGraph graph = randomGraph(random, 1 + round % 6);
    int64_t devices = std::array<int64_t, 5>{2, 4, 6, 8, 12}[round % 5];
    forEachPlan(graph, devices, 10, [&](const Plan &plan) {
      for (int64_t memory : {int64_t(0), plan.peakBytesPerDevice}) {
        PlanBounds bounds = boundPlans(graph, plan, memory);
        EXPECT_LE(bounds.bytes, plan.placement.totalBytes());
        EXPECT_LE(bounds.cost, plan.cost);
        for (auto [bound, vertex] :
             llvm::zip_equal(bounds.vertices, plan.vertices)) {
          EXPECT_LE(bound.touched, bound.plannedTouched);
          EXPECT_LE(bound.cost, atVertex(vertex));
        }
        informative += bounds.bytes > 0;
      }
    });
  }
  EXPECT_GT(informative, 50u);
}

TEST(LowerBounds, AreReachedByCubes) {
  // 64 devices, cubes of 8: every array is touched in squares of 8 x 8.
  PlanGraph graph = productGraph(32, 32, 32, true, true);
  PlanSketch sketch;
  sketch.userGrid.axes.push_back({"d", 64});
  sketch.parts = {std::nullopt, std::nullopt, PartVector({8, 8}),
                  PartVector({8, 8}), PartVector({4, 4, 4})};
  Plan plan = valueOf(completePlan(graph, sketch));
  VertexBound bound = boundPlans(graph, plan).vertices[4];
  EXPECT_TRUE(bound.isContraction);
  EXPECT_TRUE(bound.isMatrixProduct);
  EXPECT_NEAR(bound.touched, 192, 1e-3);
  EXPECT_DOUBLE_EQ(bound.plannedTouched, 192);
  EXPECT_NEAR(bound.receivedFromEven, 192 - 3 * 1024 / 64.0, 1e-3);
  // Of every element 4 copies are needed and one is there; 3 of 4 are combined.
  EXPECT_NEAR(bound.bytes, 3 * 3 * 1024 * 4, 1);
  EXPECT_NEAR(bound.cost, atVertex(plan.vertices[4]), 1);
}

TEST(LowerBounds, FreeInputsNeedNoTraffic) {
  PlanGraph graph = productGraph(32, 32, 32);
  Plan plan = exactPlan(graph, 8);
  EXPECT_EQ(boundPlans(graph, plan).bytes, 0);
  // One copy of everything takes 3 * 4 KiB / 8 = 1,536 bytes on a device. With
  // little more than that, replicas of inputs do not fit.
  EXPECT_GT(boundPlans(graph, plan, 3000).vertices[2].bytes, 0);
  EXPECT_EQ(boundPlans(graph, plan, 100).vertices[2].bytes,
            std::numeric_limits<double>::infinity());
}

TEST(LowerBounds, ComputedOperandsCannotBeFree) {
  // A and B both computed by 64 devices: fetching is bounded from below.
  PlanGraph graph = productGraph(64, 64, 64, true, true);
  Plan plan = exactPlan(graph, 64);
  PlanBounds bounds = boundPlans(graph, plan);
  EXPECT_GT(bounds.bytes, 0);
  EXPECT_LE(bounds.bytes, plan.placement.totalBytes());
}

//===----------------------------------------------------------------------===//
// Closed forms
//===----------------------------------------------------------------------===//

/// Elements that the busiest of `p` devices touches, whatever its memory. With
/// a >= b >= c the sorted extents: (a b + a c) / p + b c up to p = a / b,
/// 2 sqrt(a b c^2 / p) + a b / p up to p = a b / c^2, 3 (a b c / p)^(2/3)
/// beyond (Al Daas, Ballard, Grigori, Kumar and Rouse 2022, theorem 3).
static double memoryIndependentBound(double m, double n, double k, double p) {
  double extents[] = {m, n, k};
  std::sort(std::begin(extents), std::end(extents), std::greater<double>());
  auto [a, b, c] = extents;
  if (p <= a / b)
    return (a * b + a * c) / p + b * c;
  if (p <= a * b / (c * c))
    return 2 * std::sqrt(a * b * c * c / p) + a * b / p;
  return 3 * std::pow(a * b * c / p, 2.0 / 3);
}

TEST(LowerBounds, AgreesWithTheThreeRegimes) {
  // Sorted extents 4096, 512, 64: one dimension is cut up to 8 devices, two up
  // to 512.
  EXPECT_DOUBLE_EQ(memoryIndependentBound(64, 4096, 512, 4),
                   (4096 * 512 + 4096 * 64) / 4.0 + 512 * 64);
  EXPECT_DOUBLE_EQ(memoryIndependentBound(64, 4096, 512, 128),
                   2 * std::sqrt(4096.0 * 512 * 64 * 64 / 128) +
                       4096 * 512 / 128.0);
  EXPECT_DOUBLE_EQ(memoryIndependentBound(64, 4096, 512, 4096),
                   3 * std::pow(4096.0 * 512 * 64 / 4096, 2.0 / 3));
  for (auto [m, n, k] : {std::tuple(4096, 512, 64), std::tuple(512, 4096, 64),
                         std::tuple(64, 512, 4096), std::tuple(256, 256, 256),
                         std::tuple(1000, 7, 7)}) {
    PlanGraph graph = productGraph(m, n, k);
    for (int64_t p : {2, 8, 16, 64, 512, 1024, 4096}) {
      Plan plan;
      plan.devices = p;
      for (const PlanVertex &vertex : graph.vertices)
        plan.vertices.push_back(
            {vertex.name, PartVector(vertex.labels.size(), 1), {}});
      // Only the product of the parts counts.
      plan.vertices[2].parts[0] = p;
      double touched = boundPlans(graph, plan).vertices[2].touched;
      double published = memoryIndependentBound(m, n, k, p);
      EXPECT_NEAR(touched, published, published * 1e-6)
          << m << " x " << n << " x " << k << " on " << p;
    }
  }
}

TEST(LowerBounds, SaysHowFarTheChainIs) {
  PlanGraph graph = chainGraph();
  Plan plan = exactPlan(graph, 8);
  PlanBounds bounds = boundPlans(graph, plan);
  // Three products of 5 n^2 elements each, a sum of two matrices.
  double square = 4096.0 * 4096;
  EXPECT_NEAR(bounds.cost, 17 * square, square * 1e-6);
  EXPECT_LE(bounds.cost, plan.lowerBound);
}

TEST(LowerBounds, TakesModels) {
  PlanGraph graph = llamaGraph(32);
  Plan plan = exactPlan(graph, 8);
  PlanBounds bounds = boundPlans(graph, plan);
  EXPECT_EQ(bounds.vertices.size(), graph.vertices.size());
  EXPECT_GT(bounds.cost, 0);
  EXPECT_LE(bounds.cost, plan.cost);
  EXPECT_LE(boundPlans(graph, plan, int64_t(16) << 30).bytes,
            plan.placement.totalBytes());
}

} // namespace

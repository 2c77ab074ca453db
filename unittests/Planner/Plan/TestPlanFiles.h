//===- TestPlanFiles.h - Plans as files and back ----------------*- C++ -*-===//

#ifndef TAPESTRY_UNITTESTS_PLANNER_PLAN_TESTPLANFILES_H
#define TAPESTRY_UNITTESTS_PLANNER_PLAN_TESTPLANFILES_H

#include "../TestGraphs.h"
#include "tapestry/Planner/Plan/PlanFile.h"
#include "gtest/gtest.h"

namespace tapestry::test {

inline std::string textOf(const model::PlanGraph &graph,
                          const plan::Plan &plan) {
  std::string text;
  llvm::raw_string_ostream os(text);
  plan::writePlan(os, graph, plan);
  return text;
}

/// A matrix product and its row sums.
inline model::PlanGraph product() {
  GraphBuilder b;
  b.input("A", {24, 30}).input("B", {30, 18});
  b.vertex("C", "i k", {{"A", "i j"}, {"B", "j k"}});
  b.vertex("S", "i", {{"C", "i k"}});
  return b.graph;
}

inline void expectSame(const plan::Plan &a, const plan::Plan &b) {
  EXPECT_EQ(a.program, b.program);
  EXPECT_EQ(a.devices, b.devices);
  EXPECT_EQ(a.userGrid, b.userGrid);
  EXPECT_EQ(a.grid, b.grid);
  EXPECT_EQ(a.solver, b.solver);
  EXPECT_EQ(a.costModel, b.costModel);
  EXPECT_EQ(a.cost, b.cost);
  EXPECT_EQ(a.lowerBound, b.lowerBound);
  EXPECT_EQ(a.provedOptimal, b.provedOptimal);
  EXPECT_EQ(a.planSeconds, b.planSeconds);
  EXPECT_EQ(a.peakBytesPerDevice, b.peakBytesPerDevice);
  ASSERT_EQ(a.vertices.size(), b.vertices.size());
  for (unsigned v = 0; v < a.vertices.size(); ++v) {
    EXPECT_EQ(a.vertices[v].parts, b.vertices[v].parts);
    EXPECT_TRUE(a.placement.vertices[v].partition ==
                b.placement.vertices[v].partition);
    EXPECT_EQ(a.placement.vertices[v].home, b.placement.vertices[v].home);
    EXPECT_EQ(a.vertices[v].cost.total(), b.vertices[v].cost.total());
  }
  ASSERT_EQ(a.placement.collectives.size(), b.placement.collectives.size());
  for (unsigned c = 0; c < a.placement.collectives.size(); ++c)
    EXPECT_EQ(a.placement.collectives[c].bytes,
              b.placement.collectives[c].bytes);
}

} // namespace tapestry::test

#endif // TAPESTRY_UNITTESTS_PLANNER_PLAN_TESTPLANFILES_H

//===- PlanDrawing.h - What a picture of a plan shows -----------*- C++ -*-===//
//
// Nodes and edges of the cut graph with the collectives that belong to each,
// repeated blocks folded into one.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_PLANNER_REPORT_PLANDRAWING_H
#define TAPESTRY_LIB_PLANNER_REPORT_PLANDRAWING_H

#include "tapestry/Planner/Report/PlanPicture.h"

namespace tapestry::report {

struct DrawnNode {
  /// The vertex; nothing for a box that stands for several repetitions.
  std::optional<unsigned> vertex;
  /// Of a box: how many repetitions of the block above it, and their vertices.
  unsigned repetitions = 0;
  std::vector<unsigned> folded;
  /// Collectives that bring the vertex' result home; of a box all of its own.
  /// Numbers in the plan's list.
  std::vector<unsigned> collectives;
};

struct DrawnEdge {
  /// Numbers of nodes, `from` smaller.
  unsigned from = 0;
  unsigned to = 0;
  /// Collectives that fetch the operand; none where it is stored or made as it
  /// is read.
  std::vector<unsigned> collectives;
};

struct PlanDrawing {
  std::vector<DrawnNode> nodes;
  std::vector<DrawnEdge> edges;
};

/// The drawing of a plan. Graphs of more than `foldFrom` vertices have the
/// longest run of at least three equal blocks of vertices folded: the first
/// block is drawn, the others become one box.
PlanDrawing drawPlan(const model::PlanGraph &graph, const plan::Plan &plan,
                     unsigned foldFrom);

} // namespace tapestry::report

#endif // TAPESTRY_LIB_PLANNER_REPORT_PLANDRAWING_H

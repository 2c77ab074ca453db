//===- TreeBounds.h - What a choice costs along spanning trees --*- C++ -*-===//
//
// A dual bound leaves every variable and edge with excesses, none below 0: a
// solution costs the bound and the sum of its own. The least sum over all
// variables and the edges of a spanning tree, with one choice fixed, comes from
// two passes over the tree, and bounds every solution with that choice.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_PLANNER_OPTIMIZE_TREEBOUNDS_H
#define TAPESTRY_LIB_PLANNER_OPTIMIZE_TREEBOUNDS_H

#include "tapestry/Planner/Optimize/Problem.h"

namespace tapestry::optimize {

struct Excesses {
  const PlanProblem &problem;
  /// Per variable and choice.
  std::vector<std::vector<double>> ofVariable;
  /// Per edge and end (from, to) and class: an edge's excess is its table's
  /// entry less the messages of both ends and less the least such difference.
  const std::vector<std::vector<double>> &messages;
  std::vector<double> leastOfEdge;
  /// No solution costs less.
  double bound = 0;
};

/// Raises the bounds of choices by up to `trees` spanning trees that share few
/// edges; each looks at every entry of every table about twice.
void raiseByTrees(const Excesses &excesses, unsigned trees,
                  std::vector<std::vector<double>> &choiceBounds);

/// Per class of one side, the least of table - minus over the other side's.
void leastPerClass(const CostTable &table, bool ofColumns,
                   const std::vector<double> &minus,
                   std::vector<double> &least);

} // namespace tapestry::optimize

#endif // TAPESTRY_LIB_PLANNER_OPTIMIZE_TREEBOUNDS_H

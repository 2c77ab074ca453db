//===- Explain.h - A plan as a table for people -----------------*- C++ -*-===//
//
// What `tapestry plan` prints: what was chosen and what it costs; with
// --explain also what the next best choices would have cost.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_PLANNER_EXPLAIN_H
#define TAPESTRY_PLANNER_EXPLAIN_H

#include "tapestry/Planner/Plan.h"

namespace tapestry {

struct ExplainOptions {
  /// How many other choices are shown for each vertex.
  unsigned alternatives = 3;
};

/// Another partition of one vertex.
struct Alternative {
  PartVector parts;
  /// What the whole plan would cost more (or less, if the plan is not optimal)
  /// with this partition while all other vertices keep theirs.
  double extraCost = 0;
};

/// The cheapest viable partitions of vertex number `vertex` beside the plan's
/// own, cheapest first, at most `count`. Empty for an input that follows its
/// only reader.
std::vector<Alternative> alternativesFor(const PlanGraph &graph,
                                         const Plan &plan, unsigned vertex,
                                         unsigned count);

/// A summary, a table of all vertices and one of the collectives, in aligned
/// columns.
std::string planTable(const PlanGraph &graph, const Plan &plan);

/// planTable() and the best alternatives for every vertex.
std::string explainPlan(const PlanGraph &graph, const Plan &plan,
                        const ExplainOptions &options = {});

} // namespace tapestry

#endif // TAPESTRY_PLANNER_EXPLAIN_H

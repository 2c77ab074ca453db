//===- LowerBounds.h - What no plan can save --------------------*- C++ -*-===//
//
// Lower bounds on communication, from the index space and the projections of a
// vertex alone: how few elements can the share of one device touch? They say
// how much better a plan could be at all, whichever search found it.
//
// The common ground is the inequality of Hoelder, Brascamp and Lieb: a set E of
// index points whose images under the projections have x_j elements has at most
// prod x_j^{s_j} points for all s with sum_{j has label l} s_j >= 1 (Christ,
// Demmel, Knight, Scanlon and Yelick 2013, "Communication lower bounds and
// optimal algorithms for programs that reference arrays", section 6.3: every
// subscript a label; Loomis and Whitney 1949 for the matrix product). By linear
// programming duality the least sum of images of a set is that of a box whose
// sides are real numbers between 1 and the extents, which is what is computed
// here: for the matrix product the three regimes of Demmel et al. 2013
// ("Communication-optimal parallel recursive rectangular matrix
// multiplication") with the tight constants of Al Daas et al. 2022.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_PLANNER_EXPLAIN_LOWERBOUNDS_H
#define TAPESTRY_PLANNER_EXPLAIN_LOWERBOUNDS_H

#include "tapestry/Planner/Plan/Plan.h"

namespace tapestry::explain {

/// What bounds say of one vertex that is cut into `parts` blocks.
struct VertexBound {
  /// Whether values of several operands are combined and reduced.
  bool isContraction = false;
  /// The product of the extents by which operands the labels belong to; only
  /// where there are two operands and each label is in exactly two of the
  /// three arrays, or in all (`batch`).
  bool isMatrixProduct = false;
  double m = 1, n = 1, k = 1, batch = 1;
  double parts = 1;
  /// Elements of operands and result that the busiest device touches at least,
  /// and what it touches in the plan.
  double touched = 0;
  double plannedTouched = 0;
  /// Elements that the busiest device receives at least if one copy of every
  /// operand and of the result is spread evenly: `touched` less that share. The
  /// situation of the literature, not of our plans.
  double receivedFromEven = 0;
  /// What the plan's cost model charges at least; 0: not known.
  double cost = 0;
  /// Bytes that collectives bring at least, summed over all devices, to fetch
  /// operands that the program computes and to combine partial results, under
  /// this program's rules: inputs are stored as they are read, in as many
  /// copies as memory allows, at no cost. Infinity where no cut into `parts`
  /// blocks fits into memory.
  double bytes = 0;
};

/// What bounds say of a plan. They hold for every plan that cuts each vertex
/// into as many blocks as this one does, however: any labels, axes, layouts,
/// homes and routes.
struct PlanBounds {
  std::vector<VertexBound> vertices;
  /// The sum of `cost`: no plan costs less under the plan's cost model.
  double cost = 0;
  /// No plan's collectives send fewer bytes (`Placement::totalBytes`). Not the
  /// plain sum, since a tensor that is fetched once may serve several readers:
  /// every tensor's traffic is counted for at most one reader.
  double bytes = 0;
};

/// Bounds for plans on the plan's devices. `memoryBytes` is what one device
/// has; 0: any amount. A vertex's operands, and what it reduces to, are held at
/// once.
PlanBounds boundPlans(const model::PlanGraph &graph, const plan::Plan &plan,
                      int64_t memoryBytes = 0);

} // namespace tapestry::explain

#endif // TAPESTRY_PLANNER_EXPLAIN_LOWERBOUNDS_H

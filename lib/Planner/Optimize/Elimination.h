//===- Elimination.h - Variable elimination within limits -------*- C++ -*-===//
//
// What the solvers share: the exact solution of a problem, or of the part of a
// problem that is left, where elimination is cheap enough. Memory terms are not
// looked at.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_PLANNER_OPTIMIZE_ELIMINATION_H
#define TAPESTRY_LIB_PLANNER_OPTIMIZE_ELIMINATION_H

#include "tapestry/Planner/Optimize/Problem.h"
#include <limits>

namespace tapestry::optimize {

struct EliminationLimits {
  /// Gives up before one step of more sums than this.
  double mostStepWork = std::numeric_limits<double>::infinity();
  /// Gives up once more sums than this have been formed.
  double mostWork = std::numeric_limits<double>::infinity();
  /// The most bytes to fill with tables.
  int64_t tableBytes = int64_t(2) << 30;
};

struct Elimination {
  /// False where the work would have exceeded the limits.
  bool isComplete = false;
  /// Where complete, one choice per variable of the least total cost.
  std::vector<uint32_t> choice;
  /// The sums that were formed.
  double work = 0;
};

/// Fails where tables would need too much memory; the error names the variable.
llvm::Expected<Elimination> eliminateAll(const PlanProblem &problem,
                                         const EliminationLimits &limits);

} // namespace tapestry::optimize

#endif // TAPESTRY_LIB_PLANNER_OPTIMIZE_ELIMINATION_H

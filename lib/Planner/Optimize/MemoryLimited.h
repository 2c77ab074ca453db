//===- MemoryLimited.h - Solving with a memory limit ------------*- C++ -*-===//

#ifndef TAPESTRY_LIB_PLANNER_OPTIMIZE_MEMORYLIMITED_H
#define TAPESTRY_LIB_PLANNER_OPTIMIZE_MEMORYLIMITED_H

#include "tapestry/Planner/Optimize/Solver.h"

namespace tapestry::optimize {

/// The optimum among the plans that keep the problem's memoryLimit. Fails with
/// the numbers where it is not proved within SolverOptions::work, and where no
/// plan keeps the limit.
llvm::Expected<Solution> solveExactWithinMemory(const PlanProblem &problem,
                                                const SolverOptions &options);

/// The best plan found that keeps the limit, with a certified lower bound.
/// Fails where there is none or none was found.
llvm::Expected<Solution> solveAnytimeWithinMemory(const PlanProblem &problem,
                                                  const SolverOptions &options);

} // namespace tapestry::optimize

#endif // TAPESTRY_LIB_PLANNER_OPTIMIZE_MEMORYLIMITED_H

//===- MemoryLimited.h - Solving with a memory limit ------------*- C++ -*-===//

#ifndef TAPESTRY_LIB_PLANNER_OPTIMIZE_MEMORYLIMITED_H
#define TAPESTRY_LIB_PLANNER_OPTIMIZE_MEMORYLIMITED_H

#include "MemoryRows.h"
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

/// Says of need.choice when it holds most, and who does.
void findHolders(const PlanProblem &problem, const MemoryRows &rows,
                 MemoryNeed &need);
/// "'W' (33554432), 'X' (1024) and others (64)"
std::string describeHolders(const MemoryNeed &need);

} // namespace tapestry::optimize

#endif // TAPESTRY_LIB_PLANNER_OPTIMIZE_MEMORYLIMITED_H

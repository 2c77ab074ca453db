//===- Solver.h - Solvers side by side behind one signature -----*- C++ -*-===//
//
// A solver turns a PlanProblem into a Solution and knows nothing else. To add
// one: a .cpp of its own, its declaration here, a line in Solver.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_PLANNER_SOLVER_H
#define TAPESTRY_PLANNER_SOLVER_H

#include "tapestry/Planner/Problem.h"

namespace tapestry {

struct SolverOptions {
  /// The most bytes that one solver may fill with tables.
  int64_t tableBytes = int64_t(2) << 30;
};

using SolverFunction = llvm::Expected<Solution> (*)(const PlanProblem &,
                                                    const SolverOptions &);

/// The paper's dynamic programme (sections 8.2 to 8.4): the graph is taken
/// apart into longest paths of variables with work, and each path is solved
/// exactly while what joins it to other paths is ignored; variables without
/// work then suit their neighbours best. Ties go to the smallest choice. Fast,
/// not optimal; its lower bound is a dual one (Bound.h).
llvm::Expected<Solution> solveEinDecomp(const PlanProblem &problem,
                                        const SolverOptions &options = {});

/// Variable elimination over the whole graph on interface classes: the optimum,
/// proved. Equal problems give equal solutions, ties included. Fails when
/// intermediate tables would exceed SolverOptions::tableBytes.
llvm::Expected<Solution> solveExact(const PlanProblem &problem,
                                    const SolverOptions &options = {});

struct SolverInfo {
  llvm::StringRef name;
  llvm::StringRef summary;
  SolverFunction solve;
};

/// All solvers, the default one first.
llvm::ArrayRef<SolverInfo> allSolvers();

/// The solver of this name; the error lists the names there are.
llvm::Expected<const SolverInfo *> solverNamed(llvm::StringRef name);

} // namespace tapestry

#endif // TAPESTRY_PLANNER_SOLVER_H

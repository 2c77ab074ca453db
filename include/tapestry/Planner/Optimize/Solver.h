//===- Solver.h - Solvers side by side behind one signature -----*- C++ -*-===//
//
// A solver turns a PlanProblem into a Solution and knows nothing else. To add
// one: a .cpp of its own, its declaration here, a line in Solver.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_PLANNER_OPTIMIZE_SOLVER_H
#define TAPESTRY_PLANNER_OPTIMIZE_SOLVER_H

#include "tapestry/Planner/Optimize/Problem.h"
#include <limits>

namespace tapestry::optimize {

/// Solutions were found, but not proved to be best by a solver that promises
/// that. The message says how good they are.
class NotProvedError : public llvm::ErrorInfo<NotProvedError, FaultError> {
public:
  static char ID;
  explicit NotProvedError(std::string text)
      : ErrorInfo(Fault::Program, "", std::move(text)) {}
};

struct SolverOptions {
  /// The most bytes that one solver may fill with tables.
  int64_t tableBytes = int64_t(2) << 30;
  /// About how many elementary sums `bounded` may form, and `exact` under a
  /// memory limit; one core forms about 10^9 a second. A count and not a time,
  /// so that equal problems give equal solutions on any machine.
  double work = 3e9;
  /// About how many of them `exact` may form before it gives up.
  double mostWork = std::numeric_limits<double>::infinity();
};

using SolverFunction = llvm::Expected<Solution> (*)(const PlanProblem &,
                                                    const SolverOptions &);

/// The paper's dynamic programme (sections 8.2 to 8.4): the graph is taken
/// apart into longest paths of variables with work, and each path is solved
/// exactly while what joins it to other paths is ignored; variables without
/// work then suit their neighbours best. Ties go to the smallest choice. Fast,
/// not optimal; its lower bound is a dual one (DualBound.h). Refuses a memory
/// limit.
llvm::Expected<Solution> solveEinDecomp(const PlanProblem &problem,
                                        const SolverOptions &options = {});

/// Variable elimination over the whole graph on interface classes: the optimum,
/// proved (to 10^-9 of its value). Equal problems give equal solutions, ties
/// included. Fails when intermediate tables would exceed
/// SolverOptions::tableBytes, and where it would form more sums than
/// SolverOptions::mostWork. A memory limit is met by branch and bound over
/// its Lagrangian relaxation; see leastMemory() for problems without a plan.
llvm::Expected<Solution> solveExact(const PlanProblem &problem,
                                    const SolverOptions &options = {});

/// The best plan found within SolverOptions::work and a certified lower bound;
/// proved where elimination or the bound get that far. Honours a memory limit.
llvm::Expected<Solution> solveAnytime(const PlanProblem &problem,
                                      const SolverOptions &options = {});

/// The least memory that a plan needs, whatever it costs.
struct MemoryNeed {
  /// The smallest peak found, in bytes per device, and the step it is at.
  int64_t bytes = 0;
  unsigned step = 0;
  /// No plan's peak is smaller; equal to `bytes` where that is proved smallest.
  int64_t lowerBound = 0;
  /// Who holds bytes at the step, most first: the tensors that the terms name;
  /// else what an edge holds counts for the variable that it leads to.
  std::vector<std::pair<std::string, int64_t>> holders;
  std::vector<uint32_t> choice;
};

/// Minimises the peak over all plans; memoryLimit is not looked at.
llvm::Expected<MemoryNeed> leastMemory(const PlanProblem &problem,
                                       const SolverOptions &options = {});

/// "67.1 MB at step 12: 'W' 33.5 MB, ...", with bytes in full.
std::string describeMemoryNeed(const MemoryNeed &need);

struct SolverInfo {
  llvm::StringRef name;
  llvm::StringRef summary;
  SolverFunction solve;
};

/// All solvers, the default one first.
llvm::ArrayRef<SolverInfo> allSolvers();

/// The solver of this name; the error lists the names there are.
llvm::Expected<const SolverInfo *> solverNamed(llvm::StringRef name);

} // namespace tapestry::optimize

#endif // TAPESTRY_PLANNER_OPTIMIZE_SOLVER_H

//===- Solver.cpp - The solvers by name -----------------------------------===//

#include "tapestry/Planner/Optimize/Solver.h"
#include "llvm/ADT/STLExtras.h"

using namespace tapestry;
using namespace tapestry::optimize;

char NotProvedError::ID = 0;

llvm::ArrayRef<SolverInfo> optimize::allSolvers() {
  static const SolverInfo solvers[] = {
      {"exact", "elimination over the whole graph: a proved optimum",
       solveExact},
      {"bounded", "the best plan within a fixed effort, and how good it is",
       solveAnytime},
      {"eindecomp", "the paper's dynamic programme along longest paths",
       solveEinDecomp},
  };
  return solvers;
}

llvm::Expected<const SolverInfo *> optimize::solverNamed(llvm::StringRef name) {
  std::string known;
  for (const SolverInfo &solver : allSolvers()) {
    if (solver.name == name)
      return &solver;
    known += (known.empty() ? "'" : ", '") + solver.name.str() + "'";
  }
  return faultError(Fault::Usage, "", "unknown solver '", name, "', there are ",
                    known);
}

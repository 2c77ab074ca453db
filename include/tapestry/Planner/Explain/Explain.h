//===- Explain.h - A plan as a table for people -----------------*- C++ -*-===//
//
// What `tapestry plan` prints: what was chosen and what it costs; with
// --explain also where traffic and memory go, what no plan can save, and what
// the next best choices would have cost.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_PLANNER_EXPLAIN_EXPLAIN_H
#define TAPESTRY_PLANNER_EXPLAIN_EXPLAIN_H

#include "tapestry/Planner/Optimize/Alternatives.h"
#include "tapestry/Planner/Plan/Plan.h"

namespace tapestry::explain {

struct ExplainOptions {
  /// How many other choices are shown for each vertex.
  unsigned alternatives = 3;
  /// The vertices whose alternatives are shown; empty: all.
  std::vector<std::string> vertices;
  /// All others are chosen anew with each alternative of a vertex: by marginals
  /// (alternativesByMarginals()) where there is no memory limit and they keep
  /// their limits, else by solving the problem again for each. Then, without
  /// `vertices`, only this many vertices are treated so (the dearest first),
  /// and for those beyond others keep their choices. 0: as many as take a few
  /// seconds. Any other number rules marginals out.
  unsigned reoptimized = 0;
  /// Bytes of one device, a limit for alternatives and lower bounds; 0: any
  /// amount.
  int64_t memoryBytes = 0;
};

/// A plan as a solution of the problem that it was found in.
class ExplainedProblem {
public:
  /// The problem of the plan's cost model, machine, devices and graph, which
  /// must outlive it. Fails where it is too large.
  static llvm::Expected<ExplainedProblem> make(const model::PlanGraph &graph,
                                               const plan::Plan &plan,
                                               int64_t memoryLimit = 0);

  const optimize::PlanProblem &problem() const { return built->problem(); }
  /// What its variables and choices mean.
  const cost::ModelProblem &meaning() const { return *built; }
  /// The variable that says how a vertex is cut; nothing where another vertex
  /// or nobody decides that.
  std::optional<unsigned> variableOf(unsigned vertex) const {
    return built->variableOf(vertex);
  }
  /// The parts of a vertex under a choice of its variable.
  PartVector partsOf(unsigned vertex, uint32_t choice) const {
    return built->partsOf(vertex, choice);
  }
  /// One per variable; nothing for a variable whose choice in the plan the
  /// problem does not have (a plan written by hand).
  llvm::ArrayRef<std::optional<uint32_t>> choice() const { return chosen; }

private:
  std::unique_ptr<cost::ModelProblem> built;
  std::vector<std::optional<uint32_t>> chosen;
};

/// A summary, a table of all vertices and one of the collectives, in aligned
/// columns.
std::string planTable(const model::PlanGraph &graph, const plan::Plan &plan);

/// planTable(), traffic per kind and per grid axis, devices without work of
/// their own, memory while each vertex runs, lower bounds, and the best
/// alternatives. Fails for a name in options.vertices that no vertex has, and
/// where the plan's problem cannot be built.
llvm::Expected<std::string> explainPlan(const model::PlanGraph &graph,
                                        const plan::Plan &plan,
                                        const ExplainOptions &options = {});

} // namespace tapestry::explain

#endif // TAPESTRY_PLANNER_EXPLAIN_EXPLAIN_H

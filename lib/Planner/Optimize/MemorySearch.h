//===- MemorySearch.h - Branch and bound under a memory limit ---*- C++ -*-===//

#ifndef TAPESTRY_LIB_PLANNER_OPTIMIZE_MEMORYSEARCH_H
#define TAPESTRY_LIB_PLANNER_OPTIMIZE_MEMORYSEARCH_H

#include "MemoryRelaxation.h"
#include "tapestry/Planner/Optimize/DualBound.h"

namespace tapestry::optimize {

/// Splits the choices of variables until the relaxation's bound of every part
/// reaches the cost of the best plan found.
class MemorySearch {
public:
  /// Without costs, any plan that keeps the limit will do.
  MemorySearch(const PlanProblem &problem, const MemoryRows &rows,
               int64_t limit, bool withCosts, const SolverOptions &options)
      : problem(problem), rows(rows), limit(limit), withCosts(withCosts),
        options(options), relaxation(rows, options) {}

  /// Takes a plan into account that may or may not keep the limit.
  void offer(const std::vector<uint32_t> &choice);
  /// Searches until it is done or `mostWork` sums have been formed.
  void run(double mostWork);

  /// The best plan found; empty: none.
  std::vector<uint32_t> choice;
  double cost = std::numeric_limits<double>::infinity();
  /// No plan costs less; infinity where none keeps the limit.
  double lowerBound = -std::numeric_limits<double>::infinity();
  /// Whether the search came to its end.
  bool isDone = false;
  /// Sums formed.
  double work = 0;

private:
  struct Node {
    /// The choices left, per variable.
    std::vector<std::vector<uint32_t>> kept;
    Prices prices;
    double bound = -std::numeric_limits<double>::infinity();
    bool isRoot = false;
  };
  /// The bound that a part must stay below to be of interest.
  double target() const;
  double spent() const { return work + relaxation.work; }
  /// Works on a node: bounds, cuts down and, where that is not the end, splits.
  void expand(Node node);
  /// Raises the node's bound; the last point becomes `point`.
  void raiseBound(Node &node, const ReducedProblem &part,
                  MemoryRelaxation::Point &point);
  /// Leaves out choices that cannot keep the limit, or not at a cost of
  /// interest; returns false where none is left.
  bool dropByMemory(Node &node, const ReducedProblem &part, bool &dropped);
  void dropByCost(Node &node, const ReducedProblem &part, bool &dropped);
  void split(Node node, const ReducedProblem &part,
             const MemoryRelaxation::Point &point);
  void offerPart(const ReducedProblem &part, std::vector<uint32_t> partChoice);

  const PlanProblem &problem;
  const MemoryRows &rows;
  int64_t limit;
  bool withCosts;
  const SolverOptions &options;
  MemoryRelaxation relaxation;
  std::vector<Node> open;
};

} // namespace tapestry::optimize

#endif // TAPESTRY_LIB_PLANNER_OPTIMIZE_MEMORYSEARCH_H

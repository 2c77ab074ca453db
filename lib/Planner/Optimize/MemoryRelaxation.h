//===- MemoryRelaxation.h - Bounds under a memory limit ---------*- C++ -*-===//
//
// Lagrangian relaxation: a price per byte and row takes the place of the limit,
// and what is left is a problem that elimination solves. Any prices give a
// lower bound on every plan that keeps the limit.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_PLANNER_OPTIMIZE_MEMORYRELAXATION_H
#define TAPESTRY_LIB_PLANNER_OPTIMIZE_MEMORYRELAXATION_H

#include "MemoryRows.h"
#include "tapestry/Planner/Optimize/Solver.h"
#include <functional>
#include <limits>

namespace tapestry::optimize {

class MemoryRelaxation {
public:
  MemoryRelaxation(const MemoryRows &rows, const SolverOptions &options)
      : rows(rows), options(options) {}

  /// A cheapest choice at some prices.
  struct Point {
    /// No choice's priced cost is less.
    double least = 0;
    std::vector<uint32_t> choice;
    std::vector<int64_t> held;
  };
  Point minimise(const PlanProblem &problem, const Prices &prices,
                 bool withCosts);

  /// Called with every point on the way; returns false to stop there.
  using Visitor = std::function<bool(const Point &)>;

  /// Raises the bound on the cost of plans that keep `limit`, starting from
  /// `prices`, and leaves the best prices in it. Stops after `iterations`, when
  /// the bound reaches `target` (the cost of a known plan, or infinity), or
  /// where no prices do better.
  double raiseCostBound(const PlanProblem &problem, int64_t limit,
                        double target, unsigned iterations, Prices &prices,
                        const Visitor &visit);

  /// A lower bound on every plan's peak, in bytes. Stops after `iterations`, or
  /// once the bound exceeds `enough`.
  int64_t raisePeakBound(const PlanProblem &problem, unsigned iterations,
                         int64_t enough, const Visitor &visit);

  /// Sums formed so far.
  double work = 0;

private:
  /// Raises the scale of the prices' direction to where the bound is largest.
  double searchAlong(const PlanProblem &problem, int64_t limit, double target,
                     Prices &prices, const Visitor &visit);

  const MemoryRows &rows;
  const SolverOptions &options;
  /// Once elimination was too much, the dual bound takes its place.
  bool mayEliminate = true;
};

} // namespace tapestry::optimize

#endif // TAPESTRY_LIB_PLANNER_OPTIMIZE_MEMORYRELAXATION_H

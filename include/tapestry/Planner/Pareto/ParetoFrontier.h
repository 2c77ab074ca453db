//===- ParetoFrontier.h - Points of several objectives ----------*- C++ -*-===//
//
// What a multi-objective search asks of points: which dominates which, how far
// one is behind a frontier, and how much of the space a frontier wins. Knows
// nothing of plans.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_PLANNER_PARETO_PARETOFRONTIER_H
#define TAPESTRY_PLANNER_PARETO_PARETOFRONTIER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <array>
#include <limits>
#include <vector>

namespace tapestry::pareto {

/// What a plan is judged by; less is better for each.
enum Objective : unsigned {
  Seconds, ///< of one run, by the cost model `spmd`
  Bytes,   ///< that all devices send together
  Memory,  ///< bytes that the fullest device holds at its peak
  Devices, ///< that take part
};
constexpr unsigned numObjectives = 4;

/// One number per objective, not negative.
using Objectives = std::array<double, numObjectives>;

/// "seconds", "bytes", "peak_bytes_per_device", "devices".
llvm::StringRef stringifyObjective(Objective objective);

constexpr Objectives noLimits = {std::numeric_limits<double>::infinity(),
                                 std::numeric_limits<double>::infinity(),
                                 std::numeric_limits<double>::infinity(),
                                 std::numeric_limits<double>::infinity()};

/// Whether `a` is nowhere worse than `b` and somewhere better. Equal points do
/// not dominate each other.
bool dominates(const Objectives &a, const Objectives &b);

/// Whether `a` is nowhere worse than `b`: dominates it or equals it.
bool covers(const Objectives &a, const Objectives &b);

/// The numbers of the points that no other point dominates, ascending; of equal
/// points the first.
std::vector<unsigned> nondominated(llvm::ArrayRef<Objectives> points);

/// Brings objectives that differ by orders of magnitude to one scale: the
/// logarithm of 1 + x / unit, with a unit per objective. A step of the same
/// length is then the same ratio in every objective, and 0 stays 0.
class ObjectiveScale {
public:
  /// The unit of an objective is the least positive value in `samples`, and the
  /// reference point is `margin` beyond the worst scaled values.
  explicit ObjectiveScale(llvm::ArrayRef<Objectives> samples,
                          double margin = 0.1);
  Objectives operator()(const Objectives &point) const;
  /// The corner from which hypervolumes are measured, scaled.
  const Objectives &reference() const { return corner; }

private:
  Objectives unit;
  Objectives corner;
};

/// The volume of the space between `reference` and what the points cover: the
/// union of the boxes [point, reference]. Points beyond the reference in some
/// objective add nothing. By WFG's exclusive volumes (While, Bradstreet,
/// Barone 2012), about n^2 log n for four objectives in practice.
double hypervolume(llvm::ArrayRef<Objectives> points,
                   const Objectives &reference);

/// What `point` adds to the hypervolume of `points`.
double exclusiveVolume(const Objectives &point,
                       llvm::ArrayRef<Objectives> points,
                       const Objectives &reference);

/// How far `point` is behind the frontier: the least amount by which all its
/// objectives have to shrink until no member dominates it; 0 on the frontier or
/// before it.
double distanceBehind(const Objectives &point,
                      llvm::ArrayRef<Objectives> frontier);

/// By how much `point` breaks the limits: the sum of what is too much. Scaled
/// points and scaled limits give a sum of log-ratios.
double violation(const Objectives &point, const Objectives &limits);

} // namespace tapestry::pareto

#endif // TAPESTRY_PLANNER_PARETO_PARETOFRONTIER_H

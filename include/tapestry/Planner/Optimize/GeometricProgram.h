//===- GeometricProgram.h - Least sums over real cuts -----------*- C++ -*-===//
//
// Minimises sums of products of parts over all real-valued cuts of an index
// space, with a certificate: what lower bounds on communication come down to.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_PLANNER_OPTIMIZE_GEOMETRICPROGRAM_H
#define TAPESTRY_PLANNER_OPTIMIZE_GEOMETRICPROGRAM_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <vector>

namespace tapestry::optimize {

/// All d with 1 <= d[l] <= caps[l] and a product of `parts`.
struct RealCutSpace {
  llvm::SmallVector<double, 6> caps;
  double parts = 1;
};

/// factor * product of d[l]^exponents[l]; the factor is not negative, one
/// exponent per label.
struct Monomial {
  double factor = 0;
  llvm::SmallVector<int, 6> exponents;
};
using Posynomial = std::vector<Monomial>;

struct CutMinimum {
  /// No cut of the space has less: log f is convex in log d, so its linear
  /// model at any point lies below it, and the least of a linear function over
  /// the space is found by filling the labels in order. Rounding is allowed
  /// for.
  double bound = 0;
  /// f at the best cut that was found, and that cut.
  double value = 0;
  llvm::SmallVector<double, 6> cut;
};

/// The least of f over the space; infinity where the space is empty.
CutMinimum minimizeOverCuts(const RealCutSpace &space, const Posynomial &f);

/// The least of f over the cuts with held(d) <= limit, by Lagrange duality;
/// infinity where every cut holds more.
CutMinimum minimizeOverCuts(const RealCutSpace &space, const Posynomial &f,
                            const Posynomial &held, double limit);

} // namespace tapestry::optimize

#endif // TAPESTRY_PLANNER_OPTIMIZE_GEOMETRICPROGRAM_H

//===- Phases.h - Strided and dilated windows as dense ones -----*- C++ -*-===//
//
// The white paper's "Sparse Strided Convolution", for any affine subscript. In
// s*y + d*r + b every label but one has a coefficient that some g divides. The
// label y in m phases, y = m*q + p with m = g / gcd(s, g), leaves
//
//   g * (s*m/g * q + d/g * r) + s*p + b = g*j + s*p + b
//
// so that all points of a phase read the elements V[j, p] = X[g*j + s*p + b], a
// strided view of X for every p, in windows that are denser by g: of a dilated
// convolution (s = 1) in q + r. Phases share nothing, and who has a phase needs
// no halo of another. Splitting r of s*y + r, d = 1, takes the stride s out,
// and the phases are summed. This is the polyphase decomposition of filters.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_SUPPORT_PHASES_H
#define TAPESTRY_SUPPORT_PHASES_H

#include "tapestry/Support/Projection.h"

namespace tapestry {

/// A label in phases, label = count * q + p: p ranges over `count`, q over
/// `steps`. Where count * steps is more than its extent, the last points are
/// none of the label's.
struct Phases {
  unsigned label = 0;
  int64_t count = 1;
  int64_t steps = 0;

  /// `count` is at least 1 and no more than the label's extent.
  static Phases of(unsigned label, int64_t count, int64_t extent) {
    return {label, count, (extent + count - 1) / count};
  }
  /// How many points are none of the label's.
  int64_t surplus(int64_t extent) const { return count * steps - extent; }
};

/// The fewest phases of a label in which a subscript reads denser windows;
/// nothing where it does not, or divides. One phase means a strided view alone:
/// X[2 * i], or X[2 * i + 4 * k].
std::optional<int64_t> phasesOf(const ProjectionDim &dim, unsigned label,
                                llvm::ArrayRef<int64_t> extents);

/// A subscript taken apart.
struct PhasedDim {
  /// What the view holds: X's subscript of its cell (j, p), j being dimension
  /// 0 and p dimension 1; wraps around as the whole did.
  ProjectionDim view;
  /// j, by the labels, of which the one in phases now means q.
  ProjectionDim read;
  /// j is in [0, extent).
  int64_t extent = 0;
};

/// Takes a subscript apart; nothing where the windows would not be denser.
/// `extents` are those before the split, all positive.
std::optional<PhasedDim> takeApart(const ProjectionDim &dim,
                                   const Phases &phases,
                                   llvm::ArrayRef<int64_t> extents);

/// The subscript without its division and its wrap where over index points of
/// these extents it is linear: (4*i + j) floordiv 4 is i, and mod 4 j, for j
/// below 4. Nothing where it is not.
std::optional<ProjectionDim> linearWithin(const ProjectionDim &dim,
                                          llvm::ArrayRef<int64_t> extents);

} // namespace tapestry

#endif // TAPESTRY_SUPPORT_PHASES_H

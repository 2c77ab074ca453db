//===- Overlap.h - What goes on beside straight-line code -------*- C++ -*-===//
//
// Collectives of a device program are started early and waited for late, so
// that the device computes meanwhile. Where both stand is decided here, on
// numbers: steps of a line, and the buffers that each reads and writes.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_SUPPORT_OVERLAP_H
#define TAPESTRY_SUPPORT_OVERLAP_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tapestry {

/// A product that is reduced over devices is computed in so many parts, where
/// one of them is to go on its way while the next is computed.
constexpr int64_t productParts = 4;

struct LineStep {
  /// Numbers of buffers, which are distinct memory.
  llvm::SmallVector<unsigned, 4> reads, writes;
  /// Nothing may be on its way here: what it touches is not known.
  bool isFence = false;
  /// Something else can go on meanwhile.
  bool takesTime = false;
};

/// A step that reads one buffer and writes another.
struct LineCollective {
  size_t step = 0;
  /// What a device sends.
  int64_t bytes = 0;
  /// It can be started before this step, but no earlier one.
  size_t earliest = 0;
};

/// Where a collective starts, and is complete: before these steps.
struct LineSpan {
  size_t start = 0, wait = 0;
  /// It stays one step.
  bool isWhole = true;
};

struct OverlapLimits {
  /// Collectives of fewer bytes stay whole unless they would have to wait for
  /// others: it takes some time to hand one over.
  int64_t leastBytes = 0;
  /// So many of those that are not too small are on their way at once, as each
  /// keeps its buffers.
  unsigned most = 3;
};

/// A span for each collective, around its own step: from start to wait no other
/// step writes its source or touches its target, nor is a collective started
/// that does. Of those at one place waits come before starts, and starts in the
/// order of the collectives, and one does not start before another that stands
/// before it and could start as early. One that nothing would go on beside
/// stays whole.
std::vector<LineSpan> findSpans(llvm::ArrayRef<LineStep> steps,
                                llvm::ArrayRef<LineCollective> collectives,
                                const OverlapLimits &limits);

} // namespace tapestry

#endif // TAPESTRY_SUPPORT_OVERLAP_H

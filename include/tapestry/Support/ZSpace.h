//===- ZSpace.h - Ranges and boxes of integer points ------------*- C++ -*-===//
//
// The arithmetic of dense integer regions that everything else is derived from:
// half-open ranges, their products (boxes), intersection, bounding box and the
// proof that a set of boxes covers a space exactly once.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_SUPPORT_ZSPACE_H
#define TAPESTRY_SUPPORT_ZSPACE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdint>
#include <optional>
#include <string>

namespace tapestry {

/// The integers lo <= x < hi; empty when hi <= lo.
struct ZRange {
  int64_t lo = 0;
  int64_t hi = 0;

  int64_t size() const { return hi > lo ? hi - lo : 0; }
  bool empty() const { return hi <= lo; }
  bool contains(const ZRange &other) const {
    return other.empty() || (lo <= other.lo && other.hi <= hi);
  }
  /// Any two empty ranges are equal.
  bool operator==(const ZRange &other) const {
    return (empty() && other.empty()) || (lo == other.lo && hi == other.hi);
  }
  bool operator!=(const ZRange &other) const { return !(*this == other); }
};

ZRange intersect(const ZRange &a, const ZRange &b);

/// A product of ranges: a dense region of Z^n. A box of rank 0 holds one point.
using ZBox = llvm::SmallVector<ZRange, 4>;

/// The box [0, extent) in every dimension.
ZBox boxOfShape(llvm::ArrayRef<int64_t> shape);
/// The number of points; 0 when any range is empty, 1 for rank 0.
int64_t volume(llvm::ArrayRef<ZRange> box);
bool isEmpty(llvm::ArrayRef<ZRange> box);
bool contains(llvm::ArrayRef<ZRange> outer, llvm::ArrayRef<ZRange> inner);
/// Boxes of equal rank; an empty intersection keeps its rank.
ZBox intersect(llvm::ArrayRef<ZRange> a, llvm::ArrayRef<ZRange> b);
llvm::SmallVector<int64_t> shapeOf(llvm::ArrayRef<ZRange> box);

/// A point that boxes cover otherwise than exactly once.
struct CoverageFault {
  llvm::SmallVector<int64_t> point;
  /// How many boxes hold the point: 0, 2 or more; 1 where it lies outside.
  int64_t times = 0;
};

/// Proves that `boxes` cover every point of `space` exactly once and nothing
/// outside it, or returns a point that they do not. Empty boxes are ignored.
std::optional<CoverageFault> findCoverageFault(llvm::ArrayRef<ZRange> space,
                                               llvm::ArrayRef<ZBox> boxes);

/// ceil(a / b) for a >= 0, b > 0.
inline int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// Prints "[0, 4) x [2, 5)"; "[]" for rank 0.
void printBox(llvm::raw_ostream &os, llvm::ArrayRef<ZRange> box);
std::string boxToString(llvm::ArrayRef<ZRange> box);

} // namespace tapestry

#endif // TAPESTRY_SUPPORT_ZSPACE_H

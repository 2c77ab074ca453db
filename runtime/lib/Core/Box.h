//===- Box.h - Parts of tensors and copies between them ---------*- C++ -*-===//
//
// A box is a product of half-open ranges; a part of a tensor lies in memory
// row-major in the shape of its box. This file has the arithmetic of boxes and
// the one copy routine that moves a piece from one such memory to another.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_RT_CORE_BOX_H
#define TAPESTRY_RT_CORE_BOX_H

#include "tapestry-rt/ABI.h"
#include "tapestry-rt/Device.h"
#include <string>
#include <vector>

namespace tapestry {
namespace rt {

using Range = TapestryRange;
using Box = std::vector<Range>;

/// A view of a box, or of one of the rows of a table of boxes.
struct BoxRef {
  const Range *ranges = nullptr;
  int rank = 0;

  BoxRef() = default;
  BoxRef(const Range *ranges, int rank) : ranges(ranges), rank(rank) {}
  BoxRef(const Box &box)
      : ranges(box.data()), rank(static_cast<int>(box.size())) {}

  const Range &operator[](int dim) const { return ranges[dim]; }
  Box copy() const { return Box(ranges, ranges + rank); }
};

inline int64_t extent(const Range &range) {
  return range.hi > range.lo ? range.hi - range.lo : 0;
}
/// The number of points; 1 for rank 0.
int64_t volume(BoxRef box);
inline bool isEmpty(BoxRef box) { return volume(box) == 0; }
/// Boxes of equal rank.
bool overlap(BoxRef a, BoxRef b);
Box intersect(BoxRef a, BoxRef b);
/// Whether every point of `inner` lies in `outer`.
bool contains(BoxRef outer, BoxRef inner);
/// Whether both hold the same points.
bool samePoints(BoxRef a, BoxRef b);
/// "[0, 4) x [2, 5)"; "[]" for rank 0.
std::string boxText(BoxRef box);

/// How many elements lie before the first point of `piece` in the memory of
/// `holder`, which contains it. The piece is not empty.
int64_t offsetIn(BoxRef holder, BoxRef piece);
/// Whether `piece` is one contiguous stretch of the memory of `holder`.
bool isContiguousIn(BoxRef holder, BoxRef piece);

/// Copies elements between places that do not overlap: element x of `sizes` to
/// sum x_d * targetStrides_d from sum x_d * sourceStrides_d.
struct StridedCopy {
  std::vector<int64_t> sizes, targetStrides, sourceStrides; // in elements
  int64_t elementSize;
};
void copyStrided(void *target, const void *source, const StridedCopy &copy);

/// Copies the elements of `piece`, which both boxes contain, from the memory of
/// box `from` to the memory of box `to`. The memories do not overlap.
void copyPiece(void *target, BoxRef to, const void *source, BoxRef from,
               BoxRef piece, int64_t elementSize);

/// The same copy as few of stretches, none where the piece is empty.
std::vector<StretchCopy> stretchCopies(void *target, BoxRef to,
                                       const void *source, BoxRef from,
                                       BoxRef piece, int64_t elementSize);

/// Calls `visit(offset, count)` for the contiguous stretches of elements that
/// `piece` occupies in the memory of `holder`, in ascending order. As few as
/// possible: dimensions that the piece fills are merged.
template <typename Visit>
void forEachStretch(BoxRef holder, BoxRef piece, Visit visit) {
  if (isEmpty(piece))
    return;
  // The stretch: all dimensions inside `outer` are full, that one need not be.
  int outer = piece.rank;
  int64_t count = 1;
  while (outer > 0) {
    --outer;
    count *= extent(piece[outer]);
    if (extent(piece[outer]) != extent(holder[outer]))
      break;
  }
  std::vector<int64_t> strides(piece.rank, 1);
  for (int dim = piece.rank - 2; dim >= 0; --dim)
    strides[dim] = strides[dim + 1] * extent(holder[dim + 1]);
  std::vector<int64_t> at(outer, 0);
  int64_t offset = offsetIn(holder, piece);
  while (true) {
    visit(offset, count);
    int dim = outer - 1;
    for (; dim >= 0; --dim) {
      offset += strides[dim];
      if (++at[dim] < extent(piece[dim]))
        break;
      offset -= strides[dim] * at[dim];
      at[dim] = 0;
    }
    if (dim < 0)
      return;
  }
}

} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_CORE_BOX_H

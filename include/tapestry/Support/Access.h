//===- Access.h - What an operator reads of a tensor ------------*- C++ -*-===//
//
// An operator reads a tensor in pieces: boxes of its index space with a
// projection each. Views, concatenations, wrap-around and gathers are such
// pieces, so nobody who plans or lowers needs to know of them.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_SUPPORT_ACCESS_H
#define TAPESTRY_SUPPORT_ACCESS_H

#include "tapestry/Support/Projection.h"

namespace tapestry {

/// What a label of an index space stands for.
enum class LabelKind {
  Parallel, ///< It indexes the result.
  Reduced,  ///< A monoid combines the values along it.
  /// As Reduced, but only one point along it contributes, which the data name:
  /// the table row of a gather. A cut over it leaves partial values; work
  /// counts one point, however the label is cut.
  Selected,
};

/// How much of the region that the projection names is read.
enum class AccessKind {
  Affine,  ///< All of it.
  Whole,   ///< The projection names the whole tensor.
  Indexed, ///< One element per index point, which the data name.
};

/// What is read where the projection leaves the tensor, or, if no piece of an
/// operand holds the index point, there.
enum class AccessFallback {
  None,  ///< Nothing: within its guard a piece never leaves the tensor.
  Pad,   ///< The operand's constant.
  Other, ///< Another piece of the operand: exactly one lies in the tensor.
};

/// One piece of an operand.
struct Access {
  /// From the labels to the tensor's dimensions.
  Projection projection;
  /// The index points that read by this piece, one range per label; empty:
  /// all. Guards of an operand's pieces do not overlap.
  ZBox guard = {};
  AccessKind kind = AccessKind::Affine;
  AccessFallback fallback = AccessFallback::None;

  bool operator==(const Access &o) const {
    return projection == o.projection && guard == o.guard && kind == o.kind &&
           fallback == o.fallback;
  }
  /// Whether both read the same elements at the same points.
  bool readsAs(const Access &o) const {
    return projection == o.projection && guard == o.guard && kind == o.kind;
  }
  /// The part of a box of index points that the piece serves.
  ZBox guarded(llvm::ArrayRef<ZRange> indexBox) const {
    return guard.empty() ? ZBox(indexBox) : intersect(guard, indexBox);
  }
  /// The bounding box of what those points read; not clipped to the tensor.
  ZBox image(llvm::ArrayRef<ZRange> indexBox) const {
    return projection.image(guarded(indexBox));
  }
};

/// The range of the starts of one dimension's regions over an index space of
/// these extents; unlike an image exact where they wrap around.
ZRange startsOfDim(const ProjectionDim &dim, llvm::ArrayRef<int64_t> extents);

/// Folds the dimensions of `projection` in which it leaves a tensor of this
/// shape. Returns the first that cannot be: it wraps around already, or the
/// tensor has no elements.
std::optional<unsigned> foldInto(Projection &projection,
                                 llvm::ArrayRef<int64_t> extents,
                                 llvm::ArrayRef<int64_t> shape, Fold fold);

/// The pieces in which a projection reads that wraps around the whole of a
/// dimension: one per turn, linear, each read where it lies inside the tensor,
/// so that no block reads more of the tensor than it needs. Otherwise, and
/// where a dimension is gone around more than once, the projection alone.
std::vector<Projection> splitTurns(const Projection &projection,
                                   llvm::ArrayRef<int64_t> extents,
                                   llvm::ArrayRef<int64_t> shape);

/// One piece of what an operator writes of a result: the index points of
/// `guard` (empty: all) write the regions that the projection names. The pieces
/// of a result cover it exactly once.
struct Write {
  Projection projection;
  ZBox guard = {};
};

/// Proves that `blocks` write every cell of a tensor of this shape exactly once
/// and nothing outside it, or returns a cell that they do not. What one block
/// writes by one piece counts once, so that its points may share cells.
std::optional<CoverageFault> findWriteFault(llvm::ArrayRef<Write> writes,
                                            llvm::ArrayRef<ZBox> blocks,
                                            llvm::ArrayRef<int64_t> shape);

} // namespace tapestry

#endif // TAPESTRY_SUPPORT_ACCESS_H

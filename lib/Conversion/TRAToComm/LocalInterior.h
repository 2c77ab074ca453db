//===- LocalInterior.h - Points that read what a device has -----*- C++ -*-===//
//
// Private to this folder. Most points of a join read nothing but what a device
// holds anyway, where it lies. Those beside the edges of a tensor, or of what
// the device holds of one, are few: they are computed apart. So nothing is put
// together of what a device holds and what it is sent but their windows.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_CONVERSION_TRATOCOMM_LOCALINTERIOR_H
#define TAPESTRY_LIB_CONVERSION_TRATOCOMM_LOCALINTERIOR_H

#include "tapestry/Dialect/TRA/IR/TRA.h"

namespace tapestry {

struct LocalInterior {
  /// Points of the whole index space that read inside of the tensors; no
  /// ranges where the join's points are not computed apart.
  ZBox inside;
  /// Per label, at how many points at the start and at the end of a block
  /// others hold what is read.
  llvm::SmallVector<int64_t> before, behind;
  /// Whether something is folded of which others hold a part: then points that
  /// read outside of the tensors are apart from those that read what others
  /// hold.
  bool isFolded = false;

  bool apply() const { return !inside.empty(); }
};

/// The points that read inside of a tensor of this shape, folds aside. Each
/// subscript is a constant, or a label and a constant.
ZBox insideOf(const Projection &read, llvm::ArrayRef<int64_t> shape,
              llvm::ArrayRef<int64_t> extents);

/// Finds the interiors of the joins of a program, and which of their inputs
/// stay where they are, with a strip beside them.
class LocalInteriors {
public:
  const LocalInterior &of(tra::JoinOp join);
  /// What devices are sent of a relation whose readers have the rest where it
  /// lies; nothing where a reader wants all in one place.
  std::optional<Layout> rimOf(tra::RepartitionOp moved);

private:
  const std::optional<Layout> &possibleRimOf(tra::RepartitionOp moved);
  LocalInterior find(tra::JoinOp join);
  bool isSplit(tra::JoinOp join, unsigned number, const ZBox &inside);

  llvm::DenseMap<mlir::Operation *, std::unique_ptr<LocalInterior>> interiors;
  llvm::DenseMap<mlir::Operation *, std::unique_ptr<std::optional<Layout>>>
      rims;
};

} // namespace tapestry

#endif // TAPESTRY_LIB_CONVERSION_TRATOCOMM_LOCALINTERIOR_H

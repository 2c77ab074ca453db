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
#include "llvm/ADT/SmallBitVector.h"

namespace tapestry {

struct LocalInterior {
  /// Points of the whole index space that read inside of the tensors; no
  /// ranges where the join's points are not computed apart.
  ZBox inside;
  /// Per label, at how many points at the start and at the end of a block
  /// others hold what is read.
  llvm::SmallVector<int64_t> before, behind;
  /// The labels whose first, or last, block has such points there, too.
  llvm::SmallBitVector lacksFirst, lacksLast;

  /// The same of a block.
  int64_t beforeOf(unsigned label, const ZRange &block) const {
    return block.lo == 0 && !lacksFirst[label] ? 0 : before[label];
  }
  int64_t behindOf(unsigned label, const ZRange &block, int64_t extent) const {
    return block.hi == extent && !lacksLast[label] ? 0 : behind[label];
  }
  bool apply() const { return !inside.empty(); }
};

/// The points that read inside of a tensor of this shape, folds aside. Each
/// subscript is a constant, or a label and a constant.
ZBox insideOf(const Projection &read, llvm::ArrayRef<int64_t> shape,
              llvm::ArrayRef<int64_t> extents);

/// Whether a relation is a part of what was fetched for several pieces.
bool isWindow(tra::RepartitionOp moved);

/// Finds the interiors of the joins of a program, and which of their inputs
/// stay where they are, with strips beside them.
class LocalInteriors {
public:
  const LocalInterior &of(tra::JoinOp join);
  /// What devices are sent of a relation whose readers have the rest where it
  /// lies; nothing where a reader wants all in one place.
  llvm::ArrayRef<Layout> rimsOf(tra::RepartitionOp moved);

private:
  llvm::ArrayRef<Layout> possibleRimsOf(tra::RepartitionOp moved);
  LocalInterior find(tra::JoinOp join);
  bool isSplit(mlir::Value input);
  bool areSplit(mlir::Value relation);

  llvm::DenseMap<mlir::Operation *, std::unique_ptr<LocalInterior>> interiors;
  llvm::DenseMap<mlir::Operation *,
                 std::unique_ptr<llvm::SmallVector<Layout, 2>>>
      rims;
};

} // namespace tapestry

#endif // TAPESTRY_LIB_CONVERSION_TRATOCOMM_LOCALINTERIOR_H

//===- LocalBorders.h - A block in its interior and its borders -*- C++ -*-===//
//
// Private to this folder. Points whose windows leave a tensor are few: they are
// computed apart, so that the others read the tensor where it lies.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_CONVERSION_TRATOCOMM_LOCALBORDERS_H
#define TAPESTRY_LIB_CONVERSION_TRATOCOMM_LOCALBORDERS_H

#include "LocalSpace.h"
#include "tapestry/Dialect/TRA/IR/TRA.h"

namespace tapestry {

class LocalBorders {
public:
  LocalBorders(mlir::OpBuilder &builder, tra::JoinOp join, LocalSpace &space,
               mlir::Value device);

  /// Whether the join is one whose points are computed apart: nothing is
  /// reduced, subscripts are single labels and constants, and most points have
  /// all that they read inside of the tensors.
  bool apply() const { return !interior.empty(); }

  /// A part of the device's block.
  struct Region {
    /// Points of the whole index space that it lies in.
    ZBox within;
    /// Per label the first point, and how many there are.
    llvm::SmallVector<mlir::Value> starts;
    llvm::SmallVector<mlir::OpFoldResult> sizes;
  };
  /// The borders, then the interior. They cover the block exactly once.
  llvm::SmallVector<Region> regions();

  /// What the points of a region read by the operand that begins with input
  /// `first`, from the least index on; `map` gets the subscripts in it.
  mlir::Value window(const Region &region, unsigned first,
                     mlir::ValueRange parts, mlir::AffineMap &map);

private:
  struct Piece;
  void findInterior();
  ZRange pointsOf(const ZBox &within, unsigned label, int64_t device) const;
  mlir::Value slice(const Piece &piece, const Region &region);
  mlir::Value gather(const Piece &piece, const Region &region);
  mlir::Value insert(const Piece &piece, const Region &region,
                     mlir::Value window);
  llvm::ArrayRef<int64_t> shapeOf(unsigned number);
  mlir::Value heldStart(unsigned number, unsigned dim);
  mlir::Value add(mlir::Value a, mlir::Value b);

  mlir::OpBuilder &b;
  tra::JoinOp join;
  mlir::Location loc;
  DeviceGrid grid;
  Partition partition;
  llvm::ArrayRef<int64_t> extents;
  LocalSpace &space;
  mlir::Value device;
  /// Points of the whole index space that read inside; no ranges where there
  /// are none, or everything does.
  ZBox interior;
};

} // namespace tapestry

#endif // TAPESTRY_LIB_CONVERSION_TRATOCOMM_LOCALBORDERS_H

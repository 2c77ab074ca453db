//===- LocalBorders.h - A block in its interior and its borders -*- C++ -*-===//
//
// Private to this folder. Points that read over the edges of a tensor, or of
// what the device holds of it, are computed apart from those that read it where
// it lies.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_CONVERSION_TRATOCOMM_LOCALBORDERS_H
#define TAPESTRY_LIB_CONVERSION_TRATOCOMM_LOCALBORDERS_H

#include "LocalInterior.h"
#include "LocalSpace.h"

namespace tapestry {

/// What devices have of a relation, in a box of its own.
struct HeldPart {
  mlir::Value value;
  index::LayoutAttr layout;
};
/// All that they have of it: one part, or that and strips beside it.
using HeldParts = llvm::SmallVector<HeldPart, 2>;

class LocalBorders {
public:
  LocalBorders(mlir::OpBuilder &builder, tra::JoinOp join,
               const LocalInterior &interior, LocalSpace &space,
               mlir::Value device);

  /// A part of the device's block.
  struct Region {
    /// Per label which of the ranges between edges it is, or all.
    llvm::SmallVector<unsigned> ranges;
    /// Per label the first point, and how many there are.
    llvm::SmallVector<mlir::Value> starts;
    llvm::SmallVector<mlir::OpFoldResult> sizes;
  };
  /// The borders, then the interior. They cover the block exactly once.
  llvm::SmallVector<Region> regions();

  /// What the points of a region read by the operand that begins with input
  /// `first`, from the least index on; `map` gets the subscripts in it.
  mlir::Value window(const Region &region, unsigned first,
                     llvm::ArrayRef<HeldParts> inputs, mlir::AffineMap &map);

private:
  struct Piece;
  /// A box of a tensor of which there is a copy, here and on each device.
  struct Copied {
    llvm::SmallVector<mlir::Value> starts, ends;
    std::function<ZBox(int64_t)> on;
  };
  /// A label's block, cut at the edges: what is outside of a tensor or others'
  /// before the interior and behind it, and that.
  static constexpr unsigned interiorRange = 1, wholeBlock = 3;
  llvm::SmallVector<mlir::Value> emitEdges(unsigned label);
  ZRange pointsOf(unsigned label, unsigned range, int64_t device) const;
  bool isNowhere(llvm::ArrayRef<unsigned> ranges) const;
  Region emitRegion(llvm::ArrayRef<unsigned> ranges,
                    llvm::ArrayRef<llvm::SmallVector<mlir::Value>> edges);
  ZBox readBox(const Region &region, const Projection &read,
               int64_t device) const;
  bool readsWithin(const Region &region, const Projection &read,
                   llvm::function_ref<ZBox(int64_t)> bound);
  bool holds(const Piece &piece, const Region &region);
  mlir::Value slice(const Piece &piece, const Region &region);
  std::pair<mlir::Value, mlir::Value>
  emitFoldedHull(const ProjectionDim &dim, mlir::Value start, mlir::Value end);
  mlir::Value gather(const Piece &piece, const Region &region,
                     mlir::Value memory, llvm::ArrayRef<mlir::Value> held);
  mlir::Value gather(llvm::ArrayRef<Piece> pieces, const Region &region);
  mlir::Value insert(const Piece &piece, const Copied &copied,
                     mlir::Value memory);
  mlir::Value heldStart(const Piece &piece, unsigned dim);
  mlir::Value add(mlir::Value a, mlir::Value b);

  mlir::OpBuilder &b;
  tra::JoinOp join;
  mlir::Location loc;
  DeviceGrid grid;
  Partition partition;
  llvm::ArrayRef<int64_t> extents;
  const LocalInterior &interior;
  LocalSpace &space;
  mlir::Value device;
};

} // namespace tapestry

#endif // TAPESTRY_LIB_CONVERSION_TRATOCOMM_LOCALBORDERS_H

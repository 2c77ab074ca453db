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
#include "RegionReads.h"

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
  /// `operands` are what devices have of the inputs.
  LocalBorders(mlir::OpBuilder &builder, tra::JoinOp join,
               llvm::ArrayRef<HeldParts> operands, LocalSpace &space,
               mlir::Value device);

  /// A part of the device's block.
  struct Region : BlockRegion {
    RegionPoints points;
    /// Per label the points of all devices, as a range.
    ZBox hull;
  };
  /// The borders, then the interior. They cover the block exactly once.
  std::vector<Region> regions();
  /// Whether a region has so few points that it need not have code of its own.
  bool isRim(const Region &region) const;

  /// What the points of a region read of an operand, from the least index on;
  /// `map` gets the subscripts in it. Null where some read the pad.
  mlir::Value window(const Region &region, unsigned operand,
                     mlir::AffineMap &map);
  /// Where it is null, emits the element that a point reads into the body of a
  /// nest over the region.
  using Element = std::function<mlir::Value(mlir::OpBuilder &)>;
  Element element(const Region &region, unsigned operand);

private:
  struct Piece;
  /// A box of a tensor of which there is a copy, here and on each device.
  struct Copied {
    llvm::SmallVector<mlir::Value> starts, ends;
    std::function<ZBox(int64_t)> on;
  };
  /// Full of a pad, as rims read it.
  struct PadMemory {
    mlir::TypedAttr pad;
    mlir::Type element;
    llvm::SmallVector<int64_t> shape;
    mlir::Value filled;
  };
  mlir::Value emitPlace(const RegionEdge &edge);
  llvm::SmallVector<mlir::Value> emitEdges(unsigned label);
  Region emitRegion(BlockRegion found,
                    llvm::ArrayRef<llvm::SmallVector<mlir::Value>> edges);
  ZBox readBox(const Region &region, const Projection &read, int64_t device);
  bool readsWithin(const Region &region, const Projection &read,
                   llvm::function_ref<ZBox(int64_t)> bound);
  Piece pieceOf(unsigned operand, unsigned piece, unsigned part);
  mlir::Value slice(const Piece &piece, const Region &region);
  bool readsPads(const Region &region) const;
  mlir::TypedAttr padAt(unsigned operand);
  PadMemory padOf(const Region &region, unsigned operand);
  void reservePad(PadMemory wanted);
  mlir::Value slicePad(const Region &region, unsigned operand,
                       const Projection &read);
  std::pair<mlir::Value, mlir::Value>
  emitFoldedHull(const ProjectionDim &dim, mlir::Value start, mlir::Value end);
  mlir::Value gather(const Piece &piece, const Region &region,
                     mlir::Value memory, llvm::ArrayRef<mlir::Value> held);
  mlir::Value gather(llvm::ArrayRef<Piece> pieces, const Region &region);
  mlir::Value insert(const Piece &piece, const Copied &copied,
                     mlir::Value memory);
  mlir::Value putTogether(llvm::ArrayRef<Piece> pieces, const Region &region,
                          mlir::TypedAttr pad);
  /// The bound of a part along a dimension.
  mlir::Value heldBound(index::LayoutAttr layout, unsigned dim, bool isEnd);
  mlir::Value heldStart(const Piece &piece, unsigned dim);
  mlir::Value add(mlir::Value a, mlir::Value b);

  mlir::OpBuilder &b;
  tra::JoinOp join;
  mlir::Location loc;
  DeviceGrid grid;
  llvm::SmallVector<std::pair<unsigned, unsigned>> inputsOf;
  llvm::ArrayRef<HeldParts> operands;
  LocalSpace &space;
  mlir::Value device;
  JoinRegions regionsFound;
  const BlockRegions &blocks;
  llvm::DenseMap<mlir::Attribute, index::PartOp> bounds;
  std::vector<PadMemory> pads;
};

} // namespace tapestry

#endif // TAPESTRY_LIB_CONVERSION_TRATOCOMM_LOCALBORDERS_H

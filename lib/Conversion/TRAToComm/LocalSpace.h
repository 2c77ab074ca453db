//===- LocalSpace.h - One device's block of an index space ------*- C++ -*-===//
//
// Private to this folder. What joins and blocks share: the bounds of the
// device's block and the windows onto operands that it reads.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_CONVERSION_TRATOCOMM_LOCALSPACE_H
#define TAPESTRY_LIB_CONVERSION_TRATOCOMM_LOCALSPACE_H

#include "mlir/IR/Builders.h"
#include "tapestry/Dialect/Index/IR/IndexOps.h"

namespace tapestry {

/// A stored element as the type that the program computes with, and back.
mlir::Value loadStored(mlir::OpBuilder &b, mlir::Location loc,
                       mlir::Value stored, mlir::Type type);
mlir::Value toStored(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                     mlir::Type stored);

/// The extent that `size` has on every device, else dynamic.
template <typename SizeOnDevice>
int64_t staticExtent(const DeviceGrid &grid, SizeOnDevice size) {
  int64_t first = size(0);
  for (int64_t device = 1, e = grid.numDevices(); device < e; ++device)
    if (size(device) != first)
      return mlir::ShapedType::kDynamic;
  return first;
}

/// What the subscripts are before they are folded.
Projection withoutFolds(Projection read);

/// The block of an index space that `device` works on.
class LocalSpace {
public:
  /// Emits the block's bounds. `vertex` marks what is emitted.
  LocalSpace(mlir::OpBuilder &builder, mlir::Location loc,
             mlir::StringAttr vertex, mlir::Value device,
             const DeviceGrid &grid, const Partition &partition,
             llvm::ArrayRef<int64_t> extents);

  int64_t parts(unsigned label) const {
    return partsOf(grid, partition.cuts[label]);
  }
  /// Points of the largest block of `label`.
  int64_t block(unsigned label) const {
    return ceilDiv(extents[label], parts(label));
  }
  /// Points of the device's block, dynamic where devices differ; and as a
  /// value.
  int64_t extent(unsigned label) const;
  mlir::Value size(unsigned label);
  mlir::OpFoldResult mixedSize(unsigned label);
  mlir::Value start(unsigned label) const { return bounds[2 * label]; }
  /// Start and end of the block, label by label.
  mlir::ValueRange getBounds() const { return bounds; }
  mlir::Value constant(int64_t value);

  /// Whether no device's window reaches outside the tensor.
  bool staysInside(const Layout &layout) const;
  /// The window of a part: all that lies as `layout` says, `pad` (null: zero)
  /// where the part, which lies as `held` says, has nothing. In front of a
  /// dimension there is room for the points that the block misses of the
  /// largest, under each term of `rooms`.
  mlir::Value padWindow(mlir::Value part, const Layout &layout,
                        const Layout &held, mlir::TypedAttr pad,
                        llvm::ArrayRef<llvm::SmallVector<AffineTerm, 1>> rooms,
                        mlir::RankedTensorType windowType);
  /// A part and where it is read.
  struct Piece {
    mlir::Value part;
    Projection read;
  };
  /// The same of an operand of this shape in pieces: each point of the window
  /// lies in one, or outside of it in dimensions that are folded.
  mlir::Value joinWindow(llvm::ArrayRef<Piece> pieces,
                         llvm::ArrayRef<int64_t> shape,
                         llvm::ArrayRef<llvm::SmallVector<AffineTerm, 1>> rooms,
                         mlir::RankedTensorType windowType);

private:
  /// Where what lies in the tensor stands in a window, and how large both are.
  struct Place {
    llvm::SmallVector<mlir::OpFoldResult> offsets, sizes, windowSizes;
    /// The room in front of the window, and the coordinate in the tensor that
    /// the room begins at.
    llvm::SmallVector<mlir::Value> rooms, origins;
  };
  Place placeOf(const Layout &layout, const Layout &held,
                llvm::ArrayRef<llvm::SmallVector<AffineTerm, 1>> rooms,
                mlir::RankedTensorType windowType);
  mlir::Value subtract(mlir::Value a, mlir::Value b);
  mlir::Value insert(mlir::Value part, mlir::Value window, const Place &place);
  mlir::Value insertFolded(const Piece &piece, llvm::ArrayRef<int64_t> shape,
                           mlir::Value window, const Place &place);

  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::StringAttr vertex;
  mlir::Value device;
  const DeviceGrid &grid;
  const Partition &partition;
  llvm::ArrayRef<int64_t> extents;
  llvm::SmallVector<mlir::Value> bounds;
};

} // namespace tapestry

#endif // TAPESTRY_LIB_CONVERSION_TRATOCOMM_LOCALSPACE_H

//===- ZTensor.h - Strided views, tensors of integers -----------*- C++ -*-===//
//
// The white paper's "Tensor Layout Pragmatics" and its ZTensor: views permute,
// reverse, select, slice, squeeze and broadcast a tensor by arithmetic on its
// offset and strides, and never copy a cell.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_SUPPORT_ZTENSOR_H
#define TAPESTRY_SUPPORT_ZTENSOR_H

#include "tapestry/Support/ZSpace.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <vector>

namespace tapestry {

/// A point of Z^n.
using ZPoint = llvm::SmallVector<int64_t, 4>;

/// Calls `visit` with the points of a box in row-major order, once for rank 0,
/// never where a range is empty, until it says no. Whether it never did.
bool allPoints(llvm::ArrayRef<ZRange> box,
               llvm::function_ref<bool(llvm::ArrayRef<int64_t>)> visit);

/// The same for all points.
void forEachPoint(llvm::ArrayRef<ZRange> box,
                  llvm::function_ref<void(llvm::ArrayRef<int64_t>)> visit);

/// Where the cells of a tensor lie in linear storage: cell p at
/// offset + sum(p[k] * strides[k]). Counts cells, not bytes.
struct StridedView {
  int64_t offset = 0;
  llvm::SmallVector<int64_t, 4> shape;
  llvm::SmallVector<int64_t, 4> strides;

  /// Cells side by side, the last dimension fastest.
  static StridedView rowMajor(llvm::ArrayRef<int64_t> shape);

  unsigned rank() const { return shape.size(); }
  int64_t numCells() const { return volume(boxOfShape(shape)); }
  int64_t placeOf(llvm::ArrayRef<int64_t> point) const;
  /// From the first place to behind the last; empty where there is no cell.
  ZRange places() const;
  /// Whether the cells lie side by side in row-major order. Strides of
  /// dimensions with one cell do not matter.
  bool isRowMajor() const;
  /// Whether both have the same cells at the same places.
  bool operator==(const StridedView &other) const;

  /// Dimension k of the result is dimension order[k]: a permutation.
  StridedView permuted(llvm::ArrayRef<unsigned> order) const;
  StridedView reversed(unsigned dim) const;
  /// Without `dim`, at `index` of it.
  StridedView selected(unsigned dim, int64_t index) const;
  /// The cells `range.lo`, `range.lo` + step, ... before `range.hi` of `dim`.
  /// The range lies in the dimension; step >= 1.
  StridedView sliced(unsigned dim, ZRange range, int64_t step = 1) const;
  /// The cells of a box that lies in the tensor.
  StridedView sliced(llvm::ArrayRef<ZRange> box) const;
  /// Without `dim`, which has one cell.
  StridedView squeezed(unsigned dim) const;
  /// With a dimension of one cell in front of `dim`, or behind the last.
  StridedView unsqueezed(unsigned dim) const;
  /// With `extent` times the one cell of `dim`: stride 0.
  StridedView broadcast(unsigned dim, int64_t extent) const;
};

/// A tensor of integers. Copies and views share cells: what is written by one
/// is read by all.
class ZTensor {
public:
  /// New cells, all of this value.
  explicit ZTensor(llvm::ArrayRef<int64_t> shape, int64_t value = 0);
  /// New cells, each the value of `cell` at its coordinates.
  static ZTensor
  generate(llvm::ArrayRef<int64_t> shape,
           llvm::function_ref<int64_t(llvm::ArrayRef<int64_t>)> cell);
  /// Reads what `str` writes: "[[1, 2], [3, 4]]", "7". The error says where
  /// lists of one depth differ in length, or what is no integer.
  static llvm::Expected<ZTensor> parse(llvm::StringRef text);

  const StridedView &getView() const { return view; }
  llvm::ArrayRef<int64_t> getShape() const { return view.shape; }
  /// These cells by another view, which stays within them.
  ZTensor through(StridedView other) const;

  int64_t &at(llvm::ArrayRef<int64_t> point) const {
    return (*cells)[view.placeOf(point)];
  }
  /// New cells of the same values.
  ZTensor copy() const;
  /// Whether shapes and values are equal.
  bool operator==(const ZTensor &other) const;
  std::string str() const;

private:
  ZTensor(std::shared_ptr<std::vector<int64_t>> cells, StridedView view)
      : cells(std::move(cells)), view(std::move(view)) {}

  std::shared_ptr<std::vector<int64_t>> cells;
  StridedView view;
};

} // namespace tapestry

#endif // TAPESTRY_SUPPORT_ZTENSOR_H

//===- TensorView.h - A tensor as cells of others ---------------*- C++ -*-===//
//
// The white paper's tensor view: boxes of cells, each with the tensor that has
// them and a projection to its cells. Selectors make views of views; what reads
// a view reads the tensors behind it.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_SUPPORT_TENSORVIEW_H
#define TAPESTRY_SUPPORT_TENSORVIEW_H

#include "tapestry/Support/Projection.h"
#include <vector>

namespace tapestry {

/// A cell of a tensor that a view is of.
struct ViewCell {
  unsigned tensor = 0;
  llvm::SmallVector<int64_t> place;
  bool operator==(const ViewCell &o) const {
    return tensor == o.tensor && place == o.place;
  }
};

/// Cells of a view that one tensor has.
struct ViewPiece {
  /// A box of the view.
  ZBox cells;
  /// The number of the tensor: the caller's.
  unsigned tensor = 0;
  /// From the view's dimensions to the tensor's; one point each.
  Projection projection;
  /// Per dimension: of the box every so many-th cell from its first on; empty:
  /// all. From each of them to the next the projection, which may divide, moves
  /// by the same distance.
  llvm::SmallVector<int64_t, 4> steps = {};
};

/// Of a box of points those whose coordinate in one dimension has a remainder.
struct Residue {
  unsigned dim = 0;
  /// At least 1.
  int64_t modulus = 1;
  /// 0 to modulus - 1.
  int64_t remainder = 0;

  bool holds(llvm::ArrayRef<int64_t> point) const {
    return point[dim] % modulus == remainder;
  }
};

struct TensorView {
  llvm::SmallVector<int64_t> shape;
  /// They hold every cell once.
  std::vector<ViewPiece> pieces;

  /// A tensor as it is.
  static TensorView of(unsigned tensor, llvm::ArrayRef<int64_t> shape);

  /// Adds what the cells of a box, or those of a residue, read of a view by a
  /// projection. Fails, with the view as it was, where its pieces are no boxes
  /// of that box.
  [[nodiscard]] bool add(const TensorView &operand,
                         const Projection &projection,
                         llvm::ArrayRef<ZRange> cells,
                         const std::optional<Residue> &residue = std::nullopt);
  /// The same for the cells of a piece of this view, whose tensor is ignored.
  [[nodiscard]] bool add(const TensorView &operand, const ViewPiece &read);
  /// Joins pieces that go on in each other.
  void merge();

  /// The tensor whose cells, from 0 on, are those of the view; where both have
  /// one shape, the tensor that it is.
  std::optional<unsigned> asTensor() const;
  /// What a cell of the view is.
  std::optional<ViewCell> at(llvm::ArrayRef<int64_t> cell) const;
};

/// The first cell of one view that is not that of another of its shape; nothing
/// where both are the same.
std::optional<llvm::SmallVector<int64_t>> findDifference(const TensorView &a,
                                                         const TensorView &b);

/// The projection that reads by `inner` what `outer` names; nothing where that
/// is none.
std::optional<Projection> compose(const Projection &inner,
                                  const Projection &outer);

/// The points of a box at which a projection lies in another; nothing where
/// they are no box.
std::optional<ZBox> preimage(const Projection &projection,
                             llvm::ArrayRef<ZRange> box,
                             llvm::ArrayRef<ZRange> places);

} // namespace tapestry

#endif // TAPESTRY_SUPPORT_TENSORVIEW_H

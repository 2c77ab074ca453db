//===- TensorView.cpp - A tensor as cells of others -----------------------===//

#include "tapestry/Support/TensorView.h"
#include "StridedPieces.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace tapestry;

TensorView TensorView::of(unsigned tensor, llvm::ArrayRef<int64_t> shape) {
  TensorView view;
  view.shape.assign(shape.begin(), shape.end());
  view.pieces.push_back(
      {boxOfShape(shape), tensor, Projection::identity(shape.size())});
  return view;
}

//===----------------------------------------------------------------------===//
// Composition
//===----------------------------------------------------------------------===//

/// Adds `factor` times a linear form to another.
static void addScaled(ProjectionDim &sum, const ProjectionDim &form,
                      int64_t factor) {
  sum.constant += factor * form.constant;
  for (const AffineTerm &term : form.terms) {
    auto *it = llvm::find_if(
        sum.terms, [&](const AffineTerm &t) { return t.dim >= term.dim; });
    if (it == sum.terms.end() || it->dim != term.dim)
      it = sum.terms.insert(it, {term.dim, 0});
    it->coefficient += factor * term.coefficient;
    if (it->coefficient == 0)
      sum.terms.erase(it);
  }
}

/// One dimension of compose().
static std::optional<ProjectionDim> composeDim(const ProjectionDim &inner,
                                               const Projection &outer) {
  bool isLinear = llvm::all_of(inner.terms, [&](const AffineTerm &term) {
    return outer.dims[term.dim].isLinear();
  });
  if (isLinear) {
    ProjectionDim sum = inner;
    sum.terms.clear();
    for (const AffineTerm &term : inner.terms)
      addScaled(sum, outer.dims[term.dim], term.coefficient);
    return sum;
  }
  // What is divided or folded may be moved, and folded not even that.
  if (!inner.isLinear() || inner.terms.size() != 1 ||
      inner.terms[0].coefficient != 1)
    return std::nullopt;
  ProjectionDim moved = outer.dims[inner.terms[0].dim];
  if (moved.mod != 0 && inner.constant != 0)
    return std::nullopt;
  moved.constant += inner.constant * moved.floordiv;
  moved.size = inner.size;
  moved.stride = inner.stride;
  return moved;
}

std::optional<Projection> tapestry::compose(const Projection &inner,
                                            const Projection &outer) {
  Projection composed;
  for (const ProjectionDim &dim : inner.dims) {
    std::optional<ProjectionDim> made = composeDim(dim, outer);
    if (!made)
      return std::nullopt;
    composed.dims.push_back(std::move(*made));
  }
  return composed;
}

std::optional<ZBox> tapestry::preimage(const Projection &projection,
                                       llvm::ArrayRef<ZRange> box,
                                       llvm::ArrayRef<ZRange> places) {
  ZBox points(box);
  for (auto [dim, place] : llvm::zip_equal(projection.dims, places)) {
    ZRange image = imageOfDim(dim, points);
    if (image.empty() || place.contains(image))
      continue;
    if (intersect(image, place).empty()) {
      for (ZRange &range : points)
        range.hi = range.lo;
      // A box of rank 0 holds its point.
      if (points.empty())
        return std::nullopt;
      return points;
    }
    if (dim.mod != 0 || dim.size != 1 || dim.terms.size() != 1)
      return std::nullopt;
    // lo d <= c x + k < hi d.
    auto [label, c] = dim.terms[0];
    int64_t least = place.lo * dim.floordiv - dim.constant;
    int64_t most = place.hi * dim.floordiv - dim.constant - 1;
    if (c < 0)
      std::swap(least, most);
    ZRange solved{llvm::divideCeilSigned(least, c),
                  llvm::divideFloorSigned(most, c) + 1};
    points[label] = intersect(points[label], solved);
  }
  return points;
}

/// Adds what the cells of a box read of a piece that is a box; fails where
/// those are none.
static bool composeBoxes(const ViewPiece &piece, const ViewPiece &read,
                         std::vector<ViewPiece> &made) {
  std::optional<ZBox> points =
      preimage(read.projection, read.cells, piece.cells);
  std::optional<Projection> places =
      points ? compose(piece.projection, read.projection) : std::nullopt;
  if (!places)
    return false;
  if (!isEmpty(*points))
    made.push_back({std::move(*points), piece.tensor, std::move(*places)});
  return true;
}

bool TensorView::add(const TensorView &operand, const ViewPiece &read) {
  if (isEmpty(read.cells))
    return true;
  size_t before = pieces.size();
  ZBox image = read.projection.image(read.cells);
  for (const ViewPiece &piece : operand.pieces) {
    // Most are not met.
    if (isEmpty(intersect(piece.cells, image)))
      continue;
    bool areBoxes = piece.steps.empty() && read.steps.empty();
    if (!(areBoxes ? composeBoxes : composeStrided)(piece, read, pieces)) {
      pieces.resize(before);
      return false;
    }
  }
  return true;
}

bool TensorView::add(const TensorView &operand, const Projection &projection,
                     llvm::ArrayRef<ZRange> cells,
                     const std::optional<Residue> &residue) {
  ViewPiece read{ZBox(cells), 0, projection};
  if (residue && residue->modulus != 1) {
    ZRange &along = read.cells[residue->dim];
    along.lo += wrapped({residue->remainder - along.lo,
                         residue->remainder - along.lo + 1},
                        1, residue->modulus)
                    .lo;
    read.steps.assign(cells.size(), 1);
    read.steps[residue->dim] = residue->modulus;
  }
  return add(operand, read);
}

//===----------------------------------------------------------------------===//
// Normal form
//===----------------------------------------------------------------------===//

/// Whether two boxes are one but for dimension `dim`, where `a` ends as `b`
/// begins.
static bool goesOn(const ZBox &a, const ZBox &b, unsigned dim) {
  for (unsigned other = 0; other < a.size(); ++other)
    if (other == dim ? a[other].hi != b[other].lo : a[other] != b[other])
      return false;
  return true;
}

void TensorView::merge() {
  mergeStrided(pieces);
  for (unsigned dim = shape.size(); dim-- > 0;) {
    llvm::sort(pieces, [&](const ViewPiece &a, const ViewPiece &b) {
      for (unsigned other = 0; other < a.cells.size(); ++other)
        if (other != dim && a.cells[other].lo != b.cells[other].lo)
          return a.cells[other].lo < b.cells[other].lo;
      return !a.cells.empty() && a.cells[dim].lo < b.cells[dim].lo;
    });
    std::vector<ViewPiece> merged;
    for (ViewPiece &piece : pieces)
      if (!merged.empty() && merged.back().tensor == piece.tensor &&
          merged.back().steps.empty() && piece.steps.empty() &&
          goesOn(merged.back().cells, piece.cells, dim) &&
          merged.back().projection == piece.projection)
        merged.back().cells[dim].hi = piece.cells[dim].hi;
      else
        merged.push_back(std::move(piece));
    pieces = std::move(merged);
  }
}

std::optional<unsigned> TensorView::asTensor() const {
  if (pieces.size() != 1 || !pieces[0].steps.empty() ||
      pieces[0].cells != boxOfShape(shape) ||
      pieces[0].projection != Projection::identity(shape.size()))
    return std::nullopt;
  return pieces[0].tensor;
}

std::optional<ViewCell> TensorView::at(llvm::ArrayRef<int64_t> cell) const {
  ZBox point;
  for (int64_t coordinate : cell)
    point.push_back({coordinate, coordinate + 1});
  for (const ViewPiece &piece : pieces) {
    if (!holds(piece, cell))
      continue;
    ViewCell found{piece.tensor, {}};
    for (const ZRange &place : piece.projection.image(point))
      found.place.push_back(place.lo);
    return found;
  }
  return std::nullopt;
}

std::optional<llvm::SmallVector<int64_t>>
tapestry::findDifference(const TensorView &a, const TensorView &b) {
  std::optional<llvm::SmallVector<int64_t>> first;
  for (const ViewPiece &x : a.pieces)
    for (const ViewPiece &y : b.pieces) {
      std::optional<llvm::SmallVector<int64_t>> cell = findDifference(x, y);
      if (cell && (!first || *cell < *first))
        first = std::move(cell);
    }
  return first;
}

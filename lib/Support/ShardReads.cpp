//===- ShardReads.cpp - Whether shards read what the whole does -----------===//

#include "tapestry/Support/ShardReads.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace tapestry;

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

/// The only piece that cells of a box lie in; of no cells, of a view that has
/// no other.
static const ViewPiece *onlyPiece(const TensorView &view,
                                  llvm::ArrayRef<ZRange> cells) {
  bool isNone = isEmpty(cells);
  if (isNone && view.pieces.size() != 1)
    return nullptr;
  auto piece = llvm::find_if(view.pieces, [&](const ViewPiece &piece) {
    return piece.steps.empty() && (isNone || contains(piece.cells, cells));
  });
  return piece == view.pieces.end() ? nullptr : &*piece;
}

std::optional<std::pair<unsigned, SliceRead>>
tapestry::asSliceRead(const OperandRead &read,
                      llvm::ArrayRef<int64_t> extents) {
  ZBox image = read.projection.image(boxOfShape(extents));
  ZBox whole = boxOfShape(read.operand.shape);
  const ViewPiece *piece = onlyPiece(read.operand, intersect(image, whole));
  if (!piece)
    return std::nullopt;
  SliceRead slice;
  llvm::SmallVector<bool> isUsed(whole.size(), false);
  for (const ProjectionDim &dim : piece->projection.dims) {
    if (!dim.isLinear() || dim.size != 1 || dim.terms.size() > 1)
      return std::nullopt;
    ProjectionDim own;
    int64_t last = 0;
    if (!dim.terms.empty()) {
      auto [number, step] = dim.terms[0];
      if (step < 1 || isUsed[number])
        return std::nullopt;
      isUsed[number] = true;
      own = read.projection.dims[number];
      if (step != 1 && !own.isLinear())
        return std::nullopt;
      own.constant *= step;
      for (AffineTerm &term : own.terms)
        term.coefficient *= step;
      last = step * (read.operand.shape[number] - 1);
    }
    slice.slice.push_back({dim.constant, dim.constant + last + 1});
    slice.projection.dims.push_back(std::move(own));
  }
  // Beside a dimension that the tensor lacks nothing may be read.
  for (auto [number, used] : llvm::enumerate(isUsed))
    if (!used && !whole[number].contains(image[number]))
      return std::nullopt;
  return std::pair(piece->tensor, std::move(slice));
}

//===----------------------------------------------------------------------===//
// By projections
//===----------------------------------------------------------------------===//

namespace {
/// A dimension over a box of points, which count from 0, before it is folded.
struct Line {
  Line(ProjectionDim dim, llvm::ArrayRef<ZRange> range) : dim(dim) {
    dim.mod = 0;
    dim.fold = Fold::Wrap;
    starts = imageOfDim(dim, range);
    for (const AffineTerm &term : dim.terms)
      this->dim.constant += term.coefficient * range[term.dim].lo;
    if (this->dim.mod == 0 || this->dim.fold != Fold::Wrap)
      return;
    int64_t turn = llvm::divideFloorSigned(starts.lo, this->dim.mod);
    isWrapped = turn != llvm::divideFloorSigned(starts.hi - 1, this->dim.mod);
    if (!isWrapped)
      move(-turn * this->dim.mod);
  }
  void move(int64_t distance) {
    dim.constant += distance * dim.floordiv;
    starts = {starts.lo + distance, starts.hi + distance};
  }

  ProjectionDim dim;
  ZRange starts;
  bool isWrapped = false;
};
} // namespace

/// Whether what is folded at the ends of a slice is so at those of the tensor.
static bool foldsAlike(const Line &line, const ZRange &slice, int64_t extent) {
  int64_t size = slice.size();
  if ((line.starts.lo < slice.lo && slice.lo != 0) ||
      (line.starts.hi > slice.hi && slice.hi != extent))
    return false;
  // What is mirrored has to lie in the slice.
  return size == extent || line.dim.fold == Fold::Edge ||
         (line.starts.lo > -size && line.starts.hi < extent + size);
}

/// Whether points of `range` read of a tensor by `whole` what they read, from
/// the range's start on, of its slice by `own`.
static bool readsAlike(const ProjectionDim &whole, int64_t extent,
                       llvm::ArrayRef<ZRange> range, const ProjectionDim &own,
                       const ZRange &slice) {
  ZBox points = boxOfShape(shapeOf(range));
  Line expected(whole, range), got(own, points);
  if (expected.isWrapped != got.isWrapped ||
      expected.dim.terms != got.dim.terms ||
      expected.dim.floordiv != got.dim.floordiv ||
      expected.dim.size != got.dim.size ||
      expected.dim.stride != got.dim.stride)
    return false;
  int64_t distance = expected.dim.constant - got.dim.constant;
  if (got.isWrapped)
    return slice == ZRange{0, extent} && whole.mod == own.mod &&
           distance % (own.mod * own.floordiv) == 0;
  if (distance != slice.lo * own.floordiv)
    return false;
  ZRange starts = expected.starts;
  bool leaves = !slice.contains(starts);
  bool folds = whole.mod != 0 && whole.fold != Fold::Wrap;
  if (leaves && (folds || (own.mod != 0 && own.fold != Fold::Wrap)))
    return whole.fold == own.fold && foldsAlike(expected, slice, extent);
  return (starts.lo >= slice.lo || slice.lo == 0) &&
         (starts.hi <= slice.hi || slice.hi == extent);
}

static bool isProven(const OperandRead &whole, const OperandRead &shard,
                     llvm::ArrayRef<ZRange> range) {
  std::optional<unsigned> tensor = whole.operand.asTensor();
  if (!tensor)
    return false;
  auto slice = asSliceRead(shard, shapeOf(range));
  // The whole may read a part of the tensor, from 0 on, and the shard see more.
  if (!slice || slice->first != *tensor ||
      !contains(boxOfShape(whole.operand.shape), slice->second.slice))
    return false;
  for (auto [number, dim] : llvm::enumerate(whole.projection.dims))
    if (!readsAlike(dim, whole.operand.shape[number], range,
                    slice->second.projection.dims[number],
                    slice->second.slice[number]))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// By points
//===----------------------------------------------------------------------===//

/// The cell that a point reads.
static std::optional<ViewCell> cellAt(const OperandRead &read,
                                      llvm::ArrayRef<int64_t> point) {
  ZBox at;
  for (int64_t coordinate : point)
    at.push_back({coordinate, coordinate + 1});
  llvm::SmallVector<int64_t> cell;
  for (auto [range, extent] :
       llvm::zip_equal(read.projection.image(at), read.operand.shape)) {
    if (range.lo < 0 || range.lo >= extent)
      return std::nullopt;
    cell.push_back(range.lo);
  }
  return read.operand.at(cell);
}

/// Goes to the next point of a box; false behind the last.
static bool advance(llvm::MutableArrayRef<int64_t> point,
                    llvm::ArrayRef<ZRange> box) {
  for (size_t dim = box.size(); dim-- > 0;) {
    if (++point[dim] < box[dim].hi)
      return true;
    point[dim] = box[dim].lo;
  }
  return false;
}

std::optional<ReadFault> tapestry::findReadFault(const OperandRead &whole,
                                                 const OperandRead &shard,
                                                 llvm::ArrayRef<ZRange> range) {
  if (isEmpty(range) || isProven(whole, shard, range))
    return std::nullopt;
  constexpr int64_t mostPoints = int64_t(1) << 20;
  int64_t points = 0;
  llvm::SmallVector<int64_t> point;
  for (const ZRange &label : range)
    point.push_back(label.lo);
  do {
    llvm::SmallVector<int64_t> own;
    for (auto [coordinate, label] : llvm::zip_equal(point, range))
      own.push_back(coordinate - label.lo);
    std::optional<ViewCell> expected = cellAt(whole, point);
    std::optional<ViewCell> got = cellAt(shard, own);
    if (!(expected == got))
      return ReadFault{std::move(point), std::move(expected), std::move(got)};
    if (++points == mostPoints) {
      ReadFault unknown;
      unknown.isFound = false;
      return unknown;
    }
  } while (advance(point, range));
  return std::nullopt;
}

//===- JoinedReads.cpp - What slices of a tensor are slices of ------------===//
//
// Where shards read tensors that their whole would read put together: the
// tensor that is never there, from the slices of it.
//
//===----------------------------------------------------------------------===//

#include "JoinedReads.h"
#include "tapestry/Dialect/Tapestry/IR/TapestrySelectors.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

/// The boxes between all ends of parts; nothing where they are many more than
/// parts that are cut as a grid have, with a halo on each side.
static std::optional<std::vector<ZBox>> cutAtEnds(ArrayRef<int64_t> shape,
                                                  ArrayRef<ReadPart> parts) {
  std::vector<ZBox> boxes = {ZBox()};
  size_t most = parts.size() * 81;
  for (auto [dim, extent] : llvm::enumerate(shape)) {
    SmallVector<int64_t> ends = {0, extent};
    for (const ReadPart &part : parts) {
      ends.push_back(part.box[dim].lo);
      ends.push_back(part.box[dim].hi);
    }
    llvm::sort(ends);
    ends.erase(llvm::unique(ends), ends.end());
    std::vector<ZBox> cut;
    for (const ZBox &box : boxes)
      for (size_t end = 1; end < ends.size(); ++end) {
        cut.push_back(box);
        cut.back().push_back({ends[end - 1], ends[end]});
      }
    if (cut.size() > most)
      return std::nullopt;
    boxes = std::move(cut);
  }
  return boxes;
}

/// The cells of a box that a part has.
static std::optional<TensorView> cellsOf(const ReadPart &part,
                                         const ZBox &box) {
  TensorView cells;
  cells.shape = shapeOf(box);
  Projection projection = Projection::identity(box.size());
  for (auto [dim, own, all] : llvm::zip_equal(projection.dims, box, part.box))
    dim.constant = own.lo - all.lo;
  if (!cells.add(part.view, projection, boxOfShape(cells.shape)))
    return std::nullopt;
  return cells;
}

std::optional<TensorView> teg::joinParts(ArrayRef<int64_t> shape,
                                         ArrayRef<ReadPart> parts) {
  auto boxes = cutAtEnds(shape, parts);
  if (!boxes)
    return std::nullopt;
  TensorView joined;
  joined.shape = llvm::to_vector(shape);
  for (const ZBox &box : *boxes) {
    std::optional<TensorView> known;
    for (const ReadPart &part : parts) {
      if (!contains(part.box, box))
        continue;
      std::optional<TensorView> cells = cellsOf(part, box);
      if (!cells || (known && findDifference(*known, *cells)))
        return std::nullopt;
      if (known)
        continue;
      Projection own = Projection::identity(box.size());
      for (auto [dim, label] : llvm::zip_equal(own.dims, box))
        dim.constant = -label.lo;
      if (!joined.add(*cells, own, box))
        return std::nullopt;
      known = std::move(cells);
    }
    if (!known)
      return std::nullopt;
  }
  joined.merge();
  return joined;
}

bool teg::areMadeOf(ArrayRef<Value> tensors,
                    const llvm::SmallPtrSetImpl<Operation *> &operations,
                    Block &block,
                    const llvm::DenseMap<Operation *, Operation *> &becomes) {
  llvm::SetVector<Operation *> reached;
  auto reach = [&](Value value) {
    if (Operation *op = value.getDefiningOp())
      if (Operation *own = block.findAncestorOpInBlock(*op))
        reached.insert(own);
  };
  llvm::for_each(tensors, reach);
  for (size_t next = 0; next < reached.size(); ++next) {
    Operation *op = reached[next];
    if (operations.contains(op))
      return true;
    if (Operation *other = becomes.lookup(op))
      reached.insert(other);
    // A loop's body reads what is around it.
    op->walk(
        [&](Operation *inner) { llvm::for_each(inner->getOperands(), reach); });
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Concatenations
//===----------------------------------------------------------------------===//

/// The places along a dimension at which no piece goes on.
static SmallVector<int64_t> cutsAlong(unsigned dim,
                                      ArrayRef<ViewPiece> pieces) {
  SmallVector<int64_t> cuts;
  for (const ViewPiece &piece : pieces) {
    int64_t place = piece.cells[dim].lo;
    bool isFirst = llvm::all_of(pieces, [&](const ViewPiece &other) {
      return other.cells[dim].lo >= place;
    });
    bool isCut = llvm::none_of(pieces, [&](const ViewPiece &other) {
      return other.cells[dim].lo < place && place < other.cells[dim].hi;
    });
    if (isCut && !isFirst && !llvm::is_contained(cuts, place))
      cuts.push_back(place);
  }
  llvm::sort(cuts);
  return cuts;
}

/// Pieces cut along the first dimension that can be, and which that is; nothing
/// where there is none.
static std::optional<std::pair<unsigned, std::vector<std::vector<ViewPiece>>>>
cutPieces(ArrayRef<ViewPiece> pieces) {
  for (unsigned dim = 0; dim < pieces.front().cells.size(); ++dim) {
    SmallVector<int64_t> cuts = cutsAlong(dim, pieces);
    if (cuts.empty())
      continue;
    std::vector<std::vector<ViewPiece>> parts(cuts.size() + 1);
    for (const ViewPiece &piece : pieces)
      parts[llvm::upper_bound(cuts, piece.cells[dim].lo) - cuts.begin()]
          .push_back(piece);
    return std::pair(dim, std::move(parts));
  }
  return std::nullopt;
}

/// Whether a piece is a box of a tensor as it lies.
static bool isBox(const ViewPiece &piece) {
  if (!piece.steps.empty() ||
      piece.projection.dims.size() != piece.cells.size())
    return false;
  Projection plain = Projection::identity(piece.cells.size());
  for (auto [dim, read] : llvm::zip_equal(plain.dims, piece.projection.dims))
    dim.constant = read.constant;
  return piece.projection == plain;
}

/// Whether such a piece is the whole of a tensor.
static bool isWhole(const ViewPiece &piece, Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  return piece.projection.image(piece.cells) == boxOfShape(type.getShape());
}

bool teg::isConcatenation(const TensorView &view, TensorOfNumber tensorOf,
                          bool slices) {
  std::vector<std::vector<ViewPiece>> open = {view.pieces};
  while (!open.empty()) {
    std::vector<ViewPiece> pieces = std::move(open.back());
    open.pop_back();
    if (pieces.size() == 1 && isBox(pieces[0]) &&
        (slices || isWhole(pieces[0], tensorOf(pieces[0].tensor))))
      continue;
    auto cut = pieces.size() > 1 ? cutPieces(pieces) : std::nullopt;
    if (!cut)
      return false;
    llvm::append_range(open, std::move(cut->second));
  }
  return true;
}

static Value concatenate(OpBuilder &builder, Location loc, FreshNames &names,
                         const Twine &stem, ArrayRef<ViewPiece> pieces,
                         TensorOfNumber tensorOf) {
  if (pieces.size() == 1) {
    Value tensor = tensorOf(pieces[0].tensor);
    if (isWhole(pieces[0], tensor))
      return tensor;
    return SliceOp::create(builder, loc, names.next(stem), tensor,
                           pieces[0].projection.image(pieces[0].cells));
  }
  auto cut = cutPieces(pieces);
  SmallVector<Value> parts;
  for (const std::vector<ViewPiece> &part : cut->second)
    parts.push_back(concatenate(builder, loc, names, stem, part, tensorOf));
  return ConcatOp::create(builder, loc, names.next(stem), parts, cut->first);
}

Value teg::createConcatenation(OpBuilder &builder, Location loc,
                               FreshNames &names, const Twine &stem,
                               const TensorView &view,
                               TensorOfNumber tensorOf) {
  return concatenate(builder, loc, names, stem, view.pieces, tensorOf);
}

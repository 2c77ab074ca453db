//===- LocalBorders.cpp - A block in its interior and its borders ---------===//

#include "LocalBorders.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "tapestry/Interfaces/ElementType.h"

using namespace mlir;
using namespace tapestry;

/// An input of the join, and where it is read.
struct LocalBorders::Piece {
  unsigned number;
  Value part;
  Projection read;
};

LocalBorders::LocalBorders(OpBuilder &builder, tra::JoinOp join,
                           LocalSpace &space, Value device)
    : b(builder), join(join), loc(join.getLoc()), grid(join.getDeviceGrid()),
      partition(join.getResolvedPartition()), extents(join.getExtents()),
      space(space), device(device) {
  findInterior();
}

ArrayRef<int64_t> LocalBorders::shapeOf(unsigned number) {
  return cast<tra::RelationType>(join.getInputs()[number].getType()).getShape();
}

/// Folds aside, each subscript is a constant or a label and a constant.
static bool isShifted(const Projection &read) {
  return llvm::all_of(read.dims, [](const ProjectionDim &dim) {
    bool isFolded = dim.mod != 0 && dim.fold == Fold::Wrap;
    return dim.floordiv == 1 && !isFolded && dim.terms.size() <= 1 &&
           (dim.terms.empty() || dim.terms.front().coefficient == 1);
  });
}

/// The points that read inside of the tensor.
static ZBox insideOf(const Projection &read, ArrayRef<int64_t> shape,
                     ArrayRef<int64_t> extents) {
  ZBox box = boxOfShape(extents);
  for (auto [dim, extent] : llvm::zip_equal(read.dims, shape)) {
    ZRange constants{-dim.constant, extent - dim.constant};
    if (!dim.terms.empty()) {
      ZRange &range = box[dim.terms.front().dim];
      range = intersect(range, constants);
    } else if (!constants.contains({0, 1})) {
      return ZBox(extents.size());
    }
  }
  return box;
}

void LocalBorders::findInterior() {
  ZBox all = boxOfShape(extents), box = all;
  if (!join.getReducedLabels().empty())
    return;
  for (auto [first, end] : join.getOperandPieces()) {
    ZBox best;
    for (unsigned number = first; number < end; ++number) {
      Projection read = join.getRead(number);
      bool isFolded = read != withoutFolds(read);
      if (!isShifted(read) || (isFolded && end - first > 1))
        return;
      ZBox inside = insideOf(read, shapeOf(number), extents);
      if (best.empty() || volume(inside) > volume(best))
        best = inside;
    }
    box = intersect(box, best);
  }
  // Of few points the windows cost less than code of their own.
  if (box != all && 2 * volume(box) >= volume(all))
    interior = box;
}

Value LocalBorders::add(Value a, Value c) {
  return arith::AddIOp::create(b, loc, a, c);
}

/// Those along a label that a device has of a box.
ZRange LocalBorders::pointsOf(const ZBox &within, unsigned label,
                              int64_t d) const {
  return intersect(within[label],
                   blockRange(extents[label], space.parts(label),
                              partIndex(grid, partition.cuts[label], d)));
}

SmallVector<LocalBorders::Region> LocalBorders::regions() {
  std::vector<ZBox> boxes;
  ZBox rest = boxOfShape(extents);
  for (auto [label, inside] : llvm::enumerate(interior)) {
    ZRange all = rest[label];
    for (ZRange border : {ZRange{0, inside.lo}, ZRange{inside.hi, all.hi}}) {
      rest[label] = border;
      if (!border.empty())
        boxes.push_back(rest);
    }
    rest[label] = inside;
  }
  boxes.push_back(rest);

  SmallVector<Region> regions;
  for (const ZBox &box : boxes) {
    Region &region = regions.emplace_back();
    region.within = box;
    for (unsigned l = 0; l < box.size(); ++l) {
      ZRange range = box[l];
      Value start = arith::MaxSIOp::create(b, loc, space.start(l),
                                           space.constant(range.lo));
      Value end = arith::MinSIOp::create(b, loc, space.getBounds()[2 * l + 1],
                                         space.constant(range.hi));
      int64_t size = staticExtent(grid, [&](int64_t d) {
        return pointsOf(region.within, l, d).size();
      });
      region.starts.push_back(start);
      if (!ShapedType::isDynamic(size)) {
        region.sizes.push_back(b.getIndexAttr(size));
        continue;
      }
      end = arith::MaxSIOp::create(b, loc, start, end);
      region.sizes.push_back(
          arith::SubIOp::create(b, loc, end, start).getResult());
    }
  }
  return regions;
}

/// Where the part of an input begins.
Value LocalBorders::heldStart(unsigned number, unsigned dim) {
  auto type = cast<tra::RelationType>(join.getInputs()[number].getType());
  auto held = index::PartOp::create(b, loc, type.getLayout(), device);
  return held.getResult(2 * dim);
}

/// The first index that a region reads along a dimension.
static Value readStart(OpBuilder &b, Location loc, const ProjectionDim &dim,
                       ArrayRef<Value> starts) {
  Value constant = arith::ConstantIndexOp::create(b, loc, dim.constant);
  if (dim.terms.empty())
    return constant;
  return arith::AddIOp::create(b, loc, starts[dim.terms.front().dim], constant);
}

static OpFoldResult readSize(OpBuilder &b, const ProjectionDim &dim,
                             ArrayRef<OpFoldResult> sizes) {
  return dim.terms.empty() ? OpFoldResult(b.getIndexAttr(1))
                           : sizes[dim.terms.front().dim];
}

static SmallVector<OpFoldResult> readSizes(OpBuilder &b, const Projection &read,
                                           ArrayRef<OpFoldResult> sizes) {
  return llvm::map_to_vector(read.dims, [&](const ProjectionDim &dim) {
    return readSize(b, dim, sizes);
  });
}

/// All that the region reads lies in the part.
Value LocalBorders::slice(const Piece &piece, const Region &region) {
  SmallVector<OpFoldResult> offsets, ones;
  for (auto [number, dim] : llvm::enumerate(piece.read.dims)) {
    Value start = readStart(b, loc, dim, region.starts);
    offsets.push_back(
        arith::SubIOp::create(b, loc, start, heldStart(piece.number, number))
            .getResult());
    ones.push_back(b.getIndexAttr(1));
  }
  return tensor::ExtractSliceOp::create(b, loc, piece.part, offsets,
                                        readSizes(b, piece.read, region.sizes),
                                        ones);
}

/// What the region reads of a tensor that is folded, element by element.
Value LocalBorders::gather(const Piece &piece, const Region &region) {
  SmallVector<Value> starts, held;
  for (auto [number, dim] : llvm::enumerate(piece.read.dims)) {
    starts.push_back(readStart(b, loc, dim, region.starts));
    held.push_back(heldStart(piece.number, number));
  }
  Type element = cast<RankedTensorType>(piece.part.getType()).getElementType();
  Value empty = tensor::EmptyOp::create(
      b, loc, readSizes(b, piece.read, region.sizes), element);
  unsigned rank = starts.size();
  auto window = linalg::GenericOp::create(
      b, loc, empty.getType(), ValueRange(), empty,
      b.getMultiDimIdentityMap(rank),
      SmallVector<utils::IteratorType>(rank, utils::IteratorType::parallel),
      [&](OpBuilder &body, Location loc, ValueRange) {
        SmallVector<Value> at;
        for (auto [number, dim] : llvm::enumerate(piece.read.dims)) {
          Value x = linalg::IndexOp::create(body, loc, number);
          x = arith::AddIOp::create(body, loc, x, starts[number]);
          if (dim.mod != 0)
            x = index::emitFold(body, loc, x, dim.mod, dim.fold);
          at.push_back(arith::SubIOp::create(body, loc, x, held[number]));
        }
        linalg::YieldOp::create(
            body, loc,
            tensor::ExtractOp::create(body, loc, piece.part, at).getResult());
      });
  window->setAttr("tapestry.vertex", join.getVertexAttr());
  return window.getResult(0);
}

/// Puts what a part has of the region's window into that.
Value LocalBorders::insert(const Piece &piece, const Region &region,
                           Value window) {
  auto type = cast<tra::RelationType>(join.getInputs()[piece.number].getType());
  const Layout &layout = type.getLayout().getLayout();
  SmallVector<OpFoldResult> from, to, sizes;
  for (auto [number, dim] : llvm::enumerate(piece.read.dims)) {
    Value start = readStart(b, loc, dim, region.starts);
    Value end = add(start, getValueOrCreateConstantIndexOp(
                               b, loc, readSize(b, dim, region.sizes)));
    auto held = index::PartOp::create(b, loc, type.getLayout(), device);
    Value lo = arith::MaxSIOp::create(b, loc, start, held.getResult(2 * number))
                   .getResult();
    Value hi =
        arith::MinSIOp::create(b, loc, end, held.getResult(2 * number + 1));
    hi = arith::MaxSIOp::create(b, loc, lo, hi);
    from.push_back(arith::SubIOp::create(b, loc, lo, held.getResult(2 * number))
                       .getResult());
    to.push_back(arith::SubIOp::create(b, loc, lo, start).getResult());
    int64_t size =
        staticExtent(grid, [&, &dim = dim, number = number](int64_t d) {
          ZRange read{dim.constant, dim.constant + 1};
          if (!dim.terms.empty()) {
            read = pointsOf(region.within, dim.terms.front().dim, d);
            read.lo += dim.constant;
            read.hi += dim.constant;
          }
          return intersect(read, layout.dims[number].range(grid, d)).size();
        });
    sizes.push_back(
        ShapedType::isDynamic(size)
            ? OpFoldResult(arith::SubIOp::create(b, loc, hi, lo).getResult())
            : b.getIndexAttr(size));
  }
  SmallVector<OpFoldResult> ones(sizes.size(), b.getIndexAttr(1));
  Value own =
      tensor::ExtractSliceOp::create(b, loc, piece.part, from, sizes, ones);
  Value hole = tensor::ExtractSliceOp::create(b, loc, window, to, sizes, ones);
  auto copy = linalg::CopyOp::create(b, loc, own, hole);
  copy->setAttr("tapestry.vertex", join.getVertexAttr());
  return tensor::InsertSliceOp::create(b, loc, copy.getResult(0), window, to,
                                       sizes, ones);
}

Value LocalBorders::window(const Region &region, unsigned first,
                           ValueRange parts, AffineMap &map) {
  Projection read = withoutFolds(join.getRead(first));
  SmallVector<AffineExpr> subscripts;
  for (const ProjectionDim &dim : read.dims)
    subscripts.push_back(dim.terms.empty()
                             ? b.getAffineConstantExpr(0)
                             : b.getAffineDimExpr(dim.terms.front().dim));
  map = AffineMap::get(extents.size(), 0, subscripts, b.getContext());

  SmallVector<Piece> pieces;
  for (auto [position, part] : llvm::enumerate(parts)) {
    unsigned number = first + position;
    Piece piece{number, part, join.getRead(number)};
    if (intersect(insideOf(piece.read, shapeOf(number), extents),
                  region.within) == region.within)
      return slice(piece, region);
    pieces.push_back(piece);
  }
  if (join.getRead(first) != read)
    return gather(pieces.front(), region);
  auto type = cast<RankedTensorType>(parts.front().getType());
  Value window = tensor::EmptyOp::create(
      b, loc, readSizes(b, read, region.sizes), type.getElementType());
  if (TypedAttr pad = join.getPad(first)) {
    Value value =
        toStored(b, loc, emitConstant(b, loc, pad), type.getElementType());
    auto fill =
        linalg::FillOp::create(b, loc, ValueRange{value}, ValueRange{window});
    fill->setAttr("tapestry.vertex", join.getVertexAttr());
    window = fill.getResult(0);
  }
  for (const Piece &piece : pieces)
    window = insert(piece, region, window);
  return window;
}

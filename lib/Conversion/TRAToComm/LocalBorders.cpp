//===- LocalBorders.cpp - A block in its interior and its borders ---------===//

#include "LocalBorders.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "tapestry/Interfaces/ElementType.h"

using namespace mlir;
using namespace tapestry;

/// A part of an input of the join, and where that is read.
struct LocalBorders::Piece {
  Value part;
  index::LayoutAttr layout;
  Projection read;
};

LocalBorders::LocalBorders(OpBuilder &builder, tra::JoinOp join,
                           const LocalInterior &interior, LocalSpace &space,
                           Value device)
    : b(builder), join(join), loc(join.getLoc()), grid(join.getDeviceGrid()),
      partition(join.getResolvedPartition()), extents(join.getExtents()),
      interior(interior), space(space), device(device) {}

Value LocalBorders::add(Value a, Value c) {
  return arith::AddIOp::create(b, loc, a, c);
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

/// What emitEdges() emits, on device `d`.
ZRange LocalBorders::pointsOf(unsigned label, unsigned range, int64_t d) const {
  ZRange block = blockRange(extents[label], space.parts(label),
                            partIndex(grid, partition.cuts[label], d));
  if (range == wholeBlock)
    return block;
  ZRange inside = interior.inside[label];
  int64_t before = interior.beforeOf(label, block);
  int64_t behind = interior.behindOf(label, block, extents[label]);
  int64_t lo = before ? std::max(inside.lo, block.lo + before) : inside.lo;
  int64_t hi = behind ? std::min(inside.hi, block.hi - behind) : inside.hi;
  hi = std::max(lo, hi);
  int64_t edges[] = {0, lo, hi, extents[label]};
  return intersect(block, {edges[range], edges[range + 1]});
}

/// The ends of a label's ranges, in ascending order.
SmallVector<Value> LocalBorders::emitEdges(unsigned label) {
  ZRange inside = interior.inside[label];
  int64_t before = interior.before[label], behind = interior.behind[label];
  Value lo = space.constant(inside.lo), hi = space.constant(inside.hi);
  // At the ends of the whole space nothing may lack.
  auto moved = [&](Value bound, int64_t distance, int64_t end, bool lacks) {
    Value points = space.constant(distance);
    if (!lacks)
      points = arith::SelectOp::create(
          b, loc,
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, bound,
                                space.constant(end)),
          space.constant(0), points);
    return add(bound, points);
  };
  if (before)
    lo = arith::MaxSIOp::create(
        b, loc, lo,
        moved(space.start(label), before, 0, interior.lacksFirst[label]));
  if (behind)
    hi = arith::MinSIOp::create(b, loc, hi,
                                moved(space.getBounds()[2 * label + 1], -behind,
                                      extents[label],
                                      interior.lacksLast[label]));
  if (before || behind)
    hi = arith::MaxSIOp::create(b, loc, lo, hi);
  return {space.constant(0), lo, hi, space.constant(extents[label])};
}

/// Whether no device has points there.
bool LocalBorders::isNowhere(ArrayRef<unsigned> ranges) const {
  for (int64_t d = 0, e = grid.numDevices(); d < e; ++d)
    if (llvm::none_of(llvm::enumerate(ranges), [&](auto each) {
          return pointsOf(each.index(), each.value(), d).empty();
        }))
      return false;
  return true;
}

LocalBorders::Region
LocalBorders::emitRegion(ArrayRef<unsigned> ranges,
                         ArrayRef<SmallVector<Value>> edges) {
  Region region;
  region.ranges.assign(ranges.begin(), ranges.end());
  for (auto [label, range] : llvm::enumerate(ranges)) {
    if (range == wholeBlock) {
      region.starts.push_back(space.start(label));
      region.sizes.push_back(space.mixedSize(label));
      continue;
    }
    Value start =
        arith::MaxSIOp::create(b, loc, space.start(label), edges[label][range]);
    Value end = arith::MinSIOp::create(b, loc, space.getBounds()[2 * label + 1],
                                       edges[label][range + 1]);
    int64_t size =
        staticExtent(grid, [&, label = label, range = range](int64_t d) {
          return pointsOf(label, range, d).size();
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
  return region;
}

SmallVector<LocalBorders::Region> LocalBorders::regions() {
  SmallVector<SmallVector<Value>> edges;
  for (unsigned label = 0; label < extents.size(); ++label)
    edges.push_back(emitEdges(label));
  SmallVector<Region> regions;
  SmallVector<unsigned> rest(extents.size(), wholeBlock);
  auto add = [&] {
    if (!isNowhere(rest))
      regions.push_back(emitRegion(rest, edges));
  };
  for (unsigned label = 0; label < extents.size(); ++label) {
    for (unsigned border : {0, 2}) {
      rest[label] = border;
      add();
    }
    rest[label] = interiorRange;
  }
  add();
  return regions;
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// Where the part of an input begins.
Value LocalBorders::heldStart(const Piece &piece, unsigned dim) {
  auto held = index::PartOp::create(b, loc, piece.layout, device);
  return held.getResult(2 * dim);
}

/// What a region reads on a device, folds aside.
ZBox LocalBorders::readBox(const Region &region, const Projection &read,
                           int64_t d) const {
  ZBox points;
  for (auto [label, range] : llvm::enumerate(region.ranges))
    points.push_back(pointsOf(label, range, d));
  return read.image(points);
}

/// Whether that lies in `bound(device)` on all devices.
bool LocalBorders::readsWithin(const Region &region, const Projection &read,
                               llvm::function_ref<ZBox(int64_t)> bound) {
  return llvm::all_of(llvm::seq<int64_t>(grid.numDevices()), [&](int64_t d) {
    return contains(bound(d), readBox(region, read, d));
  });
}

bool LocalBorders::holds(const Piece &piece, const Region &region) {
  const Layout &layout = piece.layout.getLayout();
  return readsWithin(region, withoutFolds(piece.read),
                     [&](int64_t d) { return layout.box(grid, d); });
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
        arith::SubIOp::create(b, loc, start, heldStart(piece, number))
            .getResult());
    ones.push_back(b.getIndexAttr(1));
  }
  return tensor::ExtractSliceOp::create(b, loc, piece.part, offsets,
                                        readSizes(b, piece.read, region.sizes),
                                        ones);
}

/// A range of a dimension that holds what `read` is folded to. What follows
/// emits the same.
static ZRange foldedHull(const ProjectionDim &dim, ZRange read) {
  int64_t first = read.lo, last = read.hi - 1;
  if (dim.mod == 0)
    return read;
  if (dim.fold != Fold::Edge) {
    int64_t less = dim.fold == Fold::Symmetric ? 1 : 0;
    int64_t mirrored = 2 * (dim.mod - 1) + less - last;
    last = std::max(last, -first - less);
    first = std::min(first, mirrored);
  }
  return {std::clamp<int64_t>(first, 0, dim.mod - 1),
          std::clamp<int64_t>(last, 0, dim.mod - 1) + 1};
}

std::pair<Value, Value> LocalBorders::emitFoldedHull(const ProjectionDim &dim,
                                                     Value start, Value end) {
  if (dim.mod == 0)
    return {start, end};
  Value first = start, last = add(end, space.constant(-1));
  if (dim.fold != Fold::Edge) {
    int64_t less = dim.fold == Fold::Symmetric ? 1 : 0;
    auto minus = [&](int64_t constant, Value x) -> Value {
      return arith::SubIOp::create(b, loc, space.constant(constant), x);
    };
    Value mirrored = minus(2 * (dim.mod - 1) + less, last);
    last = arith::MaxSIOp::create(b, loc, last, minus(-less, first));
    first = arith::MinSIOp::create(b, loc, first, mirrored);
  }
  auto clamped = [&](Value x) -> Value {
    x = arith::MaxSIOp::create(b, loc, x, space.constant(0));
    return arith::MinSIOp::create(b, loc, x, space.constant(dim.mod - 1));
  };
  return {clamped(first), add(clamped(last), space.constant(1))};
}

/// What the region reads of a tensor that is folded, element by element, from
/// memory that begins at `held` in it.
Value LocalBorders::gather(const Piece &piece, const Region &region,
                           Value memory, ArrayRef<Value> held) {
  SmallVector<Value> starts;
  for (const ProjectionDim &dim : piece.read.dims)
    starts.push_back(readStart(b, loc, dim, region.starts));
  Type element = cast<RankedTensorType>(memory.getType()).getElementType();
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
            tensor::ExtractOp::create(body, loc, memory, at).getResult());
      });
  window->setAttr("tapestry.vertex", join.getVertexAttr());
  return window.getResult(0);
}

/// The same of a tensor in parts: from one that has all of it, or from a copy
/// of what the parts have of it.
Value LocalBorders::gather(ArrayRef<Piece> pieces, const Region &region) {
  const Projection &read = pieces.front().read;
  auto hullOn = [&](int64_t d) {
    ZBox hull = readBox(region, withoutFolds(read), d);
    for (auto [range, dim] : llvm::zip_equal(hull, read.dims))
      range = range.empty() ? range : foldedHull(dim, range);
    return hull;
  };
  auto isHeld = [&](const Piece &piece) {
    return llvm::all_of(llvm::seq<int64_t>(grid.numDevices()), [&](int64_t d) {
      ZBox hull = hullOn(d);
      return contains(piece.layout.getLayout().box(grid, d), hull);
    });
  };
  if (const Piece *piece = llvm::find_if(pieces, isHeld);
      piece != pieces.end()) {
    SmallVector<Value> held;
    for (unsigned dim = 0; dim < read.rank(); ++dim)
      held.push_back(heldStart(*piece, dim));
    return gather(*piece, region, piece->part, held);
  }
  Copied copied;
  copied.on = hullOn;
  SmallVector<OpFoldResult> sizes;
  for (auto [number, dim] : llvm::enumerate(read.dims)) {
    Value start = readStart(b, loc, dim, region.starts);
    Value end = add(start, getValueOrCreateConstantIndexOp(
                               b, loc, readSize(b, dim, region.sizes)));
    std::tie(start, end) = emitFoldedHull(dim, start, end);
    copied.starts.push_back(start);
    copied.ends.push_back(end);
    int64_t size = staticExtent(grid, [&, number = number](int64_t d) {
      return hullOn(d)[number].size();
    });
    sizes.push_back(
        ShapedType::isDynamic(size)
            ? OpFoldResult(
                  arith::SubIOp::create(b, loc, end, start).getResult())
            : b.getIndexAttr(size));
  }
  auto type = cast<RankedTensorType>(pieces.front().part.getType());
  Value copy = tensor::EmptyOp::create(b, loc, sizes, type.getElementType());
  for (const Piece &piece : pieces)
    copy = insert(piece, copied, copy);
  return gather(pieces.front(), region, copy, copied.starts);
}

/// Puts what a part has of what is copied into that.
Value LocalBorders::insert(const Piece &piece, const Copied &copied,
                           Value memory) {
  const Layout &layout = piece.layout.getLayout();
  auto sharedOn = [&](int64_t d) {
    return intersect(copied.on(d), layout.box(grid, d));
  };
  if (llvm::all_of(llvm::seq<int64_t>(grid.numDevices()),
                   [&](int64_t d) { return isEmpty(sharedOn(d)); }))
    return memory;
  SmallVector<OpFoldResult> from, to, sizes;
  auto held = index::PartOp::create(b, loc, piece.layout, device);
  for (auto [number, start, end] :
       llvm::enumerate(copied.starts, copied.ends)) {
    Value lo = arith::MaxSIOp::create(b, loc, start, held.getResult(2 * number))
                   .getResult();
    Value hi =
        arith::MinSIOp::create(b, loc, end, held.getResult(2 * number + 1));
    hi = arith::MaxSIOp::create(b, loc, lo, hi);
    from.push_back(arith::SubIOp::create(b, loc, lo, held.getResult(2 * number))
                       .getResult());
    to.push_back(arith::SubIOp::create(b, loc, lo, start).getResult());
    int64_t size = staticExtent(grid, [&, number = number](int64_t d) {
      return sharedOn(d)[number].size();
    });
    sizes.push_back(
        ShapedType::isDynamic(size)
            ? OpFoldResult(arith::SubIOp::create(b, loc, hi, lo).getResult())
            : b.getIndexAttr(size));
  }
  SmallVector<OpFoldResult> ones(sizes.size(), b.getIndexAttr(1));
  Value own =
      tensor::ExtractSliceOp::create(b, loc, piece.part, from, sizes, ones);
  Value hole = tensor::ExtractSliceOp::create(b, loc, memory, to, sizes, ones);
  auto copy = linalg::CopyOp::create(b, loc, own, hole);
  copy->setAttr("tapestry.vertex", join.getVertexAttr());
  return tensor::InsertSliceOp::create(b, loc, copy.getResult(0), memory, to,
                                       sizes, ones);
}

Value LocalBorders::window(const Region &region, unsigned first,
                           ArrayRef<HeldParts> inputs, AffineMap &map) {
  Projection read = withoutFolds(join.getRead(first));
  SmallVector<AffineExpr> subscripts;
  for (const ProjectionDim &dim : read.dims)
    subscripts.push_back(dim.terms.empty()
                             ? b.getAffineConstantExpr(0)
                             : b.getAffineDimExpr(dim.terms.front().dim));
  map = AffineMap::get(extents.size(), 0, subscripts, b.getContext());

  SmallVector<Piece> pieces;
  for (auto [position, parts] : llvm::enumerate(inputs))
    for (const HeldPart &part : parts) {
      Piece piece{part.value, part.layout, join.getRead(first + position)};
      if (holds(piece, region))
        return slice(piece, region);
      pieces.push_back(piece);
    }
  auto relation = cast<tra::RelationType>(join.getInputs()[first].getType());
  if (join.getRead(first) != read && !readsWithin(region, read, [&](int64_t) {
        return boxOfShape(relation.getShape());
      }))
    return gather(pieces, region);
  auto type = cast<RankedTensorType>(pieces.front().part.getType());
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
  // Each piece has it at places of its own.
  for (const Piece &piece : pieces) {
    Projection own = withoutFolds(piece.read);
    Copied copied;
    copied.on = [&](int64_t d) { return readBox(region, own, d); };
    for (const ProjectionDim &dim : own.dims) {
      copied.starts.push_back(readStart(b, loc, dim, region.starts));
      copied.ends.push_back(add(copied.starts.back(),
                                getValueOrCreateConstantIndexOp(
                                    b, loc, readSize(b, dim, region.sizes))));
    }
    window = insert(piece, copied, window);
  }
  return window;
}

//===- LocalBorders.cpp - A block in its interior and its borders ---------===//

#include "LocalBorders.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "tapestry/Interfaces/ElementType.h"
#include "tapestry/Interfaces/Monoid.h"

using namespace mlir;
using namespace tapestry;

/// A part of an input of the join, and where that is read.
struct LocalBorders::Piece {
  Value part;
  index::LayoutAttr layout;
  Projection read;
};

/// The layouts of what devices have of an input.
static SmallVector<Layout, 2> layoutsOf(const HeldParts &parts) {
  SmallVector<Layout, 2> layouts;
  for (const HeldPart &part : parts)
    layouts.push_back(part.layout.getLayout());
  return layouts;
}

LocalBorders::LocalBorders(OpBuilder &builder, tra::JoinOp join,
                           ArrayRef<HeldParts> operands, LocalSpace &space,
                           Value device)
    : b(builder), join(join), loc(join.getLoc()), grid(join.getDeviceGrid()),
      inputsOf(join.getOperandPieces()), operands(operands), space(space),
      device(device),
      regionsFound(regionsOf(
          join, [&](unsigned input) { return layoutsOf(operands[input]); })),
      blocks(regionsFound.blocks) {}

Value LocalBorders::add(Value a, Value c) {
  return arith::AddIOp::create(b, loc, a, c);
}

Value LocalBorders::heldBound(index::LayoutAttr layout, unsigned dim,
                              bool isEnd) {
  index::PartOp &part = bounds[layout];
  if (!part)
    part = index::PartOp::create(b, loc, layout, device);
  return part.getResult(2 * dim + isEnd);
}

LocalBorders::Piece LocalBorders::pieceOf(unsigned operand, unsigned piece,
                                          unsigned part) {
  unsigned input = inputsOf[operand].first + piece;
  const HeldPart &held = operands[input][part];
  return {held.value, held.layout, join.getRead(input)};
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

/// Where an edge is before it is moved into a block.
Value LocalBorders::emitPlace(const RegionEdge &edge) {
  Value shift = space.constant(edge.shift);
  if (!edge.bound)
    return shift;
  unsigned input = inputsOf[edge.bound->operand].first + edge.bound->piece;
  Value place = heldBound(operands[input][edge.bound->part].layout,
                          edge.bound->dim, edge.bound->isEnd);
  place = edge.isNegated ? arith::SubIOp::create(b, loc, shift, place)
                         : add(place, shift);
  return index::emitFloorDivision(b, loc, place, edge.divisor);
}

/// The bounds of a label's ranges, in ascending order.
SmallVector<Value> LocalBorders::emitEdges(unsigned label) {
  ArrayRef<RegionEdge> found = blocks.getEdges()[label];
  SmallVector<Value> places(found.size());
  Value least;
  for (size_t number = found.size(); number-- > 0;) {
    if (found[number].isLeast) {
      places[number] = least;
      continue;
    }
    Value place = places[number] = emitPlace(found[number]);
    least = least ? arith::MinSIOp::create(b, loc, least, place) : place;
  }
  Value end = space.getBounds()[2 * label + 1];
  SmallVector<Value> edges = {space.start(label)};
  for (auto [edge, place] : llvm::zip_equal(found, places)) {
    if (edge.raw != edge.at) {
      place = arith::MinSIOp::create(b, loc, place, end);
      place = arith::MaxSIOp::create(b, loc, place, edges.back());
    }
    edges.push_back(place);
  }
  edges.push_back(end);
  return edges;
}

LocalBorders::Region
LocalBorders::emitRegion(BlockRegion found,
                         ArrayRef<SmallVector<Value>> edges) {
  Region region{std::move(found), {}, {}};
  for (auto [label, range] : llvm::enumerate(region.ranges)) {
    Value start = edges[label][range.first], end = edges[label][range.second];
    auto pointsOn = [&, label = label, range = range](int64_t d) {
      return blocks.pointsOf(label, range, d);
    };
    int64_t size =
        staticExtent(grid, [&](int64_t d) { return pointsOn(d).size(); });
    region.points.starts.push_back(start);
    region.points.sizes.push_back(
        ShapedType::isDynamic(size)
            ? OpFoldResult(
                  arith::SubIOp::create(b, loc, end, start).getResult())
            : b.getIndexAttr(size));
    ZRange &all = region.hull.emplace_back();
    for (int64_t d = 0, e = grid.numDevices(); d < e; ++d) {
      ZRange own = pointsOn(d);
      if (!own.empty())
        all = all.empty()
                  ? own
                  : ZRange{std::min(all.lo, own.lo), std::max(all.hi, own.hi)};
    }
  }
  return region;
}

std::vector<LocalBorders::Region> LocalBorders::regions() {
  SmallVector<SmallVector<Value>> edges;
  for (unsigned label = 0; label < join.getExtents().size(); ++label)
    edges.push_back(emitEdges(label));
  std::vector<Region> regions;
  for (BlockRegion &found : regionsFound.found)
    regions.push_back(emitRegion(std::move(found), edges));
  for (const Region &region : regions)
    for (auto [operand, source] : llvm::enumerate(region.sources))
      if (source.kind == RegionSource::Outside && readsPads(region))
        reservePad(padOf(region, operand));
  return regions;
}

bool LocalBorders::isRim(const Region &region) const {
  return blocks.isThin(region.ranges, /*part=*/32);
}

/// Whether pads are read as what lies in parts is: where that is most of what
/// is read.
bool LocalBorders::readsPads(const Region &region) const {
  return isRim(region) &&
         2 * llvm::count_if(region.sources,
                            [](const RegionSource &source) {
                              return source.kind == RegionSource::Outside;
                            }) <=
             int64_t(region.sources.size());
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// Where the part of an input begins.
Value LocalBorders::heldStart(const Piece &piece, unsigned dim) {
  return heldBound(piece.layout, dim, /*isEnd=*/false);
}

/// What a region reads on a device, folds aside.
ZBox LocalBorders::readBox(const Region &region, const Projection &read,
                           int64_t d) {
  return read.image(blocks.pointsOf(region.ranges, d));
}

/// Whether that lies in `bound(device)` on all devices.
bool LocalBorders::readsWithin(const Region &region, const Projection &read,
                               llvm::function_ref<ZBox(int64_t)> bound) {
  return llvm::all_of(llvm::seq<int64_t>(grid.numDevices()), [&](int64_t d) {
    return contains(bound(d), readBox(region, read, d));
  });
}

/// All that the region reads lies in the part.
Value LocalBorders::slice(const Piece &piece, const Region &region) {
  SmallVector<OpFoldResult> offsets, ones;
  for (auto [number, dim] : llvm::enumerate(piece.read.dims)) {
    Value start = readStart(b, loc, dim, region.points);
    offsets.push_back(
        arith::SubIOp::create(b, loc, start, heldStart(piece, number))
            .getResult());
    ones.push_back(b.getIndexAttr(1));
  }
  return tensor::ExtractSliceOp::create(
      b, loc, piece.part, offsets, readSizes(b, loc, piece.read, region.points),
      ones);
}

/// What points take of an operand where they read nothing that counts, too.
TypedAttr LocalBorders::padAt(unsigned operand) {
  if (TypedAttr pad = join.getPad(inputsOf[operand].first))
    return pad;
  return zeroValue(join.getKernel().front().getArgument(operand).getType());
}

/// What a rim reads of an operand that is outside, at most.
LocalBorders::PadMemory LocalBorders::padOf(const Region &region,
                                            unsigned operand) {
  unsigned input = inputsOf[operand].first;
  auto part = cast<RankedTensorType>(operands[input].front().value.getType());
  PadMemory pad{padAt(operand), part.getElementType(), {}, {}};
  pad.shape.assign(part.getRank(), 0);
  for (int64_t d = 0, e = grid.numDevices(); d < e; ++d)
    for (auto [size, range] : llvm::zip_equal(
             pad.shape, readBox(region, region.sources[operand].read, d)))
      size = std::max(size, range.size());
  return pad;
}

/// Those that take no more together are one.
void LocalBorders::reservePad(PadMemory wanted) {
  auto volumeOf = [](ArrayRef<int64_t> shape) {
    return volume(boxOfShape(shape));
  };
  for (PadMemory &known : pads) {
    if (known.pad != wanted.pad || known.element != wanted.element ||
        known.shape.size() != wanted.shape.size())
      continue;
    SmallVector<int64_t> both;
    for (auto [a, c] : llvm::zip_equal(known.shape, wanted.shape))
      both.push_back(std::max(a, c));
    if (volumeOf(both) > volumeOf(known.shape) + volumeOf(wanted.shape))
      continue;
    known.shape = both;
    return;
  }
  pads.push_back(std::move(wanted));
}

/// Pads, as if they lay in a part: so rims are computed alike, whatever of them
/// is outside.
Value LocalBorders::slicePad(const Region &region, unsigned operand,
                             const Projection &read) {
  PadMemory wanted = padOf(region, operand);
  PadMemory &memory = *llvm::find_if(pads, [&](const PadMemory &known) {
    return known.pad == wanted.pad && known.element == wanted.element &&
           known.shape.size() == wanted.shape.size() &&
           contains(boxOfShape(known.shape), boxOfShape(wanted.shape));
  });
  if (!memory.filled) {
    Value empty = tensor::EmptyOp::create(b, loc, memory.shape, memory.element);
    Value value =
        toStored(b, loc, emitConstant(b, loc, memory.pad), memory.element);
    auto fill =
        linalg::FillOp::create(b, loc, ValueRange{value}, ValueRange{empty});
    fill->setAttr("tapestry.vertex", join.getVertexAttr());
    memory.filled = fill.getResult(0);
  }
  SmallVector<OpFoldResult> zeros(read.rank(), b.getIndexAttr(0));
  SmallVector<OpFoldResult> ones(read.rank(), b.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(b, loc, memory.filled, zeros,
                                        readSizes(b, loc, read, region.points),
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
    starts.push_back(readStart(b, loc, dim, region.points));
  Type element = cast<RankedTensorType>(memory.getType()).getElementType();
  Value empty = tensor::EmptyOp::create(
      b, loc, readSizes(b, loc, piece.read, region.points), element);
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
    Value start = readStart(b, loc, dim, region.points);
    Value end = add(start, getValueOrCreateConstantIndexOp(
                               b, loc, readSize(b, loc, dim, region.points)));
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
  for (auto [number, start, end] :
       llvm::enumerate(copied.starts, copied.ends)) {
    Value own = heldStart(piece, number);
    Value lo = arith::MaxSIOp::create(b, loc, start, own).getResult();
    Value hi = arith::MinSIOp::create(
        b, loc, end, heldBound(piece.layout, number, /*isEnd=*/true));
    hi = arith::MaxSIOp::create(b, loc, lo, hi);
    from.push_back(arith::SubIOp::create(b, loc, lo, own).getResult());
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

/// What the points of a region read of parts, copied to one place.
Value LocalBorders::putTogether(ArrayRef<Piece> pieces, const Region &region,
                                TypedAttr pad) {
  Type element =
      cast<RankedTensorType>(pieces.front().part.getType()).getElementType();
  Projection read = withoutFolds(pieces.front().read);
  Value window = tensor::EmptyOp::create(
      b, loc, readSizes(b, loc, read, region.points), element);
  if (pad) {
    Value value = toStored(b, loc, emitConstant(b, loc, pad), element);
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
      copied.starts.push_back(readStart(b, loc, dim, region.points));
      copied.ends.push_back(
          add(copied.starts.back(),
              getValueOrCreateConstantIndexOp(
                  b, loc, readSize(b, loc, dim, region.points))));
    }
    window = insert(piece, copied, window);
  }
  return window;
}

Value LocalBorders::window(const Region &region, unsigned operand,
                           AffineMap &map) {
  const RegionSource &source = region.sources[operand];
  if (source.kind == RegionSource::Either)
    return {};
  if (source.kind == RegionSource::Outside) {
    map = mapInto(b, source.read, region.points);
    return map && readsPads(region) ? slicePad(region, operand, source.read)
                                    : Value();
  }
  if (source.kind == RegionSource::Part) {
    Piece piece = pieceOf(operand, source.piece, source.part);
    piece.read = source.read;
    map = mapInto(b, piece.read, region.points);
    return map ? slice(piece, region) : Value();
  }
  auto [first, end] = inputsOf[operand];
  SmallVector<Piece> pieces;
  for (unsigned input = first; input < end; ++input)
    for (unsigned part = 0; part < operands[input].size(); ++part)
      pieces.push_back(pieceOf(operand, input - first, part));
  Projection read = join.getRead(first), line = withoutFolds(read);
  map = mapInto(b, line, region.points);
  auto relation = cast<tra::RelationType>(join.getInputs()[first].getType());
  if (read != line && !readsWithin(region, line, [&](int64_t) {
        return boxOfShape(relation.getShape());
      }))
    return gather(pieces, region);
  return putTogether(pieces, region, join.getPad(first));
}

LocalBorders::Element LocalBorders::element(const Region &region,
                                            unsigned operand) {
  const RegionSource &source = region.sources[operand];
  TypedAttr pad = padAt(operand);
  if (source.kind == RegionSource::Outside)
    return [=, loc = loc](OpBuilder &body) {
      return emitConstant(body, loc, pad);
    };
  Piece piece = pieceOf(operand, source.piece, source.part);
  unsigned input = inputsOf[operand].first + source.piece;
  auto relation = cast<tra::RelationType>(join.getInputs()[input].getType());
  ArrayRef<int64_t> shape = relation.getShape();
  Type element = join.getKernel().front().getArgument(operand).getType();
  struct Dim {
    std::optional<AffineTerm> term;
    Value start, lo, last;
    int64_t extent, mod;
    Fold fold;
    bool isBeyond;
  };
  SmallVector<Dim> dims;
  for (auto [number, dim] : llvm::enumerate(source.read.dims)) {
    Dim &at = dims.emplace_back();
    if (!dim.terms.empty())
      at.term = dim.terms.front();
    at.start = readAt(b, loc, dim, region.points.starts);
    at.lo = heldStart(piece, number);
    at.last = add(heldBound(piece.layout, number, /*isEnd=*/true),
                  space.constant(-1));
    at.extent = shape[number];
    at.mod = dim.mod;
    at.fold = dim.fold;
    at.isBeyond =
        source.kind == RegionSource::Either && source.beyond.test(number);
  }
  return [=, loc = loc](OpBuilder &body) -> Value {
    Value isInside;
    SmallVector<Value> local;
    auto require = [&](arith::CmpIPredicate how, Value place, int64_t bound) {
      Value holds = arith::CmpIOp::create(
          body, loc, how, place,
          arith::ConstantIndexOp::create(body, loc, bound));
      isInside =
          isInside ? arith::AndIOp::create(body, loc, isInside, holds) : holds;
    };
    for (const Dim &dim : dims) {
      Value place = dim.start;
      if (dim.term) {
        Value moved = linalg::IndexOp::create(body, loc, dim.term->dim);
        if (dim.term->coefficient != 1)
          moved = arith::MulIOp::create(
              body, loc, moved,
              arith::ConstantIndexOp::create(body, loc, dim.term->coefficient));
        place = arith::AddIOp::create(body, loc, place, moved);
      }
      if (dim.mod != 0)
        place = index::emitFold(body, loc, place, dim.mod, dim.fold);
      if (dim.isBeyond) {
        require(arith::CmpIPredicate::sge, place, 0);
        require(arith::CmpIPredicate::slt, place, dim.extent);
        place = arith::MinSIOp::create(body, loc, place, dim.last);
        place = arith::MaxSIOp::create(body, loc, place, dim.lo);
      }
      local.push_back(arith::SubIOp::create(body, loc, place, dim.lo));
    }
    Value stored = tensor::ExtractOp::create(body, loc, piece.part, local);
    stored = loadStored(body, loc, stored, element);
    if (!isInside)
      return stored;
    return arith::SelectOp::create(body, loc, isInside, stored,
                                   emitConstant(body, loc, pad));
  };
}

//===- LocalSpace.cpp - One device's block of an index space --------------===//

#include "LocalSpace.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "tapestry/Interfaces/ElementType.h"

using namespace mlir;
using namespace tapestry;

Value tapestry::loadStored(OpBuilder &b, Location loc, Value stored,
                           Type type) {
  if (stored.getType() == type)
    return stored;
  return arith::TruncIOp::create(b, loc, type, stored);
}

Value tapestry::toStored(OpBuilder &b, Location loc, Value value, Type stored) {
  if (value.getType() == stored)
    return value;
  if (isa<FloatType>(stored))
    return arith::TruncFOp::create(b, loc, stored, value);
  return arith::ExtUIOp::create(b, loc, stored, value);
}

LocalSpace::LocalSpace(OpBuilder &builder, Location loc, StringAttr vertex,
                       Value device, const DeviceGrid &grid,
                       const Partition &partition, ArrayRef<int64_t> extents)
    : b(builder), loc(loc), vertex(vertex), device(device), grid(grid),
      partition(partition), extents(extents) {
  auto layout = index::LayoutAttr::get(
      b.getContext(), grid, Layout::blocked(extents, partition.cuts));
  auto part = index::PartOp::create(b, loc, layout, device);
  bounds.append(part.getResults().begin(), part.getResults().end());
}

Value LocalSpace::constant(int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

int64_t LocalSpace::extent(unsigned label) const {
  return staticExtent(grid, [&](int64_t d) {
    return blockRange(extents[label], parts(label),
                      partIndex(grid, partition.cuts[label], d))
        .size();
  });
}

Value LocalSpace::size(unsigned label) {
  int64_t known = extent(label);
  if (!ShapedType::isDynamic(known))
    return constant(known);
  return arith::SubIOp::create(b, loc, bounds[2 * label + 1], start(label));
}

OpFoldResult LocalSpace::mixedSize(unsigned label) {
  int64_t known = extent(label);
  return ShapedType::isDynamic(known) ? OpFoldResult(size(label))
                                      : OpFoldResult(b.getIndexAttr(known));
}

bool LocalSpace::staysInside(const Layout &layout) const {
  for (int64_t d = 0, e = grid.numDevices(); d < e; ++d)
    if (layout.imageBox(grid, d) != layout.box(grid, d))
      return false;
  return true;
}

Projection tapestry::withoutFolds(Projection read) {
  for (ProjectionDim &dim : read.dims) {
    dim.mod = 0;
    dim.fold = Fold::Wrap;
  }
  return read;
}

LocalSpace::Place
LocalSpace::placeOf(const Layout &layout, const Layout &held,
                    ArrayRef<SmallVector<AffineTerm, 1>> rooms,
                    RankedTensorType windowType) {
  // Starts and ends, of the window and of what is there of it.
  auto window = index::PartOp::create(
      b, loc, index::LayoutAttr::get(b.getContext(), grid, layout), device,
      /*unclipped=*/true);
  auto inside = index::PartOp::create(
      b, loc, index::LayoutAttr::get(b.getContext(), grid, held), device,
      /*unclipped=*/false);
  Place place;
  Value zero = constant(0);
  for (unsigned dim = 0; dim < layout.rank(); ++dim) {
    auto extent = [&](index::PartOp part) -> Value {
      return arith::SubIOp::create(b, loc, part.getResult(2 * dim + 1),
                                   part.getResult(2 * dim));
    };
    Value windowSize = extent(window);
    Value insideSize = extent(inside);
    // The window's points before the first that is there, at most all that are
    // not; the rest of those lie behind the last.
    bool isClipped = held.dims[dim] == layout.dims[dim];
    Value before = arith::SubIOp::create(
        b, loc, isClipped ? zero : inside.getResult(2 * dim),
        window.getResult(2 * dim));
    before = arith::MaxSIOp::create(b, loc, before, zero);
    before = arith::MinSIOp::create(
        b, loc, before, arith::SubIOp::create(b, loc, windowSize, insideSize));
    Value allRoom = zero;
    for (const AffineTerm &term : rooms[dim]) {
      Value missing = arith::SubIOp::create(b, loc, constant(block(term.dim)),
                                            size(term.dim));
      Value room =
          arith::MulIOp::create(b, loc, missing, constant(-term.coefficient));
      before = arith::AddIOp::create(b, loc, before, room);
      windowSize = arith::AddIOp::create(b, loc, windowSize, room);
      allRoom = arith::AddIOp::create(b, loc, allRoom, room);
    }
    place.rooms.push_back(allRoom);
    place.origins.push_back(
        arith::SubIOp::create(b, loc, window.getResult(2 * dim), allRoom));
    place.offsets.push_back(before);
    auto sizeOf = [&](int64_t known, Value size) {
      return ShapedType::isDynamic(known) ? OpFoldResult(size)
                                          : OpFoldResult(b.getIndexAttr(known));
    };
    int64_t known = staticExtent(
        grid, [&](int64_t d) { return held.dims[dim].range(grid, d).size(); });
    place.sizes.push_back(sizeOf(known, insideSize));
    place.windowSizes.push_back(sizeOf(windowType.getDimSize(dim), windowSize));
  }
  return place;
}

Value LocalSpace::insert(Value part, Value window, const Place &place) {
  SmallVector<OpFoldResult> ones(place.offsets.size(), b.getIndexAttr(1));
  Value hole = tensor::ExtractSliceOp::create(
      b, loc, cast<RankedTensorType>(part.getType()), window, place.offsets,
      place.sizes, ones);
  auto copy = linalg::CopyOp::create(b, loc, part, hole);
  copy->setAttr("tapestry.vertex", vertex);
  return tensor::InsertSliceOp::create(b, loc, copy.getResult(0), window,
                                       place.offsets, place.sizes, ones);
}

Value LocalSpace::subtract(Value a, Value b_) {
  return arith::SubIOp::create(b, loc, a, b_);
}

/// What lies in the tensor as it is, then slabs before and behind it, dimension
/// by dimension. Those of one run through the whole window in the dimensions
/// before it, through what lies in the tensor in those behind it.
Value LocalSpace::insertFolded(const Piece &piece, ArrayRef<int64_t> shape,
                               Value window, const Place &place) {
  unsigned rank = shape.size();
  auto held = index::PartOp::create(
      b, loc,
      index::LayoutAttr::get(
          b.getContext(), grid,
          Layout::ofProjection(piece.read, extents, partition, shape)),
      device);
  auto toValue = [&](OpFoldResult number) {
    return getValueOrCreateConstantIndexOp(b, loc, number);
  };
  SmallVector<Value> lo = llvm::map_to_vector(place.offsets, toValue);
  SmallVector<Value> size = llvm::map_to_vector(place.sizes, toValue);
  /// From the place in a window to that in the part, but for folds.
  SmallVector<OpFoldResult> within, ones(rank, b.getIndexAttr(1));
  for (unsigned dim = 0; dim < rank; ++dim) {
    Value start = arith::AddIOp::create(b, loc, lo[dim], place.origins[dim]);
    // Where there is nothing inside, it stands nowhere in the part.
    Value isEmpty = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                          size[dim], constant(0));
    Value local = subtract(start, held.getResult(2 * dim));
    within.push_back(
        arith::SelectOp::create(b, loc, isEmpty, constant(0), local)
            .getResult());
  }
  Value inside = tensor::ExtractSliceOp::create(b, loc, piece.part, within,
                                                place.sizes, ones);
  window = insert(inside, window, place);

  auto insertSlab = [&]() {
    SmallVector<OpFoldResult> offsets(lo.begin(), lo.end());
    SmallVector<OpFoldResult> sizes(size.begin(), size.end());
    Value hole =
        tensor::ExtractSliceOp::create(b, loc, window, offsets, sizes, ones);
    auto slab = linalg::GenericOp::create(
        b, loc, hole.getType(), ValueRange(), hole,
        b.getMultiDimIdentityMap(rank),
        SmallVector<utils::IteratorType>(rank, utils::IteratorType::parallel),
        [&](OpBuilder &body, Location loc, ValueRange) {
          SmallVector<Value> at;
          for (auto [dim, form] : llvm::enumerate(piece.read.dims)) {
            Value x = linalg::IndexOp::create(body, loc, dim);
            x = arith::AddIOp::create(body, loc, x, lo[dim]);
            x = arith::AddIOp::create(body, loc, x, place.origins[dim]);
            if (form.mod != 0)
              x = index::emitFold(body, loc, x, form.mod, form.fold);
            at.push_back(
                arith::SubIOp::create(body, loc, x, held.getResult(2 * dim)));
          }
          Value element = tensor::ExtractOp::create(body, loc, piece.part, at);
          linalg::YieldOp::create(body, loc, element);
        });
    slab->setAttr("tapestry.vertex", vertex);
    window = tensor::InsertSliceOp::create(b, loc, slab.getResult(0), window,
                                           offsets, sizes, ones);
  };
  for (unsigned dim = 0; dim < rank; ++dim) {
    if (piece.read.dims[dim].mod == 0)
      continue;
    Value first = place.rooms[dim], end = toValue(place.windowSizes[dim]);
    Value behind = arith::AddIOp::create(b, loc, lo[dim], size[dim]);
    size[dim] = subtract(lo[dim], first);
    lo[dim] = first;
    insertSlab();
    lo[dim] = behind;
    size[dim] = subtract(end, behind);
    insertSlab();
    lo[dim] = first;
    size[dim] = subtract(end, first);
  }
  return window;
}

Value LocalSpace::padWindow(Value part, const Layout &layout,
                            const Layout &held, TypedAttr pad,
                            ArrayRef<SmallVector<AffineTerm, 1>> rooms,
                            RankedTensorType windowType) {
  Place place = placeOf(layout, held, rooms, windowType);
  Type stored = windowType.getElementType();
  if (!pad)
    pad = monoidIdentity(Monoid::Add, stored);
  Value fill = toStored(b, loc, emitConstant(b, loc, pad), stored);
  Value empty = tensor::EmptyOp::create(b, loc, place.windowSizes, stored);
  auto filled =
      linalg::FillOp::create(b, loc, ValueRange{fill}, ValueRange{empty});
  filled->setAttr("tapestry.vertex", vertex);
  return insert(part, filled.getResult(0), place);
}

Value LocalSpace::joinWindow(ArrayRef<Piece> pieces, ArrayRef<int64_t> shape,
                             ArrayRef<SmallVector<AffineTerm, 1>> rooms,
                             RankedTensorType windowType) {
  Value window;
  for (const Piece &piece : pieces) {
    Projection line = withoutFolds(piece.read);
    Layout layout = Layout::ofProjection(line, extents, partition, shape);
    Place place = placeOf(layout, layout, rooms, windowType);
    if (!window)
      window = tensor::EmptyOp::create(b, loc, place.windowSizes,
                                       windowType.getElementType());
    window = line == piece.read ? insert(piece.part, window, place)
                                : insertFolded(piece, shape, window, place);
  }
  return window;
}

//===- LocalSpace.cpp - One device's block of an index space --------------===//

#include "LocalSpace.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

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

LocalSpace::Place
LocalSpace::placeOf(Value part, const Layout &layout,
                    ArrayRef<SmallVector<AffineTerm, 1>> rooms,
                    RankedTensorType windowType) {
  auto layoutAttr = index::LayoutAttr::get(b.getContext(), grid, layout);
  // Starts and ends, of the window and of its part inside the tensor.
  auto window =
      index::PartOp::create(b, loc, layoutAttr, device, /*unclipped=*/true);
  auto inside =
      index::PartOp::create(b, loc, layoutAttr, device, /*unclipped=*/false);
  Place place;
  Value zero = constant(0);
  for (unsigned dim = 0; dim < layout.rank(); ++dim) {
    auto extent = [&](index::PartOp part) -> Value {
      return arith::SubIOp::create(b, loc, part.getResult(2 * dim + 1),
                                   part.getResult(2 * dim));
    };
    Value windowSize = extent(window);
    Value insideSize = extent(inside);
    // The window's points before the tensor's first, at most all that are
    // outside; the rest of those lie behind its last.
    Value before =
        arith::SubIOp::create(b, loc, zero, window.getResult(2 * dim));
    before = arith::MaxSIOp::create(b, loc, before, zero);
    before = arith::MinSIOp::create(
        b, loc, before, arith::SubIOp::create(b, loc, windowSize, insideSize));
    for (const AffineTerm &term : rooms[dim]) {
      Value missing = arith::SubIOp::create(b, loc, constant(block(term.dim)),
                                            size(term.dim));
      Value room =
          arith::MulIOp::create(b, loc, missing, constant(-term.coefficient));
      before = arith::AddIOp::create(b, loc, before, room);
      windowSize = arith::AddIOp::create(b, loc, windowSize, room);
    }
    place.offsets.push_back(before);
    auto sizeOf = [&](int64_t known, Value size) {
      return ShapedType::isDynamic(known) ? OpFoldResult(size)
                                          : OpFoldResult(b.getIndexAttr(known));
    };
    place.sizes.push_back(sizeOf(
        cast<RankedTensorType>(part.getType()).getDimSize(dim), insideSize));
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

Value LocalSpace::padWindow(Value part, const Layout &layout, TypedAttr pad,
                            ArrayRef<SmallVector<AffineTerm, 1>> rooms,
                            RankedTensorType windowType) {
  Place place = placeOf(part, layout, rooms, windowType);
  Type stored = windowType.getElementType();
  if (!pad)
    pad = cast<TypedAttr>(b.getZeroAttr(stored));
  Value fill = toStored(b, loc, arith::ConstantOp::create(b, loc, pad), stored);
  Value empty = tensor::EmptyOp::create(b, loc, place.windowSizes, stored);
  auto filled =
      linalg::FillOp::create(b, loc, ValueRange{fill}, ValueRange{empty});
  filled->setAttr("tapestry.vertex", vertex);
  return insert(part, filled.getResult(0), place);
}

Value LocalSpace::joinWindow(ValueRange parts, ArrayRef<Layout> layouts,
                             ArrayRef<SmallVector<AffineTerm, 1>> rooms,
                             RankedTensorType windowType) {
  Value window;
  for (auto [part, layout] : llvm::zip_equal(parts, layouts)) {
    Place place = placeOf(part, layout, rooms, windowType);
    if (!window)
      window = tensor::EmptyOp::create(b, loc, place.windowSizes,
                                       windowType.getElementType());
    window = insert(part, window, place);
  }
  return window;
}

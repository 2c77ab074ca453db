//===- LocalJoin.cpp - One device's share of a join -----------------------===//
//
// The device's block of the index space becomes the iteration space of a
// linalg.generic. Local coordinates count from the block's start; an operand's
// part starts at the image of the block, so its subscripts keep their
// coefficients and lose their constants.
//
//===----------------------------------------------------------------------===//

#include "LocalJoin.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "tapestry/Dialect/Comm/IR/Comm.h"
#include "tapestry/Dialect/Index/IR/AffineForm.h"
#include "tapestry/Interfaces/Monoid.h"

using namespace mlir;
using namespace tapestry;

Type tapestry::storageType(Type elementType) {
  return elementType.isInteger(1)
             ? IntegerType::get(elementType.getContext(), 8)
             : elementType;
}

/// The extent that `size` has on every device, else dynamic.
template <typename SizeOnDevice>
static int64_t staticExtent(const DeviceGrid &grid, SizeOnDevice size) {
  int64_t first = size(0);
  for (int64_t device = 1, e = grid.numDevices(); device < e; ++device)
    if (size(device) != first)
      return ShapedType::kDynamic;
  return first;
}

/// A stored element as the type that the program computes with, and back.
static Value loadStored(OpBuilder &b, Location loc, Value stored, Type type) {
  if (stored.getType() == type)
    return stored;
  return arith::TruncIOp::create(b, loc, type, stored);
}
static Value toStored(OpBuilder &b, Location loc, Value value, Type stored) {
  if (value.getType() == stored)
    return value;
  if (isa<FloatType>(stored))
    return arith::TruncFOp::create(b, loc, stored, value);
  return arith::ExtUIOp::create(b, loc, stored, value);
}

/// Copies a combine region's operations behind stored arguments.
static Value cloneCombine(OpBuilder &b, Location loc, Region &region, Value acc,
                          Value value) {
  Block &block = region.front();
  IRMapping mapping;
  for (auto [parameter, argument] :
       llvm::zip_equal(block.getArguments(), ValueRange{acc, value}))
    mapping.map(parameter, loadStored(b, loc, argument, parameter.getType()));
  for (Operation &op : block.without_terminator())
    b.clone(op, mapping);
  return mapping.lookupOrDefault(block.getTerminator()->getOperand(0));
}

void tapestry::emitStoredCombine(OpBuilder &b, Region &from, Region &to) {
  OpBuilder::InsertionGuard guard(b);
  Location loc = from.getLoc();
  Type stored = storageType(from.getArgument(0).getType());
  Block *block = b.createBlock(&to, {}, {stored, stored}, {loc, loc});
  Value combined =
      cloneCombine(b, loc, from, block->getArgument(0), block->getArgument(1));
  comm::YieldOp::create(b, loc, toStored(b, loc, combined, stored));
}

namespace {

/// Lowers one join.
class LocalJoin {
public:
  LocalJoin(OpBuilder &builder, tra::JoinOp join, Value device)
      : b(builder), join(join), loc(join.getLoc()), device(device),
        grid(resultLayout().getDeviceGrid()),
        partition(join.getResolvedPartition()), extents(join.getExtents()) {}

  Value lower(ValueRange operands);

private:
  index::LayoutAttr resultLayout() {
    return join.getResult().getType().getLayout();
  }
  ArrayRef<int64_t> operandShape(unsigned number) {
    return cast<tra::RelationType>(join.getInputs()[number].getType())
        .getShape();
  }
  unsigned numLabels() const { return extents.size(); }
  int64_t parts(unsigned label) const {
    return partsOf(grid, partition.cuts[label]);
  }
  /// Points of the largest block of `label`.
  int64_t block(unsigned label) const {
    return ceilDiv(extents[label], parts(label));
  }
  int64_t labelExtent(unsigned label) const;
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  Value start(unsigned label) { return bounds[2 * label]; }
  Value size(unsigned label);
  void emitLabelBounds();
  Value operandWindow(unsigned number, Value part, AffineMap &localMap);
  /// Whether no device's window reaches outside the tensor.
  bool staysInside(const Layout &layout) const {
    for (int64_t d = 0, e = grid.numDevices(); d < e; ++d)
      if (layout.imageBox(grid, d) != layout.box(grid, d))
        return false;
    return true;
  }
  Value padWindow(unsigned number, Value part, const Projection &projection,
                  ArrayRef<int64_t> slack, RankedTensorType windowType);
  Value emitInit(Type elementType, bool reduces);
  Value emitBody(OpBuilder &body, ValueRange arguments, Type accumulator,
                 bool reduces);

  OpBuilder &b;
  tra::JoinOp join;
  Location loc;
  Value device;
  DeviceGrid grid;
  Partition partition;
  ArrayRef<int64_t> extents;
  /// Start and end of the device's block, label by label.
  SmallVector<Value> bounds;
};

} // namespace

int64_t LocalJoin::labelExtent(unsigned label) const {
  return staticExtent(grid, [&](int64_t d) {
    return blockRange(extents[label], parts(label),
                      partIndex(grid, partition.cuts[label], d))
        .size();
  });
}

void LocalJoin::emitLabelBounds() {
  auto layout = index::LayoutAttr::get(
      b.getContext(), grid, Layout::blocked(extents, partition.cuts));
  auto part = index::PartOp::create(b, loc, layout, device);
  bounds.append(part.getResults().begin(), part.getResults().end());
}

Value LocalJoin::size(unsigned label) {
  int64_t extent = labelExtent(label);
  if (!ShapedType::isDynamic(extent))
    return constant(extent);
  return arith::SubIOp::create(b, loc, bounds[2 * label + 1], start(label));
}

/// The operand's part as the device's window onto it: the points that the block
/// reads, those outside the tensor filled with the pad value. `localMap` gets
/// the subscripts in local coordinates.
Value LocalJoin::operandWindow(unsigned number, Value part,
                               AffineMap &localMap) {
  Projection projection = *index::getLinearForms(join.getInputMap(number));
  Layout layout = Layout::ofProjection(projection, extents, partition,
                                       operandShape(number));
  SmallVector<AffineExpr> subscripts;
  SmallVector<int64_t> shape, slack;
  bool changed = false;
  for (unsigned dimNumber = 0; dimNumber < projection.rank(); ++dimNumber) {
    const ProjectionDim &dim = projection.dims[dimNumber];
    // Counting down, the window starts where the block's last point reads. With
    // blocks of different sizes, room is kept for the largest (`slack` points
    // per missing point), so that the constant is the same on all devices.
    AffineExpr subscript = getAffineConstantExpr(0, b.getContext());
    int64_t missing = 0;
    for (const AffineTerm &term : dim.terms) {
      subscript = subscript +
                  getAffineDimExpr(term.dim, b.getContext()) * term.coefficient;
      if (term.coefficient < 0) {
        subscript = subscript - term.coefficient * (block(term.dim) - 1);
        missing |= ShapedType::isDynamic(labelExtent(term.dim));
      }
    }
    subscripts.push_back(subscript);
    slack.push_back(missing);
    shape.push_back(staticExtent(grid, [&](int64_t d) {
      int64_t points = layout.dims[dimNumber].imageRange(grid, d).size();
      for (const AffineTerm &term : dim.terms)
        if (term.coefficient < 0)
          points -= term.coefficient *
                    (block(term.dim) -
                     blockRange(extents[term.dim], parts(term.dim),
                                partIndex(grid, partition.cuts[term.dim], d))
                         .size());
      return points;
    }));
    changed |= missing != 0;
  }
  localMap = AffineMap::get(numLabels(), 0, subscripts, b.getContext());
  bool reachesOut = join.getPad(number) && !staysInside(layout);
  if (!reachesOut && !changed)
    return part;
  auto partType = cast<RankedTensorType>(part.getType());
  return padWindow(number, part, projection, slack,
                   RankedTensorType::get(shape, partType.getElementType()));
}

Value LocalJoin::padWindow(unsigned number, Value part,
                           const Projection &projection,
                           ArrayRef<int64_t> slack,
                           RankedTensorType windowType) {
  index::LayoutAttr layout = index::LayoutAttr::get(
      b.getContext(), grid,
      Layout::ofProjection(projection, extents, partition,
                           operandShape(number)));
  unsigned rank = projection.rank();
  // Starts and ends, of the window and of its part inside the tensor.
  auto window =
      index::PartOp::create(b, loc, layout, device, /*unclipped=*/true);
  auto inside =
      index::PartOp::create(b, loc, layout, device, /*unclipped=*/false);
  SmallVector<OpFoldResult> offsets, insideSizes, windowSizes;
  Value zero = constant(0);
  for (unsigned dim = 0; dim < rank; ++dim) {
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
    if (slack[dim])
      for (const AffineTerm &term : projection.dims[dim].terms) {
        if (term.coefficient > 0)
          continue;
        Value missing = arith::SubIOp::create(b, loc, constant(block(term.dim)),
                                              size(term.dim));
        Value room =
            arith::MulIOp::create(b, loc, missing, constant(-term.coefficient));
        before = arith::AddIOp::create(b, loc, before, room);
        windowSize = arith::AddIOp::create(b, loc, windowSize, room);
      }
    offsets.push_back(before);
    auto sizeOf = [&](int64_t known, Value size) {
      return ShapedType::isDynamic(known) ? OpFoldResult(size)
                                          : OpFoldResult(b.getIndexAttr(known));
    };
    insideSizes.push_back(sizeOf(
        cast<RankedTensorType>(part.getType()).getDimSize(dim), insideSize));
    windowSizes.push_back(sizeOf(windowType.getDimSize(dim), windowSize));
  }
  Type stored = windowType.getElementType();
  TypedAttr pad = join.getPad(number);
  if (!pad)
    pad = cast<TypedAttr>(b.getZeroAttr(stored));
  Value fill = toStored(b, loc, arith::ConstantOp::create(b, loc, pad), stored);
  Value empty = tensor::EmptyOp::create(b, loc, windowSizes, stored);
  auto filled =
      linalg::FillOp::create(b, loc, ValueRange{fill}, ValueRange{empty});
  SmallVector<OpFoldResult> ones(rank, b.getIndexAttr(1));
  Value hole = tensor::ExtractSliceOp::create(
      b, loc, cast<RankedTensorType>(part.getType()), filled.getResult(0),
      offsets, insideSizes, ones);
  auto copy = linalg::CopyOp::create(b, loc, part, hole);
  for (Operation *op : {filled.getOperation(), copy.getOperation()})
    op->setAttr("tapestry.vertex", join.getVertexAttr());
  return tensor::InsertSliceOp::create(b, loc, copy.getResult(0),
                                       filled.getResult(0), offsets,
                                       insideSizes, ones);
}

/// The tensor that the device's part of the result is computed into.
Value LocalJoin::emitInit(Type elementType, bool reduces) {
  SmallVector<OpFoldResult> sizes;
  SmallVector<int64_t> shape;
  AffineMap resultMap = join.getResultMap();
  for (AffineExpr expr : resultMap.getResults()) {
    unsigned label = cast<AffineDimExpr>(expr).getPosition();
    int64_t extent = labelExtent(label);
    shape.push_back(extent);
    if (ShapedType::isDynamic(extent))
      sizes.push_back(size(label));
    else
      sizes.push_back(b.getIndexAttr(extent));
  }
  Value init = tensor::EmptyOp::create(b, loc, sizes, elementType);
  if (!reduces)
    return init;
  TypedAttr neutral =
      join.getMonoid() == Monoid::Custom
          ? *join.getIdentity()
          : monoidIdentity(join.getMonoid(),
                           join.getResult().getType().getElementType());
  Value identity = arith::ConstantOp::create(b, loc, neutral);
  identity = toStored(b, loc, identity, elementType);
  auto fill =
      linalg::FillOp::create(b, loc, ValueRange{identity}, ValueRange{init});
  fill->setAttr("tapestry.vertex", join.getVertexAttr());
  return fill.getResult(0);
}

/// The join's ⊗, then its ⊕ with the accumulator, on stored elements.
Value LocalJoin::emitBody(OpBuilder &body, ValueRange arguments,
                          Type accumulator, bool reduces) {
  IRMapping mapping;
  Block &kernel = join.getKernel().front();
  for (auto [parameter, argument] : llvm::zip(kernel.getArguments(), arguments))
    mapping.map(parameter,
                loadStored(body, loc, argument, parameter.getType()));
  for (Operation &op : kernel.without_terminator()) {
    if (auto label = dyn_cast<tra::LabelOp>(op)) {
      unsigned number = *join.labelNamed(label.getName());
      Value local = linalg::IndexOp::create(body, loc, number);
      mapping.map(label.getValue(),
                  arith::AddIOp::create(body, loc, local, start(number)));
      continue;
    }
    body.clone(op, mapping);
  }
  Value value = mapping.lookupOrDefault(kernel.getTerminator()->getOperand(0));
  if (reduces) {
    Value acc = loadStored(body, loc, arguments.back(), value.getType());
    value = join.getMonoid() == Monoid::Custom
                ? cloneCombine(body, loc, join.getCombine(), acc, value)
                : emitMonoid(body, loc, join.getMonoid(), acc, value);
  }
  return toStored(body, loc, value, accumulator);
}

Value LocalJoin::lower(ValueRange operands) {
  emitLabelBounds();
  bool reduces = !join.getReducedLabels().empty();
  Type accumulator = storageType(join.getResult().getType().getElementType());

  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  llvm::SmallBitVector bounded(numLabels());
  for (auto [number, part] : llvm::enumerate(operands)) {
    AffineMap map;
    inputs.push_back(operandWindow(number, part, map));
    maps.push_back(map);
    for (AffineExpr expr : map.getResults())
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        bounded.set(dim.getPosition());
  }
  for (AffineExpr expr : join.getResultMap().getResults())
    bounded.set(cast<AffineDimExpr>(expr).getPosition());
  // A label that no subscript is equal to bounds its loop by a tensor that
  // nobody reads.
  for (unsigned label = 0; label < numLabels(); ++label) {
    if (bounded.test(label))
      continue;
    SmallVector<OpFoldResult> extent = {
        ShapedType::isDynamic(labelExtent(label))
            ? OpFoldResult(size(label))
            : OpFoldResult(b.getIndexAttr(labelExtent(label)))};
    inputs.push_back(tensor::EmptyOp::create(b, loc, extent, b.getI8Type()));
    maps.push_back(AffineMap::get(numLabels(), 0, b.getAffineDimExpr(label)));
  }

  Value init = emitInit(accumulator, reduces);
  maps.push_back(join.getResultMap());
  SmallVector<utils::IteratorType> iterators(numLabels(),
                                             utils::IteratorType::reduction);
  for (AffineExpr expr : join.getResultMap().getResults())
    iterators[cast<AffineDimExpr>(expr).getPosition()] =
        utils::IteratorType::parallel;
  auto generic = linalg::GenericOp::create(
      b, loc, TypeRange{init.getType()}, inputs, ValueRange{init}, maps,
      iterators, [&](OpBuilder &body, Location, ValueRange arguments) {
        linalg::YieldOp::create(
            body, loc, emitBody(body, arguments, accumulator, reduces));
      });
  generic->setAttr("tapestry.vertex", join.getVertexAttr());
  return generic.getResult(0);
}

Value tapestry::lowerLocalJoin(OpBuilder &builder, tra::JoinOp join,
                               ValueRange operands, Value device) {
  return LocalJoin(builder, join, device).lower(operands);
}

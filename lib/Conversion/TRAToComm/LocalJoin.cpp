//===- LocalJoin.cpp - One device's share of a join -----------------------===//
//
// The device's block of the index space becomes the iteration space of a
// linalg.generic. Local coordinates count from the block's start; an operand's
// part starts at the image of the block, so its subscripts keep their
// coefficients and lose their constants.
//
//===----------------------------------------------------------------------===//

#include "LocalJoin.h"
#include "LocalBorders.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "tapestry/Codegen/Common/DeviceCode.h"
#include "tapestry/Dialect/Comm/IR/Comm.h"
#include "tapestry/Dialect/Index/IR/AffineForm.h"
#include "tapestry/Dialect/Index/IR/LabelRanges.h"
#include "tapestry/Interfaces/ElementType.h"
#include "tapestry/Interfaces/Monoid.h"

using namespace mlir;
using namespace tapestry;

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
        grid(join.getDeviceGrid()), partition(join.getResolvedPartition()),
        extents(join.getExtents()), space(builder, loc, join.getVertexAttr(),
                                          device, grid, partition, extents) {}

  Value lower(ValueRange operands);
  Value lowerApart(ArrayRef<HeldParts> operands);

private:
  ArrayRef<int64_t> operandShape(unsigned number) {
    return cast<tra::RelationType>(join.getInputs()[number].getType())
        .getShape();
  }
  unsigned numLabels() const { return extents.size(); }
  Value operandWindow(unsigned first, ValueRange parts, AffineMap &localMap);
  Value gatherWindow(unsigned number, Value part, AffineMap &localMap);
  Value emitInit(Type elementType, bool reduces);
  std::optional<bool> conditionOf(Operation &op);
  Value emitBody(OpBuilder &body, ValueRange arguments, Type accumulator,
                 bool reduces);
  Value emitNest(SmallVector<Value> inputs, SmallVector<AffineMap> maps,
                 ArrayRef<OpFoldResult> sizes, Value init);

  OpBuilder &b;
  tra::JoinOp join;
  Location loc;
  Value device;
  DeviceGrid grid;
  Partition partition;
  ArrayRef<int64_t> extents;
  LocalSpace space;
  /// Per label the first point of the nest that is emitted.
  SmallVector<Value> origin;
  /// Per label where all devices' points are, unless that is not known.
  ZBox around;
  /// Whether it is over few points.
  bool isRim = false;
  /// The operands of which points there emit their elements; null for others.
  SmallVector<LocalBorders::Element> elements;
};

} // namespace

/// The operand's parts, one per piece, as the device's window onto it: the
/// points that the block reads, those outside the tensor filled with the pad
/// value. `localMap` gets the subscripts in local coordinates.
Value LocalJoin::operandWindow(unsigned first, ValueRange parts,
                               AffineMap &localMap) {
  Projection read = join.getRead(first), projection = withoutFolds(read);
  if (llvm::any_of(read.dims, [](const ProjectionDim &dim) {
        return dim.floordiv != 1 || (dim.mod != 0 && dim.fold == Fold::Wrap);
      }))
    return gatherWindow(first, parts.front(), localMap);
  Layout layout =
      Layout::ofProjection(projection, extents, partition, operandShape(first));
  SmallVector<AffineExpr> subscripts;
  SmallVector<int64_t> shape;
  // Terms that keep room for missing points, per dimension.
  SmallVector<SmallVector<AffineTerm, 1>> rooms;
  bool changed = false;
  for (unsigned dimNumber = 0; dimNumber < projection.rank(); ++dimNumber) {
    const ProjectionDim &dim = projection.dims[dimNumber];
    // Counting down, the window starts where the block's last point reads. With
    // blocks of different sizes, room is kept for the largest, so that the
    // constant is the same on all devices.
    AffineExpr subscript = getAffineConstantExpr(0, b.getContext());
    SmallVector<AffineTerm, 1> falling;
    bool isUneven = false;
    for (const AffineTerm &term : dim.terms) {
      subscript = subscript +
                  getAffineDimExpr(term.dim, b.getContext()) * term.coefficient;
      if (term.coefficient < 0) {
        subscript = subscript - term.coefficient * (space.block(term.dim) - 1);
        isUneven |= ShapedType::isDynamic(space.extent(term.dim));
        falling.push_back(term);
      }
    }
    subscripts.push_back(subscript);
    shape.push_back(staticExtent(grid, [&](int64_t d) {
      int64_t points = layout.dims[dimNumber].imageRange(grid, d).size();
      for (const AffineTerm &term : falling)
        points -= term.coefficient *
                  (space.block(term.dim) -
                   blockRange(extents[term.dim], space.parts(term.dim),
                              partIndex(grid, partition.cuts[term.dim], d))
                       .size());
      return points;
    }));
    rooms.push_back(isUneven ? falling : SmallVector<AffineTerm, 1>());
    changed |= isUneven;
  }
  localMap = AffineMap::get(numLabels(), 0, subscripts, b.getContext());
  ZBox guard = join.getGuard(first);
  Layout held = Layout::ofProjection(projection, extents, partition,
                                     operandShape(first), guard);
  bool reachesOut =
      !guard.empty() || ((join.getPad(first) || read != projection) &&
                         !space.staysInside(layout));
  if (!reachesOut && !changed && parts.size() == 1)
    return parts.front();
  auto type = RankedTensorType::get(
      shape, cast<RankedTensorType>(parts.front().getType()).getElementType());
  if (parts.size() == 1 && read == projection)
    return space.padWindow(parts.front(), layout, held, join.getPad(first),
                           rooms, type);
  SmallVector<LocalSpace::Piece> pieces;
  for (auto [number, part] : llvm::enumerate(parts))
    pieces.push_back({part, join.getRead(first + number)});
  return space.joinWindow(pieces, operandShape(first), rooms, type);
}

/// What the block's points read of a part by subscripts that divide or wrap
/// around, an element per point of the labels that they name.
Value LocalJoin::gatherWindow(unsigned number, Value part,
                              AffineMap &localMap) {
  Access access{join.getRead(number)};
  index::LayoutAttr layout =
      cast<tra::RelationType>(join.getInputs()[number].getType()).getLayout();
  Type element = cast<RankedTensorType>(part.getType()).getElementType();
  if (join.getPad(number) && !space.staysInside(layout.getLayout()))
    part = space.padWindow(
        part, layout.getLayout(), layout.getLayout(), join.getPad(number),
        SmallVector<SmallVector<AffineTerm, 1>>(access.projection.rank()),
        tra::windowType(layout, element, /*isPadded=*/true));
  SmallVector<unsigned> named;
  for (const ProjectionDim &dim : access.projection.dims)
    for (const AffineTerm &term : dim.terms)
      named.push_back(term.dim);
  llvm::sort(named);
  named.erase(llvm::unique(named), named.end());
  SmallVector<Value> starts, ends;
  for (unsigned label = 0; label < numLabels(); ++label) {
    // A device may have no points of a label that is not named here, and holds
    // and gathers what the others say all the same.
    bool isNamed = llvm::is_contained(named, label);
    starts.push_back(isNamed ? space.start(label)
                             : arith::ConstantIndexOp::create(b, loc, 0));
    ends.push_back(isNamed ? space.getBounds()[2 * label + 1]
                           : arith::ConstantIndexOp::create(b, loc, 1));
  }
  SmallVector<Value> corner =
      index::emitWindowStarts(b, loc, access, starts, ends);

  SmallVector<OpFoldResult> sizes;
  for (unsigned label : named)
    sizes.push_back(space.mixedSize(label));
  Value empty = tensor::EmptyOp::create(b, loc, sizes, element);
  auto window = linalg::GenericOp::create(
      b, loc, empty.getType(), ValueRange(), empty,
      b.getMultiDimIdentityMap(named.size()),
      SmallVector<utils::IteratorType>(named.size(),
                                       utils::IteratorType::parallel),
      [&](OpBuilder &body, Location loc, ValueRange) {
        SmallVector<Value> point = starts;
        for (auto [position, label] : llvm::enumerate(named))
          point[label] = arith::AddIOp::create(
              body, loc, linalg::IndexOp::create(body, loc, position),
              starts[label]);
        auto read = index::ApplyOp::create(
            body, loc,
            index::ProjectionAttr::get(b.getContext(), numLabels(),
                                       access.projection),
            point);
        SmallVector<Value> local;
        for (auto [place, start] : llvm::zip_equal(read.getResults(), corner))
          local.push_back(arith::SubIOp::create(body, loc, place, start));
        linalg::YieldOp::create(
            body, loc,
            tensor::ExtractOp::create(body, loc, part, local).getResult());
      });
  window->setAttr("tapestry.vertex", join.getVertexAttr());
  localMap =
      AffineMap::getMultiDimMapWithTargets(numLabels(), named, b.getContext());
  return window.getResult(0);
}

/// The tensor that the device's part of the result is computed into.
Value LocalJoin::emitInit(Type elementType, bool reduces) {
  SmallVector<OpFoldResult> sizes;
  AffineMap resultMap = join.getResultMap();
  for (AffineExpr expr : resultMap.getResults())
    sizes.push_back(space.mixedSize(cast<AffineDimExpr>(expr).getPosition()));
  Value init = tensor::EmptyOp::create(b, loc, sizes, elementType);
  if (!reduces)
    return init;
  TypedAttr neutral =
      join.getMonoid() == Monoid::Custom
          ? *join.getIdentity()
          : monoidIdentity(join.getMonoid(),
                           join.getResult().getType().getElementType());
  Value identity = emitConstant(b, loc, neutral);
  identity = toStored(b, loc, identity, elementType);
  auto fill =
      linalg::FillOp::create(b, loc, ValueRange{identity}, ValueRange{init});
  fill->setAttr("tapestry.vertex", join.getVertexAttr());
  return fill.getResult(0);
}

/// What a condition on labels is at all points, if that is one.
std::optional<bool> LocalJoin::conditionOf(Operation &op) {
  if (around.empty() || !isa<arith::CmpIOp, arith::AndIOp, arith::OrIOp>(op) ||
      !op.getResult(0).getType().isInteger(1))
    return std::nullopt;
  auto labelOf = [&](Operation *inner) -> std::optional<unsigned> {
    auto label = dyn_cast<tra::LabelOp>(inner);
    return label ? join.labelNamed(label.getName()) : std::nullopt;
  };
  for (bool isTrue : {true, false})
    if (isEmpty(index::pointsWhere(op.getResult(0), !isTrue, around, labelOf)))
      return isTrue;
  return std::nullopt;
}

/// The join's ⊗, then its ⊕ with the accumulator, on stored elements.
Value LocalJoin::emitBody(OpBuilder &body, ValueRange arguments,
                          Type accumulator, bool reduces) {
  IRMapping mapping;
  Block &kernel = join.getKernel().front();
  unsigned next = 0;
  for (BlockArgument parameter : kernel.getArguments()) {
    unsigned number = parameter.getArgNumber();
    mapping.map(parameter, number < elements.size() && elements[number]
                               ? elements[number](body)
                               : loadStored(body, loc, arguments[next++],
                                            parameter.getType()));
  }
  auto emitLabel = [&](tra::LabelOp label) -> Value {
    unsigned number = *join.labelNamed(label.getName());
    Value local = linalg::IndexOp::create(body, loc, number);
    return arith::AddIOp::create(body, loc, local, origin[number]);
  };
  for (Operation &op : kernel.without_terminator()) {
    if (auto label = dyn_cast<tra::LabelOp>(op)) {
      mapping.map(label.getValue(), emitLabel(label));
      continue;
    }
    if (std::optional<bool> known = conditionOf(op)) {
      mapping.map(op.getResult(0),
                  arith::ConstantIntOp::create(body, loc, *known, 1));
      continue;
    }
    auto choice = dyn_cast<arith::SelectOp>(op);
    APInt isFirst;
    if (choice && matchPattern(mapping.lookupOrDefault(choice.getCondition()),
                               m_ConstantInt(&isFirst))) {
      mapping.map(choice.getResult(),
                  mapping.lookupOrDefault(isFirst.isZero()
                                              ? choice.getFalseValue()
                                              : choice.getTrueValue()));
      continue;
    }
    // linalg's indices stand in the body itself, so those of labels in regions
    // come before.
    Operation *made = body.clone(op, mapping);
    OpBuilder::InsertionGuard guard(body);
    body.setInsertionPoint(made);
    made->walk([&](tra::LabelOp label) {
      label.replaceAllUsesWith(emitLabel(label));
      label.erase();
    });
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

/// One nest over so many points of each label; `maps` are those of the inputs.
Value LocalJoin::emitNest(SmallVector<Value> inputs,
                          SmallVector<AffineMap> maps,
                          ArrayRef<OpFoldResult> sizes, Value init) {
  llvm::SmallBitVector bounded(numLabels());
  maps.push_back(join.getResultMap());
  for (AffineMap map : maps)
    for (AffineExpr expr : map.getResults())
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        bounded.set(dim.getPosition());
  maps.pop_back();
  // A label that no subscript is equal to bounds its loop by a tensor that
  // nobody reads.
  for (unsigned label = 0; label < numLabels(); ++label) {
    if (bounded.test(label))
      continue;
    inputs.push_back(
        tensor::EmptyOp::create(b, loc, sizes[label], b.getI8Type()));
    maps.push_back(AffineMap::get(numLabels(), 0, b.getAffineDimExpr(label)));
  }
  bool reduces = !join.getReducedLabels().empty();
  maps.push_back(join.getResultMap());
  SmallVector<utils::IteratorType> iterators(numLabels(),
                                             utils::IteratorType::reduction);
  for (AffineExpr expr : join.getResultMap().getResults())
    iterators[cast<AffineDimExpr>(expr).getPosition()] =
        utils::IteratorType::parallel;
  Type accumulator = cast<RankedTensorType>(init.getType()).getElementType();
  auto generic = linalg::GenericOp::create(
      b, loc, TypeRange{init.getType()}, inputs, ValueRange{init}, maps,
      iterators, [&](OpBuilder &body, Location, ValueRange arguments) {
        linalg::YieldOp::create(
            body, loc, emitBody(body, arguments, accumulator, reduces));
      });
  generic->setAttr("tapestry.vertex", join.getVertexAttr());
  if (isRim)
    generic->setAttr(rimAttrName, b.getUnitAttr());
  return generic.getResult(0);
}

/// A nest for each border and one for the interior, which fill the result.
/// Those of one place of it that reduce add to each other.
Value LocalJoin::lowerApart(ArrayRef<HeldParts> operands) {
  LocalBorders borders(b, join, operands, space, device);
  Type element = storageType(join.getResult().getType().getElementType());
  bool reduces = !join.getReducedLabels().empty();
  Value result = emitInit(element, reduces);
  for (const LocalBorders::Region &region : borders.regions()) {
    SmallVector<Value> inputs;
    SmallVector<AffineMap> maps;
    elements.clear();
    for (unsigned number = 0; number < region.sources.size(); ++number) {
      AffineMap map;
      Value window = borders.window(region, number, map);
      elements.push_back(window ? LocalBorders::Element()
                                : borders.element(region, number));
      if (!window)
        continue;
      inputs.push_back(window);
      maps.push_back(map);
    }
    SmallVector<OpFoldResult> offsets, sizes, ones;
    for (AffineExpr expr : join.getResultMap().getResults()) {
      unsigned label = cast<AffineDimExpr>(expr).getPosition();
      offsets.push_back(arith::SubIOp::create(b, loc,
                                              region.points.starts[label],
                                              space.start(label))
                            .getResult());
      sizes.push_back(region.points.sizes[label]);
      ones.push_back(b.getIndexAttr(1));
    }
    // In place: nobody has to find out where it goes.
    Value hole =
        tensor::ExtractSliceOp::create(b, loc, result, offsets, sizes, ones);
    origin = region.points.starts;
    around = region.hull;
    isRim = !reduces && borders.isRim(region);
    Value part =
        emitNest(std::move(inputs), std::move(maps), region.points.sizes, hole);
    result = tensor::InsertSliceOp::create(b, loc, part, result, offsets, sizes,
                                           ones);
  }
  return result;
}

Value LocalJoin::lower(ValueRange operands) {
  SmallVector<OpFoldResult> sizes;
  for (unsigned label = 0; label < numLabels(); ++label) {
    origin.push_back(space.start(label));
    sizes.push_back(space.mixedSize(label));
  }
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (auto [first, end] : join.getOperandPieces())
    inputs.push_back(operandWindow(first, operands.slice(first, end - first),
                                   maps.emplace_back()));
  Value init =
      emitInit(storageType(join.getResult().getType().getElementType()),
               !join.getReducedLabels().empty());
  return emitNest(std::move(inputs), std::move(maps), sizes, init);
}

Value tapestry::lowerLocalJoin(OpBuilder &builder, tra::JoinOp join,
                               bool isApart, ArrayRef<HeldParts> operands,
                               Value device) {
  LocalJoin local(builder, join, device);
  if (isApart)
    return local.lowerApart(operands);
  return local.lower(llvm::map_to_vector(
      operands, [](const HeldParts &parts) { return parts.front().value; }));
}

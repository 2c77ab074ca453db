//===- LocalNest.cpp - One device's loop nest over points -----------------===//
//
// Local coordinates count from the block's start; a window starts at the image
// of the block, so that subscripts keep their coefficients and lose their
// constants. Those that are divided or folded are found where they are read.
//
//===----------------------------------------------------------------------===//

#include "LocalNest.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "tapestry/Dialect/Index/IR/IndexOps.h"
#include "tapestry/Interfaces/ElementType.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

LocalNest::LocalNest(BlockOpInterface op, OpBuilder &builder, Location loc,
                     const LocalBlock &block)
    : op(op), b(builder), loc(loc), block(block),
      tensors(op.getTensorOperands()), writes(op.getResultProjections()),
      corners(tensors.size()) {
  for (unsigned operand = 0; operand < tensors.size(); ++operand)
    accesses.push_back(op.getAccesses(operand).front());
  for (auto [start, end] : llvm::zip_equal(block.starts, block.ends))
    sizes.push_back(b.createOrFold<arith::SubIOp>(loc, end, start));
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// A stored element as the type that is computed with, and back.
Value LocalNest::load(OpBuilder &body, Value stored, Type type) {
  return stored.getType() == type
             ? stored
             : arith::TruncIOp::create(body, loc, type, stored);
}

Value LocalNest::store(OpBuilder &body, Value value, Type stored) {
  if (value.getType() == stored)
    return value;
  if (isa<FloatType>(stored))
    return arith::TruncFOp::create(body, loc, stored, value);
  return arith::ExtUIOp::create(body, loc, stored, value);
}

Value LocalNest::emitInit(unsigned result) {
  auto type = cast<RankedTensorType>(block.results[result]);
  llvm::SmallVector<Value> unknown;
  for (auto [dim, written] : llvm::enumerate(writes[result].dims))
    if (type.isDynamicDim(dim))
      unknown.push_back(sizes[written.terms.front().dim]);
  Value empty = tensor::EmptyOp::create(b, loc, type, unknown);
  TypedAttr identity = op.getMonoidIdentity(result);
  if (!identity)
    return empty;
  Value value = store(b, emitConstant(b, loc, identity), type.getElementType());
  return linalg::FillOp::create(b, loc, value, empty).getResult(0);
}

/// Whether points find an element otherwise than by subscripts of the loops.
bool LocalNest::isFound(const NestRead &read) {
  return llvm::any_of(projectionOf(read).dims, [](const ProjectionDim &dim) {
    return !dim.isLinear() ||
           llvm::any_of(dim.terms, [](const AffineTerm &term) {
             return term.coefficient < 0;
           });
  });
}

/// The points of the block along a label, static where results are.
OpFoldResult LocalNest::sizeOf(unsigned label) {
  for (auto [result, written] : llvm::enumerate(writes)) {
    auto type = cast<RankedTensorType>(block.results[result]);
    for (auto [number, dim] : llvm::enumerate(written.dims))
      if (dim.terms.front().dim == label && !type.isDynamicDim(number))
        return b.getIndexAttr(type.getDimSize(number));
  }
  return getAsOpFoldResult(sizes[label]);
}

/// The part of the window that a read sees, and the map to it from the block's
/// points. A dimension that is one label has as many elements as there are
/// points, which bounds the loop.
Value LocalNest::windowOf(const NestRead &read, AffineMap &map) {
  Value window = block.windows[read.operand];
  llvm::SmallVector<AffineExpr> places;
  llvm::SmallVector<OpFoldResult> offsets, extents;
  bool isPart = false;
  for (auto [number, dim, offset] :
       llvm::enumerate(projectionOf(read).dims, read.offset)) {
    AffineExpr place = b.getAffineConstantExpr(0);
    for (const AffineTerm &term : dim.terms)
      place = place + b.getAffineDimExpr(term.dim) * term.coefficient;
    bool isShifted = isa<AffineDimExpr>(place) && dim.size > 1;
    isPart |= isShifted;
    offsets.push_back(b.getIndexAttr(isShifted ? offset : 0));
    extents.push_back(isShifted ? sizeOf(dim.terms.front().dim)
                                : tensor::getMixedSize(b, loc, window, number));
    places.push_back(isShifted ? place : place + offset);
  }
  map = AffineMap::get(numLabels(), 0, places, b.getContext());
  if (!isPart)
    return window;
  llvm::SmallVector<OpFoldResult> steps(places.size(), b.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(b, loc, window, offsets, extents,
                                        steps);
}

/// Where a label counts down, the window begins with what its last point reads.
Value LocalNest::emitBackwards(OpBuilder &body, const NestRead &read,
                               ValueRange points) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(body, loc, value);
  };
  llvm::SmallVector<Value> places;
  for (auto [dim, offset] :
       llvm::zip_equal(projectionOf(read).dims, read.offset)) {
    Value place = constant(offset);
    for (const AffineTerm &term : dim.terms) {
      Value steps = points[term.dim];
      if (term.coefficient < 0) {
        Value last =
            arith::SubIOp::create(body, loc, sizes[term.dim], constant(1));
        steps = arith::SubIOp::create(body, loc, last, steps);
      }
      Value way = arith::MulIOp::create(body, loc, steps,
                                        constant(std::abs(term.coefficient)));
      place = arith::AddIOp::create(body, loc, place, way);
    }
    places.push_back(place);
  }
  return tensor::ExtractOp::create(body, loc, block.windows[read.operand],
                                   places);
}

/// An element that points find.
Value LocalNest::emitElement(OpBuilder &body, const NestRead &read,
                             ValueRange points) {
  if (llvm::all_of(projectionOf(read).dims,
                   [](const ProjectionDim &dim) { return dim.isLinear(); }))
    return emitBackwards(body, read, points);
  llvm::SmallVector<Value> point;
  for (auto [local, start] : llvm::zip_equal(points, block.starts))
    point.push_back(arith::AddIOp::create(body, loc, local, start));
  auto found = index::ApplyOp::create(
      body, loc,
      index::ProjectionAttr::get(b.getContext(), numLabels(),
                                 projectionOf(read)),
      point);
  llvm::SmallVector<Value> places;
  for (auto [place, corner, offset] : llvm::zip_equal(
           found.getResults(), corners[read.operand], read.offset)) {
    Value own = arith::SubIOp::create(body, loc, place, corner);
    places.push_back(body.createOrFold<arith::AddIOp>(
        loc, own, arith::ConstantIndexOp::create(body, loc, offset)));
  }
  return tensor::ExtractOp::create(body, loc, block.windows[read.operand],
                                   places);
}

//===----------------------------------------------------------------------===//
// The nest
//===----------------------------------------------------------------------===//

/// The accumulator is the last of the elements.
Value LocalNest::emitPoint(OpBuilder &body, ValueRange elements,
                           unsigned result, llvm::ArrayRef<NestRead> reads,
                           PointFn point) {
  llvm::SmallVector<Value> points(numLabels());
  auto pointOf = [&](unsigned label) {
    if (!points[label])
      points[label] = linalg::IndexOp::create(body, loc, label);
    return points[label];
  };
  llvm::SmallVector<Value> given;
  size_t taken = 0;
  for (const NestRead &read : reads) {
    Value element;
    if (isFound(read)) {
      for (unsigned label = 0; label < numLabels(); ++label)
        pointOf(label);
      element = emitElement(body, read, points);
    } else {
      element = elements[taken++];
    }
    auto type = cast<RankedTensorType>(tensors[read.operand].getType());
    given.push_back(load(body, element, type.getElementType()));
  }
  Value value = point(body, given, [&](unsigned label) -> Value {
    return arith::AddIOp::create(body, loc, pointOf(label),
                                 block.starts[label]);
  });
  if (op.getMonoidIdentity(result))
    value = op.emitCombine(result, body, loc,
                           load(body, elements.back(), value.getType()), value);
  return store(body, value, elements.back().getType());
}

Value LocalNest::emit(unsigned result, llvm::ArrayRef<NestRead> reads,
                      PointFn point) {
  llvm::SmallVector<Value> inputs;
  llvm::SmallVector<AffineMap> maps;
  llvm::SmallVector<utils::IteratorType> loops(numLabels(),
                                               utils::IteratorType::reduction);
  llvm::SmallVector<bool> isBounded(numLabels());
  auto bound = [&](AffineMap map) {
    for (AffineExpr place : map.getResults())
      if (auto label = dyn_cast<AffineDimExpr>(place))
        isBounded[label.getPosition()] = true;
  };
  for (const NestRead &read : reads) {
    if (!isFound(read)) {
      inputs.push_back(windowOf(read, maps.emplace_back()));
      bound(maps.back());
    } else if (corners[read.operand].empty()) {
      corners[read.operand] = index::emitWindowStarts(
          b, loc, accesses[read.operand], block.starts, block.ends);
    }
  }
  llvm::SmallVector<AffineExpr> written;
  for (const ProjectionDim &dim : writes[result].dims) {
    unsigned label = dim.terms.front().dim;
    written.push_back(b.getAffineDimExpr(label));
    loops[label] = utils::IteratorType::parallel;
  }
  auto resultMap = AffineMap::get(numLabels(), 0, written, b.getContext());
  bound(resultMap);
  // A label that no subscript is equal to bounds its loop by a tensor that
  // nobody reads.
  for (unsigned label = 0; label < numLabels(); ++label)
    if (!isBounded[label]) {
      inputs.push_back(tensor::EmptyOp::create(
          b, loc, ArrayRef<OpFoldResult>{sizeOf(label)}, b.getI8Type()));
      maps.push_back(AffineMap::get(numLabels(), 0, b.getAffineDimExpr(label)));
    }
  maps.push_back(resultMap);
  Value init = emitInit(result);
  return linalg::GenericOp::create(
             b, loc, init.getType(), inputs, init, maps, loops,
             [&](OpBuilder &body, Location, ValueRange elements) {
               linalg::YieldOp::create(
                   body, loc, emitPoint(body, elements, result, reads, point));
             })
      .getResult(0);
}

/// What a point is worth by a scalar region.
static Value clonePoint(BlockOpInterface op, OpBuilder &body,
                        ValueRange elements, LocalNest::LabelFn label) {
  Block &from = op.getScalarRegion()->front();
  IRMapping mapping;
  mapping.map(from.getArguments(), elements);
  for (Operation &inner : from.without_terminator()) {
    std::optional<unsigned> read = op.getLabelReadBy(&inner);
    if (!read) {
      body.clone(inner, mapping);
      continue;
    }
    if (inner.use_empty())
      continue;
    Value value = label(*read);
    if (int64_t start = op.getLabelStart(*read))
      value = arith::AddIOp::create(
          body, inner.getLoc(), value,
          arith::ConstantIndexOp::create(body, inner.getLoc(), start));
    mapping.map(inner.getResult(0), value);
  }
  return mapping.lookupOrDefault(from.getTerminator()->getOperand(0));
}

FailureOr<llvm::SmallVector<Value>> teg::lowerLocally(BlockOpInterface op,
                                                      OpBuilder &b,
                                                      Location loc,
                                                      const LocalBlock &block) {
  if (!op.getScalarRegion())
    return op.lowerLocal(b, loc, block);
  llvm::SmallVector<NestRead> reads;
  for (auto [number, tensor] : llvm::enumerate(op.getTensorOperands())) {
    size_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
    reads.push_back(
        {static_cast<unsigned>(number), llvm::SmallVector<int64_t>(rank, 0)});
  }
  LocalNest nest(op, b, loc, block);
  return llvm::SmallVector<Value>{nest.emit(
      /*result=*/0, reads,
      [&](OpBuilder &body, ValueRange elements, LocalNest::LabelFn label) {
        return clonePoint(op, body, elements, label);
      })};
}

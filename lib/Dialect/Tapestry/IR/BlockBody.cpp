//===- BlockBody.cpp - Bodies of blocks -----------------------------------===//
//
// A body reads single elements: scalars that it is given, and what it extracts
// at constant indices. On a device each output is a loop nest of its own over
// the points of the block, whose elements all reads are, shifted.
//
//===----------------------------------------------------------------------===//

#include "BlockBody.h"
#include "BlockValues.h"
#include "ScalarRegions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "tapestry/Dialect/Index/Evaluate/HostFold.h"
#include "tapestry/Dialect/Tapestry/IR/ElementBytes.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryShard.h"
#include "tapestry/Interfaces/ElementType.h"
#include "tapestry/Support/Counted.h"
#include "tapestry/Support/ZTensor.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

static LogicalResult verifyExtract(BlockOp op, tensor::ExtractOp extract) {
  auto argument = dyn_cast<BlockArgument>(extract.getTensor());
  if (!argument || argument.getOwner() != &op.getBody()->front())
    return op.emitOpError() << "the body reads a tensor that is no argument";
  for (auto [index, extent] : llvm::zip_equal(
           extract.getIndices(), extract.getTensor().getType().getShape())) {
    std::optional<int64_t> value = getConstantIntValue(index);
    if (!value || *value < 0 || *value >= extent)
      return op.emitOpError()
             << "the body reads '"
             << op.getSignature().inputs[argument.getArgNumber()].name
             << "' of type " << argument.getType() << " at "
             << (value ? std::to_string(*value) : "what is no constant");
  }
  return success();
}

LogicalResult teg::verifyBody(BlockOp op) {
  Region *body = op.getBody();
  if (!body)
    return success();
  llvm::SmallVector<Type> arguments;
  for (unsigned operand = 0; operand < op.getInputs().size(); ++operand)
    arguments.push_back(op.getBodyType(operand));
  for (TypedAttr value : op.getParamValues())
    arguments.push_back(value.getType());
  arguments.append(op.getExtents().size(), IndexType::get(op.getContext()));
  auto isExtract = [](Operation &nested) {
    return isa<tensor::ExtractOp>(nested);
  };
  if (failed(verifyArguments(op, "the body", *body, arguments)) ||
      failed(verifyScalarOps(op, "the body", *body, isExtract)))
    return failure();
  for (auto extract : body->getOps<tensor::ExtractOp>())
    if (failed(verifyExtract(op, extract)))
      return failure();
  auto yield = dyn_cast<BlockYieldOp>(body->front().getTerminator());
  if (!yield || yield.getValues().size() != op.getNumResults())
    return op.emitOpError()
           << "the body ends in '" << body->front().getTerminator()->getName()
           << "' of "
           << countOf(body->front().getTerminator()->getNumOperands(), "value")
           << ", expected '" << BlockYieldOp::getOperationName() << "' of "
           << op.getNumResults();
  for (auto [number, value] : llvm::enumerate(yield.getValues())) {
    const KernelTensor &output = op.getSignature().outputs[number];
    Type element = op.getOutputType(number).getElementType();
    if (value.getType() != element)
      return op.emitOpError()
             << "the body yields " << value.getType() << " for '" << output.name
             << "', expected " << element;
    for (auto [dim, written] : llvm::enumerate(output.projection.dims))
      if (!written.isPlainDim())
        return op.emitOpError()
               << "has a body, but writes dimension " << dim << " of '"
               << output.name << "' otherwise than by elements";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// What is read
//===----------------------------------------------------------------------===//

namespace {

/// An element of an input that a point reads.
struct BodyRead {
  Value value;
  unsigned operand;
  /// From where the point's region begins.
  llvm::SmallVector<int64_t> offset;
};

} // namespace

static llvm::SmallVector<BodyRead> findReads(BlockOp op) {
  llvm::SmallVector<BodyRead> reads;
  Block &body = op.getBody()->front();
  auto add = [&](Value value, unsigned operand, ValueRange indices) {
    Projection projection = op.getInputProjection(operand);
    const KernelTensor &input = op.getSignature().inputs[operand];
    llvm::SmallVector<int64_t> offset;
    for (auto [dim, declared] :
         llvm::zip_equal(projection.dims, input.projection.dims)) {
      bool isOne = declared.size == 1;
      offset.push_back(
          isOne ? 0 : *getConstantIntValue(indices.front()) * dim.stride);
      indices = isOne ? indices : indices.drop_front();
    }
    reads.push_back({value, operand, offset});
  };
  for (unsigned operand = 0; operand < op.getInputs().size(); ++operand)
    if (!isa<RankedTensorType>(body.getArgument(operand).getType()))
      add(body.getArgument(operand), operand, {});
  for (auto extract : body.getOps<tensor::ExtractOp>())
    add(extract.getResult(),
        cast<BlockArgument>(extract.getTensor()).getArgNumber(),
        extract.getIndices());
  return reads;
}

/// The arguments behind those of the inputs.
static ValueRange paramsOf(BlockOp op) {
  return ValueRange(op.getBody()->getArguments())
      .slice(op.getInputs().size(), op.getSignature().params.size());
}
static ValueRange labelsOf(BlockOp op) {
  return ValueRange(op.getBody()->getArguments())
      .take_back(op.getExtents().size());
}

//===----------------------------------------------------------------------===//
// What one device computes
//===----------------------------------------------------------------------===//

namespace {

/// Booleans lie in bytes.
class BodyLowering {
public:
  BodyLowering(BlockOp op, OpBuilder &builder, Location loc,
               const LocalBlock &block)
      : op(op), b(builder), loc(loc), block(block), reads(findReads(op)) {
    for (auto [start, end] : llvm::zip_equal(block.starts, block.ends))
      sizes.push_back(b.createOrFold<arith::SubIOp>(loc, end, start));
  }

  Value lower(unsigned result);

private:
  unsigned numLabels() { return sizes.size(); }
  Value emitInit(unsigned result);
  bool countsDown(const BodyRead &read);
  OpFoldResult sizeOf(unsigned label);
  Value windowOf(const BodyRead &read, AffineMap &map);
  Value emitBackwards(OpBuilder &body, const BodyRead &read, ValueRange points);
  Value emitPoint(OpBuilder &body, ValueRange elements, unsigned result);
  /// A stored element as the type that the body computes with, and back.
  Value load(OpBuilder &body, Value stored, Type type) {
    return stored.getType() == type
               ? stored
               : arith::TruncIOp::create(body, loc, type, stored);
  }
  Value store(OpBuilder &body, Value value, Type stored) {
    return value.getType() == stored
               ? value
               : arith::ExtUIOp::create(body, loc, stored, value);
  }

  BlockOp op;
  OpBuilder &b;
  Location loc;
  const LocalBlock &block;
  llvm::SmallVector<BodyRead> reads;
  /// Points of the block along each label.
  llvm::SmallVector<Value> sizes;
};

} // namespace

Value BodyLowering::emitInit(unsigned result) {
  auto type = cast<RankedTensorType>(block.results[result]);
  llvm::SmallVector<Value> unknown;
  for (auto [dim, written] :
       llvm::enumerate(op.getOutputProjection(result).dims))
    if (type.isDynamicDim(dim))
      unknown.push_back(sizes[written.terms.front().dim]);
  Value empty = tensor::EmptyOp::create(b, loc, type, unknown);
  TypedAttr identity = op.getMonoidIdentity(result);
  if (!identity)
    return empty;
  Value value = store(b, emitConstant(b, loc, identity), type.getElementType());
  return linalg::FillOp::create(b, loc, value, empty).getResult(0);
}

bool BodyLowering::countsDown(const BodyRead &read) {
  Projection projection = op.getInputProjection(read.operand);
  return llvm::any_of(projection.dims, [](const ProjectionDim &dim) {
    return llvm::any_of(
        dim.terms, [](const AffineTerm &term) { return term.coefficient < 0; });
  });
}

/// The points of the block along a label, static where outputs are.
OpFoldResult BodyLowering::sizeOf(unsigned label) {
  for (unsigned result = 0; result < op.getNumResults(); ++result) {
    auto type = cast<RankedTensorType>(block.results[result]);
    for (auto [dim, written] :
         llvm::enumerate(op.getOutputProjection(result).dims))
      if (written.terms.front().dim == label && !type.isDynamicDim(dim))
        return b.getIndexAttr(type.getDimSize(dim));
  }
  return sizes[label];
}

/// The part of the window that a read sees, and the map to it from the block's
/// points. A dimension that is one label has as many elements as there are
/// points, which bounds the loop.
Value BodyLowering::windowOf(const BodyRead &read, AffineMap &map) {
  Projection projection = op.getInputProjection(read.operand);
  Value window = block.windows[read.operand];
  llvm::SmallVector<AffineExpr> places;
  llvm::SmallVector<OpFoldResult> offsets, extents;
  bool isPart = false;
  for (auto [number, dim, offset] :
       llvm::enumerate(projection.dims, read.offset)) {
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
Value BodyLowering::emitBackwards(OpBuilder &body, const BodyRead &read,
                                  ValueRange points) {
  Projection projection = op.getInputProjection(read.operand);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(body, loc, value);
  };
  llvm::SmallVector<Value> places;
  for (auto [dim, offset] : llvm::zip_equal(projection.dims, read.offset)) {
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

/// The accumulator is the last of the elements.
Value BodyLowering::emitPoint(OpBuilder &body, ValueRange elements,
                              unsigned result) {
  IRMapping mapping;
  llvm::SmallVector<Value> points;
  for (unsigned label = 0; label < numLabels(); ++label)
    points.push_back(linalg::IndexOp::create(body, loc, label));
  size_t taken = 0;
  for (const BodyRead &read : reads) {
    Value element = countsDown(read) ? emitBackwards(body, read, points)
                                     : elements[taken++];
    mapping.map(read.value, load(body, element, read.value.getType()));
  }
  for (auto [param, value] : llvm::zip_equal(paramsOf(op), op.getParamValues()))
    mapping.map(param, emitConstant(body, loc, value));
  for (auto [label, point, start] :
       llvm::zip_equal(labelsOf(op), points, block.starts))
    mapping.map(label,
                arith::AddIOp::create(body, loc, point, start).getResult());
  Block &from = op.getBody()->front();
  for (Operation &inner : from.without_terminator())
    if (!isa<tensor::ExtractOp>(inner))
      body.clone(inner, mapping);
  Value value =
      mapping.lookupOrDefault(from.getTerminator()->getOperand(result));
  if (op.getMonoidIdentity(result))
    value = op.emitCombine(result, body, loc,
                           load(body, elements.back(), value.getType()), value);
  return store(body, value, elements.back().getType());
}

Value BodyLowering::lower(unsigned result) {
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
  for (const BodyRead &read : reads)
    if (!countsDown(read)) {
      inputs.push_back(windowOf(read, maps.emplace_back()));
      bound(maps.back());
    }
  llvm::SmallVector<AffineExpr> written;
  for (const ProjectionDim &dim : op.getOutputProjection(result).dims) {
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
               linalg::YieldOp::create(body, loc,
                                       emitPoint(body, elements, result));
             })
      .getResult(0);
}

FailureOr<llvm::SmallVector<Value>> teg::lowerBody(BlockOp op, OpBuilder &b,
                                                   Location loc,
                                                   const LocalBlock &block) {
  BodyLowering lowering(op, b, loc, block);
  llvm::SmallVector<Value> results;
  for (unsigned result = 0; result < op.getNumResults(); ++result)
    results.push_back(lowering.lower(result));
  return results;
}

//===----------------------------------------------------------------------===//
// What it means
//===----------------------------------------------------------------------===//

/// A scalar as a tensor in host memory.
static HostTensor tensorOf(TypedAttr value) {
  HostTensor tensor;
  tensor.dtype = *dtypeOf(value.getType());
  tensor.bytes = bytesOf(value, byteSize(tensor.dtype));
  return tensor;
}

/// One output: every point's value is taken up where the point writes.
static llvm::Expected<HostTensor> evaluateOutput(
    BlockOp op, unsigned result, llvm::ArrayRef<PaddedOperand> operands,
    llvm::ArrayRef<BodyRead> reads, llvm::ArrayRef<HostTensor> params,
    llvm::ArrayRef<ZRange> range) {
  // Where points are missing that are combined, in accumulators.
  Type element = getTypeOfPart(op, result, range).getElementType();
  llvm::Expected<HostTensor> made = HostTensor::create(
      *dtypeOf(element), op.getOutputType(result).getShape());
  if (!made)
    return made.takeError();
  reference::ScalarFunction function = {op.getBody(), {}, {}, result};
  for (const BodyRead &read : reads)
    function.operands.push_back(read.value);
  llvm::append_range(function.operands, paramsOf(op));
  llvm::append_range(function.labels, labelsOf(op));
  llvm::Expected<reference::HostFold> fold = reference::HostFold::compile(
      op, function,
      {op.getResultMonoid(result), op.getMonoidIdentity(result),
       [&](OpBuilder &builder, Location loc, Value a, Value b) {
         return op.emitCombine(result, builder, loc, a, b);
       }});
  if (!fold)
    return fold.takeError();
  llvm::SmallVector<StridedView> views;
  std::vector<Projection> projections;
  for (const BodyRead &read : reads) {
    views.push_back(
        StridedView::rowMajor(operands[read.operand].elements->shape));
    projections.push_back(op.getInputProjection(read.operand));
  }
  Projection written = op.getOutputProjection(result);
  StridedView to = StridedView::rowMajor(made->shape);
  for (auto [number, param] : llvm::enumerate(params))
    fold->set(reads.size() + number, param, 0);
  fold->reset(made->numElements());
  llvm::SmallVector<int64_t> place;
  auto at = [&](const ProjectionDim &dim, llvm::ArrayRef<int64_t> point) {
    int64_t index = dim.constant;
    for (const AffineTerm &term : dim.terms)
      index += term.coefficient * point[term.dim];
    return index;
  };
  allPoints(range, [&](llvm::ArrayRef<int64_t> point) {
    for (auto [number, read] : llvm::enumerate(reads)) {
      const PaddedOperand &operand = operands[read.operand];
      place.clear();
      for (auto [dim, offset, all] :
           llvm::zip_equal(projections[number].dims, read.offset, operand.box))
        place.push_back(at(dim, point) + offset - all.lo);
      fold->set(number, *operand.elements, views[number].placeOf(place));
    }
    fold->setLabels(point);
    place.clear();
    for (const ProjectionDim &dim : written.dims)
      place.push_back(at(dim, point));
    fold->step(to.placeOf(place));
    return true;
  });
  for (int64_t element = 0, e = made->numElements(); element < e; ++element)
    fold->store(element, *made, element);
  return made;
}

llvm::Expected<std::vector<HostTensor>>
teg::evaluateBody(BlockOp op, llvm::ArrayRef<const HostTensor *> operands,
                  llvm::ArrayRef<ZRange> range) {
  auto padded = padOperands(op, operands);
  if (!padded)
    return padded.takeError();
  llvm::SmallVector<BodyRead> reads = findReads(op);
  std::vector<HostTensor> params;
  for (TypedAttr value : op.getParamValues())
    params.push_back(tensorOf(value));
  std::vector<HostTensor> results;
  for (unsigned result = 0; result < op.getNumResults(); ++result) {
    llvm::Expected<HostTensor> made =
        evaluateOutput(op, result, *padded, reads, params, range);
    if (!made)
      return made.takeError();
    results.push_back(std::move(*made));
  }
  return results;
}

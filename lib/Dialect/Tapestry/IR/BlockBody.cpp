//===- BlockBody.cpp - Bodies of blocks -----------------------------------===//
//
// A body reads single elements: scalars that it is given, and what it extracts
// at constant indices. On a device each output is a loop nest of its own over
// the points of the block, whose elements all reads are, shifted.
//
//===----------------------------------------------------------------------===//

#include "BlockBody.h"
#include "BlockValues.h"
#include "LocalNest.h"
#include "ScalarRegions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
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

/// An element of an input that a point reads, and the body's value of it.
struct BodyRead : NestRead {
  Value value;
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
    reads.push_back({{operand, offset}, value});
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

// A function from outside is told where its block begins.
bool BlockOp::readsPlaceAlong(unsigned label) {
  return !getBody() || !labelsOf(*this)[label].use_empty();
}

//===----------------------------------------------------------------------===//
// What one device computes
//===----------------------------------------------------------------------===//

/// What a point yields for a result.
static Value emitYielded(BlockOp op, llvm::ArrayRef<BodyRead> reads,
                         unsigned result, OpBuilder &body, Location loc,
                         ValueRange elements, LocalNest::LabelFn labelValue) {
  IRMapping mapping;
  for (auto [read, element] : llvm::zip_equal(reads, elements))
    mapping.map(read.value, element);
  for (auto [param, value] : llvm::zip_equal(paramsOf(op), op.getParamValues()))
    mapping.map(param, emitConstant(body, loc, value));
  for (auto [number, label] : llvm::enumerate(labelsOf(op)))
    mapping.map(label, labelValue(number));
  Block &from = op.getBody()->front();
  for (Operation &inner : from.without_terminator())
    if (!isa<tensor::ExtractOp>(inner))
      body.clone(inner, mapping);
  return mapping.lookupOrDefault(from.getTerminator()->getOperand(result));
}

FailureOr<llvm::SmallVector<Value>> teg::lowerBody(BlockOp op, OpBuilder &b,
                                                   Location loc,
                                                   const LocalBlock &block) {
  llvm::SmallVector<BodyRead> reads = findReads(op);
  llvm::SmallVector<NestRead> places(reads.begin(), reads.end());
  LocalNest nest(op, b, loc, block);
  llvm::SmallVector<Value> results;
  for (unsigned result = 0; result < op.getNumResults(); ++result)
    results.push_back(nest.emit(
        result, places,
        [&](OpBuilder &body, ValueRange elements, LocalNest::LabelFn label) {
          return emitYielded(op, reads, result, body, loc, elements, label);
        }));
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

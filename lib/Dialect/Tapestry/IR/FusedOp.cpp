//===- FusedOp.cpp - Operators that are one vertex ------------------------===//
//
// A fused operator answers what its consumer does and, of what the producer
// reads, what the producer does at the labels that the consumer reads it by.
// The checks carry the labels of the constraints in the op's description.
//
//===----------------------------------------------------------------------===//

#include "LocalNest.h"
#include "Placement.h"
#include "PlacementRules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "tapestry/Dialect/Index/Evaluate/RegionEvaluator.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryFused.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryShard.h"
#include "tapestry/Interfaces/ElementType.h"
#include "tapestry/Interfaces/ScanInterface.h"
#include "tapestry/Support/Composition.h"
#include "tapestry/Support/Counted.h"
#include "tapestry/Support/Error.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

#define GET_OP_CLASSES
#include "tapestry/Dialect/Tapestry/IR/TapestryFused.cpp.inc"

static RankedTensorType tensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// Two operators that are one
//===----------------------------------------------------------------------===//

static Projection writtenBy(BlockOpInterface op) {
  return op.getResultProjections().front();
}

/// By what the consumer reads the producer's result, where it does so first.
static Projection readingOf(BlockOpInterface producer,
                            BlockOpInterface consumer) {
  auto tensors = consumer.getTensorOperands();
  auto *read = llvm::find(tensors, producer->getResult(0));
  return consumer.getAccesses(read - tensors.begin()).front().projection;
}

/// The producer's labels as the consumer's.
static LabelImages imagesOf(BlockOpInterface producer,
                            BlockOpInterface consumer) {
  return *imagesOfLabels(writtenBy(producer), readingOf(producer, consumer),
                         producer.getIndexRank());
}

static std::string quoted(BlockOpInterface op) {
  return joinedText("'", op.getVertexName(), "'");
}

/// fused_c1, fused_c2, fused_c3 of one of the two.
static std::string whyNotHeld(BlockOpInterface op) {
  if (!hasBlocks(op) || isa<ShardOp, GraphNodeInterface>(op.getOperation()))
    return joinedText("'", op->getName(), "' has no blocks of its own");
  if (op->getNumResults() != 1)
    return joinedText(quoted(op), " has ", op->getNumResults(),
                      " results, expected 1");
  auto scan = dyn_cast<ScanInterface>(*op);
  if (std::optional<unsigned> label =
          scan ? scan.getScannedLabel() : std::nullopt)
    return joinedText(quoted(op), " runs on along '",
                      op.getLabelNames()[*label], "'");
  for (unsigned operand = 0; operand < op->getNumOperands(); ++operand) {
    std::vector<Access> accesses = op.getAccesses(operand);
    if (accesses.size() != 1)
      return joinedText(quoted(op), " reads operand ", operand, " in ",
                        accesses.size(), " pieces, expected 1");
    if (!accesses.front().guard.empty())
      return joinedText(quoted(op), " reads operand ", operand,
                        " at some points only");
  }
  for (auto [dim, of] : llvm::enumerate(writtenBy(op).dims))
    if (!of.isPlainDim())
      return joinedText(quoted(op), " writes dimension ", dim,
                        " otherwise than by a label");
  return "";
}

/// fused_c4; puts where the consumer reads the producer's result in `reading`.
static std::string whyNotRead(BlockOpInterface producer,
                              BlockOpInterface consumer,
                              std::optional<Projection> &reading) {
  std::string reads = quoted(consumer) + " reads " + quoted(producer);
  for (auto [number, tensor] : llvm::enumerate(consumer.getTensorOperands())) {
    if (tensor != producer->getResult(0))
      continue;
    Access access = consumer.getAccesses(number).front();
    if (access.fallback != AccessFallback::None)
      return joinedText(reads, " by operand ", number, " beside its ends");
    if (reading && *reading != access.projection)
      return joinedText(reads, " by operand ", number,
                        " at other places than before");
    reading = access.projection;
  }
  if (!reading)
    return quoted(consumer) + " does not read " + quoted(producer);
  if (reading->rank() == consumer.getIndexRank() &&
      imagesOfLabels(writtenBy(producer), *reading, producer.getIndexRank()))
    return "";
  return joinedText(reads, ", of rank ", reading->rank(),
                    ", otherwise than at all of its ",
                    countOf(consumer.getIndexRank(), "label"));
}

/// fused_c3, fused_c4, fused_c7
static std::string whyNotLinked(BlockOpInterface producer,
                                BlockOpInterface consumer) {
  for (auto [name, kind] :
       llvm::zip_equal(consumer.getLabelNames(), consumer.getLabelKinds()))
    if (kind != LabelKind::Parallel)
      return joinedText(quoted(consumer), " reduces '", name, "'");
  std::optional<Projection> reading;
  if (std::string reason = whyNotRead(producer, consumer, reading);
      !reason.empty())
    return reason;
  LabelImages images =
      *imagesOfLabels(writtenBy(producer), *reading, producer.getIndexRank());
  for (auto [name, kind, image] : llvm::zip_equal(
           producer.getLabelNames(), producer.getLabelKinds(), images))
    if (!image && kind == LabelKind::Parallel)
      return joinedText(quoted(producer), " neither writes by nor reduces '",
                        name, "'");
  for (unsigned operand = 0; operand < producer->getNumOperands(); ++operand)
    if (!composed(producer.getAccesses(operand).front().projection, images,
                  producer.getLabelExtents()))
      return joinedText(quoted(producer), " reads operand ", operand,
                        " along labels that it reduces, one of which has 0 "
                        "points or is divided or wraps around beside others");
  return "";
}

std::string teg::whyNotFused(BlockOpInterface producer,
                             BlockOpInterface consumer) {
  for (BlockOpInterface op : {producer, consumer})
    if (std::string reason = whyNotHeld(op); !reason.empty())
      return reason;
  return whyNotLinked(producer, consumer);
}

/// A copy without a plan, of other operands.
static Operation *cloneOnto(OpBuilder &b, BlockOpInterface op,
                            ValueRange operands) {
  Operation *copy = op->clone();
  copy->setOperands(operands);
  b.insert(copy);
  if (auto block = cast<BlockOpInterface>(copy); hasPlan(block))
    forgetPlan(block);
  return copy;
}

void FusedOp::build(OpBuilder &builder, OperationState &state,
                    BlockOpInterface producer, BlockOpInterface consumer) {
  Value between = producer->getResult(0);
  llvm::SmallVector<Value> operands(producer->getOperands());
  for (Value operand : consumer->getOperands())
    if (operand != between)
      operands.push_back(operand);
  state.addOperands(operands);
  state.addTypes(consumer->getResultTypes());
  state.getOrAddProperties<Properties>().name =
      builder.getStringAttr(consumer.getVertexName());
  OpBuilder::InsertionGuard guard(builder);
  // What is inside is no vertex that a listener should hear of.
  OpBuilder inside(builder.getContext());
  Region *region = state.addRegion();
  Block *block = inside.createBlock(
      region, {}, ValueRange(operands).getTypes(),
      llvm::map_to_vector(operands, [](Value v) { return v.getLoc(); }));
  ValueRange arguments = block->getArguments();
  size_t taken = producer->getNumOperands();
  Operation *first = cloneOnto(inside, producer, arguments.take_front(taken));
  llvm::SmallVector<Value> read;
  for (Value operand : consumer->getOperands())
    read.push_back(operand == between ? first->getResult(0)
                                      : Value(arguments[taken++]));
  Operation *second = cloneOnto(inside, consumer, read);
  // What is asked of the consumer is asked of both.
  for (NamedAttribute attribute : consumer->getDiscardableAttrs()) {
    state.addAttribute(attribute.getName(), attribute.getValue());
    second->removeDiscardableAttr(attribute.getName());
  }
  FusedYieldOp::create(inside, state.location, second->getResult(0));
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

/// fused_c5, fused_c6
static LogicalResult verifyTaken(FusedOp op) {
  BlockOpInterface producer = op.getProducer(), consumer = op.getConsumer();
  ValueRange arguments = op.getBody().getArguments();
  llvm::SmallVector<Value> taken(producer->getOperands());
  for (Value operand : consumer->getOperands())
    if (operand != producer->getResult(0))
      taken.push_back(operand);
  if (ValueRange(taken) != arguments)
    return op.emitOpError()
           << "holds operators that take " << countOf(taken.size(), "tensor")
           << ", which are not the " << countOf(arguments.size(), "argument")
           << " in their order";
  auto yield = cast<FusedYieldOp>(op.getBody().front().getTerminator());
  if (yield.getValue() != consumer->getResult(0))
    return op.emitOpError() << "ends with what is not the result of '"
                            << consumer.getVertexName() << "'";
  if (op.getInputs().size() != arguments.size())
    return op.emitOpError()
           << "has " << countOf(op.getInputs().size(), "operand")
           << ", expected one per argument: " << arguments.size();
  for (auto [number, input, argument] :
       llvm::enumerate(op.getInputs(), arguments))
    if (input.getType() != argument.getType())
      return op.emitOpError()
             << "operand " << number << " is " << input.getType()
             << ", but the argument is " << argument.getType();
  if (op.getResult().getType() != yield.getValue().getType())
    return op.emitOpError() << "the result is " << op.getResult().getType()
                            << ", but '" << consumer.getVertexName()
                            << "' makes " << yield.getValue().getType();
  return success();
}

LogicalResult FusedOp::verifyRegions() {
  // fused_c1
  Block &block = getBody().front();
  size_t count = block.getOperations().size() - 1;
  if (count != 2)
    return emitOpError() << "holds " << countOf(count, "operation")
                         << ", expected 2";
  for (Operation &held : block.without_terminator()) {
    auto each = dyn_cast<BlockOpInterface>(held);
    if (!each)
      return emitOpError() << "holds '" << held.getName()
                           << "', which has no index space";
    if (hasPlan(each))
      return emitOpError() << "holds '" << each.getVertexName()
                           << "' with a plan, which only it may have itself";
  }
  if (!isa<FusedYieldOp>(block.getTerminator()))
    return emitOpError() << "ends in '" << block.getTerminator()->getName()
                         << "', expected '" << FusedYieldOp::getOperationName()
                         << "'";
  // fused_c1, fused_c2, fused_c3, fused_c4, fused_c7
  std::string reason = whyNotFused(getProducer(), getConsumer());
  if (!reason.empty())
    return emitOpError() << "holds operators that are not one: " << reason;
  if (failed(verifyTaken(*this)))
    return failure();
  if (failed(verifyAsked(*this)))
    return failure();
  // fused_c8
  if (failed(
          verifyPartition(*this, getPartitionAttr(), getIndexRank(), "label")))
    return failure();
  // fused_c9
  if (failed(
          verifyHome(*this, getHomeAttr(), tensorType(getResult()).getShape())))
    return failure();
  // fused_c10
  return verifyRoutes(*this, getHomeRouteAttr(), getOperandRoutesAttr(),
                      getHomeAttr(), getInputs());
}

LogicalResult FusedOp::reifyResultShapes(OpBuilder &,
                                         ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(
      getAsIndexOpFoldResult(getContext(), tensorType(getResult()).getShape()));
  return success();
}

//===----------------------------------------------------------------------===//
// Index space: that of the consumer
//===----------------------------------------------------------------------===//

llvm::SmallVector<std::string> FusedOp::getLabelNames() {
  return getConsumer().getLabelNames();
}

llvm::SmallVector<int64_t> FusedOp::getLabelExtents() {
  return getConsumer().getLabelExtents();
}

llvm::SmallVector<LabelKind> FusedOp::getLabelKinds() {
  return getConsumer().getLabelKinds();
}

llvm::SmallVector<Value> FusedOp::getTensorOperands() {
  return llvm::to_vector(getInputs());
}

/// Which operand of the consumer takes an argument that the producer does not.
static unsigned takenAs(FusedOp op, unsigned operand) {
  auto operands = op.getConsumer()->getOperands();
  return llvm::find(operands, op.getBody().getArgument(operand)) -
         operands.begin();
}

std::vector<Access> FusedOp::getAccesses(unsigned operand) {
  BlockOpInterface producer = getProducer(), consumer = getConsumer();
  if (operand >= producer->getNumOperands())
    return consumer.getAccesses(takenAs(*this, operand));
  Access access = producer.getAccesses(operand).front();
  access.projection = *composed(access.projection, imagesOf(producer, consumer),
                                producer.getLabelExtents());
  return {access};
}

TypedAttr FusedOp::getPad(unsigned operand) {
  return operand < getProducer()->getNumOperands()
             ? getProducer().getPad(operand)
             : getConsumer().getPad(takenAs(*this, operand));
}

std::vector<Projection> FusedOp::getResultProjections() {
  return getConsumer().getResultProjections();
}

std::optional<llvm::SmallVector<int64_t>> FusedOp::getDeviceSet() {
  auto devices = getConsumer().getDeviceSet();
  auto others = getProducer().getDeviceSet();
  if (devices && others)
    llvm::erase_if(*devices, [&](int64_t device) {
      return !llvm::is_contained(*others, device);
    });
  return devices ? devices : others;
}

// Nothing is reduced.
Monoid FusedOp::getResultMonoid(unsigned) { return Monoid::None; }
TypedAttr FusedOp::getMonoidIdentity(unsigned) { return {}; }
Value FusedOp::emitCombine(unsigned, OpBuilder &, Location, Value, Value) {
  return {};
}

static bool readsPlace(BlockOpInterface op, unsigned label) {
  auto ranged = dyn_cast<RangeInterface>(op.getOperation());
  return !ranged || ranged.readsPlaceAlong(label);
}

bool FusedOp::readsPlaceAlong(unsigned label) {
  BlockOpInterface producer = getProducer(), consumer = getConsumer();
  for (auto [own, image] : llvm::enumerate(imagesOf(producer, consumer)))
    if (image == label && readsPlace(producer, own))
      return true;
  return readsPlace(consumer, label);
}

ZBox FusedOp::getProducerRange(llvm::ArrayRef<ZRange> box) {
  ZBox range;
  for (auto [image, extent] :
       llvm::zip_equal(imagesOf(getProducer(), getConsumer()),
                       getProducer().getLabelExtents()))
    range.push_back(image ? box[*image] : ZRange{0, extent});
  return range;
}

PointWork FusedOp::getWork() {
  BlockOpInterface producer = getProducer(), consumer = getConsumer();
  PointWork work = consumer.getWork(), each = producer.getWork();
  // The points of the producer that one reads what comes of.
  int64_t points = 1;
  for (auto [image, extent, kind] :
       llvm::zip_equal(imagesOf(producer, consumer), producer.getLabelExtents(),
                       producer.getLabelKinds()))
    if (!image && kind != LabelKind::Selected)
      points *= extent;
  work.flops += points * each.flops;
  work.bytes += points * each.bytes;
  return work;
}

//===----------------------------------------------------------------------===//
// What one device computes, and what it means
//===----------------------------------------------------------------------===//

/// Accumulated values as elements of the tensor between.
static Value emitRounded(OpBuilder &b, Location loc, Value wide, Type element) {
  auto type = cast<RankedTensorType>(wide.getType());
  if (type.getElementType() == element)
    return wide;
  Value empty = tensor::EmptyOp::create(
      b, loc, tensor::getMixedSizes(b, loc, wide), element);
  llvm::SmallVector<AffineMap> maps(2,
                                    b.getMultiDimIdentityMap(type.getRank()));
  llvm::SmallVector<utils::IteratorType> loops(type.getRank(),
                                               utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             b, loc, empty.getType(), wide, empty, maps, loops,
             [&](OpBuilder &body, Location, ValueRange elements) {
               linalg::YieldOp::create(
                   body, loc,
                   arith::TruncFOp::create(body, loc, element, elements[0])
                       .getResult());
             })
      .getResult(0);
}

/// The producer's part of what a block reads of the tensor between.
static FailureOr<Value> lowerProducer(FusedOp op, OpBuilder &b, Location loc,
                                      const LocalBlock &block) {
  BlockOpInterface producer = op.getProducer();
  LabelImages images = imagesOf(producer, op.getConsumer());
  llvm::SmallVector<Value> starts, ends;
  for (auto [image, extent] :
       llvm::zip_equal(images, producer.getLabelExtents())) {
    starts.push_back(image ? block.starts[*image]
                           : Value(arith::ConstantIndexOp::create(b, loc, 0)));
    ends.push_back(image
                       ? block.ends[*image]
                       : Value(arith::ConstantIndexOp::create(b, loc, extent)));
  }
  // As long along a label as the result is.
  auto result = cast<RankedTensorType>(block.results.front());
  llvm::SmallVector<int64_t> ofLabels(op.getIndexRank()), shape;
  for (auto [dim, extent] :
       llvm::zip_equal(writtenBy(op.getConsumer()).dims, result.getShape()))
    ofLabels[dim.terms.front().dim] = extent;
  for (const ProjectionDim &dim : writtenBy(producer).dims)
    shape.push_back(ofLabels[*images[dim.terms.front().dim]]);
  Type element = tensorType(producer->getResult(0)).getElementType();
  TypedAttr identity = producer.getMonoidIdentity(0);
  Type made = RankedTensorType::get(
      shape, storageType(identity ? getElementTypeOrSelf(identity) : element));
  LocalBlock own = block;
  own.windows = block.windows.take_front(producer->getNumOperands());
  own.starts = starts;
  own.ends = ends;
  own.results = made;
  FailureOr<llvm::SmallVector<Value>> values =
      lowerLocally(producer, b, loc, own);
  if (failed(values))
    return failure();
  return emitRounded(b, loc, values->front(), storageType(element));
}

FailureOr<llvm::SmallVector<Value>>
FusedOp::lowerLocal(OpBuilder &b, Location loc, const LocalBlock &block) {
  FailureOr<Value> between = lowerProducer(*this, b, loc, block);
  if (failed(between))
    return failure();
  llvm::SmallVector<Value> windows;
  for (Value operand : getConsumer()->getOperands()) {
    auto argument = dyn_cast<BlockArgument>(operand);
    windows.push_back(argument ? block.windows[argument.getArgNumber()]
                               : *between);
  }
  LocalBlock own = block;
  own.windows = windows;
  return lowerLocally(getConsumer(), b, loc, own);
}

static llvm::Expected<HostTensor>
evaluateHeld(BlockOpInterface op, llvm::ArrayRef<const HostTensor *> operands) {
  if (op.getScalarRegion())
    return reference::evaluateRegion(op, operands, /*pool=*/nullptr);
  auto results = op.evaluate(operands);
  if (!results)
    return results.takeError();
  return std::move(results->front());
}

llvm::Expected<std::vector<HostTensor>>
FusedOp::evaluate(llvm::ArrayRef<const HostTensor *> operands) {
  BlockOpInterface producer = getProducer(), consumer = getConsumer();
  auto between =
      evaluateHeld(producer, operands.take_front(producer->getNumOperands()));
  if (!between)
    return between.takeError();
  llvm::SmallVector<const HostTensor *> read;
  for (Value operand : consumer->getOperands()) {
    auto argument = dyn_cast<BlockArgument>(operand);
    read.push_back(argument ? operands[argument.getArgNumber()] : &*between);
  }
  auto result = evaluateHeld(consumer, read);
  if (!result)
    return result.takeError();
  std::vector<HostTensor> results;
  results.push_back(std::move(*result));
  return results;
}

//===- TRAToComm.cpp - From relations to one program for every device -----===//
//
// Relations become the part that a device holds, joins local computation on it,
// aggregates and repartitions the collective that two layouts call for. Joins
// and blocks are lowered in LocalJoin.cpp and LocalBlock.cpp.
//
//===----------------------------------------------------------------------===//

#include "LocalJoin.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "tapestry/Conversion/Passes.h"
#include "tapestry/Dialect/Comm/IR/CommLoop.h"
#include "tapestry/Dialect/Comm/IR/CommPoint.h"
#include "tapestry/Dialect/Comm/IR/CommRim.h"
#include "tapestry/Dialect/Index/IR/IndexOps.h"
#include "tapestry/Dialect/TRA/IR/TRALoop.h"
#include "tapestry/Dialect/TRA/IR/TRAPoint.h"
#include "tapestry/Interfaces/ElementType.h"
#include "tapestry/Support/Resharding.h"

namespace tapestry {
#define GEN_PASS_DEF_CONVERTTRATOCOMM
#include "tapestry/Conversion/Passes.h.inc"
} // namespace tapestry

using namespace mlir;
using namespace tapestry;

namespace {

/// Rewrites one function over relations into the function that a device runs.
class DeviceProgram {
public:
  explicit DeviceProgram(func::FuncOp source)
      : source(source), builder(source), context(source.getContext()) {}

  LogicalResult lower(int64_t &collectiveCount);

private:
  LogicalResult lowerSignature();
  LogicalResult lowerOp(Operation *op);
  void lowerJoin(tra::JoinOp join);
  void lowerBlock(tra::BlockOp block);
  void lowerAggregate(tra::AggregateOp aggregate);
  void lowerRepartition(tra::RepartitionOp repartition);
  void lowerLoop(tra::LoopOp loop);
  void lowerPoint(tra::PointOp point);
  void lowerAwait(tra::AwaitOp await);
  void lowerHandOut(tra::HandOutOp handOut);
  LogicalResult lowerTakeIn(tra::TakeInOp takeIn);
  void lowerReturn(func::ReturnOp op);
  template <typename Op> Value emitReduction(tra::AggregateOp aggregate);
  template <typename Op> Value emitExchange(tra::RepartitionOp repartition);
  ResultRange emitted(Operation *op);
  ValueRange tokens() {
    return lastToken ? ValueRange(lastToken) : ValueRange();
  }
  /// The part that `relation` became, and the token that a point did.
  Value part(Value relation) { return parts.lookup(relation); }
  void define(Value relation, Value local) { parts[relation] = local; }

  func::FuncOp source;
  func::FuncOp target;
  OpBuilder builder;
  MLIRContext *context;
  Value device;
  Value lastToken;
  llvm::DenseMap<Value, Value> parts;
  /// Of relations that stay where they are: that part, and strips beside it.
  llvm::DenseMap<Value, HeldParts> split;
  LocalInteriors interiors;
  int64_t collectives = 0;
};

index::LayoutAttr layoutOf(Value relation) {
  return cast<tra::RelationType>(relation.getType()).getLayout();
}

Type elementTypeOf(Value relation) {
  return cast<tra::RelationType>(relation.getType()).getElementType();
}

RankedTensorType partTypeOf(Value relation) {
  return comm::partType(layoutOf(relation),
                        storageType(elementTypeOf(relation)));
}

/// The part that an argument is which says so itself.
RankedTensorType describedPart(BlockArgument argument) {
  auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  unsigned number = argument.getArgNumber();
  auto layout =
      function.getArgAttrOfType<index::LayoutAttr>(number, "comm.layout");
  auto type = function.getArgAttrOfType<TypeAttr>(number, "comm.type");
  return layout && type ? comm::partType(layout, storageType(type.getValue()))
                        : RankedTensorType();
}

} // namespace

/// The function's arguments become parts in the layout of their from_tensor,
/// its results parts in the layout of their to_tensor.
LogicalResult DeviceProgram::lowerSignature() {
  SmallVector<Type> inputs, outputs;
  SmallVector<tra::FromTensorOp> sources;
  for (BlockArgument argument : source.getArguments()) {
    // What a loop carries need not be read.
    if (RankedTensorType known = describedPart(argument);
        known && argument.use_empty()) {
      sources.push_back({});
      inputs.push_back(known);
      continue;
    }
    if (!argument.hasOneUse() ||
        !isa<tra::FromTensorOp>(*argument.user_begin()))
      return source.emitError("argument ")
             << argument.getArgNumber()
             << " has to be read by exactly one tra.from_tensor";
    auto from = cast<tra::FromTensorOp>(*argument.user_begin());
    sources.push_back(from);
    inputs.push_back(partTypeOf(from.getRelation()));
  }
  auto exit = dyn_cast<func::ReturnOp>(source.front().getTerminator());
  if (!exit)
    return source.front().getTerminator()->emitError(
        "ends a program over relations, expected func.return");
  SmallVector<tra::ToTensorOp> sinks;
  for (Value result : exit.getOperands()) {
    auto to = result.getDefiningOp<tra::ToTensorOp>();
    if (!to)
      return exit.emitError("returns a value that is not a tra.to_tensor");
    sinks.push_back(to);
    outputs.push_back(partTypeOf(to.getRelation()));
  }

  target = func::FuncOp::create(builder, source.getLoc(), source.getName(),
                                builder.getFunctionType(inputs, outputs));
  for (NamedAttribute attr : source->getDiscardableAttrs())
    target->setDiscardableAttr(attr.getName(), attr.getValue());
  Block *body = target.addEntryBlock();
  builder.setInsertionPointToStart(body);
  // All at once: setting one copies the list.
  auto described = [](DictionaryAttr known, Value relation) {
    NamedAttrList attributes(known);
    attributes.set("comm.layout", layoutOf(relation));
    if (!attributes.get("comm.type"))
      attributes.set("comm.type", TypeAttr::get(elementTypeOf(relation)));
    return attributes.getDictionary(relation.getContext());
  };
  SmallVector<DictionaryAttr> ofArguments, ofResults;
  for (auto [number, from] : llvm::enumerate(sources)) {
    DictionaryAttr known = source.getArgAttrDict(number);
    if (!from) {
      ofArguments.push_back(known);
      continue;
    }
    ofArguments.push_back(described(known, from.getRelation()));
    define(from.getRelation(), body->getArgument(number));
  }
  for (auto [number, to] : llvm::enumerate(sinks))
    ofResults.push_back(
        described(source.getResultAttrDict(number), to.getRelation()));
  target.setAllArgAttrs(ofArguments);
  target.setAllResultAttrs(ofResults);
  device = comm::DeviceOp::create(builder, source.getLoc());
  return success();
}

void DeviceProgram::lowerJoin(tra::JoinOp join) {
  SmallVector<HeldParts> operands;
  for (Value operand : join.getInputs()) {
    auto known = split.find(operand);
    operands.push_back(known != split.end()
                           ? known->second
                           : HeldParts{{part(operand), layoutOf(operand)}});
  }
  define(
      join.getResult(),
      lowerLocalJoin(builder, join, interiors.isApart(join), operands, device));
}

void DeviceProgram::lowerBlock(tra::BlockOp block) {
  SmallVector<Value> operands;
  for (Value operand : block.getInputs())
    operands.push_back(part(operand));
  for (auto [result, local] :
       llvm::zip_equal(block.getResults(),
                       lowerLocalBlock(builder, block, operands, device)))
    define(result, local);
}

/// The next collective starts after this one: all devices run them in one
/// order.
ResultRange DeviceProgram::emitted(Operation *op) {
  auto collective = cast<comm::CollectiveOpInterface>(op);
  lastToken = collective.getToken();
  ++collectives;
  return collective.getParts();
}

template <typename Op>
Value DeviceProgram::emitReduction(tra::AggregateOp aggregate) {
  auto op = Op::create(builder, aggregate.getLoc(), aggregate.getVertex(),
                       aggregate.getMonoid(), part(aggregate.getSource()),
                       layoutOf(aggregate.getSource()),
                       layoutOf(aggregate.getResult()), tokens());
  if (!aggregate.getCombine().empty())
    emitStoredCombine(builder, aggregate.getCombine(), op.getCombine());
  return emitted(op).front();
}

void DeviceProgram::lowerAggregate(tra::AggregateOp aggregate) {
  index::LayoutAttr from = layoutOf(aggregate.getSource());
  index::LayoutAttr to = layoutOf(aggregate.getResult());
  Collective moved =
      planResharding(from.getDeviceGrid(), from.getLayout(), to.getLayout());
  Value result = part(aggregate.getSource());
  if (moved.kind == CollectiveKind::AllReduce)
    result = emitReduction<comm::AllReduceOp>(aggregate);
  else if (moved.kind == CollectiveKind::ReduceScatter)
    result = emitReduction<comm::ReduceScatterOp>(aggregate);
  define(aggregate.getResult(), result);
}

template <typename Op>
Value DeviceProgram::emitExchange(tra::RepartitionOp repartition) {
  auto op = Op::create(builder, repartition.getLoc(), repartition.getVertex(),
                       part(repartition.getSource()),
                       layoutOf(repartition.getSource()),
                       layoutOf(repartition.getResult()), tokens());
  return emitted(op).front();
}

void DeviceProgram::lowerRepartition(tra::RepartitionOp repartition) {
  Value source = repartition.getSource();
  index::LayoutAttr from = layoutOf(source);
  index::LayoutAttr to = layoutOf(repartition.getResult());
  // What is read of it lies in one of them.
  if (auto known = split.find(source); known != split.end()) {
    split[repartition.getResult()] = HeldParts(known->second);
    return;
  }
  if (ArrayRef<Layout> found = interiors.rimsOf(repartition); !found.empty()) {
    SmallVector<index::LayoutAttr> rims;
    for (const Layout &rim : found)
      rims.push_back(index::LayoutAttr::get(context, from.getGrid(), rim));
    auto op = comm::FetchRimOp::create(builder, repartition.getLoc(),
                                       repartition.getVertex(), part(source),
                                       from, to, rims, tokens());
    HeldParts &held = split[repartition.getResult()];
    held = {{part(source), from}};
    for (auto [strip, rim] : llvm::zip_equal(emitted(op.getOperation()), rims))
      held.push_back({strip, rim});
    return;
  }
  if (isWindow(repartition)) {
    define(repartition.getResult(),
           comm::SliceOp::create(builder, repartition.getLoc(),
                                 repartition.getVertex(), part(source), from,
                                 to));
    return;
  }
  Collective moved =
      planResharding(from.getDeviceGrid(), from.getLayout(), to.getLayout());
  auto emit = [&]() -> Value {
    switch (moved.kind) {
    case CollectiveKind::AllGather:
      return emitExchange<comm::AllGatherOp>(repartition);
    case CollectiveKind::CollectivePermute:
      return emitExchange<comm::CollectivePermuteOp>(repartition);
    case CollectiveKind::HaloExchange:
      return emitExchange<comm::HaloExchangeOp>(repartition);
    case CollectiveKind::AllToAll:
      return emitExchange<comm::AllToAllOp>(repartition);
    default:
      return comm::SliceOp::create(builder, repartition.getLoc(),
                                   repartition.getVertex(), part(source), from,
                                   to);
    }
  };
  define(repartition.getResult(), emit());
}

/// The body is lowered as the function that it is.
void DeviceProgram::lowerLoop(tra::LoopOp loop) {
  auto partsOf = [&](ValueRange relations) {
    return llvm::map_to_vector(relations,
                               [&](Value each) { return part(each); });
  };
  SmallVector<Value> inits = partsOf(loop.getInits());
  auto lowered = comm::LoopOp::create(
      builder, loop.getLoc(), ValueRange(inits).getTypes(),
      comm::TokenType::get(context), loop.getBodyAttr(), loop.getTripsAttr(),
      loop.getUntilAttr(), tokens(), inits, partsOf(loop.getInvariants()));
  for (auto [relation, local] :
       llvm::zip_equal(loop.getResults(), lowered.getResults()))
    define(relation, local);
  lastToken = lowered.getToken();
}

/// All ranks meet, in the order that they have for collectives.
void DeviceProgram::lowerPoint(tra::PointOp point) {
  llvm::SetVector<Value> awaited;
  awaited.insert_range(tokens());
  for (Value each : point.getAwaited())
    awaited.insert(part(each));
  lastToken = comm::PointOp::create(builder, point.getLoc(),
                                    comm::TokenType::get(context),
                                    awaited.getArrayRef());
  define(point.getToken(), lastToken);
}

void DeviceProgram::lowerAwait(tra::AwaitOp await) {
  Value source = part(await.getSource());
  SmallVector<Value> after = llvm::map_to_vector(
      await.getAfter(), [&](Value token) { return part(token); });
  define(await.getResult(),
         comm::AwaitOp::create(builder, await.getLoc(), source.getType(),
                               source, after));
}

/// All ranks do, in the order that they have for collectives.
void DeviceProgram::lowerHandOut(tra::HandOutOp handOut) {
  lastToken = comm::HandOutOp::create(
      builder, handOut.getLoc(), comm::TokenType::get(context),
      handOut.getOutputAttr(), part(handOut.getSource()), tokens());
  define(handOut.getToken(), lastToken);
}

/// As it hands results out.
LogicalResult DeviceProgram::lowerTakeIn(tra::TakeInOp takeIn) {
  auto from = takeIn.getSource().getDefiningOp<tra::FromTensorOp>();
  if (!from || !takeIn.getSource().hasOneUse())
    return takeIn.emitError("takes in what is no argument that nothing else "
                            "reads");
  Value source = part(takeIn.getSource());
  auto op =
      comm::TakeInOp::create(builder, takeIn.getLoc(), source.getType(),
                             comm::TokenType::get(context), source, tokens());
  lastToken = op.getToken();
  define(takeIn.getResult(), op.getPart());
  return success();
}

void DeviceProgram::lowerReturn(func::ReturnOp op) {
  SmallVector<Value> results;
  for (Value result : op.getOperands())
    results.push_back(
        part(result.getDefiningOp<tra::ToTensorOp>().getRelation()));
  func::ReturnOp::create(builder, op.getLoc(), results);
}

LogicalResult DeviceProgram::lowerOp(Operation *op) {
  if (auto from = dyn_cast<tra::FromTensorOp>(op)) {
    if (isa<BlockArgument>(from.getTensor()))
      return success();
    return from.emitError("reads a tensor that is no argument of the program; "
                          "tra.repartition changes layouts within one");
  }
  if (isa<tra::ToTensorOp>(op))
    return success();
  if (auto join = dyn_cast<tra::JoinOp>(op))
    lowerJoin(join);
  else if (auto block = dyn_cast<tra::BlockOp>(op))
    lowerBlock(block);
  else if (auto aggregate = dyn_cast<tra::AggregateOp>(op))
    lowerAggregate(aggregate);
  else if (auto repartition = dyn_cast<tra::RepartitionOp>(op))
    lowerRepartition(repartition);
  else if (auto loop = dyn_cast<tra::LoopOp>(op))
    lowerLoop(loop);
  else if (auto point = dyn_cast<tra::PointOp>(op))
    lowerPoint(point);
  else if (auto await = dyn_cast<tra::AwaitOp>(op))
    lowerAwait(await);
  else if (auto handOut = dyn_cast<tra::HandOutOp>(op))
    lowerHandOut(handOut);
  else if (auto takeIn = dyn_cast<tra::TakeInOp>(op))
    return lowerTakeIn(takeIn);
  else if (auto exit = dyn_cast<func::ReturnOp>(op))
    lowerReturn(exit);
  else
    return op->emitError("has no meaning in a program over relations");
  return success();
}

LogicalResult DeviceProgram::lower(int64_t &collectiveCount) {
  if (!llvm::hasSingleElement(source.getBody()))
    return source.emitError("a program over relations is one block");
  if (failed(lowerSignature()))
    return failure();
  for (Operation &op : source.front())
    if (failed(lowerOp(&op)))
      return failure();
  source.erase();
  collectiveCount += collectives;
  return success();
}

namespace {
struct ConvertTRAToComm
    : tapestry::impl::ConvertTRAToCommBase<ConvertTRAToComm> {
  void runOnOperation() override {
    for (auto func :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
      bool overRelations = false;
      func.walk([&](tra::FromTensorOp) { overRelations = true; });
      func.walk([&](tra::JoinOp) { overRelations = true; });
      func.walk([&](tra::BlockOp) { overRelations = true; });
      int64_t collectives = 0;
      if (overRelations && failed(DeviceProgram(func).lower(collectives)))
        return signalPassFailure();
      numCollectives += collectives;
    }
  }
};
} // namespace

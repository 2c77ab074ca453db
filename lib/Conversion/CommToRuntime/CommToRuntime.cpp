//===- CommToRuntime.cpp - Collectives become calls of the runtime --------===//
//
// The device program over tensors becomes a function over memrefs. Collectives
// go through one small function each, so that later passes see plain calls that
// read and write memrefs; only those functions take pointers apart. Loops are
// LoopsToRuntime.cpp's.
//
//===----------------------------------------------------------------------===//

#include "BufferPointers.h"
#include "ProgramAttributes.h"
#include "RuntimeProgram.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "tapestry/Codegen/Common/DeviceCode.h"
#include "tapestry/Conversion/Passes.h"
#include "tapestry/Interfaces/Monoid.h"

namespace tapestry {
#define GEN_PASS_DEF_CONVERTCOMMTORUNTIME
#include "tapestry/Conversion/Passes.h.inc"
} // namespace tapestry

using namespace mlir;
using namespace tapestry;

MemRefType tapestry::memrefOf(Type tensor) {
  auto type = cast<RankedTensorType>(tensor);
  return MemRefType::get(type.getShape(), type.getElementType());
}

/// acc ⊕ value as the collective's monoid says.
static Value emitCombined(OpBuilder &b, Location loc,
                          comm::CollectiveOpInterface op, Value acc,
                          Value value) {
  if (Region *custom = op.getCombineRegion()) {
    IRMapping mapping;
    mapping.map(custom->getArguments(), ValueRange{acc, value});
    for (Operation &inner : custom->front().without_terminator())
      b.clone(inner, mapping);
    return mapping.lookupOrDefault(
        custom->front().getTerminator()->getOperand(0));
  }
  return tapestry::emitMonoid(b, loc, *op.getReduction(), acc, value);
}

func::FuncOp RuntimeProgram::declare(StringRef name, TypeRange inputs,
                                     TypeRange results) {
  if (auto known = module.lookupSymbol<func::FuncOp>(name))
    return known;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(module.getBody());
  auto func =
      func::FuncOp::create(b, loc, name, b.getFunctionType(inputs, results));
  func.setPrivate();
  func->setAttr(deviceAttrName, b.getUnitAttr());
  return func;
}

/// A call that touches no buffers but those it is given.
func::CallOp RuntimeProgram::call(Location loc, func::FuncOp callee,
                                  ValueRange operands) {
  auto made = func::CallOp::create(b, loc, callee, operands);
  made->setAttr(deviceAttrName, b.getUnitAttr());
  return made;
}

DictionaryAttr RuntimeProgram::describeTensor(DictionaryAttr attrs) {
  auto layout = attrs.getAs<index::LayoutAttr>("comm.layout");
  layouts.push_back(layout);
  SmallVector<NamedAttribute> known = {
      b.getNamedAttr(program::name, attrs.get("comm.name")),
      b.getNamedAttr(program::type, attrs.get("comm.type")),
      b.getNamedAttr(program::layout, layout)};
  if (Attribute file = attrs.get("comm.file"))
    known.push_back(b.getNamedAttr(program::file, file));
  return b.getDictionaryAttr(known);
}

/// One block, whose loops call functions of one block.
LogicalResult RuntimeProgram::verifyBlock(func::FuncOp function) {
  if (function.isExternal() || !llvm::hasSingleElement(function.getBody()) ||
      !isa<func::ReturnOp>(function.front().getTerminator()))
    return function.emitError("a device program is one block that ends in "
                              "func.return");
  WalkResult walked = function.walk([&](Operation *op) {
    bool isOurs =
        isa<comm::AwaitOp, comm::CollectiveOpInterface, comm::DeviceOp,
            comm::HandOutOp, comm::LoopOp, comm::PointOp, comm::SliceOp,
            comm::TakeInOp, index::CallBlockOp, index::ConstantOp,
            index::RequireOp, index::SortOp>(op);
    if (isOurs && op->getBlock() != &function.front()) {
      op->emitOpError("stands in a region of '")
          << op->getParentOp()->getName()
          << "', but a device program is straight-line code";
      return WalkResult::interrupt();
    }
    if (failed(verifyBorder(function, op)))
      return WalkResult::interrupt();
    auto loop = dyn_cast<comm::LoopOp>(op);
    if (!loop)
      return WalkResult::advance();
    auto body = module.lookupSymbol<func::FuncOp>(loop.getBody());
    if (!body || body->hasAttr("comm.grid")) {
      op->emitOpError("calls '")
          << loop.getBody()
          << "', which is not a function of this module that is a loop's body "
             "alone";
      return WalkResult::interrupt();
    }
    return failed(verifyBlock(body)) ? WalkResult::interrupt()
                                     : WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}

/// What this lowering relies on: one block that ends in func.return, and ranked
/// tensors that carry their name, layout and type.
LogicalResult RuntimeProgram::verifyDeviceProgram() {
  if (failed(verifyBlock(program)))
    return failure();
  auto check = [&](const char *what, unsigned number, Type type,
                   DictionaryAttr attrs) -> LogicalResult {
    auto tensor = dyn_cast<RankedTensorType>(type);
    auto layout =
        attrs ? attrs.getAs<index::LayoutAttr>("comm.layout") : nullptr;
    if (!tensor || !layout || !attrs.getAs<StringAttr>("comm.name") ||
        !attrs.getAs<TypeAttr>("comm.type"))
      return program.emitError(what)
             << " " << number
             << " of a device program has to be a ranked tensor with the "
                "attributes comm.name, comm.layout and comm.type";
    RankedTensorType part = comm::partType(layout, tensor.getElementType());
    if (tensor == part)
      return success();
    return program.emitError(what)
           << " " << number << " of a device program has type " << tensor
           << ", but a part of its layout has type " << part;
  };
  for (auto [number, type] : llvm::enumerate(program.getArgumentTypes()))
    if (failed(check("argument", number, type, program.getArgAttrDict(number))))
      return failure();
  for (auto [number, type] : llvm::enumerate(program.getResultTypes()))
    if (failed(
            check("result", number, type, program.getResultAttrDict(number))))
      return failure();
  return success();
}

/// (tensors) -> tensors becomes (rank, memrefs, result memrefs) -> ().
void RuntimeProgram::lowerSignature(bool isBody,
                                    const llvm::BitVector &inPlace) {
  Block &body = program.front();
  unsigned numInputs = body.getNumArguments();
  SmallVector<Type> types = {pointer};
  b.setInsertionPointToStart(&body);
  for (unsigned number = 0; number < numInputs; ++number) {
    if (!isBody)
      inputs.push_back(describeTensor(program.getArgAttrDict(number)));
    BlockArgument argument = body.getArgument(number);
    MemRefType type = memrefOf(argument.getType());
    types.push_back(type);
    auto tensor = bufferization::ToTensorOp::create(
        b, loc, argument.getType(), argument, /*restrict=*/true,
        /*writable=*/number < inPlace.size() && inPlace.test(number));
    argument.replaceAllUsesExcept(tensor.getResult(), tensor);
    argument.setType(type);
  }
  rank = body.insertArgument(0u, pointer, loc);
  func::FuncOp getDevice =
      declare("tapestry_rt_device", {pointer}, {b.getI64Type()});
  b.setInsertionPointToStart(&body);
  Value number = call(loc, getDevice, rank).getResult(0);
  device = arith::IndexCastOp::create(b, loc, b.getIndexType(), number);

  auto exit = cast<func::ReturnOp>(body.getTerminator());
  for (auto [number, result] : llvm::enumerate(exit.getOperands())) {
    if (!isBody)
      outputs.push_back(describeTensor(program.getResultAttrDict(number)));
    if (number < inPlace.size() && inPlace.test(number)) {
      resultBuffers.push_back(body.getArgument(1 + number));
      continue;
    }
    MemRefType type = memrefOf(result.getType());
    types.push_back(type);
    resultBuffers.push_back(body.addArgument(type, loc));
  }
  program.removeArgAttrsAttr();
  program.removeResAttrsAttr();
  program.setFunctionType(b.getFunctionType(types, {}));
  program.setPrivate();
  // The runtime, and whoever runs a loop, gives every input and every result
  // memory of its own.
  SmallVector<Attribute> distinct(
      types.size(),
      b.getDictionaryAttr(b.getNamedAttr(
          LLVM::LLVMDialect::getNoAliasAttrName(), b.getUnitAttr())));
  distinct.front() = b.getDictionaryAttr({});
  program.setArgAttrsAttr(b.getArrayAttr(distinct));
}

/// The sizes of a device's part that are not static.
static SmallVector<Value> dynamicSizes(OpBuilder &b, Location loc,
                                       ShapedType type,
                                       index::LayoutAttr layout, Value device) {
  SmallVector<Value> sizes;
  if (type.hasStaticShape())
    return sizes;
  auto part = index::PartOp::create(b, loc, layout, device);
  unsigned rank = type.getRank();
  for (unsigned dim = 0; dim < rank; ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(arith::SubIOp::create(b, loc, part.getResult(2 * dim + 1),
                                            part.getResult(2 * dim)));
  return sizes;
}

Value RuntimeProgram::allocatePart(Location loc, RankedTensorType type,
                                   index::LayoutAttr layout) {
  return memref::AllocOp::create(b, loc, memrefOf(type),
                                 dynamicSizes(b, loc, type, layout, device),
                                 b.getI64IntegerAttr(64));
}

/// Memory for parts of these layouts, one after another, and each of them in
/// it.
std::pair<Value, SmallVector<Value>>
RuntimeProgram::allocateParts(Location loc, TypeRange types,
                              ArrayRef<index::LayoutAttr> layouts) {
  SmallVector<Value> offsets;
  SmallVector<SmallVector<OpFoldResult>> sizes;
  Value elements = arith::ConstantIndexOp::create(b, loc, 0);
  for (auto [each, layout] : llvm::zip_equal(types, layouts)) {
    auto type = cast<RankedTensorType>(each);
    SmallVector<Value> dynamic = dynamicSizes(b, loc, type, layout, device);
    sizes.push_back(getMixedValues(type.getShape(), dynamic, b));
    Value volume = arith::ConstantIndexOp::create(b, loc, 1);
    for (OpFoldResult size : sizes.back())
      volume = b.createOrFold<arith::MulIOp>(
          loc, volume, getValueOrCreateConstantIndexOp(b, loc, size));
    offsets.push_back(elements);
    elements = b.createOrFold<arith::AddIOp>(loc, elements, volume);
  }
  Type element = cast<RankedTensorType>(types.front()).getElementType();
  auto all = memref::AllocOp::create(
      b, loc, MemRefType::get({ShapedType::kDynamic}, element), elements,
      b.getI64IntegerAttr(64));
  SmallVector<Value> parts;
  for (auto [each, offset, shape] : llvm::zip_equal(types, offsets, sizes)) {
    auto type = cast<RankedTensorType>(each);
    SmallVector<OpFoldResult> strides(shape.size(), b.getIndexAttr(1));
    for (unsigned dim = strides.size() - 1; dim > 0; --dim) {
      Value inner = getValueOrCreateConstantIndexOp(b, loc, strides[dim]);
      Value size = getValueOrCreateConstantIndexOp(b, loc, shape[dim]);
      strides[dim - 1] =
          getAsOpFoldResult(b.createOrFold<arith::MulIOp>(loc, inner, size));
    }
    SmallVector<int64_t> known;
    for (OpFoldResult stride : strides)
      known.push_back(
          getConstantIntValue(stride).value_or(ShapedType::kDynamic));
    auto layout =
        StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic, known);
    parts.push_back(memref::ReinterpretCastOp::create(
        b, loc, MemRefType::get(type.getShape(), element, layout), all,
        OpFoldResult(offset), shape, strides));
  }
  return {all, parts};
}

/// A function (rank, number, first, second) that calls the runtime's of that
/// name with the buffers' addresses.
func::FuncOp RuntimeProgram::runtimeCall(StringRef runtime, StringRef name,
                                         MemRefType first, MemRefType second) {
  Type number = b.getI64Type();
  func::FuncOp run = declare(runtime, {pointer, number, pointer, pointer}, {});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(module.getBody());
  auto made = func::FuncOp::create(
      b, loc, name, b.getFunctionType({pointer, number, first, second}, {}));
  made.setPrivate();
  made->setAttr(deviceAttrName, b.getUnitAttr());
  Block *body = made.addEntryBlock();
  b.setInsertionPointToStart(body);
  call(loc, run,
       {body->getArgument(0), body->getArgument(1),
        pointerTo(b, loc, body->getArgument(2)),
        pointerTo(b, loc, body->getArgument(3))});
  func::ReturnOp::create(b, loc);
  return made;
}

/// A function acc = acc ⊕ in over contiguous elements; one per distinct ⊕.
FlatSymbolRefAttr RuntimeProgram::emitCombine(comm::CollectiveOpInterface op,
                                              Type element) {
  auto type = MemRefType::get({ShapedType::kDynamic}, element);
  OpBuilder::InsertionGuard guard(b);
  auto func = func::FuncOp::create(
      loc, ("combine." + name + "." + Twine(combines.size())).str(),
      b.getFunctionType({type, type}, {}));
  func->setAttr(deviceAttrName, b.getUnitAttr());
  // The runtime combines where the host can.
  func->setAttr(hostAttrName, b.getUnitAttr());
  Block *body = func.addEntryBlock();
  b.setInsertionPointToStart(body);
  AffineMap identity = b.getMultiDimIdentityMap(1);
  linalg::GenericOp::create(
      b, loc, ValueRange{body->getArgument(1)},
      ValueRange{body->getArgument(0)}, ArrayRef<AffineMap>{identity, identity},
      ArrayRef<utils::IteratorType>{utils::IteratorType::parallel},
      [&](OpBuilder &inner, Location innerLoc, ValueRange arguments) {
        linalg::YieldOp::create(
            inner, innerLoc,
            emitCombined(inner, innerLoc, op, arguments[1], arguments[0]));
      });
  func::ReturnOp::create(b, loc);
  for (func::FuncOp known : combines)
    if (OperationEquivalence::isRegionEquivalentTo(
            &known.getBody(), &func.getBody(),
            OperationEquivalence::IgnoreLocations)) {
      func.erase();
      return FlatSymbolRefAttr::get(known);
    }
  module.push_back(func);
  combines.push_back(func);
  return FlatSymbolRefAttr::get(func);
}

/// A result that only leaves the program is put where it is wanted.
Value RuntimeProgram::bufferFor(Value result, index::LayoutAttr layout) {
  if (result.hasOneUse() && isa<func::ReturnOp>(*result.user_begin()))
    return resultBuffers[result.use_begin()->getOperandNumber()];
  return allocatePart(result.getLoc(), cast<RankedTensorType>(result.getType()),
                      layout);
}

void RuntimeProgram::lowerCollective(comm::CollectiveOpInterface op) {
  Location loc = op.getLoc();
  Value source = op.getSource();
  auto sourceType = cast<RankedTensorType>(source.getType());
  b.setInsertionPoint(op);
  SmallVector<index::LayoutAttr> received = op.getReceived();
  Value target;
  SmallVector<Value> parts;
  if (received.size() == 1) {
    target = bufferFor(op.getParts().front(), received.front());
    parts.push_back(target);
  } else {
    std::tie(target, parts) =
        allocateParts(loc, op.getParts().getTypes(), received);
  }
  Value from = bufferization::ToBufferOp::create(b, loc, memrefOf(sourceType),
                                                 source, /*read_only=*/true);
  MemRefType fromType = memrefOf(sourceType);
  auto toType = cast<MemRefType>(target.getType());
  size_t known = collectiveCalls.size();
  func::FuncOp &callee = collectiveCalls[{fromType, toType}];
  if (!callee)
    callee = runtimeCall("tapestry_rt_collective",
                         ("collective." + name + "." + Twine(known)).str(),
                         fromType, toType);
  Value number = arith::ConstantOp::create(
      b, loc, b.getI64IntegerAttr(collectives.size()));

  // One strip is a target like others, unless corners of it stay away.
  bool isCross = op.getTo().getLayout().isCross();
  index::LayoutAttr to =
      received.size() == 1 && !isCross ? received.front() : op.getTo();
  SmallVector<NamedAttribute> entry = {
      b.getNamedAttr(program::vertex, b.getStringAttr(op.getVertex())),
      b.getNamedAttr(program::kind,
                     b.getStringAttr(stringifyCollective(op.getKind()))),
      b.getNamedAttr(program::type, TypeAttr::get(sourceType.getElementType())),
      b.getNamedAttr(program::from, op.getFrom()),
      b.getNamedAttr(program::to, to),
      b.getNamedAttr(program::bytes,
                     b.getI64IntegerAttr(op.getPredictedBytes()))};
  if (received.size() > 1 || received.front() != to)
    entry.push_back(b.getNamedAttr(
        program::rims,
        b.getArrayAttr(llvm::to_vector_of<Attribute>(received))));
  if (auto monoid = op.getReduction()) {
    entry.push_back(b.getNamedAttr(
        program::combine, emitCombine(op, sourceType.getElementType())));
    entry.push_back(b.getNamedAttr(
        program::monoid, index::MonoidAttr::get(b.getContext(), *monoid)));
  }
  collectives.push_back(b.getDictionaryAttr(entry));

  call(loc, callee, {rank, number, from, target});
  for (auto [result, part] : llvm::zip_equal(op.getParts(), parts))
    result.replaceAllUsesWith(bufferization::ToTensorOp::create(
        b, loc, result.getType(), part, /*restrict=*/true, /*writable=*/true));
  dropToken(op.getToken());
  op.erase();
}

void RuntimeProgram::lowerRequire(index::RequireOp op) {
  Location loc = op.getLoc();
  b.setInsertionPoint(op);
  MemRefType type = memrefOf(op.getFirst().getType());
  SmallVector<Value> arguments = {
      rank, arith::ConstantOp::create(
                b, loc, b.getI64IntegerAttr(requirements.size()))};
  for (Value scalar : {op.getFirst(), op.getValue()})
    arguments.push_back(bufferization::ToBufferOp::create(b, loc, type, scalar,
                                                          /*read_only=*/true));
  NamedAttrList said;
  said.append(program::place, op.getPlaceAttr());
  said.append(program::index, op.getIndexAttr());
  said.append(program::shape, op.getShapeAttr());
  said.append(program::bound, op.getBoundAttr());
  if (op.getUnsignedValue())
    said.append(program::unsignedValue, op.getUnsignedValueAttr());
  requirements.push_back(said.getDictionary(b.getContext()));
  if (!requireCall)
    requireCall =
        runtimeCall("tapestry_rt_require", "require." + name, type, type);
  call(loc, requireCall, arguments);
  op.erase();
}

void RuntimeProgram::lowerSlice(comm::SliceOp op) {
  Location loc = op.getLoc();
  b.setInsertionPoint(op);
  auto type = cast<RankedTensorType>(op.getResult().getType());
  unsigned rank = type.getRank();
  auto from = index::PartOp::create(b, loc, op.getFrom(), device);
  auto to = index::PartOp::create(b, loc, op.getTo(), device);
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  SmallVector<OpFoldResult> offsets, sizes;
  SmallVector<OpFoldResult> strides(rank, b.getIndexAttr(1));
  for (unsigned dim = 0; dim < rank; ++dim) {
    // An empty part starts anywhere; never before the source.
    Value offset = arith::SubIOp::create(b, loc, to.getResult(2 * dim),
                                         from.getResult(2 * dim));
    offsets.push_back(Value(arith::MaxSIOp::create(b, loc, offset, zero)));
    if (type.isDynamicDim(dim))
      sizes.push_back(Value(arith::SubIOp::create(
          b, loc, to.getResult(2 * dim + 1), to.getResult(2 * dim))));
    else
      sizes.push_back(b.getIndexAttr(type.getDimSize(dim)));
  }
  Value slice = tensor::ExtractSliceOp::create(b, loc, type, op.getSource(),
                                               offsets, sizes, strides);
  op.getResult().replaceAllUsesWith(slice);
  op.erase();
}

/// The function that the runtime calls: builds the memrefs around its pointers.
func::FuncOp RuntimeProgram::emitEntry(unsigned numInputs) {
  b.setInsertionPointToEnd(module.getBody());
  auto entry =
      func::FuncOp::create(b, loc, "tapestry_entry." + name,
                           b.getFunctionType({pointer, pointer, pointer}, {}));
  entry->setAttr(deviceAttrName, b.getUnitAttr());
  Block *body = entry.addEntryBlock();
  b.setInsertionPointToStart(body);
  Value rank = body->getArgument(0);
  func::FuncOp getDevice =
      declare("tapestry_rt_device", {pointer}, {b.getI64Type()});
  Value number = call(loc, getDevice, rank).getResult(0);
  Value device = arith::IndexCastOp::create(b, loc, b.getIndexType(), number);

  SmallVector<Value> arguments = {rank};
  for (auto [position, layout] : llvm::enumerate(layouts)) {
    bool isInput = position < numInputs;
    auto type = cast<MemRefType>(program.getArgumentTypes()[position + 1]);
    int64_t slot = isInput ? position : position - numInputs;
    Value address = LLVM::GEPOp::create(
        b, loc, pointer, pointer, body->getArgument(isInput ? 1 : 2),
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(slot)});
    Value data = LLVM::LoadOp::create(b, loc, pointer, address);
    arguments.push_back(bufferAt(b, loc, data, type,
                                 dynamicSizes(b, loc, type, layout, device)));
  }
  call(loc, program, arguments);
  func::ReturnOp::create(b, loc);
  return entry;
}

/// Puts the results where the caller wants them, but for those received there.
void RuntimeProgram::storeResults() {
  auto exit = cast<func::ReturnOp>(program.front().getTerminator());
  b.setInsertionPoint(exit);
  for (auto [buffer, result] : llvm::zip(resultBuffers, exit.getOperands())) {
    auto received = result.getDefiningOp<bufferization::ToTensorOp>();
    if (received && received.getBuffer() == buffer)
      continue;
    auto store = bufferization::MaterializeInDestinationOp::create(
        b, exit.getLoc(), Type(), result, buffer, /*restrict=*/true,
        /*writable=*/true);
    (void)store;
  }
  func::ReturnOp::create(b, exit.getLoc());
  exit.erase();
}

void RuntimeProgram::lowerOps() {
  lowerAwaits();
  for (Operation &op : llvm::make_early_inc_range(program.front())) {
    if (auto slice = dyn_cast<comm::SliceOp>(op)) {
      lowerSlice(slice);
    } else if (auto require = dyn_cast<index::RequireOp>(op)) {
      lowerRequire(require);
    } else if (auto sort = dyn_cast<index::SortOp>(op)) {
      lowerSort(sort);
    } else if (auto block = dyn_cast<index::CallBlockOp>(op)) {
      lowerBlockCall(block);
    } else if (auto constant = dyn_cast<index::ConstantOp>(op)) {
      lowerConstant(constant);
    } else if (auto point = dyn_cast<comm::PointOp>(op)) {
      lowerPoint(point);
    } else if (auto handOut = dyn_cast<comm::HandOutOp>(op)) {
      lowerHandOut(handOut);
    } else if (auto takeIn = dyn_cast<comm::TakeInOp>(op)) {
      lowerTakeIn(takeIn);
    } else if (auto query = dyn_cast<comm::DeviceOp>(op)) {
      query.getResult().replaceAllUsesWith(device);
      query.erase();
    } else if (auto loop = dyn_cast<comm::LoopOp>(op)) {
      lowerLoop(loop);
    } else if (auto collective = dyn_cast<comm::CollectiveOpInterface>(op)) {
      lowerCollective(collective);
    }
  }
}

FailureOr<DictionaryAttr> RuntimeProgram::lower() {
  auto grid = program->getAttrOfType<index::GridAttr>("comm.grid");
  auto vertices = program->getAttrOfType<ArrayAttr>("comm.vertices");
  if (!grid || !vertices)
    return program.emitError("lacks the attributes 'comm.grid' and "
                             "'comm.vertices' of a device program");
  if (failed(verifyDeviceProgram()))
    return failure();
  unsigned numInputs = program.getNumArguments();
  lowerSignature(/*isBody=*/false);
  lowerOps();
  storeResults();
  auto unread = program->getAttrOfType<ArrayAttr>("comm.unread_inputs");
  program->removeAttr("comm.unread_inputs");
  program->removeAttr("comm.grid");
  program->removeAttr("comm.vertices");
  program.setSymName("device_program." + name);
  program->setAttr(deviceAttrName, b.getUnitAttr());

  NamedAttrList description(
      {b.getNamedAttr(program::name, b.getStringAttr(name)),
       b.getNamedAttr(program::devices,
                      b.getI64IntegerAttr(grid.getDeviceGrid().numDevices())),
       b.getNamedAttr(program::entry,
                      FlatSymbolRefAttr::get(emitEntry(numInputs))),
       b.getNamedAttr(program::body, FlatSymbolRefAttr::get(program)),
       b.getNamedAttr(program::inputs, b.getArrayAttr(inputs)),
       b.getNamedAttr(program::outputs, b.getArrayAttr(outputs)),
       b.getNamedAttr(program::collectives, b.getArrayAttr(collectives)),
       b.getNamedAttr(program::vertices, vertices)});
  if (unread)
    description.set(program::unreadInputs, unread);
  if (!requirements.empty())
    description.set(program::requirements, b.getArrayAttr(requirements));
  return description.getDictionary(b.getContext());
}

namespace {
struct ConvertCommToRuntime
    : tapestry::impl::ConvertCommToRuntimeBase<ConvertCommToRuntime> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    // Programs that were lowered before stay described.
    FailureOr<SmallVector<DictionaryAttr>> programs =
        program::readAll(module, {program::name});
    if (failed(programs))
      return signalPassFailure();
    for (func::FuncOp function :
         llvm::to_vector(module.getOps<func::FuncOp>())) {
      if (!function->hasAttr("comm.grid"))
        continue;
      if (llvm::any_of(*programs, [&](DictionaryAttr known) {
            return known.get(program::name) == function.getSymNameAttr();
          })) {
        function.emitError("'comm.programs' names a program ")
            << function.getSymNameAttr() << " already";
        return signalPassFailure();
      }
      FailureOr<DictionaryAttr> description =
          RuntimeProgram(module, function).lower();
      if (failed(description))
        return signalPassFailure();
      programs->push_back(*description);
    }
    if (!programs->empty())
      module->setAttr(program::attribute,
                      ArrayAttr::get(&getContext(),
                                     llvm::to_vector_of<Attribute>(*programs)));
  }
};
} // namespace

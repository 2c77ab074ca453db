//===- OutlineLaunches.cpp - What runs on the GPU as a module -------------===//
//
// Of what a launch uses from outside, constants are copied, buffers become
// pointers (with what of their type is not known), and numbers stay.
//
//===----------------------------------------------------------------------===//

#include "DeviceModule.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/FunctionCallUtils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Transforms/RegionUtils.h"
#include "tapestry/Codegen/Common/Buffers.h"
#include "tapestry/Codegen/Common/DeviceCode.h"
#include "tapestry/Codegen/GPU/Passes.h"

using namespace mlir;

namespace tapestry {

#define GEN_PASS_DEF_OUTLINELAUNCHES
#include "tapestry/Codegen/GPU/Passes.h.inc"

namespace {

struct OutlineLaunches : public impl::OutlineLaunchesBase<OutlineLaunches> {
  using OutlineLaunchesBase::OutlineLaunchesBase;

  void runOnOperation() override;
  void outline(gpu::LaunchOp launch, StringRef from);
  Value pass(OpBuilder &host, OpBuilder &device, Block &entry, Value value);
  void call(gpu::LaunchOp launch, int64_t number);
  LogicalResult copyConstant(memref::GetGlobalOp op);
  LogicalResult readFromHost(func::FuncOp function);
  LogicalResult fetch(memref::LoadOp load);

  gpu::GPUModuleOp device;
  int64_t numNames = 0;
  /// What the launch at hand passes.
  SmallVector<Value> arguments;
};

/// Hands `value` over; returns what stands for it there.
Value OutlineLaunches::pass(OpBuilder &host, OpBuilder &device, Block &entry,
                            Value value) {
  Location loc = value.getLoc();
  // Arguments come before those that stand for the block's memory.
  auto hand = [&](Value part) -> Value {
    arguments.push_back(part);
    return entry.insertArgument(static_cast<unsigned>(arguments.size() - 1),
                                part.getType(), loc);
  };
  auto type = dyn_cast<MemRefType>(value.getType());
  if (!type)
    return hand(value);
  SmallVector<int64_t> strides;
  int64_t offset;
  (void)type.getStridesAndOffset(strides, offset);
  Value address =
      memref::ExtractAlignedPointerAsIndexOp::create(host, loc, value);
  address = arith::IndexCastOp::create(host, loc, host.getI64Type(), address);
  auto pointerType = LLVM::LLVMPointerType::get(&getContext());
  Value pointer =
      hand(LLVM::IntToPtrOp::create(host, loc, pointerType, address));
  // Of flat views nobody asks for the size.
  bool isFlat = type.getRank() == 1 && type.getLayout().isIdentity();
  memref::ExtractStridedMetadataOp metadata;
  if (!isFlat && (!type.hasStaticShape() || ShapedType::isDynamic(offset) ||
                  llvm::is_contained(strides, ShapedType::kDynamic)))
    metadata = memref::ExtractStridedMetadataOp::create(host, loc, value);
  auto number = [&](int64_t known, auto run) -> OpFoldResult {
    if (!ShapedType::isDynamic(known))
      return device.getIndexAttr(known);
    return isFlat
               ? OpFoldResult(
                     arith::ConstantIndexOp::create(device, loc, 1).getResult())
               : OpFoldResult(hand(run()));
  };
  OpFoldResult start =
      number(offset, [&]() -> Value { return metadata.getOffset(); });
  SmallVector<OpFoldResult> sizes, steps;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    sizes.push_back(number(type.getDimSize(dim), [&]() -> Value {
      return metadata.getSizes()[dim];
    }));
    steps.push_back(number(
        strides[dim], [&]() -> Value { return metadata.getStrides()[dim]; }));
  }
  return bufferAt(device, loc, pointer, type, start, sizes, steps);
}

void OutlineLaunches::outline(gpu::LaunchOp launch, StringRef from) {
  Location loc = launch.getLoc();
  // PTX has no dots in names.
  std::string name = (from + "_" + Twine(numNames)).str();
  llvm::replace(name, '.', '_');
  OpBuilder b = OpBuilder::atBlockEnd(device.getBody());
  SmallVector<Type> shared;
  for (BlockArgument memory : launch.getWorkgroupAttributions())
    shared.push_back(memory.getType());
  auto function =
      gpu::GPUFuncOp::create(b, loc, name, b.getFunctionType({}, {}), shared);
  function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  auto threads = getConstantIntValue(launch.getBlockSizeX());
  if (threads)
    function.setKnownBlockSizeAttr(
        b.getDenseI32ArrayAttr({static_cast<int32_t>(*threads), 1, 1}));

  Block &entry = function.getBody().front();
  IRMapping mapping;
  b.setInsertionPointToStart(&entry);
  OpBuilder host(launch);
  llvm::SetVector<Value> outside;
  getUsedValuesDefinedAbove(launch.getBody(), outside);
  arguments.clear();
  for (Value value : outside) {
    Operation *definition = value.getDefiningOp();
    if (definition && definition->hasTrait<OpTrait::ConstantLike>()) {
      mapping.map(value, b.clone(*definition)->getResult(0));
      continue;
    }
    mapping.map(value, pass(host, b, entry, value));
  }
  SmallVector<Type> types;
  for (Value argument : arguments)
    types.push_back(argument.getType());
  function.setFunctionType(b.getFunctionType(types, {}));

  auto identify = [&](const gpu::KernelDim3 &ids, auto make) {
    for (auto [dimension, id] : llvm::zip_equal(
             ArrayRef{gpu::Dimension::x, gpu::Dimension::y, gpu::Dimension::z},
             ArrayRef<Value>{ids.x, ids.y, ids.z}))
      if (!id.use_empty())
        mapping.map(id, make(dimension));
  };
  identify(launch.getBlockIds(), [&](gpu::Dimension d) -> Value {
    return gpu::BlockIdOp::create(b, loc, d);
  });
  identify(launch.getThreadIds(), [&](gpu::Dimension d) -> Value {
    return gpu::ThreadIdOp::create(b, loc, d);
  });
  for (auto [from, to] : llvm::zip_equal(launch.getWorkgroupAttributions(),
                                         function.getWorkgroupAttributions()))
    mapping.map(from, to);
  for (Operation &op : launch.getBody().front().without_terminator())
    b.clone(op, mapping);
  gpu::ReturnOp::create(b, loc);
  call(launch, numNames++);
  launch.erase();
}

/// A call of the runtime with the addresses of all arguments.
void OutlineLaunches::call(gpu::LaunchOp launch, int64_t number) {
  OpBuilder b(launch);
  Location loc = launch.getLoc();
  auto function = launch->getParentOfType<func::FuncOp>();
  auto pointer = LLVM::LLVMPointerType::get(&getContext());
  Type word = b.getI64Type();
  SmallVector<Type> fields;
  for (Value &argument : arguments) {
    if (argument.getType().isIndex())
      argument = arith::IndexCastOp::create(b, loc, word, argument);
    fields.push_back(argument.getType());
  }
  size_t count = std::max<size_t>(fields.size(), 1);
  auto structure = LLVM::LLVMStructType::getLiteral(&getContext(), fields);
  auto table = LLVM::LLVMArrayType::get(pointer, count);
  Value values, addresses;
  {
    // Once per call, though a loop may launch.
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&function.front());
    Value one = LLVM::ConstantOp::create(b, loc, b.getI64IntegerAttr(1));
    values = LLVM::AllocaOp::create(b, loc, pointer, structure, one);
    addresses = LLVM::AllocaOp::create(b, loc, pointer, table, one);
  }
  for (auto [at, argument] : llvm::enumerate(arguments)) {
    auto place = static_cast<int32_t>(at);
    Value field = LLVM::GEPOp::create(b, loc, pointer, structure, values,
                                      ArrayRef<LLVM::GEPArg>{0, place});
    LLVM::StoreOp::create(b, loc, argument, field);
    LLVM::StoreOp::create(
        b, loc, field,
        LLVM::GEPOp::create(b, loc, pointer, table, addresses,
                            ArrayRef<LLVM::GEPArg>{0, place}));
  }
  auto asWord = [&](Value size) -> Value {
    return arith::IndexCastOp::create(b, loc, word, size);
  };
  Value none = LLVM::ZeroOp::create(b, loc, pointer);
  Value code = LLVM::AddressOfOp::create(b, loc, pointer, deviceCodeName);
  FailureOr<LLVM::LLVMFuncOp> callee =
      LLVM::lookupOrCreateFn(b, getOperation(), "tapestry_rt_launch",
                             {pointer, pointer, word, word, word, pointer},
                             LLVM::LLVMVoidType::get(&getContext()));
  if (failed(callee))
    return signalPassFailure();
  LLVM::CallOp::create(
      b, loc, *callee,
      ValueRange{none, code,
                 LLVM::ConstantOp::create(b, loc, b.getI64IntegerAttr(number)),
                 asWord(launch.getGridSizeX()), asWord(launch.getBlockSizeX()),
                 addresses});
}

/// A number that the host needs to go on.
LogicalResult OutlineLaunches::fetch(memref::LoadOp load) {
  OpBuilder b(load);
  Location loc = load.getLoc();
  MemRefType type = load.getMemRefType();
  if (!type.getElementType().isIntOrFloat() || !load.getIndices().empty())
    return load.emitError("reads the device's memory from the host, for which "
                          "the target 'cuda' has no code");
  auto pointer = LLVM::LLVMPointerType::get(&getContext());
  Value address =
      memref::ExtractAlignedPointerAsIndexOp::create(b, loc, load.getMemRef());
  address = arith::IndexCastOp::create(b, loc, b.getI64Type(), address);
  Value from = LLVM::IntToPtrOp::create(b, loc, pointer, address);
  Value to;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&load->getParentOfType<func::FuncOp>().front());
    Value one = LLVM::ConstantOp::create(b, loc, b.getI64IntegerAttr(1));
    to = LLVM::AllocaOp::create(b, loc, pointer, type.getElementType(), one);
  }
  int64_t bytes =
      llvm::divideCeil(type.getElementType().getIntOrFloatBitWidth(), 8);
  FailureOr<LLVM::LLVMFuncOp> callee =
      LLVM::lookupOrCreateFn(b, getOperation(), "tapestry_rt_fetch",
                             {pointer, pointer, pointer, b.getI64Type()},
                             LLVM::LLVMVoidType::get(&getContext()));
  if (failed(callee))
    return failure();
  LLVM::CallOp::create(
      b, loc, *callee,
      ValueRange{LLVM::ZeroOp::create(b, loc, pointer), to, from,
                 LLVM::ConstantOp::create(b, loc, b.getI64IntegerAttr(bytes))});
  load.replaceAllUsesWith(
      LLVM::LoadOp::create(b, loc, type.getElementType(), to).getResult());
  load.erase();
  return success();
}

/// The device has constants of its own.
LogicalResult OutlineLaunches::copyConstant(memref::GetGlobalOp op) {
  OpBuilder b(op);
  b.setInsertionPointAfter(op);
  Location loc = op.getLoc();
  MemRefType type = op.getType();
  auto pointer = LLVM::LLVMPointerType::get(&getContext());
  std::optional<int64_t> element = storedBytes(type.getElementType());
  if (!element || !type.hasStaticShape() || !type.getLayout().isIdentity())
    return op.emitError("is a constant that the target 'cuda' has no copy of");
  Value address = memref::ExtractAlignedPointerAsIndexOp::create(b, loc, op);
  Operation *own = address.getDefiningOp();
  address = arith::IndexCastOp::create(b, loc, b.getI64Type(), address);
  FailureOr<LLVM::LLVMFuncOp> callee =
      LLVM::lookupOrCreateFn(b, getOperation(), "tapestry_rt_constant",
                             {pointer, pointer, b.getI64Type()}, pointer);
  if (failed(callee))
    return failure();
  Value copy =
      LLVM::CallOp::create(
          b, loc, *callee,
          ValueRange{
              LLVM::ZeroOp::create(b, loc, pointer),
              LLVM::IntToPtrOp::create(b, loc, pointer, address),
              LLVM::ConstantOp::create(
                  b, loc,
                  b.getI64IntegerAttr(*element * type.getNumElements()))})
          .getResult();
  SmallVector<int64_t> strides;
  int64_t offset;
  (void)type.getStridesAndOffset(strides, offset);
  Value buffer =
      bufferAt(b, loc, copy, type, b.getIndexAttr(0),
               getAsIndexOpFoldResult(&getContext(), type.getShape()),
               getAsIndexOpFoldResult(&getContext(), strides));
  op.getResult().replaceAllUsesExcept(buffer, own);
  return success();
}

LogicalResult OutlineLaunches::readFromHost(func::FuncOp function) {
  auto result = function.walk([&](Operation *op) {
    if (auto load = dyn_cast<memref::LoadOp>(op))
      return WalkResult(fetch(load));
    if (isa<memref::StoreOp>(op))
      return WalkResult(op->emitError()
                        << "'" << op->getName()
                        << "' of the host's part has no code for the target "
                           "'cuda', whose tensors lie in the device's memory");
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

void OutlineLaunches::runOnOperation() {
  ModuleOp module = getOperation();
  SmallVector<func::FuncOp> functions;
  for (auto function : module.getOps<func::FuncOp>())
    if (isDeviceCode(function) && !isHostCode(function) &&
        !function.isDeclaration())
      functions.push_back(function);
  if (functions.empty())
    return;
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  numNames = 0;
  device = gpu::GPUModuleOp::create(b, module.getLoc(), deviceModuleName);
  module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                  b.getUnitAttr());
  // The table is filled in when there are images.
  b.setInsertionPointToStart(module.getBody());
  LLVM::GlobalOp::create(b, module.getLoc(),
                         LLVM::LLVMPointerType::get(&getContext()),
                         /*isConstant=*/true, LLVM::Linkage::External,
                         deviceCodeName, Attribute());
  for (func::FuncOp function : functions) {
    SmallVector<memref::GetGlobalOp> constants;
    function.walk([&](memref::GetGlobalOp op) { constants.push_back(op); });
    for (memref::GetGlobalOp op : constants)
      if (failed(copyConstant(op)))
        return signalPassFailure();
    SmallVector<gpu::LaunchOp> launches;
    function.walk([&](gpu::LaunchOp launch) { launches.push_back(launch); });
    for (gpu::LaunchOp launch : launches)
      outline(launch, function.getName());
    if (failed(readFromHost(function)))
      return signalPassFailure();
  }
  numKernels += numNames;
}

} // namespace
} // namespace tapestry

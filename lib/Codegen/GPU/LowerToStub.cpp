//===- LowerToStub.cpp - What the GPU runs, for this machine --------------===//
//
// For tests where no GPU is: the same functions, which ask the tests' driver
// (test/lib/CUDAStub) which thread they are. A function takes what a launch
// takes, the addresses of its arguments.
//
//===----------------------------------------------------------------------===//

#include "DeviceModule.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/FunctionCallUtils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "tapestry/Codegen/CPU/Passes.h"
#include "tapestry/Codegen/Common/Buffers.h"
#include "tapestry/Codegen/Common/DeviceCode.h"
#include "tapestry/Codegen/GPU/Passes.h"

using namespace mlir;

namespace tapestry {

#define GEN_PASS_DEF_LOWERTOSTUB
#include "tapestry/Codegen/GPU/Passes.h.inc"

namespace {

struct LowerToStub : public impl::LowerToStubBase<LowerToStub> {
  using LowerToStubBase::LowerToStubBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    LowerToStubBase::getDependentDialects(registry);
    createLowerKernelsToLLVM()->getDependentDialects(registry);
  }
  void runOnOperation() override;
  void build(gpu::GPUFuncOp kernel);
  void replace(Operation *op);
  void watch(LLVM::LLVMFuncOp function);
  void exchange(gpu::ShuffleOp op);
  void refuse(Operation *op) {
    op->emitError("has no form for the tests' driver");
    signalPassFailure();
  }
  Value call(OpBuilder &b, Location loc, StringRef name, TypeRange results,
             ValueRange operands);

  ModuleOp stub;
};

/// Calls a function of the driver.
Value LowerToStub::call(OpBuilder &b, Location loc, StringRef name,
                        TypeRange results, ValueRange operands) {
  if (!stub.lookupSymbol(name)) {
    auto function = func::FuncOp::create(
        loc, name, b.getFunctionType(operands.getTypes(), results));
    function.setPrivate();
    function->setAttr(deviceAttrName, b.getUnitAttr());
    stub.push_back(function);
  }
  auto made = func::CallOp::create(b, loc, name, results, operands);
  return results.empty() ? Value() : made.getResult(0);
}

/// Of words, with the thread of the warp whose number differs by so many bits.
void LowerToStub::exchange(gpu::ShuffleOp op) {
  OpBuilder b(op);
  if (op.getMode() != gpu::ShuffleMode::XOR ||
      !op.getValue().getType().isInteger(32))
    return refuse(op);
  op.getShuffleResult().replaceAllUsesWith(
      call(b, op.getLoc(), "tapestry_stub_shuffle", b.getI32Type(),
           {op.getValue(), op.getOffset()}));
}

void LowerToStub::replace(Operation *op) {
  OpBuilder b(op);
  Location loc = op->getLoc();
  auto number = [&](StringRef name) {
    Value word = call(b, loc, name, b.getI64Type(), {});
    op->getResult(0).replaceAllUsesWith(
        arith::IndexCastOp::create(b, loc, b.getIndexType(), word));
  };
  if (isa<gpu::ThreadIdOp>(op))
    number("tapestry_stub_thread");
  else if (isa<gpu::BlockIdOp>(op))
    number("tapestry_stub_block");
  else if (isa<gpu::BarrierOp>(op))
    call(b, loc, "tapestry_stub_barrier", {}, {});
  else if (auto shuffle = dyn_cast<gpu::ShuffleOp>(op))
    exchange(shuffle);
  else if (isa<gpu::ReturnOp>(op))
    func::ReturnOp::create(b, loc);
  else if (isa<gpu::GPUDialect>(op->getDialect()))
    return refuse(op);
  else
    return;
  op->erase();
}

void LowerToStub::build(gpu::GPUFuncOp kernel) {
  Location loc = kernel.getLoc();
  OpBuilder b(&getContext());
  auto pointer = LLVM::LLVMPointerType::get(&getContext());
  auto function = func::FuncOp::create(loc, kernel.getName(),
                                       b.getFunctionType({pointer}, {}));
  function->setAttr(deviceAttrName, b.getUnitAttr());
  stub.push_back(function);
  Block *entry = function.addEntryBlock();
  b.setInsertionPointToStart(entry);
  IRMapping mapping;
  for (auto [number, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    Type stored = type.isIndex() ? Type(b.getI64Type()) : type;
    Value place = LLVM::LoadOp::create(
        b, loc, pointer,
        LLVM::GEPOp::create(
            b, loc, pointer, pointer, entry->getArgument(0),
            ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(number)}));
    Value argument = LLVM::LoadOp::create(b, loc, stored, place);
    if (stored != type)
      argument = arith::IndexCastOp::create(b, loc, type, argument);
    mapping.map(kernel.getArgument(number), argument);
  }
  for (auto [number, memory] :
       llvm::enumerate(kernel.getWorkgroupAttributions())) {
    auto type = cast<MemRefType>(memory.getType());
    type = MemRefType::get(type.getShape(), type.getElementType());
    int64_t bytes =
        type.getNumElements() * storedBytes(type.getElementType()).value_or(8);
    auto word = [&](int64_t value) -> Value {
      return LLVM::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
    };
    Value at = call(b, loc, "tapestry_stub_shared", pointer,
                    {word(static_cast<int64_t>(number)), word(bytes)});
    SmallVector<OpFoldResult> sizes =
        getAsIndexOpFoldResult(&getContext(), type.getShape());
    SmallVector<OpFoldResult> strides(sizes.size(), b.getIndexAttr(1));
    mapping.map(memory,
                bufferAt(b, loc, at, type, b.getIndexAttr(0), sizes, strides));
  }
  for (Operation &op : kernel.getBody().front())
    b.clone(op, mapping);
  SmallVector<Operation *> ops;
  function.walk([&](Operation *op) {
    ops.push_back(op);
    // There is one kind of memory.
    for (Value result : op->getResults())
      if (auto type = dyn_cast<MemRefType>(result.getType()))
        result.setType(MemRefType::get(type.getShape(), type.getElementType(),
                                       type.getLayout()));
  });
  for (Operation *op : ops)
    replace(op);
}

/// What a pointer is a place behind: the buffer that a kernel was given, or
/// memory of its own.
static Value baseOf(Value pointer) {
  for (;;) {
    if (auto place = pointer.getDefiningOp<LLVM::GEPOp>()) {
      pointer = place.getBase();
      continue;
    }
    // The parts of a buffer go through a structure.
    auto part = pointer.getDefiningOp<LLVM::ExtractValueOp>();
    if (!part)
      return pointer;
    Value all = part.getContainer();
    auto put = all.getDefiningOp<LLVM::InsertValueOp>();
    while (put && put.getPosition() != part.getPosition()) {
      all = put.getContainer();
      put = all.getDefiningOp<LLVM::InsertValueOp>();
    }
    if (!put)
      return pointer;
    pointer = put.getValue();
  }
}

/// The place that an operation reads or writes, if it does. There are loads and
/// stores alone: what is neither would not be seen.
static FailureOr<Value> findAddress(Operation *op) {
  if (auto load = dyn_cast<LLVM::LoadOp>(op))
    return load.getAddr();
  if (auto store = dyn_cast<LLVM::StoreOp>(op))
    return store.getAddr();
  if (!isa<LLVM::CallOp, LLVM::AllocaOp>(op) && !isMemoryEffectFree(op))
    return op->emitError("touches memory in a way that is not watched");
  return Value();
}

/// Tells the driver what is read or written next, and of which buffer.
void LowerToStub::watch(LLVM::LLVMFuncOp function) {
  if (function.isExternal())
    return;
  SmallVector<std::pair<Operation *, Value>> accesses;
  Value arguments = function.getArgument(0);
  auto isOfLaunch = [&](Value base) {
    auto argument = base.getDefiningOp<LLVM::LoadOp>();
    return base == arguments ||
           (argument && baseOf(argument.getAddr()) == arguments);
  };
  function.walk([&](Operation *op) {
    if (op == function.getOperation())
      return;
    FailureOr<Value> address = findAddress(op);
    if (failed(address))
      return signalPassFailure();
    if (!*address)
      return;
    Value base = baseOf(*address);
    if (!isOfLaunch(base) && !base.getDefiningOp<LLVM::AllocaOp>())
      accesses.push_back({op, *address});
  });
  DataLayout layout(stub);
  Type word = IntegerType::get(&getContext(), 64);
  for (auto [op, address] : accesses) {
    OpBuilder b(op);
    Location loc = op->getLoc();
    auto store = dyn_cast<LLVM::StoreOp>(op);
    Type type = store ? store.getValue().getType() : op->getResult(0).getType();
    Type element = getElementTypeOrSelf(type);
    // A GPU reads what lies at multiples of its size.
    auto aligned = op->getAttrOfType<IntegerAttr>("alignment");
    int64_t alignment =
        aligned ? aligned.getInt()
                : static_cast<int64_t>(layout.getTypeABIAlignment(element));
    auto bytesOf = [&](Type of) {
      return static_cast<int64_t>(layout.getTypeSize(of).getFixedValue());
    };
    auto number = [&](int64_t value) -> Value {
      return LLVM::ConstantOp::create(b, loc, word, b.getI64IntegerAttr(value));
    };
    FailureOr<LLVM::LLVMFuncOp> callee = LLVM::lookupOrCreateFn(
        b, stub, "tapestry_stub_access",
        {address.getType(), address.getType(), word, word, word, word},
        LLVM::LLVMVoidType::get(&getContext()));
    if (failed(callee))
      return signalPassFailure();
    LLVM::CallOp::create(b, loc, *callee,
                         ValueRange{baseOf(address), address,
                                    number(bytesOf(type)),
                                    number(bytesOf(element)), number(alignment),
                                    number(store != nullptr)});
  }
}

void LowerToStub::runOnOperation() {
  if (!hasStub(archs))
    return;
  auto device = getOperation().lookupSymbol<gpu::GPUModuleOp>(deviceModuleName);
  if (!device)
    return;
  OpBuilder b = OpBuilder::atBlockEnd(getOperation().getBody());
  stub = ModuleOp::create(b, device.getLoc(), stubModuleName);
  for (auto kernel : device.getOps<gpu::GPUFuncOp>())
    build(kernel);
  OpPassManager pm(ModuleOp::getOperationName());
  pm.addPass(createLowerKernelsToLLVM());
  if (failed(runPipeline(pm, stub)))
    return signalPassFailure();
  for (auto function : llvm::to_vector(stub.getOps<LLVM::LLVMFuncOp>()))
    watch(function);
}

} // namespace
} // namespace tapestry

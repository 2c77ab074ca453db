//===- ShareKernels.cpp - Kernels on several threads ----------------------===//
//
// A kernel that asks for its share becomes two functions: its code, and one of
// its name that has the runtime call that on as many threads as it has. What
// the kernel was called with is handed over in memory of the caller's frame.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/LLVMIR/FunctionCallUtils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/SymbolTable.h"
#include "tapestry/Codegen/CPU/Passes.h"
#include "tapestry/Codegen/Common/DeviceCode.h"

using namespace mlir;

namespace tapestry {

#define GEN_PASS_DEF_SHAREKERNELS
#include "tapestry/Codegen/CPU/Passes.h.inc"

namespace {

struct ShareKernels : public impl::ShareKernelsBase<ShareKernels> {
  using ShareKernelsBase::ShareKernelsBase;

  void runOnOperation() override;

private:
  /// A private function of this type, before `kernel`, with an empty body.
  LLVM::LLVMFuncOp addFunction(LLVM::LLVMFuncOp kernel, const Twine &name,
                               LLVM::LLVMFunctionType type);
  void emitLaunch(LLVM::LLVMFuncOp launch, LLVM::LLVMFuncOp part,
                  LLVM::LLVMFuncOp parallel, Type arguments, int64_t work);
  void emitPart(LLVM::LLVMFuncOp part, LLVM::LLVMFuncOp kernel,
                LLVM::LLVMStructType arguments);
};

LLVM::LLVMFuncOp ShareKernels::addFunction(LLVM::LLVMFuncOp kernel,
                                           const Twine &name,
                                           LLVM::LLVMFunctionType type) {
  OpBuilder b(kernel);
  auto function = LLVM::LLVMFuncOp::create(b, kernel.getLoc(), name.str(), type,
                                           kernel.getLinkage());
  function.setPrivate();
  function->setAttr(deviceAttrName, b.getUnitAttr());
  function.addEntryBlock(b);
  return function;
}

/// Hands what it is called with to `parallel` as one structure.
void ShareKernels::emitLaunch(LLVM::LLVMFuncOp launch, LLVM::LLVMFuncOp part,
                              LLVM::LLVMFuncOp parallel, Type arguments,
                              int64_t work) {
  Location loc = launch.getLoc();
  Block &entry = launch.front();
  OpBuilder b = OpBuilder::atBlockEnd(&entry);
  auto pointer = LLVM::LLVMPointerType::get(&getContext());
  Value one = LLVM::ConstantOp::create(b, loc, b.getI64IntegerAttr(1));
  Value memory = LLVM::AllocaOp::create(b, loc, pointer, arguments, one);
  for (BlockArgument argument : entry.getArguments()) {
    Value field = LLVM::GEPOp::create(
        b, loc, pointer, arguments, memory,
        ArrayRef<LLVM::GEPArg>{0, int32_t(argument.getArgNumber())});
    LLVM::StoreOp::create(b, loc, argument, field);
  }
  Value code = LLVM::AddressOfOp::create(b, loc, part);
  Value nanoseconds =
      LLVM::ConstantOp::create(b, loc, b.getI64IntegerAttr(work));
  LLVM::CallOp::create(b, loc, parallel, ValueRange{code, memory, nanoseconds});
  LLVM::ReturnOp::create(b, loc, ValueRange());
}

/// Calls `kernel` with what the structure holds.
void ShareKernels::emitPart(LLVM::LLVMFuncOp part, LLVM::LLVMFuncOp kernel,
                            LLVM::LLVMStructType arguments) {
  Location loc = part.getLoc();
  Block &entry = part.front();
  OpBuilder b = OpBuilder::atBlockEnd(&entry);
  auto pointer = LLVM::LLVMPointerType::get(&getContext());
  SmallVector<Value> operands;
  for (auto [number, type] : llvm::enumerate(arguments.getBody())) {
    Value field =
        LLVM::GEPOp::create(b, loc, pointer, arguments, entry.getArgument(0),
                            ArrayRef<LLVM::GEPArg>{0, int32_t(number)});
    operands.push_back(LLVM::LoadOp::create(b, loc, type, field));
  }
  LLVM::CallOp::create(b, loc, kernel, operands);
  LLVM::ReturnOp::create(b, loc, ValueRange());
}

void ShareKernels::runOnOperation() {
  SmallVector<LLVM::LLVMFuncOp> kernels;
  for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>())
    if (isDeviceCode(function) && function->hasAttr(workAttrName))
      kernels.push_back(function);
  if (kernels.empty())
    return;
  OpBuilder b(&getContext());
  auto pointer = LLVM::LLVMPointerType::get(&getContext());
  auto none = LLVM::LLVMVoidType::get(&getContext());
  FailureOr<LLVM::LLVMFuncOp> parallel =
      LLVM::lookupOrCreateFn(b, getOperation(), "tapestry_rt_parallel",
                             {pointer, pointer, b.getI64Type()}, none);
  if (failed(parallel))
    return signalPassFailure();
  for (LLVM::LLVMFuncOp kernel : kernels) {
    auto work = cast<IntegerAttr>(kernel->removeAttr(workAttrName));
    auto arguments = LLVM::LLVMStructType::getLiteral(
        &getContext(), kernel.getFunctionType().getParams());
    std::string name = kernel.getName().str();
    kernel.setName(name + ".code");
    auto part = addFunction(kernel, name + ".part",
                            LLVM::LLVMFunctionType::get(none, {pointer}));
    emitPart(part, kernel, arguments);
    // Calls lead here by the name.
    auto launch = addFunction(kernel, name, kernel.getFunctionType());
    emitLaunch(launch, part, *parallel, arguments, work.getInt());
    ++numShared;
  }
}

} // namespace
} // namespace tapestry

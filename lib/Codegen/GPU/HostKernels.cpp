//===- HostKernels.cpp - Kernels of the host's functions ------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "tapestry/Codegen/Common/DeviceCode.h"
#include "tapestry/Codegen/GPU/Passes.h"

using namespace mlir;

namespace tapestry {

#define GEN_PASS_DEF_SPLITHOSTKERNELS
#include "tapestry/Codegen/GPU/Passes.h.inc"

namespace {

struct SplitHostKernels : public impl::SplitHostKernelsBase<SplitHostKernels> {
  using SplitHostKernelsBase::SplitHostKernelsBase;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    llvm::SmallDenseMap<Operation *, func::FuncOp> copies;
    SmallVector<func::FuncOp> functions;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (isDeviceCode(function) && isHostCode(function))
        functions.push_back(function);
    for (func::FuncOp function : functions)
      function.walk([&](func::CallOp call) {
        auto kernel = symbols.lookup<func::FuncOp>(call.getCallee());
        if (!kernel || !isKernel(kernel) || isHostCode(kernel))
          return;
        func::FuncOp &copy = copies[kernel];
        if (!copy) {
          copy = kernel.clone();
          copy.setName((kernel.getName() + ".host").str());
          copy->setAttr(hostAttrName, UnitAttr::get(&getContext()));
          symbols.insert(copy);
          ++numSplit;
        }
        call.setCallee(copy.getSymName());
      });
    for (auto &[kernel, copy] : copies)
      if (SymbolTable::symbolKnownUseEmpty(kernel, getOperation()))
        symbols.erase(kernel);
  }
};

} // namespace
} // namespace tapestry

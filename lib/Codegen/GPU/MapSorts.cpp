//===- MapSorts.cpp - Sorts to launches -----------------------------------===//

#include "SortEmitter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "tapestry/Codegen/Common/DeviceCode.h"
#include "tapestry/Codegen/GPU/Passes.h"

using namespace mlir;

namespace tapestry {

#define GEN_PASS_DEF_MAPSORTS
#include "tapestry/Codegen/GPU/Passes.h.inc"

namespace {

std::optional<int64_t> constantOf(Value value) {
  while (auto cast = value.getDefiningOp<arith::IndexCastOp>())
    value = cast.getIn();
  return getConstantIntValue(value);
}

struct MapSorts : public impl::MapSortsBase<MapSorts> {
  using MapSortsBase::MapSortsBase;

  void runOnOperation() override {
    SmallVector<func::CallOp> sorts;
    getOperation().walk([&](func::CallOp call) {
      auto function = call->getParentOfType<func::FuncOp>();
      if (call.getCallee() == "tapestry_rt_sort" && function &&
          isDeviceCode(function) && !isHostCode(function))
        sorts.push_back(call);
    });
    for (func::CallOp sort : sorts) {
      if (failed(map(sort)))
        return signalPassFailure();
      sort.erase();
      ++numSorts;
    }
    Operation *declared =
        SymbolTable::lookupSymbolIn(getOperation(), "tapestry_rt_sort");
    if (declared && SymbolTable::symbolKnownUseEmpty(declared, getOperation()))
      declared->erase();
  }

  LogicalResult map(func::CallOp sort);
  void useConstants(func::FuncOp function);
};

/// Numbers that the only caller knows.
void MapSorts::useConstants(func::FuncOp function) {
  auto uses = SymbolTable::getSymbolUses(function, getOperation());
  if (!uses || std::distance(uses->begin(), uses->end()) != 1)
    return;
  auto caller = dyn_cast<func::CallOp>(uses->begin()->getUser());
  if (!caller)
    return;
  OpBuilder b = OpBuilder::atBlockBegin(&function.front());
  for (auto [argument, operand] :
       llvm::zip_equal(function.getArguments(), caller.getOperands()))
    if (argument.getType().isInteger(64))
      if (std::optional<int64_t> known = constantOf(operand))
        argument.replaceAllUsesWith(arith::ConstantOp::create(
            b, function.getLoc(), b.getI64IntegerAttr(*known)));
}

LogicalResult MapSorts::map(func::CallOp sort) {
  auto function = sort->getParentOfType<func::FuncOp>();
  useConstants(function);
  IndexBuilder b(sort.getLoc(), function);
  b.setInsertionPoint(sort);
  auto number = [&](unsigned operand) -> OpFoldResult {
    Value value = sort.getOperand(operand);
    if (std::optional<int64_t> known = constantOf(value))
      return b.index(*known);
    return arith::IndexCastOp::create(b, b.getIndexType(), value).getResult();
  };
  std::optional<int64_t> dtype = constantOf(sort.getOperand(0));
  std::optional<int64_t> mode = constantOf(sort.getOperand(1));
  std::optional<int64_t> run = constantOf(sort.getOperand(5));
  if (!dtype || !mode || !run)
    return sort.emitError(
        "sorts by a type, a mode or runs that are no constant");
  // As ABI.h has them.
  SortCall call;
  call.dtype = static_cast<int32_t>(*dtype);
  call.mode = static_cast<int32_t>(*mode);
  call.rows = number(2);
  call.stride = number(3);
  call.length = number(4);
  call.run = *run;
  call.first = number(6);
  call.count = number(7);
  call.offset = sort.getOperand(8);
  call.source = sort.getOperand(9);
  call.result = sort.getOperand(10);
  call.scratch = sort.getOperand(11);
  emitSort(b, call);
  return success();
}

} // namespace
} // namespace tapestry

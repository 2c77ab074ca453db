//===- LowerToNVVM.cpp - What the GPU runs, to the NVVM dialect -----------===//
//
// MLIR's patterns, but with LLVM's intrinsics in place of libdevice's
// functions. What neither an instruction nor an expansion of ours computes is
// refused first, by name.
//
//===----------------------------------------------------------------------===//

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ComplexToLLVM/ComplexToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "tapestry/Codegen/GPU/Passes.h"

using namespace mlir;

namespace tapestry {

#define GEN_PASS_DEF_LOWERTONVVM
#include "tapestry/Codegen/GPU/Passes.h.inc"

namespace {

/// Whether LLVM makes instructions of it.
bool hasInstruction(Operation *op) {
  return isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp,
             math::CountLeadingZerosOp, math::CountTrailingZerosOp,
             math::CtPopOp, math::FloorOp, math::FmaOp, math::IsFiniteOp,
             math::IsInfOp, math::IsNaNOp, math::IsNormalOp, math::RoundEvenOp,
             math::RoundOp, math::SqrtOp, math::TruncOp>(op);
}

struct LowerToNVVM : public impl::LowerToNVVMBase<LowerToNVVM> {
  using LowerToNVVMBase::LowerToNVVMBase;

  void runOnOperation() override {
    if (failed(check()) || failed(convert()))
      return signalPassFailure();
    SmallVector<UnrealizedConversionCastOp> casts;
    getOperation().walk(
        [&](UnrealizedConversionCastOp cast) { casts.push_back(cast); });
    reconcileUnrealizedCasts(casts);
  }

private:
  LogicalResult check();
  LogicalResult convert();
};

LogicalResult LowerToNVVM::check() {
  bool isWrong = false;
  getOperation().walk([&](Operation *op) {
    StringRef dialect = op->getName().getDialectNamespace();
    bool isRefused = (dialect == "math" && !hasInstruction(op)) ||
                     dialect == "tapestry_index" || dialect == "func" ||
                     isa<arith::RemFOp, memref::AllocOp, memref::DeallocOp,
                         memref::GetGlobalOp>(op);
    if (!isRefused)
      return;
    isWrong = true;
    op->emitError() << "'" << op->getName()
                    << "' has no code for the target 'cuda'";
  });
  return failure(isWrong);
}

LogicalResult LowerToNVVM::convert() {
  // Quotients that are rounded have no instruction.
  RewritePatternSet expansions(&getContext());
  arith::populateCeilFloorDivExpandOpsPatterns(expansions);
  if (failed(applyPatternsGreedily(getOperation(), std::move(expansions))))
    return failure();
  LowerToLLVMOptions options(&getContext());
  options.overrideIndexBitwidth(64);
  LLVMTypeConverter converter(&getContext(), options);
  configureGpuToNVVMTypeConverter(converter);
  RewritePatternSet patterns(&getContext());
  populateSCFToControlFlowConversionPatterns(patterns);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  populateComplexToLLVMConversionPatterns(converter, patterns,
                                          complex::ComplexRangeFlags::improved);
  ub::populateUBToLLVMConversionPatterns(converter, patterns);
  populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
  populateVectorToLLVMConversionPatterns(converter, patterns);
  populateGpuToNVVMConversionPatterns(converter, patterns);
  // Before those of libdevice.
  populateMathToLLVMConversionPatterns(converter, patterns,
                                       /*approximateLog1p=*/false,
                                       /*benefit=*/5);
  LLVMConversionTarget target(getContext());
  target.addLegalOp<gpu::GPUModuleOp>();
  target.addLegalDialect<NVVM::NVVMDialect>();
  return applyFullConversion(getOperation(), target, std::move(patterns));
}

} // namespace
} // namespace tapestry

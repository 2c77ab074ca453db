//===- LowerKernelsToLLVM.cpp - Kernels to the LLVM dialect ---------------===//
//
// One dialect conversion instead of upstream's chain of passes: kernels hold
// thousands of operations, and each walk over them costs.
//
//===----------------------------------------------------------------------===//

#include "LegalizeMath.h"
#include "NarrowFloats.h"
#include "NestEmitter.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ComplexToLLVM/ComplexToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/FunctionCallUtils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "tapestry-rt/ABI.h"
#include "tapestry/Codegen/CPU/Passes.h"
#include "tapestry/Codegen/Common/DeviceCode.h"
#include "tapestry/Dialect/Index/IR/IndexShare.h"

using namespace mlir;

namespace tapestry {

#define GEN_PASS_DEF_LOWERKERNELSTOLLVM
#include "tapestry/Codegen/CPU/Passes.h.inc"

namespace {

/// A mask of one dimension as a comparison of 32-bit lane numbers, which takes
/// half the instructions of upstream's 64-bit ones. The bound is brought into
/// their range first, unless it is known to be there.
struct NarrowMask : OpRewritePattern<vector::CreateMaskOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(vector::CreateMaskOp op,
                                PatternRewriter &rewriter) const override {
    VectorType type = op.getType();
    if (type.getRank() != 1 || type.isScalable())
      return rewriter.notifyMatchFailure(op, "not one dimension of known size");
    int64_t lanes = type.getNumElements();
    Location loc = op.getLoc();
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(rewriter, loc, value);
    };
    Value bound = op.getOperand(0);
    if (!op->hasAttr(tailMaskAttrName)) {
      bound = arith::MaxSIOp::create(rewriter, loc, bound, constant(0));
      bound = arith::MinSIOp::create(rewriter, loc, bound, constant(lanes));
    }
    bound =
        arith::IndexCastOp::create(rewriter, loc, rewriter.getI32Type(), bound);
    auto numbers = VectorType::get(lanes, rewriter.getI32Type());
    Value steps = arith::ConstantOp::create(
        rewriter, loc,
        rewriter.getI32VectorAttr(llvm::to_vector(
            llvm::seq<int32_t>(0, static_cast<int32_t>(lanes)))));
    rewriter.replaceOpWithNewOp<arith::CmpIOp>(
        op, arith::CmpIPredicate::slt, steps,
        vector::BroadcastOp::create(rewriter, loc, numbers, bound));
    return success();
  }
};

/// The runtime knows which thread asks.
struct LowerShare : ConvertOpToLLVMPattern<index::ShareOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(index::ShareOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type word = rewriter.getI64Type();
    FailureOr<LLVM::LLVMFuncOp> function =
        LLVM::lookupOrCreateFn(rewriter, op->getParentOfType<ModuleOp>(),
                               "tapestry_rt_share", {word, word}, word);
    if (failed(function))
      return rewriter.notifyMatchFailure(op, "the function has another type");
    SmallVector<Value> bounds;
    for (int64_t behind : {0, 1}) {
      Value which = LLVM::ConstantOp::create(
          rewriter, loc, rewriter.getI64IntegerAttr(behind));
      bounds.push_back(
          LLVM::CallOp::create(rewriter, loc, *function,
                               ValueRange{adaptor.getUnits(), which})
              .getResult());
    }
    rewriter.replaceOp(op, bounds);
    return success();
  }
};

struct LowerKernelsToLLVM
    : public impl::LowerKernelsToLLVMBase<LowerKernelsToLLVM> {
  using LowerKernelsToLLVMBase::LowerKernelsToLLVMBase;

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    memref::populateExpandStridedMetadataPatterns(set);
    populateNarrowFloatPatterns(set);
    set.add<NarrowMask>(context);
    arith::populateCeilFloorDivExpandOpsPatterns(set);
    arith::populateExpandBFloat16Patterns(set);
    expansions = std::move(set);
    return success();
  }

  void runOnOperation() override {
    collectOurs();
    for (Operation *op : ours)
      op->walk([this](memref::AllocOp op) {
        if (!op.getAlignment())
          op.setAlignment(alignment);
      });
    if (failed(expand()))
      return signalPassFailure();
    collectDistinctBuffers();
    if (failed(convert()) || failed(allocateInSpace()))
      return signalPassFailure();
    markDistinctBuffers();
    reconcileCasts();
  }

private:
  void collectOurs();
  void dropUnreadConstants();
  LogicalResult expand();
  LogicalResult convert();
  LogicalResult allocateInSpace();
  LogicalResult emulateBF16();
  void integerConstants();
  void collectDistinctBuffers();
  void markDistinctBuffers();
  void reconcileCasts();

  /// What is lowered, of the module's top.
  SmallVector<Operation *> ours;

  /// Per function, the data pointers (as arguments of the LLVM function) of
  /// buffers that no other argument overlaps.
  llvm::StringMap<SmallVector<unsigned>> distinctBuffers;

  FrozenRewritePatternSet expansions;
};

/// Constants that code has stopped reading would stay what they are.
void LowerKernelsToLLVM::dropUnreadConstants() {
  auto globals = getOperation().getOps<memref::GlobalOp>();
  if (globals.empty())
    return;
  llvm::DenseSet<StringRef> read;
  getOperation().walk(
      [&](memref::GetGlobalOp op) { read.insert(op.getName()); });
  for (memref::GlobalOp global : llvm::make_early_inc_range(globals))
    if (global.isPrivate() && !read.contains(global.getSymName()))
      global.erase();
}

/// Device code, with the declarations and constants that it refers to. Other
/// functions keep their dialects.
void LowerKernelsToLLVM::collectOurs() {
  dropUnreadConstants();
  llvm::SetVector<Operation *> found;
  for (auto function : getOperation().getOps<func::FuncOp>())
    if (isDeviceCode(function))
      found.insert(function);
  SymbolTable symbols(getOperation());
  for (Operation *function : llvm::to_vector(found))
    function->walk([&](SymbolUserOpInterface user) {
      for (NamedAttribute attribute : user->getAttrs())
        if (auto name = dyn_cast<FlatSymbolRefAttr>(attribute.getValue()))
          if (Operation *used = symbols.lookup(name.getValue()))
            found.insert(used);
    });
  ours = found.takeVector();
}

/// Views become address arithmetic, and operations without an LLVM counterpart
/// others that have one.
LogicalResult LowerKernelsToLLVM::expand() {
  if (failed(emulateBF16()))
    return failure();
  for (Operation *op : ours)
    if (failed(legalizeMath(op)) ||
        failed(applyPatternsGreedily(op, expansions)))
      return failure();
  RewritePatternSet patterns(&getContext());
  populateAffineToStdConversionPatterns(patterns);
  ConversionTarget target(getContext());
  target.addIllegalDialect<affine::AffineDialect>();
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  return applyPartialConversion(ours, target, std::move(patterns));
}

/// Arithmetic on bf16 in f32. All bf16 values become i16 ones, and rounding to
/// them integer arithmetic: the processors that have an instruction for it take
/// subnormal numbers for 0, and elsewhere LLVM would call functions that no
/// library here has.
LogicalResult LowerKernelsToLLVM::emulateBF16() {
  MLIRContext *context = &getContext();
  TypeConverter converter;
  arith::populateEmulateUnsupportedFloatsConversions(
      converter, {BFloat16Type::get(context)}, Float32Type::get(context));
  RewritePatternSet patterns(context);
  arith::populateEmulateUnsupportedFloatsPatterns(patterns, converter);
  // Before those make it a rounding to f32 and another.
  populateNarrowIntegerPatterns(patterns);
  ConversionTarget target(*context);
  arith::populateEmulateUnsupportedFloatsLegality(target, converter);
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  return applyPartialConversion(ours, target, std::move(patterns));
}

/// bf16 constants as the bits of i16 ones.
void LowerKernelsToLLVM::integerConstants() {
  auto replace = [](arith::ConstantOp op) {
    Type type = op.getType();
    if (!getElementTypeOrSelf(type).isBF16())
      return;
    OpBuilder b(op);
    Type bits = b.getI16Type();
    TypedAttr value;
    if (auto dense = dyn_cast<DenseFPElementsAttr>(op.getValue()))
      value = dense.mapValues(bits, [](const APFloat &element) {
        return element.bitcastToAPInt();
      });
    else
      value = b.getIntegerAttr(
          bits, cast<FloatAttr>(op.getValue()).getValue().bitcastToAPInt());
    auto constant = arith::ConstantOp::create(b, op.getLoc(), value);
    op.replaceAllUsesWith(
        arith::BitcastOp::create(b, op.getLoc(), type, constant).getResult());
    op.erase();
  };
  for (Operation *op : ours)
    op->walk(replace);
}

/// The conversion of functions drops `llvm.noalias` from buffers, so it is put
/// on their data pointers afterwards.
void LowerKernelsToLLVM::collectDistinctBuffers() {
  StringRef noAlias = LLVM::LLVMDialect::getNoAliasAttrName();
  distinctBuffers.clear();
  for (Operation *op : ours) {
    auto function = dyn_cast<func::FuncOp>(op);
    if (!function)
      continue;
    bool arePointers = function->hasAttr("llvm.bareptr");
    unsigned at = 0;
    for (auto [number, type] : llvm::enumerate(function.getArgumentTypes())) {
      auto buffer = dyn_cast<MemRefType>(type);
      if (buffer && function.getArgAttr(number, noAlias))
        distinctBuffers[function.getName()].push_back(arePointers ? at
                                                                  : at + 1);
      // A buffer is two pointers, an offset, sizes and strides; one whose rank
      // is not known is that and a pointer.
      at += arePointers                     ? 1
            : buffer                        ? 3 + 2 * buffer.getRank()
            : isa<UnrankedMemRefType>(type) ? 2
                                            : 1;
    }
  }
}

void LowerKernelsToLLVM::markDistinctBuffers() {
  OpBuilder b(&getContext());
  for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>())
    for (unsigned argument : distinctBuffers.lookup(function.getName()))
      function.setArgAttr(argument, LLVM::LLVMDialect::getNoAliasAttrName(),
                          b.getUnitAttr());
}

/// Drops casts between types that are the same by now.
void LowerKernelsToLLVM::reconcileCasts() {
  SmallVector<UnrealizedConversionCastOp> casts;
  for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>())
    if (isDeviceCode(function))
      function.walk(
          [&](UnrealizedConversionCastOp cast) { casts.push_back(cast); });
  reconcileUnrealizedCasts(casts);
}

LogicalResult LowerKernelsToLLVM::convert() {
  LowerToLLVMOptions options(&getContext());
  options.allocLowering = LowerToLLVMOptions::AllocLowering::AlignedAlloc;
  options.useGenericFunctions = true;
  LLVMTypeConverter converter(&getContext(), options);
  integerConstants();
  converter.addConversion([](BFloat16Type type) -> Type {
    return IntegerType::get(type.getContext(), 16);
  });
  converter.addConversion([&](VectorType type) -> std::optional<Type> {
    if (!type.getElementType().isBF16())
      return std::nullopt;
    // One of several dimensions is an array.
    return converter.convertType(
        type.clone(IntegerType::get(type.getContext(), 16)));
  });

  RewritePatternSet patterns(&getContext());
  patterns.add<LowerShare>(converter);
  populateSCFToControlFlowConversionPatterns(patterns);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  populateComplexToLLVMConversionPatterns(converter, patterns,
                                          complex::ComplexRangeFlags::improved);
  mlir::index::populateIndexToLLVMConversionPatterns(converter, patterns);
  ub::populateUBToLLVMConversionPatterns(converter, patterns);
  populateMathToLLVMConversionPatterns(converter, patterns,
                                       /*approximateLog1p=*/false,
                                       /*benefit=*/2);
  populateMathToLibmConversionPatterns(patterns);
  populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
  populateFuncToLLVMConversionPatterns(converter, patterns);
  vector::populateVectorMaskMaterializationPatterns(
      patterns, /*force32BitVectorIndices=*/false);
  populateVectorToLLVMConversionPatterns(converter, patterns,
                                         /*reassociateFPReductions=*/true,
                                         /*force32BitVectorIndices=*/false);
  LLVMConversionTarget target(getContext());
  return applyFullConversion(ours, target, std::move(patterns));
}

/// MLIR's lowering calls what allocates in the host's memory. The functions for
/// any space take a rank (null: the calling thread's) and the number before.
LogicalResult LowerKernelsToLLVM::allocateInSpace() {
  if (space == TAPESTRY_HOST)
    return success();
  SmallVector<LLVM::CallOp> calls;
  for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>())
    if (isDeviceCode(function) && !isHostCode(function))
      function.walk([&](LLVM::CallOp call) { calls.push_back(call); });
  for (LLVM::CallOp call : calls) {
    StringRef name =
        llvm::StringSwitch<StringRef>(call.getCallee().value_or(""))
            .Case("_mlir_memref_to_llvm_aligned_alloc", "tapestry_rt_allocate")
            .Case("_mlir_memref_to_llvm_free", "tapestry_rt_free")
            .Default("");
    if (name.empty())
      continue;
    OpBuilder b(call);
    Location loc = call.getLoc();
    SmallVector<Value> operands = {
        LLVM::ZeroOp::create(b, loc, LLVM::LLVMPointerType::get(&getContext())),
        LLVM::ConstantOp::create(b, loc, b.getI32IntegerAttr(space))};
    llvm::append_range(operands, call.getArgOperands());
    FailureOr<LLVM::LLVMFuncOp> callee =
        LLVM::lookupOrCreateFn(b, getOperation(), name,
                               llvm::to_vector(ValueRange(operands).getTypes()),
                               call.getCalleeFunctionType().getReturnType());
    if (failed(callee))
      return failure();
    call->replaceAllUsesWith(LLVM::CallOp::create(b, loc, *callee, operands));
    call.erase();
  }
  return success();
}

} // namespace
} // namespace tapestry

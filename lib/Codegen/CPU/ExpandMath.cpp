//===- ExpandMath.cpp - Math operations to vector arithmetic --------------===//
//
// Our own functions where there is one, f32 arithmetic for the narrow types.
//
//===----------------------------------------------------------------------===//

#include "ElementaryFunctions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "tapestry/Codegen/CPU/Passes.h"
#include "tapestry/Codegen/CPU/TargetInfo.h"
#include "tapestry/Codegen/Common/DeviceCode.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tapestry {

#define GEN_PASS_DEF_EXPANDMATH
#include "tapestry/Codegen/CPU/Passes.h.inc"

namespace {

using EmitFn = Value (*)(FloatEmitter &, Value);

/// A function of ours in place of an operation.
template <typename Op> struct ExpandFunction : public OpRewritePattern<Op> {
  ExpandFunction(MLIRContext *context, EmitFn emit, bool hasFMA)
      : OpRewritePattern<Op>(context), emit(emit), hasFMA(hasFMA) {}

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Type element = getElementTypeOrSelf(op.getType());
    if (!element.isF32() && !element.isF64())
      return rewriter.notifyMatchFailure(op, "a function of another type");
    FloatEmitter emitter(rewriter, op.getLoc(), op.getType(), hasFMA);
    rewriter.replaceOp(op, emit(emitter, op.getOperand()));
    return success();
  }

  EmitFn emit;
  bool hasFMA;
};

Value callWide(EmitFn emit, FloatEmitter &f, ValueRange operands) {
  return emit(f, operands[0]);
}
Value callWide(Value (*emit)(FloatEmitter &, Value, Value), FloatEmitter &f,
               ValueRange operands) {
  return emit(f, operands[0], operands[1]);
}

/// A function of ours in f64 in place of an operation on that or on f32.
template <typename Op, typename Fn>
struct ExpandWide : public OpRewritePattern<Op> {
  ExpandWide(MLIRContext *context, Fn emit, bool hasFMA)
      : OpRewritePattern<Op>(context, /*benefit=*/10), emit(emit),
        hasFMA(hasFMA) {}

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType(), element = getElementTypeOrSelf(type);
    if (!element.isF32() && !element.isF64())
      return rewriter.notifyMatchFailure(op, "a function of another type");
    Type wide = rewriter.getF64Type();
    if (auto shaped = dyn_cast<ShapedType>(type))
      wide = shaped.clone(wide);
    SmallVector<Value> operands = op->getOperands();
    if (wide != type)
      for (Value &operand : operands)
        operand = arith::ExtFOp::create(rewriter, op.getLoc(), wide, operand);
    FloatEmitter emitter(rewriter, op.getLoc(), wide, hasFMA);
    Value result = callWide(emit, emitter, operands);
    if (wide != type)
      result = arith::TruncFOp::create(rewriter, op.getLoc(), type, result);
    rewriter.replaceOp(op, result);
    return success();
  }

  Fn emit;
  bool hasFMA;
};

/// Null of other operations.
EmitFn trigonometryOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, EmitFn>(op)
      .Case([](math::SinOp) { return emitSin; })
      .Case([](math::CosOp) { return emitCos; })
      .Case([](math::TanOp) { return emitTan; })
      .Default([](Operation *) { return nullptr; });
}

/// No pattern: what is left to libm is the same operation again.
void expandTrigonometry(Operation *op, bool hasFMA) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  Type type = op->getResult(0).getType();
  FloatEmitter emitter(b, op->getLoc(), type, hasFMA);
  Value operand = op->getOperand(0), result;
  if (isa<math::TanOp>(op) && !emitter.isDouble()) {
    FloatEmitter wide = emitter.ofDoubles();
    operand = arith::ExtFOp::create(b, wide.getType(), operand);
    result = arith::TruncFOp::create(b, type, emitTan(wide, operand));
  } else {
    result = trigonometryOf(op)(emitter, operand);
  }
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
}

/// A constant power: products in f64 for the narrower types, in pairs for f64.
/// Other powers are those of libm.
struct ExpandPower : public OpRewritePattern<math::FPowIOp> {
  ExpandPower(MLIRContext *context, bool hasFMA)
      : OpRewritePattern(context, /*benefit=*/10), hasFMA(hasFMA) {}

  LogicalResult matchAndRewrite(math::FPowIOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type type = op.getType(), wide = rewriter.getF64Type();
    if (auto shaped = dyn_cast<ShapedType>(type))
      wide = shaped.clone(wide);
    Value base = op.getLhs();
    if (wide != type)
      base = arith::ExtFOp::create(rewriter, loc, wide, base);
    Value power = op.getRhs();
    if (auto broadcast = power.getDefiningOp<vector::BroadcastOp>())
      power = broadcast.getSource();
    APInt exponent;
    Value result;
    if (!matchPattern(power, m_ConstantInt(&exponent)) || exponent.isZero() ||
        exponent.abs().ugt(largestProduct)) {
      power = arith::SIToFPOp::create(rewriter, loc, wide, op.getRhs());
      result = math::PowFOp::create(rewriter, loc, base, power);
    } else if (wide == type) {
      FloatEmitter emitter(rewriter, loc, wide, hasFMA);
      result = emitPower(emitter, base, exponent.getSExtValue());
    } else {
      result = narrowPower(rewriter, base, exponent.getSExtValue());
    }
    if (wide != type)
      result = arith::TruncFOp::create(rewriter, loc, type, result);
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  /// Longer products are slower than libm.
  static constexpr uint64_t largestProduct = 32;

  /// To more digits than the narrow type holds.
  Value narrowPower(PatternRewriter &rewriter, Value square,
                    int64_t exponent) const {
    FloatEmitter emitter(rewriter, square.getLoc(), square.getType(), hasFMA);
    Value product;
    for (uint64_t rest = std::abs(exponent); rest > 0; rest /= 2) {
      if (rest % 2 != 0)
        product = product ? emitter.mul(product, square) : square;
      if (rest > 1)
        square = emitter.mul(square, square);
    }
    return exponent < 0 ? emitter.div(emitter.constant(1), product) : product;
  }

  bool hasFMA;
};

bool isConstant(Value value, double wanted) {
  if (auto broadcast = value.getDefiningOp<vector::BroadcastOp>())
    value = broadcast.getSource();
  APFloat constant(0.0);
  return matchPattern(value, m_ConstantFloat(&constant)) &&
         constant.convertToDouble() == wanted;
}

/// The x of a logistic function as front ends write it (for any sign of x no
/// term overflows): select(x < 0, e, 1) / (1 + e) with e = exp(-|x|). Null for
/// other quotients.
Value matchSigmoid(arith::DivFOp op) {
  Type element = getElementTypeOrSelf(op.getType());
  auto sum = op.getRhs().getDefiningOp<arith::AddFOp>();
  auto select = op.getLhs().getDefiningOp<arith::SelectOp>();
  if (!(element.isF32() || element.isF64()) || !sum || !select)
    return nullptr;
  bool isFirst = isConstant(sum.getRhs(), 1);
  Value term = isFirst ? sum.getLhs() : sum.getRhs();
  auto exp = term.getDefiningOp<math::ExpOp>();
  auto negated =
      exp ? exp.getOperand().getDefiningOp<arith::NegFOp>() : arith::NegFOp();
  auto abs = negated ? negated.getOperand().getDefiningOp<math::AbsFOp>()
                     : math::AbsFOp();
  auto less = select.getCondition().getDefiningOp<arith::CmpFOp>();
  if (!abs || !less || less.getPredicate() != arith::CmpFPredicate::OLT ||
      less.getLhs() != abs.getOperand() || !isConstant(less.getRhs(), 0) ||
      !(isFirst || isConstant(sum.getLhs(), 1)) ||
      select.getTrueValue() != exp || !isConstant(select.getFalseValue(), 1))
    return nullptr;
  return abs.getOperand();
}

struct ExpandMath : public impl::ExpandMathBase<ExpandMath> {
  using ExpandMathBase::ExpandMathBase;

  LogicalResult initialize(MLIRContext *context) override {
    std::optional<TargetInfo> target = TargetInfo::get(cpu);
    hasFMA = target && target->fusedMultiplyAdd;
    RewritePatternSet set(context);
    populateMathF32ExpansionPatterns(set, [](StringRef) { return true; });
    set.add<ExpandPower>(context, hasFMA);
    set.add<ExpandFunction<math::ExpOp>>(context, emitExp, hasFMA);
    set.add<ExpandFunction<math::TanhOp>>(context, emitTanh, hasFMA);
    set.add<ExpandFunction<math::RsqrtOp>>(context, emitReciprocalRoot, hasFMA);
    set.add<ExpandFunction<math::LogOp>>(context, emitLog, hasFMA);
    set.add<ExpandFunction<math::ErfOp>>(context, emitErf, hasFMA);
    addWide<math::ExpM1Op>(set, emitExpM1);
    addWide<math::Log2Op>(set, emitLog2);
    addWide<math::Log10Op>(set, emitLog10);
    addWide<math::Log1pOp>(set, emitLog1p);
    addWide<math::Exp2Op>(set, emitExp2);
    addWide<math::SinhOp>(set, emitSinh);
    addWide<math::CoshOp>(set, emitCosh);
    addWide<math::CbrtOp>(set, emitCbrt);
    addWide<math::AsinOp>(set, emitAsin);
    addWide<math::AcosOp>(set, emitAcos);
    addWide<math::AtanOp>(set, emitAtan);
    addWide<math::Atan2Op>(set, emitAtan2);
    patterns = std::move(set);
    return success();
  }

  void runOnOperation() override {
    if (!isDeviceCode(getOperation()))
      return;
    bool any = false;
    SmallVector<arith::DivFOp> sigmoids;
    SmallVector<Operation *> trigonometry;
    getOperation().walk([&](Operation *op) {
      any |= isa_and_nonnull<math::MathDialect>(op->getDialect());
      if (auto quotient = dyn_cast<arith::DivFOp>(op))
        if (matchSigmoid(quotient))
          sigmoids.push_back(quotient);
      if (trigonometryOf(op)) {
        Type type = getElementTypeOrSelf(op->getResult(0).getType());
        if (type.isF32() || type.isF64())
          trigonometry.push_back(op);
      }
    });
    // Before their exponentials are expanded. The argument of one may be
    // another.
    for (arith::DivFOp quotient : sigmoids) {
      OpBuilder b(quotient);
      FloatEmitter emitter(b, quotient.getLoc(), quotient.getType(), hasFMA);
      quotient.replaceAllUsesWith(emitSigmoid(emitter, matchSigmoid(quotient)));
      quotient.erase();
    }
    for (Operation *op : trigonometry)
      expandTrigonometry(op, hasFMA);
    if (any && failed(applyPatternsGreedily(getOperation(), patterns)))
      signalPassFailure();
  }

  template <typename Op, typename Fn>
  void addWide(RewritePatternSet &set, Fn *emit) {
    set.add<ExpandWide<Op, Fn *>>(set.getContext(), emit, hasFMA);
  }

  bool hasFMA = false;
  FrozenRewritePatternSet patterns;
};

} // namespace
} // namespace tapestry

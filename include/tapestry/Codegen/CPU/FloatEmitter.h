//===- FloatEmitter.h - Arithmetic on floats and their bits -----*- C++ -*-===//
//
// Builds operations on scalars or vectors of f32 or f64, and the few that
// arithmetic with errors carried along is made of. None may be reassociated or
// contracted: where a fused multiply-add is meant, it is asked for.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_CODEGEN_CPU_FLOATEMITTER_H
#define TAPESTRY_CODEGEN_CPU_FLOATEMITTER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tapestry {

/// An unevaluated sum, the second much smaller than the first.
struct FloatPair {
  mlir::Value high, low;
};

class FloatEmitter {
public:
  /// For values of `type`; `hasFMA`: the processor has fused multiply-adds.
  FloatEmitter(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type,
               bool hasFMA)
      : b(loc, builder), type(type), hasFMA(hasFMA) {}

  /// Of as many elements of f64.
  FloatEmitter ofDoubles();
  mlir::Type getType() const { return type; }
  bool isDouble() const { return mlir::getElementTypeOrSelf(type).isF64(); }
  mlir::Value constant(double value);

  mlir::Value add(mlir::Value x, mlir::Value y) {
    return mlir::arith::AddFOp::create(b, x, y);
  }
  mlir::Value sub(mlir::Value x, mlir::Value y) {
    return mlir::arith::SubFOp::create(b, x, y);
  }
  mlir::Value mul(mlir::Value x, mlir::Value y) {
    return mlir::arith::MulFOp::create(b, x, y);
  }
  mlir::Value div(mlir::Value x, mlir::Value y) {
    return mlir::arith::DivFOp::create(b, x, y);
  }
  mlir::Value select(mlir::Value condition, mlir::Value x, mlir::Value y) {
    return mlir::arith::SelectOp::create(b, condition, x, y);
  }
  mlir::Value less(mlir::Value x, mlir::Value y) {
    return mlir::arith::CmpFOp::create(b, mlir::arith::CmpFPredicate::OLT, x,
                                       y);
  }
  mlir::Value isNaN(mlir::Value x) {
    return mlir::arith::CmpFOp::create(b, mlir::arith::CmpFPredicate::UNO, x,
                                       x);
  }
  mlir::Value abs(mlir::Value x);
  mlir::Value sqrt(mlir::Value x);
  mlir::Value copySign(mlir::Value magnitude, mlir::Value sign);
  /// `x`, or the bound that it is beyond; NaN passes.
  mlir::Value atLeast(mlir::Value x, double bound);
  mlir::Value atMost(mlir::Value x, double bound);

  /// x * y + z, rounded once where that costs nothing, else twice.
  mlir::Value multiplyAdd(mlir::Value x, mlir::Value y, mlir::Value z);
  /// z - x * y in the same way.
  mlir::Value multiplySub(mlir::Value z, mlir::Value x, mlir::Value y);
  /// The polynomial with these coefficients, the constant first, by Horner.
  mlir::Value polynomial(llvm::ArrayRef<double> coefficients, mlir::Value x);
  /// The rounding error of `product` = x * y.
  mlir::Value productError(mlir::Value x, mlir::Value y, mlir::Value product);
  /// z - x * y, rounded but for a small fraction of a unit.
  mlir::Value remainder(mlir::Value z, mlir::Value x, mlir::Value y);
  /// x + y where |x| >= |y| or x is 0 (T. J. Dekker, 1971).
  FloatPair orderedSum(mlir::Value x, mlir::Value y);
  /// x + y (D. E. Knuth, The Art of Computer Programming 2, 4.2.2).
  FloatPair sum(mlir::Value x, mlir::Value y);
  /// x * y, its error relative to it below two units of the pair's low part.
  FloatPair product(FloatPair x, FloatPair y);
  /// x / y, rounded but for a small fraction of a unit.
  mlir::Value quotient(FloatPair x, FloatPair y);

  // Integers as wide as the floats.
  mlir::Value integer(int64_t value);
  mlir::Value bits(mlir::Value x);
  mlir::Value fromBits(mlir::Value x);
  mlir::Value toFloat(mlir::Value x);
  /// The power of two with this exponent, biased; higher bits do not count.
  mlir::Value exponentBits(mlir::Value exponent);

  /// Bits of the significand without the leading one.
  unsigned fractionBits() const { return isDouble() ? 52 : 23; }
  mlir::ImplicitLocOpBuilder &builder() { return b; }

private:
  mlir::Type integerType();
  /// The upper half of the significand.
  mlir::Value upperHalf(mlir::Value x);

  mlir::ImplicitLocOpBuilder b;
  mlir::Type type;
  bool hasFMA;
};

} // namespace tapestry

#endif // TAPESTRY_CODEGEN_CPU_FLOATEMITTER_H

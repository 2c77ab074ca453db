//===- DeviceMath.h - Functions that the host has in libm -------*- C++ -*-===//

#ifndef TAPESTRY_LIB_CODEGEN_GPU_DEVICEMATH_H
#define TAPESTRY_LIB_CODEGEN_GPU_DEVICEMATH_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tapestry {

// Each returns what stands for the result of `op`, null where it is another
// operation.

/// Powers of floats, up to f32 by those of f64.
mlir::Value expandPower(mlir::Operation *op);
/// Sines, cosines and tangents of f64 of any size.
mlir::Value expandLargeAngle(mlir::Operation *op);
/// Remainders of quotients that are rounded towards 0, exact.
mlir::Value expandRemainder(mlir::Operation *op);

/// Builds arithmetic on f64 and i64.
class Words {
public:
  explicit Words(mlir::Operation *op) : b(op->getLoc(), op) {}

  mlir::Value real(double value) {
    return mlir::arith::ConstantOp::create(b, b.getF64FloatAttr(value));
  }
  mlir::Value word(uint64_t value) {
    return mlir::arith::ConstantOp::create(
        b, b.getI64IntegerAttr(static_cast<int64_t>(value)));
  }
  template <typename Op> mlir::Value make(mlir::Value x, mlir::Value y) {
    return Op::create(b, x, y);
  }
  mlir::Value shiftLeft(mlir::Value x, mlir::Value by) {
    return make<mlir::arith::ShLIOp>(x, by);
  }
  mlir::Value shiftRight(mlir::Value x, mlir::Value by) {
    return make<mlir::arith::ShRUIOp>(x, by);
  }
  mlir::Value both(mlir::Value x, uint64_t mask) {
    return make<mlir::arith::AndIOp>(x, word(mask));
  }
  mlir::Value isSet(mlir::Value x, uint64_t mask) {
    return mlir::arith::CmpIOp::create(b, mlir::arith::CmpIPredicate::ne,
                                       both(x, mask), word(0));
  }
  mlir::Value compare(mlir::arith::CmpFPredicate predicate, mlir::Value x,
                      mlir::Value y) {
    return mlir::arith::CmpFOp::create(b, predicate, x, y);
  }
  mlir::Value select(mlir::Value condition, mlir::Value x, mlir::Value y) {
    return mlir::arith::SelectOp::create(b, condition, x, y);
  }
  mlir::Value negate(mlir::Value x) {
    return mlir::arith::NegFOp::create(b, x);
  }
  mlir::Value absolute(mlir::Value x) {
    return mlir::math::AbsFOp::create(b, x);
  }
  /// The polynomial with these coefficients, the constant first.
  mlir::Value polynomial(llvm::ArrayRef<double> coefficients, mlir::Value x) {
    mlir::Value sum = real(coefficients.back());
    for (double coefficient : llvm::reverse(coefficients.drop_back()))
      sum = mlir::math::FmaOp::create(b, sum, x, real(coefficient));
    return sum;
  }
  mlir::Value any(mlir::Value x, mlir::Value y) {
    return make<mlir::arith::OrIOp>(x, y);
  }
  mlir::Value sum(mlir::Value x, mlir::Value y) {
    return make<mlir::arith::AddIOp>(x, y);
  }
  mlir::Value less(mlir::Value x, mlir::Value y) {
    return mlir::arith::CmpIOp::create(b, mlir::arith::CmpIPredicate::ult, x,
                                       y);
  }
  mlir::Value equal(mlir::Value x, mlir::Value y) {
    return mlir::arith::CmpIOp::create(b, mlir::arith::CmpIPredicate::eq, x, y);
  }
  mlir::Value difference(mlir::Value x, mlir::Value y) {
    return make<mlir::arith::SubIOp>(x, y);
  }
  mlir::Value bits(mlir::Value x) {
    return mlir::arith::BitcastOp::create(b, b.getI64Type(), x);
  }
  mlir::Value fromBits(mlir::Value x) {
    return mlir::arith::BitcastOp::create(b, b.getF64Type(), x);
  }
  mlir::Value leadingZeros(mlir::Value x) {
    return mlir::math::CountLeadingZerosOp::create(b, x);
  }
  /// A whole number without a sign.
  mlir::Value toReal(mlir::Value x) {
    return mlir::arith::UIToFPOp::create(b, b.getF64Type(), x);
  }
  /// Of constants.
  mlir::Value truth(bool value) {
    return mlir::arith::ConstantOp::create(b, b.getBoolAttr(value));
  }

  mlir::ImplicitLocOpBuilder b;
};

} // namespace tapestry

#endif // TAPESTRY_LIB_CODEGEN_GPU_DEVICEMATH_H

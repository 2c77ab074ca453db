//===- Reductions.cpp - What reductions of all kinds share ----------------===//

#include "Reductions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryScan.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryScatter.h"
#include "llvm/ADT/TypeSwitch.h"
#include <limits>

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

Value teg::finiteOrZero(ScalarBuilder &b, Value value) {
  auto type = cast<FloatType>(value.getType());
  Value infinity = b.constant(
      FloatAttr::get(type, APFloat::getInf(type.getFloatSemantics())));
  Value isFinite = b.create<arith::CmpFOp>(
      arith::CmpFPredicate::OLT, b.create<math::AbsFOp>(value), infinity);
  return b.create<arith::SelectOp>(isFinite, value, b.constant(type, 0.0));
}

Value teg::isExtreme(ScalarBuilder &b, Value value, Value extreme) {
  if (!isa<FloatType>(value.getType()))
    return b.create<arith::CmpIOp>(arith::CmpIPredicate::eq, value, extreme);
  return b.create<arith::OrIOp>(
      b.create<arith::CmpFOp>(arith::CmpFPredicate::OEQ, value, extreme),
      b.create<arith::CmpFOp>(arith::CmpFPredicate::UNO, value, value));
}

IntegerType teg::placeType(OpBuilder &builder, ArrayRef<ScalarLabel> points) {
  double count = 1;
  for (const ScalarLabel &label : points)
    count *= static_cast<double>(label.extent);
  return count <= std::numeric_limits<int32_t>::max() ? builder.getI32Type()
                                                      : builder.getI64Type();
}

Value teg::placeOfPoint(ScalarBuilder &b, IntegerType type,
                        ArrayRef<ScalarLabel> points) {
  Value sum = b.constant(IntegerAttr::get(type, 0));
  int64_t stride = 1;
  for (const ScalarLabel &label : llvm::reverse(points)) {
    Value term = b.create<arith::IndexCastOp>(type, b.label(label.name));
    Value step = b.constant(IntegerAttr::get(type, stride));
    sum = b.create<arith::AddIOp>(sum, b.create<arith::MulIOp>(term, step));
    stride *= label.extent;
  }
  return sum;
}

void teg::combineBy(OpBuilder &builder, Operation *op, TypedAttr identity,
                    CombineBuilder combine) {
  llvm::TypeSwitch<Operation *>(op).Case<EinsumOp, ScanOp, ScatterOp>(
      [&](auto reducing) {
        buildCustomMonoid(reducing, builder, identity, combine);
      });
}

void teg::compareUnsigned(OpBuilder &builder, Operation *op, bool isMax) {
  auto type =
      cast<RankedTensorType>(op->getResult(0).getType()).getElementType();
  auto identity = IntegerAttr::get(type, isMax ? 0 : -1);
  auto combine = [&](OpBuilder &b, Location loc, Value x, Value y) -> Value {
    if (isMax)
      return arith::MaxUIOp::create(b, loc, x, y);
    return arith::MinUIOp::create(b, loc, x, y);
  };
  combineBy(builder, op, identity, combine);
}

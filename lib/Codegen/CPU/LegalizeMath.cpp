//===- LegalizeMath.cpp - Math operations that LLVM can take --------------===//
//
// MLIR's conversion to libm takes vectors apart, too, but within one dialect
// conversion with that of their types it crashes.
//
//===----------------------------------------------------------------------===//

#include "LegalizeMath.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace tapestry {

/// Whether LLVM has no intrinsic for the function, or one for scalars only.
static bool isScalarOnly(Operation *op) {
  return isa<math::AcoshOp, math::AsinhOp, math::AtanhOp, math::CbrtOp,
             math::ErfOp, math::ErfcOp, math::Log1pOp, math::FPowIOp>(op);
}

/// Narrow floats for which LLVM has no code on these processors, or vectors of
/// them.
static bool isNarrow(Type type) {
  if (isa<ShapedType>(type) && !isa<VectorType>(type))
    return false;
  auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type));
  return element && element.getWidth() <= 16 && !element.isF16();
}

static Type withElement(Type type, Type element) {
  auto shaped = dyn_cast<VectorType>(type);
  return shaped ? shaped.clone(element) : element;
}

/// The same on operands and results in f32, rounded afterwards.
static void widen(Operation *op) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  auto wide = [&](Type type) {
    return isNarrow(type) ? withElement(type, b.getF32Type()) : type;
  };
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(
        isNarrow(operand.getType())
            ? arith::ExtFOp::create(b, wide(operand.getType()), operand)
            : operand);
  auto types = llvm::map_to_vector(op->getResultTypes(), wide);
  Operation *widened = b.create(op->getLoc(), op->getName().getIdentifier(),
                                operands, types, op->getAttrs());
  for (auto [from, to] : llvm::zip(op->getResults(), widened->getResults())) {
    Value result = to;
    if (isNarrow(from.getType()))
      result = arith::TruncFOp::create(b, from.getType(), to);
    from.replaceAllUsesWith(result);
  }
  op->erase();
}

/// One operation for each element of all but the last `kept` dimensions.
static SmallVector<Operation *> takeApart(Operation *op, unsigned kept) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  auto whole = cast<VectorType>(op->getResult(0).getType());
  auto partOf = [&](Type type) -> Type {
    auto vector = cast<VectorType>(type);
    if (kept == 0)
      return vector.getElementType();
    return VectorType::get(vector.getShape().take_back(kept),
                           vector.getElementType(),
                           vector.getScalableDims().take_back(kept));
  };
  auto types = llvm::map_to_vector(op->getResultTypes(), partOf);
  SmallVector<Value> results;
  for (Type type : op->getResultTypes())
    results.push_back(ub::PoisonOp::create(b, type));

  SmallVector<Operation *> parts;
  ArrayRef<int64_t> shape = whole.getShape().drop_back(kept);
  SmallVector<int64_t> strides = computeStrides(shape);
  for (int64_t number = 0; number < computeProduct(shape); ++number) {
    SmallVector<int64_t> position = delinearize(number, strides);
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(vector::ExtractOp::create(b, operand, position));
    parts.push_back(b.create(op->getLoc(), op->getName().getIdentifier(),
                             operands, types, op->getAttrs()));
    for (auto [result, value] : llvm::zip(results, parts.back()->getResults()))
      result = vector::InsertOp::create(b, value, result, position);
  }
  op->replaceAllUsesWith(results);
  op->erase();
  return parts;
}

LogicalResult legalizeMath(Operation *root) {
  SmallVector<Operation *> found;
  root->walk([&](Operation *op) {
    if (isa_and_nonnull<math::MathDialect>(op->getDialect()))
      found.push_back(op);
  });
  for (Operation *op : found) {
    SmallVector<Operation *> parts = {op};
    if (auto type = dyn_cast<VectorType>(op->getResult(0).getType())) {
      unsigned kept = isScalarOnly(op) || type.getRank() == 0 ? 0 : 1;
      if (llvm::is_contained(type.getScalableDims().drop_back(kept), true))
        return op->emitOpError("is computed element by element, but ")
               << type << " has an unknown number of elements";
      if (isScalarOnly(op) || type.getRank() > 1)
        parts = takeApart(op, kept);
    }
    for (Operation *part : parts)
      if (llvm::any_of(part->getOperandTypes(), isNarrow))
        widen(part);
  }
  return success();
}

} // namespace tapestry

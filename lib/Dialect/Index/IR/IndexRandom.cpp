//===- IndexRandom.cpp - Random numbers of points -------------------------===//

#include "tapestry/Dialect/Index/IR/IndexRandom.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tapestry::index;

#include "tapestry/Dialect/Index/IR/IndexRandomEnums.cpp.inc"

#define GET_OP_CLASSES
#include "tapestry/Dialect/Index/IR/IndexRandom.cpp.inc"

Type tapestry::index::wordsLike(Type type) {
  Type word = IntegerType::get(type.getContext(), 64);
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped ? shaped.clone(word) : word;
}

LogicalResult
tapestry::index::verifyDrawn(RandomKind kind, Type element,
                             function_ref<InFlightDiagnostic()> emitError) {
  unsigned bits = element.isSignlessInteger() || isa<FloatType>(element)
                      ? element.getIntOrFloatBitWidth()
                      : 0;
  bool isFloat =
      element.isF16() || element.isBF16() || element.isF32() || element.isF64();
  bool isWhole = element.isSignlessInteger() &&
                 (bits == 8 || bits == 16 || bits == 32 || bits == 64);
  if (kind == RandomKind::Bits ? !isWhole : !isFloat)
    return emitError() << "gives " << stringifyRandomKind(kind) << " of "
                       << element << ", expected "
                       << (kind == RandomKind::Bits
                               ? "integers of 8, 16, 32 or 64 bits"
                               : "f16, bf16, f32 or f64");
  return success();
}

LogicalResult RandomOp::verify() {
  // random_c1
  if (failed(verifyDrawn(getKind(), getElementTypeOrSelf(getType()),
                         [&] { return emitOpError(); })))
    return failure();
  // random_c2
  if (getOffset() && getOffset().getType() != getCounter().getType())
    return emitOpError() << "adds " << getOffset().getType()
                         << " to its stream, expected "
                         << getCounter().getType() << " as of the counter";
  return success();
}

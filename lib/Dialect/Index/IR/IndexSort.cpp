//===- IndexSort.cpp - Rows of a device in order --------------------------===//

#include "tapestry/Dialect/Index/IR/IndexSort.h"
#include "mlir/IR/Builders.h"
#include "tapestry/Support/Counted.h"

using namespace mlir;
using namespace tapestry::index;

#define GET_OP_CLASSES
#include "tapestry/Dialect/Index/IR/IndexSort.cpp.inc"

static bool isSortable(Type element) {
  if (element.isF16() || element.isBF16() || element.isF32() || element.isF64())
    return true;
  return llvm::any_of(ArrayRef{8, 16, 32, 64}, [&](unsigned bits) {
    return element.isSignlessInteger(bits);
  });
}

LogicalResult SortOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  // sort_c1
  if (source.getRank() == 0 || !isSortable(source.getElementType()))
    return emitOpError() << "puts " << source << " in order, expected rows of "
                         << "f16, bf16, f32, f64 or integers of 8, 16, 32 or "
                            "64 bits";
  // sort_c2
  Type element = getIndices() ? IntegerType::get(getContext(), 64)
                              : source.getElementType();
  auto result = cast<RankedTensorType>(getResult().getType());
  if (result.getElementType() != element ||
      result.getRank() != source.getRank() ||
      result.getShape().drop_back() != source.getShape().drop_back())
    return emitOpError() << "makes " << result << " of " << source
                         << ", expected rows of " << element;
  // sort_c3
  if (getRun() < 0 || getMost() < 0 ||
      ((getSelect() || getIndices()) && getRun() != 0))
    return emitOpError() << "has runs of " << countOf(getRun(), "element")
                         << ", at most " << getMost() << " of them"
                         << (getSelect() ? ", and selects" : "")
                         << (getIndices() ? ", and gives indices" : "");
  if (getPacked() &&
      (!getIndices() || getWide() || source.getElementTypeBitWidth() > 32))
    return emitOpError() << "packs what are no indices below 2^32 of elements "
                            "of up to 32 bits";
  return success();
}

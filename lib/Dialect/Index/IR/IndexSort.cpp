//===- IndexSort.cpp - Rows of a device in order --------------------------===//

#include "tapestry/Dialect/Index/IR/IndexSort.h"
#include "mlir/IR/Builders.h"

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
  Type i64 = IntegerType::get(getContext(), 64);
  SmallVector<Type> elements;
  if (getValues())
    elements.push_back(source.getElementType());
  if (getIndices())
    elements.push_back(i64);
  if (elements.empty() || elements.size() != getResults().size())
    return emitOpError() << "has " << getResults().size()
                         << " results, expected one of values, one of indices "
                            "or both, as it says";
  for (auto [number, element] : llvm::enumerate(elements)) {
    auto type = cast<RankedTensorType>(getResults()[number].getType());
    if (type.getElementType() != element ||
        type.getRank() != source.getRank() ||
        type.getShape().drop_back() != source.getShape().drop_back())
      return emitOpError() << "makes " << type << " of " << source
                           << ", expected rows of " << element;
  }
  // sort_c3
  if (getPlaces() && getPlaces().getType() != source.clone(i64))
    return emitOpError() << "has places " << getPlaces().getType()
                         << ", expected " << source.clone(i64);
  // sort_c4
  if (getRun() < 0 || getMost() < 0 || (getSelect() && getRun() != 0))
    return emitOpError() << "has runs of " << getRun() << " elements, at most "
                         << getMost() << " of them"
                         << (getSelect() ? ", and selects" : "");
  return success();
}

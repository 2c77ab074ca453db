//===- IndexBlock.cpp - Calls of functions from outside -------------------===//

#include "tapestry/Dialect/Index/IR/IndexBlock.h"
#include "mlir/IR/Builders.h"
#include "tapestry/Support/Counted.h"

using namespace mlir;
using namespace tapestry::index;

#define GET_OP_CLASSES
#include "tapestry/Dialect/Index/IR/IndexBlock.cpp.inc"

static bool isStored(Type element) {
  return element.isIntOrFloat() || isa<ComplexType>(element);
}

LogicalResult CallBlockOp::verify() {
  // call_block_c1
  size_t labels = getExtents().size();
  if (getStarts().size() != labels || getEnds().size() != labels)
    return emitOpError() << "has " << getStarts().size() << " starts and "
                         << countOf(getEnds().size(), "end") << " for "
                         << labels << " extents";
  // call_block_c2
  size_t tensors = getInputs().size() + getResults().size(), dims = 0,
         unknown = 0;
  for (Type type : getInputs().getTypes())
    dims += cast<RankedTensorType>(type).getRank();
  for (Type type : getResultTypes()) {
    auto tensor = cast<RankedTensorType>(type);
    dims += tensor.getRank();
    unknown += tensor.getNumDynamicDims();
  }
  if (getTypes().size() != tensors || getOffsets().size() != dims ||
      getShapes().size() != dims)
    return emitOpError() << "has " << countOf(getTypes().size(), "type") << ", "
                         << getOffsets().size() << " offsets and "
                         << getShapes().size() << " extents of shapes for "
                         << tensors << " tensors of "
                         << countOf(dims, "dimension") << " together";
  for (Type type : (*this)->getOperandTypes())
    if (auto tensor = dyn_cast<RankedTensorType>(type);
        tensor && !isStored(tensor.getElementType()))
      return emitOpError() << "reads " << tensor << ", expected numbers";
  for (Type type : getResultTypes())
    if (!isStored(cast<RankedTensorType>(type).getElementType()))
      return emitOpError() << "makes " << type << ", expected numbers";
  // call_block_c3
  if (getSizes().size() != unknown ||
      getFills().size() != 3 * getNumResults() ||
      getParams().size() != getParamTypes().size())
    return emitOpError() << "has " << countOf(getSizes().size(), "size")
                         << " for " << countOf(unknown, "dimension") << ", "
                         << countOf(getFills().size(), "fill") << " for "
                         << countOf(getNumResults(), "result") << ", and "
                         << countOf(getParamTypes().size(), "type") << " for "
                         << getParams().size() << " parameters";
  return success();
}

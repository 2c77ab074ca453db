//===- IndexConstant.cpp - A device's part of a constant ------------------===//

#include "tapestry/Dialect/Index/IR/IndexConstant.h"
#include "tapestry/Interfaces/ElementType.h"
#include "tapestry/Support/Counted.h"

using namespace mlir;
using namespace tapestry::index;

#define GET_OP_CLASSES
#include "tapestry/Dialect/Index/IR/IndexConstant.cpp.inc"

LogicalResult ConstantOp::verify() {
  // constant_c1
  auto value = dyn_cast<DenseElementsAttr>(getValue());
  if (!value)
    return emitOpError("holds no dense elements");
  ShapedType type = value.getType();
  if (static_cast<int64_t>(getStarts().size()) != type.getRank())
    return emitOpError() << "has " << getStarts().size() << " starts for "
                         << countOf(type.getRank(), "dimension");
  // constant_c2
  auto result = cast<RankedTensorType>(getResult().getType());
  bool isPart =
      result.getRank() == type.getRank() &&
      result.getElementType() == tapestry::storageType(type.getElementType());
  for (int64_t dim = 0; isPart && dim < type.getRank(); ++dim)
    isPart = result.isDynamicDim(dim) ||
             result.getDimSize(dim) <= type.getDimSize(dim);
  if (!isPart)
    return emitOpError() << "takes " << result << " of " << type;
  if (getSizes().size() != static_cast<size_t>(result.getNumDynamicDims()))
    return emitOpError() << "has " << countOf(getSizes().size(), "size")
                         << " for " << result.getNumDynamicDims()
                         << " extents that are not static";
  return success();
}

//===- BlockBuffers.cpp - What loops over blocks put in place -------------===//

#include "BlockBuffers.h"
#include "tapestry/Codegen/Common/DeviceCode.h"

using namespace mlir;

namespace tapestry {

OpFoldResult sizeOf(IndexBuilder &b, Value buffer, unsigned dim) {
  auto type = cast<MemRefType>(buffer.getType());
  if (!type.isDynamicDim(dim))
    return b.index(type.getDimSize(dim));
  if (auto alloc = buffer.getDefiningOp<memref::AllocOp>())
    return alloc.getDynamicSizes()[type.getDynamicDimIndex(dim)];
  return memref::DimOp::create(b, buffer, b.value(dim)).getResult();
}

Value allocateBlock(IndexBuilder &b, ArrayRef<OpFoldResult> sizes,
                    Type element) {
  SmallVector<int64_t> shape;
  SmallVector<Value> dynamic;
  for (OpFoldResult size : sizes) {
    shape.push_back(b.known(size).value_or(ShapedType::kDynamic));
    if (!b.known(size))
      dynamic.push_back(b.value(size));
  }
  return memref::AllocOp::create(b, MemRefType::get(shape, element), dynamic,
                                 b.getI64IntegerAttr(64));
}

void becomeKernel(IndexBuilder &b, Operation *loop, Operation *replaced) {
  loop->setAttr(kernelAttrName, b.getUnitAttr());
  for (NamedAttribute attribute : replaced->getDiscardableAttrs())
    if (attribute.getName().strref().starts_with("tapestry."))
      loop->setAttr(attribute.getName(), attribute.getValue());
}

void eraseReplaced(const BlockBuffers &buffers) {
  for (auto &[whole, made] : buffers) {
    for (Operation *user : llvm::make_early_inc_range(whole.getUsers()))
      user->erase();
    whole.getDefiningOp()->erase();
  }
}

} // namespace tapestry

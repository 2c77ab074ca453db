//===- DeviceModule.cpp - The part of a program that the GPU runs ---------===//

#include "DeviceModule.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace tapestry {

static SmallVector<StringRef> apart(StringRef archs) {
  SmallVector<StringRef> names;
  archs.split(names, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  return names;
}

bool hasStub(StringRef archs) {
  return llvm::is_contained(apart(archs), StringRef(stubArch));
}

SmallVector<std::string> ptxArchs(StringRef archs) {
  SmallVector<std::string> result = {leastArch.str()};
  for (StringRef name : apart(archs))
    if (name != stubArch && !llvm::is_contained(result, name))
      result.push_back(name.str());
  return result;
}

bool isKnownArch(StringRef arch) {
  // Kernels use what the least one has.
  static constexpr StringRef known[] = {
      "sm_80",  "sm_86",   "sm_87",  "sm_89",   "sm_90", "sm_90a",
      "sm_100", "sm_100a", "sm_120", "sm_120a", stubArch};
  return llvm::is_contained(known, arch);
}

Value bufferAt(OpBuilder &b, Location loc, Value pointer, MemRefType type,
               OpFoldResult offset, ArrayRef<OpFoldResult> sizes,
               ArrayRef<OpFoldResult> strides) {
  // A buffer of one element, seen as one of the right size.
  auto single = LLVM::LLVMStructType::getLiteral(
      b.getContext(), {pointer.getType(), pointer.getType(), b.getI64Type()});
  Value zero = LLVM::ConstantOp::create(b, loc, b.getI64IntegerAttr(0));
  Value descriptor = LLVM::UndefOp::create(b, loc, single);
  for (auto [field, value] :
       llvm::enumerate(SmallVector<Value>{pointer, pointer, zero}))
    descriptor = LLVM::InsertValueOp::create(b, loc, descriptor, value,
                                             static_cast<int64_t>(field));
  Value base =
      UnrealizedConversionCastOp::create(
          b, loc, MemRefType::get({}, type.getElementType()), descriptor)
          .getResult(0);
  return memref::ReinterpretCastOp::create(b, loc, type, base, offset, sizes,
                                           strides);
}

} // namespace tapestry

//===- DeviceModule.cpp - The part of a program that the GPU runs ---------===//

#include "DeviceModule.h"
#include "tapestry/Codegen/Common/Buffers.h"
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
  Value base = elementAt(b, loc, pointer, type.getElementType());
  return memref::ReinterpretCastOp::create(b, loc, type, base, offset, sizes,
                                           strides);
}

} // namespace tapestry

//===- ExpectedSizes.h - What sizes are on most devices ---------*- C++ -*-===//
//
// Extents that are known at run time only, since blocks of devices differ, are
// what device 0 has, on all devices but those with the last, smaller blocks. So
// code for any extents is planned for these.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_CODEGEN_COMMON_EXPECTEDSIZES_H
#define TAPESTRY_CODEGEN_COMMON_EXPECTEDSIZES_H

#include "tapestry/Codegen/Common/MemoryTrace.h"

namespace tapestry {

/// Of an argument of a kernel: the expected extents of the buffer, an array of
/// 64-bit integers; ShapedType::kDynamic for one that is not known.
constexpr llvm::StringLiteral extentsAttrName = "tapestry.extents";

/// Of device code before its kernels are outlined.
class ExpectedSizes {
public:
  explicit ExpectedSizes(mlir::ModuleOp module);

  /// The extents of a buffer; null where its type says all, or nothing is
  /// known.
  mlir::DenseI64ArrayAttr extentsOf(mlir::Value buffer);

private:
  class Arguments;
  std::optional<int64_t> sizeOf(mlir::Value buffer, unsigned dim);
  std::optional<int64_t> valueOf(mlir::Value value);

  MemoryTrace trace;
  /// The only call of a function; null for one that is called several times.
  llvm::StringMap<mlir::func::CallOp> calls;
};

/// In a kernel, or any function by itself: what a size, or a number that sizes
/// are made of, is expected to be; in a loop, in its first pass.
std::optional<int64_t> expectedSize(mlir::Value buffer, unsigned dim);
std::optional<int64_t> expectedValue(mlir::Value value);

} // namespace tapestry

#endif // TAPESTRY_CODEGEN_COMMON_EXPECTEDSIZES_H

//===- SortEmitter.h - Kernels that put rows in order -----------*- C++ -*-===//

#ifndef TAPESTRY_LIB_CODEGEN_GPU_SORTEMITTER_H
#define TAPESTRY_LIB_CODEGEN_GPU_SORTEMITTER_H

#include "LaunchEmitter.h"

namespace tapestry {

/// What tapestry_rt_sort is asked for; see the runtime's ABI.h.
struct SortCall {
  /// A TapestryDType, and a sum of TapestrySortMode.
  int32_t dtype, mode;
  mlir::OpFoldResult rows, stride, length, first, count;
  /// 0 where there are no runs.
  int64_t run;
  /// An i64.
  mlir::Value offset;
  /// Pointers.
  mlir::Value source, result, scratch;
};

/// Builds the launches that do what `call` says at `b`'s insertion point.
void emitSort(IndexBuilder &b, const SortCall &call);

} // namespace tapestry

#endif // TAPESTRY_LIB_CODEGEN_GPU_SORTEMITTER_H

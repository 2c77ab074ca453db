//===- SplitLoops.h - Loops over rows on several threads --------*- C++ -*-===//

#ifndef TAPESTRY_LIB_CODEGEN_CPU_SPLITLOOPS_H
#define TAPESTRY_LIB_CODEGEN_CPU_SPLITLOOPS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tapestry/Codegen/CPU/TargetInfo.h"

namespace tapestry {

/// What of `kernel` touches memory beside allocations and frees, where that is
/// one operation; null otherwise.
mlir::Operation *onlyWork(mlir::func::FuncOp kernel);

/// Where all that `kernel` does stands in loops that may run in any order, and
/// takes long enough, shares one of them out among threads: each has buffers
/// of its own. Returns about how many nanoseconds one thread takes, or 0 where
/// nothing is shared.
double splitLoops(mlir::func::FuncOp kernel, const TargetInfo &target);

} // namespace tapestry

#endif // TAPESTRY_LIB_CODEGEN_CPU_SPLITLOOPS_H

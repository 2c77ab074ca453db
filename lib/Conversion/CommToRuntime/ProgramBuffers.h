//===- ProgramBuffers.h - Which buffers a device program needs --*- C++ -*-===//
//
// Upstream's one-shot analysis compares all reads of what may share a buffer
// with all writes. These steps around it keep that set small and answer
// themselves what a look at one operation answers, so that time grows with a
// program's length.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_CONVERSION_COMMTORUNTIME_PROGRAMBUFFERS_H
#define TAPESTRY_LIB_CONVERSION_COMMTORUNTIME_PROGRAMBUFFERS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"

namespace tapestry {

/// Gives every operation that computes into an empty tensor one of its own, and
/// computes what is inserted into a tensor or leaves the program right there.
/// `listener` hears of what is changed for the latter.
mlir::LogicalResult
placeResults(mlir::func::FuncOp function,
             mlir::RewriterBase::Listener *listener = nullptr);

/// Turns tensors into buffers, by upstream's rules for each operation.
mlir::LogicalResult bufferizeProgram(mlir::func::FuncOp function);

} // namespace tapestry

#endif // TAPESTRY_LIB_CONVERSION_COMMTORUNTIME_PROGRAMBUFFERS_H

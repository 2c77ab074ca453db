//===- RegionEvaluator.h - An op over its whole index space -----*- C++ -*-===//
//
// By definition: each result element by itself.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_DIALECT_INDEX_EVALUATE_REGIONEVALUATOR_H
#define TAPESTRY_DIALECT_INDEX_EVALUATE_REGIONEVALUATOR_H

#include "tapestry/Dialect/Index/Evaluate/ScalarProgram.h"

namespace llvm {
class ThreadPoolInterface;
} // namespace llvm

namespace tapestry::reference {

/// Computes the result of `op`, which has a scalar region, from one tensor per
/// operand, which have the operands' types. Result elements are shared out over
/// the threads of `pool`; null: all in the calling thread.
llvm::Expected<HostTensor>
evaluateRegion(BlockOpInterface op, llvm::ArrayRef<const HostTensor *> inputs,
               llvm::ThreadPoolInterface *pool);

} // namespace tapestry::reference

#endif // TAPESTRY_DIALECT_INDEX_EVALUATE_REGIONEVALUATOR_H

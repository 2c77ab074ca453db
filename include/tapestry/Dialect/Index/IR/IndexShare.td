//===- IndexShare.td - What one thread computes ------------*- tablegen -*-===//

#ifndef TAPESTRY_DIALECT_INDEX_IR_INDEXSHARE_TD
#define TAPESTRY_DIALECT_INDEX_IR_INDEXSHARE_TD

include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tapestry/Dialect/Index/IR/IndexDialect.td"

def TapestryIndex_ShareOp : Op<TapestryIndex_Dialect, "share", [Pure]> {
  let summary = "Which points are the calling thread's";
  let description = [{
    Several threads run a kernel at a time. Of `units` points, which is at least
    0, one computes [begin, end): together each once, and the last thread has one
    where others have none. Where a single thread runs the kernel these are all.

    ```mlir
    %begin, %end = tapestry_index.share %units
    ```
  }];
  let arguments = (ins Index:$units);
  let results = (outs Index:$begin, Index:$end);
  let assemblyFormat = "$units attr-dict";
}

#endif // TAPESTRY_DIALECT_INDEX_IR_INDEXSHARE_TD

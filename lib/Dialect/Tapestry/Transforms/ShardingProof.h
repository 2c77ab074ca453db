//===- ShardingProof.h - Whether a graph is a sharding ----------*- C++ -*-===//

#ifndef TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_SHARDINGPROOF_H
#define TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_SHARDINGPROOF_H

#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"

namespace tapestry::teg {

/// Proves that `sharded` computes every index point of `whole` once, reads at
/// it what `whole` reads, and hands out the same cells; an error in `sharded`
/// names the first that is wrong. Plain operators of it that compute blocks are
/// written as shards. Returns the number of shards.
mlir::FailureOr<int64_t> proveSharding(GraphOp whole, GraphOp sharded);

} // namespace tapestry::teg

#endif // TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_SHARDINGPROOF_H

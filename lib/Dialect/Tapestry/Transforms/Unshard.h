//===- Unshard.h - Whole operations from shards -----------------*- C++ -*-===//

#ifndef TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_UNSHARD_H
#define TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_UNSHARD_H

#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"

namespace tapestry::teg {

struct UnshardCounts {
  /// Shards that were put together, and operations that they became.
  int64_t shards = 0, wholes = 0;
};

/// Puts the shards of a graph together.
UnshardCounts unshard(GraphOp graph);

} // namespace tapestry::teg

#endif // TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_UNSHARD_H

//===- PlainVertex.h - Blocks of vertices that are no shards ----*- C++ -*-===//

#ifndef TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_PLAINVERTEX_H
#define TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_PLAINVERTEX_H

#include "FreshNames.h"
#include "GraphViews.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryShard.h"

namespace tapestry::teg {

/// A plain operator of a sharded graph, as the shard of a vertex of the whole
/// one that it would be if it were a block of that, before it; where that lies
/// its operands say. Null, with the reason, where it is none, whatever they
/// are.
ShardOp shardOfVertex(BlockOpInterface op, BlockOpInterface vertex,
                      GraphViews &views, FreshNames &names,
                      std::string &reason);

} // namespace tapestry::teg

#endif // TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_PLAINVERTEX_H

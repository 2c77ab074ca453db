//===- PlainVertex.h - Blocks of vertices that are no shards ----*- C++ -*-===//

#ifndef TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_PLAINVERTEX_H
#define TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_PLAINVERTEX_H

#include "FreshNames.h"
#include "VertexTable.h"

namespace tapestry::teg {

/// Plain operators of a sharded graph that compute blocks of vertices.
class PlainVertices {
public:
  /// The shard that a plain operator is of a vertex of the table, in its place;
  /// of several rather one that `isRight`, with `onlyRight` no other. Null
  /// where it is none, with the name of what it may have been meant for and why
  /// it is no block of that.
  ShardOp replace(BlockOpInterface op, VertexTable &table, GraphViews &views,
                  llvm::function_ref<bool(BlockOpInterface, ShardOp)> isRight,
                  bool onlyRight, std::string &noBlock);

private:
  std::optional<FreshNames> names;
};

} // namespace tapestry::teg

#endif // TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_PLAINVERTEX_H

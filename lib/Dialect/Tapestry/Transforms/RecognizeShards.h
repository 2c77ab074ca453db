//===- RecognizeShards.h - Shards that are written plainly ------*- C++ -*-===//

#ifndef TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_RECOGNIZESHARDS_H
#define TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_RECOGNIZESHARDS_H

#include "FreshNames.h"
#include "llvm/ADT/DenseSet.h"

namespace tapestry::teg {

/// A tensor that is put together, and what has been tried of it.
struct TriedJoin {
  /// The place of what makes it in a walk of the graph.
  unsigned number = 0;
  mlir::Location loc;
  /// In quotes, and of what is read by operators that are put together.
  std::string name;
  /// Why it is nothing that one operator makes.
  std::string reason;
};

/// Says why a tensor is not put together.
void report(const TriedJoin &join);

/// What has become shards, and what could not.
struct Recognized {
  std::vector<TriedJoin> made, tried;
  int64_t numShards = 0;
};

/// On shards that have been recognized: the number of what they are put
/// together to.
inline constexpr llvm::StringLiteral joinAttrName = "tapestry.join";

/// Writes the plain operators of a graph as shards that are put together and
/// are blocks of one operator; of those that are numbered in `excluded` nothing
/// is tried.
Recognized recognizeShards(GraphOp graph,
                           const llvm::DenseSet<unsigned> &excluded);

} // namespace tapestry::teg

#endif // TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_RECOGNIZESHARDS_H

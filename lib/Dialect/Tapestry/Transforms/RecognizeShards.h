//===- RecognizeShards.h - Shards that are written plainly ------*- C++ -*-===//

#ifndef TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_RECOGNIZESHARDS_H
#define TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_RECOGNIZESHARDS_H

#include "FreshNames.h"
#include "llvm/ADT/DenseSet.h"
#include <map>

namespace tapestry::teg {

/// What has been tried of one tensor that is put together.
struct TriedJoin {
  mlir::Location loc;
  std::string name;
  /// Why it is nothing that one operator makes.
  std::string reason;
};

/// On shards that have been recognized: the number of what they are put
/// together to.
inline constexpr llvm::StringLiteral joinAttrName = "tapestry.join";

/// Writes the plain operators of a graph as shards that are put together and
/// are blocks of one operator. Tensors are numbered by the places of what makes
/// them in a walk of the graph; those of `excluded` are not tried. Counts the
/// shards, adds to `made` what they are put together to, and returns what is
/// made of one kind of operators, but of no shards.
std::map<unsigned, TriedJoin>
recognizeShards(GraphOp graph, const llvm::DenseSet<unsigned> &excluded,
                unsigned &numShards, std::map<unsigned, TriedJoin> &made);

} // namespace tapestry::teg

#endif // TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_RECOGNIZESHARDS_H

//===- IndexNames.h - What messages call an index ---------------*- C++ -*-===//
//
// Private to this folder.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_IMPORT_EIN_INDEXNAMES_H
#define TAPESTRY_LIB_IMPORT_EIN_INDEXNAMES_H

#include "tapestry/Import/Ein/Graph.h"

namespace tapestry::ein {

/// What is outside where an index is, as the program has it.
struct NamedIndex {
  /// A dimension of what is named: one of the tensor, or the pass that the
  /// counter, a tensor, is in.
  struct Dim {
    int64_t extent;
    unsigned dim;
    std::optional<unsigned> counter;
  };
  /// Has the same elements outside: positions in Graph::tensors.
  unsigned tensor;
  /// Followed by a coordinate of `dims`.
  std::string name;
  llvm::SmallVector<Dim> dims;
};

/// A cast is named as what it casts, a row that a loop reads as what it is of.
NamedIndex nameIndex(const Graph &graph, unsigned tensor);

} // namespace tapestry::ein

#endif // TAPESTRY_LIB_IMPORT_EIN_INDEXNAMES_H

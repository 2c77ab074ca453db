//===- GraphKey.h - Equal graphs have equal keys ----------------*- C++ -*-===//

#ifndef TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_GRAPHKEY_H
#define TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_GRAPHKEY_H

#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"

namespace tapestry::teg {

using GraphKey = std::pair<uint64_t, uint64_t>;

/// A digest of what the graph's sinks and sequence points observe. The names of
/// einsums and of labels, and the order of independent operations, do not
/// matter; sources and sinks are known by name.
GraphKey keyOf(GraphOp graph);

} // namespace tapestry::teg

#endif // TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_GRAPHKEY_H

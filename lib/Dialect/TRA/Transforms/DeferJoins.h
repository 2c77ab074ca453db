//===- DeferJoins.h - Joins before a maximum is aggregated ------*- C++ -*-===//
//
// Private to this folder. Rewrites relative joins to a device's own maximum,
// and what sums they are made into to that of all devices.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_DIALECT_TRA_TRANSFORMS_DEFERJOINS_H
#define TAPESTRY_LIB_DIALECT_TRA_TRANSFORMS_DEFERJOINS_H

#include "RelativeJoins.h"

namespace tapestry::tra {

/// Moves the aggregate behind the joins that `found` has; false, with nothing
/// changed in the program, where some of them needs it. `erased` are the joins
/// that are no more, not to be looked into.
bool deferJoins(RelativeJoins &found,
                llvm::SmallVectorImpl<mlir::Operation *> &erased);

} // namespace tapestry::tra

#endif // TAPESTRY_LIB_DIALECT_TRA_TRANSFORMS_DEFERJOINS_H

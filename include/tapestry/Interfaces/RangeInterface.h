//===- RangeInterface.h - Blocks of an index space apart --------*- C++ -*-===//
//
// Declares RangeInterface: what an operator may say of a block of its index
// space that its projections do not.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_INTERFACES_RANGEINTERFACE_H
#define TAPESTRY_INTERFACES_RANGEINTERFACE_H

#include "mlir/IR/OpDefinition.h"
#include "tapestry/Support/HostTensor.h"
#include "tapestry/Support/ZSpace.h"
#include <optional>

#include "tapestry/Interfaces/RangeInterface.h.inc"

namespace tapestry {

/// The block that an operator says to compute of another one; nothing where it
/// does not say that it is a shard.
std::optional<ZBox> getRangeOfShard(mlir::Operation *op);

} // namespace tapestry

#endif // TAPESTRY_INTERFACES_RANGEINTERFACE_H

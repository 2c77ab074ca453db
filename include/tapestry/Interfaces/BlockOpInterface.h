//===- BlockOpInterface.h - Index space and projections ---------*- C++ -*-===//
//
// Declares BlockOpInterface: the index space, projections, monoids and marginal
// cost of an operator, from which its distribution is derived, and what it
// computes on a block.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_INTERFACES_BLOCKOPINTERFACE_H
#define TAPESTRY_INTERFACES_BLOCKOPINTERFACE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/OpDefinition.h"
#include "tapestry/Interfaces/LocalBlock.h"
#include "tapestry/Interfaces/Monoid.h"
#include "tapestry/Support/Access.h"
#include "tapestry/Support/HostTensor.h"
#include "tapestry/Support/Layout.h"
#include "tapestry/Support/ShardingConstraint.h"
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tapestry {

/// What one index point takes, on any device.
struct PointWork {
  int64_t flops = 0;
  int64_t bytes = 0;
};

} // namespace tapestry

#include "tapestry/Interfaces/BlockOpInterface.h.inc"

#endif // TAPESTRY_INTERFACES_BLOCKOPINTERFACE_H

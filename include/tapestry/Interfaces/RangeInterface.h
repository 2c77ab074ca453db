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

#include "tapestry/Interfaces/RangeInterface.h.inc"

#endif // TAPESTRY_INTERFACES_RANGEINTERFACE_H

//===- ScanInterface.h - Operators with a running value ---------*- C++ -*-===//
//
// Declares ScanInterface: what an operator brings so that the label along which
// its values run on may be cut.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_INTERFACES_SCANINTERFACE_H
#define TAPESTRY_INTERFACES_SCANINTERFACE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"
#include "tapestry/Interfaces/LocalBlock.h"

#include "tapestry/Interfaces/ScanInterface.h.inc"

#endif // TAPESTRY_INTERFACES_SCANINTERFACE_H

//===- SelectorInterface.h - Views of tensors -------------------*- C++ -*-===//
//
// Declares SelectorInterface: operators that compute nothing, the selector
// expressions of the white paper.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_INTERFACES_SELECTORINTERFACE_H
#define TAPESTRY_INTERFACES_SELECTORINTERFACE_H

#include "mlir/IR/OpDefinition.h"
#include "tapestry/Support/TensorView.h"

#include "tapestry/Interfaces/SelectorInterface.h.inc"

#endif // TAPESTRY_INTERFACES_SELECTORINTERFACE_H

//===- InitTargets.cpp - Registers Tapestry's targets ---------------------===//
//
// A new target is added here; apart from InitAll.cpp, so that what needs only
// targets links only them.
//
//===----------------------------------------------------------------------===//

#include "tapestry/Codegen/CPU/CPUTarget.h"
#include "tapestry/Codegen/GPU/CUDATarget.h"
#include "tapestry/InitAll.h"

void tapestry::registerAllTargets() {
  registerCPUTarget();
  registerCUDATarget();
}

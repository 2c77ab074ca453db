//===- RangeInterface.cpp - Blocks of an index space apart ----------------===//

#include "tapestry/Interfaces/RangeInterface.h"

#include "tapestry/Interfaces/RangeInterface.cpp.inc"

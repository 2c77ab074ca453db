//===- BlockOpInterface.cpp - Index space and projections -----------------===//

#include "tapestry/Interfaces/BlockOpInterface.h"

#include "tapestry/Interfaces/BlockOpInterface.cpp.inc"

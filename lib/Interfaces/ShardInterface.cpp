//===- ShardInterface.cpp - Operators that blocks of are operators --------===//

#include "tapestry/Interfaces/ShardInterface.h"

#include "tapestry/Interfaces/ShardInterface.cpp.inc"

//===- SelectorInterface.cpp - Views of tensors ---------------------------===//

#include "tapestry/Interfaces/SelectorInterface.h"

#include "tapestry/Interfaces/SelectorInterface.cpp.inc"

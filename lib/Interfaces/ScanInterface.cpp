//===- ScanInterface.cpp - Operators with a running value -----------------===//

#include "tapestry/Interfaces/ScanInterface.h"

#include "tapestry/Interfaces/ScanInterface.cpp.inc"

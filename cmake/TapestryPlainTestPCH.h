// Headers that unit tests without MLIR parse; precompiled once.
#ifndef TAPESTRY_CMAKE_TAPESTRYPLAINTESTPCH_H
#define TAPESTRY_CMAKE_TAPESTRYPLAINTESTPCH_H

#include "TapestryPlainPCH.h"
#include <gtest/gtest.h>

#endif // TAPESTRY_CMAKE_TAPESTRYPLAINTESTPCH_H

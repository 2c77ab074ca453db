// Headers that unit tests on IR parse; precompiled once.
#ifndef TAPESTRY_CMAKE_TAPESTRYTESTPCH_H
#define TAPESTRY_CMAKE_TAPESTRYTESTPCH_H

#include "TapestryPCH.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include <gtest/gtest.h>

#endif // TAPESTRY_CMAKE_TAPESTRYTESTPCH_H

//===- MLIRTool.h - Tools whose main is one of MLIR's -----------*- C++ -*-===//

#ifndef TAPESTRY_DRIVER_MLIRTOOL_H
#define TAPESTRY_DRIVER_MLIRTOOL_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/LogicalResult.h"

namespace tapestry::driver {

/// Runs `main` as the tool `name`: with the targets, cost models and plug-ins
/// that the driver has, and with its outputs. The file of -o appears whole or
/// not at all and is none of the inputs; what cannot be written ends the tool
/// with one message and ExitEnvironment. Returns the exit status.
int runMLIRTool(llvm::StringRef name, int argc, char **argv,
                llvm::function_ref<llvm::LogicalResult(int, char **)> main);

} // namespace tapestry::driver

#endif // TAPESTRY_DRIVER_MLIRTOOL_H

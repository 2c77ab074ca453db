//===- Version.h - What this build is and can do ----------------*- C++ -*-===//

#ifndef TAPESTRY_DRIVER_VERSION_H
#define TAPESTRY_DRIVER_VERSION_H

#include "llvm/Support/raw_ostream.h"

namespace tapestry::driver {

/// For --version: the build, LLVM, targets, back ends and this machine's CPU.
void printVersion(llvm::raw_ostream &os);

} // namespace tapestry::driver

#endif // TAPESTRY_DRIVER_VERSION_H

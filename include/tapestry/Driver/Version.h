//===- Version.h - What this build is and can do ----------------*- C++ -*-===//

#ifndef TAPESTRY_DRIVER_VERSION_H
#define TAPESTRY_DRIVER_VERSION_H

#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace tapestry::driver {

/// For --version: the build, LLVM, targets, back ends and this machine's CPU.
void printVersion(llvm::raw_ostream &os);

/// The ids that linkers gave this executable and, behind it, the libraries that
/// are loaded, in hexadecimal digits; empty for one without.
std::vector<std::string> buildIds();

} // namespace tapestry::driver

#endif // TAPESTRY_DRIVER_VERSION_H

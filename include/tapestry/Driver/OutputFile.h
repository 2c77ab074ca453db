//===- OutputFile.h - Files that appear whole or not at all -----*- C++ -*-===//

#ifndef TAPESTRY_DRIVER_OUTPUTFILE_H
#define TAPESTRY_DRIVER_OUTPUTFILE_H

#include "tapestry-rt/Status.h"
#include "tapestry/Driver/Status.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace tapestry::driver {

/// Prints a failure; the status is its own.
ExitStatus report(const rt::Status &status);

/// Writes a file as the runtime does (tapestry-rt/Files.h). A failure is
/// printed.
ExitStatus writeOutputFile(llvm::StringRef path,
                           llvm::function_ref<void(llvm::raw_ostream &)> write);

} // namespace tapestry::driver

#endif // TAPESTRY_DRIVER_OUTPUTFILE_H

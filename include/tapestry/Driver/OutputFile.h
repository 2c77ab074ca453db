//===- OutputFile.h - Files that appear whole or not at all -----*- C++ -*-===//

#ifndef TAPESTRY_DRIVER_OUTPUTFILE_H
#define TAPESTRY_DRIVER_OUTPUTFILE_H

#include "tapestry/Driver/Status.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace tapestry::driver {

/// Writes a file where a link points; pipes and devices are written to as they
/// are. A failure is printed.
ExitStatus writeOutputFile(llvm::StringRef path,
                           llvm::function_ref<void(llvm::raw_ostream &)> write);

} // namespace tapestry::driver

#endif // TAPESTRY_DRIVER_OUTPUTFILE_H

//===- KeepNamed.h - Views that plan files name -----------------*- C++ -*-===//

#ifndef TAPESTRY_LIB_PIPELINES_KEEPNAMED_H
#define TAPESTRY_LIB_PIPELINES_KEEPNAMED_H

#include "mlir/Pass/Pass.h"
#include "llvm/ADT/StringRef.h"

namespace tapestry {

/// A pass on graphs that marks the einsums and selectors that a plan file names
/// as vertices, and, unless the graph has been `rewritten` as it says, those
/// that its rewrites name: what it decides of a view is decided, so that
/// readers read what that makes. What is wrong with the file is said where it
/// is followed.
std::unique_ptr<mlir::Pass> createKeepNamed(llvm::StringRef planFile,
                                            bool rewritten);

} // namespace tapestry

#endif // TAPESTRY_LIB_PIPELINES_KEEPNAMED_H

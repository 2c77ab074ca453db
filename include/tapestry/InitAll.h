//===- InitAll.h - Registers Tapestry's dialects and passes -----*- C++ -*-===//
//
// What a tool calls to know everything of Tapestry. Embedders that need only a
// part call the rooms' own functions instead.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_INITALL_H
#define TAPESTRY_INITALL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace tapestry {

/// Adds every dialect of Tapestry and of loaded plug-ins to `registry`.
void registerAllDialects(mlir::DialectRegistry &registry);

/// Registers every target of code generation; needed before anything asks for a
/// target or for the dialects of the code phase.
void registerAllTargets();

/// Registers every target and cost model, and every pass and pipeline of
/// Tapestry with the pass manager's command line.
void registerAllPasses();

} // namespace tapestry

#endif // TAPESTRY_INITALL_H

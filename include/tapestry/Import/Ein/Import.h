//===- Import.h - From .ein text to the tapestry dialect --------*- C++ -*-===//

#ifndef TAPESTRY_IMPORT_EIN_IMPORT_H
#define TAPESTRY_IMPORT_EIN_IMPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "tapestry/Import/Ein/Sema.h"

namespace llvm {
class MemoryBufferRef;
class SourceMgr;
} // namespace llvm

namespace tapestry::ein {

/// Imports the main buffer of `sources` as a module with one tapestry.graph: a
/// source per input and an einsum per vertex in the order of their definition,
/// then a sink per output. Errors go to the context's diagnostic engine: with
/// an mlir::SourceMgrDiagnosticHandler on `sources` they show the line and a
/// caret. Null when there were errors. Loads the dialects that it needs.
mlir::OwningOpRef<mlir::ModuleOp> importEin(llvm::SourceMgr &sources,
                                            const EinOptions &options,
                                            mlir::MLIRContext *context);

/// The same for a buffer of its own; prints errors with line and caret to
/// standard error.
mlir::OwningOpRef<mlir::ModuleOp> importEin(llvm::MemoryBufferRef buffer,
                                            const EinOptions &options,
                                            mlir::MLIRContext *context);

/// Emits a checked program; `sources` tells where its statements stand.
mlir::OwningOpRef<mlir::ModuleOp> emitGraph(const Graph &graph,
                                            const llvm::SourceMgr &sources,
                                            const EinOptions &options,
                                            mlir::MLIRContext *context);

/// Registers --ein-to-mlir, with -D for params.
void registerEinToMLIRTranslation();

} // namespace tapestry::ein

#endif // TAPESTRY_IMPORT_EIN_IMPORT_H

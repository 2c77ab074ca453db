//===- EmitBlock.h - Blocks that an object file brings ----------*- C++ -*-===//
//
// Private to this folder.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_IMPORT_EIN_EMITBLOCK_H
#define TAPESTRY_LIB_IMPORT_EIN_EMITBLOCK_H

#include "mlir/IR/Builders.h"
#include "tapestry/Import/Ein/Graph.h"

namespace tapestry::ein {

/// The block of a vertex. What is wrong with its declaration, at `declared`, is
/// reported; null then.
mlir::Operation *buildBlock(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Location declared, llvm::StringRef name,
                            const Vertex &vertex, mlir::ValueRange operands,
                            mlir::TypeRange results);

} // namespace tapestry::ein

#endif // TAPESTRY_LIB_IMPORT_EIN_EMITBLOCK_H

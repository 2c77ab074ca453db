//===- EmitConstraints.h - Pins and preferences of vertices -----*- C++ -*-===//
//
// Private to this folder.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_IMPORT_EIN_EMITCONSTRAINTS_H
#define TAPESTRY_LIB_IMPORT_EIN_EMITCONSTRAINTS_H

#include "mlir/IR/Block.h"
#include "tapestry/Support/ShardingConstraint.h"
#include "llvm/ADT/ArrayRef.h"

namespace tapestry::ein {

/// What is asked of the cut of `op`'s work, or of where its result is kept.
void setConstraints(mlir::Operation *op,
                    llvm::ArrayRef<ShardingConstraint> constraints,
                    bool isHome);

/// The same of the work of a statement: what is asked of labels that `op`
/// lacks, which a macro reduces, concerns the vertices `before` it that have
/// them.
void setWorkConstraints(llvm::iterator_range<mlir::Block::iterator> before,
                        mlir::Operation *op,
                        llvm::ArrayRef<ShardingConstraint> constraints);

void setLayoutGroup(mlir::Operation *op, llvm::StringRef group);

} // namespace tapestry::ein

#endif // TAPESTRY_LIB_IMPORT_EIN_EMITCONSTRAINTS_H

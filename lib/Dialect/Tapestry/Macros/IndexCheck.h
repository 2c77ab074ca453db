//===- IndexCheck.h - Whether indices lie inside ----------------*- C++ -*-===//
//
// Private to this folder.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_DIALECT_TAPESTRY_MACROS_INDEXCHECK_H
#define TAPESTRY_LIB_DIALECT_TAPESTRY_MACROS_INDEXCHECK_H

#include "tapestry/Dialect/Tapestry/Macros/Macros.h"

namespace tapestry::teg {

/// What a check is called, and what it is about.
struct IndexNames {
  /// What the names of its vertices begin with.
  std::string vertex;
  /// Whose dimension it names points of.
  llvm::StringRef tensor;
  int64_t dim;
};

/// The result of the `tapestry.require` that the indices of a tensor are those
/// of an extent: a known one or a new one.
mlir::Value checkIndex(mlir::OpBuilder &builder, mlir::Location loc,
                       const CheckedIndex &index, int64_t extent,
                       const IndexNames &names, IndexChecks &checks);

} // namespace tapestry::teg

#endif // TAPESTRY_LIB_DIALECT_TAPESTRY_MACROS_INDEXCHECK_H

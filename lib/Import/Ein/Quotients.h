//===- Quotients.h - Multiples of quotients in subscripts -------*- C++ -*-===//
//
// Private to this folder.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_IMPORT_EIN_QUOTIENTS_H
#define TAPESTRY_LIB_IMPORT_EIN_QUOTIENTS_H

#include "Scope.h"

namespace tapestry::ein {

/// The read of a slice where a subscript is a multiple of what is divided or
/// wrapped around, else the same. `shapeOf` is called for the shape of what is
/// read, empty where it is not known.
const ast::AccessExpr *
sliceQuotients(const ast::AccessExpr &access,
               llvm::function_ref<llvm::ArrayRef<int64_t>()> shapeOf,
               const Scope &scope, ast::Context &context);

} // namespace tapestry::ein

#endif // TAPESTRY_LIB_IMPORT_EIN_QUOTIENTS_H

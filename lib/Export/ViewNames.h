//===- ViewNames.h - What operators are that only move elements -*- C++ -*-===//

#ifndef TAPESTRY_LIB_EXPORT_VIEWNAMES_H
#define TAPESTRY_LIB_EXPORT_VIEWNAMES_H

#include "tapestry/Interfaces/BlockOpInterface.h"

namespace tapestry {

/// The white paper's name of the selector that an operator with a scalar region
/// comes to: one whose every element is an element of an operand, or a
/// constant, chosen by its place alone. "view" where that is several at once;
/// empty where the operator computes.
llvm::StringRef viewName(BlockOpInterface op);

} // namespace tapestry

#endif // TAPESTRY_LIB_EXPORT_VIEWNAMES_H

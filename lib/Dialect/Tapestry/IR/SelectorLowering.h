//===- SelectorLowering.h - What selectors do -------------------*- C++ -*-===//
//
// Of any selector, by the pieces that it reads. Private to the dialect.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_DIALECT_TAPESTRY_IR_SELECTORLOWERING_H
#define TAPESTRY_LIB_DIALECT_TAPESTRY_IR_SELECTORLOWERING_H

#include "tapestry/Interfaces/BlockOpInterface.h"

namespace tapestry::teg::detail {

/// d0, d1, ...: the labels of a selector whose result has this rank.
llvm::SmallVector<std::string> dimensionLabels(int64_t rank);

/// What one device has of the result: every piece where it belongs.
llvm::SmallVector<mlir::Value> lowerSelector(BlockOpInterface op,
                                             mlir::OpBuilder &builder,
                                             mlir::Location loc,
                                             const LocalBlock &block);

/// The result, element by element.
llvm::Expected<std::vector<HostTensor>>
evaluateSelector(BlockOpInterface op,
                 llvm::ArrayRef<const HostTensor *> operands);

} // namespace tapestry::teg::detail

#endif // TAPESTRY_LIB_DIALECT_TAPESTRY_IR_SELECTORLOWERING_H

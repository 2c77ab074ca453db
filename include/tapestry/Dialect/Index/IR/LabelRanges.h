//===- LabelRanges.h - Where scalar regions choose what ---------*- C++ -*-===//
//
// A body that compares labels with numbers and chooses by that reads some of
// its operands at a box of the index space alone.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_DIALECT_INDEX_IR_LABELRANGES_H
#define TAPESTRY_DIALECT_INDEX_IR_LABELRANGES_H

#include "mlir/IR/Value.h"
#include "tapestry/Support/ZSpace.h"
#include <optional>

namespace tapestry::index {

/// The number of the label whose value an operation of a body is; nothing for
/// other operations.
using LabelOf = llvm::function_ref<std::optional<unsigned>(mlir::Operation *)>;

/// A box that holds those points of `points` at which a condition is true, or
/// is not: as much of it as comparisons of a label, plus or minus a number,
/// with a number say, and what is made of these.
ZBox pointsWhere(mlir::Value condition, bool isTrue,
                 llvm::ArrayRef<ZRange> points, LabelOf labelOf);

/// A box that holds those points of `points` at which the value of a body
/// follows from `value`: all where that goes anywhere but into choices.
ZBox pointsThatChoose(mlir::Value value, llvm::ArrayRef<ZRange> points,
                      LabelOf labelOf);

} // namespace tapestry::index

#endif // TAPESTRY_DIALECT_INDEX_IR_LABELRANGES_H

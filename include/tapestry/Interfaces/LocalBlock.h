//===- LocalBlock.h - One device's share of an operator ---------*- C++ -*-===//

#ifndef TAPESTRY_INTERFACES_LOCALBLOCK_H
#define TAPESTRY_INTERFACES_LOCALBLOCK_H

#include "mlir/IR/TypeRange.h"
#include "mlir/IR/ValueRange.h"

namespace tapestry {

/// The values that a device's share of an operator is computed from. Extents
/// are static where they are the same on all devices; any may be 0. Booleans
/// lie in bytes, here and in the results.
struct LocalBlock {
  /// Per piece that the op reads (`getReads`) what the points of the block that
  /// its guard holds read, from the least index of each dimension on: a range,
  /// all of [0, m) where those points wrap around. The operand's constant lies
  /// where they read outside the tensor.
  mlir::ValueRange windows;
  /// Per label the block's first point and the point behind its last, as
  /// `index` values.
  mlir::ValueRange starts, ends;
  /// Per result the part that the block writes, from the least index on. Where
  /// a label is reduced it holds what the block's points contribute: elements
  /// of the accumulator's type, the monoid's identity where there is no point.
  mlir::TypeRange results;
};

} // namespace tapestry

#endif // TAPESTRY_INTERFACES_LOCALBLOCK_H

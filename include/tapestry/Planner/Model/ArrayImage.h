//===- ArrayImage.h - What blocks touch of an array at least ----*- C++ -*-===//
//
// The common ground of lower bounds on communication.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_PLANNER_MODEL_ARRAYIMAGE_H
#define TAPESTRY_PLANNER_MODEL_ARRAYIMAGE_H

#include "tapestry/Support/Projection.h"

namespace tapestry::model {

/// What the blocks of a vertex touch of one array. The image of a block of
/// sides e has at least constant * prod e[l] elements over `sides`.
struct ArrayImage {
  llvm::SmallVector<unsigned, 4> sides;
  /// Every label that a subscript mentions: cutting it need not touch any
  /// element twice.
  llvm::SmallVector<unsigned, 4> mentioned;
  /// 0: nothing is known of it.
  double constant = 1;

  double wholeImage(llvm::ArrayRef<double> extents) const {
    double elements = constant;
    for (unsigned label : sides)
      elements *= extents[label];
    return elements;
  }
};

/// Of an array of this shape that is read through `projection` by an index
/// space of these extents. Nothing is known of what only some points read
/// (`isPartial`), or by subscripts that divide or wrap.
ArrayImage imageOf(const Projection &projection, bool padded, bool isPartial,
                   llvm::ArrayRef<double> extents,
                   llvm::ArrayRef<int64_t> shape);

} // namespace tapestry::model

#endif // TAPESTRY_PLANNER_MODEL_ARRAYIMAGE_H

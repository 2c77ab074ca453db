//===- TensorParts.h - The sizes and counts of a tensor's parts -*- C++ -*-===//

#ifndef TAPESTRY_PLANNER_MODEL_TENSORPARTS_H
#define TAPESTRY_PLANNER_MODEL_TENSORPARTS_H

#include "tapestry/Planner/Model/Graph.h"
#include "tapestry/Support/Layout.h"
#include <tuple>

namespace tapestry::model {

/// How one tensor dimension is cut: `count` parts of at most `size` elements.
/// In a window neighbouring parts overlap, so size * count exceeds the extent.
struct PartDim {
  int64_t size = 1;
  int64_t count = 1;
  /// How many points of the block of the tensor that has its number a part is
  /// beside of, for it reads others instead; 0 where there is one part.
  int64_t beside = 0;
  bool operator==(const PartDim &o) const {
    return size == o.size && count == o.count && beside == o.beside;
  }
  bool operator<(const PartDim &o) const {
    return std::tie(size, count, beside) < std::tie(o.size, o.count, o.beside);
  }
};

/// The cut of a tensor, one entry per dimension. Two reads with equal
/// TensorParts cost the same: these are the interface classes of the planning
/// problem.
using TensorParts = llvm::SmallVector<PartDim, 4>;

/// Plain blocks: extent / parts rounded up, `parts` times.
TensorParts plainParts(llvm::ArrayRef<int64_t> shape,
                       llvm::ArrayRef<int64_t> parts);

/// What a vertex with `labels` cut by `parts` reads or writes through
/// `projection` of a tensor of this shape. The size is the length of the image
/// of a full label block, at most what the index points of `guard` (empty: all)
/// hold of it and at most the dimension's extent; the count is the product of
/// parts over the labels in that dimension.
TensorParts projectedParts(const Projection &projection,
                           llvm::ArrayRef<int64_t> extents,
                           llvm::ArrayRef<int64_t> parts,
                           llvm::ArrayRef<int64_t> shape,
                           llvm::ArrayRef<ZRange> guard = {});

/// Elements of one part.
double partElements(llvm::ArrayRef<PartDim> parts);
/// The number of parts (the paper's n / n_c).
double partCount(llvm::ArrayRef<PartDim> parts);

} // namespace tapestry::model

#endif // TAPESTRY_PLANNER_MODEL_TENSORPARTS_H

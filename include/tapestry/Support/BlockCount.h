//===- BlockCount.h - Blocks of a cut, and what each gives ------*- C++ -*-===//

#ifndef TAPESTRY_SUPPORT_BLOCKCOUNT_H
#define TAPESTRY_SUPPORT_BLOCKCOUNT_H

#include "tapestry/Support/Layout.h"

namespace tapestry {

/// How many of the blocks (blockRange()) of a dimension in `parts` parts are
/// not empty.
inline int64_t numBlocks(int64_t extent, int64_t parts) {
  return extent == 0 ? 0 : ceilDiv(extent, ceilDiv(extent, parts));
}

/// What the blocks along one label exchange.
struct TotalsShape {
  TotalsShape(llvm::ArrayRef<int64_t> extents, unsigned label, int64_t parts,
              int64_t count)
      : blockSize(ceilDiv(extents[label], parts)),
        numBlocks(tapestry::numBlocks(extents[label], parts)),
        isPerBlock(blockSize > count), shape(extents) {
    if (!isPerBlock)
      return;
    shape[label] = numBlocks;
    if (count > 1)
      shape.push_back(count);
  }

  int64_t blockSize, numBlocks;
  /// Whether a block gives the same number of elements whatever its size, which
  /// are an element along the label and, if there are more, a last dimension;
  /// else one for each of its points.
  bool isPerBlock;
  llvm::SmallVector<int64_t> shape;
};

} // namespace tapestry

#endif // TAPESTRY_SUPPORT_BLOCKCOUNT_H

//===- BlockCount.h - Blocks of a cut that are not empty --------*- C++ -*-===//

#ifndef TAPESTRY_SUPPORT_BLOCKCOUNT_H
#define TAPESTRY_SUPPORT_BLOCKCOUNT_H

#include "tapestry/Support/Layout.h"

namespace tapestry {

/// How many of the blocks (blockRange()) of a dimension in `parts` parts are
/// not empty.
inline int64_t numBlocks(int64_t extent, int64_t parts) {
  return extent == 0 ? 0 : ceilDiv(extent, ceilDiv(extent, parts));
}

} // namespace tapestry

#endif // TAPESTRY_SUPPORT_BLOCKCOUNT_H

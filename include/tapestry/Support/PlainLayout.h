//===- PlainLayout.h - The cut that boxes come from -------------*- C++ -*-===//

#ifndef TAPESTRY_SUPPORT_PLAINLAYOUT_H
#define TAPESTRY_SUPPORT_PLAINLAYOUT_H

#include "tapestry/Support/Layout.h"

namespace tapestry {

/// The plain layout of a tensor of this shape by which device r holds
/// `boxes[r]`; nothing where there is none on this grid.
std::optional<Layout> findPlainLayout(const DeviceGrid &grid,
                                      llvm::ArrayRef<int64_t> shape,
                                      llvm::ArrayRef<ZBox> boxes);

} // namespace tapestry

#endif // TAPESTRY_SUPPORT_PLAINLAYOUT_H

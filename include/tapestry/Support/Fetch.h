//===- Fetch.h - What pieces of a tensor are fetched together ---*- C++ -*-===//
//
// An operator that reads a tensor at several shifts, as a stencil does, needs
// windows that overlap. A device is sent what it lacks of their hull once, and
// every piece is read in that.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_SUPPORT_FETCH_H
#define TAPESTRY_SUPPORT_FETCH_H

#include "tapestry/Support/Access.h"

namespace tapestry {

/// A piece of a tensor that an operator reads.
struct TensorRead {
  /// The same for all pieces of one tensor.
  unsigned tensor = 0;
  llvm::ArrayRef<int64_t> shape;
  Access access;
};

/// Per read of an operator whose labels have these extents, the access that it
/// is fetched by: its own, or the hull of its own and others of its tensor,
/// which differ from it in constants alone, and in folds. However the labels
/// are cut, a device's box of that holds its boxes of all of them. Hulls are
/// formed where devices lack no more elements of them than of the pieces, each
/// having what it reads without constants, of blocks that are eighths. The hull
/// of a star that stays inside of its tensor is a cross (`Arms`): nobody reads
/// its corners, and none is sent.
std::vector<Access> planFetches(llvm::ArrayRef<TensorRead> reads,
                                llvm::ArrayRef<int64_t> extents);

} // namespace tapestry

#endif // TAPESTRY_SUPPORT_FETCH_H

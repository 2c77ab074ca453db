//===- StridedPieces.h - Every so many-th cell of a view --------*- C++ -*-===//
//
// What interleaved views are made of: cells in steps. Private to the library.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_SUPPORT_STRIDEDPIECES_H
#define TAPESTRY_LIB_SUPPORT_STRIDEDPIECES_H

#include "tapestry/Support/TensorView.h"

namespace tapestry {

/// Whether a cell is one of a piece's.
bool holds(const ViewPiece &piece, llvm::ArrayRef<int64_t> cell);

/// Adds what the cells of `read` read of a piece; fails where those are not in
/// steps, and where their places are not.
bool composeStrided(const ViewPiece &piece, const ViewPiece &read,
                    std::vector<ViewPiece> &made);

/// Joins pieces in steps that together have all cells of a box.
void mergeStrided(std::vector<ViewPiece> &pieces);

/// The first cell that both have, and have of different places.
std::optional<llvm::SmallVector<int64_t>> findDifference(const ViewPiece &a,
                                                         const ViewPiece &b);

} // namespace tapestry

#endif // TAPESTRY_LIB_SUPPORT_STRIDEDPIECES_H

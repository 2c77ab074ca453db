//===- Composition.h - Projections behind one another -----------*- C++ -*-===//
//
// An operator whose points are each computed from one element of what another
// computes reads, of that one's operands, what those elements are computed
// from: its reading projection, then that of the other.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_SUPPORT_COMPOSITION_H
#define TAPESTRY_SUPPORT_COMPOSITION_H

#include "tapestry/Support/Projection.h"

namespace tapestry {

/// Per label of an index space the label of another that it is; nothing where
/// each point of the other stands for all of the label's.
using LabelImages = llvm::SmallVector<std::optional<unsigned>, 6>;

/// The labels of an index space that writes by `written` as those of one that
/// reads what is written by `read`. Nothing unless both are one plain label per
/// dimension, no label twice.
std::optional<LabelImages> imagesOfLabels(const Projection &written,
                                          const Projection &read,
                                          unsigned numLabels);

/// What points of another space read by a projection from a space whose labels,
/// of these extents, are `images` there: the least region that has all of it,
/// its points as far apart as they all are. Nothing where a dimension is
/// divided or folded at subscripts of both kinds of labels, or a label that is
/// read as a whole has no points.
std::optional<Projection> composed(const Projection &projection,
                                   const LabelImages &images,
                                   llvm::ArrayRef<int64_t> extents);

} // namespace tapestry

#endif // TAPESTRY_SUPPORT_COMPOSITION_H

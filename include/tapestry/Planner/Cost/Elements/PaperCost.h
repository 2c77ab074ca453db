//===- PaperCost.h - The EinDecomp paper's cost, in elements ----*- C++ -*-===//
//
// Sections 6 and 7 of the paper, extended to uneven extents (parts are rounded
// up) and to windows (a part is the image of a label block, halo included).
// Every figure is a number of elements that move in the worst case.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_PLANNER_COST_ELEMENTS_PAPERCOST_H
#define TAPESTRY_PLANNER_COST_ELEMENTS_PAPERCOST_H

#include "tapestry/Planner/Model/Partitions.h"

namespace tapestry {

/// How one tensor dimension is cut: `count` parts of at most `size` elements.
/// In a window neighbouring parts overlap, so size * count exceeds the extent.
struct PartDim {
  int64_t size = 1;
  int64_t count = 1;
  bool operator==(const PartDim &o) const {
    return size == o.size && count == o.count;
  }
  bool operator<(const PartDim &o) const {
    return size != o.size ? size < o.size : count < o.count;
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
/// of a full label block, at most the dimension's extent; the count is the
/// product of parts over the labels in that dimension.
TensorParts projectedParts(const Projection &projection,
                           llvm::ArrayRef<int64_t> extents,
                           llvm::ArrayRef<int64_t> parts,
                           llvm::ArrayRef<int64_t> shape);

/// Elements of one part.
double partElements(llvm::ArrayRef<PartDim> parts);
/// The number of parts (the paper's n / n_c).
double partCount(llvm::ArrayRef<PartDim> parts);

/// p * sum over the operands of one part's elements (section 7, "transferring
/// into the join"); 0 for an input.
double joinCost(const PlanGraph &graph, const PlanVertex &vertex,
                llvm::ArrayRef<int64_t> parts);

/// p / n_agg * (n_agg - 1) * n_Z (section 7, "transferring into the
/// aggregation"); 0 when no reduced label is cut.
double aggregateCost(const PlanVertex &vertex, llvm::ArrayRef<int64_t> parts);

/// (n_c / n_int - 1) * k_x * (n_c + n_p), plus n_p * k_x when n_p != n_int
/// (section 7, "re-partitioning across operations"); 0 when the parts are
/// equal.
double repartitionCost(llvm::ArrayRef<PartDim> producer,
                       llvm::ArrayRef<PartDim> consumer);

/// What a plan costs at one vertex.
struct VertexCost {
  double join = 0;
  double aggregate = 0;
  /// Repartitions of the operands into the form that the vertex reads.
  double repartition = 0;
  double total() const { return join + aggregate + repartition; }
};

/// The costs of every vertex when vertex v is cut by parts[v].
std::vector<VertexCost> paperCosts(const PlanGraph &graph,
                                   llvm::ArrayRef<PartVector> parts);

} // namespace tapestry

#endif // TAPESTRY_PLANNER_COST_ELEMENTS_PAPERCOST_H

//===- Recount.h - Measuring blocks for CostModel::recount() ----*- C++ -*-===//
//
// How much a vertex touches, measured on its first block, which is the largest.
// For the verifier's side of cost models only: what prices plans measures them
// by TensorParts.h.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_PLANNER_COST_RECOUNT_H
#define TAPESTRY_PLANNER_COST_RECOUNT_H

#include "tapestry/Planner/Model/Graph.h"

namespace tapestry::cost {

/// What one read or write of a tensor looks like in one dimension.
struct Piece {
  double length = 1;
  double count = 1;
  /// Points of the block of its number that the first one reads others than.
  double beside = 0;
};

/// Per dimension of a tensor of this shape, of what the points of `guard`
/// (empty: all) read or write.
std::vector<Piece> piecesOf(const Projection &projection,
                            const model::PlanVertex &vertex,
                            llvm::ArrayRef<int64_t> parts,
                            llvm::ArrayRef<int64_t> shape,
                            llvm::ArrayRef<ZRange> guard = {});

/// Elements of one piece.
double sizeOf(llvm::ArrayRef<Piece> pieces);

} // namespace tapestry::cost

#endif // TAPESTRY_PLANNER_COST_RECOUNT_H

//===- Recount.cpp - Measuring blocks for CostModel::recount() ------------===//

#include "tapestry/Planner/Cost/Recount.h"
#include "tapestry/Support/Layout.h"
#include <algorithm>
#include <cmath>

using namespace tapestry;
using namespace tapestry::cost;
using namespace tapestry::model;

/// Of the block of a dimension that the first shard would have, the points
/// that it does not read though it reads as many; not more than there are for
/// each shard in what all read.
static double besideOwn(const ProjectionDim &dim, const PlanVertex &vertex,
                        llvm::ArrayRef<int64_t> shard, double count,
                        int64_t extent, llvm::ArrayRef<ZRange> guard) {
  if (dim.floordiv != 1 || dim.mod != 0)
    return 0;
  int64_t lo = dim.constant, hi = dim.constant + (dim.size - 1) * dim.stride;
  int64_t first = lo, last = hi;
  for (const AffineTerm &term : dim.terms) {
    int64_t far = term.coefficient * (shard[term.dim] - 1);
    (far < 0 ? lo : hi) += far;
    ZRange all{0, vertex.labels[term.dim].extent};
    if (!guard.empty())
      all = guard[term.dim];
    bool falls = term.coefficient < 0;
    first += term.coefficient * (falls ? all.hi - 1 : all.lo);
    last += term.coefficient * (falls ? all.lo : all.hi - 1);
  }
  double block = std::ceil(double(extent) / count);
  double common = std::min<double>(hi + 1, block) - std::max<double>(lo, 0);
  double beside = std::min<double>(hi + 1 - lo, block) - std::max(common, 0.0);
  double read =
      std::min<double>(last + 1, double(extent)) - std::max<double>(first, 0);
  return std::min(beside, std::ceil(std::max(read, 0.0) / count));
}

std::vector<Piece> cost::piecesOf(const Projection &projection,
                                  const PlanVertex &vertex,
                                  llvm::ArrayRef<int64_t> parts,
                                  llvm::ArrayRef<int64_t> shape,
                                  llvm::ArrayRef<ZRange> guard) {
  llvm::SmallVector<int64_t> shard;
  for (unsigned l = 0; l < parts.size(); ++l) {
    shard.push_back(blockRange(vertex.labels[l].extent, parts[l], 0).size());
    if (!guard.empty())
      shard.back() = std::min(shard.back(), guard[l].size());
  }
  std::vector<Piece> pieces;
  for (unsigned dim = 0; dim < shape.size(); ++dim) {
    double count = 1;
    for (const AffineTerm &term : projection.dims[dim].terms)
      count *= parts[term.dim];
    pieces.push_back({double(std::min(largestImage(projection.dims[dim], shard),
                                      shape[dim])),
                      count,
                      count > 1 ? besideOwn(projection.dims[dim], vertex, shard,
                                            count, shape[dim], guard)
                                : 0});
  }
  return pieces;
}

double cost::sizeOf(llvm::ArrayRef<Piece> pieces) {
  double size = 1;
  for (const Piece &piece : pieces)
    size *= piece.length;
  return size;
}

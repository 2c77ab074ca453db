//===- Recount.cpp - Measuring blocks for CostModel::recount() ------------===//

#include "tapestry/Planner/Cost/Recount.h"
#include "tapestry/Support/Layout.h"
#include <algorithm>

using namespace tapestry;
using namespace tapestry::cost;
using namespace tapestry::model;

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
                      count});
  }
  return pieces;
}

double cost::sizeOf(llvm::ArrayRef<Piece> pieces) {
  double size = 1;
  for (const Piece &piece : pieces)
    size *= piece.length;
  return size;
}

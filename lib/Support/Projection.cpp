//===- Projection.cpp - Affine maps from index points to regions ----------===//

#include "tapestry/Support/Projection.h"

using namespace tapestry;

Projection Projection::identity(unsigned rank) {
  Projection projection;
  for (unsigned dim = 0; dim < rank; ++dim) {
    ProjectionDim entry;
    entry.terms.push_back({dim, 1});
    projection.dims.push_back(entry);
  }
  return projection;
}

ZRange tapestry::imageOfDim(const ProjectionDim &dim,
                            llvm::ArrayRef<ZRange> indexBox) {
  if (isEmpty(indexBox))
    return {0, 0};
  int64_t first = dim.constant;
  int64_t last = dim.constant;
  for (const AffineTerm &term : dim.terms) {
    const ZRange &range = indexBox[term.dim];
    int64_t atLo = term.coefficient * range.lo;
    int64_t atHi = term.coefficient * (range.hi - 1);
    first += std::min(atLo, atHi);
    last += std::max(atLo, atHi);
  }
  return {first, last + (dim.size - 1) * dim.stride + 1};
}

ZBox Projection::image(llvm::ArrayRef<ZRange> indexBox) const {
  ZBox box;
  for (const ProjectionDim &dim : dims)
    box.push_back(imageOfDim(dim, indexBox));
  return box;
}

//===- Projection.cpp - Affine maps from index points to regions ----------===//

#include "tapestry/Support/Projection.h"
#include <cstdlib>

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

static int64_t floorDiv(int64_t a, int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

ZRange tapestry::wrapped(const ZRange &values, int64_t floordiv, int64_t mod) {
  if (values.empty())
    return values;
  int64_t first = floorDiv(values.lo, floordiv);
  int64_t last = floorDiv(values.hi - 1, floordiv);
  if (mod == 0)
    return {first, last + 1};
  int64_t turn = floorDiv(first, mod);
  if (turn != floorDiv(last, mod))
    return {0, mod};
  return {first - turn * mod, last - turn * mod + 1};
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
  ZRange starts = wrapped({first, last + 1}, dim.floordiv, dim.mod);
  return {starts.lo, starts.hi + (dim.size - 1) * dim.stride};
}

int64_t tapestry::largestImage(const ProjectionDim &dim,
                               llvm::ArrayRef<int64_t> sizes) {
  int64_t starts = 1;
  for (const AffineTerm &term : dim.terms)
    starts += std::abs(term.coefficient) * (sizes[term.dim] - 1);
  // So many neighbours may lie astride a multiple, of d or of m.
  if (starts > 1)
    starts = (starts + dim.floordiv - 2) / dim.floordiv + 1;
  if (starts > 1 && dim.mod != 0)
    starts = dim.mod;
  return starts + (dim.size - 1) * dim.stride;
}

ZBox Projection::image(llvm::ArrayRef<ZRange> indexBox) const {
  ZBox box;
  for (const ProjectionDim &dim : dims)
    box.push_back(imageOfDim(dim, indexBox));
  return box;
}

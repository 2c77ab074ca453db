//===- TensorParts.cpp - The sizes and counts of a tensor's parts ---------===//

#include "tapestry/Planner/Model/TensorParts.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace tapestry;
using namespace tapestry::model;

TensorParts model::plainParts(llvm::ArrayRef<int64_t> shape,
                              llvm::ArrayRef<int64_t> parts) {
  TensorParts result;
  for (auto [extent, count] : llvm::zip_equal(shape, parts))
    result.push_back({ceilDiv(extent, count), count});
  return result;
}

/// PartDim::beside of the first part, as far as the points of `space` read
/// anything: the last turn of what wraps around reads a few.
static int64_t besideBlock(const ProjectionDim &dim, int64_t count,
                           llvm::ArrayRef<int64_t> sizes,
                           llvm::ArrayRef<ZRange> space, int64_t extent) {
  if (count <= 1 || !dim.isLinear())
    return 0;
  ZRange image = imageOfDim(dim, boxOfShape(sizes));
  ZRange block{0, ceilDiv(extent, count)};
  int64_t beside =
      std::min(image.size(), block.size()) - intersect(image, block).size();
  int64_t read = intersect(imageOfDim(dim, space), {0, extent}).size();
  return std::min(beside, ceilDiv(read, count));
}

TensorParts model::projectedParts(const Projection &projection,
                                  llvm::ArrayRef<int64_t> extents,
                                  llvm::ArrayRef<int64_t> parts,
                                  llvm::ArrayRef<int64_t> shape,
                                  llvm::ArrayRef<ZRange> guard) {
  llvm::SmallVector<int64_t, 6> sizes;
  for (auto [extent, count] : llvm::zip_equal(extents, parts))
    sizes.push_back(ceilDiv(extent, count));
  for (auto [size, range] : llvm::zip(sizes, guard))
    size = std::min(size, range.size());
  ZBox space = guard.empty() ? boxOfShape(extents) : ZBox(guard);
  TensorParts result;
  for (auto [dim, extent] : llvm::zip_equal(projection.dims, shape)) {
    PartDim part;
    part.size = std::min(largestImage(dim, sizes), extent);
    for (const AffineTerm &term : dim.terms)
      part.count *= parts[term.dim];
    part.beside = besideBlock(dim, part.count, sizes, space, extent);
    result.push_back(part);
  }
  return result;
}

double model::partElements(llvm::ArrayRef<PartDim> parts) {
  double elements = 1;
  for (const PartDim &part : parts)
    elements *= part.size;
  return elements;
}

double model::partCount(llvm::ArrayRef<PartDim> parts) {
  double count = 1;
  for (const PartDim &part : parts)
    count *= part.count;
  return count;
}

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
  TensorParts result;
  for (auto [dim, extent] : llvm::zip_equal(projection.dims, shape)) {
    PartDim part;
    part.size = std::min(largestImage(dim, sizes), extent);
    for (const AffineTerm &term : dim.terms)
      part.count *= parts[term.dim];
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

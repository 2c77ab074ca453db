//===- ArrayImage.cpp - What blocks touch of an array at least ------------===//

#include "tapestry/Planner/Model/ArrayImage.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace tapestry;
using namespace tapestry::model;

ArrayImage model::imageOf(const Projection &projection, bool padded,
                          bool isPartial, llvm::ArrayRef<double> extents,
                          llvm::ArrayRef<int64_t> shape) {
  ArrayImage image;
  bool isLinear = llvm::all_of(
      projection.dims, [](const ProjectionDim &dim) { return dim.isLinear(); });
  if (isPartial || !isLinear) {
    image.constant = 0;
    return image;
  }
  for (auto [dim, extent] : llvm::zip_equal(projection.dims, shape)) {
    std::optional<unsigned> side;
    for (const AffineTerm &term : dim.terms) {
      if (!llvm::is_contained(image.mentioned, term.dim))
        image.mentioned.push_back(term.dim);
      if (!side || extents[term.dim] > extents[*side])
        side = term.dim;
    }
    // A padded subscript may miss the tensor.
    bool isInside = !padded || dim.isPlainDim();
    if (side && isInside && extents[*side] <= extent &&
        !llvm::is_contained(image.sides, *side))
      image.sides.push_back(*side);
    if (dim.terms.empty() && !padded)
      image.constant *= std::min(dim.size, extent);
  }
  return image;
}

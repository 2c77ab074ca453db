//===- Composition.cpp - Projections behind one another -------------------===//

#include "tapestry/Support/Composition.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cstdlib>
#include <numeric>

using namespace tapestry;

std::optional<LabelImages> tapestry::imagesOfLabels(const Projection &written,
                                                    const Projection &read,
                                                    unsigned numLabels) {
  LabelImages images(numLabels);
  llvm::SmallVector<unsigned> taken;
  if (written.rank() != read.rank())
    return std::nullopt;
  for (auto [from, to] : llvm::zip_equal(written.dims, read.dims)) {
    if (!from.isPlainDim() || !to.isPlainDim())
      return std::nullopt;
    std::optional<unsigned> &image = images[from.terms.front().dim];
    unsigned label = to.terms.front().dim;
    if (image || llvm::is_contained(taken, label))
      return std::nullopt;
    image = label;
    taken.push_back(label);
  }
  return images;
}

/// One dimension; nothing where it has no composition.
static std::optional<ProjectionDim>
composedDim(const ProjectionDim &dim, const LabelImages &images,
            llvm::ArrayRef<int64_t> extents) {
  ProjectionDim own = dim;
  own.terms.clear();
  // Beside the first element of the least region, as far as `span`.
  int64_t span = (dim.size - 1) * dim.stride;
  int64_t step = dim.size > 1 ? dim.stride : 0;
  bool readsAll = false;
  for (const AffineTerm &term : dim.terms) {
    if (images[term.dim]) {
      own.terms.push_back({*images[term.dim], term.coefficient});
      continue;
    }
    int64_t points = extents[term.dim];
    if (points == 0)
      return std::nullopt;
    readsAll |= points > 1;
    int64_t reach = term.coefficient * (points - 1);
    own.constant += std::min<int64_t>(reach, 0);
    span += std::abs(reach);
    if (points > 1)
      step = std::gcd(step, term.coefficient);
  }
  llvm::sort(own.terms, [](const AffineTerm &a, const AffineTerm &b) {
    return a.dim < b.dim;
  });
  if (!readsAll)
    return own;
  if (!dim.isLinear()) {
    if (!own.terms.empty() || dim.size != 1)
      return std::nullopt;
    ZRange starts = wrapped({own.constant, own.constant + span + 1},
                            dim.floordiv, dim.mod, dim.fold);
    ProjectionDim whole;
    whole.constant = starts.lo;
    whole.size = starts.size();
    return whole;
  }
  own.stride = step;
  own.size = span / step + 1;
  return own;
}

std::optional<Projection> tapestry::composed(const Projection &projection,
                                             const LabelImages &images,
                                             llvm::ArrayRef<int64_t> extents) {
  Projection result;
  for (const ProjectionDim &dim : projection.dims) {
    std::optional<ProjectionDim> own = composedDim(dim, images, extents);
    if (!own)
      return std::nullopt;
    result.dims.push_back(std::move(*own));
  }
  return result;
}

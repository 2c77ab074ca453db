//===- Fetch.cpp - What pieces of a tensor are fetched together -----------===//

#include "tapestry/Support/Fetch.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cstdlib>
#include <map>

using namespace tapestry;

/// The points of one region of a dimension, from its start on.
static int64_t spanOf(const ProjectionDim &dim) {
  return (dim.size - 1) * dim.stride + 1;
}

/// Widens a range of constants until subscripts that differ by them read
/// nothing but what lies from the least to the largest, clipped to the tensor:
/// at every single point of the labels, folds included. Returns whether that
/// can be.
static bool widen(const ProjectionDim &dim, ZRange &constants,
                  llvm::ArrayRef<int64_t> extents, int64_t tensorExtent) {
  if (dim.isLinear())
    return true;
  if (dim.floordiv != 1 || dim.fold == Fold::Wrap || dim.size != 1 ||
      dim.mod != tensorExtent || dim.terms.size() != 1 ||
      dim.terms.front().coefficient != 1)
    return false;
  // By how much the constant of the label's last point may be larger.
  int64_t longer = tensorExtent - extents[dim.terms.front().dim];
  int64_t first = constants.lo, last = constants.hi - 1;
  if (dim.fold == Fold::Edge) {
    first = std::min(first, longer);
    last = std::max<int64_t>(last, 0);
  } else {
    // What is mirrored lies as far inside as it was outside, less one where the
    // mirror is between elements. Once has to do.
    int64_t less = dim.fold == Fold::Symmetric ? 1 : 0;
    if (first < 0)
      last = std::max(last, -first - less);
    if (last > longer)
      first = std::min(first, 2 * longer + less - last);
    if (first < 0 && last < -first - less)
      return false;
    if (-first >= tensorExtent || last - longer >= tensorExtent)
      return false;
  }
  constants = {first, last + 1};
  return true;
}

namespace {

/// Pieces of a tensor that are fetched together.
struct Cluster {
  const TensorRead *first = nullptr;
  /// What all have in common, with the folds of those that are folded.
  Projection read;
  /// Per dimension the range of the constants.
  ZBox constants;
  bool leavesTensor = false;
  llvm::SmallVector<unsigned, 4> pieces;
  /// Per dimension, where they are a star.
  llvm::SmallVector<Arms, 4> arms;
  /// The elements that a device lacks of the hull.
  double lacking = 0;

  bool isHull() const {
    return llvm::any_of(constants,
                        [](const ZRange &range) { return range.size() > 1; });
  }
};

class FetchPlanner {
public:
  explicit FetchPlanner(llvm::ArrayRef<int64_t> extents) : extents(extents) {}

  Cluster clusterOf(const TensorRead &read) const;
  /// Both in one, if they differ in constants alone and have a hull.
  std::optional<Cluster> merged(const Cluster &a, const Cluster &b) const;
  Access accessOf(const Cluster &cluster) const;

private:
  double lacking(const Cluster &cluster) const;

  llvm::ArrayRef<int64_t> extents;
};

} // namespace

Cluster FetchPlanner::clusterOf(const TensorRead &read) const {
  Cluster cluster;
  cluster.first = &read;
  cluster.read = read.access.projection;
  for (const ProjectionDim &dim : cluster.read.dims)
    cluster.constants.push_back({dim.constant, dim.constant + 1});
  cluster.lacking = lacking(cluster);
  return cluster;
}

/// Takes over the fold of `other`, if only that is folded. Returns whether both
/// read the same then, constants aside.
static bool align(ProjectionDim &dim, const ProjectionDim &other) {
  if (dim.mod == 0) {
    dim.mod = other.mod;
    dim.fold = other.fold;
  }
  ProjectionDim shifted = other;
  shifted.constant = dim.constant;
  if (shifted.mod == 0) {
    shifted.mod = dim.mod;
    shifted.fold = dim.fold;
  }
  return shifted == dim;
}

std::optional<Cluster> FetchPlanner::merged(const Cluster &a,
                                            const Cluster &b) const {
  const Access &one = a.first->access, &other = b.first->access;
  if (a.first->tensor != b.first->tensor || one.kind != AccessKind::Affine ||
      other.kind != AccessKind::Affine || one.guard != other.guard)
    return std::nullopt;
  Cluster both = a;
  for (unsigned number = 0; number < both.read.rank(); ++number) {
    ProjectionDim &dim = both.read.dims[number];
    ZRange &range = both.constants[number], added = b.constants[number];
    bool isSame =
        dim == b.read.dims[number] && range.size() == 1 && range == added;
    if (isSame)
      continue;
    if (!align(dim, b.read.dims[number]))
      return std::nullopt;
    range = {std::min(range.lo, added.lo), std::max(range.hi, added.hi)};
    // What lies further apart than the tensor is long does not overlap in it.
    int64_t extent = a.first->shape[number];
    if (range.size() > extent || !widen(dim, range, extents, extent))
      return std::nullopt;
  }
  both.leavesTensor |= b.leavesTensor;
  both.pieces.append(b.pieces);
  both.lacking = lacking(both);
  return both;
}

double FetchPlanner::lacking(const Cluster &cluster) const {
  double read = 1, shared = 1;
  for (auto [dim, constants] :
       llvm::zip_equal(cluster.read.dims, cluster.constants)) {
    // The block of a device that has what it reads without constants.
    int64_t block = 0, points = spanOf(dim);
    for (const AffineTerm &term : dim.terms) {
      int64_t extent = extents[term.dim];
      int64_t part = std::max(ceilDiv(extent, 8), std::min<int64_t>(extent, 8));
      block += std::abs(term.coefficient) * part;
      points += std::abs(term.coefficient) * (part - 1);
    }
    ZRange hull = {constants.lo, constants.hi - 1 + points};
    read *= double(hull.size());
    shared *= double(intersect(hull, {0, block}).size());
  }
  return read - shared;
}

Access FetchPlanner::accessOf(const Cluster &cluster) const {
  Access access = cluster.first->access;
  access.projection = cluster.read;
  for (auto [dim, arms] : llvm::zip(access.projection.dims, cluster.arms))
    dim.arms = arms;
  for (auto [dim, constants] :
       llvm::zip_equal(access.projection.dims, cluster.constants)) {
    if (constants.size() == 1)
      continue;
    // Unlike what is folded, a hull is clipped.
    dim.constant = constants.lo;
    dim.size = constants.size() - 1 + spanOf(dim);
    dim.stride = 1;
    dim.mod = 0;
    dim.fold = Fold::Wrap;
  }
  access.fallback =
      cluster.leavesTensor ? AccessFallback::Pad : AccessFallback::None;
  return access;
}

/// Merges clusters as long as two take no more elements together.
static void mergeClusters(const FetchPlanner &planner,
                          std::vector<Cluster> &clusters) {
  auto mergeInto = [&](unsigned a) {
    for (unsigned b = 0; b < clusters.size(); ++b) {
      if (a == b)
        continue;
      std::optional<Cluster> both = planner.merged(clusters[a], clusters[b]);
      if (!both || both->lacking > clusters[a].lacking + clusters[b].lacking)
        continue;
      clusters[a] = std::move(*both);
      clusters.erase(clusters.begin() + b);
      return true;
    }
    return false;
  };
  // A larger hull may save with what comes before it.
  for (bool hasChanged = true; hasChanged;) {
    hasChanged = false;
    for (unsigned a = 0; a < clusters.size(); ++a)
      while (a < clusters.size() && mergeInto(a))
        hasChanged = true;
  }
}

/// The constant that most pieces have in a dimension, the least of several.
static int64_t commonConstant(const Cluster &cluster, unsigned dim,
                              llvm::ArrayRef<TensorRead> reads) {
  std::map<int64_t, unsigned> counts;
  for (unsigned number : cluster.pieces)
    ++counts[reads[number].access.projection.dims[dim].constant];
  return llvm::max_element(
             counts,
             [](const auto &a, const auto &b) { return a.second < b.second; })
      ->first;
}

/// Gives a hull arms if it is that of a star: its pieces are beside a common
/// one in one dimension at most, and inside of the tensor, so that none reads
/// a corner.
static void findArms(Cluster &cluster, llvm::ArrayRef<TensorRead> reads) {
  if (cluster.leavesTensor)
    return;
  llvm::SmallVector<int64_t, 4> centre;
  llvm::SmallVector<Arms, 4> arms;
  for (auto [number, constants] : llvm::enumerate(cluster.constants)) {
    centre.push_back(commonConstant(cluster, number, reads));
    arms.push_back(
        {centre.back() - constants.lo, constants.hi - 1 - centre.back()});
  }
  bool isStar = llvm::all_of(cluster.pieces, [&](unsigned piece) {
    return llvm::count_if(
               llvm::zip_equal(reads[piece].access.projection.dims, centre),
               [](auto each) {
                 return std::get<0>(each).constant != std::get<1>(each);
               }) <= 1;
  });
  if (isStar &&
      llvm::count_if(arms, [](const Arms &each) { return each.any(); }) > 1)
    cluster.arms = std::move(arms);
}

std::vector<Access> tapestry::planFetches(llvm::ArrayRef<TensorRead> reads,
                                          llvm::ArrayRef<int64_t> extents) {
  FetchPlanner planner(extents);
  std::vector<Cluster> clusters;
  std::vector<Access> fetches;
  for (const TensorRead &read : reads) {
    const Access &access = read.access;
    auto known = llvm::find_if(clusters, [&](const Cluster &cluster) {
      return cluster.first->tensor == read.tensor &&
             cluster.first->access.readsAs(access);
    });
    if (known == clusters.end())
      known = clusters.insert(known, planner.clusterOf(read));
    known->leavesTensor |=
        access.fallback != AccessFallback::None ||
        llvm::any_of(access.projection.dims,
                     [](const ProjectionDim &dim) { return dim.mod != 0; });
    known->pieces.push_back(fetches.size());
    fetches.push_back(access);
  }
  mergeClusters(planner, clusters);
  for (Cluster &cluster : clusters) {
    if (!cluster.isHull())
      continue;
    findArms(cluster, reads);
    for (unsigned number : cluster.pieces)
      fetches[number] = planner.accessOf(cluster);
  }
  return fetches;
}

//===- Sharding.cpp - Blocks of an index space on slices ------------------===//

#include "tapestry/Support/Sharding.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <optional>

using namespace tapestry;

std::vector<std::vector<ZRange>>
tapestry::blocksOf(const DeviceGrid &grid, llvm::ArrayRef<int64_t> extents,
                   const Partition &partition) {
  std::vector<std::vector<ZRange>> blocks;
  for (auto [extent, cut] : llvm::zip_equal(extents, partition.cuts)) {
    std::vector<ZRange> &ranges = blocks.emplace_back();
    int64_t parts = partsOf(grid, cut);
    for (int64_t part = 0; part < parts; ++part)
      if (ZRange range = blockRange(extent, parts, part); !range.empty())
        ranges.push_back(range);
    if (ranges.empty())
      ranges.push_back({0, 0});
  }
  return blocks;
}

/// The constant of a dimension over points that count from the start of a box.
static int64_t constantFrom(const ProjectionDim &dim,
                            llvm::ArrayRef<ZRange> range) {
  int64_t constant = dim.constant;
  for (const AffineTerm &term : dim.terms)
    constant += term.coefficient * range[term.dim].lo;
  return constant;
}

/// The starts of a dimension's regions over a box before they are folded.
static ZRange unfoldedStarts(ProjectionDim dim, llvm::ArrayRef<ZRange> range) {
  dim.mod = 0;
  dim.fold = Fold::Wrap;
  dim.size = 1;
  return imageOfDim(dim, range);
}

/// What the tensor has of an image; where that is nothing, the element next to
/// it, since there are no plans of tensors without elements.
static ZRange clipped(const ZRange &image, int64_t extent) {
  ZRange slice = intersect(image, {0, extent});
  if (!slice.empty())
    return slice;
  if (extent == 0)
    return {0, 0};
  int64_t at = std::clamp<int64_t>(image.lo, 0, extent - 1);
  return {at, at + 1};
}

/// What points of a box read of a dimension of this extent. How many turns
/// around it they are behind those of the tensor is in `turns`; nothing where
/// they do not stay in one.
static ZRange imageOfPoints(const ProjectionDim &dim,
                            llvm::ArrayRef<ZRange> points, int64_t extent,
                            std::optional<int64_t> &turns) {
  ZRange image = imageOfDim(dim, points);
  turns = 0;
  if (dim.mod == 0)
    return image;
  ZRange starts = unfoldedStarts(dim, points);
  if (dim.fold == Fold::Wrap) {
    turns = llvm::divideFloorSigned(starts.lo, dim.mod);
    if (turns == llvm::divideFloorSigned(starts.hi - 1, dim.mod))
      return image;
    turns = std::nullopt;
    return {0, extent};
  }
  // Folds count from an end of the tensor; those at one end that reach the
  // other go on from there.
  bool isFar = starts.lo <= -dim.mod || starts.hi >= 2 * dim.mod;
  return {starts.lo < 0 || isFar ? 0 : image.lo,
          starts.hi > dim.mod || isFar ? dim.mod : image.hi};
}

ZBox tapestry::sliceOfReads(llvm::ArrayRef<Access> accesses,
                            llvm::ArrayRef<ZRange> range,
                            llvm::ArrayRef<int64_t> shape) {
  ZBox tensor = boxOfShape(shape);
  std::optional<ZBox> hull;
  bool isRead = false;
  for (const Access &access : accesses) {
    ZBox points = access.guarded(range), image;
    if (isEmpty(points))
      continue;
    std::optional<int64_t> turns;
    for (auto [dim, extent] : llvm::zip_equal(access.projection.dims, shape))
      image.push_back(imageOfPoints(dim, points, extent, turns));
    // What lies beside the tensor counts where nothing lies in it.
    ZBox inside = intersect(tensor, image);
    if (!isEmpty(inside)) {
      if (!isRead)
        hull = inside;
      isRead = true;
      image = std::move(inside);
    } else if (isRead) {
      continue;
    }
    if (!hull)
      hull = image;
    for (auto [all, own] : llvm::zip_equal(*hull, image))
      all = {std::min(all.lo, own.lo), std::max(all.hi, own.hi)};
  }
  ZBox slice = hull.value_or(ZBox(shape.size(), ZRange{0, 1}));
  for (auto [cells, extent] : llvm::zip_equal(slice, shape))
    cells = clipped(cells, extent);
  return slice;
}

/// One dimension of readsOfSlice().
static ProjectionDim dimOfSlice(const ProjectionDim &dim,
                                llvm::ArrayRef<ZRange> range,
                                llvm::ArrayRef<ZRange> points,
                                const ZRange &slice) {
  ProjectionDim own = dim;
  own.constant = constantFrom(dim, range) - slice.lo * dim.floordiv;
  if (dim.mod == 0 || isEmpty(points))
    return own;
  own.mod = 0;
  own.fold = Fold::Wrap;
  if (dim.fold == Fold::Wrap) {
    std::optional<int64_t> turns;
    (void)imageOfPoints(dim, points, /*extent=*/0, turns);
    if (!turns)
      own.mod = dim.mod;
    own.constant -= turns.value_or(0) * dim.mod * dim.floordiv;
  } else if (!ZRange{0, dim.mod}.contains(unfoldedStarts(dim, points))) {
    own.mod = slice.size();
    own.fold = dim.fold;
  }
  return own;
}

std::vector<Access> tapestry::readsOfSlice(std::vector<Access> accesses,
                                           llvm::ArrayRef<ZRange> range,
                                           llvm::ArrayRef<ZRange> slice) {
  auto isElsewhere = [&](const Access &access) {
    ZBox points = access.guarded(range);
    return access.fallback == AccessFallback::Other &&
           (isEmpty(points) ||
            isEmpty(intersect(access.projection.image(points), slice)));
  };
  if (!llvm::all_of(accesses, isElsewhere))
    llvm::erase_if(accesses, isElsewhere);
  for (Access &access : accesses) {
    ZBox points = access.guarded(range);
    if (access.fallback == AccessFallback::Other && !isEmpty(points) &&
        contains(slice, access.projection.image(points)))
      access.fallback = AccessFallback::None;
    for (auto [dim, cells] : llvm::zip_equal(access.projection.dims, slice))
      dim = dimOfSlice(dim, range, points, cells);
    if (access.guard.empty())
      continue;
    access.guard = points;
    for (auto [own, block] : llvm::zip_equal(access.guard, range))
      own = own.empty() ? ZRange{0, 0}
                        : ZRange{own.lo - block.lo, own.hi - block.lo};
  }
  return accesses;
}

ZBox tapestry::partOfResult(const Projection &written,
                            llvm::ArrayRef<ZRange> range) {
  ZBox part;
  for (const ProjectionDim &dim : written.dims)
    part.push_back(dim.terms.empty() ? ZRange{0, dim.size}
                                     : range[dim.terms.front().dim]);
  return part;
}

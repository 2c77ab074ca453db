//===- Sharding.cpp - Blocks of an index space on slices ------------------===//

#include "tapestry/Support/Sharding.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <numeric>

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

//===----------------------------------------------------------------------===//
// From the whole to a shard
//===----------------------------------------------------------------------===//

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

/// One dimension of readOfShard().
static std::pair<ZRange, ProjectionDim> readOfDim(const ProjectionDim &dim,
                                                  llvm::ArrayRef<ZRange> range,
                                                  int64_t extent) {
  ProjectionDim local = dim;
  local.constant = constantFrom(dim, range);
  ZRange starts = unfoldedStarts(dim, range);
  ZRange image = imageOfDim(dim, range);
  int64_t turns = 0;
  if (dim.mod != 0 && dim.fold == Fold::Wrap) {
    turns = llvm::divideFloorSigned(starts.lo, dim.mod);
    if (turns != llvm::divideFloorSigned(starts.hi - 1, dim.mod))
      return {{0, extent}, local};
  } else if (dim.mod != 0) {
    // Folds count from an end of the tensor; those at one end that reach the
    // other go on from there.
    bool isFar = starts.lo <= -dim.mod || starts.hi >= 2 * dim.mod;
    if (starts.lo < 0 || isFar)
      image.lo = 0;
    if (starts.hi > dim.mod || isFar)
      image.hi = dim.mod;
  }
  ZRange slice = clipped(image, extent);
  local.constant -= (turns * dim.mod + slice.lo) * dim.floordiv;
  local.mod = 0;
  local.fold = Fold::Wrap;
  if (dim.fold != Fold::Wrap && !ZRange{0, dim.mod}.contains(starts)) {
    local.mod = slice.size();
    local.fold = dim.fold;
  }
  return {slice, local};
}

ShardRead tapestry::readOfShard(const Projection &projection,
                                llvm::ArrayRef<ZRange> range,
                                llvm::ArrayRef<int64_t> shape) {
  ShardRead read;
  for (auto [dim, extent] : llvm::zip_equal(projection.dims, shape)) {
    auto [slice, local] = readOfDim(dim, range, extent);
    read.slice.push_back(slice);
    read.projection.dims.push_back(std::move(local));
  }
  return read;
}

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

ZBox tapestry::sliceOfReads(llvm::ArrayRef<Access> accesses,
                            llvm::ArrayRef<ZRange> range,
                            llvm::ArrayRef<int64_t> shape) {
  ZBox slice;
  for (auto [dim, extent] : llvm::enumerate(shape)) {
    std::optional<ZRange> all;
    for (const Access &access : accesses) {
      ZBox points = access.guarded(range);
      const ProjectionDim &own = access.projection.dims[dim];
      if (isEmpty(points))
        continue;
      ZRange image = own.mod != 0 ? ZRange{0, extent} : imageOfDim(own, points);
      all =
          all ? ZRange{std::min(all->lo, image.lo), std::max(all->hi, image.hi)}
              : image;
    }
    slice.push_back(clipped(all.value_or(ZRange{0, 1}), extent));
  }
  return slice;
}

Access tapestry::readOfSlice(const Access &access, llvm::ArrayRef<ZRange> range,
                             llvm::ArrayRef<ZRange> slice) {
  Access read = access;
  for (auto [dim, cells] : llvm::zip_equal(read.projection.dims, slice))
    dim.constant = constantFrom(dim, range) - cells.lo * dim.floordiv;
  if (read.guard.empty())
    return read;
  read.guard = access.guarded(range);
  for (auto [points, block] : llvm::zip_equal(read.guard, range))
    points = points.empty()
                 ? ZRange{0, 0}
                 : ZRange{points.lo - block.lo, points.hi - block.lo};
  return read;
}

ZBox tapestry::partOfResult(const Projection &written,
                            llvm::ArrayRef<ZRange> range) {
  ZBox part;
  for (const ProjectionDim &dim : written.dims)
    part.push_back(dim.terms.empty() ? ZRange{0, dim.size}
                                     : range[dim.terms.front().dim]);
  return part;
}

//===----------------------------------------------------------------------===//
// From shards to the whole
//===----------------------------------------------------------------------===//

/// One dimension as the whole would read it if it did as a shard of `range`
/// that is given `slice`.
static ProjectionDim asOfWhole(ProjectionDim dim, const ZRange &slice,
                               llvm::ArrayRef<ZRange> range) {
  for (const AffineTerm &term : dim.terms)
    dim.constant -= term.coefficient * range[term.dim].lo;
  dim.constant += slice.lo * dim.floordiv;
  return dim;
}

static ProjectionDim asOfWhole(const ShardedRead &shard, unsigned number) {
  return asOfWhole(shard.read.projection.dims[number], shard.read.slice[number],
                   shard.range);
}

/// Whether all shards read as the whole would. What is folded is not looked at:
/// the operator folds.
static bool isReadBy(const ProjectionDim &whole, unsigned number,
                     llvm::ArrayRef<ShardedRead> shards, int64_t extent) {
  return llvm::all_of(shards, [&](const ShardedRead &shard) {
    ProjectionDim own = asOfWhole(shard, number);
    auto [slice, read] = readOfDim(whole, shard.range, extent);
    ProjectionDim wanted = asOfWhole(read, slice, shard.range);
    int64_t distance = own.constant - wanted.constant;
    // Whole turns change nothing.
    bool isWrapped = read.mod != 0 && read.fold == Fold::Wrap;
    if (isWrapped && (own.fold != Fold::Wrap || own.mod != read.mod))
      return false;
    return own.terms == wanted.terms && own.floordiv == wanted.floordiv &&
           own.size == wanted.size && own.stride == wanted.stride &&
           (distance == 0 ||
            (isWrapped && distance % (read.mod * read.floordiv) == 0));
  });
}

static std::optional<ProjectionDim>
dimOfShards(llvm::ArrayRef<ShardedRead> shards, unsigned number,
            int64_t extent) {
  ProjectionDim whole = asOfWhole(shards.front(), number);
  int64_t period = 0;
  for (const ShardedRead &shard : shards) {
    ProjectionDim dim = asOfWhole(shard, number);
    // One that wraps around says how.
    if (dim.mod != 0 && dim.fold == Fold::Wrap)
      whole = dim;
    period = std::gcd(period, dim.constant - whole.constant);
  }
  if (whole.mod == 0 && period != 0) {
    whole.mod = extent;
  } else if (whole.fold != Fold::Wrap) {
    whole.mod = 0;
    whole.fold = Fold::Wrap;
  }
  if (!isReadBy(whole, number, shards, extent))
    return std::nullopt;
  return whole;
}

std::optional<Projection>
tapestry::projectionOfShards(llvm::ArrayRef<ShardedRead> shards,
                             llvm::ArrayRef<int64_t> shape) {
  Projection projection;
  for (auto [number, extent] : llvm::enumerate(shape)) {
    std::optional<ProjectionDim> dim = dimOfShards(shards, number, extent);
    if (!dim)
      return std::nullopt;
    projection.dims.push_back(std::move(*dim));
  }
  return projection;
}

//===- Layout.cpp - Which device holds which part of a tensor -------------===//

#include "tapestry/Support/Layout.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cassert>

using namespace tapestry;

//===----------------------------------------------------------------------===//
// Cuts
//===----------------------------------------------------------------------===//

int64_t tapestry::partsOf(const DeviceGrid &grid,
                          llvm::ArrayRef<unsigned> cut) {
  int64_t parts = 1;
  for (unsigned axis : cut)
    parts *= grid.axes[axis].size;
  return parts;
}

int64_t tapestry::partIndex(const DeviceGrid &grid,
                            llvm::ArrayRef<unsigned> cut, int64_t device) {
  int64_t index = 0;
  for (unsigned axis : cut)
    index = index * grid.axes[axis].size + grid.coordinate(device, axis);
  return index;
}

ZRange tapestry::blockRange(int64_t extent, int64_t parts, int64_t index) {
  int64_t block = ceilDiv(extent, parts);
  return {std::min(index * block, extent),
          std::min((index + 1) * block, extent)};
}

static ZRange cutRange(const DeviceGrid &grid, llvm::ArrayRef<unsigned> cut,
                       int64_t extent, int64_t device) {
  return blockRange(extent, partsOf(grid, cut), partIndex(grid, cut, device));
}

ZBox Partition::block(const DeviceGrid &grid, llvm::ArrayRef<int64_t> extents,
                      int64_t device) const {
  ZBox box;
  for (auto [cut, extent] : llvm::zip_equal(cuts, extents))
    box.push_back(cutRange(grid, cut, extent, device));
  return box;
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

ZRange LayoutTerm::values(const DeviceGrid &grid, int64_t device) const {
  ZRange range = cutRange(grid, cut, extent, device);
  return within ? intersect(range, *within) : range;
}

ZRange LayoutDim::imageRange(const DeviceGrid &grid, int64_t device) const {
  int64_t first = constant;
  int64_t last = constant;
  for (const LayoutTerm &term : terms) {
    ZRange range = term.values(grid, device);
    if (range.empty())
      return {0, 0};
    int64_t atLo = term.coefficient * range.lo;
    int64_t atHi = term.coefficient * (range.hi - 1);
    first += std::min(atLo, atHi);
    last += std::max(atLo, atHi);
  }
  ZRange starts = wrapped({first, last + 1}, floordiv, mod, fold);
  return {starts.lo, starts.hi + span - 1};
}

ZRange LayoutDim::range(const DeviceGrid &grid, int64_t device) const {
  ZRange clipped = intersect(imageRange(grid, device), {0, extent});
  return clipped.empty() ? ZRange{0, 0} : clipped;
}

ZRange LayoutDim::core(const DeviceGrid &grid, int64_t device) const {
  ZRange all = range(grid, device);
  if (!arms.any())
    return all;
  ZRange image = imageRange(grid, device);
  int64_t lo = std::clamp(image.lo + arms.before, all.lo, all.hi);
  return {lo, std::clamp(image.hi - arms.behind, lo, all.hi)};
}

bool LayoutDim::isPlain() const { return terms.size() == 1 && isBlocked(); }

bool LayoutDim::isBlocked() const {
  return !terms.empty() && constant == 0 && span == 1 &&
         terms[0].coefficient == 1 && terms[0].extent == extent &&
         !terms[0].within && floordiv == 1 && mod == 0 && !arms.any() &&
         llvm::all_of(llvm::drop_begin(terms),
                      [](const LayoutTerm &term) { return term.isAnchor(); });
}

llvm::ArrayRef<unsigned> LayoutDim::cut() const {
  assert(isBlocked() && "only a dimension in blocks has one cut");
  return terms[0].cut;
}

llvm::SmallVector<int64_t> Layout::shape() const {
  llvm::SmallVector<int64_t> result;
  for (const LayoutDim &dim : dims)
    result.push_back(dim.extent);
  return result;
}

ZBox Layout::imageBox(const DeviceGrid &grid, int64_t device) const {
  ZBox box;
  for (const LayoutDim &dim : dims)
    box.push_back(dim.imageRange(grid, device));
  return box;
}

ZBox Layout::box(const DeviceGrid &grid, int64_t device) const {
  ZBox box;
  for (const LayoutDim &dim : dims)
    box.push_back(dim.range(grid, device));
  return box;
}

bool Layout::isCross() const {
  return llvm::any_of(dims, [](const LayoutDim &d) { return d.arms.any(); });
}

std::vector<ZBox> Layout::fragments(const DeviceGrid &grid,
                                    int64_t device) const {
  ZBox cores, all = box(grid, device);
  for (const LayoutDim &dim : dims)
    cores.push_back(dim.core(grid, device));
  std::vector<ZBox> fragments;
  for (unsigned number = 0; number < rank(); ++number) {
    if (!dims[number].arms.any())
      continue;
    ZRange core = cores[number], own = all[number];
    auto add = [&](ZRange range) {
      fragments.push_back(cores);
      fragments.back()[number] = range;
    };
    // The first of them has the core.
    if (fragments.empty()) {
      add(own);
      continue;
    }
    add({own.lo, core.lo});
    add({core.hi, own.hi});
  }
  if (fragments.empty())
    fragments.push_back(all);
  return fragments;
}

bool Layout::isPlain() const {
  return llvm::all_of(dims, [](const LayoutDim &d) { return d.isPlain(); }) &&
         isDisjoint();
}

bool Layout::isDisjoint() const {
  if (!llvm::all_of(dims, [](const LayoutDim &d) { return d.isBlocked(); }))
    return false;
  // Dimensions cut over the same axis hold only blocks on its diagonal.
  unsigned cuts = 0;
  for (const LayoutDim &dim : dims)
    for (const LayoutTerm &term : dim.terms)
      cuts += term.cut.size();
  return usedAxes().size() == cuts;
}

Cut Layout::usedAxes() const {
  Cut used;
  for (const LayoutDim &dim : dims)
    for (const LayoutTerm &term : dim.terms)
      used.append(term.cut.begin(), term.cut.end());
  llvm::sort(used);
  used.erase(llvm::unique(used), used.end());
  return used;
}

Cut Layout::replicatedAxes(const DeviceGrid &grid) const {
  Cut used = usedAxes();
  Cut replicated;
  for (unsigned axis = 0; axis < grid.axes.size(); ++axis)
    if (!llvm::is_contained(used, axis) && !llvm::is_contained(partial, axis))
      replicated.push_back(axis);
  return replicated;
}

bool Layout::isOwner(const DeviceGrid &grid, int64_t device) const {
  return llvm::all_of(replicatedAxes(grid), [&](unsigned axis) {
    return grid.coordinate(device, axis) == 0;
  });
}

Layout Layout::replicated(llvm::ArrayRef<int64_t> shape) {
  return blocked(shape, llvm::SmallVector<Cut>(shape.size()));
}

Layout Layout::onDevice(const DeviceGrid &grid, llvm::ArrayRef<int64_t> shape,
                        int64_t device) {
  assert(!shape.empty() && "a scalar is held everywhere");
  Layout layout = replicated(shape);
  Cut all;
  for (unsigned axis = 0; axis < grid.axes.size(); ++axis)
    all.push_back(axis);
  if (!all.empty())
    layout.dims.front().terms.push_back(
        {0, grid.numDevices(), all, ZRange{device, device + 1}});
  return layout;
}

Layout Layout::blocked(llvm::ArrayRef<int64_t> shape,
                       llvm::ArrayRef<Cut> cuts) {
  Layout layout;
  for (auto [extent, cut] : llvm::zip_equal(shape, cuts)) {
    LayoutDim dim;
    dim.extent = extent;
    dim.terms.push_back({1, extent, cut});
    layout.dims.push_back(dim);
  }
  return layout;
}

/// Whether the dimension is whole wherever anybody reads it: then it is plain.
static bool isWhole(const LayoutDim &dim) {
  bool uncut = llvm::all_of(
      dim.terms, [](const LayoutTerm &term) { return term.cut.empty(); });
  ZRange all = {0, dim.extent};
  return uncut && dim.range(DeviceGrid(), 0) == all &&
         dim.imageRange(DeviceGrid(), 0) == all;
}

static void makePlain(LayoutDim &dim) {
  int64_t extent = dim.extent;
  dim = LayoutDim();
  dim.extent = extent;
  dim.terms.push_back({1, extent, {}});
}

/// The range of a label that a guard leaves, if it leaves out any.
static std::optional<ZRange> rangeWithin(llvm::ArrayRef<ZRange> guard,
                                         unsigned label, int64_t extent) {
  if (guard.empty() || guard[label].contains({0, extent}))
    return std::nullopt;
  return intersect(guard[label], {0, extent});
}

/// Terms for the guarded labels that cut the index space and that no dimension
/// of the tensor names: devices outside the guard hold nothing.
static void appendGuards(const Projection &projection,
                         llvm::ArrayRef<int64_t> indexExtents,
                         const Partition &partition,
                         llvm::ArrayRef<ZRange> guard,
                         llvm::SmallVectorImpl<LayoutTerm> &terms) {
  for (unsigned label = 0; label < guard.size(); ++label) {
    bool isNamed = llvm::any_of(projection.dims, [&](const ProjectionDim &dim) {
      return llvm::any_of(
          dim.terms, [&](const AffineTerm &term) { return term.dim == label; });
    });
    int64_t extent = indexExtents[label];
    std::optional<ZRange> within = rangeWithin(guard, label, extent);
    if (!isNamed && within && !partition.cuts[label].empty())
      terms.push_back({0, extent, partition.cuts[label], within});
  }
}

Layout Layout::ofProjection(const Projection &projection,
                            llvm::ArrayRef<int64_t> indexExtents,
                            const Partition &partition,
                            llvm::ArrayRef<int64_t> tensorShape,
                            llvm::ArrayRef<ZRange> guard) {
  Layout layout;
  for (auto [from, extent] : llvm::zip_equal(projection.dims, tensorShape)) {
    LayoutDim dim;
    dim.extent = extent;
    dim.constant = from.constant;
    dim.span = (from.size - 1) * from.stride + 1;
    dim.floordiv = from.floordiv;
    dim.mod = from.mod;
    dim.fold = from.fold;
    dim.arms = from.arms;
    for (const AffineTerm &term : from.terms)
      dim.terms.push_back(
          {term.coefficient, indexExtents[term.dim], partition.cuts[term.dim],
           rangeWithin(guard, term.dim, indexExtents[term.dim])});
    if (layout.dims.empty())
      appendGuards(projection, indexExtents, partition, guard, dim.terms);
    layout.dims.push_back(dim);
  }
  // Where no term is cut every device reads the same range; where that is the
  // whole dimension it is plain. Of what all have there are no corners.
  bool areArmsWhole = llvm::all_of(layout.dims, [](const LayoutDim &dim) {
    return !dim.arms.any() || isWhole(dim);
  });
  for (LayoutDim &dim : layout.dims)
    if ((areArmsWhole || !dim.arms.any()) && isWhole(dim))
      makePlain(dim);
  return layout;
}

std::optional<int64_t> tapestry::uniformExtent(const DeviceGrid &grid,
                                               const LayoutDim &dim) {
  int64_t first = dim.range(grid, 0).size();
  for (int64_t device = 1, e = grid.numDevices(); device < e; ++device)
    if (dim.range(grid, device).size() != first)
      return std::nullopt;
  return first;
}

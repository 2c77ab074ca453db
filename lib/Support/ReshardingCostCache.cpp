//===- ReshardingCostCache.cpp - Prices of many moves on one grid ---------===//

#include "tapestry/Support/ReshardingCostCache.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cassert>

using namespace tapestry;

ReshardingCostCache::ReshardingCostCache(const DeviceGrid &grid)
    : grid(grid), devices(grid.numDevices()) {
  // The device count has 63 bits: there are no more axes of two or more.
  uint64_t next = 1;
  for (const DeviceGrid::Axis &axis : grid.axes) {
    axisBits.push_back(axis.size > 1 ? next : 0);
    if (axis.size > 1)
      next <<= 1;
  }
  for (unsigned axis = 0; axis < grid.axes.size(); ++axis) {
    coordinates.emplace_back();
    for (int64_t device = 0; device < devices; ++device)
      coordinates.back().push_back(grid.coordinate(device, axis));
  }
}

static uint64_t pairKey(uint32_t from, uint32_t to) {
  return uint64_t(from) << 32 | to;
}

//===----------------------------------------------------------------------===//
// Layouts and what devices hold
//===----------------------------------------------------------------------===//

/// Numbers as raw bytes: keys are compared, never read.
static llvm::StringRef keyOf(llvm::ArrayRef<int64_t> numbers) {
  return {reinterpret_cast<const char *>(numbers.data()),
          numbers.size() * sizeof(int64_t)};
}

uint32_t ReshardingCostCache::numberOf(const LayoutDim &dim) {
  llvm::SmallVector<int64_t, 16> key = {
      dim.extent,   dim.constant, dim.span,
      dim.floordiv, dim.mod,      static_cast<int64_t>(dim.fold)};
  for (const LayoutTerm &term : dim.terms) {
    key.append({term.coefficient, term.extent,
                term.within ? term.within->lo : 0,
                term.within ? term.within->hi : term.extent,
                static_cast<int64_t>(term.cut.size())});
    key.append(term.cut.begin(), term.cut.end());
  }
  if (dim.arms.any())
    key.append({dim.arms.before, dim.arms.behind});
  auto [it, isNew] = dimNumbers.try_emplace(keyOf(key), dims.size());
  if (isNew) {
    dims.push_back(std::make_unique<Dim>());
    dims.back()->dim = dim;
    dims.back()->ranges.reserve(devices);
    for (int64_t device = 0; device < devices; ++device)
      dims.back()->ranges.push_back(dim.range(grid, device));
    for (const ZRange &range : dims.back()->ranges)
      dims.back()->sizes.push_back(range.size());
    for (int64_t device = 0; device < devices && dim.arms.any(); ++device)
      dims.back()->cores.push_back(dim.core(grid, device));
  }
  return it->second;
}

LayoutId ReshardingCostCache::idOf(const Layout &layout) {
  llvm::SmallVector<uint32_t, 4> numbers;
  llvm::SmallVector<int64_t, 16> key;
  for (const LayoutDim &dim : layout.dims) {
    numbers.push_back(numberOf(dim));
    key.push_back(numbers.back());
  }
  key.push_back(-1);
  key.append(layout.partial.begin(), layout.partial.end());
  auto [it, isNew] = ids.try_emplace(keyOf(key), records.size());
  LayoutId id = it->second;
  if (!isNew)
    return id;
  records.push_back(std::make_unique<Record>());
  Record &record = *records.back();
  record.layout = layout;
  for (uint32_t number : numbers)
    record.dims.push_back(dims[number].get());
  record.dimNumbers = std::move(numbers);
  record.isPlain = layout.isPlain();
  record.isCross = layout.isCross();
  record.group = partsOf(grid, layout.partial);
  record.whole = id;
  if (!layout.partial.empty()) {
    Layout whole = layout;
    whole.partial.clear();
    record.whole = idOf(whole);
  }
  return id;
}

namespace {

/// Counts the points of a cross, dimension by dimension.
class CrossCount {
public:
  /// Of `size` points that many are between the arms.
  void add(int64_t size, int64_t core) {
    inArms = inArms * core + inCore * (size - core);
    inCore *= core;
  }
  int64_t count() const { return inArms + inCore; }

private:
  int64_t inCore = 1, inArms = 0;
};

} // namespace

const ReshardingCostCache::Size &
ReshardingCostCache::sizeOf(LayoutId id) const {
  const Record &record = *records[id];
  if (record.size.held >= 0)
    return record.size;
  record.size.held = 0;
  for (int64_t device = 0; device < devices; ++device) {
    int64_t elements = 1;
    for (const Dim *dim : record.dims)
      elements *= dim->sizes[device];
    record.size.held +=
        record.isCross ? wantedElements(record, device) : elements;
    record.size.largest = std::max(record.size.largest, elements);
  }
  return record.size;
}

int64_t ReshardingCostCache::wantedElements(const Record &record,
                                            int64_t device) const {
  CrossCount points;
  for (const Dim *dim : record.dims)
    points.add(dim->ranges[device].size(), dim->core(device).size());
  return points.count();
}

int64_t ReshardingCostCache::sharedElements(const Record &a,
                                            const Record &b) const {
  int64_t total = 0;
  for (int64_t device = 0; device < devices; ++device) {
    if (b.isCross) {
      CrossCount points;
      for (auto [x, y] : llvm::zip_equal(a.dims, b.dims))
        points.add(intersect(x->ranges[device], y->ranges[device]).size(),
                   intersect(x->ranges[device], y->core(device)).size());
      total += points.count();
      continue;
    }
    int64_t elements = 1;
    for (auto [x, y] : llvm::zip_equal(a.dims, b.dims))
      elements *= intersect(x->ranges[device], y->ranges[device]).size();
    total += elements;
  }
  return total;
}

/// Empty boxes are all the same.
bool ReshardingCostCache::haveSameBoxes(const Record &a,
                                        const Record &b) const {
  for (int64_t device = 0; device < devices; ++device) {
    bool isSame = true, isEmptyA = false, isEmptyB = false;
    for (auto [x, y] : llvm::zip_equal(a.dims, b.dims)) {
      isSame = isSame && x->ranges[device] == y->ranges[device];
      isEmptyA = isEmptyA || x->ranges[device].empty();
      isEmptyB = isEmptyB || y->ranges[device].empty();
    }
    if (!isSame && !(isEmptyA && isEmptyB))
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Moves of whole values
//===----------------------------------------------------------------------===//

/// The axes whose coordinates tell a device from those of an anchor.
uint64_t ReshardingCostCache::axesFrom(const LayoutTerm &anchor,
                                       int64_t device) const {
  int64_t parts = partsOf(grid, anchor.cut);
  int64_t place = anchor.within->lo / ceilDiv(anchor.extent, parts);
  uint64_t axes = 0;
  for (unsigned axis : llvm::reverse(anchor.cut)) {
    int64_t size = grid.axes[axis].size;
    if (place % size != coordinates[axis][device])
      axes |= axisBits[axis];
    place /= size;
  }
  return axes;
}

/// Finds what devices share along one dimension, and the axes whose coordinates
/// differ between some receiver and one of the devices that serve it.
void ReshardingCostCache::fill(Pair &pair, const Dim &source,
                               const Dim &target) const {
  llvm::ArrayRef<unsigned> cut = source.dim.cut();
  int64_t block = ceilDiv(source.dim.extent, partsOf(grid, cut));
  pair.isGathered = source.dim.isPlain() && target.dim.isPlain() &&
                    target.dim.cut().size() <= cut.size() &&
                    cut.take_front(target.dim.cut().size()) == target.dim.cut();
  for (int64_t device = 0; device < devices; ++device) {
    ZRange held = source.ranges[device], wanted = target.ranges[device];
    pair.shared.push_back(intersect(held, wanted).size());
    if (!target.cores.empty())
      pair.sharedCore.push_back(intersect(held, target.cores[device]).size());
    pair.isSame = pair.isSame && held == wanted;
    pair.isKept = pair.isKept && (held.empty() || wanted.contains(held));
    uint64_t moved = 0;
    if (!wanted.empty()) {
      // The parts that hold what is wanted, and each axis' digit in them: where
      // it changes between them some part's digit is not the device's.
      int64_t first = wanted.lo / block, last = (wanted.hi - 1) / block;
      pair.hasOneHolder = pair.hasOneHolder && first == last;
      for (unsigned axis : llvm::reverse(cut)) {
        int64_t size = grid.axes[axis].size;
        if (first != last || first % size != coordinates[axis][device])
          moved |= axisBits[axis];
        first /= size;
        last /= size;
      }
      for (const LayoutTerm &anchor : llvm::drop_begin(source.dim.terms))
        moved |= axesFrom(anchor, device);
    }
    pair.moved.push_back(moved);
  }
  pair.isGathered = pair.isGathered && pair.isKept;
}

const ReshardingCostCache::Pair &ReshardingCostCache::pairOf(uint32_t from,
                                                             uint32_t to) {
  std::unique_ptr<Pair> &known = pairs[pairKey(from, to)];
  if (!known) {
    known = std::make_unique<Pair>();
    fill(*known, *dims[from], *dims[to]);
  }
  return *known;
}

Collective ReshardingCostCache::measure(LayoutId from, LayoutId to) {
  const Record &source = *records[from];
  const Record &target = *records[to];
  if (!source.layout.partial.empty()) {
    bool isReduced = to == source.whole || haveSameBoxes(source, target);
    return combination(from, /*isScatter=*/!isReduced);
  }
  Collective result;
  if (from == to)
    return result;
  assert(source.layout.isDisjoint() &&
         "a resharding's source parts must be disjoint");
  llvm::SmallVector<const Pair *, 4> entries;
  bool isSame = true, isGathered = target.isPlain;
  bool isKept = true, hasOneHolder = true;
  for (auto [a, b] : llvm::zip_equal(source.dimNumbers, target.dimNumbers)) {
    entries.push_back(&pairOf(a, b));
    isSame = isSame && entries.back()->isSame;
    isGathered = isGathered && entries.back()->isGathered;
    isKept = isKept && entries.back()->isKept;
    hasOneHolder = hasOneHolder && entries.back()->hasOneHolder;
  }
  if (isSame)
    return result;
  uint64_t axes = 0;
  int64_t mostCopied = 0, holders = 0;
  moves.box.assign(devices, 1);
  moves.shared.assign(devices, 1);
  moves.axes.assign(devices, 0);
  for (auto [dim, entry] : llvm::zip_equal(target.dims, entries))
    for (int64_t device = 0; device < devices; ++device) {
      moves.box[device] *= dim->sizes[device];
      moves.shared[device] *= entry->shared[device];
      moves.axes[device] |= entry->moved[device];
    }
  for (int64_t device = 0; device < devices; ++device) {
    int64_t box = moves.box[device];
    int64_t received = box - moves.shared[device];
    if (target.isCross) {
      CrossCount ofCross;
      for (const Pair *entry : entries)
        ofCross.add(entry->shared[device], entry->sharedCore.empty()
                                               ? entry->shared[device]
                                               : entry->sharedCore[device]);
      received = wantedElements(target, device) - ofCross.count();
    }
    holders +=
        !source.isPlain && llvm::none_of(source.dims, [&](const Dim *dim) {
          return dim->ranges[device].empty();
        });
    if (box > 0)
      axes |= moves.axes[device];
    result.elements += received;
    result.mostReceived = std::max(result.mostReceived, received);
    mostCopied = std::max(mostCopied, box);
  }
  if (result.elements == 0) {
    result.kind = CollectiveKind::Slice;
    result.mostReceived = mostCopied;
    return result;
  }
  if (!source.isPlain)
    result.mostReceived =
        std::max(result.mostReceived, ceilDiv(result.elements, holders));
  for (unsigned axis = 0; axis < axisBits.size(); ++axis)
    if (axes & axisBits[axis])
      result.axes.push_back(axis);
  result.groupSize = partsOf(grid, result.axes);
  result.kind = isGathered     ? CollectiveKind::AllGather
                : hasOneHolder ? CollectiveKind::CollectivePermute
                : isKept       ? CollectiveKind::HaloExchange
                               : CollectiveKind::AllToAll;
  return result;
}

const Collective &ReshardingCostCache::collective(LayoutId from, LayoutId to) {
  std::unique_ptr<Collective> &known = collectives[pairKey(from, to)];
  if (!known)
    known = std::make_unique<Collective>(measure(from, to));
  return *known;
}

int64_t ReshardingCostCache::elementsMoved(LayoutId from, LayoutId to) {
  if (from == to)
    return 0;
  auto [it, isNew] = moved.try_emplace(pairKey(from, to), 0);
  if (!isNew)
    return it->second;
  const Record &source = *records[from];
  if (source.layout.partial.empty())
    it->second = sizeOf(to).held - sharedElements(source, *records[to]);
  else
    it->second = measure(from, to).elements;
  return it->second;
}

//===----------------------------------------------------------------------===//
// Combinations of partial values
//===----------------------------------------------------------------------===//

Collective ReshardingCostCache::combination(LayoutId from,
                                            bool isScatter) const {
  const Record &source = *records[from];
  Collective result;
  result.axes = source.layout.partial;
  llvm::sort(result.axes);
  result.groupSize = source.group;
  if (source.group > 1)
    result.kind =
        isScatter ? CollectiveKind::ReduceScatter : CollectiveKind::AllReduce;
  // A ring: an all_reduce is a reduce_scatter and an all_gather.
  int64_t rounds = isScatter ? 1 : 2;
  result.combined = largestPart(from);
  result.elements = rounds * scatteredElements(from);
  result.mostReceived =
      rounds * (source.group - 1) * ceilDiv(result.combined, result.groupSize);
  return result;
}

bool ReshardingCostCache::scattersEvenly(LayoutId from, LayoutId to) const {
  const Record &source = *records[from];
  const Record &target = *records[to];
  if (!source.isPlain || !target.isPlain || !target.layout.partial.empty())
    return false;
  size_t added = 0;
  for (auto [a, b] : llvm::zip_equal(source.layout.dims, target.layout.dims)) {
    if (b.cut().take_front(a.cut().size()) != a.cut() ||
        b.extent % partsOf(grid, b.cut()) != 0)
      return false;
    for (unsigned axis : b.cut().drop_front(a.cut().size()))
      if (!llvm::is_contained(source.layout.partial, axis))
        return false;
    added += b.cut().size() - a.cut().size();
  }
  return added > 0 && added == source.layout.partial.size();
}

bool ReshardingCostCache::canScatter(LayoutId from, LayoutId to) {
  const Record &source = *records[from];
  // What a group holds is to be held once: a cheap test before the others.
  if (source.group == 1 || sizeOf(to).held * source.group != sizeOf(from).held)
    return false;
  auto [it, isNew] = scatters.try_emplace(pairKey(from, to), false);
  if (isNew)
    it->second = scattersEvenly(from, to) ||
                 (sharedElements(source, *records[to]) == sizeOf(to).held &&
                  canReduceScatter(grid, source.layout, records[to]->layout));
  return it->second;
}

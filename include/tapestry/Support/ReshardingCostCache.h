//===- ReshardingCostCache.h - Prices of many moves on one grid -*- C++ -*-===//
//
// The one place that counts what a move between two layouts sends, receives and
// copies. A planner compares thousands of layouts: each distinct one, and each
// distinct dimension with every device's range in it, is kept once under a
// number, and what is asked again is looked up.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_SUPPORT_RESHARDINGCOSTCACHE_H
#define TAPESTRY_SUPPORT_RESHARDINGCOSTCACHE_H

#include "tapestry/Support/Resharding.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include <memory>
#include <vector>

namespace tapestry {

/// The number of a layout in a cache.
using LayoutId = uint32_t;

class ReshardingCostCache {
public:
  /// `grid` must outlive the cache.
  explicit ReshardingCostCache(const DeviceGrid &grid);

  const DeviceGrid &deviceGrid() const { return grid; }

  /// The number of this layout; equal layouts have equal numbers.
  LayoutId idOf(const Layout &layout);
  const Layout &layout(LayoutId id) const { return records[id]->layout; }
  bool isPlain(LayoutId id) const { return records[id]->isPlain; }
  /// The same layout without partial values.
  LayoutId wholeOf(LayoutId id) const { return records[id]->whole; }
  /// Elements of the largest part that a device has.
  int64_t largestPart(LayoutId id) const { return sizeOf(id).largest; }

  /// What planResharding() answers; kept.
  const Collective &collective(LayoutId from, LayoutId to);
  /// The same, not kept: for whoever makes a table of all pairs.
  Collective measure(LayoutId from, LayoutId to);
  /// Its elements alone, which are found sooner; kept.
  int64_t elementsMoved(LayoutId from, LayoutId to);

  /// Partial values combined: each member of a group keeps its share
  /// (reduce_scatter) or the whole (all_reduce).
  Collective combination(LayoutId from, bool isScatter) const;
  /// What a reduce_scatter of a layout sends, in elements: partial values
  /// cannot be combined for less.
  int64_t scatteredElements(LayoutId from) const {
    const Record &record = *records[from];
    return (record.group - 1) * (sizeOf(from).held / record.group);
  }
  /// What canReduceScatter() answers; kept.
  bool canScatter(LayoutId from, LayoutId to);
  /// Whether `to` cuts what `from` cuts, and over the partial axes behind that,
  /// into even parts: a target of a reduce_scatter that is known as such
  /// without a look at devices.
  bool scattersEvenly(LayoutId from, LayoutId to) const;

private:
  /// One dimension of layouts, with the range of every device.
  struct Dim {
    LayoutDim dim;
    std::vector<ZRange> ranges;
    /// Their sizes.
    std::vector<int64_t> sizes;
    /// What is between the arms; empty without any.
    std::vector<ZRange> cores;

    const ZRange &core(int64_t device) const {
      return cores.empty() ? ranges[device] : cores[device];
    }
  };
  struct Size {
    /// Elements that all devices hold together, corners of crosses not counted;
    /// -1: not counted yet.
    int64_t held = -1;
    int64_t largest = 0;
  };
  struct Record {
    Layout layout;
    llvm::SmallVector<const Dim *, 4> dims;
    llvm::SmallVector<uint32_t, 4> dimNumbers;
    bool isPlain = false;
    bool isCross = false;
    /// Devices whose partial values make one.
    int64_t group = 1;
    LayoutId whole = 0;
    mutable Size size;
  };
  /// Of a dimension in blocks and one that is wanted.
  struct Pair {
    /// Per device, the elements that it has of what it wants.
    std::vector<int64_t> shared;
    /// The same of what is between the arms, where there are any.
    std::vector<int64_t> sharedCore;
    /// Per device, the axes, as bits of axisBits, that tell some device that
    /// serves it from itself.
    std::vector<uint64_t> moved;
    bool isSame = true;
    /// Whole parts are collected.
    bool isGathered = true;
    /// Every device keeps all that it has.
    bool isKept = true;
    /// What a device wants lies within one part.
    bool hasOneHolder = true;
  };
  uint32_t numberOf(const LayoutDim &dim);
  const Size &sizeOf(LayoutId id) const;
  /// What a device has a use for.
  int64_t wantedElements(const Record &record, int64_t device) const;
  int64_t sharedElements(const Record &a, const Record &b) const;
  bool haveSameBoxes(const Record &a, const Record &b) const;
  const Pair &pairOf(uint32_t from, uint32_t to);
  uint64_t axesFrom(const LayoutTerm &anchor, int64_t device) const;
  void fill(Pair &pair, const Dim &source, const Dim &target) const;

  const DeviceGrid &grid;
  int64_t devices;
  /// Per axis its bit in Pair::moved; 0 for an axis of one device.
  std::vector<uint64_t> axisBits;
  /// Per axis, the coordinate of every device.
  std::vector<std::vector<int32_t>> coordinates;
  /// Of the move that is measured, per device: elements of the box that it
  /// wants, those that it has of them, and Pair::moved of all dimensions.
  struct Moves {
    std::vector<int64_t> box, shared;
    std::vector<uint64_t> axes;
  };
  Moves moves;
  std::vector<std::unique_ptr<Dim>> dims;
  llvm::StringMap<uint32_t> dimNumbers;
  std::vector<std::unique_ptr<Record>> records;
  llvm::StringMap<LayoutId> ids;
  llvm::DenseMap<uint64_t, std::unique_ptr<Pair>> pairs;
  llvm::DenseMap<uint64_t, std::unique_ptr<Collective>> collectives;
  llvm::DenseMap<uint64_t, int64_t> moved;
  llvm::DenseMap<uint64_t, bool> scatters;
};

} // namespace tapestry

#endif // TAPESTRY_SUPPORT_RESHARDINGCOSTCACHE_H

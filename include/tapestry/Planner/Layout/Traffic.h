//===- Traffic.h - Prices of many layouts on one grid -----------*- C++ -*-===//
//
// Placement compares thousands of layouts. Here each distinct layout is kept
// once, with the range of every device in every dimension, so that a price is
// one pass over the devices and is computed once.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_PLANNER_LAYOUT_TRAFFIC_H
#define TAPESTRY_PLANNER_LAYOUT_TRAFFIC_H

#include "tapestry/Support/Resharding.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include <memory>
#include <vector>

namespace tapestry {

class Traffic {
public:
  explicit Traffic(const DeviceGrid &grid);

  using Id = unsigned;
  /// The number of this layout; equal layouts have equal numbers.
  Id idOf(const Layout &layout);
  const Layout &layout(Id id) const { return records[id]->layout; }

  /// What planResharding() sends from one layout to the other, in elements.
  int64_t elementsMoved(Id from, Id to);
  /// What canReduceScatter() answers.
  bool canScatter(Id from, Id to);

  /// Bytes per element before and after partial values are combined.
  struct ElementBytes {
    int64_t partial = 1;
    int64_t whole = 1;
  };
  struct Home {
    Id layout = 0;
    /// What combining partial values and serving every target sends.
    int64_t bytes = 0;
  };
  /// What bringing a result home sends: partial values by a reduce_scatter
  /// where that leads there, else by an all_reduce and then as whole ones.
  int64_t bytesHome(Id result, Id home, ElementBytes size);
  /// Bringing a result home and serving every reader from there.
  Home priceOf(Id result, Id home, llvm::ArrayRef<Id> targets,
               ElementBytes size);
  /// The cheapest home for a result of which every reader fetches one of
  /// `targets`, an entry per reader: where the result itself lies, combined, or
  /// one of the targets that are plain and not `inPlace`.
  Home bestHome(Id result, llvm::ArrayRef<Id> targets, ElementBytes size,
                bool inPlace = false);
  /// What a reduce_scatter of `result` would send, in elements: no home can
  /// cost less.
  int64_t leastElements(Id result) const;

private:
  using Ranges = std::vector<ZRange>;
  struct Record {
    Layout layout;
    /// Every device's range, per dimension.
    llvm::SmallVector<const Ranges *, 4> dims;
    /// Elements that all devices hold together.
    int64_t held = 0;
    int64_t group = 1;
    /// The same without partial values.
    Id whole = 0;
  };
  const Ranges *rangesOf(const LayoutDim &dim);
  int64_t sharedElements(const Record &a, const Record &b) const;

  const DeviceGrid &grid;
  int64_t devices;
  std::vector<std::unique_ptr<Record>> records;
  llvm::StringMap<Id> ids;
  llvm::StringMap<std::unique_ptr<Ranges>> ranges;
  llvm::DenseMap<std::pair<Id, Id>, int64_t> moved;
  llvm::DenseMap<std::pair<Id, Id>, bool> scatters;
};

} // namespace tapestry

#endif // TAPESTRY_PLANNER_LAYOUT_TRAFFIC_H

//===- MoveMeter.h - Measures many moves on one grid ------------*- C++ -*-===//

#ifndef TAPESTRY_PLANNER_LAYOUT_MOVEMETER_H
#define TAPESTRY_PLANNER_LAYOUT_MOVEMETER_H

#include "tapestry/Support/Resharding.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include <memory>
#include <vector>

namespace tapestry {

/// Answers what planResharding() answers for layouts without partial values,
/// but for which of the two exchanges it is (their prices are equal). Layouts
/// share few distinct dimensions: what devices hold, and what they lack, is
/// found once per pair of dimensions.
class MoveMeter {
public:
  explicit MoveMeter(const DeviceGrid &grid);

  /// A layout as the numbers of its dimensions.
  using Dims = llvm::SmallVector<uint32_t, 4>;
  Dims dimsOf(const Layout &layout);

  /// The move from a plain layout to any.
  Collective measure(llvm::ArrayRef<uint32_t> from,
                     llvm::ArrayRef<uint32_t> to);
  /// Elements of the largest part that a device has.
  int64_t largestPart(llvm::ArrayRef<uint32_t> dims) const;

private:
  struct Dim {
    LayoutDim dim;
    std::vector<ZRange> ranges;
  };
  /// Of two dimensions, per device.
  struct Pair {
    std::vector<int64_t> shared;
    /// The axes, as bits, that tell some server of the device from itself.
    std::vector<uint64_t> moved;
    bool isSame = true;
  };
  const Pair &pairOf(uint32_t from, uint32_t to);

  const DeviceGrid &grid;
  int64_t devices;
  std::vector<std::unique_ptr<Dim>> dims;
  llvm::StringMap<uint32_t> numbers;
  llvm::DenseMap<uint64_t, std::unique_ptr<Pair>> pairs;
};

} // namespace tapestry

#endif // TAPESTRY_PLANNER_LAYOUT_MOVEMETER_H

//===- Resharding.cpp - What moves between two layouts --------------------===//

#include "tapestry/Support/Resharding.h"
#include "tapestry-rt/ABI.h"
#include "tapestry/Support/ReshardingCostCache.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace tapestry;

llvm::StringRef tapestry::stringifyCollective(CollectiveKind kind) {
  switch (kind) {
  case CollectiveKind::None:
    return "none";
  case CollectiveKind::Slice:
    return "slice";
  case CollectiveKind::AllGather:
    return "all_gather";
  case CollectiveKind::CollectivePermute:
    return "collective_permute";
  case CollectiveKind::HaloExchange:
    return "halo_exchange";
  case CollectiveKind::AllToAll:
    return "all_to_all";
  case CollectiveKind::AllReduce:
    return "all_reduce";
  case CollectiveKind::ReduceScatter:
    return "reduce_scatter";
  }
  return "unknown";
}

std::optional<int32_t> tapestry::runtimeKind(CollectiveKind kind) {
  switch (kind) {
  case CollectiveKind::None:
  case CollectiveKind::Slice:
    return std::nullopt;
  case CollectiveKind::AllGather:
    return TAPESTRY_ALL_GATHER;
  case CollectiveKind::CollectivePermute:
    return TAPESTRY_COLLECTIVE_PERMUTE;
  case CollectiveKind::HaloExchange:
    return TAPESTRY_HALO_EXCHANGE;
  case CollectiveKind::AllToAll:
    return TAPESTRY_ALL_TO_ALL;
  case CollectiveKind::AllReduce:
    return TAPESTRY_ALL_REDUCE;
  case CollectiveKind::ReduceScatter:
    return TAPESTRY_REDUCE_SCATTER;
  }
  return std::nullopt;
}

std::optional<int32_t> tapestry::runtimeKind(llvm::StringRef name) {
  for (int kind = 0; kind <= int(CollectiveKind::ReduceScatter); ++kind)
    if (stringifyCollective(CollectiveKind(kind)) == name)
      return runtimeKind(CollectiveKind(kind));
  return std::nullopt;
}

llvm::SmallVector<int64_t> tapestry::groupOf(const DeviceGrid &grid,
                                             llvm::ArrayRef<unsigned> axes,
                                             int64_t device) {
  llvm::SmallVector<int64_t> members = {firstOfGroup(grid, axes, device)};
  for (unsigned axis : axes) {
    llvm::SmallVector<int64_t> wider;
    for (int64_t member : members)
      for (int64_t c = 0; c < grid.axes[axis].size; ++c)
        wider.push_back(member + c * grid.strideOf(axis));
    members = std::move(wider);
  }
  llvm::sort(members);
  return members;
}

int64_t tapestry::firstOfGroup(const DeviceGrid &grid,
                               llvm::ArrayRef<unsigned> axes, int64_t device) {
  for (unsigned axis : axes)
    device -= grid.coordinate(device, axis) * grid.strideOf(axis);
  return device;
}

int64_t tapestry::servingDevice(const DeviceGrid &grid, const Layout &from,
                                int64_t holder, int64_t receiver) {
  int64_t device = receiver;
  for (unsigned axis : from.usedAxes())
    device +=
        (grid.coordinate(holder, axis) - grid.coordinate(receiver, axis)) *
        grid.strideOf(axis);
  return device;
}

bool tapestry::canReduceScatter(const DeviceGrid &grid, const Layout &from,
                                const Layout &to) {
  if (from.partial.empty() || !to.partial.empty() || !to.isDisjoint())
    return false;
  for (int64_t device = 0, e = grid.numDevices(); device < e; ++device) {
    if (firstOfGroup(grid, from.partial, device) != device)
      continue;
    llvm::SmallVector<int64_t> members = groupOf(grid, from.partial, device);
    llvm::SmallVector<ZBox> targets;
    for (int64_t member : members)
      targets.push_back(to.box(grid, member));
    ZBox source = from.box(grid, device);
    if (isEmpty(source)) {
      if (!llvm::all_of(targets, [](const ZBox &b) { return isEmpty(b); }))
        return false;
      continue;
    }
    if (findCoverageFault(source, targets))
      return false;
  }
  return true;
}

Collective tapestry::planResharding(const DeviceGrid &grid, const Layout &from,
                                    const Layout &to) {
  if (from == to && from.partial.empty())
    return {};
  ReshardingCostCache costs(grid);
  return costs.measure(costs.idOf(from), costs.idOf(to));
}

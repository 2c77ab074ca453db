//===- Resharding.h - What moves between two layouts ------------*- C++ -*-===//
//
// Which collective turns one layout into another and how many elements it
// sends. The planner prices with it (many moves: ReshardingCostCache.h), the
// lowering emits by it, and the plan's verifier and the runtime count the same
// numbers on their own.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_SUPPORT_RESHARDING_H
#define TAPESTRY_SUPPORT_RESHARDING_H

#include "tapestry/Support/Layout.h"

namespace tapestry {

enum class CollectiveKind {
  None,      ///< equal boxes on every device
  Slice,     ///< every device already holds what it needs: no traffic
  AllGather, ///< axes leave a dimension: parts are collected in their group
  /// Each device's box comes whole from one device.
  CollectivePermute,
  HaloExchange,  ///< devices keep what they have and get what lies around it
  AllToAll,      ///< any other exchange of boxes
  AllReduce,     ///< partial values combined, the result on every member
  ReduceScatter, ///< partial values combined, each member keeps its box
};

/// "none", "slice", "all_gather", "collective_permute", "halo_exchange",
/// "all_to_all", "all_reduce", "reduce_scatter".
llvm::StringRef stringifyCollective(CollectiveKind kind);

/// The runtime's number (TapestryCollectiveKind) of a kind that sends; nothing
/// for the others.
std::optional<int32_t> runtimeKind(CollectiveKind kind);
/// The same of a kind by its name.
std::optional<int32_t> runtimeKind(llvm::StringRef kind);

struct Collective {
  CollectiveKind kind = CollectiveKind::None;
  /// The grid axes whose devices talk to each other, ascending.
  Cut axes;
  /// Devices per group.
  int64_t groupSize = 1;
  /// What one device sends, summed over all devices.
  int64_t elements = 0;
  /// What the device that receives most receives; of a slice, what it copies.
  /// Where few devices have what all want, what one of them sends.
  int64_t mostReceived = 0;
  /// Elements that a member combines in a reduction; else 0.
  int64_t combined = 0;
};

/// An all_reduce of at most this many bytes per device goes up and down a
/// binomial tree; a larger one around a ring. Both send the same bytes. The
/// runtime's number is TAPESTRY_SMALL_ALL_REDUCE_BYTES (ABI.h).
constexpr int64_t smallAllReduceBytes = 8192;

/// The collective that turns `from` into `to`, with what it sends.
///
/// Without partial axes in `from`, every device fetches the parts of its target
/// box, or cross, that it does not hold; a part that several devices hold comes
/// from the one whose coordinates on the replicated axes equal the receiver's.
/// `from` must be disjoint: plain, or anchored at some devices, which then send
/// all.
///
/// With partial axes, `to` must have the boxes of `from` (all_reduce, a ring:
/// 2 (g - 1) n elements per group of g devices and n elements) or boxes that
/// partition them within each group (reduce_scatter: (g - 1) n elements).
Collective planResharding(const DeviceGrid &grid, const Layout &from,
                          const Layout &to);

/// Whether `to` is a legal target of a reduce_scatter from `from`: the target
/// boxes of each group's members are disjoint and cover the group's box.
bool canReduceScatter(const DeviceGrid &grid, const Layout &from,
                      const Layout &to);

/// The devices that differ from `device` only in `axes`, ascending.
llvm::SmallVector<int64_t>
groupOf(const DeviceGrid &grid, llvm::ArrayRef<unsigned> axes, int64_t device);

/// The first of them.
int64_t firstOfGroup(const DeviceGrid &grid, llvm::ArrayRef<unsigned> axes,
                     int64_t device);

/// The device that serves `receiver` with the part that `holder` stands for:
/// `holder`'s coordinates on the axes that `from` uses, the receiver's on all
/// other axes.
int64_t servingDevice(const DeviceGrid &grid, const Layout &from,
                      int64_t holder, int64_t receiver);

} // namespace tapestry

#endif // TAPESTRY_SUPPORT_RESHARDING_H

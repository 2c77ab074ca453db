//===- Collectives.h - The algorithms that move tensors ---------*- C++ -*-===//
//
// Written once over Communicator, for all back ends. What each sends is part of
// the contract with the planner, which prices the same numbers:
//   exchange        what a device's target box holds beyond its own source box
//   all_reduce      2 (g - 1) n elements per group of g devices, n elements
//   each reduce_scatter    (g - 1) n elements
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_RT_COLLECTIVES_COLLECTIVES_H
#define TAPESTRY_RT_COLLECTIVES_COLLECTIVES_H

#include "Collectives/Communicator.h"
#include "Core/Box.h"

namespace tapestry {
namespace rt {

/// What one device sends, receives and keeps in a pairwise exchange of box
/// intersections. Sends and receives are in order of their distance around the
/// circle of ranks, so that all ranks can take a few at a time (see
/// `exchangeBoxes`). The boxes of the tables must outlive the plan.
struct ExchangePlan {
  /// A box of which all that is read becomes complete, behind `before` elements
  /// of others in memory.
  struct Target {
    BoxRef box;
    int64_t before;
    /// How many of its elements are read.
    int64_t elements;
  };
  /// What goes into one target of the receiving end, by its number.
  struct Piece {
    Box box;
    size_t target;
  };
  /// All that goes from one device to another.
  struct Message {
    int peer;
    /// What the sending end holds.
    BoxRef holder;
    std::vector<Piece> pieces;
    /// Whether it is one stretch of memory at both ends.
    bool isStretch;

    int64_t elements() const;
  };
  BoxRef source; ///< this device's own
  std::vector<Target> targets;
  int64_t elementSize = 0;
  int size = 1; ///< ranks
  int device = 0;
  std::vector<Message> sends, receives;
  std::vector<Piece> keeps; ///< copied from own source to own targets

  /// Elements that go to other devices.
  int64_t sentElements() const;
  /// Elements that this device keeps.
  int64_t keptElements() const;
  /// Whether the targets become complete.
  Status check() const;
  /// Copies a piece to its place in the memory of all targets; `data` holds
  /// `holder`.
  void take(const Piece &piece, const void *data, BoxRef holder,
            void *memory) const;
  /// Copies what this device keeps, which `communicator` counts.
  void keep(Communicator &communicator, const void *sourceMemory,
            void *memory) const;
};

/// The plan of `device` for an all_gather or all_to_all. A receiver takes every
/// part from the holder whose `replica_of` equals its own.
ExchangePlan planExchange(const TapestryCollective &collective, int64_t devices,
                          int64_t device);

/// The devices that `device` exchanges parts with, itself included, and those
/// that these exchange parts with, and so on; ascending.
std::vector<int> exchangeGroup(const TapestryCollective &collective,
                               int64_t devices, int64_t device);

/// The plan of `device` for turning output `from` into input `to` of the next
/// run. A receiver takes what its own part does not hold from the owners.
ExchangePlan planFeed(const TapestryTensor &from, const TapestryTensor &to,
                      int64_t devices, int64_t device);

/// Carries out `plan`: the targets in `target` become complete. Where memory is
/// not shared, messages that are no stretch are staged part by part.
Status exchangeBoxes(Communicator &communicator, const ExchangePlan &plan,
                     const void *source, void *target);

/// The devices that reduce together, ascending, and where one of them stands.
struct ReductionGroup {
  std::vector<int> members;
  int position = 0;

  int size() const { return static_cast<int>(members.size()); }
  /// The member `steps` places further around the ring.
  int ahead(int steps) const {
    int place = (position + steps) % size();
    return place < 0 ? place + size() : place;
  }
  int next() const { return members[ahead(1)]; }
  int previous() const { return members[ahead(-1)]; }
};
ReductionGroup groupOf(const TapestryCollective &collective, int64_t devices,
                       int64_t device);

/// A ring over chunks of ceil(n / g) elements: reduce, then gather. All members
/// get the same bits. `source` may be `target`.
Status ringAllReduce(Communicator &communicator, const ReductionGroup &group,
                     TapestryCombineFn combine, int64_t elementSize,
                     int64_t count, const void *source, void *target);

/// A binomial tree: up to the group's first member, which combines in order of
/// the members, and back down. All members get the same bits. For at most
/// TAPESTRY_SMALL_ALL_REDUCE_BYTES. `source` may be `target`.
Status treeAllReduce(Communicator &communicator, const ReductionGroup &group,
                     TapestryCombineFn combine, int64_t elementSize,
                     int64_t count, const void *source, void *target);

/// The tree for small parts, whose time is that of its messages, and the ring
/// for large ones. Both send the same number of bytes.
Status allReduce(Communicator &communicator, const ReductionGroup &group,
                 TapestryCombineFn combine, int64_t elementSize, int64_t count,
                 const void *source, void *target);

/// A ring over the members' target boxes; `source` has the shape of `sourceBox`
/// on all members, `targets` holds the target box of each member. `sums` has
/// reduceScatterBytes of memory.
Status ringReduceScatter(Communicator &communicator,
                         const ReductionGroup &group, TapestryCombineFn combine,
                         int64_t elementSize, BoxRef sourceBox,
                         const std::vector<BoxRef> &targets, const void *source,
                         void *target, char *sums);
/// For two sums of the largest part under way.
int64_t reduceScatterBytes(const std::vector<BoxRef> &targets,
                           int64_t elementSize);

} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_COLLECTIVES_COLLECTIVES_H

//===- Tree.cpp - Tree reductions -----------------------------------------===//

#include "Collectives/Collectives.h"
#include <cstring>

using namespace tapestry::rt;

/// The steps of a binomial tree over `size` members: in step s of the way up,
/// an odd multiple of 2^s sends to the even one below it.
static int stepsOf(int size) {
  int steps = 0;
  while ((1 << steps) < size)
    ++steps;
  return steps;
}

namespace {
/// What a member does in one step: nothing, or a message from the upper of two
/// members to the lower one (on the way down the other way round).
struct Pair {
  int upper = -1;
  int lower = -1;

  Pair(const ReductionGroup &group, int step) {
    int distance = 1 << step;
    int place = group.position % (2 * distance);
    if (place == distance)
      upper = group.position;
    else if (place == 0 && group.position + distance < group.size())
      upper = group.position + distance;
    if (upper >= 0)
      lower = upper - distance;
  }
};
} // namespace

Status tapestry::rt::treeAllReduce(Communicator &communicator,
                                   const ReductionGroup &group,
                                   TapestryCombineFn combine,
                                   int64_t elementSize, int64_t count,
                                   const void *source, void *target) {
  int64_t bytes = count * elementSize;
  if (bytes == 0)
    return Status::success();
  if (source != target) {
    std::memcpy(target, source, bytes);
    communicator.countKept(bytes);
  }
  // Small enough for the stack.
  alignas(64) char staging[TAPESTRY_SMALL_ALL_REDUCE_BYTES];
  int steps = stepsOf(group.size());
  for (int step = 0; step < steps; ++step) {
    Pair pair(group, step);
    Status status;
    if (pair.upper == group.position)
      status = communicator.exchange(
          step, {{group.members[pair.lower], bytes, target}}, {},
          [](size_t, const void *) {});
    else if (pair.upper >= 0)
      status = communicator.exchange(
          step, {}, {{group.members[pair.upper], bytes, staging}},
          [&](size_t, const void *data) { combine(target, data, count); });
    if (status.failed())
      return status;
  }
  for (int step = steps - 1; step >= 0; --step) {
    Pair pair(group, step);
    int label = 2 * steps - 1 - step;
    Status status;
    if (pair.upper == group.position)
      status = communicator.exchange(
          label, {}, {{group.members[pair.lower], bytes, target}},
          [&](size_t, const void *data) {
            if (data != target)
              std::memcpy(target, data, bytes);
          });
    else if (pair.upper >= 0)
      status = communicator.exchange(
          label, {{group.members[pair.upper], bytes, target}}, {},
          [](size_t, const void *) {});
    if (status.failed())
      return status;
  }
  return Status::success();
}

Status tapestry::rt::allReduce(Communicator &communicator,
                               const ReductionGroup &group,
                               TapestryCombineFn combine, int64_t elementSize,
                               int64_t count, const void *source,
                               void *target) {
  if (count * elementSize <= TAPESTRY_SMALL_ALL_REDUCE_BYTES)
    return treeAllReduce(communicator, group, combine, elementSize, count,
                         source, target);
  return ringAllReduce(communicator, group, combine, elementSize, count, source,
                       target);
}

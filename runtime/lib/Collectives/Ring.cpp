//===- Ring.cpp - Ring reductions -----------------------------------------===//

#include "Collectives/Collectives.h"
#include "Core/Types.h"
#include <algorithm>
#include <cstring>

using namespace tapestry::rt;

ReductionGroup tapestry::rt::groupOf(const TapestryCollective &collective,
                                     int64_t devices, int64_t device) {
  ReductionGroup group;
  for (int64_t other = 0; other < devices; ++other) {
    if (collective.group_of[other] != collective.group_of[device])
      continue;
    if (other == device)
      group.position = group.size();
    group.members.push_back(static_cast<int>(other));
  }
  return group;
}

/// accumulator = own (+) received, in stretches that stay in the cache between
/// the copy and the combination.
static void combineInto(void *accumulator, const void *own,
                        const void *received, int64_t count,
                        int64_t elementSize, TapestryCombineFn combine) {
  if (accumulator == own)
    return combine(accumulator, received, count);
  const int64_t stretch = std::max<int64_t>((64 << 10) / elementSize, 1);
  for (int64_t at = 0; at < count; at += stretch) {
    int64_t elements = std::min(stretch, count - at);
    char *to = static_cast<char *>(accumulator) + at * elementSize;
    std::memcpy(to, static_cast<const char *>(own) + at * elementSize,
                elements * elementSize);
    combine(to, static_cast<const char *>(received) + at * elementSize,
            elements);
  }
}

namespace {
/// Steps around a ring in which what arrives is combined.
class Combining {
public:
  /// `largest`: elements of the longest message.
  Combining(Communicator &communicator, const ReductionGroup &group,
            TapestryCombineFn combine, int64_t elementSize, int64_t largest)
      : communicator(communicator), group(group), combine(combine),
        elementSize(elementSize), atOnce(std::max<int64_t>(largest, 1)) {
    if (!communicator.sharesMemory()) {
      atOnce = std::max<int64_t>(communicator.stagedBytes / elementSize, 1);
      received = communicator.staging();
    }
  }

  /// Sends `outCount` elements to the next member: sum = own (+) the `count`
  /// elements that the previous one sends. Both ends of a message cut it alike.
  Status step(int number, const char *out, int64_t outCount, char *sum,
              const char *own, int64_t count) const;

private:
  Communicator &communicator;
  const ReductionGroup &group;
  TapestryCombineFn combine;
  int64_t elementSize;
  int64_t atOnce; ///< elements
  char *received = nullptr;
};
} // namespace

Status Combining::step(int number, const char *out, int64_t outCount, char *sum,
                       const char *own, int64_t count) const {
  for (int64_t at = 0; at < std::max(outCount, count); at += atOnce) {
    int64_t sent = std::min(atOnce, outCount - at);
    int64_t got = std::min(atOnce, count - at);
    std::vector<Outgoing> sends;
    if (sent > 0)
      sends.push_back(
          {group.next(), sent * elementSize, out + at * elementSize});
    std::vector<Incoming> receives;
    if (got > 0)
      receives.push_back({group.previous(), got * elementSize, received});
    Status status = communicator.exchange(
        number, sends, receives, [&](size_t, const void *data) {
          combineInto(sum + at * elementSize, own + at * elementSize, data, got,
                      elementSize, combine);
        });
    if (status.failed())
      return status;
  }
  return Status::success();
}

//===----------------------------------------------------------------------===//
// all_reduce
//===----------------------------------------------------------------------===//

namespace {
class AllReduce {
public:
  AllReduce(Communicator &communicator, const ReductionGroup &group,
            TapestryCombineFn combine, int64_t elementSize, int64_t count,
            const void *source, void *target)
      : communicator(communicator), group(group), combine(combine),
        elementSize(elementSize), count(count),
        source(static_cast<const char *>(source)),
        target(static_cast<char *>(target)) {
    chunk = (count + group.size() - 1) / group.size();
  }

  Status reduce();
  Status gather();

private:
  int64_t first(int index) const { return std::min(index * chunk, count); }
  int64_t elements(int index) const {
    return std::min((index + 1) * chunk, count) - first(index);
  }
  char *in(char *base, int index) const {
    return base + first(index) * elementSize;
  }
  const char *in(const char *base, int index) const {
    return base + first(index) * elementSize;
  }
  /// The messages of one step; empty chunks are known to both ends and skipped.
  std::vector<Outgoing> sending(const char *base, int index) const {
    if (elements(index) == 0)
      return {};
    return {{group.next(), elements(index) * elementSize, in(base, index)}};
  }
  std::vector<Incoming> receiving(char *place, int index) const {
    if (elements(index) == 0)
      return {};
    return {{group.previous(), elements(index) * elementSize, place}};
  }

  Communicator &communicator;
  const ReductionGroup &group;
  TapestryCombineFn combine;
  int64_t elementSize;
  int64_t count;
  const char *source;
  char *target;
  int64_t chunk;
};
} // namespace

/// Afterwards member p holds chunk p + 1 of the result in its target.
Status AllReduce::reduce() {
  Combining ring(communicator, group, combine, elementSize, chunk);
  for (int step = 0; step < group.size() - 1; ++step) {
    int out = group.ahead(-step);
    int mine = group.ahead(-step - 1);
    // The first chunk that goes out is nobody's sum yet.
    Status status =
        ring.step(step, in(step == 0 ? source : target, out), elements(out),
                  in(target, mine), in(source, mine), elements(mine));
    if (status.failed())
      return status;
  }
  return Status::success();
}

Status AllReduce::gather() {
  for (int step = 0; step < group.size() - 1; ++step) {
    int out = group.ahead(1 - step);
    int mine = group.ahead(-step);
    Status status = communicator.exchange(
        group.size() - 1 + step, sending(target, out),
        receiving(in(target, mine), mine), [&](size_t, const void *data) {
          if (data != in(target, mine))
            std::memcpy(in(target, mine), data, elements(mine) * elementSize);
        });
    if (status.failed())
      return status;
  }
  return Status::success();
}

Status tapestry::rt::ringAllReduce(Communicator &communicator,
                                   const ReductionGroup &group,
                                   TapestryCombineFn combine,
                                   int64_t elementSize, int64_t count,
                                   const void *source, void *target) {
  if (count == 0)
    return Status::success();
  if (group.size() == 1) {
    if (source != target) {
      std::memcpy(target, source, count * elementSize);
      communicator.countKept(count * elementSize);
    }
    return Status::success();
  }
  AllReduce ring(communicator, group, combine, elementSize, count, source,
                 target);
  Status status = ring.reduce();
  return status.failed() ? status : ring.gather();
}

//===----------------------------------------------------------------------===//
// reduce_scatter
//===----------------------------------------------------------------------===//

/// The elements of `box` within a part of shape `sourceBox`, contiguous: where
/// they lie if they are, else packed into `buffer`.
static const char *contiguous(const char *source, BoxRef sourceBox, BoxRef box,
                              int64_t elementSize, char *buffer) {
  if (isContiguousIn(sourceBox, box))
    return source + offsetIn(sourceBox, box) * elementSize;
  copyPiece(buffer, box, source, sourceBox, box, elementSize);
  return buffer;
}

int64_t tapestry::rt::reduceScatterBytes(const std::vector<BoxRef> &targets,
                                         int64_t elementSize) {
  int64_t largest = 0;
  for (BoxRef box : targets)
    largest = std::max(largest, volume(box) * elementSize);
  return targets.size() == 1 ? 0 : 2 * largest;
}

Status tapestry::rt::ringReduceScatter(Communicator &communicator,
                                       const ReductionGroup &group,
                                       TapestryCombineFn combine,
                                       int64_t elementSize, BoxRef sourceBox,
                                       const std::vector<BoxRef> &targets,
                                       const void *source, void *target,
                                       char *sums) {
  const char *from = static_cast<const char *>(source);
  if (group.size() == 1) {
    copyPiece(target, targets[0], source, sourceBox, targets[0], elementSize);
    communicator.countKept(volume(targets[0]) * elementSize);
    return Status::success();
  }
  // Sums under way alternate between two buffers: one goes out while the next
  // is made.
  int64_t largest = reduceScatterBytes(targets, elementSize) / 2;
  char *buffers[2] = {sums, sums + largest};
  Combining ring(communicator, group, combine, elementSize,
                 largest / elementSize);

  // Part p - 1 leaves member p first and arrives at member p - 1 last, having
  // gone all the way round; member p's own part arrives in the last step.
  const char *outgoing = nullptr;
  for (int step = 0; step < group.size() - 1; ++step) {
    int out = group.ahead(-step - 1);
    int mine = group.ahead(-step - 2);
    if (step == 0 && volume(targets[out]) > 0)
      outgoing =
          contiguous(from, sourceBox, targets[out], elementSize, buffers[0]);
    char *sum = mine == group.position ? static_cast<char *>(target)
                                       : buffers[(step + 1) % 2];
    const char *own =
        isEmpty(targets[mine])
            ? nullptr
            : contiguous(from, sourceBox, targets[mine], elementSize, sum);
    Status status = ring.step(step, outgoing, volume(targets[out]), sum, own,
                              volume(targets[mine]));
    if (status.failed())
      return status;
    outgoing = sum;
  }
  return Status::success();
}

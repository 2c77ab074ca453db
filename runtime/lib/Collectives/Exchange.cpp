//===- Exchange.cpp - Pairwise exchange of box intersections --------------===//

#include "Collectives/Collectives.h"
#include "Core/Types.h"
#include <algorithm>
#include <cstring>

using namespace tapestry;
using namespace tapestry::rt;

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

int64_t ExchangePlan::sentElements() const {
  int64_t elements = 0;
  for (const Piece &piece : sends)
    elements += volume(piece.box);
  return elements;
}

Status ExchangePlan::check() const {
  int64_t elements = 0;
  for (const Box &box : keeps)
    elements += volume(box);
  for (const Piece &piece : receives)
    elements += volume(piece.box);
  if (elements == volume(target))
    return Status::success();
  return Status::failure(
      ExitEnvironment,
      format("the program's tables are inconsistent: %lld elements come for "
             "%s, which has %lld",
             static_cast<long long>(elements), boxText(target).c_str(),
             static_cast<long long>(volume(target))));
}

/// How far around the circle of `size` ranks `to` is from `from`.
static int distance(int from, int to, int size) {
  return (to - from + size) % size;
}

ExchangePlan tapestry::rt::planExchange(const TapestryCollective &collective,
                                        int64_t devices, int64_t device) {
  ExchangePlan plan;
  plan.source = sourceBox(collective, device);
  plan.target = targetBox(collective, device);
  plan.elementSize = dtypeSize(collective.dtype);
  plan.size = static_cast<int>(devices);
  plan.device = static_cast<int>(device);

  auto serves = [&](int other) {
    return !collective.replica_of ||
           collective.replica_of[other] == collective.replica_of[device];
  };
  if (overlap(plan.source, plan.target))
    plan.keeps.push_back(intersect(plan.source, plan.target));
  for (int shift = 1; shift < plan.size; ++shift) {
    int to = (plan.device + shift) % plan.size;
    int from = (plan.device + plan.size - shift) % plan.size;
    BoxRef wanted = targetBox(collective, to);
    if (serves(to) && overlap(plan.source, wanted))
      plan.sends.push_back({to, intersect(plan.source, wanted), plan.source});
    BoxRef holder = sourceBox(collective, from);
    if (serves(from) && overlap(holder, plan.target))
      plan.receives.push_back({from, intersect(holder, plan.target), holder});
  }
  return plan;
}

std::vector<int>
tapestry::rt::exchangeGroup(const TapestryCollective &collective,
                            int64_t devices, int64_t device) {
  auto serves = [&](int64_t holder, int64_t receiver) {
    return (!collective.replica_of ||
            collective.replica_of[holder] == collective.replica_of[receiver]) &&
           overlap(sourceBox(collective, holder),
                   targetBox(collective, receiver));
  };
  std::vector<int> group = {static_cast<int>(device)};
  std::vector<bool> isMember(devices, false);
  isMember[device] = true;
  for (size_t next = 0; next < group.size(); ++next)
    for (int64_t other = 0; other < devices; ++other) {
      int member = group[next];
      if (isMember[other] || (!serves(member, other) && !serves(other, member)))
        continue;
      isMember[other] = true;
      group.push_back(static_cast<int>(other));
    }
  std::sort(group.begin(), group.end());
  return group;
}

ExchangePlan tapestry::rt::planFeed(const TapestryTensor &from,
                                    const TapestryTensor &to, int64_t devices,
                                    int64_t device) {
  ExchangePlan plan;
  plan.source = boxOf(from, device);
  plan.target = boxOf(to, device);
  plan.elementSize = dtypeSize(from.dtype);
  plan.size = static_cast<int>(devices);
  plan.device = static_cast<int>(device);

  for (int owner = 0; owner < plan.size; ++owner) {
    BoxRef part = boxOf(from, owner);
    if (!from.owner[owner] || !overlap(part, plan.target))
      continue;
    Box box = intersect(part, plan.target);
    if (contains(plan.source, box))
      plan.keeps.push_back(std::move(box));
  }
  // `receiver` takes from `owner` what it does not hold itself.
  auto add = [&](int owner, int receiver, int peer,
                 std::vector<ExchangePlan::Piece> &pieces) {
    BoxRef part = boxOf(from, owner);
    if (!from.owner[owner] || !overlap(part, boxOf(to, receiver)))
      return;
    Box box = intersect(part, boxOf(to, receiver));
    if (!contains(boxOf(from, receiver), box))
      pieces.push_back({peer, std::move(box), part});
  };
  for (int shift = 1; shift < plan.size; ++shift) {
    int after = (plan.device + shift) % plan.size;
    int before = (plan.device + plan.size - shift) % plan.size;
    add(plan.device, after, after, plan.sends);
    add(before, plan.device, before, plan.receives);
  }
  return plan;
}

//===----------------------------------------------------------------------===//
// Execution where memory is shared
//===----------------------------------------------------------------------===//

/// Every receiver copies straight from the sender's part to its own.
static Status exchangeShared(Communicator &communicator,
                             const ExchangePlan &plan, const void *source,
                             void *target) {
  std::vector<Outgoing> outgoing;
  for (const ExchangePlan::Piece &piece : plan.sends)
    outgoing.push_back(
        {piece.peer, volume(piece.box) * plan.elementSize, source});
  std::vector<Incoming> incoming;
  for (const ExchangePlan::Piece &piece : plan.receives)
    incoming.push_back(
        {piece.peer, volume(piece.box) * plan.elementSize, nullptr});
  return communicator.exchange(
      0, outgoing, incoming, [&](size_t i, const void *data) {
        const ExchangePlan::Piece &piece = plan.receives[i];
        copyPiece(target, plan.target, data, piece.holder, piece.box,
                  plan.elementSize);
      });
}

//===----------------------------------------------------------------------===//
// Execution by messages
//===----------------------------------------------------------------------===//

namespace {

/// The messages of a few consecutive distances of a plan.
///
/// Taking distances in ascending order and finishing each batch before the next
/// cannot deadlock, however differently ranks form their batches: both ends of
/// a message of the smallest distance that is still under way have it in their
/// present batch.
class Batch {
public:
  Batch(Communicator &communicator, Arena &arena, const ExchangePlan &plan,
        const void *source, void *target, int64_t stagingLimit)
      : communicator(communicator), arena(arena), plan(plan),
        stagingLimit(stagingLimit), source(static_cast<const char *>(source)),
        target(static_cast<char *>(target)) {}

  bool done() const {
    return nextSend == plan.sends.size() && nextReceive == plan.receives.size();
  }
  Status run();

private:
  int64_t bytesOf(const ExchangePlan::Piece &piece) const {
    return volume(piece.box) * plan.elementSize;
  }
  bool staged(const ExchangePlan::Piece &piece, BoxRef memory) const {
    return !isContiguousIn(memory, piece.box);
  }
  int64_t choose(size_t &sendsEnd, size_t &receivesEnd) const;

  Communicator &communicator;
  Arena &arena;
  const ExchangePlan &plan;
  const int64_t stagingLimit;
  const char *source;
  char *target;
  size_t nextSend = 0;
  size_t nextReceive = 0;
};

} // namespace

/// Ends of the next batch; returns the bytes of staging that it needs.
int64_t Batch::choose(size_t &sendsEnd, size_t &receivesEnd) const {
  sendsEnd = nextSend;
  receivesEnd = nextReceive;
  int64_t bytes = 0;
  while (true) {
    int toSend = plan.size;
    int toReceive = plan.size;
    if (sendsEnd < plan.sends.size())
      toSend = distance(plan.device, plan.sends[sendsEnd].peer, plan.size);
    if (receivesEnd < plan.receives.size())
      toReceive =
          distance(plan.receives[receivesEnd].peer, plan.device, plan.size);
    if (toSend == plan.size && toReceive == plan.size)
      return bytes;
    int64_t more = 0;
    if (toSend <= toReceive && staged(plan.sends[sendsEnd], plan.source))
      more += bytesOf(plan.sends[sendsEnd]);
    if (toReceive <= toSend && staged(plan.receives[receivesEnd], plan.target))
      more += bytesOf(plan.receives[receivesEnd]);
    if (bytes > 0 && bytes + more > stagingLimit)
      return bytes;
    bytes += more;
    sendsEnd += toSend <= toReceive;
    receivesEnd += toReceive <= toSend;
  }
}

Status Batch::run() {
  size_t sendsEnd, receivesEnd;
  Scratch staging;
  Status status = staging.allocate(arena, choose(sendsEnd, receivesEnd));
  if (status.failed())
    return status;
  char *free = staging.data();

  std::vector<Outgoing> outgoing;
  for (size_t i = nextSend; i < sendsEnd; ++i) {
    const ExchangePlan::Piece &piece = plan.sends[i];
    const char *data =
        source + offsetIn(plan.source, piece.box) * plan.elementSize;
    if (staged(piece, plan.source)) {
      copyPiece(free, piece.box, source, plan.source, piece.box,
                plan.elementSize);
      data = free;
      free += bytesOf(piece);
    }
    outgoing.push_back({piece.peer, bytesOf(piece), data});
  }
  std::vector<Incoming> incoming;
  for (size_t i = nextReceive; i < receivesEnd; ++i) {
    const ExchangePlan::Piece &piece = plan.receives[i];
    char *place = target + offsetIn(plan.target, piece.box) * plan.elementSize;
    if (staged(piece, plan.target)) {
      place = free;
      free += bytesOf(piece);
    }
    incoming.push_back({piece.peer, bytesOf(piece), place});
  }

  size_t first = nextReceive;
  status = communicator.exchange(
      0, outgoing, incoming, [&](size_t i, const void *data) {
        const ExchangePlan::Piece &piece = plan.receives[first + i];
        if (staged(piece, plan.target))
          copyPiece(target, plan.target, data, piece.box, piece.box,
                    plan.elementSize);
      });
  nextSend = sendsEnd;
  nextReceive = receivesEnd;
  return status;
}

Status tapestry::rt::exchangeBoxes(Communicator &communicator, Arena &arena,
                                   const ExchangePlan &plan, const void *source,
                                   void *target, int64_t stagingLimit) {
  for (const Box &box : plan.keeps)
    copyPiece(target, plan.target, source, plan.source, box, plan.elementSize);
  if (communicator.sharesMemory())
    return exchangeShared(communicator, plan, source, target);
  Batch batch(communicator, arena, plan, source, target, stagingLimit);
  while (!batch.done()) {
    Status status = batch.run();
    if (status.failed())
      return status;
  }
  return Status::success();
}

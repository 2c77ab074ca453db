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

int64_t ExchangePlan::Message::elements() const {
  int64_t elements = 0;
  for (const Piece &piece : pieces)
    elements += volume(piece.box);
  return elements;
}

int64_t ExchangePlan::sentElements() const {
  int64_t elements = 0;
  for (const Message &message : sends)
    elements += message.elements();
  return elements;
}

Status ExchangePlan::check() const {
  std::vector<int64_t> missing;
  for (const Target &target : targets)
    missing.push_back(target.elements);
  for (const Piece &piece : keeps)
    missing[piece.target] -= volume(piece.box);
  for (const Message &message : receives)
    for (const Piece &piece : message.pieces)
      missing[piece.target] -= volume(piece.box);
  for (size_t number = 0; number < targets.size(); ++number) {
    BoxRef box = targets[number].box;
    int64_t elements = targets[number].elements;
    if (missing[number] != 0)
      return Status::failure(
          ExitEnvironment,
          format("the program's tables are inconsistent: %lld elements come "
                 "for %s, which has %lld",
                 static_cast<long long>(elements - missing[number]),
                 boxText(box).c_str(), static_cast<long long>(elements)));
  }
  return Status::success();
}

void ExchangePlan::take(const Piece &piece, const void *data, BoxRef holder,
                        void *memory) const {
  const Target &target = targets[piece.target];
  copyPiece(static_cast<char *>(memory) + target.before * elementSize,
            target.box, data, holder, piece.box, elementSize);
}

int64_t ExchangePlan::keptElements() const {
  int64_t elements = 0;
  for (const Piece &piece : keeps)
    elements += volume(piece.box);
  return elements;
}

void ExchangePlan::keep(Communicator &communicator, const void *sourceMemory,
                        void *memory) const {
  for (const Piece &piece : keeps)
    take(piece, sourceMemory, source, memory);
  communicator.countKept(keptElements() * elementSize);
}

/// What is read of a target of `device` within `box`, disjoint boxes.
static std::vector<Box> readWithin(const TapestryCollective &collective,
                                   BoxRef box, int64_t device, int number) {
  BoxRef target = targetBox(collective, device, number);
  if (!overlap(box, target))
    return {};
  Box wanted = intersect(box, target);
  if (collective.fragments == 0)
    return {wanted};
  std::vector<Box> boxes;
  for (int i = 0; i < collective.fragments; ++i) {
    BoxRef fragment = fragmentBox(collective, device, i);
    if (overlap(wanted, fragment))
      boxes.push_back(intersect(wanted, fragment));
  }
  return boxes;
}

/// What `holder` has of the targets of `device`.
static std::vector<ExchangePlan::Piece>
piecesFor(const TapestryCollective &collective, BoxRef holder, int64_t device) {
  std::vector<ExchangePlan::Piece> pieces;
  for (int number = 0; number < collective.targets; ++number)
    for (Box &box : readWithin(collective, holder, device, number))
      pieces.push_back({std::move(box), static_cast<size_t>(number)});
  return pieces;
}

/// How far around the circle of `size` ranks `to` is from `from`.
static int distance(int from, int to, int size) {
  return (to - from + size) % size;
}

ExchangePlan tapestry::rt::planExchange(const TapestryCollective &collective,
                                        int64_t devices, int64_t device) {
  ExchangePlan plan;
  plan.source = sourceBox(collective, device);
  int64_t before = 0;
  for (int number = 0; number < collective.targets; ++number) {
    BoxRef box = targetBox(collective, device, number);
    int64_t elements = 0;
    for (const Box &read : readWithin(collective, box, device, number))
      elements += volume(read);
    plan.targets.push_back({box, before, elements});
    before += volume(box);
  }
  plan.elementSize = dtypeSize(collective.dtype);
  plan.size = static_cast<int>(devices);
  plan.device = static_cast<int>(device);

  auto serves = [&](int other) {
    return !collective.replica_of ||
           collective.replica_of[other] == collective.replica_of[device];
  };
  plan.keeps = piecesFor(collective, plan.source, device);
  for (int shift = 1; shift < plan.size; ++shift) {
    int to = (plan.device + shift) % plan.size;
    int from = (plan.device + plan.size - shift) % plan.size;
    if (serves(to)) {
      auto pieces = piecesFor(collective, plan.source, to);
      if (!pieces.empty())
        plan.sends.push_back({to, plan.source, std::move(pieces)});
    }
    if (serves(from)) {
      BoxRef holder = sourceBox(collective, from);
      auto pieces = piecesFor(collective, holder, device);
      if (!pieces.empty())
        plan.receives.push_back({from, holder, std::move(pieces)});
    }
  }
  return plan;
}

std::vector<int>
tapestry::rt::exchangeGroup(const TapestryCollective &collective,
                            int64_t devices, int64_t device) {
  auto serves = [&](int64_t holder, int64_t receiver) {
    return (!collective.replica_of ||
            collective.replica_of[holder] == collective.replica_of[receiver]) &&
           !piecesFor(collective, sourceBox(collective, holder), receiver)
                .empty();
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
  BoxRef target = boxOf(to, device);
  plan.targets.push_back({target, 0, volume(target)});
  plan.elementSize = dtypeSize(from.dtype);
  plan.size = static_cast<int>(devices);
  plan.device = static_cast<int>(device);

  for (int owner = 0; owner < plan.size; ++owner) {
    BoxRef part = boxOf(from, owner);
    if (!from.owner[owner] || !overlap(part, target))
      continue;
    Box box = intersect(part, target);
    if (contains(plan.source, box))
      plan.keeps.push_back({std::move(box), 0});
  }
  // `receiver` takes from `owner` what it does not hold itself.
  auto add = [&](int owner, int receiver, int peer,
                 std::vector<ExchangePlan::Message> &messages) {
    BoxRef part = boxOf(from, owner);
    if (!from.owner[owner] || !overlap(part, boxOf(to, receiver)))
      return;
    Box box = intersect(part, boxOf(to, receiver));
    if (!contains(boxOf(from, receiver), box))
      messages.push_back({peer, part, {{std::move(box), 0}}});
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
  for (const ExchangePlan::Message &message : plan.sends)
    outgoing.push_back(
        {message.peer, message.elements() * plan.elementSize, source});
  std::vector<Incoming> incoming;
  for (const ExchangePlan::Message &message : plan.receives)
    incoming.push_back(
        {message.peer, message.elements() * plan.elementSize, nullptr});
  return communicator.exchange(
      0, outgoing, incoming, [&](size_t i, const void *data) {
        const ExchangePlan::Message &message = plan.receives[i];
        for (const ExchangePlan::Piece &piece : message.pieces)
          plan.take(piece, data, message.holder, target);
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
  int64_t bytesOf(const ExchangePlan::Message &message) const {
    return message.elements() * plan.elementSize;
  }
  /// Whether the message has to be put together, or taken apart: its pieces
  /// follow each other and are contiguous.
  bool stagedOut(const ExchangePlan::Message &message) const {
    return message.pieces.size() > 1 ||
           !isContiguousIn(plan.source, message.pieces.front().box);
  }
  bool stagedIn(const ExchangePlan::Message &message) const {
    const ExchangePlan::Piece &piece = message.pieces.front();
    return message.pieces.size() > 1 ||
           !isContiguousIn(plan.targets[piece.target].box, piece.box);
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
    if (toSend <= toReceive && stagedOut(plan.sends[sendsEnd]))
      more += bytesOf(plan.sends[sendsEnd]);
    if (toReceive <= toSend && stagedIn(plan.receives[receivesEnd]))
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
    const ExchangePlan::Message &message = plan.sends[i];
    const char *data =
        source +
        offsetIn(plan.source, message.pieces.front().box) * plan.elementSize;
    if (stagedOut(message)) {
      data = free;
      for (const ExchangePlan::Piece &piece : message.pieces) {
        copyPiece(free, piece.box, source, plan.source, piece.box,
                  plan.elementSize);
        free += volume(piece.box) * plan.elementSize;
      }
    }
    outgoing.push_back({message.peer, bytesOf(message), data});
  }
  std::vector<Incoming> incoming;
  for (size_t i = nextReceive; i < receivesEnd; ++i) {
    const ExchangePlan::Message &message = plan.receives[i];
    const ExchangePlan::Piece &piece = message.pieces.front();
    const ExchangePlan::Target &into = plan.targets[piece.target];
    char *place = target + (into.before + offsetIn(into.box, piece.box)) *
                               plan.elementSize;
    if (stagedIn(message)) {
      place = free;
      free += bytesOf(message);
    }
    incoming.push_back({message.peer, bytesOf(message), place});
  }

  size_t first = nextReceive;
  status = communicator.exchange(
      0, outgoing, incoming, [&](size_t i, const void *data) {
        const ExchangePlan::Message &message = plan.receives[first + i];
        if (!stagedIn(message))
          return;
        const char *next = static_cast<const char *>(data);
        for (const ExchangePlan::Piece &piece : message.pieces) {
          plan.take(piece, next, piece.box, target);
          next += volume(piece.box) * plan.elementSize;
        }
      });
  nextSend = sendsEnd;
  nextReceive = receivesEnd;
  return status;
}

Status tapestry::rt::exchangeBoxes(Communicator &communicator, Arena &arena,
                                   const ExchangePlan &plan, const void *source,
                                   void *target, int64_t stagingLimit) {
  plan.keep(communicator, source, target);
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

//===- Exchange.cpp - Pairwise exchange of box intersections --------------===//

#include "Collectives/Collectives.h"
#include "Core/Types.h"
#include <algorithm>
#include <iterator>

using namespace tapestry;
using namespace tapestry::rt;

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

static int64_t elementsOf(const std::vector<ExchangePlan::Piece> &pieces) {
  int64_t elements = 0;
  for (const ExchangePlan::Piece &piece : pieces)
    elements += volume(piece.box);
  return elements;
}

int64_t ExchangePlan::Message::elements() const { return elementsOf(pieces); }

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

int64_t ExchangePlan::keptElements() const { return elementsOf(keeps); }

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

/// Whether pieces are one stretch of memory that holds `box`.
static bool isOneStretch(const std::vector<ExchangePlan::Piece> &pieces,
                         BoxRef box) {
  return pieces.size() == 1 && isContiguousIn(box, pieces.front().box);
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
  // What `holder` has of the targets of `receiver`.
  auto add = [&](BoxRef holder, int receiver, int peer,
                 std::vector<ExchangePlan::Message> &messages) {
    auto pieces = piecesFor(collective, holder, receiver);
    if (pieces.empty())
      return;
    size_t number = pieces.front().target;
    bool isStretch = isOneStretch(pieces, holder) &&
                     isOneStretch(pieces, targetBox(collective, receiver,
                                                    static_cast<int>(number)));
    messages.push_back({peer, holder, std::move(pieces), isStretch});
  };
  plan.keeps = piecesFor(collective, plan.source, device);
  for (int shift = 1; shift < plan.size; ++shift) {
    int to = (plan.device + shift) % plan.size;
    int from = (plan.device + plan.size - shift) % plan.size;
    if (serves(to))
      add(plan.source, to, to, plan.sends);
    if (serves(from))
      add(sourceBox(collective, from), plan.device, from, plan.receives);
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
    std::vector<ExchangePlan::Piece> pieces = {
        {intersect(part, boxOf(to, receiver)), 0}};
    if (contains(boxOf(from, receiver), pieces.front().box))
      return;
    bool isStretch =
        isOneStretch(pieces, part) && isOneStretch(pieces, boxOf(to, receiver));
    messages.push_back({peer, part, std::move(pieces), isStretch});
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

/// Messages part by part, in the order in which all ranks take them: by
/// distance, the parts of one message one after another. A stretch is one part;
/// of other messages a part is as much as is staged at a time.
class Parts {
public:
  Parts(const std::vector<ExchangePlan::Message> &messages,
        int64_t mostElements)
      : mostElements(std::max<int64_t>(mostElements, 1)),
        next(messages.begin()), end(messages.end()) {
    advance();
  }

  bool done() const { return part.empty(); }
  int peer() const { return std::prev(next)->peer; }
  const std::vector<ExchangePlan::Piece> &pieces() const { return part; }
  int64_t elements() const { return elementsOf(part); }
  void advance();

private:
  void cutFirst();

  const int64_t mostElements;
  std::vector<ExchangePlan::Message>::const_iterator next, end;
  std::vector<ExchangePlan::Piece> part;
  /// What follows it of its message, the first last.
  std::vector<ExchangePlan::Piece> left;
};

/// The messages of a plan where memory is not shared: as many parts of them at
/// a time as can be staged together, one of each, and not too many in all.
///
/// Taking them in one order and finishing all at hand before the next cannot
/// deadlock, however differently ranks take them together: both ends of the
/// first part that is still under way have it at hand.
class Messages {
public:
  Messages(Communicator &communicator, const ExchangePlan &plan,
           const void *source, void *target)
      : communicator(communicator), plan(plan), held({plan.source, 0, 0}),
        source(static_cast<const char *>(source)), target(target),
        sends(plan.sends, communicator.stagedBytes / plan.elementSize),
        receives(plan.receives, communicator.stagedBytes / plan.elementSize) {}

  bool done() const { return sends.done() && receives.done(); }
  Status exchangeSome();

private:
  using Pieces = std::vector<ExchangePlan::Piece>;

  /// How far off the next part goes, or comes from.
  int sendDistance() const {
    return sends.done() ? plan.size
                        : distance(plan.device, sends.peer(), plan.size);
  }
  int receiveDistance() const {
    return receives.done() ? plan.size
                           : distance(receives.peer(), plan.device, plan.size);
  }
  const ExchangePlan::Target &targetOf(const ExchangePlan::Piece &piece) const {
    return plan.targets[piece.target];
  }
  int64_t bytesOf(const Parts &parts) const {
    return parts.elements() * plan.elementSize;
  }
  /// Where one stretch of memory lies, in bytes.
  int64_t placeIn(const ExchangePlan::Target &holder,
                  const ExchangePlan::Piece &piece) const {
    return (holder.before + offsetIn(holder.box, piece.box)) * plan.elementSize;
  }
  bool fits() const;
  void addSend();
  void addReceive();

  Communicator &communicator;
  const ExchangePlan &plan;
  const ExchangePlan::Target held;
  const char *source;
  void *target;
  Parts sends, receives;

  // Of the parts at hand.
  int64_t staged = 0; ///< bytes
  std::vector<Outgoing> outgoing;
  std::vector<Incoming> incoming;
  std::vector<Pieces> arriving; ///< into the staging; empty: into their place
};

} // namespace

void Parts::advance() {
  part.clear();
  if (left.empty() && next != end) {
    left.assign(next->pieces.rbegin(), next->pieces.rend());
    if ((next++)->isStretch) {
      part.swap(left);
      return;
    }
  }
  for (int64_t room = mostElements; !left.empty();) {
    if (volume(left.back().box) > mostElements)
      cutFirst();
    room -= volume(left.back().box);
    if (room < 0)
      return;
    part.push_back(std::move(left.back()));
    left.pop_back();
  }
}

/// Cuts off what of the next piece is staged at a time, from the outside, so
/// that its rows stay long.
void Parts::cutFirst() {
  ExchangePlan::Piece first = left.back();
  int64_t elements = volume(first.box);
  for (size_t dim = 0; elements > mostElements; ++dim) {
    int64_t inner = elements / extent(first.box[dim]);
    int64_t rows = std::max<int64_t>(mostElements / inner, 1);
    elements = inner * rows;
    if (rows == extent(first.box[dim]))
      continue;
    int64_t middle = first.box[dim].lo + rows;
    left.back().box = first.box;
    left.back().box[dim].lo = middle;
    first.box[dim].hi = middle;
    left.push_back(first);
  }
}

/// Whether the next send and the next receive, where they are of the same
/// distance, can be staged beside the others.
bool Messages::fits() const {
  int near = std::min(sendDistance(), receiveDistance());
  int64_t bytes = staged;
  if (sendDistance() == near && !isOneStretch(sends.pieces(), held.box))
    bytes += bytesOf(sends);
  if (receiveDistance() == near &&
      !isOneStretch(receives.pieces(), targetOf(receives.pieces().front()).box))
    bytes += bytesOf(receives);
  return staged == 0 || bytes <= 2 * communicator.stagedBytes;
}

void Messages::addSend() {
  const char *data = nullptr;
  if (isOneStretch(sends.pieces(), held.box)) {
    data = source + placeIn(held, sends.pieces().front());
  } else {
    char *to = communicator.staging() + staged;
    data = to;
    for (const ExchangePlan::Piece &piece : sends.pieces()) {
      copyPiece(to, piece.box, source, plan.source, piece.box,
                plan.elementSize);
      to += volume(piece.box) * plan.elementSize;
    }
    staged += bytesOf(sends);
  }
  outgoing.push_back({sends.peer(), bytesOf(sends), data});
  sends.advance();
}

void Messages::addReceive() {
  const ExchangePlan::Piece &first = receives.pieces().front();
  char *place = static_cast<char *>(target);
  arriving.emplace_back();
  if (isOneStretch(receives.pieces(), targetOf(first).box)) {
    place += placeIn(targetOf(first), first);
  } else {
    place = communicator.staging() + staged;
    staged += bytesOf(receives);
    arriving.back() = receives.pieces();
  }
  incoming.push_back({receives.peer(), bytesOf(receives), place});
  receives.advance();
}

Status Messages::exchangeSome() {
  staged = 0;
  outgoing.clear();
  incoming.clear();
  arriving.clear();
  int last = 0;
  constexpr size_t most = 128;
  while (!done() && fits() && outgoing.size() + incoming.size() < most) {
    int near = std::min(sendDistance(), receiveDistance());
    if (near == last)
      break;
    bool receivesToo = receiveDistance() == near;
    if (sendDistance() == near)
      addSend();
    if (receivesToo)
      addReceive();
    last = near;
  }
  return communicator.exchange(
      0, outgoing, incoming, [&](size_t i, const void *data) {
        const char *from = static_cast<const char *>(data);
        for (const ExchangePlan::Piece &piece : arriving[i]) {
          plan.take(piece, from, piece.box, target);
          from += volume(piece.box) * plan.elementSize;
        }
      });
}

Status tapestry::rt::exchangeBoxes(Communicator &communicator,
                                   const ExchangePlan &plan, const void *source,
                                   void *target) {
  plan.keep(communicator, source, target);
  if (communicator.sharesMemory())
    return exchangeShared(communicator, plan, source, target);
  for (Messages messages(communicator, plan, source, target);
       !messages.done();) {
    Status status = messages.exchangeSome();
    if (status.failed())
      return status;
  }
  return Status::success();
}

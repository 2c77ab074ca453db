//===- Exchanges.cpp - all_gather and the exchange of boxes by NCCL -------===//

#include "Core/Types.h"
#include "NCCL/NCCLCollectives.h"
#include "NCCL/Parts.h"
#include <algorithm>

using namespace tapestry::rt;
using namespace tapestry::rt::nccl;

//===----------------------------------------------------------------------===//
// Parts that are alike
//===----------------------------------------------------------------------===//

namespace {

class AllGather final : public WholeCollective {
public:
  AllGather(const GroupCollective &collective, Session &session, Comm comm)
      : session(session), comm(comm), others(collective.size - 1),
        bytes(volume(sourceOf(collective, collective.position)) *
              dtypeSize(collective.dtype)),
        place(collective.position * bytes) {}

  /// Whether all members get all parts, which are as many stretches of the
  /// whole in the order of the members.
  static bool supports(const GroupCollective &collective);

  /// All others get it, whoever hands it on.
  int64_t payloadBytes() const override { return others * bytes; }
  bool isExact() const override { return true; }
  int64_t scratchBytes() const override { return 0; }
  Outcome run(const void *, void *target, void *,
              TransportError &error) override {
    // The own part lies in its place.
    return session.outcome(
        "ncclAllGather",
        session.api.ncclAllGather(static_cast<char *>(target) + place, target,
                                  static_cast<size_t>(bytes), Uint8, comm,
                                  session.stream()),
        comm, error);
  }

private:
  Session &session;
  Comm comm;
  int64_t others;
  int64_t bytes, place; ///< of the own part
};

} // namespace

bool AllGather::supports(const GroupCollective &collective) {
  if (collective.kind != TAPESTRY_ALL_GATHER || collective.targets != 1 ||
      collective.fragments != 0)
    return false;
  BoxRef whole = targetOf(collective, 0);
  int64_t elements = volume(sourceOf(collective, 0));
  if (elements == 0 || elements * collective.size != volume(whole))
    return false;
  for (int member = 0; member < collective.size; ++member) {
    BoxRef part = sourceOf(collective, member);
    if (!samePoints(whole, targetOf(collective, member)) ||
        !contains(whole, part) || volume(part) != elements ||
        !isContiguousIn(whole, part) ||
        offsetIn(whole, part) != member * elements)
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

namespace {

/// What members have of each other's targets goes in messages, part by part:
/// both ends of each cut it alike.
class Exchange final : public WholeCollective {
public:
  Exchange(const GroupCollective &collective, Session &session, Comm comm);

  int64_t packedBytes() const { return packed; }
  int64_t payloadBytes() const override { return payload; }
  int64_t scratchBytes() const override { return 0; }
  bool isExact() const override { return true; }
  Outcome run(const void *source, void *target, void *,
              TransportError &error) override;

private:
  struct Piece {
    Box box;
    int target; ///< number of the receiver's
  };
  /// What goes at a time.
  struct Part {
    std::vector<Piece> pieces;
    int64_t bytes = 0;
    bool isPacked = false;
    /// Where it lies: among what is packed, else in the buffer.
    int64_t place = 0;
  };
  struct Message {
    int peer;
    std::vector<Part> parts;
  };
  /// A box in this rank's buffer, behind others.
  struct Held {
    Box box;
    int64_t before; ///< bytes
  };

  std::vector<Piece> piecesOf(const GroupCollective &collective, int holder,
                              int receiver) const;
  void add(const GroupCollective &collective, int holder, int receiver,
           int64_t mostElements, std::vector<Message> &messages);
  /// Where pieces lie in a buffer that holds them as one stretch; -1: they do
  /// not.
  int64_t placeOf(const std::vector<Piece> &pieces, bool isSent) const;
  const Held &heldOf(const Piece &piece, bool isSent) const {
    return isSent ? source : targets[piece.target];
  }
  bool move(const Part &part, bool isSent, char *buffer,
            TransportError &error) const;
  Outcome runRound(size_t round, char *from, char *to, TransportError &error);

  Session &session;
  Comm comm;
  int64_t elementSize;
  Held source;
  std::vector<Held> targets;
  std::vector<Message> sends, receives;
  size_t rounds = 0;
  int64_t payload = 0, packed = 0;
};

} // namespace

Exchange::Exchange(const GroupCollective &collective, Session &session,
                   Comm comm)
    : session(session), comm(comm), elementSize(dtypeSize(collective.dtype)),
      source{sourceOf(collective, collective.position).copy(), 0} {
  int own = collective.position;
  int64_t before = 0;
  for (int number = 0; number < collective.targets; ++number) {
    BoxRef box = targetOf(collective, own, number);
    targets.push_back({box.copy(), before});
    before += volume(box) * elementSize;
  }
  // One part from and to each other member is packed at a time.
  int64_t most =
      session.mostPacked / (2 * std::max(collective.size - 1, 1)) / elementSize;
  for (int member = 0; member < collective.size; ++member)
    if (member != own) {
      add(collective, own, member, most, sends);
      add(collective, member, own, most, receives);
    }
  for (const std::vector<Message> *messages : {&sends, &receives})
    for (const Message &message : *messages)
      rounds = std::max(rounds, message.parts.size());
  for (size_t round = 0; round < rounds; ++round) {
    int64_t place = 0;
    for (std::vector<Message> *messages : {&sends, &receives})
      for (Message &message : *messages) {
        if (round >= message.parts.size() || !message.parts[round].isPacked)
          continue;
        constexpr int64_t alignment = 16;
        message.parts[round].place = place;
        place += (message.parts[round].bytes + alignment - 1) / alignment *
                 alignment;
      }
    packed = std::max(packed, place);
  }
  for (const Message &message : sends)
    for (const Part &part : message.parts)
      payload += part.bytes;
}

std::vector<Exchange::Piece>
Exchange::piecesOf(const GroupCollective &collective, int holder,
                   int receiver) const {
  std::vector<Piece> pieces;
  auto addPiece = [&](Box box, int number) {
    if (!isEmpty(box))
      pieces.push_back({std::move(box), number});
  };
  for (int number = 0; number < collective.targets; ++number) {
    Box wanted = intersect(sourceOf(collective, holder),
                           targetOf(collective, receiver, number));
    if (collective.fragments == 0)
      addPiece(std::move(wanted), number);
    else if (!isEmpty(wanted))
      for (int i = 0; i < collective.fragments; ++i)
        addPiece(intersect(wanted, fragmentOf(collective, receiver, i)),
                 number);
  }
  return pieces;
}

int64_t Exchange::placeOf(const std::vector<Piece> &pieces, bool isSent) const {
  const Held &held = heldOf(pieces.front(), isSent);
  return pieces.size() == 1 && isContiguousIn(held.box, pieces.front().box)
             ? held.before +
                   offsetIn(held.box, pieces.front().box) * elementSize
             : -1;
}

void Exchange::add(const GroupCollective &collective, int holder, int receiver,
                   int64_t mostElements, std::vector<Message> &messages) {
  std::vector<Piece> pieces = piecesOf(collective, holder, receiver);
  if (pieces.empty())
    return;
  bool isSent = holder == collective.position;
  Message message = {isSent ? receiver : holder, {}};
  // One that is a stretch at both ends goes whole.
  bool isStretch =
      pieces.size() == 1 &&
      isContiguousIn(sourceOf(collective, holder), pieces.front().box) &&
      isContiguousIn(targetOf(collective, receiver, pieces.front().target),
                     pieces.front().box);
  int64_t room = 0;
  for (const Piece &piece : pieces)
    for (Box &slice : isStretch ? std::vector<Box>{piece.box}
                                : slicesOf(piece.box, mostElements)) {
      int64_t elements = volume(slice);
      if (message.parts.empty() || elements > room) {
        message.parts.emplace_back();
        room = mostElements;
      }
      room -= elements;
      message.parts.back().bytes += elements * elementSize;
      message.parts.back().pieces.push_back({std::move(slice), piece.target});
    }
  for (Part &part : message.parts) {
    part.place = placeOf(part.pieces, isSent);
    part.isPacked = part.place < 0;
  }
  messages.push_back(std::move(message));
}

/// Packs a part, or takes one out.
bool Exchange::move(const Part &part, bool isSent, char *buffer,
                    TransportError &error) const {
  char *at = session.packed() + part.place;
  for (const Piece &piece : part.pieces) {
    const Held &held = heldOf(piece, isSent);
    char *place = buffer + held.before;
    if (isSent ? !copyPiece(session.device, at, piece.box, place, held.box,
                            piece.box, elementSize, error)
               : !copyPiece(session.device, place, held.box, at, piece.box,
                            piece.box, elementSize, error))
      return false;
    at += volume(piece.box) * elementSize;
  }
  return true;
}

Outcome Exchange::runRound(size_t round, char *from, char *to,
                           TransportError &error) {
  auto partOf = [&](const Message &message) {
    return round < message.parts.size() ? &message.parts[round] : nullptr;
  };
  auto at = [&](const Part &part, char *buffer) {
    return (part.isPacked ? session.packed() : buffer) + part.place;
  };
  for (const Message &message : sends)
    if (const Part *part = partOf(message); part && part->isPacked)
      if (!move(*part, /*isSent=*/true, from, error))
        return Outcome::Failed;
  CallGroup calls(session, comm, error);
  for (const Message &message : sends)
    if (const Part *part = partOf(message); part && !calls.fails())
      calls.check("ncclSend",
                  session.api.ncclSend(at(*part, from),
                                       static_cast<size_t>(part->bytes), Uint8,
                                       message.peer, comm, session.stream()));
  for (const Message &message : receives)
    if (const Part *part = partOf(message); part && !calls.fails())
      calls.check("ncclRecv",
                  session.api.ncclRecv(at(*part, to),
                                       static_cast<size_t>(part->bytes), Uint8,
                                       message.peer, comm, session.stream()));
  Outcome outcome = calls.end();
  for (const Message &message : receives)
    if (const Part *part = partOf(message);
        part && part->isPacked && outcome == Outcome::Done)
      if (!move(*part, /*isSent=*/false, to, error))
        outcome = Outcome::Failed;
  return outcome;
}

Outcome Exchange::run(const void *from, void *to, void *,
                      TransportError &error) {
  for (size_t round = 0; round < rounds; ++round) {
    // What is sent is only read.
    Outcome outcome =
        runRound(round, static_cast<char *>(const_cast<void *>(from)),
                 static_cast<char *>(to), error);
    if (outcome != Outcome::Done)
      return outcome;
  }
  return Outcome::Done;
}

std::unique_ptr<WholeCollective>
tapestry::rt::nccl::makeExchange(const GroupCollective &collective,
                                 Session &session, Comm comm,
                                 TransportError &error) {
  if (AllGather::supports(collective))
    return std::make_unique<AllGather>(collective, session, comm);
  auto made = std::make_unique<Exchange>(collective, session, comm);
  if (!session.reserve(made->packedBytes(), error))
    return nullptr;
  return made;
}

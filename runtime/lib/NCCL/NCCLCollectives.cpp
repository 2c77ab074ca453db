//===- NCCLCollectives.cpp - NCCL's collectives on one rank ---------------===//

#include "NCCL/NCCLCollectives.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace tapestry::rt;
using namespace tapestry::rt::nccl;

//===----------------------------------------------------------------------===//
// What collectives share
//===----------------------------------------------------------------------===//

Session::Session(const NCCLAPI &api, Device &device)
    : api(api), device(device) {
  // Tests have small tensors.
  const char *text = getenv("TAPESTRY_NCCL_PACKED");
  if (text && atoll(text) > 0)
    mostPacked = atoll(text);
}

Session::~Session() {
  for (void *old : outgrown)
    device.free(old);
  device.free(memory);
}

Outcome Session::outcome(const char *call, Result result, Comm comm,
                         TransportError &error) {
  if (result == 0)
    return Outcome::Done;
  hasFailed = true;
  const char *means = api.ncclGetErrorString(result);
  const char *last = api.ncclGetLastError(comm);
  bool hasMore = last && *last;
  snprintf(error.text, sizeof(error.text), "%s: %s%s%s%s", call,
           means ? means : "an unknown error", hasMore ? " (" : "",
           hasMore ? last : "", hasMore ? ")" : "");
  return Outcome::Failed;
}

bool Session::reserve(int64_t bytes, TransportError &error) {
  if (bytes <= size)
    return true;
  // All of them together are no more than twice the last.
  bytes = std::max(bytes, std::min(2 * size, mostPacked));
  void *larger = device.allocate(static_cast<uint64_t>(bytes), error);
  if (!larger)
    return false;
  if (memory)
    outgrown.push_back(memory);
  memory = larger;
  size = bytes;
  return true;
}

//===----------------------------------------------------------------------===//
// Communicators
//===----------------------------------------------------------------------===//

namespace {
class CopyingReceiver final : public Receiver {
public:
  CopyingReceiver(void *place, size_t bytes) : place(place), bytes(bytes) {}
  void arrived(size_t, const void *data) override {
    if (data != place)
      memcpy(place, data, bytes);
  }
  void waiting(int, double) override {}

private:
  void *place;
  size_t bytes;
};
} // namespace

NCCLCollectives::~NCCLCollectives() {
  bool isOver = session.hasFailed || transport.stopped();
  for (auto &[members, comm] : communicators)
    (isOver ? session.api.ncclCommAbort : session.api.ncclCommDestroy)(comm);
}

Outcome NCCLCollectives::shareId(const GroupCollective &collective,
                                 UniqueId &id, TransportError &error) {
  // No other operation of the ranks has this label.
  Label label;
  CopyingReceiver receiver(&id, sizeof(id));
  if (collective.position != 0) {
    Incoming incoming = {collective.members[0], sizeof(id), &id};
    return transport.exchange(label, nullptr, 0, &incoming, 1, receiver, error);
  }
  Outcome outcome = session.outcome(
      "ncclGetUniqueId", session.api.ncclGetUniqueId(&id), nullptr, error);
  std::vector<Outgoing> outgoing;
  for (int member = 1; member < collective.size; ++member)
    outgoing.push_back({collective.members[member], sizeof(id), &id});
  return outcome == Outcome::Done
             ? transport.exchange(label, outgoing.data(), outgoing.size(),
                                  nullptr, 0, receiver, error)
             : outcome;
}

Outcome NCCLCollectives::communicatorOf(const GroupCollective &collective,
                                        Comm &found, TransportError &error) {
  std::vector<int> members(collective.members,
                           collective.members + collective.size);
  auto known = communicators.find(members);
  if (known != communicators.end()) {
    found = known->second;
    return Outcome::Done;
  }
  UniqueId id = {};
  Outcome outcome = shareId(collective, id, error);
  if (outcome != Outcome::Done)
    return outcome;
  outcome =
      session.outcome("ncclCommInitRank",
                      session.api.ncclCommInitRank(&found, collective.size, id,
                                                   collective.position),
                      nullptr, error);
  if (outcome == Outcome::Done)
    communicators[members] = found;
  return outcome;
}

Outcome NCCLCollectives::prepare(const GroupCollective &collective,
                                 std::unique_ptr<WholeCollective> &prepared,
                                 TransportError &error) {
  prepared = nullptr;
  bool reduces = collective.kind == TAPESTRY_ALL_REDUCE ||
                 collective.kind == TAPESTRY_REDUCE_SCATTER;
  // The tables say the same to all members, so all decide alike.
  if (collective.space != TAPESTRY_CUDA ||
      (reduces && !supportsReduction(collective)))
    return Outcome::Done;
  Comm comm = nullptr;
  Outcome outcome = communicatorOf(collective, comm, error);
  if (outcome != Outcome::Done)
    return outcome;
  prepared = reduces ? makeReduction(collective, session, comm, error)
                     : makeExchange(collective, session, comm, error);
  return prepared ? Outcome::Done : Outcome::Failed;
}

Outcome NCCLCollectives::check(TransportError &error) {
  for (auto &[members, comm] : communicators) {
    Result result = 0;
    if (session.api.ncclCommGetAsyncError(comm, &result) == 0 && result != 0)
      return session.outcome("NCCL", result, comm, error);
  }
  return Outcome::Done;
}

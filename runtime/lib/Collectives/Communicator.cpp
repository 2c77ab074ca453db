//===- Communicator.cpp - One rank's messages, counted and labelled -------===//

#include "Collectives/Communicator.h"
#include <cstring>

using namespace tapestry;
using namespace tapestry::rt;

namespace {
class CallReceiver final : public Receiver {
public:
  CallReceiver(Communicator::Arrived &call, const Communicator::Waiting &waits,
               const char *what)
      : call(call), waits(waits), what(what) {}
  void arrived(size_t index, const void *data) override { call(index, data); }
  void waiting(int peer, double seconds) override {
    if (waits)
      waits(what, peer, seconds);
  }

private:
  Communicator::Arrived &call;
  const Communicator::Waiting &waits;
  const char *what;
};
} // namespace

char *Communicator::staging() {
  if (!memory)
    memory.reset(new char[2 * stagedBytes]);
  return memory.get();
}

void Communicator::begin(int collective, const char *newWhat) {
  ++label.operation;
  label.collective = collective;
  what = newWhat;
}

Status Communicator::worded(Outcome outcome,
                            const TransportError &error) const {
  return outcome == Outcome::Stopped
             ? Status::stopped()
             : Status::failure(ExitRankFailed,
                               std::string(what) + ": " + error.text);
}

Status Communicator::exchange(int step, const std::vector<Outgoing> &outgoing,
                              const std::vector<Incoming> &incoming,
                              Arrived arrived) {
  if (outgoing.empty() && incoming.empty())
    return Status::success();
  label.step = step;
  CallReceiver receiver(arrived, waiting, what);
  TransportError error;
  Outcome outcome =
      transport.exchange(label, outgoing.data(), outgoing.size(),
                         incoming.data(), incoming.size(), receiver, error);
  if (outcome != Outcome::Done)
    return worded(outcome, error);
  for (const Outgoing &message : outgoing)
    sent += message.bytes;
  return Status::success();
}

Status Communicator::run(WholeCollective &collective, const void *source,
                         void *target, void *scratch) {
  TransportError error;
  Outcome outcome = collective.run(source, target, scratch, error);
  if (outcome != Outcome::Done)
    return worded(outcome, error);
  sent += collective.payloadBytes();
  return Status::success();
}

Status Communicator::barrier() {
  begin(-1, "barrier");
  // Dissemination: after the round of distance d every rank has heard, through
  // others, of the 2 d ranks before it.
  int step = 0;
  char nothing;
  for (int distance = 1; distance < size(); distance *= 2, ++step) {
    int to = (rank() + distance) % size();
    int from = (rank() + size() - distance) % size();
    Status status = exchange(step, {{to, 0, &nothing}}, {{from, 0, &nothing}},
                             [](size_t, const void *) {});
    if (status.failed())
      return status;
  }
  return Status::success();
}

Status Communicator::broadcast(void *data, int64_t bytes) {
  begin(-1, "broadcast");
  if (rank() != 0)
    return exchange(0, {}, {{0, bytes, data}}, [&](size_t, const void *from) {
      if (from != data)
        std::memcpy(data, from, bytes);
    });
  std::vector<Outgoing> outgoing;
  for (int peer = 1; peer < size(); ++peer)
    outgoing.push_back({peer, bytes, data});
  return exchange(0, outgoing, {}, [](size_t, const void *) {});
}

Status Communicator::gather(const void *data, int64_t bytes,
                            std::vector<std::vector<char>> &all) {
  begin(-1, "gather");
  auto nothing = [](size_t, const void *) {};
  if (rank() != 0) {
    Status status = exchange(0, {{0, sizeof(bytes), &bytes}}, {}, nothing);
    if (status.failed() || bytes == 0)
      return status;
    return exchange(1, {{0, bytes, data}}, {}, nothing);
  }

  std::vector<int64_t> counts(size(), bytes);
  std::vector<Incoming> incoming;
  for (int peer = 1; peer < size(); ++peer)
    incoming.push_back({peer, sizeof(int64_t), &counts[peer]});
  Status status = exchange(0, {}, incoming, [&](size_t i, const void *from) {
    // `from` may be the place itself.
    std::memmove(&counts[i + 1], from, sizeof(int64_t));
  });
  if (status.failed())
    return status;

  all.assign(size(), {});
  incoming.clear();
  for (int peer = 0; peer < size(); ++peer) {
    all[peer].resize(counts[peer]);
    if (peer != 0 && counts[peer] != 0)
      incoming.push_back({peer, counts[peer], all[peer].data()});
  }
  if (bytes != 0)
    std::memcpy(all[0].data(), data, bytes);
  return exchange(1, {}, incoming, [&](size_t i, const void *from) {
    std::memmove(incoming[i].place, from, incoming[i].bytes);
  });
}

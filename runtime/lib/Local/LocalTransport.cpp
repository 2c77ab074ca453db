//===- LocalTransport.cpp - Ranks that are threads of one process ---------===//
//
// Every rank has one endpoint with an inbox. A sender puts a message into the
// receiver's inbox and later waits until it has been taken; the receiver reads
// the sender's memory in between. One counter of events per endpoint serves
// both waits, so that waiting is spinning on one word and then sleeping on one
// condition variable.
//
//===----------------------------------------------------------------------===//

#include "Local/LocalTransport.h"
#include "tapestry-rt/Counted.h"
#include "tapestry-rt/Spin.h"
#include <algorithm>
#include <chrono>
#include <cstdio>

using namespace tapestry::rt;
using Clock = std::chrono::steady_clock;

namespace tapestry {
namespace rt {

class LocalEndpoint final : public Transport {
public:
  LocalEndpoint(LocalHub &hub, int number) : hub(hub), number(number) {}

  int rank() const override { return number; }
  int size() const override { return hub.size(); }
  int ranksOnHost() const override { return hub.size(); }
  bool sharesMemory() const override { return true; }
  bool stopped() const override { return hub.aborted(); }
  bool allowsThreads() const override { return true; }
  Outcome exchange(const Label &label, const Outgoing *outgoing,
                   size_t numOutgoing, const Incoming *incoming,
                   size_t numIncoming, Receiver &receiver,
                   TransportError &error) override;
  void abort(int status, const char *message) override {
    hub.abort(status, message);
  }

  /// Wakes this rank because one of its waits may be over.
  void notify();

private:
  struct Message {
    Label label;
    int from = 0;
    int64_t bytes = 0;
    const void *data = nullptr;
    Clock::time_point due; ///< when it arrives; long past: at once
  };

  void post(int peer, const Message &message);
  /// Takes from the inbox the first message of `label` that is expected. Where
  /// none has arrived, `due` is when the next one does, as far as that is
  /// known.
  Outcome takeMessage(const Label &label, Message &message, bool &found,
                      Clock::time_point &due, TransportError &error);
  int firstExpected(const Incoming *incoming, size_t numIncoming) const;
  Outcome receiveAll(const Label &label, const Incoming *incoming,
                     size_t numIncoming, Receiver &receiver,
                     TransportError &error);
  /// Waits until `events` has moved on from `seen`, or `due`; `peer` is one
  /// that the wait is for, since `since`.
  Outcome waitForEvent(uint64_t seen, int peer, Clock::time_point since,
                       Receiver &receiver,
                       Clock::time_point due = Clock::time_point::max());
  /// The rank that keeps this one waiting: `peer`, or the one that it waits
  /// for.
  int blamed(int peer) const;

  LocalHub &hub;
  const int number;
  /// Per rank: the index of the message that this exchange still expects from
  /// it, or -1. Touched by this rank alone, whose thread allocates it: what
  /// other ranks read must not share its cache lines.
  std::vector<int> expected;

  alignas(64) std::mutex mutex; // guards inbox and asleep
  std::condition_variable wake;
  std::vector<Message> inbox;
  bool asleep = false;
  alignas(64) std::atomic<uint64_t> events{0};
  /// Messages that this rank has posted and nobody has taken yet.
  std::atomic<size_t> pending{0};
  /// The rank that this one sleeps for; -1: none.
  std::atomic<int> awaited{-1};
};

} // namespace rt
} // namespace tapestry

//===----------------------------------------------------------------------===//
// Waiting and waking
//===----------------------------------------------------------------------===//

void LocalEndpoint::notify() {
  events.fetch_add(1, std::memory_order_release);
  bool sleeping;
  {
    std::lock_guard<std::mutex> lock(mutex);
    sleeping = asleep;
  }
  if (sleeping)
    wake.notify_one();
}

int LocalEndpoint::blamed(int peer) const {
  // Ranks that wait for each other in a circle have lost their order.
  for (int steps = 0; steps < hub.size(); ++steps) {
    int next = hub.endpoints[peer]->awaited.load(std::memory_order_relaxed);
    if (next < 0)
      break;
    peer = next;
  }
  return peer;
}

Outcome LocalEndpoint::waitForEvent(uint64_t seen, int peer,
                                    Clock::time_point since, Receiver &receiver,
                                    Clock::time_point due) {
  bool isTimed = due != Clock::time_point::max();
  auto moved = [&] {
    return events.load(std::memory_order_acquire) != seen || hub.aborted() ||
           (isTimed && Clock::now() >= due);
  };
  for (int turn = 0; hub.spin && turn < spinTurns; ++turn) {
    if (moved())
      break;
    pauseBriefly();
  }
  awaited.store(peer, std::memory_order_relaxed);
  while (!moved()) {
    {
      std::unique_lock<std::mutex> lock(mutex);
      asleep = true;
      wake.wait_until(
          lock, std::min(due, Clock::now() + std::chrono::seconds(1)), moved);
      asleep = false;
    }
    if (!moved())
      receiver.waiting(
          blamed(peer),
          std::chrono::duration<double>(Clock::now() - since).count());
  }
  awaited.store(-1, std::memory_order_relaxed);
  return hub.aborted() ? Outcome::Stopped : Outcome::Done;
}

//===----------------------------------------------------------------------===//
// Exchange
//===----------------------------------------------------------------------===//

void LocalEndpoint::post(int peer, const Message &message) {
  LocalEndpoint &to = *hub.endpoints[peer];
  bool sleeping;
  {
    std::lock_guard<std::mutex> lock(to.mutex);
    to.inbox.push_back(message);
    sleeping = to.asleep;
    to.events.fetch_add(1, std::memory_order_release);
  }
  if (sleeping)
    to.wake.notify_one();
}

Outcome LocalEndpoint::takeMessage(const Label &label, Message &message,
                                   bool &found, Clock::time_point &due,
                                   TransportError &error) {
  std::lock_guard<std::mutex> lock(mutex);
  found = false;
  due = Clock::time_point::max();
  bool isSlow = hub.bytesPerSecond > 0;
  Clock::time_point now = isSlow ? Clock::now() : Clock::time_point();
  for (size_t i = 0; i < inbox.size(); ++i) {
    if (expected[inbox[i].from] < 0)
      continue; // from a rank that is ahead of this one
    if (!(inbox[i].label == label)) {
      // Messages of one sender come in order: the expected one never will.
      snprintf(error.text, sizeof(error.text),
               "the ranks have lost their common order: this rank is at "
               "operation %llu step %d, rank %d at operation %llu step %d "
               "(collective %d)",
               static_cast<unsigned long long>(label.operation), label.step,
               inbox[i].from,
               static_cast<unsigned long long>(inbox[i].label.operation),
               inbox[i].label.step, inbox[i].label.collective);
      return Outcome::Failed;
    }
    if (isSlow && inbox[i].due > now) {
      due = std::min(due, inbox[i].due);
      continue;
    }
    message = inbox[i];
    inbox[i] = inbox.back();
    inbox.pop_back();
    found = true;
    return Outcome::Done;
  }
  return Outcome::Done;
}

int LocalEndpoint::firstExpected(const Incoming *incoming,
                                 size_t numIncoming) const {
  for (size_t i = 0; i < numIncoming; ++i)
    if (expected[incoming[i].peer] >= 0)
      return incoming[i].peer;
  return number;
}

Outcome LocalEndpoint::receiveAll(const Label &label, const Incoming *incoming,
                                  size_t numIncoming, Receiver &receiver,
                                  TransportError &error) {
  Clock::time_point since = Clock::now();
  for (size_t remaining = numIncoming; remaining > 0;) {
    uint64_t seen = events.load(std::memory_order_acquire);
    Message message;
    bool found;
    Clock::time_point due;
    Outcome outcome = takeMessage(label, message, found, due, error);
    if (outcome != Outcome::Done)
      return outcome;
    if (!found) {
      outcome = waitForEvent(seen, firstExpected(incoming, numIncoming), since,
                             receiver, due);
      if (outcome != Outcome::Done)
        return outcome;
      continue;
    }
    int index = expected[message.from];
    if (message.bytes != incoming[index].bytes) {
      snprintf(error.text, sizeof(error.text),
               "rank %d sent %s where %lld were expected", message.from,
               countOf(message.bytes, "byte").c_str(),
               static_cast<long long>(incoming[index].bytes));
      return Outcome::Failed;
    }
    receiver.arrived(index, message.data);
    expected[message.from] = -1;
    --remaining;
    LocalEndpoint &sender = *hub.endpoints[message.from];
    if (sender.pending.fetch_sub(1, std::memory_order_acq_rel) == 1)
      sender.notify();
  }
  return Outcome::Done;
}

Outcome LocalEndpoint::exchange(const Label &label, const Outgoing *outgoing,
                                size_t numOutgoing, const Incoming *incoming,
                                size_t numIncoming, Receiver &receiver,
                                TransportError &error) {
  if (hub.aborted())
    return Outcome::Stopped;
  if (expected.empty())
    expected.assign(size(), -1);
  for (size_t i = 0; i < numIncoming; ++i)
    expected[incoming[i].peer] = static_cast<int>(i);
  pending.store(numOutgoing, std::memory_order_release);
  int64_t before = 0;
  Clock::time_point begin =
      hub.bytesPerSecond > 0 ? Clock::now() : Clock::time_point();
  for (size_t i = 0; i < numOutgoing; ++i) {
    before += outgoing[i].bytes;
    post(outgoing[i].peer, {label, number, outgoing[i].bytes, outgoing[i].data,
                            hub.arrival(begin, before)});
  }

  // After a failure the expectations stay as they are: no exchange follows.
  Outcome outcome = receiveAll(label, incoming, numIncoming, receiver, error);
  if (outcome != Outcome::Done)
    return outcome;

  Clock::time_point since = Clock::now();
  while (true) {
    uint64_t seen = events.load(std::memory_order_acquire);
    if (pending.load(std::memory_order_acquire) == 0)
      return Outcome::Done;
    // Which of several has not taken its message is not known.
    outcome =
        waitForEvent(seen, outgoing[numOutgoing - 1].peer, since, receiver);
    if (outcome != Outcome::Done)
      return outcome;
  }
}

//===----------------------------------------------------------------------===//
// The hub
//===----------------------------------------------------------------------===//

LocalHub::LocalHub(int ranks, bool spin, double bytesPerSecond)
    : spin(spin), bytesPerSecond(bytesPerSecond) {
  for (int rank = 0; rank < ranks; ++rank)
    endpoints.push_back(std::make_unique<LocalEndpoint>(*this, rank));
}

LocalHub::~LocalHub() = default;

Clock::time_point LocalHub::arrival(Clock::time_point sent,
                                    int64_t bytes) const {
  if (bytesPerSecond <= 0)
    return sent;
  std::chrono::duration<double> travel(double(bytes) / bytesPerSecond);
  return sent + std::chrono::duration_cast<Clock::duration>(travel);
}

Transport &LocalHub::endpoint(int rank) { return *endpoints[rank]; }

void LocalHub::abort(int newStatus, const char *message) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (status != 0)
      return;
    status = newStatus;
    text = message;
    stop.store(true, std::memory_order_release);
  }
  changed.notify_all();
  for (auto &endpoint : endpoints)
    endpoint->notify();
}

int LocalHub::abortStatus() const {
  std::lock_guard<std::mutex> lock(mutex);
  return status;
}

std::string LocalHub::abortMessage() const {
  std::lock_guard<std::mutex> lock(mutex);
  return text;
}

void LocalHub::leave() {
  std::unique_lock<std::mutex> lock(mutex);
  ++left;
  changed.notify_all();
  changed.wait(lock, [&] { return left == size(); });
}

bool LocalHub::waitToStart() {
  std::unique_lock<std::mutex> lock(mutex);
  changed.wait(lock, [&] { return started || status != 0; });
  return status == 0;
}

void LocalHub::startAll() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    started = true;
  }
  changed.notify_all();
}

void LocalHub::neverStarted(int ranks) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    left += ranks;
  }
  changed.notify_all();
}

bool LocalHub::waitForEnd(double seconds) {
  std::unique_lock<std::mutex> lock(mutex);
  return changed.wait_for(lock, std::chrono::duration<double>(seconds),
                          [&] { return left == size() || status != 0; });
}

bool LocalHub::waitForAll(double seconds) {
  std::unique_lock<std::mutex> lock(mutex);
  return changed.wait_for(lock, std::chrono::duration<double>(seconds),
                          [&] { return left == size(); });
}

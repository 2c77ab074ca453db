//===- Communicator.h - One rank's counted messages -------------*- C++ -*-===//
//
// A thin layer over Transport: labels operations in the order that is common to
// all ranks, counts every byte that goes to another rank, words errors, and has
// the few operations that the runtime needs for itself.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_RT_COLLECTIVES_COMMUNICATOR_H
#define TAPESTRY_RT_COLLECTIVES_COMMUNICATOR_H

#include "tapestry-rt/Backend.h"
#include "tapestry-rt/Status.h"
#include <functional>
#include <memory>
#include <vector>

namespace tapestry {
namespace rt {

class Communicator {
public:
  /// Called with a message's index and the memory to read it from.
  using Arrived = std::function<void(size_t, const void *)>;

  /// Called while an operation waits: its name, the rank that it waits for, and
  /// for how many seconds so far.
  using Waiting = std::function<void(const char *, int, double)>;

  /// `stagedBytes` are the same on all ranks, and have room for an element.
  explicit Communicator(Transport &transport, Waiting waiting = nullptr,
                        int64_t stagedBytes = int64_t(1) << 20)
      : stagedBytes(stagedBytes), transport(transport),
        waiting(std::move(waiting)) {}

  /// Where ranks share no memory, so much of a message is staged at a time on
  /// its way out and as much on its way in, so that what a rank needs beside a
  /// program's buffers does not grow with them.
  const int64_t stagedBytes;
  /// For both: the same memory for all operations, one after another.
  char *staging();

  int rank() const { return transport.rank(); }
  int size() const { return transport.size(); }
  bool sharesMemory() const { return transport.sharesMemory(); }
  bool stopped() const { return transport.stopped(); }
  bool allowsThreads() const { return transport.allowsThreads(); }
  /// Bytes that this rank has sent to others so far, or handed to a back end's
  /// own collectives.
  int64_t sentBytes() const { return sent; }
  /// Bytes that this rank has copied from its own part to its own result as
  /// they are, so far; what is packed to be sent is none of them.
  int64_t keptBytes() const { return kept; }
  void countKept(int64_t bytes) { kept += bytes; }

  /// Starts an operation. All ranks start the same operations in the same
  /// order, also those that have nothing to send or receive in one. `what`
  /// stands in error messages: "all_reduce of 'C' (collective 0)"; it must stay
  /// until the next operation.
  void begin(int collective, const char *what);

  /// See Transport::exchange. Both ends of a message agree on `step`.
  Status exchange(int step, const std::vector<Outgoing> &outgoing,
                  const std::vector<Incoming> &incoming, Arrived arrived);

  /// Has a back end do the collective under way.
  Status run(WholeCollective &collective, const void *source, void *target,
             void *scratch);

  /// Returns when all ranks have called it.
  Status barrier();
  /// Copies rank 0's `bytes` bytes to all ranks.
  Status broadcast(void *data, int64_t bytes);
  /// Rank 0 gets the `bytes` bytes of every rank, which may differ in number,
  /// in order of rank; the others get nothing.
  Status gather(const void *data, int64_t bytes,
                std::vector<std::vector<char>> &all);

private:
  /// Words what a back end said.
  Status worded(Outcome outcome, const TransportError &error) const;

  Transport &transport;
  const Waiting waiting;
  Label label;
  const char *what = "";
  int64_t sent = 0;
  int64_t kept = 0;
  std::unique_ptr<char[]> memory;
};

} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_COLLECTIVES_COMMUNICATOR_H

//===- Transport.h - How bytes go from rank to rank -------------*- C++ -*-===//
//
// What every back end implements (Backend.h). Collectives, barriers, gathering
// of reports and byte counting are written once on top of it (lib/Collectives).
// Only plain data crosses this border, so that a back end can be a plug-in that
// is opened when it is asked for.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_RT_TRANSPORT_H
#define TAPESTRY_RT_TRANSPORT_H

#include <cstddef>
#include <cstdint>

namespace tapestry {
namespace rt {

/// What an exchange belongs to. Both ends of a message name the same label;
/// where they do not, the ranks have lost their common order.
struct Label {
  /// Counts the operations of the program; equal on all ranks.
  uint64_t operation = 0;
  /// The collective's number in the program, -1 for the runtime's own traffic.
  int32_t collective = -1;
  /// Counts the exchanges within one operation.
  int32_t step = 0;

  bool operator==(const Label &other) const {
    return operation == other.operation && collective == other.collective &&
           step == other.step;
  }
};

/// A message to `peer`. A transport that does not share memory sends the
/// `bytes` bytes at `data`; one that does hands `data` itself to the receiver.
struct Outgoing {
  int peer;
  int64_t bytes;
  const void *data;
};

/// A message from `peer`. `place` is memory for it, `bytes` long; a transport
/// that shares memory does not use it, and it may be null there.
struct Incoming {
  int peer;
  int64_t bytes;
  void *place;
};

/// Takes messages as they arrive.
class Receiver {
public:
  /// Message number `index` of the exchange's incoming ones can be read at
  /// `data` until this call returns: its place, or the sender's own memory.
  virtual void arrived(size_t index, const void *data) = 0;
  /// About once a second while the exchange waits for a peer, for so long now.
  virtual void waiting(int peer, double seconds) = 0;

protected:
  ~Receiver() = default;
};

enum class Outcome : int32_t {
  Done,
  /// This exchange cannot be completed; the error's text says why.
  Failed,
  /// Some rank called abort; there is nothing to add.
  Stopped,
};

struct TransportError {
  char text[512] = "";
};

/// One rank's end of the connections to all ranks.
class Transport {
public:
  virtual ~Transport() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// How many of the ranks share this machine's memory with this one, itself
  /// included.
  virtual int ranksOnHost() const = 0;
  /// Whether a receiver is given the sender's own memory.
  virtual bool sharesMemory() const = 0;
  /// Whether some rank has called abort and this one is to leave.
  virtual bool stopped() const = 0;
  /// Whether threads of this process may communicate in turns, this transport
  /// and the back end's own collectives alike; else only the one that opened it
  /// may.
  virtual bool allowsThreads() const = 0;

  /// Sends and receives messages in any order, and returns when all have
  /// arrived and been taken and all outgoing memory may be written again. At
  /// most one message goes each way between two ranks. Waits as long as a peer
  /// lives; one that has ended, is stopped or cannot be reached is given up
  /// after the time-out that the transport was opened with.
  virtual Outcome exchange(const Label &label, const Outgoing *outgoing,
                           size_t numOutgoing, const Incoming *incoming,
                           size_t numIncoming, Receiver &receiver,
                           TransportError &error) = 0;

  /// Whether one of the ranks, which have been waited for by other ways for so
  /// many seconds, is lost and to be given up; the error's text says how.
  virtual bool findLost(double, TransportError &) { return false; }

  /// Ends all ranks with this exit status; `message` reaches standard error
  /// once. Returns where the ranks are threads, and does not otherwise.
  virtual void abort(int status, const char *message) = 0;
};

} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_TRANSPORT_H

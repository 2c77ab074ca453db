//===- NCCLCollectives.h - NCCL's collectives on one rank -------*- C++ -*-===//
//
// all_reduce by ncclAllReduce, reduce_scatter by ncclReduceScatter or, where
// parts are not alike, by ncclReduce for each, all_gather by ncclAllGather
// where parts are alike and each is one stretch of the whole, and any other
// exchange by messages, ncclSend and ncclRecv. What is no stretch of memory is
// packed by copies of the device, part by part, in memory of a fixed size. All
// goes to the stream that the device is told now, and nothing waits here. In
// which order values are combined is NCCL's choice.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_RT_NCCL_NCCLCOLLECTIVES_H
#define TAPESTRY_RT_NCCL_NCCLCOLLECTIVES_H

#include "NCCL/NCCLAPI.h"
#include "tapestry-rt/Backend.h"
#include <map>
#include <optional>
#include <vector>

namespace tapestry {
namespace rt {
namespace nccl {

/// What all collectives of a rank share.
class Session {
public:
  Session(const NCCLAPI &api, Device &device);
  ~Session();
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;

  Stream stream() const { return static_cast<Stream>(device.stream()); }
  /// Says what `call` has returned.
  Outcome outcome(const char *call, Result result, Comm comm,
                  TransportError &error);
  /// Has memory to pack so many bytes in, for one collective after another;
  /// false with an error.
  bool reserve(int64_t bytes, TransportError &error);
  char *packed() const { return static_cast<char *>(memory); }

  const NCCLAPI &api;
  Device &device;
  /// So much is packed at a time, at most: the same on all ranks.
  int64_t mostPacked = int64_t(32) << 20;
  /// Whether a call has failed.
  bool hasFailed = false;

private:
  void *memory = nullptr;
  int64_t size = 0;
  /// Of before it grew: what may still be in use is not given back, for that
  /// would wait for the device.
  std::vector<void *> outgrown;
};

/// Calls that go to the device together, of which the first failure is kept.
class CallGroup {
public:
  CallGroup(Session &session, Comm comm, TransportError &error)
      : session(session), comm(comm), error(error) {
    check("ncclGroupStart", session.api.ncclGroupStart());
  }
  void check(const char *call, Result result) {
    if (outcome == Outcome::Done)
      outcome = session.outcome(call, result, comm, error);
  }
  bool fails() const { return outcome != Outcome::Done; }
  Outcome end() {
    check("ncclGroupEnd", session.api.ncclGroupEnd());
    return outcome;
  }

private:
  Session &session;
  Comm comm;
  TransportError &error;
  Outcome outcome = Outcome::Done;
};

/// How NCCL combines what we call by another name.
struct Reduction {
  Type type;
  Operation operation;
  int64_t perElement = 1; ///< complex numbers are two
};
/// Null where NCCL has none that gives the bits of ours, the rounding of floats
/// aside: its maximum and minimum of floats lose NaNs.
std::optional<Reduction> reductionOf(int32_t monoid, int32_t dtype);

/// Null: it is none that NCCL does.
std::unique_ptr<WholeCollective>
makeReduction(const GroupCollective &collective, Session &session, Comm comm,
              TransportError &error);
std::unique_ptr<WholeCollective> makeExchange(const GroupCollective &collective,
                                              Session &session, Comm comm,
                                              TransportError &error);
/// Whether these make one; decided by what all members know alike.
bool supportsReduction(const GroupCollective &collective);

class NCCLCollectives final : public BackendCollectives {
public:
  NCCLCollectives(const NCCLAPI &api, Transport &transport, Device &device)
      : transport(transport), session(api, device) {}
  ~NCCLCollectives() override;

  Outcome prepare(const GroupCollective &collective,
                  std::unique_ptr<WholeCollective> &prepared,
                  TransportError &error) override;
  Outcome check(TransportError &error) override;

private:
  /// The members' communicator; made once per set of members.
  Outcome communicatorOf(const GroupCollective &collective, Comm &found,
                         TransportError &error);
  /// Has all members know what the first one finds the others by.
  Outcome shareId(const GroupCollective &collective, UniqueId &id,
                  TransportError &error);

  Transport &transport;
  Session session;
  std::map<std::vector<int>, Comm> communicators;
};

} // namespace nccl
} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_NCCL_NCCLCOLLECTIVES_H

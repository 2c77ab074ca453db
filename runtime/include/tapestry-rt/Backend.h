//===- Backend.h - What ranks communicate by --------------------*- C++ -*-===//
//
// A back end is a transport and, where it has any, collectives of its own. The
// runtime's algorithms (lib/Collectives) run over every transport and send the
// bytes that the planner prices; a collective of a back end's own is used where
// the user asks for it and the back end supports it. Between devices
// collectives are a library's, over whatever transport the ranks have.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_RT_BACKEND_H
#define TAPESTRY_RT_BACKEND_H

#include "tapestry-rt/ABI.h"
#include "tapestry-rt/Device.h"
#include "tapestry-rt/Transport.h"
#include <memory>

namespace tapestry {
namespace rt {

/// A collective of the program, cut down to the ranks that talk to each other
/// in it. The boxes are TapestryCollective's, one row of `tensorRank` ranges
/// per member, of targets `targets` rows; buffers are row-major and contiguous
/// in their member's boxes, one after another.
struct GroupCollective {
  /// Stands in messages: "all_reduce of 'C' (collective 0)".
  const char *what;
  int32_t kind;              ///< TapestryCollectiveKind
  int32_t monoid;            ///< TapestryMonoid
  int32_t dtype;             ///< TapestryDType
  int32_t space;             ///< TapestryMemorySpace of the buffers
  TapestryCombineFn combine; ///< null where nothing is reduced
  const int *members;        ///< ranks, ascending
  int size;                  ///< members, at least 2
  int position;              ///< of this rank among the members
  int32_t tensorRank;
  int32_t targets; ///< per member; 1 where something is reduced
  /// In an exchange the members' sources are disjoint: member m gets from n
  /// what m's target and n's source have in common.
  const TapestryRange *source;
  const TapestryRange *target;
  /// As TapestryCollective's, of which there are so many per member: what is
  /// read of the targets.
  int32_t fragments;
  const TapestryRange *fragment;
};

/// A collective that a back end does whole, on one rank.
class WholeCollective {
public:
  virtual ~WholeCollective() = default;
  /// Bytes of this rank's source that one call hands over.
  virtual int64_t payloadBytes() const = 0;
  /// Whether these are just those that go to other ranks, as they are planned.
  virtual bool isExact() const { return false; }
  /// Bytes that a call needs beside its buffers, in their memory space.
  virtual int64_t scratchBytes() const = 0;
  /// Returns when `target` is complete and `source` may be written again; of
  /// buffers of a device, when that was told to do it. Of an
  /// exchange, what this rank keeps is in `target` already. Only for an
  /// all_reduce the two buffers may be the same.
  virtual Outcome run(const void *source, void *target, void *scratch,
                      TransportError &error) = 0;
};

/// What a back end has of its own besides a transport.
class BackendCollectives {
public:
  virtual ~BackendCollectives() = default;
  /// All members ask for the same collectives in the same order. `prepared` is
  /// null afterwards where this one is not supported, and then is so on all
  /// members. The tables need to stay only until the call returns.
  virtual Outcome prepare(const GroupCollective &collective,
                          std::unique_ptr<WholeCollective> &prepared,
                          TransportError &error) = 0;
  /// Called while a device is at collectives that it was told: fails where one
  /// of them cannot end any more.
  virtual Outcome check(TransportError &) { return Outcome::Done; }
};

/// One rank's end of a back end.
struct Backend {
  Transport *transport = nullptr;
  BackendCollectives *collectives = nullptr; ///< null: none
};

/// Raised with every change of the declarations above and of Transport.h.
constexpr uint32_t backendVersion = 6;

/// What a plug-in library exports under the name `backendEntryName`. Returns
/// the process's one back end (owned by the plug-in), or null and a text.
using OpenBackendFn = const Backend *(*)(uint32_t version,
                                         double timeoutSeconds,
                                         TransportError *error);
constexpr const char *backendEntryName = "tapestryRtOpenBackend";

/// Collectives between devices of one kind.
class DeviceCollectives {
public:
  virtual ~DeviceCollectives() = default;
  /// Those of the rank that has this end of the transport and drives this
  /// device, which both outlive them; null with an error. The caller's then.
  virtual BackendCollectives *open(Transport &transport, Device &device,
                                   TransportError &error) = 0;
};

/// What a plug-in of such exports under the name `collectivesEntryName`.
/// Returns the process's one (owned by the plug-in), or null and a text.
using OpenCollectivesFn = DeviceCollectives *(*)(uint32_t version,
                                                 TransportError *error);
constexpr const char *collectivesEntryName = "tapestryRtOpenCollectives";

} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_BACKEND_H

//===- Reductions.cpp - all_reduce and reduce_scatter by NCCL -------------===//

#include "Core/Types.h"
#include "NCCL/NCCLCollectives.h"
#include "NCCL/Parts.h"
#include <algorithm>

using namespace tapestry::rt;
using namespace tapestry::rt::nccl;

//===----------------------------------------------------------------------===//
// Types and operations
//===----------------------------------------------------------------------===//

static std::optional<Reduction> typeOf(int32_t dtype) {
  switch (dtype) {
  case TAPESTRY_F64:
    return Reduction{Float64, Sum};
  case TAPESTRY_F32:
    return Reduction{Float32, Sum};
  case TAPESTRY_F16:
    return Reduction{Float16, Sum};
  case TAPESTRY_BF16:
    return Reduction{Bfloat16, Sum};
  case TAPESTRY_I8:
    return Reduction{Int8, Sum};
  case TAPESTRY_I32:
    return Reduction{Int32, Sum};
  case TAPESTRY_I64:
    return Reduction{Int64, Sum};
  case TAPESTRY_C64:
    return Reduction{Float32, Sum, 2};
  case TAPESTRY_C128:
    return Reduction{Float64, Sum, 2};
  default: // NCCL has no integers of 16 bits.
    return std::nullopt;
  }
}

std::optional<Reduction> tapestry::rt::nccl::reductionOf(int32_t monoid,
                                                         int32_t dtype) {
  std::optional<Reduction> reduction = typeOf(dtype);
  if (!reduction)
    return std::nullopt;
  bool isInteger =
      dtype == TAPESTRY_I8 || dtype == TAPESTRY_I32 || dtype == TAPESTRY_I64;
  auto by = [&](Operation operation, bool fits) {
    reduction->operation = operation;
    return fits ? reduction : std::nullopt;
  };
  switch (monoid) {
  case TAPESTRY_MONOID_ADD:
    return by(Sum, true);
  case TAPESTRY_MONOID_MUL:
    return by(Product, reduction->perElement == 1);
  case TAPESTRY_MONOID_MAX:
    return by(Max, isInteger);
  case TAPESTRY_MONOID_MIN:
    return by(Min, isInteger);
  default:
    return std::nullopt;
  }
}

bool tapestry::rt::nccl::supportsReduction(const GroupCollective &collective) {
  return !isEmpty(sourceOf(collective, 0)) &&
         reductionOf(collective.monoid, collective.dtype).has_value();
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

namespace {

class NCCLReduction : public WholeCollective {
public:
  int64_t payloadBytes() const final { return volume(held) * elementSize; }
  int64_t scratchBytes() const final { return 0; }

protected:
  NCCLReduction(const GroupCollective &collective, Session &session, Comm comm)
      : session(session), comm(comm), position(collective.position),
        held(sourceOf(collective, collective.position).copy()),
        elementSize(dtypeSize(collective.dtype)),
        reduction(*reductionOf(collective.monoid, collective.dtype)) {}

  /// What NCCL counts in.
  size_t count(int64_t elements) const {
    return static_cast<size_t>(elements * reduction.perElement);
  }

  Session &session;
  Comm comm;
  int position;
  Box held;
  int64_t elementSize;
  Reduction reduction;
};

class AllReduce final : public NCCLReduction {
public:
  AllReduce(const GroupCollective &collective, Session &session, Comm comm)
      : NCCLReduction(collective, session, comm) {}

  Outcome run(const void *source, void *target, void *,
              TransportError &error) override {
    return session.outcome(
        "ncclAllReduce",
        session.api.ncclAllReduce(source, target, count(volume(held)),
                                  reduction.type, reduction.operation, comm,
                                  session.stream()),
        comm, error);
  }
};

/// Parts that are alike go together, others to one member after another.
class ReduceScatter final : public NCCLReduction {
public:
  ReduceScatter(const GroupCollective &collective, Session &session, Comm comm);

  /// Bytes that are packed at a time, at most.
  int64_t packedBytes() const { return packed; }
  Outcome run(const void *source, void *target, void *,
              TransportError &error) override;

private:
  Outcome runRound(size_t round, const char *source, char *target,
                   TransportError &error);
  Outcome pack(size_t round, const char *source, TransportError &error);
  /// Where the slice of a member lies.
  const char *placeOf(size_t member, size_t round, const char *source) const;

  /// The members' parts in slices, one of each at a time; of one that is a
  /// stretch of the source, it is the only one.
  std::vector<std::vector<Box>> slices;
  std::vector<bool> isStretch;
  bool isAlike = true;
  /// Alike, and in the order of the members in the source.
  bool isInOrder = true;
  int64_t slot = 0; ///< bytes for each member's slice
  int64_t packed = 0;
  size_t rounds = 0;
};

} // namespace

ReduceScatter::ReduceScatter(const GroupCollective &collective,
                             Session &session, Comm comm)
    : NCCLReduction(collective, session, comm) {
  std::vector<Box> parts;
  int64_t before = 0, largest = 0;
  for (int member = 0; member < collective.size; ++member) {
    const Box &part = parts.emplace_back(targetOf(collective, member).copy());
    for (size_t dim = 0; dim < part.size(); ++dim)
      isAlike &= extent(part[dim]) == extent(parts.front()[dim]);
    isStretch.push_back(!isEmpty(part) && isContiguousIn(held, part));
    isInOrder &= isStretch.back() && offsetIn(held, part) == before;
    before += volume(part);
    largest = std::max(largest, volume(part));
  }
  isInOrder &= isAlike;
  int64_t most =
      std::max<int64_t>(session.mostPacked / collective.size / elementSize, 1);
  slot = std::min(most, largest) * elementSize;
  for (size_t member = 0; member < parts.size(); ++member) {
    bool isWhole = isInOrder || (!isAlike && isStretch[member]);
    slices.push_back(isEmpty(parts[member]) ? std::vector<Box>()
                     : isWhole              ? std::vector<Box>{parts[member]}
                                            : slicesOf(parts[member], most));
    rounds = std::max(rounds, slices.back().size());
    if (!isWhole)
      packed = collective.size * slot;
  }
}

const char *ReduceScatter::placeOf(size_t member, size_t round,
                                   const char *source) const {
  return !isAlike && isStretch[member]
             ? source + offsetIn(held, slices[member][round]) * elementSize
             : session.packed() + member * slot;
}

Outcome ReduceScatter::pack(size_t round, const char *source,
                            TransportError &error) {
  char *to = session.packed();
  for (size_t member = 0; member < slices.size(); ++member) {
    if (round >= slices[member].size() || (!isAlike && isStretch[member]))
      continue;
    const Box &slice = slices[member][round];
    // Of parts that are alike slices are, too, and follow each other.
    char *place = to + member * (isAlike ? volume(slice) * elementSize : slot);
    if (!copyPiece(session.device, place, slice, source, held, slice,
                   elementSize, error))
      return Outcome::Failed;
  }
  return Outcome::Done;
}

Outcome ReduceScatter::runRound(size_t round, const char *source, char *target,
                                TransportError &error) {
  Outcome outcome = pack(round, source, error);
  if (outcome != Outcome::Done)
    return outcome;
  if (isAlike)
    return session.outcome(
        "ncclReduceScatter",
        session.api.ncclReduceScatter(
            session.packed(), target, count(volume(slices[position][round])),
            reduction.type, reduction.operation, comm, session.stream()),
        comm, error);
  CallGroup calls(session, comm, error);
  for (size_t member = 0; member < slices.size() && !calls.fails(); ++member)
    if (round < slices[member].size())
      calls.check("ncclReduce",
                  session.api.ncclReduce(placeOf(member, round, source), target,
                                         count(volume(slices[member][round])),
                                         reduction.type, reduction.operation,
                                         static_cast<int>(member), comm,
                                         session.stream()));
  return calls.end();
}

Outcome ReduceScatter::run(const void *source, void *target, void *,
                           TransportError &error) {
  if (isInOrder)
    return session.outcome(
        "ncclReduceScatter",
        session.api.ncclReduceScatter(
            source, target, count(volume(slices[position][0])), reduction.type,
            reduction.operation, comm, session.stream()),
        comm, error);
  auto *to = static_cast<char *>(target);
  for (size_t round = 0; round < rounds; ++round) {
    Outcome outcome =
        runRound(round, static_cast<const char *>(source), to, error);
    if (outcome != Outcome::Done)
      return outcome;
    if (round < slices[position].size())
      to += volume(slices[position][round]) * elementSize;
  }
  return Outcome::Done;
}

std::unique_ptr<WholeCollective>
tapestry::rt::nccl::makeReduction(const GroupCollective &collective,
                                  Session &session, Comm comm,
                                  TransportError &error) {
  if (collective.kind == TAPESTRY_ALL_REDUCE)
    return std::make_unique<AllReduce>(collective, session, comm);
  auto made = std::make_unique<ReduceScatter>(collective, session, comm);
  if (!session.reserve(made->packedBytes(), error))
    return nullptr;
  return made;
}

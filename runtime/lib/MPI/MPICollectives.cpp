//===- MPICollectives.cpp - MPI's own collectives -------------------------===//

#include "MPI/MPICollectives.h"
#include "Core/Types.h"
#include "MPI/Errors.h"
#include <algorithm>
#include <climits>

using namespace tapestry::rt;

// MPI counts are ints; more elements go in several calls.
static constexpr int64_t maxCount = int64_t(1) << 30;

//===----------------------------------------------------------------------===//
// Types and operations
//===----------------------------------------------------------------------===//

/// f16, bf16 and bool as what they are in memory; MPI has no such types.
static MPI_Datatype typeOf(int32_t dtype) {
  switch (dtype) {
  case TAPESTRY_F64:
    return MPI_DOUBLE;
  case TAPESTRY_F32:
    return MPI_FLOAT;
  case TAPESTRY_F16:
  case TAPESTRY_BF16:
  case TAPESTRY_U16:
    return MPI_UINT16_T;
  case TAPESTRY_U32:
    return MPI_UINT32_T;
  case TAPESTRY_U64:
    return MPI_UINT64_T;
  case TAPESTRY_I8:
    return MPI_INT8_T;
  case TAPESTRY_I16:
    return MPI_INT16_T;
  case TAPESTRY_I32:
    return MPI_INT32_T;
  case TAPESTRY_I64:
    return MPI_INT64_T;
  case TAPESTRY_C64:
    return MPI_C_FLOAT_COMPLEX;
  case TAPESTRY_C128:
    return MPI_C_DOUBLE_COMPLEX;
  default:
    return MPI_UINT8_T;
  }
}

/// MPI's operation that gives the bits of ours, the rounding of a float's sums
/// and products aside; null where there is none. MPI's maximum and minimum of
/// floats lose NaNs, and sums of narrow integers that do not fit may saturate
/// (in Open MPI 4.1 they do) instead of wrapping.
static MPI_Op builtinOperation(int32_t monoid, int32_t dtype) {
  bool isFloat = dtype == TAPESTRY_F64 || dtype == TAPESTRY_F32;
  bool isComplex = dtype == TAPESTRY_C64 || dtype == TAPESTRY_C128;
  bool isNarrow = dtype == TAPESTRY_I8 || dtype == TAPESTRY_I16;
  bool isWide = dtype == TAPESTRY_I32 || dtype == TAPESTRY_I64;
  bool isInteger = isNarrow || isWide;
  switch (monoid) {
  case TAPESTRY_MONOID_ADD:
    return isFloat || isComplex || isWide ? MPI_SUM : MPI_OP_NULL;
  case TAPESTRY_MONOID_MUL:
    return isFloat || isWide ? MPI_PROD : MPI_OP_NULL;
  case TAPESTRY_MONOID_MAX:
    return isInteger ? MPI_MAX : MPI_OP_NULL;
  case TAPESTRY_MONOID_MIN:
    return isInteger ? MPI_MIN : MPI_OP_NULL;
  case TAPESTRY_MONOID_AND:
    return isInteger ? MPI_BAND : MPI_OP_NULL;
  case TAPESTRY_MONOID_OR:
    return isInteger ? MPI_BOR : MPI_OP_NULL;
  case TAPESTRY_MONOID_XOR:
    return isInteger ? MPI_BXOR : MPI_OP_NULL;
  default:
    return MPI_OP_NULL;
  }
}

/// What `combineElements` calls: an MPI operation has no context, and one
/// collective runs at a time.
static TapestryCombineFn activeCombine = nullptr;

static void combineElements(void *in, void *accumulator, int *count,
                            MPI_Datatype *) {
  activeCombine(accumulator, in, *count);
}

Outcome MPICollectives::operationOf(const GroupCollective &collective,
                                    MPI_Op &operation, TransportError &error) {
  operation = builtinOperation(collective.monoid, collective.dtype);
  if (operation != MPI_OP_NULL)
    return Outcome::Done;
  if (combining == MPI_OP_NULL) {
    int code = MPI_Op_create(combineElements, /*commute=*/1, &combining);
    if (code != MPI_SUCCESS)
      return mpiFailed("MPI_Op_create", code, error);
  }
  operation = combining;
  return Outcome::Done;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

static BoxRef sourceOf(const GroupCollective &collective, int member) {
  return {collective.source + int64_t(member) * collective.tensorRank,
          collective.tensorRank};
}
static BoxRef targetOf(const GroupCollective &collective, int member,
                       int number = 0) {
  return {collective.target + (int64_t(member) * collective.targets + number) *
                                  collective.tensorRank,
          collective.tensorRank};
}

namespace {

/// What every collective knows.
class MPICollective : public WholeCollective {
public:
  int64_t payloadBytes() const override { return payload; }
  int64_t scratchBytes() const override { return 0; }
  Outcome run(const void *source, void *target, void *scratch,
              TransportError &error) final {
    Watch::Guard guard(watch, what.c_str(), members);
    activeCombine = combine;
    const char *call = "";
    int code = start(source, target, scratch, call);
    return code == MPI_SUCCESS ? Outcome::Done : mpiFailed(call, code, error);
  }

protected:
  MPICollective(const GroupCollective &collective, Watch &watch, MPI_Comm group)
      : watch(watch), what(collective.what),
        members(collective.members, collective.members + collective.size),
        combine(collective.combine), group(group),
        type(typeOf(collective.dtype)),
        elementSize(dtypeSize(collective.dtype)) {}

  /// Returns MPI's code; `call` is the function that it came from.
  virtual int start(const void *source, void *target, void *scratch,
                    const char *&call) = 0;

  Watch &watch;
  std::string what;
  std::vector<int> members;
  TapestryCombineFn combine;
  MPI_Comm group;
  MPI_Datatype type;
  int64_t elementSize;
  int64_t payload = 0;
};

class AllReduce final : public MPICollective {
public:
  AllReduce(const GroupCollective &collective, Watch &watch, MPI_Comm group,
            MPI_Op operation)
      : MPICollective(collective, watch, group), operation(operation),
        count(volume(sourceOf(collective, collective.position))) {
    payload = count * elementSize;
  }

private:
  int start(const void *source, void *target, void *,
            const char *&call) override {
    call = "MPI_Allreduce";
    for (int64_t done = 0; done < count; done += maxCount) {
      char *to = static_cast<char *>(target) + done * elementSize;
      const void *from = source == target ? MPI_IN_PLACE
                                          : static_cast<const char *>(source) +
                                                done * elementSize;
      int code = MPI_Allreduce(
          from, to, static_cast<int>(std::min(count - done, maxCount)), type,
          operation, group);
      if (code != MPI_SUCCESS)
        return code;
    }
    return MPI_SUCCESS;
  }

  MPI_Op operation;
  int64_t count;
};

class ReduceScatter final : public MPICollective {
public:
  ReduceScatter(const GroupCollective &collective, Watch &watch, MPI_Comm group,
                MPI_Op operation);

  /// Whether the counts fit into MPI's ints, together as well: implementations
  /// add them up.
  static bool supports(const GroupCollective &collective) {
    return volume(sourceOf(collective, 0)) <= INT_MAX;
  }
  /// For one part at a time, so that it is no more than our own ring needs.
  int64_t scratchBytes() const override { return inOrder ? 0 : largest; }

private:
  int start(const void *source, void *target, void *scratch,
            const char *&call) override;
  int reduceEach(const char *source, void *target, char *scratch,
                 const char *&call);

  MPI_Op operation;
  Box held;
  std::vector<Box> parts; // the members' targets
  std::vector<int> counts;
  int64_t largest = 0; ///< bytes
  /// Whether the parts follow each other in the source.
  bool inOrder = true;
};

} // namespace

ReduceScatter::ReduceScatter(const GroupCollective &collective, Watch &watch,
                             MPI_Comm group, MPI_Op operation)
    : MPICollective(collective, watch, group), operation(operation),
      held(sourceOf(collective, collective.position).copy()) {
  payload = volume(held) * elementSize;
  int64_t before = 0;
  for (int member = 0; member < collective.size; ++member) {
    parts.push_back(targetOf(collective, member).copy());
    const Box &part = parts.back();
    counts.push_back(static_cast<int>(volume(part)));
    largest = std::max(largest, volume(part) * elementSize);
    if (!isEmpty(part) &&
        (!isContiguousIn(held, part) || offsetIn(held, part) != before))
      inOrder = false;
    before += volume(part);
  }
}

/// Parts that lie scattered are put together and reduced one after another.
int ReduceScatter::reduceEach(const char *source, void *target, char *scratch,
                              const char *&call) {
  call = "MPI_Reduce";
  for (size_t member = 0; member < parts.size(); ++member) {
    const Box &part = parts[member];
    if (isEmpty(part))
      continue;
    const char *data = scratch;
    if (isContiguousIn(held, part))
      data = source + offsetIn(held, part) * elementSize;
    else
      copyPiece(scratch, part, source, held, part, elementSize);
    int code = MPI_Reduce(data, target, counts[member], type, operation,
                          static_cast<int>(member), group);
    if (code != MPI_SUCCESS)
      return code;
  }
  return MPI_SUCCESS;
}

int ReduceScatter::start(const void *source, void *target, void *scratch,
                         const char *&call) {
  if (!inOrder)
    return reduceEach(static_cast<const char *>(source), target,
                      static_cast<char *>(scratch), call);
  call = "MPI_Reduce_scatter";
  char nothing; // where this rank's part is empty, `target` may be null
  return MPI_Reduce_scatter(source, target ? target : &nothing, counts.data(),
                            type, operation, group);
}

//===----------------------------------------------------------------------===//
// Exchanges
//===----------------------------------------------------------------------===//

namespace {

class AllGather final : public MPICollective {
public:
  AllGather(const GroupCollective &collective, Watch &watch, MPI_Comm group);

  /// Whether all members get all parts and each is one stretch of the whole.
  static bool supports(const GroupCollective &collective);

private:
  int start(const void *, void *target, void *, const char *&call) override {
    call = "MPI_Allgatherv";
    // The own part lies in its place.
    return MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, target,
                          counts.data(), places.data(), type, group);
  }

  std::vector<int> counts, places;
};

class AllToAll final : public MPICollective {
public:
  AllToAll(const GroupCollective &collective, Watch &watch, MPI_Comm group);
  ~AllToAll() override;

  /// Whether the extents fit into MPI's ints; strides and offsets are
  /// addresses.
  static bool supports(const GroupCollective &collective);

private:
  /// What one member sends or receives: types that pick pieces out of a box.
  struct Side {
    std::vector<int> counts, places;
    std::vector<MPI_Datatype> types;
  };
  void add(Side &side, std::vector<MPI_Datatype> &pieces);
  /// `before`: elements that lie in front of the holder's.
  MPI_Datatype pieceType(BoxRef holder, BoxRef piece, int64_t before) const;
  int start(const void *source, void *target, void *,
            const char *&call) override {
    call = "MPI_Alltoallw";
    return MPI_Alltoallw(source, sends.counts.data(), sends.places.data(),
                         sends.types.data(), target, receives.counts.data(),
                         receives.places.data(), receives.types.data(), group);
  }

  Side sends, receives;
};

} // namespace

bool AllGather::supports(const GroupCollective &collective) {
  BoxRef whole = targetOf(collective, 0);
  if (collective.kind != TAPESTRY_ALL_GATHER || collective.targets > 1 ||
      volume(whole) > INT_MAX)
    return false;
  for (int member = 0; member < collective.size; ++member) {
    BoxRef part = sourceOf(collective, member);
    if (!samePoints(whole, targetOf(collective, member)) ||
        !contains(whole, part) ||
        (!isEmpty(part) && !isContiguousIn(whole, part)))
      return false;
  }
  return true;
}

AllGather::AllGather(const GroupCollective &collective, Watch &watch,
                     MPI_Comm group)
    : MPICollective(collective, watch, group) {
  BoxRef whole = targetOf(collective, collective.position);
  for (int member = 0; member < collective.size; ++member) {
    BoxRef part = sourceOf(collective, member);
    counts.push_back(static_cast<int>(volume(part)));
    places.push_back(isEmpty(part) ? 0
                                   : static_cast<int>(offsetIn(whole, part)));
  }
  payload = counts[collective.position] * elementSize;
}

bool AllToAll::supports(const GroupCollective &collective) {
  auto fits = [](const Range &range) { return extent(range) <= INT_MAX; };
  int ranges = collective.size * collective.tensorRank;
  return std::all_of(collective.source, collective.source + ranges, fits) &&
         std::all_of(collective.target,
                     collective.target + ranges * collective.targets, fits);
}

AllToAll::AllToAll(const GroupCollective &collective, Watch &watch,
                   MPI_Comm group)
    : MPICollective(collective, watch, group) {
  int own = collective.position;
  BoxRef source = sourceOf(collective, own);
  for (int member = 0; member < collective.size; ++member) {
    std::vector<MPI_Datatype> toSend, toReceive;
    int64_t before = 0;
    for (int number = 0; number < collective.targets; ++number) {
      BoxRef target = targetOf(collective, own, number);
      Box sent = intersect(source, targetOf(collective, member, number));
      Box got = intersect(sourceOf(collective, member), target);
      // What is the own stays, and is in its place.
      if (member != own && !isEmpty(sent)) {
        toSend.push_back(pieceType(source, sent, 0));
        payload += volume(sent) * elementSize;
      }
      if (member != own && !isEmpty(got))
        toReceive.push_back(pieceType(target, got, before));
      before += volume(target);
    }
    add(sends, toSend);
    add(receives, toReceive);
  }
}

AllToAll::~AllToAll() {
  for (Side *side : {&sends, &receives})
    for (size_t member = 0; member < side->types.size(); ++member)
      if (side->counts[member] > 0)
        MPI_Type_free(&side->types[member]);
}

void AllToAll::add(Side &side, std::vector<MPI_Datatype> &pieces) {
  side.counts.push_back(pieces.empty() ? 0 : 1);
  side.places.push_back(0);
  if (pieces.size() > 1) {
    std::vector<int> ones(pieces.size(), 1);
    std::vector<MPI_Aint> places(pieces.size(), 0);
    MPI_Datatype all;
    MPI_Type_create_struct(static_cast<int>(pieces.size()), ones.data(),
                           places.data(), pieces.data(), &all);
    for (MPI_Datatype &piece : pieces)
      MPI_Type_free(&piece);
    pieces.assign(1, all);
  }
  if (!pieces.empty())
    MPI_Type_commit(&pieces.front());
  side.types.push_back(pieces.empty() ? type : pieces.front());
}

/// From the inside out: one stretch as long as ints allow, then a vector per
/// dimension, then the offset.
MPI_Datatype AllToAll::pieceType(BoxRef holder, BoxRef piece,
                                 int64_t before) const {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  auto replace = [&](MPI_Datatype by) {
    if (made != MPI_DATATYPE_NULL)
      MPI_Type_free(&made);
    made = by;
  };
  int dim = piece.rank - 1;
  int64_t stretch = 1;
  bool isFull = true;
  for (; dim >= 0 && isFull && stretch * extent(piece[dim]) <= INT_MAX; --dim) {
    stretch *= extent(piece[dim]);
    isFull = extent(piece[dim]) == extent(holder[dim]);
  }
  MPI_Datatype next;
  MPI_Type_contiguous(static_cast<int>(stretch), type, &next);
  replace(next);
  MPI_Aint stride = elementSize;
  for (int inner = piece.rank - 1; inner > dim; --inner)
    stride *= extent(holder[inner]);
  for (; dim >= 0; --dim) {
    MPI_Type_create_hvector(static_cast<int>(extent(piece[dim])), 1, stride,
                            made, &next);
    replace(next);
    stride *= extent(holder[dim]);
  }
  MPI_Aint offset = (before + offsetIn(holder, piece)) * elementSize;
  MPI_Type_create_hindexed_block(1, 1, &offset, made, &next);
  replace(next);
  return made;
}

//===----------------------------------------------------------------------===//
// Preparation
//===----------------------------------------------------------------------===//

Outcome MPICollectives::communicatorOf(const GroupCollective &collective,
                                       MPI_Comm &found, TransportError &error) {
  std::vector<int> members(collective.members,
                           collective.members + collective.size);
  auto [entry, isNew] = communicators.try_emplace(members, MPI_COMM_NULL);
  if (isNew) {
    Watch::Guard guard(watch, collective.what, members);
    MPI_Group all, group;
    MPI_Comm_group(world, &all);
    MPI_Group_incl(all, collective.size, members.data(), &group);
    int code = MPI_Comm_create_group(world, group, /*tag=*/0, &entry->second);
    MPI_Group_free(&group);
    MPI_Group_free(&all);
    if (code != MPI_SUCCESS)
      return mpiFailed("MPI_Comm_create_group", code, error);
    MPI_Comm_set_errhandler(entry->second, MPI_ERRORS_RETURN);
  }
  found = entry->second;
  return Outcome::Done;
}

Outcome MPICollectives::prepare(const GroupCollective &collective,
                                std::unique_ptr<WholeCollective> &prepared,
                                TransportError &error) {
  prepared = nullptr;
  bool reduces = collective.kind == TAPESTRY_ALL_REDUCE ||
                 collective.kind == TAPESTRY_REDUCE_SCATTER;
  bool gathers = AllGather::supports(collective);
  // The tables say the same to all members, so all decide alike.
  if (collective.space != TAPESTRY_HOST || collective.fragments != 0 ||
      (reduces ? isEmpty(sourceOf(collective, 0)) ||
                     (collective.kind == TAPESTRY_REDUCE_SCATTER &&
                      !ReduceScatter::supports(collective))
               : !gathers && !AllToAll::supports(collective)))
    return Outcome::Done;

  MPI_Comm group = MPI_COMM_NULL;
  Outcome outcome = communicatorOf(collective, group, error);
  if (outcome != Outcome::Done)
    return outcome;
  if (reduces) {
    MPI_Op operation;
    outcome = operationOf(collective, operation, error);
    if (outcome != Outcome::Done)
      return outcome;
    if (collective.kind == TAPESTRY_ALL_REDUCE)
      prepared =
          std::make_unique<AllReduce>(collective, watch, group, operation);
    else
      prepared =
          std::make_unique<ReduceScatter>(collective, watch, group, operation);
  } else if (gathers) {
    prepared = std::make_unique<AllGather>(collective, watch, group);
  } else {
    prepared = std::make_unique<AllToAll>(collective, watch, group);
  }
  return Outcome::Done;
}

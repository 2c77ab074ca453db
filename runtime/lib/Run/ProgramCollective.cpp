//===- ProgramCollective.cpp - One collective on one rank -----------------===//

#include "Run/ProgramCollective.h"
#include "Core/Types.h"
#include <algorithm>

using namespace tapestry;
using namespace tapestry::rt;

Status ProgramCollective::prepare(const TapestryProgram &program,
                                  CollectiveNumber number,
                                  Communicator &communicator,
                                  BackendCollectives *own) {
  collective = &program.collectives[number.index];
  device = communicator.rank();
  what =
      format("%s of '%s' (collective %lld%s)", collectiveName(collective->kind),
             collective->vertex, static_cast<long long>(number.index),
             number.parts == 0 ? ""
                               : format(", part %lld of %lld",
                                        static_cast<long long>(number.part + 1),
                                        static_cast<long long>(number.parts))
                                     .c_str());
  exchanges = !isReduction(collective->kind);
  isPart = number.parts != 0;
  Status status = Status::success();
  if (!exchanges) {
    status = prepareReduction(program.devices, number);
  } else {
    exchange = planExchange(*collective, program.devices, device);
    status = number.parts == 0
                 ? exchange.check()
                 : Status::failure(ExitEnvironment, "it has no parts");
  }
  if (status.failed())
    return Status::failure(status.exitStatus(), what + ": " + status.message());
  return own ? prepareWhole(program.devices, *own) : Status::success();
}

/// Cuts a box to a part along its first dimension; false where it has none
/// such.
static bool cutToPart(Box &box, CollectiveNumber number) {
  if (number.parts == 0)
    return true;
  if (box.empty() || number.part >= number.parts ||
      extent(box[0]) % number.parts != 0)
    return false;
  int64_t rows = extent(box[0]) / number.parts;
  box[0].lo += number.part * rows;
  box[0].hi = box[0].lo + rows;
  return true;
}

Status ProgramCollective::prepareReduction(int64_t devices,
                                           CollectiveNumber number) {
  group = groupOf(*collective, devices, device);
  source = sourceBox(*collective, device).copy();
  bool fits = cutToPart(source, number);
  for (int member : group.members) {
    targetBoxes.push_back(targetBox(*collective, member).copy());
    fits &= cutToPart(targetBoxes.back(), number);
  }
  targets.assign(targetBoxes.begin(), targetBoxes.end());
  before = number.part * volume(targets[group.position]);
  return fits ? Status::success()
              : Status::failure(ExitEnvironment, "it has no such part");
}

Status ProgramCollective::prepareWhole(int64_t devices,
                                       BackendCollectives &own) {
  std::vector<int> members =
      exchanges ? exchangeGroup(*collective, devices, device) : group.members;
  if (members.size() == 1)
    return Status::success(); // nothing leaves this device
  GroupCollective request = {};
  request.what = what.c_str();
  request.kind = collective->kind;
  request.monoid = collective->monoid;
  request.dtype = collective->dtype;
  request.space = collective->space;
  request.combine = collective->combine;
  request.members = members.data();
  request.size = static_cast<int>(members.size());
  request.tensorRank = collective->rank;
  request.targets = collective->targets;
  request.fragments = collective->fragments;
  std::vector<Range> sources, membersTargets, fragments;
  for (int i = 0; i < request.size; ++i) {
    if (members[i] == device)
      request.position = i;
    Box held = exchanges ? sourceBox(*collective, members[i]).copy() : source;
    sources.insert(sources.end(), held.begin(), held.end());
    for (int number = 0; number < collective->targets; ++number) {
      Box wanted = exchanges ? targetBox(*collective, members[i], number).copy()
                             : targetBoxes[i];
      membersTargets.insert(membersTargets.end(), wanted.begin(), wanted.end());
    }
    for (int number = 0; number < collective->fragments; ++number) {
      Box read = fragmentBox(*collective, members[i], number).copy();
      fragments.insert(fragments.end(), read.begin(), read.end());
    }
  }
  request.source = sources.data();
  request.target = membersTargets.data();
  request.fragment = fragments.data();
  TransportError error;
  Outcome outcome = own.prepare(request, whole, error);
  if (outcome == Outcome::Stopped)
    return Status::stopped();
  return outcome == Outcome::Done
             ? Status::success()
             : Status::failure(ExitRankFailed, what + ": " + error.text);
}

int64_t ProgramCollective::scratchBytes() const {
  int64_t ours = collective->kind == TAPESTRY_REDUCE_SCATTER
                     ? reduceScatterBytes(targets, dtypeSize(collective->dtype))
                     : 0;
  return whole ? std::max(ours, whole->scratchBytes()) : ours;
}

int64_t ProgramCollective::sourceBytes() const {
  return dtypeSize(collective->dtype) *
         volume(exchanges ? sourceBox(*collective, device) : BoxRef(source));
}

int64_t ProgramCollective::targetBytes() const {
  int64_t elements = 0;
  for (int number = 0; number < collective->targets; ++number)
    elements += volume(targetBox(*collective, device, number));
  return dtypeSize(collective->dtype) * elements;
}

Status ProgramCollective::run(Communicator &communicator, const void *from,
                              void *target, char *scratch) {
  if (whole) {
    exchange.keep(communicator, from, target);
    return communicator.run(*whole, from,
                            static_cast<char *>(target) +
                                before * dtypeSize(collective->dtype),
                            scratch);
  }
  if (exchanges)
    return exchangeBoxes(communicator, exchange, from, target);
  int64_t elementSize = dtypeSize(collective->dtype);
  char *to = static_cast<char *>(target) + before * elementSize;
  if (collective->kind == TAPESTRY_ALL_REDUCE)
    return allReduce(communicator, group, collective->combine, elementSize,
                     volume(source), from, to);
  return ringReduceScatter(communicator, group, collective->combine,
                           elementSize, source, targets, from, to, scratch);
}

Status ProgramCollective::runOnDevice(Communicator &communicator, Device &gpu,
                                      const void *from, void *target) {
  int64_t elementSize = dtypeSize(collective->dtype);
  TransportError error;
  for (const ExchangePlan::Piece &piece : exchange.keeps) {
    const ExchangePlan::Target &place = exchange.targets[piece.target];
    for (const StretchCopy &copy : stretchCopies(
             static_cast<char *>(target) + place.before * elementSize,
             place.box, from, exchange.source, piece.box, elementSize))
      if (!gpu.copyWithin(copy, error))
        return Status::failure(ExitRankFailed, what + ": " + error.text);
  }
  communicator.countKept(exchange.keptElements() * elementSize);
  return communicator.run(*whole, from,
                          static_cast<char *>(target) + before * elementSize,
                          /*scratch=*/nullptr);
}

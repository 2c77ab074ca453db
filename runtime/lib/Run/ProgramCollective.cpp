//===- ProgramCollective.cpp - One collective on one rank -----------------===//

#include "Run/ProgramCollective.h"
#include "Core/Types.h"

using namespace tapestry;
using namespace tapestry::rt;

Status ProgramCollective::prepare(const TapestryProgram &program, int64_t index,
                                  Communicator &communicator,
                                  BackendCollectives *own) {
  collective = &program.collectives[index];
  device = communicator.rank();
  what =
      format("%s of '%s' (collective %lld)", collectiveName(collective->kind),
             collective->vertex, static_cast<long long>(index));
  exchanges = !isReduction(collective->kind);
  if (exchanges) {
    exchange = planExchange(*collective, program.devices, device);
    Status status = exchange.check();
    if (status.failed())
      return Status::failure(status.exitStatus(),
                             what + ": " + status.message());
  } else {
    group = groupOf(*collective, program.devices, device);
    for (int member : group.members)
      targets.push_back(targetBox(*collective, member));
  }
  // No back end's own collective leaves out what is not read.
  return own && collective->fragments == 0 ? prepareWhole(program.devices, *own)
                                           : Status::success();
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
  std::vector<Range> sources, membersTargets;
  for (int i = 0; i < request.size; ++i) {
    if (members[i] == device)
      request.position = i;
    Box held = sourceBox(*collective, members[i]).copy();
    sources.insert(sources.end(), held.begin(), held.end());
    for (int number = 0; number < collective->targets; ++number) {
      Box wanted = targetBox(*collective, members[i], number).copy();
      membersTargets.insert(membersTargets.end(), wanted.begin(), wanted.end());
    }
  }
  request.source = sources.data();
  request.target = membersTargets.data();
  TransportError error;
  Outcome outcome = own.prepare(request, whole, error);
  if (outcome == Outcome::Stopped)
    return Status::stopped();
  return outcome == Outcome::Done
             ? Status::success()
             : Status::failure(ExitRankFailed, what + ": " + error.text);
}

int64_t ProgramCollective::scratchBytes() const {
  if (whole)
    return whole->scratchBytes();
  return collective->kind == TAPESTRY_REDUCE_SCATTER
             ? reduceScatterBytes(targets, dtypeSize(collective->dtype))
             : 0;
}

Status ProgramCollective::run(Communicator &communicator, Arena &arena,
                              const void *source, void *target, char *scratch) {
  if (whole) {
    exchange.keep(communicator, source, target);
    return communicator.run(*whole, source, target, scratch);
  }
  if (exchanges)
    return exchangeBoxes(communicator, arena, exchange, source, target);
  BoxRef held = sourceBox(*collective, device);
  int64_t elementSize = dtypeSize(collective->dtype);
  if (collective->kind == TAPESTRY_ALL_REDUCE)
    return allReduce(communicator, arena, group, collective->combine,
                     elementSize, volume(held), source, target);
  return ringReduceScatter(communicator, arena, group, collective->combine,
                           elementSize, held, targets, source, target, scratch);
}

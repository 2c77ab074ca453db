//===- RankCollectives.cpp - The collectives of one device's run ----------===//

#include "Core/Machine.h"
#include "Run/Rank.h"

using namespace tapestry;
using namespace tapestry::rt;

Status Rank::strike(const std::string &where) {
  return job.fault.strike(where, !communicator.sharesMemory(),
                          [&] { return communicator.stopped(); });
}

/// All that the program's own thread does before a collective goes out.
Status Rank::prepareCall(Call &call) {
  int64_t index = call.index;
  if (index < 0 || index >= program.num_collectives)
    return Status::failure(ExitRankFailed,
                           format("the program asks for collective %lld of %d",
                                  static_cast<long long>(index),
                                  program.num_collectives));
  ProgramCollective &collective = collectives[index];
  if (!collective.isPrepared()) {
    // A back end's own are prepared together.
    Status status = own ? lane.settle() : Status::success();
    if (!status.failed())
      status = collective.prepare(program, index, communicator, own);
    if (status.failed())
      return status;
    report.isWhole[index] = collective.isWhole();
  }
  if (job.fault.strikes(device(), index)) {
    Status status = strike(collective.name());
    if (status.failed())
      return status;
  }
  // Here, so that the peak does not depend on how threads run.
  return call.scratch.allocate(arena, collective.scratchBytes());
}

/// On the thread whose turn it is to communicate.
Status Rank::carryOut(Call &call, const void *source, void *target) {
  ProgramCollective &collective = collectives[call.index];
  int64_t sent = communicator.sentBytes();
  int64_t kept = communicator.keptBytes();
  call.begin = nowNanoseconds();
  communicator.begin(static_cast<int>(call.index), collective.name().c_str());
  Status status =
      collective.run(communicator, arena, source, target, call.scratch.data());
  call.end = nowNanoseconds();
  call.sent = communicator.sentBytes() - sent;
  call.kept = communicator.keptBytes() - kept;
  return status;
}

void Rank::count(const Call &call) {
  sentThisRun[call.index] += call.sent;
  if (run == 0)
    report.keptBytes[call.index] += call.kept;
  ++timesThisRun[call.index];
  report.collectiveTime[call.index] += call.end - call.begin;
}

/// Of this time the vertex at hand has nothing.
void Rank::leaveOut(int64_t begin, int64_t end) {
  if (vertex >= 0)
    report.vertexTime[vertex] += begin - vertexSince;
  vertexSince = end;
}

bool Rank::runCollective(int64_t index, const void *source, void *target) {
  int64_t begin = nowNanoseconds();
  Call call;
  call.index = index;
  Status status = prepareCall(call);
  if (!status.failed())
    status = lane.settle();
  if (!status.failed())
    status = carryOut(call, source, target);
  if (status.failed()) {
    fail(status);
    return false;
  }
  count(call);
  trace(TraceEvent::Collective, static_cast<int32_t>(index), call.begin,
        call.end);
  leaveOut(begin, call.end);
  return true;
}

bool Rank::startCollective(int64_t index, const void *source, void *target) {
  if (!communicator.allowsThreads())
    return runCollective(index, source, target);
  int64_t begin = nowNanoseconds();
  started.emplace_back();
  Call &call = started.back();
  call.index = index;
  Status status = prepareCall(call);
  if (!status.failed())
    status = lane.start(
        [this, &call, source, target] {
          current() = this;
          return carryOut(call, source, target);
        },
        call.number);
  if (status.failed()) {
    fail(status);
    return false;
  }
  leaveOut(begin, nowNanoseconds());
  return true;
}

bool Rank::waitCollective(int64_t index) {
  auto call = started.begin();
  while (call != started.end() && call->index != index)
    ++call;
  // It was carried out when it was started.
  if (call == started.end())
    return true;
  int64_t begin = nowNanoseconds();
  Status status = lane.wait(call->number);
  if (status.failed()) {
    fail(status);
    return false;
  }
  int64_t end = nowNanoseconds();
  count(*call);
  report.isBeside[index] = 1;
  report.waitTime[index] += end - begin;
  trace(TraceEvent::Beside, static_cast<int32_t>(index), call->begin,
        call->end);
  trace(TraceEvent::Wait, static_cast<int32_t>(index), begin, end);
  leaveOut(begin, end);
  started.erase(call);
  return true;
}

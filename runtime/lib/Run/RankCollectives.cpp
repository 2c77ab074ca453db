//===- RankCollectives.cpp - The collectives of one device's run ----------===//

#include "Core/Machine.h"
#include "Run/Rank.h"

using namespace tapestry;
using namespace tapestry::rt;

Status Rank::strike(const std::string &where) {
  return job.fault.strike(where, !communicator.sharesMemory(),
                          [&] { return communicator.stopped(); });
}

Status Rank::findCollective(Call &call) {
  int64_t index = call.number.index;
  if (call.called < 0 || index >= program.num_collectives)
    return Status::failure(ExitRankFailed,
                           format("the program asks for collective %lld of %d",
                                  static_cast<long long>(call.called),
                                  program.num_collectives));
  call.collective =
      call.number.parts == 0 ? &collectives[index] : &parts[call.called];
  if (call.collective->isPrepared())
    return Status::success();
  // A back end's own are prepared together.
  Status status = own ? lane.settle() : Status::success();
  if (!status.failed())
    status = call.collective->prepare(program, call.number, communicator, own);
  if (!status.failed())
    report.isWhole[index] = call.collective->isWhole();
  if (!status.failed() && !call.collective->isExact())
    report.isPayload[index] = 1;
  return status;
}

/// All that the program's own thread does before a collective goes out.
Status Rank::prepareCall(Call &call) {
  Status status = findCollective(call);
  if (!status.failed() && call.number.part == 0 &&
      job.fault.strikes(device(), call.number.index))
    status = strike(call.collective->name());
  // Here, so that the peak does not depend on how threads run.
  return status.failed()
             ? status
             : call.scratch.allocate(arena, call.collective->scratchBytes());
}

/// On the thread whose turn it is to communicate.
Status Rank::carryOut(Call &call, const void *source, void *target) {
  int64_t sent = communicator.sentBytes();
  int64_t kept = communicator.keptBytes();
  call.begin = nowNanoseconds();
  communicator.begin(static_cast<int>(call.number.index),
                     call.collective->name().c_str());
  Status status = !gpu ? call.collective->run(communicator, source, target,
                                              call.scratch.data())
                  : call.collective->isWhole()
                      ? runOnDevice(call, source, target)
                      : runStaged(call, source, target);
  call.end = nowNanoseconds();
  call.sent = communicator.sentBytes() - sent;
  call.kept = communicator.keptBytes() - kept;
  return status;
}

void Rank::count(const Call &call) {
  int64_t index = call.number.index;
  sentThisRun[index] += call.sent;
  if (run == 0)
    report.keptBytes[index] += call.kept;
  timesThisRun[index] += call.number.part == 0;
  report.collectiveTime[index] += call.end - call.begin;
}

/// Of this time the vertex at hand has nothing.
void Rank::leaveOut(int64_t begin, int64_t end) {
  if (vertex >= 0)
    report.vertexTime[vertex] += begin - vertexSince;
  vertexSince = end;
}

bool Rank::runCollective(int64_t called, const void *source, void *target) {
  int64_t begin = nowNanoseconds();
  Call call(called);
  Status status = prepareCall(call);
  if (!status.failed())
    status = lane.settle();
  if (!status.failed())
    status = carryOut(call, source, target);
  if (!status.failed())
    status = joinDevice(call);
  if (status.failed()) {
    fail(status);
    return false;
  }
  count(call);
  trace(TraceEvent::Collective, static_cast<int32_t>(call.number.index),
        call.begin, call.end);
  leaveOut(begin, call.end);
  return true;
}

bool Rank::startCollective(int64_t called, const void *source, void *target) {
  int64_t begin = nowNanoseconds();
  started.emplace_back(called);
  Call &call = started.back();
  Status status = prepareCall(call);
  bool isBeside =
      communicator.allowsThreads() && job.communicatesBeside() && !gpu;
  if (!status.failed() && isBeside)
    status = lane.start(
        [this, &call, source, target] {
          current() = this;
          return carryOut(call, source, target);
        },
        call.work);
  else if (!status.failed())
    status = carryOut(call, source, target);
  if (status.failed()) {
    fail(status);
    return false;
  }
  if (!isBeside) {
    count(call);
    trace(TraceEvent::Collective, static_cast<int32_t>(call.number.index),
          call.begin, call.end);
  }
  leaveOut(begin, nowNanoseconds());
  return true;
}

bool Rank::waitCollective(int64_t called) {
  auto call = started.begin();
  while (call != started.end() && call->called != called)
    ++call;
  if (call == started.end()) {
    fail(Status::failure(ExitRankFailed,
                         format("the program waits for collective %lld, which "
                                "it has not started",
                                static_cast<long long>(called))));
    return false;
  }
  // It was carried out, or told the device, when it was started, and kept its
  // memory since.
  if (call->work == 0) {
    Status status = joinDevice(*call);
    if (status.failed())
      fail(status);
    started.erase(call);
    return !status.failed();
  }
  int64_t begin = nowNanoseconds();
  Status status = lane.wait(call->work);
  if (status.failed()) {
    fail(status);
    return false;
  }
  int64_t end = nowNanoseconds();
  count(*call);
  int64_t index = call->number.index;
  report.isBeside[index] = 1;
  report.waitTime[index] += end - begin;
  trace(TraceEvent::Beside, static_cast<int32_t>(index), call->begin,
        call->end);
  trace(TraceEvent::Wait, static_cast<int32_t>(index), begin, end);
  leaveOut(begin, end);
  started.erase(call);
  return true;
}

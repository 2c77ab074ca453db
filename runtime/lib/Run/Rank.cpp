//===- Rank.cpp - One device's run ----------------------------------------===//

#include "Run/Rank.h"
#include "Core/Machine.h"
#include "Core/Program.h"
#include "Core/Types.h"
#include "Run/Results.h"
#include "Run/Trace.h"
#include "tapestry-rt/Counted.h"
#include <cstdio>
#include <cstring>
#include <unistd.h>

using namespace tapestry;
using namespace tapestry::rt;

Rank::Rank(Job &job, const Backend &backend)
    : job(job), program(job.program), transport(*backend.transport),
      own(backend.collectives),
      communicator(transport,
                   [this](const char *what, int peer, double seconds) {
                     this->job.progress.waits(communicator.rank(), what, peer,
                                              seconds);
                   }),
      arena(job.budget, job.isOnDevice() ? &together : nullptr),
      inputs(program.num_inputs, nullptr),
      outputs(program.num_outputs, nullptr),
      isHandedOut(program.num_outputs, false),
      collectives(program.num_collectives), lane(allowedCores()), report(job),
      sentThisRun(program.num_collectives, 0),
      timesThisRun(program.num_collectives, 0) {}

void Rank::say(const std::string &text) const {
  if (job.options.verbose && communicator.rank() == 0)
    fprintf(stderr, "%s: %s\n", job.options.tool.c_str(), text.c_str());
}

void Rank::trace(TraceEvent::Kind kind, int32_t index, int64_t begin,
                 int64_t end) {
  if (job.options.tracePath.empty())
    return;
  if (events.size() < maxTraceSpans)
    events.push_back({kind, index, begin - zero, end - zero});
  else
    ++droppedEvents;
}

std::string Rank::messageStart() const {
  // Of one rank there is nothing to say.
  return communicator.size() > 1 ? format("rank %d: ", communicator.rank())
                                 : std::string();
}

void Rank::fail(const Status &status) {
  endAll(status, messageStart() + status.message());
}

void Rank::endAll(const Status &status, const std::string &message) {
  failure = status;
  if (!status.isStopped()) {
    // Not forgotten yet: rank 0 may be about to create one.
    unlinkTemporaries();
    job.progress.clear();
    transport.abort(status.exitStatus(), printableLines(message).c_str());
  }
  // It writes into buffers, also of frames that are left now.
  lane.stop();
}

//===----------------------------------------------------------------------===//
// From start to end
//===----------------------------------------------------------------------===//

Status Rank::execute() {
  Status status = start();
  if (!status.failed())
    status = readInputs();
  if (!status.failed())
    status = runAll();
  if (!status.failed())
    status = writeOutputs();
  if (!status.failed())
    status = finish();
  if (status.failed())
    fail(status);
  return status;
}

Status Rank::start() {
  Status status = nameOutputs();
  if (status.failed())
    return status;
  if (job.isOnDevice())
    status = openDevice();
  if (status.failed())
    return status;
  if (job.threads() > 1)
    formTeam(job.threads(), job.coresOf(device()));
  if (job.reserved)
    arena.reserve(job.reserved[device()] - job.bytesInPlace(device()));
  for (const Feed &feed : job.feeds)
    feedPlans.push_back(feed.swaps ? ExchangePlan()
                                   : planFeed(program.outputs[feed.output],
                                              program.inputs[feed.input],
                                              program.devices, device()));
  status = communicator.barrier();
  zero = nowNanoseconds();
  return status;
}

Status Rank::allocate(int32_t space, uint64_t bytes, uint64_t alignment,
                      void *&memory) {
  if (deviceArena && space == program.space) {
    Status status = deviceArena->allocate(bytes, memory);
    // Behind a fault the driver refuses all.
    Status fault = status.failed() ? synchronize() : Status::success();
    return fault.failed() ? fault : status;
  }
  if (Status status = checkSpace(space); status.failed())
    return status;
  memory = arena.allocate(bytes, alignment);
  return memory ? Status::success() : arena.exhausted(bytes);
}

Status Rank::move(size_t number) {
  int input = job.moves[number].input;
  const HeldTensor &from = *job.held->inputs[input];
  const TapestryTensor &to = program.inputs[input];
  TapestryTensor table = from.table(to.name);
  size_t index = program.num_collectives + job.feeds.size() + number;
  int64_t sent = communicator.sentBytes();
  int64_t kept = communicator.keptBytes();
  int64_t begin = nowNanoseconds();
  communicator.begin(-1, "move of an input");
  Status status = exchangeBoxes(communicator,
                                planFeed(table, to, program.devices, device()),
                                from.parts[device()], inputs[input]);
  int64_t end = nowNanoseconds();
  report.sentBytes[index] = communicator.sentBytes() - sent;
  report.keptBytes[index] = communicator.keptBytes() - kept;
  report.collectiveTime[index] = end - begin;
  trace(TraceEvent::Move, static_cast<int32_t>(number), begin, end);
  return status;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

Status Rank::runOnce() {
  int64_t begin = nowNanoseconds();
  showProgress(begin, "running");
  if (run > 0 && job.readsBack()) {
    Status status = nameAgain();
    if (status.failed())
      return status;
  }
  if (!call(program, inputs.data(), outputs.data()))
    return failure;
  Status status = synchronize();
  if (status.failed())
    return status;
  enterVertex(-1);
  runTimes.push_back(nowNanoseconds() - begin);
  return checkCounts(run);
}

Status Rank::runAll() {
  Status status = communicator.barrier();
  if (status.failed())
    return status;
  int64_t begin = nowNanoseconds();
  for (run = 0; run < job.options.repeat; ++run) {
    status = runOnce();
    if (!status.failed() && run + 1 < job.options.repeat)
      status = feedAll();
    if (status.failed())
      return status;
  }
  report.runTime = nowNanoseconds() - begin;
  say(format("ran %s in %.3g s", countOf(job.options.repeat, "time").c_str(),
             report.runTime * 1e-9));
  return Status::success();
}

/// The plan says what a collective sends, so each time it must be the same: in
/// loops that end by a condition, runs have it a different number of times.
Status Rank::checkCounts(int64_t run) {
  for (int32_t i = 0; i < program.num_collectives; ++i) {
    if (run == 0) {
      report.sentBytes[i] = sentThisRun[i];
      report.times[i] = timesThisRun[i];
    }
    if (__int128(report.sentBytes[i]) * timesThisRun[i] !=
        __int128(sentThisRun[i]) * report.times[i])
      return Status::failure(
          ExitRankFailed,
          format("%s: sent %s in the first run and %lld in run %lld",
                 collectives[i].name().c_str(),
                 countOf(report.sentBytes[i], "byte").c_str(),
                 static_cast<long long>(sentThisRun[i]),
                 static_cast<long long>(run + 1)));
    sentThisRun[i] = timesThisRun[i] = 0;
  }
  return Status::success();
}

Status Rank::feed(size_t number) {
  const Feed &feed = job.feeds[number];
  if (feed.swaps) {
    std::swap(outputs[feed.output], inputs[feed.input]);
    return Status::success();
  }
  size_t index = program.num_collectives + number;
  int64_t sent = communicator.sentBytes();
  int64_t kept = communicator.keptBytes();
  int64_t begin = nowNanoseconds();
  communicator.begin(-1, "feed");
  Status status = Status::success();
  if (gpu) {
    // All of the input is written.
    int64_t read = partBytes(program.outputs[feed.output], device());
    int64_t written = partBytes(program.inputs[feed.input], device());
    status = take(outputs[feed.output], read, [&](const void *from) {
      return fill(inputs[feed.input], written, [&](void *to) {
        return exchangeBoxes(communicator, feedPlans[number], from, to);
      });
    });
  } else {
    status = exchangeBoxes(communicator, feedPlans[number],
                           outputs[feed.output], inputs[feed.input]);
  }
  int64_t end = nowNanoseconds();
  report.sentBytes[index] = communicator.sentBytes() - sent;
  report.keptBytes[index] = communicator.keptBytes() - kept;
  report.collectiveTime[index] += end - begin;
  trace(TraceEvent::Feed, static_cast<int32_t>(number), begin, end);
  return status;
}

Status Rank::feedAll() {
  for (size_t number = 0; number < job.feeds.size(); ++number) {
    Status status = feed(number);
    if (status.failed())
      return status;
  }
  return Status::success();
}

void Rank::showProgress(int64_t now, const char *place) {
  if (communicator.rank() != 0)
    return;
  job.progress.note(run, place);
  job.progress.tick(now);
}

//===----------------------------------------------------------------------===//
// Called by generated code
//===----------------------------------------------------------------------===//

const char *Rank::vertexName() const {
  return vertex < 0 ? "" : program.vertices[vertex].name;
}

void Rank::enterVertex(int64_t next) {
  int64_t now = nowNanoseconds();
  if (vertex >= 0) {
    report.vertexTime[vertex] += now - vertexSince;
    trace(TraceEvent::Vertex, static_cast<int32_t>(vertex), vertexBegin, now);
  }
  markDevice();
  bool known = next >= 0 && next < program.num_vertices;
  vertex = known ? next : -1;
  vertexBegin = vertexSince = now;
  if (known)
    showProgress(now, program.vertices[next].name);
}

void Rank::countCopied(int64_t index, int64_t bytes) {
  // The program's tables are the same in all runs.
  if (run != 0 || index < 0 || index >= program.num_copies)
    return;
  report.copiedBytes[index] += bytes;
  ++report.copiedTimes[index];
}

bool Rank::meet() {
  Status status = lane.settle();
  if (!status.failed())
    status = communicator.barrier();
  if (status.failed())
    fail(status);
  return !status.failed();
}

/// Does what is no vertex's: of its time, as of a collective's, that one has
/// nothing.
bool Rank::beside(int64_t &time, const std::function<Status()> &act) {
  int64_t begin = nowNanoseconds();
  Status status = lane.settle();
  if (!status.failed())
    status = act();
  if (status.failed()) {
    // What is wrong with the data is so whatever rank says it.
    if (status.exitStatus() == ExitBadInput)
      endAll(status, status.message());
    else
      fail(status);
    return false;
  }
  int64_t end = nowNanoseconds();
  time += end - begin;
  leaveOut(begin, end);
  return true;
}

void Rank::endOutside(int64_t index, int64_t first, int64_t value) {
  // All ranks come here, with the same to say: one says it.
  if (communicator.rank() != 0) {
    Status status = lane.settle();
    if (!status.failed())
      status = communicator.barrier();
    fail(status.failed() ? status : Status::stopped());
    return;
  }
  Status status = outsideFailure(program, index, first, value);
  // What is wrong with the data is so whatever rank says it.
  if (status.exitStatus() == ExitBadInput)
    endAll(status, status.message());
  else
    fail(status);
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// What a user sees who has asked for no file.
Status Rank::showResults() {
  if (!job.options.showsResults || !job.options.outputs.empty())
    return Status::success();
  // The owners' numbers, in the order of the outputs.
  auto owns = [&](const TapestryTensor &output, int64_t rank) {
    return output.rank == 0 && output.owner[rank];
  };
  std::string own;
  Status status = Status::success();
  for (int32_t i = 0; i < program.num_outputs && !status.failed(); ++i)
    if (owns(program.outputs[i], device()))
      status = take(outputs[i], dtypeSize(program.outputs[i].dtype),
                    [&](const void *number) {
                      own.append(static_cast<const char *>(number),
                                 dtypeSize(program.outputs[i].dtype));
                      return Status::success();
                    });
  if (status.failed())
    return status;
  std::vector<std::vector<char>> all;
  status = communicator.gather(own.data(), own.size(), all);
  if (status.failed() || communicator.rank() != 0)
    return status;
  std::vector<const void *> numbers(program.num_outputs, nullptr);
  std::vector<size_t> taken(all.size(), 0);
  for (int32_t i = 0; i < program.num_outputs; ++i)
    for (size_t rank = 0; rank < all.size(); ++rank)
      if (owns(program.outputs[i], rank)) {
        numbers[i] = all[rank].data() + taken[rank];
        taken[rank] += dtypeSize(program.outputs[i].dtype);
      }
  tapestry::rt::showResults(job, numbers);
  return status;
}

Status Rank::writeReport() {
  report.peakBytes = (gpu ? together.peakBytes() : arena.peakBytes()) +
                     job.bytesInPlace(device());
  std::vector<int64_t> numbers = report.pack();
  std::vector<std::vector<char>> all;
  Status status = communicator.gather(
      numbers.data(), static_cast<int64_t>(numbers.size() * sizeof(int64_t)),
      all);
  if (status.failed() || communicator.rank() != 0)
    return status;
  std::vector<RankReport> ranks(all.size(), RankReport(job));
  for (size_t rank = 0; rank < all.size(); ++rank) {
    std::memcpy(numbers.data(), all[rank].data(), all[rank].size());
    ranks[rank].unpack(numbers.data());
  }
  job.progress.clear();
  fputs(contractBreaches(job, ranks).c_str(), stderr);
  if (job.options.reportPath.empty())
    return Status::success();
  return putFile(job.options.reportPath, reportText(job, ranks, runTimes));
}

Status Rank::writeTrace() {
  std::vector<std::vector<char>> all;
  Status status =
      communicator.gather(&droppedEvents, sizeof(droppedEvents), all);
  if (status.failed())
    return status;
  int64_t dropped = 0;
  for (const std::vector<char> &count : all) {
    int64_t own = 0;
    std::memcpy(&own, count.data(), sizeof(own));
    dropped += own;
  }
  tellDropped(job.options.tool, dropped, job.options.tracePath, "rank");
  status = communicator.gather(
      events.data(), static_cast<int64_t>(events.size() * sizeof(TraceEvent)),
      all);
  if (status.failed() || communicator.rank() != 0)
    return status;
  std::vector<std::vector<TraceEvent>> ranks(all.size());
  for (size_t rank = 0; rank < all.size(); ++rank) {
    ranks[rank].resize(all[rank].size() / sizeof(TraceEvent));
    if (!all[rank].empty())
      std::memcpy(ranks[rank].data(), all[rank].data(), all[rank].size());
  }
  return putFile(job.options.tracePath, traceText(job, ranks));
}

Status Rank::finish() {
  Status status = showResults();
  if (!status.failed())
    status = writeReport();
  if (!status.failed() && !job.options.tracePath.empty())
    status = writeTrace();
  // Rank 0 may still fail; nobody is done before it is.
  if (!status.failed())
    status = communicator.barrier();
  for (auto &file : job.outputs)
    if (!status.failed() && file)
      file->forget();
  if (!status.failed() && job.held)
    handOver();
  return status;
}

void Rank::handOver() {
  // All ranks have ended well, and none takes a failure back.
  for (int32_t i = 0; i < program.num_outputs; ++i) {
    job.held->arenas[device()]->adopt(outputs[i]);
    job.held->outputs[i]->parts[device()] = outputs[i];
  }
}

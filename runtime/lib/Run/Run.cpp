//===- Run.cpp - Starts the ranks of a program ----------------------------===//

#include "Core/Machine.h"
#include "Run/Plugin.h"
#include "Run/Rank.h"
#include "Run/Results.h"
#include "Run/Threads.h"
#include "tapestry-rt/Counted.h"
#include <algorithm>

using namespace tapestry;
using namespace tapestry::rt;

//===----------------------------------------------------------------------===//
// Ranks that are threads
//===----------------------------------------------------------------------===//

Status tapestry::rt::runOnThreads(Job &job) {
  ThreadOptions threads;
  threads.prefix = job.failure(ExitEnvironment, "").message();
  threads.bytesPerSecond = double(job.options.slowLink);
  threads.tick = [&] { job.progress.tick(nowNanoseconds()); };
  if (job.options.ownsProcess)
    threads.giveUp = [&](const std::string &message) {
      printMessage(job, message);
    };
  return runThreads(
      static_cast<int>(job.program.devices),
      [&](LocalHub &hub, int number) {
        Rank rank(job, {&hub.endpoint(number), nullptr});
        Status status = rank.execute();
        (void)status; // the hub has been told
        // Others may still read this rank's memory, so it stays until all are
        // here.
        hub.leave();
      },
      threads);
}

//===----------------------------------------------------------------------===//
// Ranks that are processes
//===----------------------------------------------------------------------===//

/// All processes learn whether one of them is not able to go on; rank 0 says
/// for which reason. Returns the common exit status.
static int agree(Job &job, Transport &transport, const Status &status) {
  Communicator communicator(transport);
  std::string packed(1, static_cast<char>(status.exitStatus()));
  packed += status.message();
  std::vector<std::vector<char>> all;
  Status sent = communicator.gather(packed.data(),
                                    static_cast<int64_t>(packed.size()), all);
  int32_t common = ExitDone;
  for (size_t rank = 0; rank < all.size() && common == ExitDone; ++rank) {
    common = all[rank][0];
    if (common == ExitDone)
      continue;
    std::string message(all[rank].begin() + 1, all[rank].end());
    printMessage(job, rank == 0
                          ? message
                          : format("rank %zu: %s", rank, message.c_str()));
  }
  if (!sent.failed())
    sent = communicator.broadcast(&common, sizeof(common));
  if (sent.failed()) {
    transport.abort(sent.exitStatus(), sent.message().c_str());
    return sent.exitStatus();
  }
  return common;
}

namespace {
/// The first ranks of a transport, as many as the program has devices.
class FirstRanks final : public Transport {
public:
  FirstRanks(Transport &all, int count) : all(all), count(count) {}
  int rank() const override { return all.rank(); }
  int size() const override { return count; }
  int ranksOnHost() const override { return all.ranksOnHost(); }
  bool sharesMemory() const override { return all.sharesMemory(); }
  bool stopped() const override { return all.stopped(); }
  bool allowsThreads() const override { return all.allowsThreads(); }
  Outcome exchange(const Label &label, const Outgoing *outgoing,
                   size_t numOutgoing, const Incoming *incoming,
                   size_t numIncoming, Receiver &receiver,
                   TransportError &error) override {
    return all.exchange(label, outgoing, numOutgoing, incoming, numIncoming,
                        receiver, error);
  }
  bool findLost(double waited, TransportError &error) override {
    return all.findLost(waited, error);
  }
  void abort(int status, const char *message) override {
    all.abort(status, message);
  }

private:
  Transport &all;
  int count;
};
} // namespace

static Status checkSize(const Job &job, const Transport &transport) {
  if (transport.size() >= job.program.devices)
    return Status::success();
  return job.failure(
      ExitUsage,
      format("the program is for %s, but %s started (mpirun -n %lld)",
             countOf(job.program.devices, "device").c_str(),
             transport.size() == 1
                 ? "1 rank was"
                 : (countOf(transport.size(), "rank") + " were").c_str(),
             static_cast<long long>(job.program.devices)));
}

static int runProcesses(Job &job) {
  std::string error;
  const Backend *backend = openPlugin(job.backend(), job.timeoutSeconds, error);
  if (!backend) {
    if (launchedAs().rank == 0)
      printMessage(job, job.failure(ExitEnvironment, error).message());
    return ExitEnvironment;
  }
  Transport *transport = backend->transport;
  Status status = checkSize(job, *transport);
  if (status.failed()) {
    // Every process sees the same two numbers.
    if (transport->rank() == 0)
      printMessage(job, status.message());
    return status.exitStatus();
  }
  auto devices = static_cast<int>(job.program.devices);
  bool isIdle = transport->rank() >= devices;
  if (!isIdle)
    status = job.openDevices(transport->ranksOnHost());
  if (!isIdle && !status.failed())
    status = job.openFiles();
  if (!isIdle && !status.failed())
    status = job.checkMemory(transport->rank(), transport->rank() + 1,
                             transport->ranksOnHost());
  if (int common = agree(job, *transport, status))
    return common;
  // A rank that fails from here on aborts all processes, idle ones included.
  if (isIdle)
    return ExitDone;
  if (job.options.verbose && transport->rank() == 0 &&
      transport->size() > devices)
    printMessage(job,
                 format("%s: the program is for %s: %d of %d ranks %s idle",
                        job.options.tool.c_str(),
                        countOf(devices, "device").c_str(),
                        transport->size() - devices, transport->size(),
                        transport->size() - devices == 1 ? "stays" : "stay"));
  FirstRanks working(*transport, devices);
  bool asksForOwn = job.options.collectives == "mpi";
  Rank rank(job, {&working, asksForOwn ? backend->collectives : nullptr});
  return rank.execute().exitStatus();
}

//===----------------------------------------------------------------------===//
// The entry point
//===----------------------------------------------------------------------===//

int tapestry::rt::run(const TapestryProgram &program,
                      const RunOptions &options) {
  NewHandlerGuard memoryGuard;
  SignalGuard signalGuard;
  Job job(program, options);
  Status status = job.checkOptions();
  if (status.failed()) {
    // All processes of a launcher were given the same options.
    if (job.backend() != "mpi" || launchedAs().rank == 0)
      printMessage(job, status.message());
    return status.exitStatus();
  }
  if (job.backend() == "mpi")
    return runProcesses(job);

  if (program.devices > maxLocalRanks)
    status = job.failure(
        ExitEnvironment,
        format("the program is for %lld devices; the local back end starts at "
               "most %lld ranks",
               static_cast<long long>(program.devices),
               static_cast<long long>(maxLocalRanks)));
  if (!status.failed())
    status = job.openDevices(program.devices);
  if (!status.failed())
    status = job.openFiles();
  if (!status.failed())
    status = job.checkMemory(0, program.devices, 1);
  if (!status.failed()) {
    status = runOnThreads(job);
    if (status.failed())
      removeTemporaries();
  }
  if (status.failed())
    printMessage(job, status.message());
  return status.exitStatus();
}

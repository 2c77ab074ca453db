//===- Run.cpp - Starts the ranks of a program ----------------------------===//

#include "Core/Machine.h"
#include "Local/LocalTransport.h"
#include "Run/Plugin.h"
#include "Run/Rank.h"
#include "tapestry-rt/Counted.h"
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <new>
#include <unistd.h>

using namespace tapestry;
using namespace tapestry::rt;

// How long ranks that are busy may take to notice that another one failed.
static constexpr double graceSeconds = 1;
// How often to see whether a line of progress is due.
static constexpr double progressSeconds = 0.25;
// Generated code keeps small buffers on the stack.
static constexpr size_t stackBytes = size_t(8) << 20;

static void print(Session &session, const std::string &message) {
  session.progress.clear();
  // Messages that end in a list end their last line themselves.
  bool ended = !message.empty() && message.back() == '\n';
  fprintf(stderr, ended ? "%s" : "%s\n", printableLines(message).c_str());
}

//===----------------------------------------------------------------------===//
// Ranks that are threads
//===----------------------------------------------------------------------===//

namespace {
struct ThreadStart {
  Session *session;
  LocalHub *hub;
  int rank;
};
} // namespace

static void *runThread(void *argument) {
  auto &start = *static_cast<ThreadStart *>(argument);
  if (!start.hub->waitToStart()) {
    start.hub->leave();
    return nullptr;
  }
  Rank rank(*start.session, {&start.hub->endpoint(start.rank), nullptr});
  Status status = rank.execute();
  (void)status; // the hub has been told
  // Others may still read this rank's memory, so it stays until all are here.
  start.hub->leave();
  return nullptr;
}

/// Starts one thread per entry; returns how many could be started.
static size_t startThreads(std::vector<ThreadStart> &starts,
                           std::vector<pthread_t> &threads, int &error) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stackBytes);
  for (ThreadStart &start : starts) {
    pthread_t thread;
    error = pthread_create(&thread, &attributes, runThread, &start);
    if (error != 0)
      break;
    threads.push_back(thread);
  }
  pthread_attr_destroy(&attributes);
  return threads.size();
}

static int runLocal(Session &session) {
  auto devices = static_cast<int>(session.program.devices);
  LocalHub hub(devices, /*spin=*/devices <= availableCores());
  std::vector<ThreadStart> starts;
  for (int rank = 0; rank < devices; ++rank)
    starts.push_back({&session, &hub, rank});
  std::vector<pthread_t> threads;
  int error = 0;
  auto started = static_cast<int>(startThreads(starts, threads, error));
  if (started < devices) {
    hub.abort(ExitEnvironment,
              session
                  .failure(ExitEnvironment,
                           format("cannot start %d ranks as threads: %d "
                                  "started, then: %s",
                                  devices, started, errnoText(error).c_str()))
                  .message()
                  .c_str());
    hub.neverStarted(devices - started);
  }
  hub.startAll();

  while (!hub.waitForEnd(progressSeconds))
    session.progress.tick(nowNanoseconds());
  if (!hub.waitForAll(graceSeconds)) {
    if (session.options.ownsProcess) {
      // Some rank computes on and cannot be interrupted.
      print(session, hub.abortMessage());
      removeTemporaries();
      _exit(hub.abortStatus());
    }
    while (!hub.waitForAll(3600))
      ;
  }
  for (pthread_t thread : threads)
    pthread_join(thread, nullptr);
  if (int status = hub.abortStatus()) {
    removeTemporaries();
    print(session, hub.abortMessage());
    return status;
  }
  return ExitDone;
}

//===----------------------------------------------------------------------===//
// Ranks that are processes
//===----------------------------------------------------------------------===//

/// All processes learn whether one of them is not able to go on; rank 0 says
/// for which reason. Returns the common exit status.
static int agree(Session &session, Transport &transport, const Status &status) {
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
    print(session,
          rank == 0 ? message : format("rank %zu: %s", rank, message.c_str()));
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
  Outcome exchange(const Label &label, const Outgoing *outgoing,
                   size_t numOutgoing, const Incoming *incoming,
                   size_t numIncoming, Receiver &receiver,
                   TransportError &error) override {
    return all.exchange(label, outgoing, numOutgoing, incoming, numIncoming,
                        receiver, error);
  }
  void abort(int status, const char *message) override {
    all.abort(status, message);
  }

private:
  Transport &all;
  int count;
};
} // namespace

static Status checkSize(const Session &session, const Transport &transport) {
  if (transport.size() >= session.program.devices)
    return Status::success();
  return session.failure(
      ExitUsage,
      format("the program is for %s, but %s started (mpirun -n %lld)",
             countOf(session.program.devices, "device").c_str(),
             transport.size() == 1
                 ? "1 rank was"
                 : (countOf(transport.size(), "rank") + " were").c_str(),
             static_cast<long long>(session.program.devices)));
}

static int runProcesses(Session &session) {
  std::string error;
  const Backend *backend =
      openPlugin(session.backend(), session.timeoutSeconds, error);
  if (!backend) {
    if (launchedAs().rank == 0)
      print(session, session.failure(ExitEnvironment, error).message());
    return ExitEnvironment;
  }
  Transport *transport = backend->transport;
  Status status = checkSize(session, *transport);
  if (status.failed()) {
    // Every process sees the same two numbers.
    if (transport->rank() == 0)
      print(session, status.message());
    return status.exitStatus();
  }
  auto devices = static_cast<int>(session.program.devices);
  bool isIdle = transport->rank() >= devices;
  if (!isIdle)
    status = session.openFiles();
  if (!isIdle && !status.failed())
    status = session.checkMemory(transport->rank(), transport->rank() + 1,
                                 transport->ranksOnHost());
  if (int common = agree(session, *transport, status))
    return common;
  // A rank that fails from here on aborts all processes, idle ones included.
  if (isIdle)
    return ExitDone;
  if (session.options.verbose && transport->rank() == 0 &&
      transport->size() > devices)
    print(session, format("%s: the program is for %s: %d of %d ranks %s idle",
                          session.options.tool.c_str(),
                          countOf(devices, "device").c_str(),
                          transport->size() - devices, transport->size(),
                          transport->size() - devices == 1 ? "stays" : "stay"));
  FirstRanks working(*transport, devices);
  bool asksForOwn = session.options.collectives != "ring";
  Rank rank(session, {&working, asksForOwn ? backend->collectives : nullptr});
  return rank.execute().exitStatus();
}

//===----------------------------------------------------------------------===//
// Running out of small memory
//===----------------------------------------------------------------------===//

/// What `new` calls when there is nothing left. Tensors have their own way to
/// say so (Arena); this is for the runtime's tables, which are small.
static void onNoMemory() {
  static const char text[] =
      "error: out of memory: none left even for the runtime's own tables\n";
  (void)!write(STDERR_FILENO, text, sizeof(text) - 1);
  unlinkTemporaries();
  _exit(ExitEnvironment);
}

namespace {
class NewHandlerGuard {
public:
  NewHandlerGuard() : previous(std::set_new_handler(onNoMemory)) {}
  ~NewHandlerGuard() { std::set_new_handler(previous); }

private:
  std::new_handler previous;
};
} // namespace

//===----------------------------------------------------------------------===//
// The entry point
//===----------------------------------------------------------------------===//

int tapestry::rt::run(const TapestryProgram &program,
                      const RunOptions &options) {
  NewHandlerGuard memoryGuard;
  SignalGuard signalGuard;
  Session session(program, options);
  Status status = session.checkOptions();
  if (status.failed()) {
    // All processes of a launcher were given the same options.
    if (session.backend() != "mpi" || launchedAs().rank == 0)
      print(session, status.message());
    return status.exitStatus();
  }
  if (session.backend() == "mpi")
    return runProcesses(session);

  if (program.devices > maxLocalRanks)
    status = session.failure(
        ExitEnvironment,
        format("the program is for %lld devices; the local back end starts at "
               "most %lld ranks",
               static_cast<long long>(program.devices),
               static_cast<long long>(maxLocalRanks)));
  if (!status.failed())
    status = session.openFiles();
  if (!status.failed())
    status = session.checkMemory(0, program.devices, 1);
  if (!status.failed())
    return runLocal(session);
  print(session, status.message());
  return status.exitStatus();
}

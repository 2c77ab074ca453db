//===- Rank.h - One device's run --------------------------------*- C++ -*-===//
//
// What a rank does from start to end, on a thread of its own (local) or as a
// process (MPI): read its parts, run the program, feed, write, report.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_RT_RUN_RANK_H
#define TAPESTRY_RT_RUN_RANK_H

#include "Memory/DeviceArena.h"
#include "Run/Handle.h"
#include "Run/InFlight.h"
#include "Run/Job.h"
#include "Run/Lane.h"
#include "Run/ProgramCollective.h"
#include "Run/Report.h"
#include "Run/Staging.h"
#include <deque>
#include <functional>
#include <list>
#include <map>

namespace tapestry {
namespace rt {

class Rank final : public Handle {
public:
  /// Uses the back end's own collectives where it is given some.
  Rank(Job &job, const Backend &backend);
  ~Rank();

  /// The whole run. A failure has been reported to the other ranks when this
  /// returns.
  Status execute();

  //===--- For generated code (ABI.cpp) -----------------------------------===//

  int64_t device() const override { return communicator.rank(); }
  [[nodiscard]] bool runCollective(int64_t index, const void *source,
                                   void *target) override;
  [[nodiscard]] bool startCollective(int64_t index, const void *source,
                                     void *target) override;
  [[nodiscard]] bool waitCollective(int64_t index) override;
  [[nodiscard]] bool meet() override;
  [[nodiscard]] bool handOut(int64_t output, const void *buffer) override;
  [[nodiscard]] bool takeIn(int64_t input, void *buffer) override;
  void endOutside(int64_t index, int64_t first, int64_t value) override;
  void enterVertex(int64_t vertex) override;
  void countCopied(int64_t index, int64_t bytes) override;
  /// Tells all ranks.
  void fail(const Status &status) override;
  Status allocate(int32_t space, uint64_t bytes, uint64_t alignment,
                  void *&memory) override;
  void reach(int64_t bytes) override { arena.reach(bytes); }
  bool isOnDevice() const override { return gpu != nullptr; }
  void release(int32_t space, void *memory) override;
  [[nodiscard]] bool launch(const TapestryDeviceCode &code, int64_t kernel,
                            int64_t blocks, int64_t threads,
                            void **arguments) override;
  [[nodiscard]] bool multiply(const TapestryProduct &product,
                              const ProductMemory &memory) override;
  [[nodiscard]] bool fetch(void *host, const void *from,
                           int64_t bytes) override;
  [[nodiscard]] bool bring(BlockCall &call,
                           std::vector<BlockCall::Part> &places) override;
  [[nodiscard]] bool
  bringBack(const BlockCall &call,
            const std::vector<BlockCall::Part> &places) override;
  const void *copyConstant(const void *host, int64_t bytes) override;

private:
  const char *vertexName() const override;
  std::string messageStart() const override;
  /// As `fail`, with this message of all ranks.
  void endAll(const Status &status, const std::string &message);
  Status start();
  /// Where inputs and outputs lie.
  int32_t space() const {
    return gpu ? static_cast<int32_t>(program.space) : TAPESTRY_HOST;
  }
  Status openDevice();
  /// Another vertex begins.
  void markDevice();
  /// Waits for the device. A fault names what was in flight.
  Status synchronize();
  /// Waits for the device as long as it may be at collectives and these can
  /// come to their end; with an error of the device it is done.
  Status awaitCollectives();
  /// The vertices of what the device may not have done.
  std::string whereInFlight();
  /// What `error` of the device is, or what was wrong with it before.
  Status deviceFault(const std::string &what, const TransportError &error);
  /// Has `read` write a tensor of the program, or a copy that then goes there;
  /// and `write` read one.
  Status fill(void *tensor, int64_t bytes,
              const std::function<Status(void *)> &read);
  Status take(const void *tensor, int64_t bytes,
              const std::function<Status(const void *)> &write);
  Status nameOutputs();
  Status nameAgain();
  Status readInputs();
  Status readInput(int32_t number);
  Status shareInputs();
  Status readFile(int32_t number, const InputFile &file);
  /// Brings an input that is held elsewhere to where the program reads it.
  Status move(size_t number);
  /// Leaves the outputs to the session.
  void handOver();
  Status runAll();
  Status runOnce();
  Status feedAll();
  Status feed(size_t number);
  Status checkCounts(int64_t run);
  bool beside(int64_t &time, const std::function<Status()> &act);
  Status handOutNow(int64_t output, const void *buffer);
  Status takeInNow(int64_t input, const void *buffer);
  Status writeOutputs();
  /// Writes an output into its file aside, with all ranks.
  Status writeOutput(size_t number);
  /// Gives a complete file its name.
  Status nameOutput(size_t number);
  Status showResults();
  Status finish();
  Status writeReport();
  Status writeTrace();
  /// A collective on its way.
  struct Call {
    explicit Call(int64_t called) : called(called), number(called) {}

    int64_t called; ///< what the program calls it by
    CollectiveNumber number;
    ProgramCollective *collective = nullptr;
    Scratch scratch;
    int64_t work = 0; ///< its number on the lane
    /// Its number of what the device does beside; -1: it does not.
    int64_t beside = -1;
    // What it took once it is done.
    int64_t begin = 0, end = 0, sent = 0, kept = 0;
  };
  Status prepareCall(Call &call);
  Status findCollective(Call &call);
  Status carryOut(Call &call, const void *source, void *target);
  /// A collective that the device does, and one that goes through the host's
  /// memory.
  Status runOnDevice(Call &call, const void *source, void *target);
  /// What the device is told from now on comes behind the collective.
  Status joinDevice(const Call &call);
  Status runStaged(Call &call, const void *source, void *target);
  void count(const Call &call);
  void leaveOut(int64_t begin, int64_t end);
  Status strike(const std::string &where);
  void trace(TraceEvent::Kind kind, int32_t index, int64_t begin, int64_t end);
  void showProgress(int64_t now, const char *place);
  void say(const std::string &text) const;

  Job &job;
  const TapestryProgram &program;
  Transport &transport;
  BackendCollectives *own;
  Communicator communicator;
  /// What it and the device's have allocated, where there is one.
  LiveBytes together;
  Arena arena;
  std::unique_ptr<Device> gpu;
  std::unique_ptr<DeviceArena> deviceArena;
  /// What devices do between each other, where they do.
  std::unique_ptr<BackendCollectives> between;
  bool isAtCollectives = false;
  InFlight inFlight;
  Staging stagedSource, stagedTarget; // of collectives
  std::deque<Staging> stagedTensors;  // of a block
  /// Copies of constants, which are the program's and not counted.
  std::map<const void *, void *> constants;

  std::vector<void *> inputs; // buffers of this rank's parts
  std::vector<void *> outputs;
  /// Per output, whether its file was written before the program ended.
  std::vector<bool> isHandedOut;
  std::vector<ProgramCollective> collectives; // prepared when first met
  std::map<int64_t, ProgramCollective> parts; // by what they are called by
  std::vector<ExchangePlan> feedPlans;
  std::list<Call> started; // in the order of their starts
  // Ends before what its work uses.
  Lane lane;

  Status failure;

  RankReport report;
  std::vector<int64_t> sentThisRun;  // as report.sentBytes
  std::vector<int64_t> timesThisRun; // as report.times
  std::vector<int64_t> runTimes;
  std::vector<TraceEvent> events;
  int64_t droppedEvents = 0;
  int64_t run = 0;
  int64_t zero = 0; // when the ranks started together
  // Of the vertex that time belongs to, -1: none.
  int64_t vertex = -1;
  int64_t vertexBegin = 0;
  int64_t vertexSince = 0;
};

/// Runs a job that has been checked on ranks that are threads.
Status runOnThreads(Job &job);

} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_RUN_RANK_H

//===- Rank.h - One device's run --------------------------------*- C++ -*-===//
//
// What a rank does from start to end, on a thread of its own (local) or as a
// process (MPI): read its parts, run the program, feed, write, report. Also the
// object behind the handle that generated code passes back through ABI.h.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_RT_RUN_RANK_H
#define TAPESTRY_RT_RUN_RANK_H

#include "Run/Job.h"
#include "Run/ProgramCollective.h"
#include "Run/Report.h"
#include <csetjmp>
#include <pthread.h>

/// The handle of generated code.
struct TapestryRank {};

namespace tapestry {
namespace rt {

class Rank final : public TapestryRank {
public:
  /// Uses the back end's own collectives where it is given some.
  Rank(Job &job, const Backend &backend);
  static Rank &of(TapestryRank *handle) { return *static_cast<Rank *>(handle); }

  /// The whole run. A failure has been reported to the other ranks when this
  /// returns.
  Status execute();

  //===--- For generated code (ABI.cpp) -----------------------------------===//

  int64_t device() const { return communicator.rank(); }
  /// Returns false where the rank must `leave`.
  [[nodiscard]] bool runCollective(int64_t index, const void *source,
                                   void *target);
  /// Ends the run by requirement `index`: element number `first` of what it is
  /// about is outside.
  void endOutside(int64_t index, int64_t first, int64_t value);
  /// Ends the run: the function of a block returned `number`.
  void endBlock(int32_t number);
  void enterVertex(int64_t vertex);
  /// Tells all ranks to end with this status.
  void fail(const Status &status);
  /// Leaves generated code for `execute`, after a failure. The frames of
  /// generated code have nothing to clean up; callers must not either.
  [[noreturn]] void leave();
  /// Memory of this rank in a space of the ABI.
  Status allocate(int32_t space, uint64_t bytes, uint64_t alignment,
                  void *&memory);

  /// The rank whose generated code runs on this thread, or null.
  static Rank *&current();

private:
  /// As `fail`, with this message of all ranks.
  void endAll(const Status &status, const std::string &message);
  Status start();
  Status nameOutputs();
  Status readInputs();
  Status readInput(int32_t number);
  /// Brings an input that is held elsewhere to where the program reads it.
  Status move(size_t number);
  /// Leaves the outputs to the session.
  void handOver();
  Status runAll();
  Status runOnce();
  [[nodiscard]] bool callEntry();
  Status feedAll();
  Status feed(size_t number);
  Status checkCounts(int64_t run);
  Status writeOutputs();
  Status showResults();
  Status finish();
  Status writeReport();
  Status writeTrace();
  Status collective(int64_t index, const void *source, void *target);
  Status strike(const std::string &where);
  void trace(TraceEvent::Kind kind, int32_t index, int64_t begin, int64_t end);
  void showProgress(int64_t now, const char *place);
  void say(const std::string &text) const;

  Job &job;
  const TapestryProgram &program;
  Transport &transport;
  BackendCollectives *const own;
  Communicator communicator;
  Arena arena;

  std::vector<void *> inputs; // buffers of this rank's parts
  std::vector<void *> outputs;
  std::vector<ProgramCollective> collectives; // prepared when first met
  std::vector<ExchangePlan> feedPlans;

  jmp_buf exit;
  pthread_t thread;
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

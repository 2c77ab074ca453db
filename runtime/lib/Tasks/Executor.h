//===- Executor.h - Runs steps as soon as they can run ----------*- C++ -*-===//
//
// Threads take the steps of a schedule greedily: the first one that has what it
// needs. Memory is promised in the order of the steps, so that nobody waits for
// memory that only a later step gives back, and what is to come is brought as
// far ahead as there is memory for.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_RT_TASKS_EXECUTOR_H
#define TAPESTRY_RT_TASKS_EXECUTOR_H

#include "Memory/Arena.h"
#include "Run/Job.h"
#include "Run/Trace.h"
#include "Tasks/Graph.h"
#include "Tasks/SpillFile.h"
#include "Tasks/StepGraph.h"
#include <condition_variable>
#include <queue>

namespace tapestry {
namespace rt {

/// What a run counts; times in nanoseconds.
struct TaskCounts {
  std::atomic<int64_t> spilledBytes{0};
  std::atomic<int64_t> reloadedBytes{0};
  std::atomic<int64_t> inputBytes{0};
  std::atomic<int64_t> copiedBytes{0};
  std::atomic<int64_t> readTime{0};
  std::atomic<int64_t> writeTime{0};
};

/// One step on one thread.
struct StepSpan {
  int32_t step;
  int64_t begin, end;
};

/// What the threads of a run share.
class Executor {
public:
  /// `spill` is null where the schedule spills nothing.
  Executor(const TaskGraph &graph, const TaskSchedule &schedule, Job &job,
           SpillFile *spill, int workers);
  ~Executor();

  int workers() const { return numWorkers; }
  /// Workers, and behind them threads that wait for files.
  int threads() const { return numWorkers + numFileThreads; }
  /// All steps once, on threads of their own.
  Status run(int64_t number);
  /// Fails where a run did not count what the schedule predicts.
  Status checkCounts() const;

  const TaskGraph &graph;
  const TaskSchedule &schedule;
  Job &job;
  TaskCounts counts; // of the last run
  /// What chunks, views and kernels have taken of memory in the last run.
  LiveBytes held;
  /// Per thread.
  std::vector<std::vector<StepSpan>> spans;
  int64_t droppedSpans = 0;
  /// Per vertex of the job's program: time of all its shards.
  std::vector<int64_t> vertexTime;
  /// Per sink of no dimensions that is no file: its element.
  std::vector<std::vector<char>> numbers;
  /// Per sink, whether its file has its name already.
  std::vector<char> isHandedOut;

private:
  friend class Worker;

  void prepare();
  void work(class LocalHub &hub, int thread);
  Status perform(class LocalHub &hub, class Worker &worker, int32_t step);
  /// Misbehaves at a shard or at the files as TAPESTRY_FAULT asks for.
  Status strike(class LocalHub &hub, const TaskStep &step);
  void note(int thread, int32_t step, int64_t begin, int64_t end);
  Status assemble(int32_t step, int32_t view);
  Status readPiece(const TaskView &view, const TaskPiece &piece, void *target);
  Status readStored(const TaskPiece &piece, BoxRef box, void *target);
  Status load(int32_t chunk);
  Status spillChunk(int32_t chunk);
  Status write(int32_t sink, int32_t piece);
  Status writePart(int32_t sink, BoxRef box, const void *source);
  Status writeTurned(int32_t sink, const Box &box, const char *source,
                     const std::vector<int64_t> &strides);
  Status writeFill(int32_t sink);
  Status handOut(int32_t sink);
  Status takeIn(int32_t input);
  Status allocate(int32_t buffer);
  void done(int32_t step);
  void drop(const TaskStep &step);
  void makeReady(int32_t step);
  void admit();
  void waitFree(int32_t step, std::vector<int32_t> &left);
  bool takeStep(class LocalHub &hub, bool isWorker, int32_t &step);

  StepGraph steps;
  SpillFile *const spill;
  const int numWorkers;
  const int numFileThreads;
  MemoryBudget budget;
  Arena arena;
  std::vector<void *> memory;  // per buffer
  std::vector<int64_t> places; // per chunk: in the spill file; -1: nowhere
  std::atomic<int64_t> fileEnd{0};
  std::atomic<int64_t> unsynced{0}; // bytes of outputs that only the cache has
  std::vector<int32_t> takers;      // steps that take memory, in order
  std::vector<int32_t> vertexOf;    // per shard
  int64_t zero = 0;                 // when the first run began
  int64_t runNumber = 0;

  std::mutex mutex; // guards what follows
  std::condition_variable forWorkers, forFiles;
  using First =
      std::priority_queue<int32_t, std::vector<int32_t>, std::greater<int32_t>>;
  First readyWorker, readyFile;
  std::vector<int32_t> waits;
  size_t nextTaker = 0;
  int64_t used = 0;
  size_t stepsLeft = 0;
};

} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_TASKS_EXECUTOR_H

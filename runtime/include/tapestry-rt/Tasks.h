//===- Tasks.h - Shards on chunks, run out of core --------------*- C++ -*-===//
//
// A program as a graph of shards: calls of kernels that read views of chunks
// and produce chunks. Where the chunks do not fit into memory, the greedy
// executor keeps some of them in a file. `schedule` decides what lies in memory
// when, and so predicts the bytes that are moved; `runTasks` runs that, every
// step as soon as what it needs is there.
//
// C++ and in one process only: the compiler fills these structures in memory,
// and nothing of them is in generated objects. Sizes are in elements or points
// where nothing else is said; numbers of chunks, views, kernels and shards are
// positions in the vectors of TaskProgram.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_RT_TASKS_H
#define TAPESTRY_RT_TASKS_H

#include "tapestry-rt/Status.h"
#include <string>
#include <utility>
#include <vector>

namespace tapestry {
namespace rt {

//===----------------------------------------------------------------------===//
// The graph
//===----------------------------------------------------------------------===//

/// A dense row-major tensor that never changes once it is there: one shard
/// produces it, or it is an input of the program, which stays in its file and
/// is read from there piece by piece.
struct TaskChunk {
  std::string name; ///< for messages and traces: "T.3"
  int32_t dtype;    ///< TapestryDType
  std::vector<int64_t> shape;
  int32_t input = -1; ///< number of the input that it is, -1: a shard's
};

/// Elements of one chunk that go to a box of a view: view[lo + x] is element
/// number offset + sum of x_d * strides_d of the chunk, 0 <= x_d < sizes_d.
/// Strides may be 0 (broadcast) and negative (reverse). All three vectors are
/// as long as the view's shape.
struct TaskPiece {
  int32_t chunk;
  int64_t offset;
  std::vector<int64_t> strides, sizes, lo;
};

/// What a shard reads or a sink gets: dense row-major, put together of disjoint
/// pieces. A view that is one whole chunk of a shard lies where the chunk does;
/// all others are copies, which shards that name the same view share.
struct TaskView {
  int32_t dtype;
  std::vector<int64_t> shape;
  std::vector<TaskPiece> pieces;
  /// The bytes of the element that stands where no piece is; empty: the pieces
  /// cover all.
  std::vector<char> fill;
};

struct TaskKernel {
  /// For one device. Null where only `schedule` is asked.
  const TapestryProgram *program = nullptr;
  /// Bytes that it allocates at most beside its inputs and outputs:
  /// predicted_peak_bytes[0] less the boundary.
  int64_t scratchBytes = 0;
};

/// One call of a kernel.
struct TaskShard {
  std::string name;   ///< "T.3"
  std::string vertex; ///< of the graph, that it is a part of: "T"
  int32_t kernel;
  std::vector<int32_t> views;  ///< per input of the kernel
  std::vector<int32_t> chunks; ///< per output of the kernel
  int64_t flops = 0;
  /// Shards that must have ended before, besides those whose chunks it reads,
  /// and sinks that must have been handed out: their files are whole and have
  /// their names.
  std::vector<int32_t> after = {}, afterSinks = {};
};

/// Integers in memory have no sign, those of inputs and sinks may. `file` is
/// what is read or written where a run names none; empty: none is. An input
/// that is `after` something is not looked at before.
struct TaskInput {
  std::string name;
  int32_t dtype;
  std::vector<int64_t> shape;
  std::string file = {};
  std::vector<int32_t> after = {}, afterSinks = {};
};

/// An output: its file gets a view of the same type, but for an integer's sign,
/// and shape, which is never put together in memory.
struct TaskSink {
  std::string name;
  int32_t dtype;
  std::vector<int64_t> shape;
  int32_t view;
  std::string file = {};
  /// What must have been done before it is handed out.
  std::vector<int32_t> after = {}, afterSinks = {};
};

struct TaskProgram {
  std::string name;
  std::vector<TaskInput> inputs;
  std::vector<TaskSink> sinks;
  std::vector<TaskChunk> chunks;
  std::vector<TaskView> views;
  std::vector<TaskKernel> kernels;
  std::vector<TaskShard> shards;
  /// Inputs that no sink depends on, as TapestryProgram::unread_inputs.
  std::vector<std::string> unreadInputs;
};

/// Fails where a number names nothing, a piece leaves its chunk or its view,
/// types or shapes disagree, a chunk is not produced exactly once or shards
/// wait for each other in a circle: the compiler's fault, which must end in a
/// message.
Status checkTasks(const TaskProgram &program);

//===----------------------------------------------------------------------===//
// The schedule
//===----------------------------------------------------------------------===//

struct TaskLimits {
  /// For chunks, views and what kernels allocate, together.
  int64_t memoryBytes;
  /// Shards that run at a time.
  int64_t workers = 1;
  /// Whether chunks may leave memory for a file.
  bool spills = true;
  /// Per sink whether nothing is to be written; empty: all are written.
  std::vector<bool> unwanted;
};

/// What a schedule is made of. Steps that take memory are Assemble, Load and
/// Run.
struct TaskStep {
  enum Kind : int8_t {
    Assemble,  ///< makes a view of pieces, each from where its chunk lies then
    Load,      ///< brings a chunk back from the file
    Run,       ///< runs a shard, which makes its chunks
    Write,     ///< writes piece number `piece` of a sink's view; -1: its fill
    Spill,     ///< writes a chunk to the file; once for each chunk
    DropView,  ///< frees a view
    DropChunk, ///< frees a chunk
    Forget,    ///< nobody reads the chunk again, not from the file either
    HandOut,   ///< gives the file of a sink that others follow its name
    TakeIn     ///< opens the file of an input that follows others
  };
  Kind kind;
  int32_t index; ///< of the view, chunk, shard, sink or input
  int32_t piece = 0;
};

/// Steps in an order in which one after another could run within the limit, and
/// what they come to. Bytes that move are those of any run of the steps, in
/// whatever order they come to run.
struct TaskSchedule {
  std::vector<TaskStep> steps;
  int64_t peakBytes = 0;      ///< in memory at a time, at most
  int64_t spilledBytes = 0;   ///< written to the spill file
  int64_t spillFileBytes = 0; ///< of that file: chunks begin on pages of it
  int64_t reloadedBytes = 0;  ///< read from it
  int64_t inputBytes = 0;     ///< read from the inputs' files
  int64_t copiedBytes = 0;    ///< to views, from chunks in memory
  /// How often a chunk or a view leaves memory that is still to be read.
  int64_t evictions = 0;
  /// Workers that compute at a time on average, by an estimate: others wait for
  /// memory or for shards; 0: not known.
  double shardsAtOnce = 0;
};

/// Bytes of memory that a chunk or a view of so many bytes takes.
int64_t bufferBytes(int64_t bytes);

/// Per sink whether it goes nowhere: it has no file, there is none for it among
/// `outputs` (output name, .npy file), and it is no number that is shown, as
/// those are where there are no outputs.
std::vector<bool>
unwantedSinks(const TaskProgram &program,
              const std::vector<std::pair<std::string, std::string>> &outputs,
              bool showsResults);

/// Orders the shards and plans the memory. Deterministic; calls no kernel.
/// Fails with ExitEnvironment, the name of the shard that needs most and both
/// numbers where one needs more than the limit, or where something must be
/// spilled and nothing may be.
Status schedule(const TaskProgram &program, const TaskLimits &limits,
                TaskSchedule &result);

//===----------------------------------------------------------------------===//
// The run
//===----------------------------------------------------------------------===//

/// Bytes that this process can still allocate: what a limit of 0 stands for.
int64_t availableMemory();

struct TaskRunOptions {
  /// Shards that run at a time; 0: as many as there are processors.
  int64_t workers = 0;
  /// The folder of the file that chunks are spilled to; empty: $TMPDIR, else
  /// /tmp; "none": nothing is spilled.
  std::string spill;
};

/// Whether files can be made in the folder that a run would spill to.
Status checkSpillFolder(const TaskRunOptions &options);

/// As `run`: from files to files, with the exit status of a run. The limit is
/// `options.memoryLimit`, where 0 stands for what the machine has available.
/// There are no back ends but "local", and no feeds.
int runTasks(const TaskProgram &program, const RunOptions &options,
             const TaskRunOptions &tasks);

} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_TASKS_H

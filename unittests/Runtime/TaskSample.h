//===- TaskSample.h - Task programs made by hand ----------------*- C++ -*-===//
//
// Task programs whose kernels are C++ functions, random ones and grids, and
// their values by the plain way: chunk by chunk, element by element.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_UNITTESTS_RUNTIME_TASKSAMPLE_H
#define TAPESTRY_UNITTESTS_RUNTIME_TASKSAMPLE_H

#include "TestProgram.h"
#include "tapestry-rt/Tasks.h"
#include <functional>
#include <memory>
#include <random>

namespace tapestry {
namespace rt {
namespace testing {

/// A task program with the tables of its kernels.
class TaskSample {
public:
  using Body =
      std::function<void(TapestryRank *, const void *const *, void *const *)>;

  TaskProgram program;

  int32_t addInput(const std::string &name, int32_t dtype,
                   const std::vector<int64_t> &shape);
  int32_t addChunk(int32_t dtype, const std::vector<int64_t> &shape);
  /// The view of all of a chunk.
  int32_t addWhole(int32_t chunk);
  /// A shard with a kernel of its own, which writes every byte of its chunks:
  /// a sum over bytes of its views, told apart by `seed`.
  int32_t addShard(const std::vector<int32_t> &views,
                   const std::vector<int32_t> &chunks, int64_t scratch = 0);
  /// Replaces what the kernel of a shard does.
  void setBody(int32_t shard, Body body);
  TapestryProgram &kernel(int32_t shard);
  void addSink(const std::string &name, int32_t view);

  /// The bytes of all chunks, then of all sinks, given those of the inputs.
  struct Values {
    std::vector<std::string> chunks, sinks;
  };
  Values evaluate(const std::vector<std::string> &inputs) const;

private:
  std::vector<std::unique_ptr<TestProgram>> kernels;
};

/// Shards in layers over inputs of random types and shapes; views of one to
/// three pieces that are strided, broadcast, reversed, permuted, padded or
/// flat.
TaskSample randomTasks(std::mt19937 &random);
/// A piece of a chunk that has these sizes.
TaskPiece randomPiece(int32_t chunk, const std::vector<int64_t> &shape,
                      const std::vector<int64_t> &sizes, std::mt19937 &random);

/// C[i, j] of A[i] and B[j], which are chunks of inputs with `rows` rows each,
/// tiles of `tile` bytes.
TaskSample grid(int64_t rows, int64_t columns, int64_t tile);

/// The least limit that some order of the shards could run in.
int64_t leastMemory(const TaskProgram &program);

} // namespace testing
} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_UNITTESTS_RUNTIME_TASKSAMPLE_H

//===- Graph.h - Who needs what in a task program ---------------*- C++ -*-===//
//
// What scheduler and executor ask of a task program again and again, as tables:
// the buffers that its chunks and views lie in, and who reads them.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_RT_TASKS_GRAPH_H
#define TAPESTRY_RT_TASKS_GRAPH_H

#include "tapestry-rt/Tasks.h"

namespace tapestry {
namespace rt {

/// Lists of numbers, one per row.
class Rows {
public:
  struct Row {
    const int32_t *first, *last;
    const int32_t *begin() const { return first; }
    const int32_t *end() const { return last; }
    size_t size() const { return last - first; }
  };
  Row operator[](size_t row) const {
    return {numbers.data() + begins[row], numbers.data() + begins[row + 1]};
  }
  size_t size() const { return begins.size() - 1; }

  /// Numbers of the next row.
  void add(int32_t number) { numbers.push_back(number); }
  /// Ends the row; `sorted` puts it in order, each number once.
  void end(bool sorted = false);
  /// For each of `count` numbers the rows that hold it, in ascending order.
  Rows inverse(size_t count) const;

private:
  std::vector<size_t> begins = {0};
  std::vector<int32_t> numbers;
};

/// A piece of a sink's view that a chunk is written to.
struct SinkPiece {
  int32_t sink, piece;
};

/// A buffer is a chunk of a shard, by the chunk's number, or a view, by its
/// number behind all chunks.
struct TaskGraph {
  /// The program has been checked, but for circles. Sinks that are not wanted
  /// are no readers.
  TaskGraph(const TaskProgram &program, const std::vector<bool> &unwanted);

  bool isChunk(int32_t buffer) const { return buffer < numChunks; }
  int32_t viewOf(int32_t buffer) const { return buffer - numChunks; }

  const TaskProgram &program;
  int32_t numChunks;
  int32_t numBuffers;
  /// Per view: where it lies, a chunk's buffer or its own.
  std::vector<int32_t> home;
  /// Per buffer: what it takes of memory.
  std::vector<int64_t> bytes;
  /// Per shard: the buffers that it reads; per buffer the shards.
  Rows reads, readers;
  /// Per view with a buffer of its own that some shard reads: the chunks that
  /// it is put together of, those of inputs left out; per chunk the views.
  Rows parts, partOf;
  /// Per chunk: the shard that makes it; -1: an input.
  std::vector<int32_t> producers;
  /// Per shard: those that must have ended before; per shard those after.
  Rows before, after;
  /// Per chunk: the pieces of sinks that it goes to.
  std::vector<std::vector<SinkPiece>> writes;
  /// Those that come from inputs.
  std::vector<SinkPiece> inputWrites;
  /// Per sink: whether something follows it; per input: whether it follows
  /// something.
  std::vector<char> isFollowed, isTakenIn;
  /// Sinks whose views have an element between their pieces that is not zero.
  std::vector<int32_t> filled;
  /// Per shard: what its outputs and its kernel's memory take.
  std::vector<int64_t> own;
  /// Per shard: about how long it computes, on a machine of today.
  std::vector<double> seconds;

private:
  void findFollowers();
};

/// What a kernel that allocates so many bytes takes of memory: freed blocks are
/// kept, and an eighth may be lost between them.
int64_t scratchCharge(int64_t bytes);

} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_TASKS_GRAPH_H

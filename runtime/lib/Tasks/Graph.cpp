//===- Graph.cpp - Who needs what in a task program -----------------------===//

#include "Tasks/Graph.h"
#include "Tasks/Pieces.h"
#include <algorithm>

using namespace tapestry::rt;

void Rows::end(bool sorted) {
  if (sorted) {
    std::sort(numbers.begin() + begins.back(), numbers.end());
    numbers.erase(std::unique(numbers.begin() + begins.back(), numbers.end()),
                  numbers.end());
  }
  begins.push_back(numbers.size());
}

Rows Rows::inverse(size_t count) const {
  Rows result;
  result.begins.assign(count + 1, 0);
  for (int32_t number : numbers)
    ++result.begins[number + 1];
  for (size_t i = 0; i < count; ++i)
    result.begins[i + 1] += result.begins[i];
  result.numbers.resize(numbers.size());
  std::vector<size_t> at(result.begins.begin(), result.begins.end() - 1);
  for (size_t row = 0; row < size(); ++row)
    for (int32_t number : (*this)[row])
      result.numbers[at[number]++] = static_cast<int32_t>(row);
  return result;
}

int64_t tapestry::rt::scratchCharge(int64_t bytes) {
  return bytes == 0 ? 0 : bufferBytes(boundedSum(bytes, bytes / 8 + 4096));
}

/// What a processor of today does, to weigh shards against each other and
/// against bytes that move.
static constexpr double operationsPerSecond = 5e10;
static constexpr double bytesPerSecond = 1e10;

namespace {
/// The shards that must have ended before what follows shards and sinks.
class Predecessors {
public:
  Predecessors(const TaskProgram &program,
               const std::vector<int32_t> &producers)
      : program(program), producers(producers), ofSink(program.sinks.size()),
        isKnown(program.sinks.size(), 0) {}

  template <typename Follower>
  void addTo(std::vector<int32_t> &before, const Follower &follower) {
    before.insert(before.end(), follower.after.begin(), follower.after.end());
    for (int32_t sink : follower.afterSinks) {
      const std::vector<int32_t> &more = of(sink);
      before.insert(before.end(), more.begin(), more.end());
    }
  }
  /// Those without which a view is not there.
  void addView(std::vector<int32_t> &before, const TaskView &view) {
    for (const TaskPiece &piece : view.pieces) {
      int32_t input = program.chunks[piece.chunk].input;
      if (input >= 0)
        addTo(before, program.inputs[input]);
      else if (producers[piece.chunk] >= 0)
        before.push_back(producers[piece.chunk]);
    }
  }

private:
  const std::vector<int32_t> &of(int32_t sink) {
    std::vector<int32_t> &result = ofSink[sink];
    if (isKnown[sink])
      return result;
    isKnown[sink] = 1;
    std::vector<int32_t> before;
    addTo(before, program.sinks[sink]);
    addView(before, program.views[program.sinks[sink].view]);
    std::sort(before.begin(), before.end());
    before.erase(std::unique(before.begin(), before.end()), before.end());
    return result = std::move(before);
  }

  const TaskProgram &program;
  const std::vector<int32_t> &producers;
  std::vector<std::vector<int32_t>> ofSink;
  std::vector<char> isKnown;
};
} // namespace

void TaskGraph::findFollowers() {
  isFollowed.assign(program.sinks.size(), 0);
  auto note = [&](const auto &follower) {
    for (int32_t sink : follower.afterSinks)
      isFollowed[sink] = 1;
  };
  for (const TaskShard &shard : program.shards)
    note(shard);
  for (const TaskSink &sink : program.sinks)
    note(sink);
  for (const TaskInput &input : program.inputs) {
    note(input);
    isTakenIn.push_back(!input.after.empty() || !input.afterSinks.empty());
  }
}

TaskGraph::TaskGraph(const TaskProgram &program,
                     const std::vector<bool> &unwanted)
    : program(program), numChunks(static_cast<int32_t>(program.chunks.size())),
      numBuffers(numChunks + static_cast<int32_t>(program.views.size())),
      writes(numChunks) {
  for (const TaskChunk &chunk : program.chunks)
    bytes.push_back(bufferBytes(tensorBytes(chunk.dtype, chunk.shape)));
  for (size_t i = 0; i < program.views.size(); ++i) {
    const TaskView &view = program.views[i];
    int32_t chunk = wholeChunk(program, view);
    home.push_back(chunk >= 0 ? chunk : numChunks + static_cast<int32_t>(i));
    bytes.push_back(bufferBytes(tensorBytes(view.dtype, view.shape)));
  }
  producers.assign(numChunks, -1);
  for (size_t i = 0; i < program.shards.size(); ++i) {
    const TaskShard &shard = program.shards[i];
    int64_t taken = scratchCharge(program.kernels[shard.kernel].scratchBytes);
    for (int32_t chunk : shard.chunks) {
      producers[chunk] = static_cast<int32_t>(i);
      taken = boundedSum(taken, bytes[chunk]);
    }
    own.push_back(taken);
    for (int32_t view : shard.views)
      reads.add(home[view]);
    reads.end(/*sorted=*/true);
    auto touched = static_cast<double>(taken);
    for (int32_t buffer : reads[i])
      touched += static_cast<double>(bytes[buffer]);
    seconds.push_back(
        std::max(static_cast<double>(shard.flops) / operationsPerSecond,
                 touched / bytesPerSecond));
  }
  readers = reads.inverse(numBuffers);
  for (size_t i = 0; i < program.views.size(); ++i) {
    if (home[i] >= numChunks && readers[home[i]].size() > 0)
      for (const TaskPiece &piece : program.views[i].pieces)
        if (program.chunks[piece.chunk].input < 0)
          parts.add(piece.chunk);
    parts.end(/*sorted=*/true);
  }
  partOf = parts.inverse(numChunks);
  findFollowers();
  Predecessors predecessors(program, producers);
  std::vector<int32_t> earlier;
  for (const TaskShard &shard : program.shards) {
    earlier.clear();
    for (int32_t view : shard.views)
      predecessors.addView(earlier, program.views[view]);
    predecessors.addTo(earlier, shard);
    for (int32_t other : earlier)
      before.add(other);
    before.end(/*sorted=*/true);
  }
  after = before.inverse(program.shards.size());
  for (size_t i = 0; i < program.sinks.size(); ++i) {
    if (i < unwanted.size() && unwanted[i])
      continue;
    const TaskView &view = program.views[program.sinks[i].view];
    for (size_t p = 0; p < view.pieces.size(); ++p) {
      int32_t chunk = view.pieces[p].chunk;
      (program.chunks[chunk].input < 0 ? writes[chunk] : inputWrites)
          .push_back({static_cast<int32_t>(i), static_cast<int32_t>(p)});
    }
    if (std::any_of(view.fill.begin(), view.fill.end(),
                    [](char byte) { return byte != 0; }))
      filled.push_back(static_cast<int32_t>(i));
  }
}

//===- Residency.cpp - What lies in memory when ---------------------------===//

#include "Tasks/Residency.h"
#include "Core/Types.h"
#include "Tasks/Pieces.h"
#include "tapestry-rt/Counted.h"
#include <algorithm>
#include <queue>
#include <set>

using namespace tapestry;
using namespace tapestry::rt;

static constexpr int32_t never = INT32_MAX;

namespace {
class Planner {
public:
  Planner(const TaskGraph &graph, const std::vector<int32_t> &order,
          const ResidencyOptions &options, TaskSchedule &result);
  Status run();

private:
  int64_t neededBy(int32_t shard) const;
  Status checkShards() const;
  Status place(int32_t shard);
  Status bring(int32_t shard, int32_t buffer);
  void runInTime(int32_t shard);
  void assemble(int32_t view);
  Status makeRoom(int32_t shard, int64_t bytes);
  bool evictOne();
  void evict(int32_t buffer);
  void retire(int32_t until);
  void take(int64_t bytes);
  void setResident(int32_t buffer);
  void release(int32_t buffer);
  void used(int32_t buffer);
  void usedAll(int32_t shard);
  void unread(int32_t chunk);
  void writePieces(const std::vector<SinkPiece> &pieces);
  void writePiece(const SinkPiece &piece);
  void writeFills();
  template <typename Follower> Status handOutBefore(const Follower &follower);
  Status handOut(int32_t sink);
  Status takeIn(const TaskView &view);
  Status writeInputs(int32_t sink);
  Status endSinks();

  void findUses();
  /// The position of the next shard that needs it, or a view of it.
  int32_t nextUse(int32_t buffer) const {
    return at[buffer] < ends[buffer] ? positions[at[buffer]] : never;
  }
  /// Puts a buffer in memory among those that could go.
  void offer(int32_t buffer);
  bool isPinned(int32_t buffer) const { return lastUse[buffer] > retired; }
  bool isClean(int32_t buffer) const {
    return !graph.isChunk(buffer) || isInFile[buffer];
  }
  void step(TaskStep::Kind kind, int32_t index, int32_t piece = 0) {
    result.steps.push_back({kind, index, piece});
  }
  Status tooSmall(int32_t shard, int64_t needed) const;

  const TaskGraph &graph;
  const TaskProgram &program;
  const std::vector<int32_t> &order;
  const ResidencyOptions &options;
  TaskSchedule &result;

  /// Per buffer: the positions of the shards that read it or, of a chunk, views
  /// of it, and those left.
  std::vector<int32_t> positions;
  std::vector<size_t> at, ends;
  std::vector<char> isResident, isInFile;
  /// Per buffer: the last position that used it; its entry among those that
  /// could go.
  std::vector<int32_t> lastUse, offered;
  /// Per chunk: shards, views and sinks that still read it.
  std::vector<int32_t> readersLeft;
  /// Per sink: its pieces that are still to be written, of those the ones that
  /// come from inputs, and whether it is handed out; per input: whether it is
  /// taken in.
  std::vector<int32_t> piecesLeft;
  std::vector<std::vector<SinkPiece>> fromInputs;
  std::vector<char> isHandedOut, isTakenIn;
  int64_t inUse = 0;
  int32_t now = 0;
  /// When each shard has ended, and each worker is free, if shards start when
  /// those have ended that they need, and those whose memory they take.
  std::vector<double> endOf;
  std::multiset<double> free;
  double retiredAt = 0, endOfAll = 0, computing = 0;
  /// Shards up to this position have ended when the next step is taken.
  int32_t retired = -1;
  /// Per position: what is free when its shard has ended.
  std::vector<int64_t> freedAfter;

  struct Candidate {
    int32_t next;
    bool isClean;
    int32_t buffer;
    /// Whether the other one goes first.
    bool operator<(const Candidate &other) const {
      if (next != other.next)
        return next < other.next;
      if (isClean != other.isClean)
        return other.isClean;
      return buffer > other.buffer;
    }
  };
  std::priority_queue<Candidate> candidates;
  std::vector<Candidate> kept; // candidates that may not go at the moment
};
} // namespace

Planner::Planner(const TaskGraph &graph, const std::vector<int32_t> &order,
                 const ResidencyOptions &options, TaskSchedule &result)
    : graph(graph), program(graph.program), order(order), options(options),
      result(result), at(graph.numBuffers), ends(graph.numBuffers),
      isResident(graph.numBuffers, 0), isInFile(graph.numChunks, 0),
      lastUse(graph.numBuffers, -1), offered(graph.numBuffers, -1),
      readersLeft(graph.numChunks), piecesLeft(program.sinks.size(), 0),
      fromInputs(program.sinks.size()), isHandedOut(program.sinks.size(), 0),
      isTakenIn(program.inputs.size(), 0), endOf(order.size(), 0),
      freedAfter(order.size(), 0) {
  for (int64_t worker = 0; worker < options.workers; ++worker)
    free.insert(0);
  findUses();
  for (int32_t i = 0; i < graph.numChunks; ++i) {
    readersLeft[i] =
        static_cast<int32_t>(graph.readers[i].size() + graph.partOf[i].size() +
                             graph.writes[i].size());
    for (const SinkPiece &piece : graph.writes[i])
      ++piecesLeft[piece.sink];
  }
  for (const SinkPiece &piece : graph.inputWrites) {
    ++piecesLeft[piece.sink];
    fromInputs[piece.sink].push_back(piece);
  }
}

void Planner::findUses() {
  std::vector<int32_t> seen(graph.numBuffers, -1);
  auto forEachUse = [&](auto visit) {
    std::fill(seen.begin(), seen.end(), -1);
    for (size_t i = 0; i < order.size(); ++i) {
      auto position = static_cast<int32_t>(i);
      auto once = [&](int32_t buffer) {
        if (seen[buffer] != position)
          visit(buffer, position);
        seen[buffer] = position;
      };
      for (int32_t buffer : graph.reads[order[i]]) {
        once(buffer);
        if (!graph.isChunk(buffer))
          for (int32_t chunk : graph.parts[graph.viewOf(buffer)])
            once(chunk);
      }
    }
  };
  forEachUse([&](int32_t buffer, int32_t) { ++ends[buffer]; });
  size_t count = 0;
  for (int32_t i = 0; i < graph.numBuffers; ++i) {
    size_t uses = ends[i];
    at[i] = ends[i] = count;
    count += uses;
  }
  positions.resize(count);
  forEachUse([&](int32_t buffer, int32_t position) {
    positions[ends[buffer]++] = position;
  });
}

Status Planner::run() {
  result = TaskSchedule();
  Status fits = checkShards();
  if (fits.failed())
    return fits;
  writeFills();
  for (; now < static_cast<int32_t>(order.size()); ++now) {
    retire(now - static_cast<int32_t>(options.window));
    Status status = place(order[now]);
    if (status.failed())
      return status;
  }
  Status written = endSinks();
  if (written.failed())
    return written;
  if (endOfAll > 0)
    result.shardsAtOnce = computing / endOfAll;
  return Status::success();
}

//===----------------------------------------------------------------------===//
// One shard
//===----------------------------------------------------------------------===//

Status Planner::tooSmall(int32_t shard, int64_t needed) const {
  int64_t limit = options.memoryBytes;
  auto text = [&](int64_t bytes) {
    return formatBytes(needed) == formatBytes(limit) ? countOf(bytes, "byte")
                                                     : formatBytes(bytes);
  };
  return Status::failure(
      ExitEnvironment,
      format("shard '%s' needs %s of memory at once (views %s, chunks and its "
             "kernel's own %s), the limit is %s",
             program.shards[shard].name.c_str(), text(needed).c_str(),
             text(needed - graph.own[shard]).c_str(),
             text(graph.own[shard]).c_str(), text(limit).c_str()));
}

/// What a shard has in memory; the most that there is where that is more.
int64_t Planner::neededBy(int32_t shard) const {
  int64_t needed = graph.own[shard];
  for (int32_t buffer : graph.reads[shard])
    needed = boundedSum(needed, graph.bytes[buffer]);
  return needed;
}

/// Whether each shard fits alone; if not, the one that needs most says so.
Status Planner::checkShards() const {
  int32_t largest = -1;
  int64_t most = options.memoryBytes;
  for (int32_t shard : order)
    if (int64_t needed = neededBy(shard); needed > most) {
      largest = shard;
      most = needed;
    }
  return largest < 0 ? Status::success() : tooSmall(largest, most);
}

Status Planner::place(int32_t shard) {
  Status before = handOutBefore(program.shards[shard]);
  if (before.failed())
    return before;
  for (int32_t buffer : graph.reads[shard])
    lastUse[buffer] = now;
  for (int32_t buffer : graph.reads[shard]) {
    Status status =
        isResident[buffer] ? Status::success() : bring(shard, buffer);
    if (status.failed())
      return status;
  }
  Status status = makeRoom(shard, graph.own[shard]);
  if (status.failed())
    return status;
  take(graph.own[shard]);
  step(TaskStep::Run, shard);
  runInTime(shard);
  int64_t scratch = graph.own[shard];
  for (int32_t chunk : program.shards[shard].chunks) {
    scratch -= graph.bytes[chunk];
    lastUse[chunk] = now;
    isResident[chunk] = 1;
    writePieces(graph.writes[chunk]);
    readersLeft[chunk] -= static_cast<int32_t>(graph.writes[chunk].size());
    if (readersLeft[chunk] == 0)
      release(chunk);
    else
      offer(chunk);
  }
  freedAfter[now] += scratch;
  usedAll(shard);
  return Status::success();
}

void Planner::runInTime(int32_t shard) {
  double start = retiredAt;
  for (int32_t before : graph.before[shard])
    start = std::max(start, endOf[before]);
  // Of the workers that are free by then the one that has not been for long.
  auto worker = free.upper_bound(start);
  if (worker != free.begin())
    --worker;
  start = std::max(start, *worker);
  free.erase(worker);
  endOf[shard] = start + graph.seconds[shard];
  free.insert(endOf[shard]);
  endOfAll = std::max(endOfAll, endOf[shard]);
  computing += graph.seconds[shard];
}

Status Planner::bring(int32_t shard, int32_t buffer) {
  Status status = graph.isChunk(buffer)
                      ? Status::success()
                      : takeIn(program.views[graph.viewOf(buffer)]);
  if (!status.failed())
    status = makeRoom(shard, graph.bytes[buffer]);
  if (status.failed())
    return status;
  take(graph.bytes[buffer]);
  if (graph.isChunk(buffer)) {
    step(TaskStep::Load, buffer);
    result.reloadedBytes += graph.bytes[buffer];
  } else {
    assemble(graph.viewOf(buffer));
  }
  isResident[buffer] = 1;
  offer(buffer);
  return status;
}

void Planner::assemble(int32_t number) {
  step(TaskStep::Assemble, number);
  const TaskView &view = program.views[number];
  int64_t size = dtypeSize(view.dtype);
  for (const TaskPiece &piece : view.pieces) {
    const TaskChunk &chunk = program.chunks[piece.chunk];
    if (chunk.input >= 0)
      result.inputBytes += readBytes(piece, chunk.shape, size);
    else if (isResident[piece.chunk])
      result.copiedBytes += volume(piece.sizes) * size;
    else
      result.reloadedBytes += readBytes(piece, chunk.shape, size);
  }
}

/// The shard at `now` has read a buffer, or a view of it.
void Planner::used(int32_t buffer) {
  while (nextUse(buffer) <= now)
    ++at[buffer];
  if (isResident[buffer])
    offer(buffer);
}

void Planner::usedAll(int32_t shard) {
  for (int32_t buffer : graph.reads[shard]) {
    used(buffer);
    if (graph.isChunk(buffer)) {
      unread(buffer);
      continue;
    }
    bool isLast = nextUse(buffer) == never;
    if (isLast)
      release(buffer);
    for (int32_t chunk : graph.parts[graph.viewOf(buffer)]) {
      used(chunk);
      if (isLast)
        unread(chunk);
    }
  }
}

/// A chunk has a reader less.
void Planner::unread(int32_t chunk) {
  if (--readersLeft[chunk] == 0)
    release(chunk);
}

/// Nobody reads a buffer any more.
void Planner::release(int32_t buffer) {
  if (isResident[buffer]) {
    step(graph.isChunk(buffer) ? TaskStep::DropChunk : TaskStep::DropView,
         graph.isChunk(buffer) ? buffer : graph.viewOf(buffer));
    isResident[buffer] = 0;
    freedAfter[now] += graph.bytes[buffer];
  }
  if (graph.isChunk(buffer) && isInFile[buffer])
    step(TaskStep::Forget, buffer);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

void Planner::take(int64_t bytes) {
  inUse += bytes;
  result.peakBytes = std::max(result.peakBytes, inUse);
}

void Planner::retire(int32_t until) {
  while (retired < until) {
    inUse -= freedAfter[++retired];
    retiredAt = std::max(retiredAt, endOf[order[retired]]);
  }
}

void Planner::offer(int32_t buffer) {
  offered[buffer] = nextUse(buffer);
  candidates.push({offered[buffer], isClean(buffer), buffer});
}

void Planner::evict(int32_t buffer) {
  if (!isClean(buffer)) {
    step(TaskStep::Spill, buffer);
    result.spilledBytes += graph.bytes[buffer];
    result.spillFileBytes += spilledBytes(graph.bytes[buffer]);
    isInFile[buffer] = 1;
  }
  step(graph.isChunk(buffer) ? TaskStep::DropChunk : TaskStep::DropView,
       graph.isChunk(buffer) ? buffer : graph.viewOf(buffer));
  isResident[buffer] = 0;
  inUse -= graph.bytes[buffer];
  ++result.evictions;
}

/// Lets go what is needed last; false where nothing may go.
bool Planner::evictOne() {
  while (!candidates.empty()) {
    Candidate top = candidates.top();
    candidates.pop();
    if (!isResident[top.buffer] || offered[top.buffer] != top.next ||
        isClean(top.buffer) != top.isClean)
      continue; // of an earlier time
    if (isPinned(top.buffer) || (!top.isClean && !options.spills)) {
      kept.push_back(top);
      continue;
    }
    evict(top.buffer);
    return true;
  }
  return false;
}

Status Planner::makeRoom(int32_t shard, int64_t bytes) {
  bool fits = true;
  while (fits && inUse > options.memoryBytes - bytes) {
    if (evictOne())
      continue;
    for (const Candidate &candidate : kept)
      candidates.push(candidate);
    kept.clear();
    // Rather wait for a shard before than fail.
    fits = retired < now - 1;
    if (fits)
      retire(retired + 1);
  }
  for (const Candidate &candidate : kept)
    candidates.push(candidate);
  kept.clear();
  if (fits)
    return Status::success();
  // All that may go has gone: what stays cannot be had again.
  return Status::failure(
      ExitEnvironment,
      format("shard '%s' needs %s of memory beside %s of chunks that are still "
             "to be read, the limit is %s, and nothing may be spilled",
             program.shards[shard].name.c_str(), formatBytes(bytes).c_str(),
             formatBytes(inUse).c_str(),
             formatBytes(options.memoryBytes).c_str()));
}

//===----------------------------------------------------------------------===//
// Sinks
//===----------------------------------------------------------------------===//

void Planner::writePiece(const SinkPiece &piece) {
  step(TaskStep::Write, piece.sink, piece.piece);
  --piecesLeft[piece.sink];
  const TaskView &view = program.views[program.sinks[piece.sink].view];
  const TaskPiece &part = view.pieces[piece.piece];
  const TaskChunk &chunk = program.chunks[part.chunk];
  if (chunk.input >= 0)
    result.inputBytes += readBytes(part, chunk.shape, dtypeSize(view.dtype));
}

void Planner::writePieces(const std::vector<SinkPiece> &pieces) {
  for (const SinkPiece &piece : pieces)
    writePiece(piece);
}

void Planner::writeFills() {
  for (int32_t sink : graph.filled)
    step(TaskStep::Write, sink, -1);
}

//===----------------------------------------------------------------------===//
// What follows sinks
//===----------------------------------------------------------------------===//

template <typename Follower>
Status Planner::handOutBefore(const Follower &follower) {
  Status status;
  for (int32_t sink : follower.afterSinks)
    if (!status.failed() && !isHandedOut[sink])
      status = handOut(sink);
  return status;
}

/// Takes in those inputs of a view that follow something.
Status Planner::takeIn(const TaskView &view) {
  Status status;
  for (const TaskPiece &piece : view.pieces) {
    int32_t input = program.chunks[piece.chunk].input;
    if (status.failed() || input < 0 || !graph.isTakenIn[input] ||
        isTakenIn[input])
      continue;
    isTakenIn[input] = 1;
    status = handOutBefore(program.inputs[input]);
    if (!status.failed())
      step(TaskStep::TakeIn, input);
  }
  return status;
}

/// Writes what of a sink comes from inputs, where that has not been done.
Status Planner::writeInputs(int32_t sink) {
  std::vector<SinkPiece> pieces = std::move(fromInputs[sink]);
  fromInputs[sink].clear();
  Status status = pieces.empty()
                      ? Status::success()
                      : takeIn(program.views[program.sinks[sink].view]);
  if (!status.failed())
    writePieces(pieces);
  return status;
}

/// Those that make its pieces, and that it follows, have run before whoever
/// follows it: graph.before says so.
Status Planner::handOut(int32_t sink) {
  isHandedOut[sink] = 1;
  Status status = handOutBefore(program.sinks[sink]);
  if (!status.failed())
    status = writeInputs(sink);
  if (status.failed())
    return status;
  if (piecesLeft[sink] != 0)
    return Status::failure(
        ExitEnvironment,
        format("the task program is inconsistent: sink '%s' is handed out "
               "before %s",
               program.sinks[sink].name.c_str(),
               countOf(piecesLeft[sink], "piece").c_str()));
  step(TaskStep::HandOut, sink);
  return status;
}

Status Planner::endSinks() {
  Status status;
  for (size_t i = 0; i < program.sinks.size() && !status.failed(); ++i) {
    auto sink = static_cast<int32_t>(i);
    if (!graph.isFollowed[sink])
      status = writeInputs(sink);
    else if (!isHandedOut[sink])
      status = handOut(sink);
  }
  return status;
}

Status tapestry::rt::planResidency(const TaskGraph &graph,
                                   const std::vector<int32_t> &order,
                                   const ResidencyOptions &options,
                                   TaskSchedule &result) {
  return Planner(graph, order, options, result).run();
}

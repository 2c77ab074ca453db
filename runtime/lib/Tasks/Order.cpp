//===- Order.cpp - The order of shards ------------------------------------===//
//
// List scheduling that knows data: a buffer is brought because it lets the most
// shards run with what lies in memory by then, and all these run before the
// next is brought. On the grid of a matrix product that walks in squares.
// (Gonthier, Marchal, Thibault: "Memory-Aware Scheduling of Tasks Sharing Data
// on Multiple GPUs with Dynamic Runtime Systems", IPDPS 2022, calls it DARTS.)
// What leaves the memory here is what has not been used for longest; the order
// being known, the planning of memory does better (Residency.h).
//
//===----------------------------------------------------------------------===//

#include "Tasks/Order.h"
#include "Tasks/Pieces.h"
#include <algorithm>
#include <list>
#include <queue>

using namespace tapestry::rt;

//===----------------------------------------------------------------------===//
// Critical paths
//===----------------------------------------------------------------------===//

std::vector<int64_t> tapestry::rt::criticalPaths(const TaskGraph &graph) {
  size_t count = graph.program.shards.size();
  std::vector<int32_t> sorted;
  std::vector<size_t> waits(count);
  for (size_t i = 0; i < count; ++i) {
    waits[i] = graph.before[i].size();
    if (waits[i] == 0)
      sorted.push_back(static_cast<int32_t>(i));
  }
  for (size_t at = 0; at < sorted.size(); ++at)
    for (int32_t next : graph.after[sorted[at]])
      if (--waits[next] == 0)
        sorted.push_back(next);
  if (sorted.size() < count)
    return {};
  std::vector<int64_t> paths(count, 0);
  for (size_t at = count; at-- > 0;) {
    int32_t shard = sorted[at];
    int64_t longest = 0;
    for (int32_t next : graph.after[shard])
      longest = std::max(longest, paths[next]);
    int64_t cost =
        boundedSum(graph.program.shards[shard].flops, graph.own[shard]);
    for (int32_t buffer : graph.reads[shard])
      cost = boundedSum(cost, graph.bytes[buffer]);
    paths[shard] = boundedSum(longest, boundedSum(cost, 1));
  }
  return paths;
}

//===----------------------------------------------------------------------===//
// Orders
//===----------------------------------------------------------------------===//

namespace {
class Orderer {
public:
  Orderer(const TaskGraph &graph, const std::vector<int64_t> &paths,
          OrderKind kind, int64_t cacheBytes);
  std::vector<int32_t> run();

private:
  /// Larger is sooner.
  int64_t rank(int32_t shard) const {
    return kind == OrderKind::CriticalPath ? paths[shard]
           : kind == OrderKind::Locality   ? -paths[shard]
                                           : 0;
  }
  void release(int32_t shard);
  void activate(int32_t shard);
  void activateFront();
  int32_t next();
  int32_t bestBlocked();
  int32_t anyActive();
  void finish(int32_t shard);

  bool isAbsent(int32_t buffer) const {
    if (isResident[buffer])
      return false;
    // A view of what lies in memory is a copy away.
    return graph.isChunk(buffer) || cold[buffer - graph.numChunks] > 0;
  }
  /// At most half of what a number holds, so that one buffer more than the
  /// cache has fits into one.
  static constexpr int64_t mostBytes = INT64_MAX / 2;
  int64_t bytesOf(int32_t buffer) const {
    return std::min(graph.bytes[buffer], mostBytes);
  }
  void bring(int32_t buffer);
  void touch(int32_t buffer);
  void remove(int32_t buffer);
  void makeRoom();
  void setResident(int32_t buffer, bool resident);
  void changed(int32_t buffer, bool absent);
  void gained(int32_t buffer, int32_t by);
  void used(int32_t buffer);

  const TaskGraph &graph;
  const std::vector<int64_t> &paths;
  const OrderKind kind;
  const int64_t cacheBytes;

  enum State : char { Waiting, Parked, Active, Done };
  std::vector<State> states;
  std::vector<size_t> waits;
  /// Of active shards: how many buffers are absent, and all their numbers by
  /// exclusive or: of one it is that one.
  std::vector<int32_t> missing, missingSum;
  /// Per absent buffer: the active shards that miss nothing else.
  std::vector<int32_t> gain;
  /// Per view: parts of it that do not lie in memory, a file's included.
  std::vector<int32_t> cold;
  /// Per buffer: the shards, and of a chunk the views, that still read it.
  std::vector<int32_t> readersLeft;
  std::vector<char> isResident;
  std::list<int32_t> recent; // the latest first
  std::vector<std::list<int32_t>::iterator> places;
  int64_t bytes = 0;
  int64_t threshold = INT64_MAX; // least critical path of what is active
  int64_t slack = 0;

  using Ranked = std::pair<int64_t, int32_t>; // rank, negated number
  std::priority_queue<Ranked> runnable, active, parked;
  std::priority_queue<Ranked> blocked; // gain, negated number of buffer
};
} // namespace

Orderer::Orderer(const TaskGraph &graph, const std::vector<int64_t> &paths,
                 OrderKind kind, int64_t cacheBytes)
    : graph(graph), paths(paths), kind(kind),
      cacheBytes(std::min(cacheBytes, mostBytes)),
      states(paths.size(), Waiting), waits(paths.size()),
      missing(paths.size(), 0), missingSum(paths.size(), 0),
      gain(graph.numBuffers, 0), cold(graph.program.views.size(), 0),
      readersLeft(graph.numBuffers), isResident(graph.numBuffers, 0),
      places(graph.numBuffers) {
  for (int32_t i = 0; i < graph.numBuffers; ++i) {
    readersLeft[i] = static_cast<int32_t>(graph.readers[i].size());
    if (graph.isChunk(i)) {
      readersLeft[i] += static_cast<int32_t>(graph.partOf[i].size());
      continue;
    }
    int32_t view = graph.viewOf(i);
    cold[view] = static_cast<int32_t>(graph.parts[view].size());
    for (const TaskPiece &piece : graph.program.views[view].pieces)
      if (graph.program.chunks[piece.chunk].input >= 0) {
        ++cold[view];
        break;
      }
  }
  // Ways that differ by less than half of the most costly shard are as long.
  for (size_t i = 0; i < paths.size(); ++i) {
    int64_t longest = 0;
    for (int32_t next : graph.after[i])
      longest = std::max(longest, paths[next]);
    slack = std::max(slack, (paths[i] - longest) / 2);
  }
}

std::vector<int32_t> Orderer::run() {
  std::vector<int32_t> order;
  for (size_t i = 0; i < waits.size(); ++i) {
    waits[i] = graph.before[i].size();
    if (waits[i] == 0)
      release(static_cast<int32_t>(i));
  }
  while (order.size() < waits.size()) {
    int32_t shard = next();
    order.push_back(shard);
    finish(shard);
  }
  return order;
}

void Orderer::release(int32_t shard) {
  if (kind != OrderKind::CriticalPath || paths[shard] >= threshold) {
    activate(shard);
    return;
  }
  states[shard] = Parked;
  parked.push({paths[shard], -shard});
}

void Orderer::activate(int32_t shard) {
  states[shard] = Active;
  active.push({rank(shard), -shard});
  for (int32_t buffer : graph.reads[shard])
    if (isAbsent(buffer)) {
      ++missing[shard];
      missingSum[shard] ^= buffer;
    }
  if (missing[shard] == 0)
    runnable.push({rank(shard), -shard});
  if (missing[shard] == 1)
    gained(missingSum[shard], 1);
}

/// The shards whose ways are about as long as the longest of those that wait.
void Orderer::activateFront() {
  threshold = parked.top().first - slack;
  while (!parked.empty() && parked.top().first >= threshold) {
    int32_t shard = -parked.top().second;
    parked.pop();
    activate(shard);
  }
}

int32_t Orderer::anyActive() {
  while (!active.empty() && states[-active.top().second] != Active)
    active.pop();
  return active.empty() ? -1 : -active.top().second;
}

/// The first of the shards that wait for the buffer that most wait for.
int32_t Orderer::bestBlocked() {
  while (!blocked.empty()) {
    auto [count, negated] = blocked.top();
    int32_t buffer = -negated;
    if (count != gain[buffer] || !isAbsent(buffer)) {
      blocked.pop();
      continue;
    }
    Ranked best = {INT64_MIN, 0};
    for (int32_t shard : graph.readers[buffer])
      if (states[shard] == Active && missing[shard] == 1)
        best = std::max(best, {rank(shard), -shard});
    // A view whose part is what is absent has no readers that miss it.
    if (best.first != INT64_MIN)
      return -best.second;
    blocked.pop();
  }
  return -1;
}

int32_t Orderer::next() {
  int32_t first = anyActive();
  if (first < 0) {
    activateFront();
    first = anyActive();
  }
  if (kind == OrderKind::Number)
    return first;
  while (!runnable.empty()) {
    int32_t shard = -runnable.top().second;
    runnable.pop();
    if (states[shard] == Active && missing[shard] == 0)
      return shard;
  }
  int32_t shard = bestBlocked();
  return shard >= 0 ? shard : first;
}

void Orderer::finish(int32_t shard) {
  if (kind != OrderKind::Number) {
    // What it has comes to the front before anything has to go.
    for (int32_t buffer : graph.reads[shard])
      if (isResident[buffer])
        touch(buffer);
    for (int32_t buffer : graph.reads[shard])
      if (!isResident[buffer])
        bring(buffer);
  }
  // What one shard reads may be more than the cache.
  if (missing[shard] == 1)
    gained(missingSum[shard], -1);
  states[shard] = Done;
  if (kind != OrderKind::Number) {
    for (int32_t chunk : graph.program.shards[shard].chunks)
      if (readersLeft[chunk] > 0)
        bring(chunk);
    for (int32_t buffer : graph.reads[shard])
      used(buffer);
  }
  for (int32_t after : graph.after[shard])
    if (--waits[after] == 0)
      release(after);
}

//===----------------------------------------------------------------------===//
// What lies in memory
//===----------------------------------------------------------------------===//

/// One reader less.
void Orderer::used(int32_t buffer) {
  if (--readersLeft[buffer] > 0)
    return;
  if (isResident[buffer])
    remove(buffer);
  if (!graph.isChunk(buffer))
    for (int32_t chunk : graph.parts[graph.viewOf(buffer)])
      used(chunk);
}

void Orderer::bring(int32_t buffer) {
  recent.push_front(buffer);
  places[buffer] = recent.begin();
  bytes += bytesOf(buffer);
  setResident(buffer, true);
  makeRoom();
}

void Orderer::touch(int32_t buffer) {
  recent.splice(recent.begin(), recent, places[buffer]);
}

void Orderer::remove(int32_t buffer) {
  recent.erase(places[buffer]);
  bytes -= bytesOf(buffer);
  setResident(buffer, false);
}

void Orderer::makeRoom() {
  // One always fits.
  while (bytes > cacheBytes && recent.size() > 1)
    remove(recent.back());
}

void Orderer::setResident(int32_t buffer, bool resident) {
  bool wasAbsent = isAbsent(buffer);
  isResident[buffer] = resident;
  if (isAbsent(buffer) != wasAbsent)
    changed(buffer, !wasAbsent);
  if (!graph.isChunk(buffer))
    return;
  for (int32_t view : graph.partOf[buffer]) {
    int32_t home = graph.numChunks + view;
    wasAbsent = isAbsent(home);
    cold[view] += resident ? -1 : 1;
    if (isAbsent(home) != wasAbsent)
      changed(home, !wasAbsent);
  }
}

void Orderer::gained(int32_t buffer, int32_t by) {
  gain[buffer] += by;
  if (gain[buffer] > 0)
    blocked.push({gain[buffer], -buffer});
}

/// Tells the active shards that read a buffer whether it is absent now.
void Orderer::changed(int32_t buffer, bool absent) {
  for (int32_t shard : graph.readers[buffer]) {
    if (states[shard] != Active)
      continue;
    if (missing[shard] == 1)
      gained(missingSum[shard], -1);
    missing[shard] += absent ? 1 : -1;
    missingSum[shard] ^= buffer;
    if (missing[shard] == 1)
      gained(missingSum[shard], 1);
    if (missing[shard] == 0)
      runnable.push({rank(shard), -shard});
  }
}

std::vector<int32_t>
tapestry::rt::orderShards(const TaskGraph &graph,
                          const std::vector<int64_t> &paths, OrderKind kind,
                          int64_t cacheBytes) {
  return Orderer(graph, paths, kind, cacheBytes).run();
}

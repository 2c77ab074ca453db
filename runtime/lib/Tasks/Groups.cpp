//===- Groups.cpp - Shards that belong together ---------------------------===//

#include "Tasks/Groups.h"
#include "Tasks/Order.h"
#include "Tasks/Pieces.h"
#include <algorithm>
#include <map>

using namespace tapestry::rt;

namespace {
struct Groups {
  std::vector<int32_t> groupOf;           // per shard
  std::vector<std::vector<int32_t>> rows; // per group: each after its needs
};
} // namespace

/// Shards from the end to the start, each before those that it needs.
static std::vector<int32_t> backwards(const TaskGraph &graph) {
  std::vector<size_t> waits(graph.after.size());
  std::vector<int32_t> sorted;
  for (size_t i = waits.size(); i-- > 0;) {
    waits[i] = graph.after[i].size();
    if (waits[i] == 0)
      sorted.push_back(static_cast<int32_t>(i));
  }
  for (size_t at = 0; at < sorted.size(); ++at)
    for (int32_t before : graph.before[sorted[at]])
      if (--waits[before] == 0)
        sorted.push_back(before);
  return sorted;
}

/// What a shard reads that its group does not make, for all that is known yet.
static int64_t outsideBytes(const TaskGraph &graph, int32_t shard) {
  int64_t bytes = 0;
  for (int32_t buffer : graph.reads[shard])
    if (!graph.isChunk(buffer) || graph.readers[buffer].size() > 1)
      bytes = boundedSum(bytes, graph.bytes[buffer]);
  return bytes;
}

/// Puts the shards of a group in the order of a walk from its end, into what
/// the longest chain is behind first: what else is needed is made when it is.
static std::vector<int32_t> walk(const TaskGraph &graph,
                                 const std::vector<int32_t> &groupOf,
                                 const std::vector<int32_t> &depths,
                                 int32_t end) {
  struct Visit {
    int32_t shard;
    std::vector<int32_t> left; // the next one last
  };
  auto visit = [&](int32_t shard) {
    Visit result = {shard, {}};
    for (int32_t before : graph.before[shard])
      if (groupOf[before] == groupOf[shard])
        result.left.push_back(before);
    std::sort(result.left.begin(), result.left.end(),
              [&](int32_t a, int32_t b) {
                return depths[a] != depths[b] ? depths[a] < depths[b] : a > b;
              });
    return result;
  };
  std::vector<int32_t> row;
  std::vector<Visit> stack = {visit(end)};
  while (!stack.empty()) {
    if (stack.back().left.empty()) {
      row.push_back(stack.back().shard);
      stack.pop_back();
      continue;
    }
    int32_t next = stack.back().left.back();
    stack.back().left.pop_back();
    stack.push_back(visit(next));
  }
  return row;
}

static Groups findGroups(const TaskGraph &graph, int64_t cacheBytes) {
  Groups groups;
  groups.groupOf.assign(graph.after.size(), -1);
  std::vector<int32_t> order = backwards(graph);
  std::vector<int32_t> ends;
  std::vector<int64_t> bytes;
  for (int32_t shard : order) {
    int64_t own = outsideBytes(graph, shard);
    int32_t group = -1;
    if (graph.after[shard].size() == 1)
      group = groups.groupOf[*graph.after[shard].begin()];
    if (group < 0 || boundedSum(bytes[group], own) > cacheBytes) {
      group = static_cast<int32_t>(ends.size());
      ends.push_back(shard);
      bytes.push_back(0);
    }
    groups.groupOf[shard] = group;
    bytes[group] = boundedSum(bytes[group], own);
  }
  std::vector<int32_t> depths(order.size(), 0);
  for (size_t at = order.size(); at-- > 0;)
    for (int32_t before : graph.before[order[at]])
      if (groups.groupOf[before] == groups.groupOf[order[at]])
        depths[order[at]] = std::max(depths[order[at]], depths[before] + 1);
  for (int32_t end : ends)
    groups.rows.push_back(walk(graph, groups.groupOf, depths, end));
  return groups;
}

/// Per group: the buffers that it reads and does not make.
static Rows readsOf(const TaskGraph &graph, const Groups &groups) {
  const TaskProgram &program = graph.program;
  std::vector<int32_t> makers(graph.numChunks, -1);
  for (size_t i = 0; i < program.shards.size(); ++i)
    for (int32_t chunk : program.shards[i].chunks)
      makers[chunk] = groups.groupOf[i];
  Rows reads;
  for (size_t group = 0; group < groups.rows.size(); ++group) {
    auto isOutside = [&](const TaskPiece &piece) {
      return makers[piece.chunk] != static_cast<int32_t>(group);
    };
    for (int32_t shard : groups.rows[group])
      for (int32_t view : program.shards[shard].views) {
        const std::vector<TaskPiece> &pieces = program.views[view].pieces;
        if (std::any_of(pieces.begin(), pieces.end(), isOutside))
          reads.add(graph.home[view]);
      }
    reads.end(/*sorted=*/true);
  }
  return reads;
}

/// The program whose shards are the groups. Buffers that the same groups read,
/// such as the tiles of a row, are one view.
static TaskProgram contract(const TaskGraph &graph, const Groups &groups) {
  const TaskProgram &program = graph.program;
  TaskProgram result;
  result.chunks = program.chunks;
  result.kernels = program.kernels;
  // What shards wait for is said of them.
  for (const TaskInput &input : program.inputs)
    result.inputs.push_back({input.name, input.dtype, input.shape});
  for (size_t group = 0; group < groups.rows.size(); ++group) {
    TaskShard all = program.shards[groups.rows[group].back()];
    all.views.clear();
    all.after.clear();
    all.afterSinks.clear();
    all.flops = 0;
    for (int32_t shard : groups.rows[group]) {
      all.flops = boundedSum(all.flops, program.shards[shard].flops);
      for (int32_t before : graph.before[shard])
        if (groups.groupOf[before] != static_cast<int32_t>(group))
          all.after.push_back(groups.groupOf[before]);
    }
    result.shards.push_back(std::move(all));
  }
  Rows readers = readsOf(graph, groups).inverse(graph.numBuffers);
  std::map<std::vector<int32_t>, size_t> bundles;
  for (int32_t buffer = 0; buffer < graph.numBuffers; ++buffer) {
    Rows::Row row = readers[buffer];
    if (row.size() == 0)
      continue;
    auto [it, isNew] = bundles.emplace(
        std::vector<int32_t>(row.begin(), row.end()), result.views.size());
    if (isNew) {
      result.views.push_back({TAPESTRY_I8, {0}, {}, {}});
      for (int32_t group : row)
        result.shards[group].views.push_back(static_cast<int32_t>(it->second));
    }
    TaskView &bundle = result.views[it->second];
    bundle.shape[0] = boundedSum(bundle.shape[0], graph.bytes[buffer]);
    if (graph.isChunk(buffer))
      bundle.pieces.push_back({buffer, 0, {}, {}, {}});
    else
      for (const TaskPiece &piece : program.views[graph.viewOf(buffer)].pieces)
        bundle.pieces.push_back({piece.chunk, 0, {}, {}, {}});
  }
  return result;
}

std::vector<int32_t> tapestry::rt::orderByGroups(const TaskGraph &graph,
                                                 int64_t cacheBytes) {
  Groups groups = findGroups(graph, cacheBytes);
  if (groups.rows.size() == graph.program.shards.size())
    return {};
  TaskProgram contracted = contract(graph, groups);
  TaskGraph outside(contracted, {});
  std::vector<int32_t> order;
  for (int32_t group : orderShards(outside, criticalPaths(outside),
                                   OrderKind::Locality, cacheBytes))
    order.insert(order.end(), groups.rows[group].begin(),
                 groups.rows[group].end());
  return order;
}

//===- Worker.cpp - A thread that runs shards -----------------------------===//

#include "Tasks/Worker.h"

using namespace tapestry;
using namespace tapestry::rt;

/// What an arena of many small blocks may hold beyond what it was asked for,
/// and what no limit has to count.
static constexpr int64_t smallBlocks = int64_t(64) << 10;

Status Worker::run(int32_t number) {
  const TaskGraph &graph = executor.graph;
  shard = &graph.program.shards[number];
  program = graph.program.kernels[shard->kernel].program;
  vertex = -1;
  std::vector<const void *> inputs;
  std::vector<void *> outputs;
  for (int32_t view : shard->views)
    inputs.push_back(executor.memory[graph.home[view]]);
  int64_t scratch = graph.own[number];
  for (int32_t chunk : shard->chunks) {
    outputs.push_back(executor.memory[chunk]);
    scratch -= graph.bytes[chunk];
  }
  budget.limit = scratch == 0 ? 0 : scratch + smallBlocks;
  failure = Status::success();
  bool ended = call(*program, inputs.data(), outputs.data());
  // What it has been promised is given back.
  arena.release();
  return ended ? Status::success() : failure;
}

bool Worker::runCollective(int64_t index, const void *, void *) {
  fail(Status::failure(ExitRankFailed,
                       format("shard '%s' asks for collective %lld: it runs "
                              "alone",
                              shard->name.c_str(),
                              static_cast<long long>(index))));
  return false;
}

void Worker::endOutside(int64_t index, int64_t first, int64_t value) {
  fail(outsideFailure(*program, index, first, value));
}

const char *Worker::vertexName() const {
  bool isKnown = vertex >= 0 && vertex < program->num_vertices;
  return isKnown ? program->vertices[vertex].name : shard->vertex.c_str();
}

Status Worker::allocate(int32_t space, uint64_t bytes, uint64_t alignment,
                        void *&memory) {
  if (Status status = checkSpace(space); status.failed())
    return status;
  memory = arena.allocate(bytes, alignment);
  if (memory)
    return Status::success();
  Status status = arena.exhausted(bytes);
  return Status::failure(
      status.exitStatus(),
      format("shard '%s': %s", shard->name.c_str(), status.message().c_str()));
}

//===- StepGraph.cpp - What each step waits for ---------------------------===//

#include "Tasks/StepGraph.h"
#include <algorithm>

using namespace tapestry::rt;

namespace {
/// Goes through the steps in their order and notes who uses what.
class Builder {
public:
  Builder(const TaskGraph &graph, const TaskSchedule &schedule,
          StepGraph &result)
      : graph(graph), program(graph.program), schedule(schedule),
        result(result), maker(graph.numBuffers, none), users(graph.numBuffers),
        dropped(graph.numBuffers, none), spilled(graph.numChunks, none),
        fileUsers(graph.numChunks), ran(program.shards.size(), none),
        filled(program.sinks.size(), none), writes(program.sinks.size()),
        handedOut(program.sinks.size(), none),
        takenIn(program.inputs.size(), none) {}

  void build();

private:
  static constexpr int32_t none = -1;

  void add(const TaskStep &step);
  void assemble(int32_t view);
  void run(int32_t shard);
  void write(const TaskStep &step);
  void handOut(int32_t sink);
  void drop(int32_t buffer);
  void make(int32_t buffer);
  /// The step at hand waits for that one.
  void wait(int32_t before) {
    if (before != none)
      edges.emplace_back(before, now);
  }
  /// It waits for what `follower` is after.
  template <typename Follower> void waitAfter(const Follower &follower) {
    for (int32_t shard : follower.after)
      wait(ran[shard]);
    for (int32_t sink : follower.afterSinks)
      wait(handedOut[sink]);
  }
  void use(int32_t buffer) {
    wait(maker[buffer]);
    users[buffer].push_back(now);
  }
  void useFile(int32_t chunk) {
    wait(spilled[chunk]);
    fileUsers[chunk].push_back(now);
  }

  const TaskGraph &graph;
  const TaskProgram &program;
  const TaskSchedule &schedule;
  StepGraph &result;
  int32_t now = 0;
  std::vector<std::pair<int32_t, int32_t>> edges;
  /// Per buffer: the step that brought it to memory, none: it is not there; and
  /// those that use it there.
  std::vector<int32_t> maker;
  std::vector<std::vector<int32_t>> users;
  std::vector<int32_t> dropped, spilled; // the last steps that did
  std::vector<std::vector<int32_t>> fileUsers;
  std::vector<int32_t> ran, filled;
  /// Per sink the steps that write it, and that hands it out; per input the one
  /// that takes it in.
  std::vector<std::vector<int32_t>> writes;
  std::vector<int32_t> handedOut, takenIn;
};
} // namespace

void Builder::make(int32_t buffer) {
  wait(dropped[buffer]);
  maker[buffer] = now;
}

void Builder::drop(int32_t buffer) {
  wait(maker[buffer]);
  for (int32_t user : users[buffer])
    wait(user);
  users[buffer].clear();
  maker[buffer] = none;
  dropped[buffer] = now;
  result.gives[now] = graph.bytes[buffer];
}

void Builder::assemble(int32_t number) {
  int32_t buffer = graph.numChunks + number;
  bool readsFile = false;
  for (const TaskPiece &piece : program.views[number].pieces) {
    int32_t input = program.chunks[piece.chunk].input;
    bool inMemory = input < 0 && maker[piece.chunk] != none;
    if (inMemory)
      use(piece.chunk);
    else if (input < 0)
      useFile(piece.chunk);
    else
      wait(takenIn[input]);
    readsFile |= !inMemory;
    result.inMemory.push_back(inMemory);
  }
  make(buffer);
  result.takes[now] = graph.bytes[buffer];
  result.places[now] = readsFile ? StepPlace::File : StepPlace::Worker;
}

void Builder::run(int32_t number) {
  const TaskShard &shard = program.shards[number];
  for (int32_t buffer : graph.reads[number])
    use(buffer);
  waitAfter(shard);
  int64_t scratch = graph.own[number];
  for (int32_t chunk : shard.chunks) {
    make(chunk);
    scratch -= graph.bytes[chunk];
  }
  result.takes[now] = graph.own[number];
  result.gives[now] = scratch;
  ran[number] = now;
}

void Builder::write(const TaskStep &step) {
  result.places[now] = StepPlace::File;
  writes[step.index].push_back(now);
  if (step.piece < 0) {
    filled[step.index] = now;
    return;
  }
  wait(filled[step.index]);
  const TaskView &view = program.views[program.sinks[step.index].view];
  int32_t chunk = view.pieces[step.piece].chunk;
  if (int32_t input = program.chunks[chunk].input; input >= 0)
    wait(takenIn[input]);
  else
    use(chunk);
}

/// Of a sink that is not wanted nothing is written, but it has its place.
void Builder::handOut(int32_t sink) {
  result.places[now] = StepPlace::File;
  for (int32_t step : writes[sink])
    wait(step);
  for (const TaskPiece &piece : program.views[program.sinks[sink].view].pieces)
    if (int32_t input = program.chunks[piece.chunk].input; input >= 0)
      waitAfter(program.inputs[input]);
    else
      wait(ran[graph.producers[piece.chunk]]);
  waitAfter(program.sinks[sink]);
  handedOut[sink] = now;
}

void Builder::add(const TaskStep &step) {
  switch (step.kind) {
  case TaskStep::Assemble:
    return assemble(step.index);
  case TaskStep::Load:
    useFile(step.index);
    make(step.index);
    result.takes[now] = graph.bytes[step.index];
    result.places[now] = StepPlace::File;
    return;
  case TaskStep::Run:
    return run(step.index);
  case TaskStep::Write:
    return write(step);
  case TaskStep::Spill:
    use(step.index);
    spilled[step.index] = now;
    result.places[now] = StepPlace::File;
    return;
  case TaskStep::DropView:
    result.places[now] = StepPlace::Nobody;
    return drop(graph.numChunks + step.index);
  case TaskStep::DropChunk:
    result.places[now] = StepPlace::Nobody;
    return drop(step.index);
  case TaskStep::HandOut:
    return handOut(step.index);
  case TaskStep::TakeIn:
    result.places[now] = StepPlace::File;
    waitAfter(program.inputs[step.index]);
    takenIn[step.index] = now;
    return;
  case TaskStep::Forget:
    result.places[now] = StepPlace::File;
    wait(spilled[step.index]);
    for (int32_t user : fileUsers[step.index])
      wait(user);
    return;
  }
}

void Builder::build() {
  size_t count = schedule.steps.size();
  result.waits.assign(count, 0);
  result.places.assign(count, StepPlace::Worker);
  result.takes.assign(count, 0);
  result.gives.assign(count, 0);
  for (const TaskStep &step : schedule.steps) {
    result.firstPiece.push_back(result.inMemory.size());
    add(step);
    ++now;
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  size_t at = 0;
  for (size_t step = 0; step < count; ++step) {
    for (; at < edges.size() && edges[at].first == static_cast<int32_t>(step);
         ++at) {
      result.next.add(edges[at].second);
      ++result.waits[edges[at].second];
    }
    result.next.end();
  }
}

StepGraph::StepGraph(const TaskGraph &graph, const TaskSchedule &schedule) {
  Builder(graph, schedule, *this).build();
}

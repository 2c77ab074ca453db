//===- Executor.cpp - Runs steps as soon as they can run ------------------===//

#include "Tasks/Executor.h"
#include "Core/Machine.h"
#include "Core/Types.h"
#include "Run/Results.h"
#include "Run/Threads.h"
#include "Tasks/Pieces.h"
#include "Tasks/Worker.h"
#include <algorithm>
#include <cstring>
#include <map>

using namespace tapestry;
using namespace tapestry::rt;

/// Two wait for files at a time, so that one may read while another writes.
static int fileThreads(const StepGraph &steps, int workers) {
  bool any = std::find(steps.places.begin(), steps.places.end(),
                       StepPlace::File) != steps.places.end();
  return any ? 2 + workers / 8 : 0;
}

Executor::Executor(const TaskGraph &graph, const TaskSchedule &schedule,
                   Job &job, SpillFile *spill, int workers)
    : graph(graph), schedule(schedule), job(job),
      vertexTime(job.program.num_vertices, 0),
      numbers(graph.program.sinks.size()),
      isHandedOut(graph.program.sinks.size(), 0), steps(graph, schedule),
      spill(spill), numWorkers(workers),
      numFileThreads(fileThreads(steps, workers)), budget(INT64_MAX),
      arena(budget, &held), memory(graph.numBuffers, nullptr),
      places(graph.numChunks, -1) {
  spans.resize(threads());
  for (size_t i = 0; i < schedule.steps.size(); ++i) {
    TaskStep::Kind kind = schedule.steps[i].kind;
    if (kind == TaskStep::Run || kind == TaskStep::Load ||
        kind == TaskStep::Assemble)
      takers.push_back(static_cast<int32_t>(i));
  }
  std::map<std::string, int32_t> vertices;
  for (int32_t i = 0; i < job.program.num_vertices; ++i)
    vertices.emplace(job.program.vertices[i].name, i);
  for (const TaskShard &shard : graph.program.shards)
    vertexOf.push_back(vertices.at(shard.vertex));
}

Executor::~Executor() = default;

//===----------------------------------------------------------------------===//
// Steps that are ready
//===----------------------------------------------------------------------===//

/// The step has what it needs. The mutex is held.
void Executor::makeReady(int32_t step) {
  if (steps.places[step] == StepPlace::Worker) {
    readyWorker.push(step);
    forWorkers.notify_one();
  } else {
    readyFile.push(step);
    forFiles.notify_one();
  }
}

/// One thing less that a step waits for. The mutex is held.
void Executor::waitFree(int32_t step, std::vector<int32_t> &left) {
  if (--waits[step] > 0)
    return;
  if (steps.places[step] == StepPlace::Nobody)
    left.push_back(step);
  else
    makeReady(step);
}

/// Promises memory to the next steps that take some, in their order: what the
/// first of them waits for, only steps before it give back. The mutex is held.
void Executor::admit() {
  std::vector<int32_t> left;
  for (; nextTaker < takers.size(); ++nextTaker) {
    int32_t step = takers[nextTaker];
    if (used + steps.takes[step] > schedule.peakBytes)
      break;
    used += steps.takes[step];
    waitFree(step, left);
  }
}

void Executor::drop(const TaskStep &step) {
  int32_t buffer = step.kind == TaskStep::DropView
                       ? graph.numChunks + step.index
                       : step.index;
  Arena::free(memory[buffer]);
  memory[buffer] = nullptr;
}

void Executor::done(int32_t step) {
  std::lock_guard<std::mutex> lock(mutex);
  std::vector<int32_t> left = {step};
  while (!left.empty()) {
    int32_t ended = left.back();
    left.pop_back();
    if (steps.places[ended] == StepPlace::Nobody)
      drop(schedule.steps[ended]);
    used -= steps.gives[ended];
    --stepsLeft;
    for (int32_t next : steps.next[ended])
      waitFree(next, left);
  }
  admit();
  if (stepsLeft == 0) {
    forWorkers.notify_all();
    forFiles.notify_all();
  }
}

/// Waits for a step; false where there is none left, or all are to stop.
bool Executor::takeStep(LocalHub &hub, bool isWorker, int32_t &step) {
  std::unique_lock<std::mutex> lock(mutex);
  First &ready = isWorker ? readyWorker : readyFile;
  (isWorker ? forWorkers : forFiles).wait(lock, [&] {
    return !ready.empty() || stepsLeft == 0 || hub.aborted();
  });
  if (ready.empty() || hub.aborted())
    return false;
  step = ready.top();
  ready.pop();
  return true;
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

/// All as before the first step.
void Executor::prepare() {
  for (std::atomic<int64_t> *count :
       {&counts.spilledBytes, &counts.reloadedBytes, &counts.inputBytes,
        &counts.copiedBytes})
    *count = 0;
  held.restart();
  std::lock_guard<std::mutex> lock(mutex);
  waits = steps.waits;
  for (int32_t taker : takers)
    ++waits[taker];
  nextTaker = 0;
  used = 0;
  stepsLeft = schedule.steps.size();
  for (size_t i = 0; i < waits.size(); ++i)
    if (waits[i] == 0)
      makeReady(static_cast<int32_t>(i));
  admit();
}

Status Executor::run(int64_t number) {
  if (zero == 0)
    zero = nowNanoseconds();
  runNumber = number;
  job.progress.note(number, "running");
  prepare();
  ThreadOptions options;
  options.prefix = job.failure(ExitEnvironment, "").message();
  options.tick = [&] { job.progress.tick(nowNanoseconds()); };
  if (job.options.ownsProcess)
    options.giveUp = [&](const std::string &message) {
      printMessage(job, message);
    };
  return runThreads(
      threads(), [&](LocalHub &hub, int thread) { work(hub, thread); },
      options);
}

void Executor::work(LocalHub &hub, int thread) {
  {
    Worker worker(*this);
    int32_t step = 0;
    while (takeStep(hub, thread < numWorkers, step)) {
      int64_t begin = nowNanoseconds();
      Status status = perform(hub, worker, step);
      int64_t end = nowNanoseconds();
      note(thread, step, begin, end);
      if (!status.failed()) {
        done(step);
        continue;
      }
      job.progress.clear();
      hub.abort(status.exitStatus(), printableLines(status.message()).c_str());
      std::lock_guard<std::mutex> lock(mutex);
      forWorkers.notify_all();
      forFiles.notify_all();
    }
  }
  hub.leave();
}

void Executor::note(int thread, int32_t step, int64_t begin, int64_t end) {
  std::lock_guard<std::mutex> lock(mutex);
  if (schedule.steps[step].kind == TaskStep::Run)
    vertexTime[vertexOf[schedule.steps[step].index]] += end - begin;
  if (job.options.tracePath.empty())
    return;
  if (spans[thread].size() < maxTraceSpans)
    spans[thread].push_back({step, begin - zero, end - zero});
  else
    ++droppedSpans;
}

Status Executor::strike(LocalHub &hub, const TaskStep &step) {
  bool isWrite = step.kind == TaskStep::Write;
  if ((!isWrite && step.kind != TaskStep::Run) ||
      job.fault.mode == Fault::Mode::None ||
      job.fault.collective != (isWrite ? Fault::atWrite : step.index))
    return Status::success();
  return job.fault.strike(
      isWrite ? "writing" : "shard " + graph.program.shards[step.index].name,
      /*isProcess=*/false, [&] { return hub.aborted(); });
}

Status Executor::perform(LocalHub &hub, Worker &worker, int32_t number) {
  const TaskStep &step = schedule.steps[number];
  Status status = strike(hub, step);
  if (status.failed())
    return status;
  switch (step.kind) {
  case TaskStep::Assemble:
    return assemble(number, step.index);
  case TaskStep::Load:
    return load(step.index);
  case TaskStep::Run:
    for (int32_t chunk : graph.program.shards[step.index].chunks)
      if (status = allocate(chunk); status.failed())
        return status;
    job.progress.note(runNumber,
                      graph.program.shards[step.index].vertex.c_str());
    return worker.run(step.index);
  case TaskStep::Write:
    return step.piece < 0 ? writeFill(step.index)
                          : write(step.index, step.piece);
  case TaskStep::Spill:
    return spillChunk(step.index);
  case TaskStep::Forget:
    spill->forget(places[step.index], graph.bytes[step.index]);
    return status;
  case TaskStep::HandOut:
    return handOut(step.index);
  case TaskStep::TakeIn:
    return takeIn(step.index);
  case TaskStep::DropView:
  case TaskStep::DropChunk:
    break;
  }
  return status;
}

Status Executor::allocate(int32_t buffer) {
  int64_t bytes = graph.bytes[buffer];
  memory[buffer] = arena.allocate(
      bytes, bytes < directFrom ? Arena::minAlignment : directStep);
  return memory[buffer] ? Status::success() : arena.exhausted(bytes);
}

//===----------------------------------------------------------------------===//
// Chunks and views
//===----------------------------------------------------------------------===//

Status Executor::assemble(int32_t step, int32_t number) {
  const TaskView &view = graph.program.views[number];
  int32_t buffer = graph.numChunks + number;
  Status status = allocate(buffer);
  if (status.failed())
    return status;
  if (!view.fill.empty())
    fillElements(memory[buffer], volume(view.shape), view.fill);
  for (size_t i = 0; i < view.pieces.size() && !status.failed(); ++i) {
    const TaskPiece &piece = view.pieces[i];
    if (steps.inMemory[steps.firstPiece[step] + i]) {
      copyFromChunk(view, piece, memory[piece.chunk], memory[buffer]);
      counts.copiedBytes += volume(piece.sizes) * dtypeSize(view.dtype);
    } else {
      status = readPiece(view, piece, memory[buffer]);
    }
  }
  return status;
}

/// A box of a chunk in a file, row-major.
Status Executor::readStored(const TaskPiece &piece, BoxRef box, void *target) {
  const TaskChunk &chunk = graph.program.chunks[piece.chunk];
  int64_t size = dtypeSize(chunk.dtype);
  int64_t bytes = volume(box) * size;
  int64_t begin = nowNanoseconds();
  Status status;
  if (chunk.input >= 0) {
    counts.inputBytes += bytes;
    status = job.inputs[chunk.input]->read(box, target);
  } else {
    counts.reloadedBytes += bytes;
    status = spill->readBox(places[piece.chunk], wholeBox(chunk.shape), box,
                            size, target);
  }
  counts.readTime += nowNanoseconds() - begin;
  return status;
}

/// Puts a piece whose chunk lies in a file into the memory of its view.
Status Executor::readPiece(const TaskView &view, const TaskPiece &piece,
                           void *target) {
  int64_t size = dtypeSize(view.dtype);
  std::vector<int64_t> strides = rowMajorStrides(view.shape);
  Box whole = wholeBox(view.shape);
  Box place;
  for (size_t dim = 0; dim < piece.lo.size(); ++dim)
    place.push_back({piece.lo[dim], piece.lo[dim] + piece.sizes[dim]});
  // Straight into its place where that has no gaps.
  bool isPlain = isContiguousIn(whole, place);
  std::vector<char> staging;
  Status status;
  forEachRead(
      piece, graph.program.chunks[piece.chunk].shape, size,
      /*mayBeLarge=*/isPlain, [&](const PieceRead &read) {
        int64_t offset = 0;
        for (size_t dim = 0; dim < strides.size(); ++dim)
          offset += (piece.lo[dim] + read.first[dim]) * strides[dim];
        char *to = static_cast<char *>(target) + offset * size;
        bool isStraight = read.isDense && isPlain && read.sizes == piece.sizes;
        if (!isStraight)
          staging.resize(read.boxElements() * size);
        status = readStored(piece, read.box, isStraight ? to : staging.data());
        if (status.failed() || isStraight)
          return !status.failed();
        copyStrided(to, staging.data() + read.offset * size,
                    {read.sizes, strides, read.strides, size});
        return true;
      });
  return status;
}

Status Executor::load(int32_t chunk) {
  Status status = allocate(chunk);
  if (status.failed())
    return status;
  int64_t begin = nowNanoseconds();
  status = spill->read(places[chunk], memory[chunk], graph.bytes[chunk]);
  counts.readTime += nowNanoseconds() - begin;
  counts.reloadedBytes += graph.bytes[chunk];
  return status;
}

Status Executor::spillChunk(int32_t chunk) {
  int64_t bytes = graph.bytes[chunk];
  if (places[chunk] < 0)
    places[chunk] = fileEnd.fetch_add(spilledBytes(bytes));
  int64_t begin = nowNanoseconds();
  Status status = spill->write(places[chunk], memory[chunk], bytes);
  counts.writeTime += nowNanoseconds() - begin;
  counts.spilledBytes += bytes;
  return status;
}

//===----------------------------------------------------------------------===//
// Sinks
//===----------------------------------------------------------------------===//

Status Executor::writePart(int32_t sink, BoxRef box, const void *source) {
  if (!job.outputs[sink]) {
    // A number that is shown.
    const auto *bytes = static_cast<const char *>(source);
    numbers[sink].assign(bytes,
                         bytes + dtypeSize(graph.program.sinks[sink].dtype));
    return Status::success();
  }
  int64_t begin = nowNanoseconds();
  Status status = job.outputs[sink]->write(box, source);
  // So that closing waits for little; of many pieces together, whose rows may
  // lie side by side by then.
  constexpr int64_t together = int64_t(64) << 20;
  int64_t bytes = volume(box) * dtypeSize(graph.program.sinks[sink].dtype);
  if ((unsynced += bytes) >= together) {
    unsynced = 0;
    job.outputs[sink]->startSync();
  }
  counts.writeTime += nowNanoseconds() - begin;
  return status;
}

/// Whether the elements of a piece lie in a row in its chunk.
static bool isContiguous(const TaskPiece &piece) {
  std::vector<int64_t> dense = rowMajorStrides(piece.sizes);
  for (size_t dim = 0; dim < dense.size(); ++dim)
    if (piece.sizes[dim] > 1 && piece.strides[dim] != dense[dim])
      return false;
  return true;
}

/// The box of a part of a piece in its view.
static Box placeOf(const TaskPiece &piece, const std::vector<int64_t> &first,
                   const std::vector<int64_t> &sizes) {
  Box box;
  for (size_t dim = 0; dim < sizes.size(); ++dim) {
    int64_t lo = piece.lo[dim] + first[dim];
    box.push_back({lo, lo + sizes[dim]});
  }
  return box;
}

Status Executor::write(int32_t sink, int32_t number) {
  const TaskView &view = graph.program.views[graph.program.sinks[sink].view];
  const TaskPiece &piece = view.pieces[number];
  const TaskChunk &chunk = graph.program.chunks[piece.chunk];
  bool inMemory = chunk.input < 0;
  int64_t size = dtypeSize(view.dtype);
  const auto *from = static_cast<const char *>(memory[piece.chunk]);
  std::vector<int64_t> all(piece.sizes.size(), 0);
  if (inMemory && isContiguous(piece))
    return writePart(sink, placeOf(piece, all, piece.sizes),
                     from + piece.offset * size);
  std::vector<char> staging;
  Status status;
  forEachRead(piece, chunk.shape, size, /*mayBeLarge=*/false,
              [&](const PieceRead &read) {
                const char *source = from;
                std::vector<int64_t> strides = piece.strides;
                int64_t offset = piece.offset;
                for (size_t dim = 0; dim < strides.size(); ++dim)
                  offset += read.first[dim] * strides[dim];
                if (!inMemory) {
                  staging.resize(read.boxElements() * size);
                  status = readStored(piece, read.box, staging.data());
                  source = staging.data();
                  strides = read.strides;
                  offset = read.offset;
                }
                if (!status.failed())
                  status =
                      writeTurned(sink, placeOf(piece, read.first, read.sizes),
                                  source + offset * size, strides);
                return !status.failed();
              });
  return status;
}

/// Writes a box whose first element lies at `source`; those of one point may be
/// those of others, too.
Status Executor::writeTurned(int32_t sink, const Box &box, const char *source,
                             const std::vector<int64_t> &strides) {
  int64_t size = dtypeSize(graph.program.sinks[sink].dtype);
  std::vector<char> turned;
  Status status;
  forEachPart(box, size, [&](const Box &part) {
    int64_t offset = 0;
    std::vector<int64_t> sizes;
    for (size_t dim = 0; dim < part.size(); ++dim) {
      offset += (part[dim].lo - box[dim].lo) * strides[dim];
      sizes.push_back(extent(part[dim]));
    }
    turned.resize(volume(sizes) * size);
    copyStrided(turned.data(), source + offset * size,
                {sizes, rowMajorStrides(sizes), strides, size});
    status = writePart(sink, part, turned.data());
    return !status.failed();
  });
  return status;
}

/// The element that stands between the pieces goes everywhere, and the pieces
/// over it.
Status Executor::writeFill(int32_t sink) {
  const TaskView &view = graph.program.views[graph.program.sinks[sink].view];
  int64_t size = dtypeSize(view.dtype);
  std::vector<char> staging;
  Status status;
  forEachPart(wholeBox(view.shape), size, [&](const Box &part) {
    int64_t elements = volume(BoxRef(part));
    staging.resize(elements * size);
    fillElements(staging.data(), elements, view.fill);
    status = writePart(sink, part, staging.data());
    return !status.failed();
  });
  return status;
}

/// Runs before the last leave what the last will write, but for what they read.
Status Executor::handOut(int32_t sink) {
  bool isLast = runNumber + 1 == job.options.repeat;
  OutputFile *file = job.outputs[sink].get();
  if (!file || (!isLast && !job.isReadBack(sink)))
    return Status::success();
  int64_t begin = nowNanoseconds();
  Status status = file->close();
  if (!status.failed())
    status = file->commit();
  if (!status.failed() && !isLast) {
    file->nameAside(uniqueId() + sink);
    status = file->create();
  }
  isHandedOut[sink] = isLast;
  counts.writeTime += nowNanoseconds() - begin;
  return status;
}

Status Executor::takeIn(int32_t input) {
  job.inputs[input] = std::make_unique<InputFile>();
  return job.openInput(input, *job.inputs[input]);
}

//===----------------------------------------------------------------------===//
// The contract
//===----------------------------------------------------------------------===//

Status Executor::checkCounts() const {
  struct Line {
    const char *what;
    int64_t predicted, counted;
  };
  for (const Line &line :
       {Line{"spilled", schedule.spilledBytes, counts.spilledBytes},
        Line{"read from what was spilled", schedule.reloadedBytes,
             counts.reloadedBytes},
        Line{"read from inputs", schedule.inputBytes, counts.inputBytes},
        Line{"copied", schedule.copiedBytes, counts.copiedBytes}})
    if (line.predicted != line.counted)
      return Status::failure(ExitRankFailed,
                             format("internal error: %lld bytes to be %s were "
                                    "predicted, %lld counted",
                                    static_cast<long long>(line.predicted),
                                    line.what,
                                    static_cast<long long>(line.counted)));
  if (held.peakBytes() > schedule.peakBytes)
    return Status::failure(
        ExitRankFailed,
        format("internal error: %lld bytes of memory were predicted, %lld used",
               static_cast<long long>(schedule.peakBytes),
               static_cast<long long>(held.peakBytes())));
  return Status::success();
}

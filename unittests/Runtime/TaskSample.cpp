//===- TaskSample.cpp - Task programs made by hand ------------------------===//

#include "TaskSample.h"
#include "Core/Types.h"
#include "Tasks/Graph.h"
#include "Tasks/Pieces.h"
#include "Testing.h"
#include <algorithm>
#include <cstring>
#include <numeric>

using namespace tapestry::rt;
using namespace tapestry::rt::testing;

using Numbers = std::vector<int64_t>;

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Entries have no context, so that each has a slot of its own.
static constexpr size_t numSlots = 128;
static TaskSample::Body slots[numSlots];

template <size_t slot>
static void runSlot(TapestryRank *rank, const void *const *inputs,
                    void *const *outputs) {
  slots[slot](rank, inputs, outputs);
}

using Entry = void (*)(TapestryRank *, const void *const *, void *const *);

template <size_t... slot>
static Entry entryOf(size_t wanted, std::index_sequence<slot...>) {
  static const Entry entries[] = {runSlot<slot>...};
  return entries[wanted];
}

static size_t bytesOf(int32_t dtype, const Numbers &shape) {
  return static_cast<size_t>(tensorBytes(dtype, shape));
}

/// Byte b of output o: a sum over the inputs, so that every input matters.
static void mix(const std::vector<std::pair<const char *, size_t>> &inputs,
                std::vector<std::pair<char *, size_t>> outputs, size_t seed) {
  for (size_t o = 0; o < outputs.size(); ++o)
    for (size_t b = 0; b < outputs[o].second; ++b) {
      size_t sum = seed * 31 + o * 17 + b * 7;
      for (size_t i = 0; i < inputs.size(); ++i)
        if (inputs[i].second > 0)
          sum += (i * 2 + 1) *
                 static_cast<unsigned char>(
                     inputs[i].first[(b * (o + 1)) % inputs[i].second]);
      outputs[o].first[b] = static_cast<char>(sum);
    }
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

int32_t TaskSample::addInput(const std::string &name, int32_t dtype,
                             const Numbers &shape) {
  program.inputs.push_back({name, dtype, shape});
  program.chunks.push_back(
      {name, dtype, shape, static_cast<int32_t>(program.inputs.size()) - 1});
  return static_cast<int32_t>(program.chunks.size()) - 1;
}

int32_t TaskSample::addChunk(int32_t dtype, const Numbers &shape) {
  program.chunks.push_back(
      {"T." + std::to_string(program.chunks.size()), dtype, shape, -1});
  return static_cast<int32_t>(program.chunks.size()) - 1;
}

int32_t TaskSample::addWhole(int32_t chunk) {
  const TaskChunk &of = program.chunks[chunk];
  program.views.push_back({of.dtype,
                           of.shape,
                           {{chunk, 0, rowMajorStrides(of.shape), of.shape,
                             Numbers(of.shape.size(), 0)}},
                           {}});
  return static_cast<int32_t>(program.views.size()) - 1;
}

int32_t TaskSample::addShard(const std::vector<int32_t> &views,
                             const std::vector<int32_t> &chunks,
                             int64_t scratch) {
  auto number = static_cast<int32_t>(program.shards.size());
  kernels.push_back(std::make_unique<TestProgram>(1));
  TestProgram &kernel = *kernels.back();
  std::vector<size_t> sizes, made;
  for (int32_t view : views) {
    const TaskView &of = program.views[view];
    kernel.input("x" + std::to_string(sizes.size()), of.dtype, of.shape,
                 {boxOfShape(of.shape)});
    sizes.push_back(::bytesOf(of.dtype, of.shape));
  }
  for (int32_t chunk : chunks) {
    const TaskChunk &of = program.chunks[chunk];
    kernel.output("y" + std::to_string(made.size()), of.dtype, of.shape,
                  {boxOfShape(of.shape)}, {1});
    made.push_back(::bytesOf(of.dtype, of.shape));
  }
  program.kernels.push_back({nullptr, scratch});
  program.shards.push_back({"S." + std::to_string(number),
                            "V" + std::to_string(number % 3),
                            number,
                            views,
                            chunks,
                            1,
                            {}});
  setBody(number, [=](TapestryRank *rank, const void *const *inputs,
                      void *const *outputs) {
    void *own = nullptr;
    if (scratch > 0) {
      own = tapestry_rt_allocate(rank, TAPESTRY_HOST, 64, scratch);
      std::memset(own, number, scratch);
    }
    std::vector<std::pair<const char *, size_t>> in;
    std::vector<std::pair<char *, size_t>> out;
    for (size_t i = 0; i < sizes.size(); ++i)
      in.emplace_back(static_cast<const char *>(inputs[i]), sizes[i]);
    for (size_t i = 0; i < made.size(); ++i)
      out.emplace_back(static_cast<char *>(outputs[i]), made[i]);
    mix(in, out, number);
    if (own)
      tapestry_rt_free(rank, TAPESTRY_HOST, own);
  });
  return number;
}

void TaskSample::setBody(int32_t shard, Body body) {
  if (static_cast<size_t>(shard) >= numSlots)
    return; // only scheduled
  slots[shard] = std::move(body);
  TapestryProgram &table = kernels[shard]->table();
  table.entry = entryOf(shard, std::make_index_sequence<numSlots>());
  program.kernels[shard].program = &table;
}

TapestryProgram &TaskSample::kernel(int32_t shard) {
  return const_cast<TapestryProgram &>(*program.kernels[shard].program);
}

void TaskSample::addSink(const std::string &name, int32_t view) {
  const TaskView &of = program.views[view];
  program.sinks.push_back({name, of.dtype, of.shape, view});
}

//===----------------------------------------------------------------------===//
// The plain way
//===----------------------------------------------------------------------===//

static std::string valueOf(const TaskView &view,
                           const std::vector<std::string> &chunks) {
  size_t size = static_cast<size_t>(dtypeSize(view.dtype));
  std::string value(::bytesOf(view.dtype, view.shape), '\0');
  for (size_t at = 0; !view.fill.empty() && at < value.size(); at += size)
    std::memcpy(value.data() + at, view.fill.data(), size);
  for (const TaskPiece &piece : view.pieces) {
    Numbers strides = rowMajorStrides(view.shape);
    forEachPoint(piece.sizes, boxOfShape(piece.sizes), [&](int64_t number) {
      int64_t from = piece.offset;
      int64_t to = 0;
      for (size_t dim = piece.sizes.size(); dim-- > 0;) {
        int64_t x = number % piece.sizes[dim];
        number /= piece.sizes[dim];
        from += x * piece.strides[dim];
        to += (piece.lo[dim] + x) * strides[dim];
      }
      std::memcpy(value.data() + to * size,
                  chunks[piece.chunk].data() + from * size, size);
    });
  }
  return value;
}

TaskSample::Values
TaskSample::evaluate(const std::vector<std::string> &inputs) const {
  Values values;
  values.chunks.resize(program.chunks.size());
  for (size_t i = 0; i < program.chunks.size(); ++i)
    if (program.chunks[i].input >= 0)
      values.chunks[i] = inputs[program.chunks[i].input];
  // Shards come after what they read.
  for (size_t number = 0; number < program.shards.size(); ++number) {
    const TaskShard &shard = program.shards[number];
    std::vector<std::string> views;
    for (int32_t view : shard.views)
      views.push_back(valueOf(program.views[view], values.chunks));
    std::vector<std::pair<const char *, size_t>> in;
    std::vector<std::pair<char *, size_t>> out;
    for (const std::string &view : views)
      in.emplace_back(view.data(), view.size());
    for (int32_t chunk : shard.chunks) {
      const TaskChunk &of = program.chunks[chunk];
      values.chunks[chunk].resize(::bytesOf(of.dtype, of.shape));
      out.emplace_back(values.chunks[chunk].data(),
                       values.chunks[chunk].size());
    }
    mix(in, out, number);
  }
  for (const TaskSink &sink : program.sinks)
    values.sinks.push_back(valueOf(program.views[sink.view], values.chunks));
  return values;
}

//===----------------------------------------------------------------------===//
// Random programs
//===----------------------------------------------------------------------===//

static int64_t below(int64_t limit, std::mt19937 &random) {
  return std::uniform_int_distribution<int64_t>(0, limit - 1)(random);
}

static Numbers randomShape(std::mt19937 &random) {
  Numbers shape(below(4, random));
  for (int64_t &size : shape)
    size = 1 + below(shape.size() > 2 ? 9 : 40, random);
  if (!shape.empty() && below(30, random) == 0)
    shape[0] = 0;
  // Now and then pages.
  if (shape.size() == 2 && below(4, random) == 0)
    shape = {300 + below(20, random), 300 + below(20, random)};
  return shape;
}

TaskPiece tapestry::rt::testing::randomPiece(int32_t chunk,
                                             const Numbers &shape,
                                             const Numbers &sizes,
                                             std::mt19937 &random) {
  TaskPiece piece = {chunk, 0, Numbers(sizes.size(), 0), sizes,
                     Numbers(sizes.size(), 0)};
  if (volume(sizes) == 0 || volume(shape) == 0)
    return piece;
  Numbers strides = rowMajorStrides(shape);
  if (!sizes.empty() && below(8, random) == 0) {
    // Elements in a row, wherever the chunk's rows end.
    size_t last = sizes.size() - 1;
    int64_t step = 1 + below(3, random);
    int64_t reach = (sizes[last] - 1) * step;
    if (reach < volume(shape)) {
      piece.offset = below(volume(shape) - reach, random);
      piece.strides[last] = step;
      return piece;
    }
  }
  // Each dimension goes along one of the chunk, if that is long enough.
  std::vector<size_t> order(shape.size());
  std::iota(order.begin(), order.end(), 0);
  if (below(2, random) == 0)
    std::shuffle(order.begin(), order.end(), random);
  std::vector<bool> taken(shape.size(), false);
  for (size_t dim = 0; dim < sizes.size(); ++dim)
    for (size_t d : order) {
      if (taken[d] || shape[d] < sizes[dim])
        continue;
      taken[d] = true;
      int64_t most = sizes[dim] == 1 ? 1 : (shape[d] - 1) / (sizes[dim] - 1);
      int64_t step = below(2, random) ? 1 : 1 + below(most, random);
      int64_t reach = (sizes[dim] - 1) * step;
      int64_t first = below(shape[d] - reach, random);
      bool reverses = below(4, random) == 0;
      piece.strides[dim] = (reverses ? -step : step) * strides[d];
      piece.offset += (reverses ? first + reach : first) * strides[d];
      break;
    }
  for (size_t d = 0; d < shape.size(); ++d)
    if (!taken[d])
      piece.offset += below(shape[d], random) * strides[d];
  return piece;
}

/// A view of chunks of one type, the first of which is given.
static int32_t randomView(TaskSample &sample, int32_t first,
                          std::mt19937 &random) {
  TaskProgram &program = sample.program;
  if (below(3, random) == 0)
    return sample.addWhole(first);
  int32_t dtype = program.chunks[first].dtype;
  std::vector<int32_t> others;
  for (size_t i = 0; i < program.chunks.size(); ++i)
    if (program.chunks[i].dtype == dtype && volume(program.chunks[i].shape) > 0)
      others.push_back(static_cast<int32_t>(i));
  TaskView view = {dtype, randomShape(random), {}, {}};
  if (below(3, random) == 0 || others.empty())
    for (int64_t byte = dtypeSize(dtype); byte-- > 0;)
      view.fill.push_back(
          dtype == TAPESTRY_BOOL ? 1 : static_cast<char>(below(256, random)));
  // Pieces behind each other in dimension 0, of padded views with gaps.
  int64_t at = 0;
  int64_t end = view.shape.empty() ? 1 : view.shape[0];
  while (at < end && !others.empty()) {
    int32_t chunk = others[below(others.size(), random)];
    Numbers sizes = view.shape;
    if (!sizes.empty())
      sizes[0] =
          view.pieces.size() == 2 ? end - at : 1 + below(end - at, random);
    TaskPiece piece =
        randomPiece(chunk, program.chunks[chunk].shape, sizes, random);
    if (!sizes.empty())
      piece.lo[0] = at;
    at += sizes.empty() ? 1 : sizes[0];
    if (view.fill.empty() || below(3, random) != 0)
      view.pieces.push_back(std::move(piece));
  }
  program.views.push_back(std::move(view));
  return static_cast<int32_t>(program.views.size()) - 1;
}

TaskSample tapestry::rt::testing::randomTasks(std::mt19937 &random) {
  TaskSample sample;
  TaskProgram &program = sample.program;
  program.name = "random";
  const int32_t dtypes[] = {TAPESTRY_I8, TAPESTRY_I32, TAPESTRY_C128};
  int64_t types = 1 + below(3, random);
  for (int64_t i = 1 + below(3, random); i > 0; --i)
    sample.addInput("X" + std::to_string(i), dtypes[below(types, random)],
                    randomShape(random));
  int64_t shards = 1 + below(40, random);
  for (int64_t i = 0; i < shards; ++i) {
    std::vector<int32_t> views;
    for (int64_t v = below(4, random); v > 0; --v) {
      // Of the latest chunks, or one that is there.
      auto chunks = static_cast<int64_t>(program.chunks.size());
      int64_t back = std::min<int64_t>(chunks, 6);
      int64_t chunk = below(3, random) == 0 ? below(chunks, random)
                                            : chunks - 1 - below(back, random);
      if (!program.views.empty() && below(3, random) == 0)
        views.push_back(
            static_cast<int32_t>(below(program.views.size(), random)));
      else
        views.push_back(
            randomView(sample, static_cast<int32_t>(chunk), random));
    }
    std::vector<int32_t> chunks;
    for (int64_t c = 1 + below(2, random); c > 0; --c)
      chunks.push_back(
          sample.addChunk(dtypes[below(types, random)], randomShape(random)));
    int32_t shard = sample.addShard(views, chunks,
                                    below(3, random) ? 0 : below(5000, random));
    if (shard > 0 && below(5, random) == 0)
      program.shards[shard].after.push_back(
          static_cast<int32_t>(below(shard, random)));
    program.shards[shard].flops = below(10000, random);
  }
  for (int64_t i = 1 + below(4, random); i > 0; --i)
    sample.addSink(
        "F" + std::to_string(i),
        randomView(sample,
                   static_cast<int32_t>(below(program.chunks.size(), random)),
                   random));
  return sample;
}

TaskSample tapestry::rt::testing::grid(int64_t rows, int64_t columns,
                                       int64_t tile) {
  TaskSample sample;
  sample.program.name = "grid";
  std::vector<int32_t> a, b;
  auto panels = [&](const char *name, int64_t count,
                    std::vector<int32_t> &views) {
    int32_t input = sample.addInput(name, TAPESTRY_I8, {count, tile});
    for (int64_t i = 0; i < count; ++i) {
      sample.program.views.push_back(
          {TAPESTRY_I8, {tile}, {{input, i * tile, {1}, {tile}, {0}}}, {}});
      views.push_back(static_cast<int32_t>(sample.program.views.size()) - 1);
    }
  };
  panels("A", rows, a);
  panels("B", columns, b);
  TaskView all = {TAPESTRY_I8, {rows * columns, tile}, {}, {}};
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      int32_t chunk = sample.addChunk(TAPESTRY_I8, {1, tile});
      sample.addShard({a[i], b[j]}, {chunk});
      all.pieces.push_back(
          {chunk, 0, {tile, 1}, {1, tile}, {i * columns + j, 0}});
    }
  sample.program.views.push_back(std::move(all));
  sample.addSink("C", static_cast<int32_t>(sample.program.views.size()) - 1);
  return sample;
}

int64_t tapestry::rt::testing::leastMemory(const TaskProgram &program) {
  TaskGraph graph(program, {});
  int64_t least = 0;
  for (size_t i = 0; i < program.shards.size(); ++i) {
    int64_t needed = graph.own[i];
    for (int32_t buffer : graph.reads[i])
      needed += graph.bytes[buffer];
    least = std::max(least, needed);
  }
  return least;
}

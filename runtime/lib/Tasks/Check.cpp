//===- Check.cpp - Whether a task program is one --------------------------===//

#include "Core/Program.h"
#include "Core/Types.h"
#include "Tasks/Pieces.h"
#include "tapestry-rt/Signs.h"

using namespace tapestry;
using namespace tapestry::rt;

static Status wrong(const std::string &what) {
  return Status::failure(ExitEnvironment,
                         "the task program is inconsistent: " + what);
}

static std::string textOf(int32_t dtype, const std::vector<int64_t> &shape) {
  return dtypeName(dtype) +
         shapeText(shape.data(), static_cast<int>(shape.size()));
}

template <typename T>
static bool isNumberOf(int32_t number, const std::vector<T> &of) {
  return number >= 0 && static_cast<size_t>(number) < of.size();
}

static Status checkTensor(const std::string &what, int32_t dtype,
                          const std::vector<int64_t> &shape) {
  if (!isKnownDType(dtype))
    return wrong(format("%s has element type %d", what.c_str(), dtype));
  int64_t bytes = dtypeSize(dtype);
  for (int64_t size : shape)
    if (size < 0 ||
        __builtin_mul_overflow(bytes, std::max<int64_t>(size, 1), &bytes))
      return wrong(
          format("%s is %s", what.c_str(), textOf(dtype, shape).c_str()));
  return Status::success();
}

/// In memory integers have no sign; a file says which they have.
static bool isStoredAs(int32_t file, int32_t memory) {
  return typeInMemory(file) == memory;
}

static Status checkChunk(const TaskProgram &program, size_t number) {
  const TaskChunk &chunk = program.chunks[number];
  std::string what = format("chunk '%s'", chunk.name.c_str());
  Status status = checkTensor(what, chunk.dtype, chunk.shape);
  if (status.failed() || chunk.input == -1)
    return status;
  if (!isNumberOf(chunk.input, program.inputs))
    return wrong(format("%s is input %d of %zu", what.c_str(), chunk.input,
                        program.inputs.size()));
  const TaskInput &input = program.inputs[chunk.input];
  if (!isStoredAs(input.dtype, chunk.dtype) || input.shape != chunk.shape)
    return wrong(format("%s is %s, input '%s' %s", what.c_str(),
                        textOf(chunk.dtype, chunk.shape).c_str(),
                        input.name.c_str(),
                        textOf(input.dtype, input.shape).c_str()));
  return status;
}

static Status checkPiece(const TaskProgram &program, const std::string &what,
                         const TaskView &view, const TaskPiece &piece) {
  if (!isNumberOf(piece.chunk, program.chunks))
    return wrong(format("%s reads chunk %d of %zu", what.c_str(), piece.chunk,
                        program.chunks.size()));
  const TaskChunk &chunk = program.chunks[piece.chunk];
  size_t rank = view.shape.size();
  if (chunk.dtype != view.dtype || piece.strides.size() != rank ||
      piece.sizes.size() != rank || piece.lo.size() != rank)
    return wrong(format("%s is %s and reads %zu, %zu and %zu dimensions of "
                        "chunk '%s', %s",
                        what.c_str(), textOf(view.dtype, view.shape).c_str(),
                        piece.strides.size(), piece.sizes.size(),
                        piece.lo.size(), chunk.name.c_str(),
                        textOf(chunk.dtype, chunk.shape).c_str()));
  __int128 first = piece.offset;
  __int128 last = piece.offset;
  bool isEmptyPiece = false;
  for (size_t dim = 0; dim < rank; ++dim) {
    if (piece.sizes[dim] < 0 || piece.lo[dim] < 0 ||
        piece.sizes[dim] > view.shape[dim] - piece.lo[dim])
      return wrong(format("%s has %lld points in dimension %zu, a piece of it "
                          "those from %lld to %lld",
                          what.c_str(), (long long)view.shape[dim], dim,
                          (long long)piece.lo[dim],
                          (long long)(piece.lo[dim] + piece.sizes[dim])));
    isEmptyPiece |= piece.sizes[dim] == 0;
    __int128 reach = __int128(piece.sizes[dim] - 1) * piece.strides[dim];
    (reach < 0 ? first : last) += reach;
  }
  if (!isEmptyPiece && (first < 0 || last >= volume(chunk.shape)))
    return wrong(format("%s reads elements %lld to %lld of chunk '%s', which "
                        "has %lld",
                        what.c_str(), (long long)first, (long long)last,
                        chunk.name.c_str(), (long long)volume(chunk.shape)));
  return Status::success();
}

static Status checkView(const TaskProgram &program, size_t number) {
  const TaskView &view = program.views[number];
  std::string what = format("view %zu", number);
  Status status = checkTensor(what, view.dtype, view.shape);
  int64_t covered = 0;
  for (size_t i = 0; i < view.pieces.size() && !status.failed(); ++i) {
    status = checkPiece(program, what, view, view.pieces[i]);
    covered += volume(view.pieces[i].sizes);
  }
  if (status.failed())
    return status;
  if (view.fill.empty() ? covered != volume(view.shape)
                        : covered > volume(view.shape))
    return wrong(format("the pieces of %s have %lld elements, it has %lld",
                        what.c_str(), (long long)covered,
                        (long long)volume(view.shape)));
  if (!view.fill.empty() &&
      static_cast<int64_t>(view.fill.size()) != dtypeSize(view.dtype))
    return wrong(format("%s is filled with %zu bytes per element", what.c_str(),
                        view.fill.size()));
  return status;
}

static bool matches(const TapestryTensor &tensor, int32_t dtype,
                    const std::vector<int64_t> &shape) {
  return tensor.dtype == dtype &&
         static_cast<size_t>(tensor.rank) == shape.size() &&
         std::equal(shape.begin(), shape.end(), tensor.shape);
}

static Status checkKernel(const TaskProgram &program, const TaskShard &shard) {
  const TapestryProgram *kernel = program.kernels[shard.kernel].program;
  if (!kernel)
    return Status::success();
  if (static_cast<size_t>(kernel->num_inputs) != shard.views.size() ||
      static_cast<size_t>(kernel->num_outputs) != shard.chunks.size())
    return wrong(format("shard '%s' has %zu views and %zu chunks, its kernel "
                        "%d inputs and %d outputs",
                        shard.name.c_str(), shard.views.size(),
                        shard.chunks.size(), kernel->num_inputs,
                        kernel->num_outputs));
  auto differs = [&](const char *kind, size_t number, int32_t dtype,
                     const std::vector<int64_t> &shape,
                     const TapestryTensor &tensor) {
    return wrong(format("%s %zu of shard '%s' is %s, its kernel takes %s", kind,
                        number, shard.name.c_str(),
                        textOf(dtype, shape).c_str(),
                        typeText(tensor).c_str()));
  };
  for (size_t i = 0; i < shard.views.size(); ++i) {
    const TaskView &view = program.views[shard.views[i]];
    if (!matches(kernel->inputs[i], view.dtype, view.shape))
      return differs("view", i, view.dtype, view.shape, kernel->inputs[i]);
  }
  for (size_t i = 0; i < shard.chunks.size(); ++i) {
    const TaskChunk &chunk = program.chunks[shard.chunks[i]];
    if (!matches(kernel->outputs[i], chunk.dtype, chunk.shape))
      return differs("chunk", i, chunk.dtype, chunk.shape, kernel->outputs[i]);
  }
  return Status::success();
}

/// What is waited for is there.
template <typename Follower>
static Status checkOrder(const TaskProgram &program, const std::string &what,
                         const Follower &follower) {
  for (int32_t shard : follower.after)
    if (!isNumberOf(shard, program.shards))
      return wrong(format("%s names shard %d of %zu", what.c_str(), shard,
                          program.shards.size()));
  for (int32_t sink : follower.afterSinks)
    if (!isNumberOf(sink, program.sinks))
      return wrong(format("%s names sink %d of %zu", what.c_str(), sink,
                          program.sinks.size()));
  return Status::success();
}

static Status checkShard(const TaskProgram &program, const TaskShard &shard,
                         std::vector<bool> &isProduced) {
  std::string what = format("shard '%s'", shard.name.c_str());
  auto missing = [&](const char *kind, int32_t number, size_t count) {
    return wrong(
        format("%s names %s %d of %zu", what.c_str(), kind, number, count));
  };
  if (!isNumberOf(shard.kernel, program.kernels))
    return missing("kernel", shard.kernel, program.kernels.size());
  for (int32_t view : shard.views)
    if (!isNumberOf(view, program.views))
      return missing("view", view, program.views.size());
  Status order = checkOrder(program, what, shard);
  if (order.failed())
    return order;
  for (int32_t chunk : shard.chunks) {
    if (!isNumberOf(chunk, program.chunks))
      return missing("chunk", chunk, program.chunks.size());
    if (isProduced[chunk] || program.chunks[chunk].input >= 0)
      return wrong(format("%s produces chunk '%s', which is there already",
                          what.c_str(), program.chunks[chunk].name.c_str()));
    isProduced[chunk] = true;
  }
  return checkKernel(program, shard);
}

/// Sinks stand behind those that they follow, themselves or with what they
/// write.
static Status checkSinkOrder(const TaskProgram &program, size_t number) {
  const TaskSink &sink = program.sinks[number];
  Status status = checkOrder(program, "sink '" + sink.name + "'", sink);
  auto check = [&](const std::vector<int32_t> &earlier) {
    for (int32_t other : earlier)
      if (!status.failed() && static_cast<size_t>(other) >= number)
        status = wrong(format("sink '%s' is number %zu and follows sink %d",
                              sink.name.c_str(), number, other));
  };
  if (!status.failed())
    check(sink.afterSinks);
  for (const TaskPiece &piece : program.views[sink.view].pieces)
    if (int32_t input = program.chunks[piece.chunk].input; input >= 0)
      check(program.inputs[input].afterSinks);
  return status;
}

static Status checkSink(const TaskProgram &program, size_t number) {
  const TaskSink &sink = program.sinks[number];
  if (!isNumberOf(sink.view, program.views))
    return wrong(format("sink '%s' names view %d of %zu", sink.name.c_str(),
                        sink.view, program.views.size()));
  const TaskView &view = program.views[sink.view];
  if (!isStoredAs(sink.dtype, view.dtype) || view.shape != sink.shape)
    return wrong(format("sink '%s' is %s, its view %s", sink.name.c_str(),
                        textOf(sink.dtype, sink.shape).c_str(),
                        textOf(view.dtype, view.shape).c_str()));
  return checkSinkOrder(program, number);
}

static Status checkInput(const TaskProgram &program, const TaskInput &input) {
  std::string what = "input '" + input.name + "'";
  Status status = checkTensor(what, input.dtype, input.shape);
  return status.failed() ? status : checkOrder(program, what, input);
}

static Status checkKernels(const TaskProgram &program) {
  for (size_t i = 0; i < program.kernels.size(); ++i) {
    const TaskKernel &kernel = program.kernels[i];
    if (kernel.scratchBytes < 0)
      return wrong(format("kernel %zu allocates %lld bytes", i,
                          (long long)kernel.scratchBytes));
    if (!kernel.program)
      continue;
    Status status = checkProgram(*kernel.program);
    if (status.failed())
      return status;
    if (kernel.program->devices != 1 || kernel.program->num_collectives != 0)
      return wrong(format("kernel %zu is for %lld devices and has %d "
                          "collectives",
                          i, (long long)kernel.program->devices,
                          kernel.program->num_collectives));
  }
  return Status::success();
}

Status tapestry::rt::checkTasks(const TaskProgram &program) {
  Status status;
  for (const TaskInput &input : program.inputs)
    if (!status.failed())
      status = checkInput(program, input);
  for (size_t i = 0; i < program.chunks.size() && !status.failed(); ++i)
    status = checkChunk(program, i);
  for (size_t i = 0; i < program.views.size() && !status.failed(); ++i)
    status = checkView(program, i);
  if (!status.failed())
    status = checkKernels(program);
  std::vector<bool> isProduced(program.chunks.size(), false);
  for (const TaskShard &shard : program.shards)
    if (!status.failed())
      status = checkShard(program, shard, isProduced);
  for (size_t i = 0; i < program.chunks.size() && !status.failed(); ++i)
    if (program.chunks[i].input < 0 && !isProduced[i])
      status = wrong(format("no shard produces chunk '%s'",
                            program.chunks[i].name.c_str()));
  for (size_t i = 0; i < program.sinks.size() && !status.failed(); ++i)
    status = checkSink(program, i);
  return status;
}

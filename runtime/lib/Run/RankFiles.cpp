//===- RankFiles.cpp - What a rank reads and writes -----------------------===//
//
// Its parts of the inputs before the program begins, and of the outputs when it
// has ended; those that points order when the program says so.
//
//===----------------------------------------------------------------------===//

#include "Core/Machine.h"
#include "Core/Program.h"
#include "Core/Types.h"
#include "Run/Rank.h"
#include "Run/Trace.h"

using namespace tapestry;
using namespace tapestry::rt;

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

/// An input as its file is now, into memory that is there.
Status Rank::readFile(int32_t number, const InputFile &file) {
  int64_t since = nowNanoseconds();
  const TapestryTensor &tensor = program.inputs[number];
  Status status =
      fill(inputs[number], partBytes(tensor, device()), [&](void *memory) {
        return file.read(boxOf(tensor, device()), memory);
      });
  trace(TraceEvent::Read, number, since, nowNanoseconds());
  return status;
}

Status Rank::readInput(int32_t number) {
  if (job.isInPlace(number)) {
    // Programs do not write what they are given.
    inputs[number] = job.held->inputs[number]->parts[device()];
    return Status::success();
  }
  if (job.deviceWith(number, device()) != device())
    return Status::success(); // comes when the others have theirs
  const TapestryTensor &tensor = program.inputs[number];
  Status status = allocate(space(), partBytes(tensor, device()),
                           Arena::minAlignment, inputs[number]);
  if (status.failed() || job.isHeld(number) || isTakenIn(program, number))
    return status;
  return readFile(number, *job.inputs[number]);
}

/// Lends other ranks what they read as well, and borrows what they have.
Status Rank::shareInputs() {
  for (int32_t i = 0; i < program.num_inputs; ++i)
    if (job.lends() && job.deviceWith(i, device()) == device())
      job.lentPart(i, device()) = inputs[i];
  Status status = job.lends() ? communicator.barrier() : Status::success();
  for (int32_t i = 0; i < program.num_inputs && !status.failed(); ++i)
    if (job.deviceWith(i, device()) != device())
      inputs[i] = job.lentPart(i, device());
  return status;
}

Status Rank::readInputs() {
  int64_t begin = nowNanoseconds();
  showProgress(begin, "reading");
  int64_t bytes = 0;
  for (int32_t i = 0; i < program.num_inputs; ++i) {
    Status status = readInput(i);
    if (status.failed())
      return status;
    bytes += partBytes(program.inputs[i], device());
  }
  if (Status status = shareInputs(); status.failed())
    return status;
  for (size_t number = 0; number < job.moves.size(); ++number) {
    Status status = move(number);
    if (status.failed())
      return status;
  }
  for (int32_t i = 0; i < program.num_outputs; ++i) {
    Status status = allocate(space(), partBytes(program.outputs[i], device()),
                             Arena::minAlignment, outputs[i]);
    if (status.failed())
      return status;
  }
  report.readTime = nowNanoseconds() - begin;
  say(format("rank 0 of %d (%s) read %s in %.3g s", communicator.size(),
             job.backend().c_str(), formatBytes(bytes).c_str(),
             report.readTime * 1e-9));
  return Status::success();
}

//===----------------------------------------------------------------------===//
// Outputs
//===----------------------------------------------------------------------===//

/// All write into the files aside that rank 0 names.
Status Rank::nameOutputs() {
  bool isFirst = communicator.rank() == 0;
  uint64_t runId = uniqueId();
  std::string names;
  for (size_t i = 0; isFirst && i < job.outputs.size(); ++i)
    if (job.outputs[i])
      names += job.outputs[i]->nameAside(runId + i) + '\0';
  auto bytes = static_cast<int64_t>(names.size());
  Status status = communicator.broadcast(&bytes, sizeof(bytes));
  if (status.failed() || bytes == 0)
    return status;
  names.resize(bytes);
  status = communicator.broadcast(names.data(), bytes);
  size_t at = 0;
  for (auto &file : job.outputs)
    if (!status.failed() && file) {
      file->joinAside(names.c_str() + at);
      at = names.find('\0', at) + 1;
    }
  return status;
}

/// What is written again has a file aside of its own.
Status Rank::nameAgain() {
  Status status = communicator.barrier();
  for (size_t i = 0; i < job.outputs.size(); ++i)
    if (!status.failed() && isHandedOut[i])
      job.outputs[i]->forget();
  if (!status.failed())
    status = communicator.barrier();
  return status.failed() ? status : nameOutputs();
}

Status Rank::writeOutput(size_t number) {
  OutputFile &file = *job.outputs[number];
  const TapestryTensor &tensor = program.outputs[number];
  int64_t since = nowNanoseconds();
  Status status = communicator.rank() == 0 ? file.create() : Status::success();
  if (!status.failed())
    status = communicator.barrier();
  bool writes = tensor.owner[device()] && partBytes(tensor, device()) > 0;
  if (!status.failed() && writes)
    status = file.open();
  if (!status.failed() && writes)
    status = take(outputs[number], partBytes(tensor, device()),
                  [&](const void *memory) {
                    return file.write(boxOf(tensor, device()), memory);
                  });
  // Ranks of one process share the open file: all write, then it is closed,
  // which may tell of late errors, and only then named.
  if (!status.failed())
    status = communicator.barrier();
  if (!status.failed())
    status = file.close();
  if (!status.failed())
    status = communicator.barrier();
  if (!status.failed())
    trace(TraceEvent::Write, static_cast<int32_t>(number), since,
          nowNanoseconds());
  return status;
}

Status Rank::nameOutput(size_t number) {
  return communicator.rank() == 0 ? job.outputs[number]->commit()
                                  : Status::success();
}

Status Rank::writeOutputs() {
  int64_t begin = nowNanoseconds();
  run = job.options.repeat - 1;
  showProgress(begin, "writing");
  if (job.fault.strikes(device(), Fault::atWrite)) {
    Status status = strike("writing");
    if (status.failed())
      return status;
  }
  auto isLeft = [&](size_t number) {
    return job.outputs[number] && !isHandedOut[number];
  };
  for (size_t i = 0; i < job.outputs.size(); ++i) {
    Status status = isLeft(i) ? writeOutput(i) : Status::success();
    if (status.failed())
      return status;
  }
  // Named together, when all are complete.
  for (size_t i = 0; i < job.outputs.size(); ++i) {
    Status status = isLeft(i) ? nameOutput(i) : Status::success();
    if (status.failed())
      return status;
  }
  report.writeTime += nowNanoseconds() - begin;
  say(format("wrote in %.3g s", report.writeTime * 1e-9));
  return Status::success();
}

//===----------------------------------------------------------------------===//
// When the program says so
//===----------------------------------------------------------------------===//

/// Runs before the last leave what the last will write, but for what they read.
Status Rank::handOutNow(int64_t output, const void *buffer) {
  if (output < 0 || output >= program.num_outputs || buffer != outputs[output])
    return Status::failure(
        ExitRankFailed,
        format("the program hands out output %lld of %d from elsewhere",
               static_cast<long long>(output), program.num_outputs));
  bool isWritten = run + 1 == job.options.repeat || job.isReadBack(output);
  if (!isWritten || !job.outputs[output])
    return Status::success();
  Status status = writeOutput(output);
  isHandedOut[output] = true;
  return status.failed() ? status : nameOutput(output);
}

bool Rank::handOut(int64_t output, const void *buffer) {
  return beside(report.writeTime, [&] { return handOutNow(output, buffer); });
}

/// Rank 0 looks first, so that one says what is wrong with a file.
Status Rank::takeInNow(int64_t input, const void *buffer) {
  if (input < 0 || input >= program.num_inputs || buffer != inputs[input] ||
      !isTakenIn(program, static_cast<int32_t>(input)))
    return Status::failure(
        ExitRankFailed,
        format("the program takes input %lld of %d in elsewhere",
               static_cast<long long>(input), program.num_inputs));
  auto number = static_cast<int32_t>(input);
  if (job.isHeld(number) || (run > 0 && job.isFed(number)))
    return Status::success();
  bool isFirst = communicator.rank() == 0;
  InputFile file;
  Status status = isFirst ? job.openInput(number, file) : Status::success();
  if (!status.failed())
    status = communicator.barrier();
  if (!status.failed() && !isFirst)
    status = job.openInput(number, file);
  return status.failed() ? status : readFile(number, file);
}

bool Rank::takeIn(int64_t input, void *buffer) {
  return beside(report.readTime, [&] { return takeInNow(input, buffer); });
}

//===- RankDevice.cpp - The device of one rank ----------------------------===//
//
// Of a program whose tensors lie in the memory of a device: launches, and the
// way of tensors to and from files and other ranks, through the host's memory.
//
//===----------------------------------------------------------------------===//

#include "Core/Machine.h"
#include "Core/Program.h"
#include "Run/Rank.h"
#include <algorithm>
#include <ctime>

using namespace tapestry;
using namespace tapestry::rt;

/// For what takes a device microseconds or long.
static void waitBriefly(int turn) {
  if (turn < 1000)
    return;
  timespec pause = {0, turn < 2000 ? 20'000 : 500'000};
  nanosleep(&pause, nullptr);
}

Status Rank::openDevice() {
  TransportError error;
  gpu.reset(job.devices->open(job.deviceNumber(device()), error));
  if (!gpu)
    return Status::failure(
        ExitEnvironment,
        format("device %d: %s", job.deviceNumber(device()), error.text));
  if (job.deviceCollectives) {
    between.reset(job.deviceCollectives->open(transport, *gpu, error));
    if (!between)
      return Status::failure(ExitEnvironment, error.text);
    own = between.get();
  }
  deviceArena = std::make_unique<DeviceArena>(*gpu, together);
  return job.predictedPeaks()
             ? deviceArena->reserve(job.predictedPeaks()[device()])
             : Status::success();
}

Rank::~Rank() {
  // A device that waits for others in vain does nothing else any more.
  between.reset();
  for (auto &[host, copy] : constants)
    gpu->free(copy);
}

bool Rank::launch(const TapestryDeviceCode &code, int64_t kernel,
                  int64_t blocks, int64_t threads, void **arguments) {
  if (blocks <= 0)
    return true;
  TransportError error;
  if (gpu && gpu->launch(code, kernel, blocks, threads, arguments, error)) {
    inFlight.launch(vertex);
    return true;
  }
  fail(deviceFault(format("vertex '%s'", vertexName()), error));
  return false;
}

bool Rank::multiply(const TapestryProduct &product,
                    const ProductMemory &memory) {
  if (std::min(
          {product.batches, product.rows, product.columns, product.terms}) <= 0)
    return true;
  TransportError error;
  if (gpu && !gpu->openProducts(error)) {
    fail(Status::failure(ExitEnvironment,
                         format("vertex '%s' is a product by cuBLASLt: %s "
                                "(compiled with --gpu-products=generated, the "
                                "program does without)",
                                vertexName(), error.text)));
    return false;
  }
  if (gpu && gpu->multiply(product, memory, error)) {
    inFlight.launch(vertex);
    return true;
  }
  fail(deviceFault(format("vertex '%s'", vertexName()), error));
  return false;
}

bool Rank::fetch(void *host, const void *from, int64_t bytes) {
  TransportError error;
  Status status = synchronize();
  if (!status.failed() && gpu && gpu->copyOut(host, from, bytes, error))
    return true;
  fail(status.failed()
           ? status
           : deviceFailure(format("behind vertex '%s'", vertexName()), error));
  return false;
}

bool Rank::bring(BlockCall &call, std::vector<BlockCall::Part> &places) {
  if (!gpu)
    return true;
  Status status = synchronize();
  for (size_t number = 0; number < call.numTensors(); ++number) {
    BlockCall::Part part = call.part(number);
    places.push_back(part);
    if (stagedTensors.size() <= number)
      stagedTensors.emplace_back();
    Staging &staging = stagedTensors[number];
    if (!status.failed())
      status = staging.allocate(*gpu, part.bytes);
    if (!status.failed() && part.isRead)
      status = staging.load(part.begin, part.bytes);
    call.move(number, staging.data());
  }
  if (status.failed())
    fail(status);
  return !status.failed();
}

bool Rank::bringBack(const BlockCall &call,
                     const std::vector<BlockCall::Part> &places) {
  if (!gpu)
    return true;
  Status status = Status::success();
  for (size_t number = 0; number < call.numTensors(); ++number)
    if (!status.failed() && places[number].isWritten)
      status = stagedTensors[number].store(places[number].begin,
                                           places[number].bytes);
  if (status.failed())
    fail(status);
  return !status.failed();
}

const void *Rank::copyConstant(const void *host, int64_t bytes) {
  auto known = constants.find(host);
  if (known != constants.end())
    return known->second;
  // The copy waits for what others may never do.
  if (Status status = synchronize(); status.failed()) {
    fail(status);
    return nullptr;
  }
  TransportError error;
  void *copy = nullptr;
  if (gpu)
    copy = gpu->allocate(static_cast<uint64_t>(bytes), error);
  if (copy) {
    constants[host] = copy;
    if (gpu->copyIn(copy, host, bytes, error))
      return copy;
  }
  fail(deviceFault("a constant of the program", error));
  return nullptr;
}

void Rank::release(int32_t space, void *memory) {
  if (space != TAPESTRY_HOST && deviceArena)
    deviceArena->free(memory);
  else
    Arena::free(memory);
}

void Rank::markDevice() {
  int64_t number = inFlight.mark();
  // What is wrong now is so when the device is waited for.
  TransportError error;
  if (gpu && number >= 0)
    (void)gpu->mark(number, error);
}

Status Rank::awaitCollectives() {
  int64_t begin = nowNanoseconds();
  for (int turn = 0; isAtCollectives; ++turn) {
    TransportError error;
    bool isDone = false;
    if (!gpu->poll(isDone, error) || isDone)
      isAtCollectives = false;
    else if (transport.stopped())
      return Status::stopped();
    else if (own->check(error) == Outcome::Failed ||
             transport.findLost(double(nowNanoseconds() - begin) * 1e-9, error))
      return deviceFailure("a fault between devices " + whereInFlight(), error);
    else
      waitBriefly(turn);
  }
  return Status::success();
}

std::string Rank::whereInFlight() {
  inFlight.reach(gpu->reached());
  std::string text = inFlight.describe([&](int64_t at) {
    return at >= 0    ? program.vertices[at].name
           : at == -1 ? ""
                      : program.collectives[InFlight::collectiveOf(at)].vertex;
  });
  for (const Call &call : started)
    if (call.beside >= 0)
      text += ", beside " + call.collective->name();
  return text;
}

Status Rank::synchronize() {
  TransportError error;
  markDevice();
  if (Status status = awaitCollectives(); status.failed())
    return status;
  if (!gpu || gpu->synchronize(error)) {
    inFlight.settle();
    return Status::success();
  }
  return deviceFailure("a fault of the device " + whereInFlight() +
                           " (TAPESTRY_SYNC=1 names the one)",
                       error);
}

Status Rank::deviceFault(const std::string &what, const TransportError &error) {
  Status earlier = gpu && !gpu->waits() ? synchronize() : Status::success();
  return earlier.failed() ? earlier : deviceFailure(what, error);
}

Status Rank::fill(void *tensor, int64_t bytes,
                  const std::function<Status(void *)> &read) {
  if (!gpu)
    return read(tensor);
  Staging staging;
  Status status = synchronize();
  if (!status.failed())
    status = staging.allocate(*gpu, bytes);
  if (!status.failed() && bytes > 0)
    status = read(staging.data());
  return status.failed() ? status : staging.store(tensor, bytes);
}

Status Rank::take(const void *tensor, int64_t bytes,
                  const std::function<Status(const void *)> &write) {
  if (!gpu)
    return write(tensor);
  Staging staging;
  Status status = synchronize();
  if (!status.failed())
    status = staging.allocate(*gpu, bytes);
  if (!status.failed())
    status = staging.load(tensor, bytes);
  return status.failed() ? status : write(staging.data());
}

/// Beside what the device was told before; with a device that waits, it does.
Status Rank::runOnDevice(Call &call, const void *source, void *target) {
  TransportError error;
  if (!gpu->beginBeside(error))
    return deviceFault(call.collective->name(), error);
  Status status =
      call.collective->runOnDevice(communicator, *gpu, source, target);
  isAtCollectives = true;
  bool isTold = gpu->endBeside(call.beside, error);
  if (status.failed())
    return status;
  if (!isTold)
    return deviceFault(call.collective->name(), error);
  if (!gpu->waits())
    return status;
  markDevice();
  inFlight.launch(InFlight::ofCollective(call.number.index));
  status = awaitCollectives();
  return status.failed() ? status : synchronize();
}

Status Rank::joinDevice(const Call &call) {
  TransportError error;
  if (call.beside < 0)
    return Status::success();
  // With a mark of its own.
  markDevice();
  if (!gpu->join(call.beside, error))
    return deviceFault(call.collective->name(), error);
  if (!gpu->waits())
    inFlight.launch(InFlight::ofCollective(call.number.index));
  markDevice();
  return Status::success();
}

/// What the collective leaves alone of its target goes there and back.
Status Rank::runStaged(Call &call, const void *source, void *target) {
  ProgramCollective &collective = *call.collective;
  int64_t read = collective.sourceBytes(), written = collective.targetBytes();
  bool isInPlace = source == target;
  Status status = synchronize();
  if (!status.failed())
    status = stagedTarget.allocate(*gpu, written);
  if (!status.failed() && (isInPlace || !collective.writesAll()))
    status = stagedTarget.load(target, written);
  if (!status.failed() && !isInPlace)
    status = stagedSource.allocate(*gpu, read);
  if (!status.failed() && !isInPlace)
    status = stagedSource.load(source, read);
  if (!status.failed())
    status = collective.run(
        communicator, isInPlace ? stagedTarget.data() : stagedSource.data(),
        stagedTarget.data(), call.scratch.data());
  return status.failed() ? status : stagedTarget.store(target, written);
}

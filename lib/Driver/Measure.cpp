//===- Measure.cpp - Times programs and collectives in this process -------===//

#include "tapestry/Driver/Measure.h"
#include "tapestry-rt/Runtime.h"
#include "tapestry/Driver/InProcess.h"
#include "tapestry/Driver/OutputFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>

using namespace tapestry;
using namespace tapestry::driver;

Measure::Measure(int64_t devices, int64_t threads, llvm::StringRef backend,
                 llvm::StringRef collectives)
    : devices(devices), threads(threads), backend(backend.str()),
      collectives(collectives.str()) {}

static double now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

namespace {
/// Seconds that this process' devices took for one thing after another. The
/// entry of a program has no place for a pointer of ours.
struct Clock {
  explicit Clock(int64_t devices) : seconds(devices) {}
  const TapestryProgram *program = nullptr;
  /// Per device; empty for those of other processes.
  std::vector<std::vector<double>> seconds;
  /// Per collective: how often it runs between two looks at the clock.
  std::vector<int64_t> batch;
};
Clock *theClock = nullptr;
} // namespace

/// Runs and times what the program is. Only the last call may not return, and
/// nothing here needs to be destroyed.
static void timedEntry(TapestryRank *rank, const void *const *inputs,
                       void *const *outputs) {
  double start = now();
  theClock->program->entry(rank, inputs, outputs);
  theClock->seconds[tapestry_rt_device(rank)].push_back(now() - start);
}

static int64_t bytesOf(int32_t dtype) { return dtype == TAPESTRY_F64 ? 8 : 4; }

/// An .npy file of zeros; the file system keeps holes for them.
static std::error_code writeZeros(llvm::StringRef path,
                                  const TapestryTensor &tensor) {
  int64_t bytes = bytesOf(tensor.dtype);
  std::string shape;
  for (int32_t dim = 0; dim < tensor.rank; ++dim) {
    bytes *= tensor.shape[dim];
    shape += std::to_string(tensor.shape[dim]) + ",";
  }
  std::string header = "{'descr': '<f" + std::to_string(bytesOf(tensor.dtype)) +
                       "', 'fortran_order': False, 'shape': (" + shape + "), }";
  constexpr size_t preamble = 10;
  header.resize(llvm::alignTo(preamble + header.size() + 1, 64) - preamble - 1,
                ' ');
  header += '\n';
  int fd;
  if (std::error_code error = llvm::sys::fs::openFileForWrite(path, fd))
    return error;
  llvm::raw_fd_ostream os(fd, /*shouldClose=*/true);
  os << llvm::StringRef("\x93NUMPY\x01\x00", 8)
     << static_cast<char>(header.size() & 255)
     << static_cast<char>(header.size() >> 8) << header;
  os.flush();
  if (os.has_error()) {
    std::error_code error = os.error();
    os.clear_error();
    return error;
  }
  return llvm::sys::fs::resize_file(fd, preamble + header.size() +
                                            static_cast<uint64_t>(bytes));
}

/// The least time of each device; the largest of those.
static double slowest(llvm::ArrayRef<std::vector<double>> seconds) {
  double result = 0;
  for (const std::vector<double> &own : seconds)
    if (!own.empty())
      result = std::max(result, *llvm::min_element(own));
  return result;
}

ExitStatus Measure::programSeconds(llvm::StringRef text, int64_t repeat,
                                   double &seconds) {
  if (ExitStatus status = folder.make())
    return status;
  Options options;
  options.program = folder.file("p" + llvm::Twine(programs++) + ".ein");
  options.planning.devices = devices;
  options.planning.order = "none";
  options.planning.threads = threads;
  options.quiet = true;
  if (ExitStatus status = writeOutputFile(
          options.program, [&](llvm::raw_ostream &os) { os << text; }))
    return status;
  Compilation compilation(options);
  if (ExitStatus status = compilation.load())
    return status;
  if (ExitStatus status = compilation.planGraph())
    return status;
  if (!compilation.getPlan().placement.collectives.empty()) {
    printError("a program for measuring local work communicates");
    return ExitEnvironment;
  }
  LoadedProgram loaded;
  if (ExitStatus status = loadProgram(compilation, BlockObjects(), loaded))
    return status;

  rt::RunOptions run;
  for (int32_t i = 0; i < loaded.program->num_inputs; ++i) {
    const TapestryTensor &input = loaded.program->inputs[i];
    std::string path = folder.file(llvm::Twine(input.name) + ".npy");
    if (std::error_code failed = writeZeros(path, input)) {
      printError(path, failed.message());
      return ExitEnvironment;
    }
    run.inputs.push_back({input.name, path});
  }
  run.repeat = repeat;
  run.backend = backend;
  run.progress = false;
  TapestryProgram timed = *loaded.program;
  timed.entry = timedEntry;
  Clock clock(devices);
  clock.program = loaded.program;
  theClock = &clock;
  int status = rt::run(timed, run);
  first = !clock.seconds.front().empty();
  seconds = slowest(clock.seconds);
  return static_cast<ExitStatus>(status);
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

static void addFloats(void *accumulator, const void *in, int64_t count) {
  auto *to = static_cast<float *>(accumulator);
  auto *from = static_cast<const float *>(in);
  for (int64_t i = 0; i < count; ++i)
    to[i] += from[i];
}

namespace {
/// The tables of a program that is nothing but collectives.
struct CollectiveTables {
  CollectiveTables(const DeviceGrid &grid, llvm::ArrayRef<Measure::Move> moves);

  TapestryProgram program = {};
  std::vector<TapestryCollective> collectives;
  std::vector<std::vector<TapestryRange>> boxes;
  std::vector<int32_t> zeros;
};
} // namespace

/// How often a collective runs.
static constexpr int warmups = 2;
static int batchesOf(int64_t batch) { return batch > 2 ? 60 : 12; }
static int64_t batchOf(const TapestryCollective &collective, int64_t devices) {
  constexpr int64_t enoughBytes = 1 << 19;
  int64_t perDevice = collective.predicted_bytes / devices + 1;
  return std::clamp<int64_t>(enoughBytes / perDevice, 2, 16);
}
static int64_t boxBytes(const TapestryRange *boxes, int32_t rank,
                        int64_t device) {
  int64_t bytes = sizeof(float);
  for (int32_t dim = 0; dim < rank; ++dim) {
    const TapestryRange &range = boxes[device * rank + dim];
    bytes *= range.hi - range.lo;
  }
  return bytes;
}

/// Owns memory of the arena only: a call may not return.
static void collectivesEntry(TapestryRank *rank, const void *const *,
                             void *const *) {
  const TapestryProgram &program = *theClock->program;
  int64_t device = tapestry_rt_device(rank);
  for (int32_t c = 0; c < program.num_collectives; ++c) {
    TapestryCollective collective = program.collectives[c];
    int64_t batch = theClock->batch[c];
    int batches = batchesOf(batch);
    uint64_t bytes = boxBytes(collective.source, collective.rank, device);
    void *source = _mlir_memref_to_llvm_alloc(bytes);
    memset(source, 0, bytes);
    void *target = _mlir_memref_to_llvm_alloc(
        boxBytes(collective.target, collective.rank, device));
    double best = std::numeric_limits<double>::infinity();
    for (int i = 0; i < warmups; ++i)
      tapestry_rt_collective(rank, c, source, target);
    for (int i = 0; i < batches; ++i) {
      double start = now();
      for (int64_t call = 0; call < batch; ++call)
        tapestry_rt_collective(rank, c, source, target);
      best = std::min(best, (now() - start) / batch);
    }
    theClock->seconds[device].push_back(best);
    _mlir_memref_to_llvm_free(target);
    _mlir_memref_to_llvm_free(source);
  }
}

CollectiveTables::CollectiveTables(const DeviceGrid &grid,
                                   llvm::ArrayRef<Measure::Move> moves)
    : zeros(grid.numDevices(), 0) {
  int64_t devices = grid.numDevices();
  auto tableOf = [&](const Layout &layout) {
    std::vector<TapestryRange> table;
    for (int64_t device = 0; device < devices; ++device)
      for (ZRange range : layout.box(grid, device))
        table.push_back({range.lo, range.hi});
    boxes.push_back(std::move(table));
    return boxes.back().data();
  };
  for (const Measure::Move &move : moves) {
    TapestryCollective collective = {};
    collective.vertex = "X";
    collective.kind = *runtimeKind(move.collective.kind);
    collective.dtype = TAPESTRY_F32;
    collective.rank = static_cast<int32_t>(move.from.rank());
    collective.group = static_cast<int32_t>(devices);
    collective.targets = 1;
    collective.group_of = zeros.data();
    collective.replica_of = zeros.data();
    collective.source = tableOf(move.from);
    collective.target = tableOf(move.to);
    if (collective.kind == TAPESTRY_ALL_REDUCE ||
        collective.kind == TAPESTRY_REDUCE_SCATTER) {
      collective.monoid = TAPESTRY_MONOID_ADD;
      collective.combine = addFloats;
    }
    collective.predicted_bytes =
        move.collective.elements * int64_t(sizeof(float));
    collective.predicted_copied_bytes = -1;
    collectives.push_back(collective);
  }
  program.abi_version = TAPESTRY_ABI_VERSION;
  program.struct_size = sizeof(TapestryProgram);
  program.name = "collectives";
  program.devices = devices;
  program.num_collectives = static_cast<int32_t>(collectives.size());
  program.collectives = collectives.data();
  program.entry = collectivesEntry;
}

ExitStatus Measure::collectiveSeconds(const DeviceGrid &grid,
                                      std::vector<Move> &moves) {
  CollectiveTables tables(grid, moves);
  Clock clock(devices);
  clock.program = &tables.program;
  for (const TapestryCollective &collective : tables.collectives)
    clock.batch.push_back(batchOf(collective, devices));
  theClock = &clock;
  rt::RunOptions run;
  run.backend = backend;
  run.collectives = collectives;
  run.progress = false;
  int status = rt::run(tables.program, run);
  for (const std::vector<double> &own : clock.seconds)
    for (size_t index = 0; index < own.size(); ++index)
      moves[index].seconds = std::max(moves[index].seconds, own[index]);
  return static_cast<ExitStatus>(status);
}

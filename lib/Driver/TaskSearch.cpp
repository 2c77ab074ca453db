//===- TaskSearch.cpp - Into how many blocks a graph is cut ---------------===//

#include "tapestry/Driver/TaskSearch.h"
#include "tapestry-rt/Signs.h"
#include "tapestry/Support/Counted.h"
#include "tapestry/Support/HostTensor.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <limits>
#include <set>

using namespace tapestry;
using namespace tapestry::driver;

/// Bytes per second of a file, which is written and read past the memory of the
/// system: what a disk of today does.
static constexpr double fileBandwidth = 1e9;
/// Seconds until a kernel has machine code.
static constexpr double kernelSeconds = 0.01;

/// More shards are to gain at least this part of the time.
static constexpr double worthwhileGain = 0.02;
/// After so many tries in vain there are no more.
static constexpr int mostWorse = 2, mostIdle = 4, mostKept = 2;

std::optional<int64_t> tapestry::driver::searchDevices(
    int64_t workers, llvm::function_ref<TaskEstimate(int64_t)> estimate) {
  std::set<int64_t> numbers = {std::min(workers, mostTaskDevices)};
  for (int64_t number = 1; number <= mostTaskDevices; number *= 2)
    numbers.insert(number);
  std::optional<int64_t> best;
  double least = 0;
  int64_t smallest = std::numeric_limits<int64_t>::max();
  int worse = 0, idle = 0, kept = 0;
  for (int64_t number : numbers) {
    TaskEstimate found = estimate(number);
    if (found.isHopeless)
      continue;
    if (!found.seconds) {
      bool isSmaller = found.largestShard && *found.largestShard < smallest;
      if (isSmaller)
        smallest = *found.largestShard;
      idle = isSmaller ? 0 : idle + 1;
      kept += found.keepsTooMuch ? 1 : 0;
      if (idle == mostIdle || kept == mostKept)
        break;
    } else if (!best || *found.seconds < least * (1 - worthwhileGain)) {
      best = number;
      least = *found.seconds;
      worse = 0;
    } else if (++worse == mostWorse) {
      break;
    }
  }
  return best;
}

/// Sums of bytes end at the most that there is.
static constexpr int64_t mostBytes = std::numeric_limits<int64_t>::max();

static int64_t plus(int64_t a, int64_t b) {
  int64_t sum;
  return llvm::AddOverflow(a, b, sum) ? mostBytes : sum;
}

/// Bytes of a chunk, of which the runtime's numbers say the type.
static int64_t bytesOf(const rt::TaskChunk &chunk) {
  int64_t bytes = byteSize(static_cast<DType>(rt::typeInMemory(chunk.dtype)));
  if (llvm::is_contained(chunk.shape, 0))
    return 0;
  for (int64_t extent : chunk.shape)
    if (llvm::MulOverflow(bytes, extent, bytes))
      return mostBytes;
  return bytes;
}

/// Bytes that a shard has in memory.
static int64_t bytesOf(const rt::TaskProgram &program,
                       const rt::TaskShard &shard) {
  int64_t bytes = program.kernels[shard.kernel].scratchBytes;
  for (int32_t view : shard.views)
    bytes = plus(bytes, bytesOf(rt::TaskChunk{"", program.views[view].dtype,
                                              program.views[view].shape}));
  for (int32_t chunk : shard.chunks)
    bytes = plus(bytes, bytesOf(program.chunks[chunk]));
  return bytes;
}

int64_t tapestry::driver::largestShard(const rt::TaskProgram &program) {
  int64_t most = 0;
  for (const rt::TaskShard &shard : program.shards)
    most = std::max(most, bytesOf(program, shard));
  return most;
}

ShardNeed tapestry::driver::leastNeed(const rt::TaskProgram &program,
                                      const std::vector<bool> &isCut,
                                      int64_t devices) {
  ShardNeed most;
  for (auto [number, shard] : llvm::enumerate(program.shards)) {
    // How much blocks read is not known, but together they make all.
    int64_t least = 0;
    for (int32_t chunk : shard.chunks) {
      int64_t bytes = bytesOf(program.chunks[chunk]);
      int64_t block = bytes / devices + (bytes % devices != 0);
      int64_t held = isCut[number] ? block : bytes;
      least = plus(least, held > mostBytes / 2 ? held : rt::bufferBytes(held));
    }
    std::set<int32_t> views(shard.views.begin(), shard.views.end());
    for (int32_t view : views)
      if (!isCut[number])
        least = plus(least, bytesOf(rt::TaskChunk{"", program.views[view].dtype,
                                                  program.views[view].shape}));
    if (least > most.bytes)
      most = {static_cast<int32_t>(number), least};
  }
  return most;
}

/// Seconds of one worker: of the operations, or of what a shard touches in
/// memory.
static double secondsOf(const rt::TaskProgram &program,
                        const rt::TaskShard &shard,
                        const machine::Machine &machine) {
  return machine.vertexLatency +
         std::max(static_cast<double>(shard.flops) / machine.flopsPerSecond,
                  static_cast<double>(bytesOf(program, shard)) /
                      machine.memoryBandwidth);
}

double tapestry::driver::estimateSeconds(const rt::TaskProgram &program,
                                         const rt::TaskSchedule &schedule,
                                         int64_t workers,
                                         const machine::Machine &machine) {
  // Shards come after those whose chunks they read, and those they wait for.
  std::vector<double> ends(program.chunks.size());
  std::vector<double> shardEnds(program.shards.size());
  double all = 0, longest = 0;
  for (auto [number, shard] : llvm::enumerate(program.shards)) {
    double start = 0, seconds = secondsOf(program, shard, machine);
    for (int32_t before : shard.after)
      start = std::max(start, shardEnds[before]);
    for (int32_t view : shard.views)
      for (const rt::TaskPiece &piece : program.views[view].pieces)
        start = std::max(start, ends[piece.chunk]);
    shardEnds[number] = start + seconds;
    for (int32_t chunk : shard.chunks)
      ends[chunk] = shardEnds[number];
    all += seconds;
    longest = std::max(longest, shardEnds[number]);
  }
  // Fewer run at a time where there is not the memory for more.
  auto atOnce = static_cast<double>(workers);
  if (schedule.shardsAtOnce > 0)
    atOnce = std::min(atOnce, schedule.shardsAtOnce);
  double computing = std::max(all / atOnce, longest);
  computing += static_cast<double>(schedule.copiedBytes) /
               machine.memoryBandwidth / static_cast<double>(workers);
  // Whoever cuts into pieces that all differ waits for their code.
  double compiling =
      kernelSeconds * static_cast<double>(program.kernels.size());
  double moving =
      static_cast<double>(schedule.inputBytes + schedule.spilledBytes +
                          schedule.reloadedBytes) /
      fileBandwidth;
  return compiling + std::max(computing, moving);
}

std::string tapestry::driver::describeSpills(const rt::TaskProgram &program,
                                             const rt::TaskSchedule &schedule) {
  std::vector<const rt::TaskShard *> producers(program.chunks.size());
  for (const rt::TaskShard &shard : program.shards)
    for (int32_t chunk : shard.chunks)
      producers[chunk] = &shard;
  llvm::MapVector<llvm::StringRef, int64_t> bytes;
  for (const rt::TaskStep &step : schedule.steps)
    if (step.kind == rt::TaskStep::Spill)
      // As the schedule counts them.
      bytes[producers[step.index]->vertex] +=
          rt::bufferBytes(bytesOf(program.chunks[step.index]));
  auto sorted = bytes.takeVector();
  llvm::sort(sorted, [](const auto &a, const auto &b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  constexpr size_t most = 3;
  std::string text;
  int64_t rest = 0;
  for (auto [number, entry] : llvm::enumerate(sorted)) {
    if (number >= most) {
      rest += entry.second;
      continue;
    }
    text += (text.empty() ? "" : ", ") +
            (text.empty() ? countOf(entry.second, "byte")
                          : std::to_string(entry.second)) +
            " of '" + entry.first.str() + "'";
  }
  if (rest != 0)
    text += ", " + std::to_string(rest) + " of others";
  return text;
}

//===- TaskSearch.h - Into how many blocks a graph is cut -------*- C++ -*-===//
//
// For the greedy executor a graph is cut as for a number of devices that there
// need not be: few blocks read little, many fit into little memory.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_DRIVER_TASKSEARCH_H
#define TAPESTRY_DRIVER_TASKSEARCH_H

#include "tapestry-rt/Tasks.h"
#include "tapestry/Planner/Machine/Machine.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>

namespace tapestry::driver {

/// What a cut comes to.
struct TaskEstimate {
  /// Nothing where it does not fit into memory.
  std::optional<double> seconds;
  /// Bytes of the shard that needs most memory; nothing where there is no cut.
  std::optional<int64_t> largestShard;
  /// Whether it is known without a cut that it does not fit.
  bool isHopeless = false;
  /// Whether what is to be kept is too much, beside which shards are small, so
  /// that smaller ones are of little use.
  bool keepsTooMuch = false;
};

/// The numbers of devices that are tried cut no finer than this.
constexpr int64_t mostTaskDevices = 4096;

/// The number of devices for which `estimate` says the least seconds; of about
/// equal ones the least. Nothing where none of those that are tried fits. They
/// are tried in ascending order: `workers` and powers of two, until two that
/// fit have gained nothing, four that do not have no smaller shards, or two
/// keep too much, those without hope not counted.
std::optional<int64_t>
searchDevices(int64_t workers,
              llvm::function_ref<TaskEstimate(int64_t)> estimate);

/// Bytes that the shard which needs most of them has in memory at once; the
/// most that there is where they are more.
int64_t largestShard(const rt::TaskProgram &program);

/// A shard and bytes that it needs at least.
struct ShardNeed {
  int32_t shard = -1;
  int64_t bytes = 0;
};

/// The shard of a graph that is not cut which needs most memory where it is cut
/// for a number of devices, and how much at least: `isCut` says of each whether
/// it is then as many blocks, or as one.
ShardNeed leastNeed(const rt::TaskProgram &program,
                    const std::vector<bool> &isCut, int64_t devices);

/// Seconds that a schedule takes on workers of `machine`, with the code of its
/// kernels: those of computing, which wait for each other, or of moving the
/// bytes to and from files, whichever are more.
double estimateSeconds(const rt::TaskProgram &program,
                       const rt::TaskSchedule &schedule, int64_t workers,
                       const machine::Machine &machine);

/// The bytes that a schedule spills, by vertex, those of the most bytes first:
/// "96 bytes of 'T' and 16 of 'U'".
std::string describeSpills(const rt::TaskProgram &program,
                           const rt::TaskSchedule &schedule);

} // namespace tapestry::driver

#endif // TAPESTRY_DRIVER_TASKSEARCH_H

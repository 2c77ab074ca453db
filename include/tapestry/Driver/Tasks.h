//===- Tasks.h - A program for the greedy executor --------------*- C++ -*-===//
//
// From a graph to shards on chunks that fit into memory, and to their kernels'
// machine code.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_DRIVER_TASKS_H
#define TAPESTRY_DRIVER_TASKS_H

#include "tapestry/Dialect/Tapestry/Transforms/TaskGraph.h"
#include "tapestry/Driver/BlockObjects.h"
#include "tapestry/Driver/Compilation.h"

namespace tapestry::driver {

/// Shards that fit into memory.
struct ChosenTasks {
  /// Its kernels say what they allocate; they are lowered until buffers are
  /// known.
  teg::TaskGraph graph;
  rt::TaskSchedule schedule;
};

/// What the greedy executor is given: --memory for each of --devices workers,
/// or what this machine has, --spill, and which outputs have a file.
rt::TaskLimits taskLimits(const Compilation &compilation);

/// Cuts the graph of `compilation`, which stays as it is, into shards that fit
/// into memory: as --plan or --grid say, else as finely as is fastest. Where
/// none fit, the error says which shard does not fit however finely the graph
/// is cut; where that is not known, which of those does not whose largest is
/// least.
llvm::Expected<ChosenTasks> chooseTasks(Compilation &compilation);

/// Makes machine code of the kernels and links it into this process; it lies in
/// the memory that `jit` owns.
ExitStatus loadKernels(Compilation &compilation, const BlockObjects &blocks,
                       ChosenTasks &tasks, std::unique_ptr<JitProgram> &jit);

} // namespace tapestry::driver

#endif // TAPESTRY_DRIVER_TASKS_H

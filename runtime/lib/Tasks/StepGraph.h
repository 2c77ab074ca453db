//===- StepGraph.h - What each step waits for -------------------*- C++ -*-===//

#ifndef TAPESTRY_RT_TASKS_STEPGRAPH_H
#define TAPESTRY_RT_TASKS_STEPGRAPH_H

#include "Tasks/Graph.h"

namespace tapestry {
namespace rt {

/// Who does a step.
enum class StepPlace : char {
  Worker, ///< computes, or copies in memory
  File,   ///< waits for files
  Nobody  ///< is done as soon as it may be
};

/// The steps of a schedule, to be run in any order that respects what each
/// waits for.
struct StepGraph {
  StepGraph(const TaskGraph &graph, const TaskSchedule &schedule);

  /// Per step: how many others it waits for; which wait for it.
  std::vector<int32_t> waits;
  Rows next;
  std::vector<StepPlace> places;
  /// Per step: the memory that it takes, and gives back when it is done.
  std::vector<int64_t> takes, gives;
  /// Of a step that assembles: whether the chunk of piece p lies in memory is
  /// inMemory[firstPiece[step] + p].
  std::vector<size_t> firstPiece;
  std::vector<char> inMemory;
};

} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_TASKS_STEPGRAPH_H

//===- Schedule.cpp - Steps that run a task program -----------------------===//

#include "Tasks/Graph.h"
#include "Tasks/Groups.h"
#include "Tasks/Order.h"
#include "Tasks/Residency.h"
#include <algorithm>

using namespace tapestry;
using namespace tapestry::rt;

namespace {
/// A schedule and what it costs.
struct Choice {
  Status status;
  TaskSchedule schedule;

  int64_t movedBytes() const {
    return schedule.spilledBytes + schedule.reloadedBytes + schedule.inputBytes;
  }
  /// By so much an earlier choice may be worse: it is better otherwise.
  bool isBetterThan(const Choice &other, double tolerance) const {
    if (status.failed() || other.status.failed())
      return !status.failed() && other.status.failed();
    return static_cast<double>(movedBytes()) * tolerance <
           static_cast<double>(other.movedBytes());
  }
};
} // namespace

/// Bytes that the shards which run and are prepared at the same time have for
/// themselves, and their views.
static int64_t cacheBytes(const TaskGraph &graph, const TaskLimits &limits) {
  int64_t own = 0;
  int64_t views = 0;
  for (size_t i = 0; i < graph.own.size(); ++i) {
    own = std::max(own, graph.own[i]);
    int64_t bytes = 0;
    for (int32_t buffer : graph.reads[i])
      bytes += graph.bytes[buffer];
    views = std::max(views, bytes);
  }
  return std::max(limits.memoryBytes - own, views);
}

static Choice choose(const TaskGraph &graph, const TaskLimits &limits) {
  std::vector<int64_t> paths = criticalPaths(graph);
  Choice best;
  if (paths.size() < graph.program.shards.size()) {
    best.status = Status::failure(
        ExitEnvironment, "the task program is inconsistent: shards wait for "
                         "each other in a circle");
    return best;
  }
  int64_t cache = cacheBytes(graph, limits);
  std::vector<int32_t> bestOrder;
  bool isFirst = true;
  for (int turn = 0; turn < 4; ++turn) {
    std::vector<int32_t> order =
        turn == 0   ? orderShards(graph, paths, OrderKind::CriticalPath, cache)
        : turn == 1 ? orderShards(graph, paths, OrderKind::Locality, cache)
        : turn == 2 ? orderByGroups(graph, cache)
                    : orderShards(graph, paths, OrderKind::Number, cache);
    if (order.size() < paths.size())
      continue;
    Choice choice;
    choice.status = planResidency(
        graph, order, {limits.memoryBytes, limits.spills, 1}, choice.schedule);
    if (!isFirst && !choice.isBetterThan(best, 1.02))
      continue;
    best = std::move(choice);
    bestOrder = std::move(order);
    isFirst = false;
    // What nothing has to leave is best with the shortest way.
    if (!best.status.failed() && best.schedule.evictions == 0)
      break;
  }
  if (best.status.failed())
    return best;
  // Shards that have their memory at the same time run, or are prepared, at the
  // same time; what stays for others is less. As many again as run are to be
  // prepared, if that costs next to nothing.
  int64_t workers = std::max<int64_t>(limits.workers, 1);
  for (int64_t window = 2 * workers + 2; window > 1;) {
    Choice choice;
    choice.status = planResidency(graph, bestOrder,
                                  {limits.memoryBytes, limits.spills, window},
                                  choice.schedule);
    bool isDeep = window > workers + 1;
    if (!best.isBetterThan(choice, isDeep ? 1.05 : 1.1))
      return choice;
    window = isDeep ? workers + 1 : window * 3 / 4;
  }
  return best;
}

Status tapestry::rt::schedule(const TaskProgram &program,
                              const TaskLimits &limits, TaskSchedule &result) {
  Status status = checkTasks(program);
  if (status.failed())
    return status;
  TaskGraph graph(program, limits.unwanted);
  Choice choice = choose(graph, limits);
  result = std::move(choice.schedule);
  return choice.status;
}

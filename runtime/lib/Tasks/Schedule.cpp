//===- Schedule.cpp - Steps that run a task program -----------------------===//

#include "Tasks/Graph.h"
#include "Tasks/Groups.h"
#include "Tasks/Order.h"
#include "Tasks/Pieces.h"
#include "Tasks/Residency.h"
#include <algorithm>
#include <numeric>

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
  /// Whether it moves so much less that it makes up for the other's order.
  bool isBetterThan(const Choice &other) const {
    if (status.failed() || other.status.failed())
      return !status.failed() && other.status.failed();
    return static_cast<double>(movedBytes()) * 1.02 <
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
      bytes = boundedSum(bytes, graph.bytes[buffer]);
    views = std::max(views, bytes);
  }
  return std::max(limits.memoryBytes - own, views);
}

/// Bytes per second of a file, as the times of shards are: of today.
static constexpr double fileBytesPerSecond = 1e9;

/// Shards that have their memory at the same time run, or are prepared, at the
/// same time; what stays for others is less, and more has to move. As many
/// again as run are to be prepared, if that costs little.
static Choice chooseWindow(const TaskGraph &graph, const TaskLimits &limits,
                           const std::vector<int32_t> &order, Choice best) {
  double computing =
      std::accumulate(graph.seconds.begin(), graph.seconds.end(), 0.0);
  auto seconds = [&](const Choice &choice) {
    return std::max(computing / std::max(choice.schedule.shardsAtOnce, 1e-3),
                    static_cast<double>(choice.movedBytes()) /
                        fileBytesPerSecond);
  };
  int64_t workers = std::max<int64_t>(limits.workers, 1);
  for (int64_t window : {(workers + 3) / 2, workers + 1, 2 * workers + 2}) {
    Choice choice;
    choice.status = planResidency(
        graph, order, {limits.memoryBytes, limits.spills, workers, window},
        choice.schedule);
    if (choice.status.failed())
      continue;
    double gain = seconds(best) / std::max(seconds(choice), 1e-12);
    bool costsLittle = static_cast<double>(choice.movedBytes()) <=
                       1.05 * static_cast<double>(best.movedBytes());
    if (gain > 1.05 || (gain > 0.95 && costsLittle))
      best = std::move(choice);
  }
  return best;
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
    choice.status = planResidency(graph, order,
                                  {limits.memoryBytes, limits.spills,
                                   std::max<int64_t>(limits.workers, 1), 1},
                                  choice.schedule);
    if (!isFirst && !choice.isBetterThan(best))
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
  return chooseWindow(graph, limits, bestOrder, std::move(best));
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

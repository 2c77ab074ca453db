//===- ParetoWorker.h - One thread of the Pareto search ---------*- C++ -*-===//

#ifndef TAPESTRY_LIB_PLANNER_PARETO_PARETOWORKER_H
#define TAPESTRY_LIB_PLANNER_PARETO_PARETOWORKER_H

#include "ParetoMutators.h"
#include "tapestry/Planner/Pareto/Pareto.h"
#include <atomic>
#include <chrono>
#include <mutex>

namespace tapestry::pareto {

/// A plan that is worth telling others of.
struct FoundPlan {
  ParetoSketch sketch;
  Objectives objectives = {};
  /// The number of the starting point that it is, or -1.
  int start = -1;
  /// The mutators that led here.
  std::vector<unsigned> history;
};

/// Where threads leave the improvements of their frontiers for each other.
class ParetoExchange {
public:
  void publish(unsigned worker, FoundPlan plan);
  /// What others have published since entry number `next`, which moves on.
  std::vector<std::shared_ptr<const FoundPlan>> news(unsigned worker,
                                                     size_t &next);

private:
  std::mutex mutex;
  std::vector<std::pair<unsigned, std::shared_ptr<const FoundPlan>>> entries;
};

/// What all threads share and none changes.
struct ParetoTask {
  model::RewriteSpace &space;
  const ParetoOptions &options;
  std::vector<DeviceGrid> grids;
  std::vector<FoundPlan> starts;
  std::chrono::steady_clock::time_point deadline;
};

/// One thread: a population of its own, which others only send improvements.
class ParetoWorker {
public:
  /// `exchange`: null for a single thread.
  ParetoWorker(const ParetoTask &task, unsigned number, int64_t quota,
               ParetoExchange *exchange);

  void run();

  std::vector<FoundPlan> frontier();
  /// The plan that breaks the limits least, and by how much.
  FoundPlan closest() { return describe(population.closest()); }
  double leastViolation() const { return population.closest().violation; }
  int64_t trials() const { return trialsDone; }
  double startVolume() const { return volumeAtStart; }
  double volume() const { return population.volume(); }
  std::vector<MutatorRecord> mutatorRecords() const;
  llvm::StringRef whyStopped() const { return reason; }

private:
  void insertStart(const FoundPlan &start, int number);
  bool isDone();
  void step();
  /// Evaluates a child of `parent` that `mutator` made, unless it is known, and
  /// takes it in.
  Objectives consider(const ParetoPopulation::Member &parent, ParetoState child,
                      unsigned mutator);
  void giveCredit(const ParetoPopulation::Member &parent, unsigned mutator);
  void receive();
  FoundPlan describe(const ParetoPopulation::Member &member);

  const ParetoTask &task;
  unsigned number;
  int64_t quota;
  ParetoExchange *exchange;
  size_t nextNews = 0;
  Random random;
  ObjectiveScale scale;
  StateEvaluators evaluators;
  ParetoPopulation population;
  std::vector<std::unique_ptr<ParetoMutator>> mutators;
  FiringRates rates;
  StoppingRule rule;
  std::vector<MutatorRecord> records;
  int64_t trialsDone = 0;
  double volumeAtStart = 0;
  llvm::StringRef reason;
};

} // namespace tapestry::pareto

#endif // TAPESTRY_LIB_PLANNER_PARETO_PARETOWORKER_H

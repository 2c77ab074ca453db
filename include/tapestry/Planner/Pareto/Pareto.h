//===- Pareto.h - Plans for several objectives at once ----------*- C++ -*-===//
//
// Time, traffic, memory and device count pull in different directions. This
// search returns the plans that no other plan it found beats in all of them. It
// starts from the exact plans, changes partitions, homes, grids and the graph
// itself at random, and learns which changes pay (white paper, "Stochastic
// Pareto Frontier Optimization").
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_PLANNER_PARETO_PARETO_H
#define TAPESTRY_PLANNER_PARETO_PARETO_H

#include "tapestry/Planner/Model/Rewrites.h"
#include "tapestry/Planner/Pareto/ParetoControl.h"
#include "tapestry/Planner/Pareto/ParetoFrontier.h"
#include "tapestry/Planner/Plan/Planner.h"
#include <functional>

namespace tapestry::pareto {

/// A space of one graph, which no rewrite changes.
class SingleGraph : public model::RewriteSpace {
public:
  explicit SingleGraph(const model::PlanGraph &graph) : only(graph) {}
  const model::PlanGraph &graph(unsigned number) override { return only; }
  std::vector<model::Rewrite> applicable(unsigned number) override {
    return {};
  }
  llvm::Expected<unsigned> apply(unsigned number,
                                 const model::Rewrite &rewrite) override;
  std::vector<model::Rewrite> history(unsigned number) override { return {}; }

private:
  const model::PlanGraph &only;
};

struct ParetoOptions {
  /// 0: as many as `grid` has.
  int64_t devices = 0;
  /// The named axes; none: those of the machine.
  DeviceGrid grid;
  /// What seconds are reckoned with; without a name: the built-in "cpu".
  machine::Machine machine;
  /// Written into the plans.
  std::string program;
  /// What led to the program of the space: plans carry it.
  std::vector<model::Rewrite> earlierRewrites;

  uint64_t seed = 0;
  /// One thread gives the same result for the same seed (unless `timeLimit`
  /// cuts it short); several give a valid frontier that depends on timing.
  unsigned threads = 1;
  /// The most trials of all threads together; 0: as many as `stopping` allows.
  int64_t evaluations = 0;
  /// Seconds by the clock, those for the starting points included; 0: no limit.
  /// One starting point is always made. A solver is not interrupted: it may
  /// form 10^9 sums for every second that is left, and 10^8 at least.
  double timeLimit = 0;
  StoppingRule::Options stopping;
  /// Members have to stay within these; the search itself may look beyond.
  Objectives limits = noLimits;

  /// The most members of the frontier. Beyond it those go that others can best
  /// stand for; starting points and the best of every objective stay.
  unsigned maxMembers = 200;
  /// How many plans near the frontier are kept as parents beside its members.
  unsigned neighbourhood = 200;
  /// Whether other device counts than `devices` are tried.
  bool fewerDevices = true;
  /// The cost models whose best plans are starting points.
  std::vector<std::string> startModels = cost::costModelNames();
  /// How the starting points are solved and placed.
  plan::PlannerOptions planner;
  /// The most bytes that a device holds when a plan of a graph of the space
  /// runs, where that can be found out. The search goes by an estimate; what it
  /// found and the starts are compared by this in the end, and those within the
  /// limits kept.
  std::function<std::optional<int64_t>(unsigned graph, const plan::Plan &)>
      findPeak;
  /// The rewrites that a plan by a cost model begins with where nothing is
  /// searched, chosen by plans of about so many sums each
  /// (SolverOptions::mostWork). The graph that they lead to is one to start
  /// from, so that no such plan is better than all members.
  std::function<std::vector<model::Rewrite>(llvm::StringRef model,
                                            double mostWork)>
      plainRewrites;
};

/// One plan of the frontier.
struct ParetoMember {
  Objectives objectives = {};
  /// The number of its graph in the space, and how the program gets there.
  unsigned graph = 0;
  std::vector<model::Rewrite> rewrites;
  /// Complete and verified; its solver is "pareto" or that of the starting
  /// point that it is.
  plan::Plan plan;
  /// For people: "exact (paper)", or the mutators that led here, latest last.
  std::string origin;
};

/// A plan that the search started from.
struct ParetoStart {
  Objectives objectives = {};
  /// "exact (paper)".
  std::string origin;
};

/// What became of one mutator.
struct MutatorRecord {
  std::string name;
  int64_t fired = 0;
  /// Improvements of the frontier that it made itself.
  int64_t improvements = 0;
  /// The chance with which it would fire next, over all mutators.
  double rate = 0;
};

struct ParetoFront {
  /// In ascending order of seconds, then of the other objectives.
  std::vector<ParetoMember> members;
  std::vector<ParetoStart> starts;
  std::vector<MutatorRecord> mutators;
  uint64_t seed = 0;
  unsigned threads = 1;
  int64_t evaluations = 0;
  double searchSeconds = 0;
  /// By which factor the hypervolume has grown over that of the starts.
  double volumeGrowth = 1;
  /// "expected gain", "evaluations", "time limit".
  std::string stopped;
};

/// No plan within the limits was found. Too little memory is the machine's
/// fault.
class LimitsError : public llvm::ErrorInfo<LimitsError, FaultError> {
public:
  struct Miss {
    /// The plan that came closest, with its exact peak or (not `isPeakExact`)
    /// the planner's estimate, which is called about so much.
    Objectives closest = {};
    Objectives limits = noLimits;
    bool ranOutOfTime = false;
    bool isPeakExact = false;
    /// What every plan needs, of the program as it is written if there are
    /// rewrites.
    std::optional<int64_t> provedBytes;
    bool hasRewrites = false;
  };
  explicit LimitsError(const Miss &miss);
  static char ID;
};

/// Searches. The error says what is wrong with the options or the graph, or is
/// a LimitsError.
llvm::Expected<ParetoFront> searchPareto(model::RewriteSpace &space,
                                         const ParetoOptions &options);

/// What a plan for `graph` is judged by, on its own grid; its peak is estimated
/// where it is not known.
Objectives objectivesOf(const model::PlanGraph &graph, const plan::Plan &plan,
                        const machine::Machine &machine);

/// The device counts and shapes that a search may use instead of a grid that
/// the user names: every axis shrunk to any of its divisors, or, where there is
/// one axis of at most 16 devices, to any smaller size. Largest first; `grid`
/// itself is the first.
std::vector<DeviceGrid> gridsWithin(const DeviceGrid &grid);

/// The member that a user names: its number from 0, "fastest", "least-traffic",
/// "smallest" (memory), "fewest" (devices) or "balanced" (nearest to the best
/// of every objective). The error lists these names.
llvm::Expected<unsigned> pickMember(const ParetoFront &front,
                                    llvm::StringRef name);

/// Whether pickMember() could know this name in some frontier.
llvm::Error checkPick(llvm::StringRef name);

/// front.json: objectives, solver, rewrites, parts and axes of every member.
/// `space` is the one that was searched.
void writeFront(llvm::raw_ostream &os, model::RewriteSpace &space,
                const ParetoFront &front);

/// The members as an aligned table.
std::string frontTable(const ParetoFront &front);

} // namespace tapestry::pareto

#endif // TAPESTRY_PLANNER_PARETO_PARETO_H

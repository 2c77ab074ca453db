//===- SpmdProblem.h - The planning problem in seconds ----------*- C++ -*-===//
//
// The problem behind the cost model `spmd`. Every vertex with work has two
// variables: how its index space is cut over grid axes (axes that cut nothing
// repeat the work) and where its result is kept, its home. Edges price what
// brings a result home and what a reader fetches from there, so that
// reduce-scatter against all-reduce, gathering before against reducing after,
// and replication of cheap work are choices of the search.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_PLANNER_COST_SECONDS_SPMDPROBLEM_H
#define TAPESTRY_PLANNER_COST_SECONDS_SPMDPROBLEM_H

#include "tapestry/Planner/Cost/Seconds/SpmdCost.h"
#include "tapestry/Planner/Layout/Placement.h"
#include "tapestry/Planner/Optimize/Problem.h"

namespace tapestry::cost::seconds {

struct SpmdOptions {
  /// The most partitions of a vertex, and layouts of a tensor, that are looked
  /// at; of layouts fewer on more than a thousand or two of devices. Where
  /// there are more, first the order of the axes that cut a label is fixed to
  /// ascending, then axes are merged: isComplete says so.
  unsigned mostPartitions = 1000;
  unsigned mostLayouts = 400;
  /// Bytes per device; 0: no limit.
  int64_t memoryLimit = 0;
  /// How to merge axes instead; empty: as above.
  std::vector<Cut> groups;
};

struct SpmdProblem {
  optimize::PlanProblem problem;
  /// Whether every partition and every plain layout on the grid is a choice.
  bool isComplete = true;
  /// The axes that cut a dimension together or not at all.
  std::vector<Cut> groups;

  SpmdProblem();
  SpmdProblem(SpmdProblem &&);
  SpmdProblem &operator=(SpmdProblem &&);
  ~SpmdProblem();

  /// What a solution means: partitions, homes, routes and collectives.
  layout::Placement placementOf(llvm::ArrayRef<uint32_t> choice) const;
  /// The part of a solution's cost that stands for broken preferences.
  double penalty(llvm::ArrayRef<uint32_t> choice) const;
  /// The variables of a vertex: its work's and its home's. Inputs have no work;
  /// an input that its only reader reads has neither.
  struct Variables {
    std::optional<unsigned> work;
    std::optional<unsigned> home;
  };
  llvm::ArrayRef<Variables> variables() const;
  /// What the choices of a vertex's work are.
  llvm::ArrayRef<Partition> partitionsOf(unsigned vertex) const;
  /// What the choices of a tensor's home are: the layouts that constraints and
  /// groups allow.
  std::vector<Layout> homesOf(unsigned vertex) const;

  struct Decoding;
  std::unique_ptr<Decoding> decoding;
};

/// `graph` and `grid` must outlive the result. Fails where a vertex has more
/// choices than can be planned.
llvm::Expected<SpmdProblem> buildSpmdProblem(const model::PlanGraph &graph,
                                             const DeviceGrid &grid,
                                             const machine::Machine &machine,
                                             const SpmdOptions &options = {});

} // namespace tapestry::cost::seconds

#endif // TAPESTRY_PLANNER_COST_SECONDS_SPMDPROBLEM_H

//===- Plan.h - A finished plan ---------------------------------*- C++ -*-===//
//
// Everything that is decided about a graph: the parts and axes of every label,
// where tensors live, which collectives run, and what the plan costs and is
// proved to cost at least. What lowering reads and what plan.json holds.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_PLANNER_PLAN_PLAN_H
#define TAPESTRY_PLANNER_PLAN_PLAN_H

#include "tapestry/Planner/Cost/CostModel.h"
#include "tapestry/Planner/Model/Rewrites.h"

namespace tapestry::plan {

struct PlannedVertex {
  std::string name;
  /// Parts of every label, in the label order of the graph's vertex.
  PartVector parts;
  cost::VertexCost cost;
};

struct Plan {
  /// What the user calls the program, e.g. its file; may be empty.
  std::string program;
  int64_t devices = 1;
  /// The grid as the user named it; its axes may have any size.
  DeviceGrid userGrid;
  /// What leads from the program to the graph that is planned, in order.
  std::vector<model::Rewrite> rewrites;
  /// The grid that axes are taken from: userGrid's axes split into primes.
  DeviceGrid grid;
  std::string solver;
  /// The name of a registered cost model.
  std::string costModel = cost::defaultCostModel.str();
  /// What the cost model reckons with; without a name where it needs none.
  machine::Machine machine;
  /// Devices that were offered and are better left alone: the grid has none of
  /// them.
  int64_t idleDevices = 0;
  /// In the unit of the cost model.
  double cost = 0;
  double lowerBound = 0;
  bool provedOptimal = false;
  /// Time spent on planning.
  double planSeconds = 0;
  int64_t peakBytesPerDevice = 0;
  /// Whether that is what the program was found to allocate; else it is the
  /// planner's estimate from layouts and lifetimes.
  bool isPeakExact = false;
  /// One entry per vertex of the graph, in order.
  std::vector<PlannedVertex> vertices;
  /// One entry per vertex of the graph, in order, and the collectives.
  layout::Placement placement;

  /// The parts of all vertices.
  std::vector<PartVector> allParts() const;
  const cost::CostModel &model() const;
  /// What a cost model prices. For use while both live.
  cost::DecidedPlan decided(const model::PlanGraph &graph) const;
};

} // namespace tapestry::plan

#endif // TAPESTRY_PLANNER_PLAN_PLAN_H

//===- Placement.h - From parts to grid axes and collectives ----*- C++ -*-===//
//
// A plan says into how many parts each label is cut; placement says over which
// grid axes, where each tensor then lives, and which collectives connect the
// vertices. It prices with Support/Resharding.h, the same code that lowering
// emits by, so the list of collectives is a contract.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_PLANNER_LAYOUT_PLACEMENT_H
#define TAPESTRY_PLANNER_LAYOUT_PLACEMENT_H

#include "tapestry/Planner/Model/Graph.h"
#include "tapestry/Support/Resharding.h"

namespace tapestry::layout {

/// A collective of the planned program.
struct PlannedCollective {
  /// The vertex whose result it moves.
  unsigned vertex = 0;
  /// The vertex that fetches an operand; `vertex` itself where its result is
  /// brought home.
  unsigned reader = 0;
  CollectiveKind kind = CollectiveKind::None;
  /// Devices per group.
  int64_t group = 1;
  /// What one device sends, summed over all devices.
  int64_t bytes = 0;
  Layout from;
  Layout to;
};

struct VertexPlacement {
  /// The axes of every label. Nothing for an input that its only consumer reads
  /// through a window, a slice or a diagonal: its dimensions are not cut
  /// plainly.
  std::optional<Partition> partition;
  /// Where the result lives between its production and its consumers, without
  /// partial values. Plain, unless it is an input stored as its only consumer
  /// reads it.
  Layout home;
  /// Between the result and its home; the first is without partial values.
  Route homeRoute;
  /// Per operand, between its tensor's home and where it is read. Empty, or one
  /// entry per operand.
  std::vector<Route> operandRoutes;
};

struct Placement {
  std::vector<VertexPlacement> vertices;
  /// In the order of emission: for each vertex what brings each of its operands
  /// from its home to where the vertex reads it (every reader fetches for
  /// itself), then the totals of a scan, then what brings its result home, or
  /// an input from the device on which it enters. Behind all of them what
  /// brings tensors to the devices on which they leave. Kinds None and Slice
  /// are not listed.
  std::vector<PlannedCollective> collectives;

  int64_t totalBytes() const;
};

struct PlacementOptions {
  /// The most assignments of axes that are compared for one vertex. On large
  /// grids fewer are, so that the work per vertex stays about the same.
  unsigned maxAssignments = 5000;
  /// The most assignments that are compared in total while the first placement
  /// is improved.
  unsigned maxImprovements = 100'000;
};

/// Assigns to every label of every vertex an ordered list of axes whose sizes
/// multiply to parts[vertex][label]; axes that are left over hold replicas. The
/// assignment is chosen vertex by vertex in graph order, then improved vertex
/// by vertex, to send the fewest bytes. Partitions given in `fixed` (empty, or
/// one entry per vertex) are taken as they are. Deterministic. Fails where the
/// parts are no product of distinct axes.
llvm::Expected<Placement>
placeGraph(const model::PlanGraph &graph, const DeviceGrid &grid,
           llvm::ArrayRef<PartVector> parts,
           llvm::ArrayRef<std::optional<Partition>> fixed = {},
           const PlacementOptions &options = {});

} // namespace tapestry::layout

#endif // TAPESTRY_PLANNER_LAYOUT_PLACEMENT_H

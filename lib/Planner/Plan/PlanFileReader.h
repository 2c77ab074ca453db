//===- PlanFileReader.h - Reading plan.json ---------------------*- C++ -*-===//
//
// What a file says, not what follows from it: PlanFollower.h.
// PlanFileReader.cpp reads the header and what is stated beyond the decisions,
// PlanFileVertices.cpp what is decided of vertices.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_PLANNER_PLAN_PLANFILEREADER_H
#define TAPESTRY_LIB_PLANNER_PLAN_PLANFILEREADER_H

#include "PlanFileValues.h"
#include "tapestry/Planner/Plan/Planner.h"

namespace tapestry::plan {

/// What the file says of one vertex; what is open, the planner decides.
struct VertexEntry {
  /// Where it stands; empty: nowhere.
  std::string path;
  /// Parts per label, 0 where they are open.
  PartVector parts;
  /// Axes per label, nothing where they are open.
  llvm::SmallVector<std::optional<Cut>, 4> cuts;
  /// The same of the dimensions of the home; empty where it is not given.
  llvm::SmallVector<std::optional<Cut>, 4> home;
  Route homeRoute;
  std::vector<Route> operandRoutes;
  /// One per component of the cost model.
  std::vector<std::optional<double>> costs;

  bool hasParts() const;
  bool hasCuts() const;
  bool hasHome() const;
};

/// What a file decides.
struct PlanFileContents {
  /// But for its vertices.
  PlanSketch sketch;
  /// The sketch's, split into primes.
  DeviceGrid grid;
  const cost::CostModel *model = nullptr;
  /// One per vertex of the graph.
  std::vector<VertexEntry> entries;
};

/// What a file states beside that, to be compared with what follows.
struct StatedPlan {
  struct Collective {
    Cursor at = {};
    std::optional<std::string> vertex, kind;
    std::optional<int64_t> group, bytes;
  };
  std::optional<double> cost, lowerBound, seconds;
  std::optional<bool> provedOptimal, isPeakExact;
  std::optional<int64_t> peakBytes;
  /// Where the collectives stand; nothing where the file lists none.
  std::optional<Cursor> collectivesAt;
  std::vector<Collective> collectives;
};

class PlanFileReader : public PlanFileValues {
public:
  /// Adds the file's layout groups to `graph`. The file's own grid, cost model
  /// and machine come before those of `options`.
  PlanFileReader(llvm::StringRef text, llvm::StringRef fileName,
                 model::PlanGraph &graph, const PlannerOptions &options)
      : PlanFileValues(fileName), text(text), graph(graph), options(options) {}

  using PlanFileValues::read;
  llvm::Expected<PlanFileContents> read();
  /// To be called after read().
  llvm::Expected<StatedPlan> readStated() const;

private:
  llvm::Error readHeader(const Cursor &top);
  llvm::Error readGrid(const Cursor &top);
  llvm::Error readMachine(const Cursor &top);
  llvm::Error readGroups(const Cursor &top);

  // Vertices (PlanFileVertices.cpp).
  llvm::Error readVertices(const Cursor &at);
  llvm::Error readVertex(const Cursor &at);
  llvm::Error readParts(const Cursor &at, const model::PlanVertex &vertex,
                        VertexEntry &entry);
  llvm::Error readAxes(const Cursor &at, const model::PlanVertex &vertex,
                       VertexEntry &entry);
  llvm::Error readHome(const Cursor &at, const model::PlanVertex &vertex,
                       VertexEntry &entry);
  llvm::Error readRoute(const Cursor &at, const model::PlanVertex &vertex,
                        Route &route);
  llvm::Error readOperandRoutes(const Cursor &at,
                                const model::PlanVertex &vertex,
                                VertexEntry &entry);
  llvm::Error readCut(const Cursor &at, Cut &cut);
  llvm::Error axesNamed(const Cursor &at, llvm::StringRef name, Cut &cut);
  llvm::Error checkEntry(const Cursor &at, const model::PlanVertex &vertex,
                         VertexEntry &entry);
  llvm::Error readDims(const Cursor &at, const model::PlanVertex &vertex,
                       bool allowOpen,
                       llvm::SmallVectorImpl<std::optional<Cut>> &dims);

  llvm::StringRef text;
  model::PlanGraph &graph;
  const PlannerOptions &options;
  json::Value root = nullptr;
  PlanSketch sketch;
  const cost::CostModel *model = nullptr;
  DeviceGrid grid;
  std::vector<VertexEntry> entries;
};

} // namespace tapestry::plan

#endif // TAPESTRY_LIB_PLANNER_PLAN_PLANFILEREADER_H

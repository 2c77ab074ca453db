//===- PlanFollower.h - The plan that a plan.json leads to ------*- C++ -*-===//

#ifndef TAPESTRY_LIB_PLANNER_PLAN_PLANFOLLOWER_H
#define TAPESTRY_LIB_PLANNER_PLAN_PLANFOLLOWER_H

#include "PlanFileReader.h"

namespace tapestry::plan {

class PlanFollower {
public:
  /// Adds what the file asks to `graph`.
  PlanFollower(llvm::StringRef text, llvm::StringRef fileName,
               model::PlanGraph &graph, const PlannerOptions &options)
      : text(text), fileName(fileName), graph(graph), options(options),
        reader(text, fileName, graph, options) {}

  llvm::Expected<Plan> follow();

private:
  /// Whether `input` is stored as its only reader wants it, as far as the file
  /// goes: then its entry says nothing new.
  bool followsReader(unsigned input) const;
  /// Demands of the plan what an entry decides.
  void addConstraints(unsigned vertex);

  llvm::Expected<Plan> decide();
  llvm::Expected<Plan> followPlacement();
  llvm::Expected<Plan> followParts();
  llvm::Expected<Plan> planTheRest();

  llvm::Error compareCosts(const StatedPlan &stated, Plan &plan) const;
  llvm::Error compareCollectives(const StatedPlan &stated,
                                 const Plan &plan) const;
  llvm::Error compareCost(const Cursor &at, std::optional<double> stated,
                          double counted) const;

  llvm::StringRef text;
  std::string fileName;
  model::PlanGraph &graph;
  const PlannerOptions &options;
  PlanFileReader reader;
  PlanSketch sketch;
  DeviceGrid grid;
  const cost::CostModel *model = nullptr;
  std::vector<VertexEntry> entries;
  /// Whose entries are constraints of `graph` by now.
  std::vector<bool> isConstrained;
  /// Whether the file decides everything, so that what it states of costs and
  /// collectives is to be compared.
  bool isComplete = false;
};

} // namespace tapestry::plan

#endif // TAPESTRY_LIB_PLANNER_PLAN_PLANFOLLOWER_H

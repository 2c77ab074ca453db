//===- PlanDiff.h - What two plan files decide differently ------*- C++ -*-===//
//
// Compares two plan.json files as they are written, so that plans of two
// versions, machines or solvers can be set side by side without their program.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_PLANNER_PLAN_PLANDIFF_H
#define TAPESTRY_PLANNER_PLAN_PLANDIFF_H

#include "tapestry/Planner/Model/Graph.h"

namespace tapestry::plan {

/// A plan file's contents and what to call it.
struct PlanText {
  std::string name;
  std::string text;
};

/// A text that names everything that differs: keys of the plans (but not the
/// time spent planning), vertices with their parts, axes, homes and costs, and
/// the bytes of every kind of collective. Ends with one line that counts the
/// vertices that differ, or says that nothing does.
///
/// With a graph, both are first read and completed as plans for it, so that
/// files that leave things open can be compared; every fault that parsePlan()
/// finds is an error then. Without, a file must be JSON, have "tapestry_plan":
/// 1 and, where they are there, lists of objects under "vertices" (each with a
/// "name") and "collectives". Errors begin with the file's name and name the
/// JSON path.
llvm::Expected<std::string> diffPlans(const PlanText &left,
                                      const PlanText &right,
                                      const model::PlanGraph *graph = nullptr);

} // namespace tapestry::plan

#endif // TAPESTRY_PLANNER_PLAN_PLANDIFF_H

//===- PlanFile.h - plan.json -----------------------------------*- C++ -*-===//
//
// Plans as files that a user may read, keep, compare and write by hand;
// docs/PlanFile.md describes every key.
//
// A file that decides everything is followed as it is, and what it states
// beyond the decisions is compared with what follows from them. What another
// one leaves open (vertices, labels, axes, homes that are missing or "?") is
// planned, with what it gives as constraints.
//
// Beside "vertices" there may be "rewrites", a list of
//   {"kind": "order", "vertex": "Z", "arguments": ["1 2", "0 3"]}
// in the words of Rewrites.h: the rest of the file is about the graph that they
// lead to.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_PLANNER_PLAN_PLANFILE_H
#define TAPESTRY_PLANNER_PLAN_PLANFILE_H

#include "tapestry/Planner/Plan/Plan.h"
#include "tapestry/Planner/Plan/Planner.h"

namespace tapestry::plan {

/// Writes plan.json with keys in the order above, vertices in graph order and
/// numbers to the last digit: equal plans give equal bytes.
void writePlan(llvm::raw_ostream &os, const model::PlanGraph &graph,
               const Plan &plan);

/// Reads plan.json for `graph`, decides what it leaves open by `options`
/// (solver, cost model, machine; the grid, cost model and machine that the file
/// names come first) and verifies the plan. The file's constraints and groups
/// are added to `graph`, which the plan then fits; on failure it stays as it
/// was. Every error begins with "`fileName`: error: " and names the JSON path
/// and both numbers that disagree, unless a constraint of the program is at
/// odds with the file's: then with that constraint's place.
///
/// Of a file that decides everything, a lower bound is believed only if the
/// file's cost is right, and an optimum is not proved again: it stays what the
/// file says.
llvm::Expected<Plan> followPlan(llvm::StringRef text, llvm::StringRef fileName,
                                model::PlanGraph &graph,
                                const PlannerOptions &options = {});

/// followPlan() on the contents of a file.
llvm::Expected<Plan> followPlanFile(llvm::StringRef path,
                                    model::PlanGraph &graph,
                                    const PlannerOptions &options = {});

/// followPlan() where the plan has to fit `graph` as it is: an input may then
/// not be stored otherwise than its only reader wants it.
llvm::Expected<Plan> parsePlan(llvm::StringRef text, llvm::StringRef fileName,
                               const model::PlanGraph &graph,
                               const PlannerOptions &options = {});

/// parsePlan() on the contents of a file.
llvm::Expected<Plan> readPlanFile(llvm::StringRef path,
                                  const model::PlanGraph &graph,
                                  const PlannerOptions &options = {});

/// The rewrites that a plan.json starts from; none where the key is missing or
/// the text is no plan, which is for parsePlan() to say. An error names the
/// entry that is no rewrite.
llvm::Expected<std::vector<model::Rewrite>>
parsePlanRewrites(llvm::StringRef text, llvm::StringRef fileName);

/// parsePlanRewrites() on the contents of a file.
llvm::Expected<std::vector<model::Rewrite>>
readPlanRewrites(llvm::StringRef path);

} // namespace tapestry::plan

#endif // TAPESTRY_PLANNER_PLAN_PLANFILE_H

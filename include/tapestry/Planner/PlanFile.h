//===- PlanFile.h - plan.json -----------------------------------*- C++ -*-===//
//
// Plans as files that a user may read, keep, compare and write by hand.
//
//   {"tapestry_plan": 1, "program": "chain.ein", "devices": 8, "grid": {"d":
//   8},
//    "solver": "exact", "cost_model": "paper", "cost": 123, "lower_bound": 123,
//    "proved_optimal": true, "plan_seconds": 0.004, "peak_bytes_per_device":
//    4096, "vertices": [{"name": "C", "parts": {"i": 2, "j": 1, "k": 4},
//                  "axes": {"i": ["d.0"], "k": ["d.1", "d.2"]},
//                  "join": 0, "aggregate": 0, "repartition": 0}],
//    "collectives": [{"vertex": "C", "kind": "all_reduce", "group": 2,
//                     "bytes": 1024}]}
//
// Beside "vertices" there may be "rewrites", a list of
//   {"kind": "order", "vertex": "Z", "arguments": ["1 2", "0 3"]}
// in the words of Rewrites.h: the rest of the file is about the graph that they
// lead to.
//
// Only "tapestry_plan", "devices" or "grid", and the "name" and "parts" (or
// "axes") of every vertex with work must be there. A label without parts has as
// many as its axes make, or one. An axis of "grid" may stand for all its prime
// parts, major first. What else is there is compared with what follows from the
// rest.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_PLANNER_PLANFILE_H
#define TAPESTRY_PLANNER_PLANFILE_H

#include "tapestry/Planner/Plan.h"

namespace tapestry {

/// Writes plan.json with keys in the order above, vertices in graph order and
/// numbers to the last digit: equal plans give equal bytes.
void writePlan(llvm::raw_ostream &os, const PlanGraph &graph, const Plan &plan);

/// Reads plan.json for `graph`, completes and verifies it. Every error begins
/// with "`fileName`: error: " and names the JSON path and both numbers that
/// disagree. A lower bound in the file is believed only if the file's cost is
/// right, and an optimum is not taken as proved again: it stays what the file
/// says.
llvm::Expected<Plan> parsePlan(llvm::StringRef text, llvm::StringRef fileName,
                               const PlanGraph &graph,
                               const PlacementOptions &options = {});

/// parsePlan() on the contents of a file.
llvm::Expected<Plan> readPlanFile(llvm::StringRef path, const PlanGraph &graph,
                                  const PlacementOptions &options = {});

/// The rewrites that a plan.json starts from; none where the key is missing or
/// the text is no plan, which is for parsePlan() to say. An error names the
/// entry that is no rewrite.
llvm::Expected<std::vector<Rewrite>>
parsePlanRewrites(llvm::StringRef text, llvm::StringRef fileName);

/// parsePlanRewrites() on the contents of a file.
llvm::Expected<std::vector<Rewrite>> readPlanRewrites(llvm::StringRef path);

} // namespace tapestry

#endif // TAPESTRY_PLANNER_PLANFILE_H

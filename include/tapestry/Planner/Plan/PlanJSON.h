//===- PlanJSON.h - Pieces that plan.json and front.json share --*- C++ -*-===//

#ifndef TAPESTRY_PLANNER_PLAN_PLANJSON_H
#define TAPESTRY_PLANNER_PLAN_PLANJSON_H

#include "tapestry/Planner/Plan/Plan.h"
#include "llvm/Support/JSON.h"

namespace tapestry::plan {

/// The attribute "grid": the axes as the user named them.
void writeGrid(llvm::json::OStream &json, const DeviceGrid &userGrid);
/// The attribute "rewrites".
void writeRewrites(llvm::json::OStream &json,
                   llvm::ArrayRef<model::Rewrite> rewrites);
/// The attributes "name", "parts" and, where it has a partition, "axes" of a
/// vertex.
void writeCut(llvm::json::OStream &json, const model::PlanVertex &vertex,
              const PlannedVertex &planned,
              const layout::VertexPlacement &placed, const DeviceGrid &grid);

} // namespace tapestry::plan

#endif // TAPESTRY_PLANNER_PLAN_PLANJSON_H

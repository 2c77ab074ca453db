//===- PlanText.h - What a plan decides, in words for people ----*- C++ -*-===//

#ifndef TAPESTRY_PLANNER_PLAN_PLANTEXT_H
#define TAPESTRY_PLANNER_PLAN_PLANTEXT_H

#include "tapestry/Planner/Plan/Plan.h"
#include "tapestry/Support/TextTable.h"
#include <string>

namespace tapestry::plan {

/// A cost without its unit, as the plan's cost model writes it.
std::string costText(const Plan &plan, double cost);
/// The same with a sign: what something costs more.
std::string extraCostText(const Plan &plan, double cost);
/// "elements" or what else the plan's cost model counts.
llvm::StringRef costUnit(const Plan &plan);
/// "i=4 k=2".
std::string partsText(const model::PlanVertex &vertex,
                      llvm::ArrayRef<int64_t> parts);
/// "i:d.0,d.1 k:d.2"; "as read" for an input without a partition.
std::string axesText(const model::PlanVertex &vertex, const DeviceGrid &grid,
                     const layout::VertexPlacement &placed);
/// "from device 1 to device 0", where it enters and leaves the program on one.
std::string borderText(const model::PlanVertex &vertex);

} // namespace tapestry::plan

#endif // TAPESTRY_PLANNER_PLAN_PLANTEXT_H

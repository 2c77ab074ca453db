//===- VerifyCosts.h - Whether a plan's costs are right ---------*- C++ -*-===//

#ifndef TAPESTRY_LIB_PLANNER_PLAN_VERIFYCOSTS_H
#define TAPESTRY_LIB_PLANNER_PLAN_VERIFYCOSTS_H

#include "tapestry/Planner/Plan/Plan.h"

namespace tapestry::plan {

/// The last check of verifyPlan(): the costs that a plan states, reckoned again
/// from its parts and placement, which must be right.
[[nodiscard]] llvm::Error verifyCosts(const model::PlanGraph &graph,
                                      const Plan &plan);

} // namespace tapestry::plan

#endif // TAPESTRY_LIB_PLANNER_PLAN_VERIFYCOSTS_H

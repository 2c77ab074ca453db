//===- ReplayPlanFile.h - The graph that a plan file is of ------*- C++ -*-===//

#ifndef TAPESTRY_LIB_PIPELINES_REPLAYPLANFILE_H
#define TAPESTRY_LIB_PIPELINES_REPLAYPLANFILE_H

#include "mlir/Pass/Pass.h"
#include "tapestry/Planner/Plan/PlanRequest.h"

namespace tapestry {

/// A pass that does to graphs what the plan file of a request says has been
/// done to its own. What does not apply is said where the plan is followed,
/// which tries again: the graph stays as it is then.
std::unique_ptr<mlir::Pass>
createReplayPlanFile(const plan::PlanRequest &request);

} // namespace tapestry

#endif // TAPESTRY_LIB_PIPELINES_REPLAYPLANFILE_H

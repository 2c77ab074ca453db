//===- PlanCost.h - What passes that choose by cost ask ---------*- C++ -*-===//

#ifndef TAPESTRY_DIALECT_TAPESTRY_TRANSFORMS_PLANCOST_H
#define TAPESTRY_DIALECT_TAPESTRY_TRANSFORMS_PLANCOST_H

#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"
#include "tapestry/Planner/Plan/PlanRequest.h"

namespace tapestry::teg {

/// What the plan of a graph costs, which is planned then.
llvm::Expected<double> planCost(GraphOp graph,
                                const plan::PlanRequest &request);

/// What the options of a pass ask for, in the order of PricedPlanOptions.td.
plan::PlanRequest pricedPlan(int64_t devices, llvm::StringRef grid,
                             llvm::StringRef cost, llvm::StringRef machine,
                             int64_t threads, llvm::StringRef solver,
                             double mostWork);

/// The options that ask for it.
template <typename OptionsT>
OptionsT pricedPlanOptions(const plan::PlanRequest &request) {
  OptionsT options;
  options.devices = request.devices;
  options.grid = request.grid;
  options.cost = request.costModel.value_or(options.cost);
  options.solver = request.solver.value_or(options.solver);
  options.threads = request.threads;
  options.machine = request.machine.value_or(options.machine);
  if (request.mostWork != plan::PlanRequest().mostWork)
    options.mostWork = request.mostWork;
  return options;
}

} // namespace tapestry::teg

#endif // TAPESTRY_DIALECT_TAPESTRY_TRANSFORMS_PLANCOST_H

//===- PricedPlanOptions.td - Options of passes that price -*- tablegen -*-===//
//
// What a pass that chooses by the cost of plans has to be told, as PlanCost.h
// reads it.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_DIALECT_TAPESTRY_TRANSFORMS_PRICEDPLANOPTIONS_TD
#define TAPESTRY_DIALECT_TAPESTRY_TRANSFORMS_PRICEDPLANOPTIONS_TD

include "mlir/Pass/PassBase.td"

defvar pricedPlanOptions = [
  Option<"devices", "devices", "int64_t", "0",
         "Of the plan; 0: as many as the grid has">,
  Option<"grid", "grid", "std::string", "",
         "Of the plan: node=2,gpu=4">,
  Option<"cost", "cost", "std::string", "\"paper\"",
         "Cost model of the plan">,
  Option<"machine", "machine", "std::string", "",
         "What cost=spmd reckons with">,
  Option<"threads", "threads", "int64_t", "0",
         "Threads of each device, for cost=spmd; 0: as the machine says">,
  Option<"solver", "solver", "std::string", "\"exact\"",
         "Solver of the plan">,
  Option<"mostWork", "most-work", "double", "0",
         "About how many sums each plan may take; 0: the solver's own limit">
];

#endif // TAPESTRY_DIALECT_TAPESTRY_TRANSFORMS_PRICEDPLANOPTIONS_TD

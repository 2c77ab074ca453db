//===- PlanRequest.h - How a graph is to be planned -------------*- C++ -*-===//
//
// What users say of planning, the same on the driver's command line and in the
// options of passes and pipelines: one struct, one table of options.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_PLANNER_PLAN_PLANREQUEST_H
#define TAPESTRY_PLANNER_PLAN_PLANREQUEST_H

#include "tapestry/Planner/Plan/Planner.h"

namespace tapestry::plan {

/// The most threads that a device has.
constexpr int64_t maxThreads = 1024;

struct PlanRequest {
  /// 0: as many as the grid or the plan file has.
  int64_t devices = 0;
  /// Axes as the user writes them: "node=2,gpu=4", with links where they differ
  /// from the machine's: "node=2:bw=25GB/s:lat=5us,gpu=4"; empty: one axis "d".
  std::string grid;
  /// A built-in machine's name or a machine file.
  std::optional<std::string> machine;
  /// Threads of a device; 0: as many as the machine says.
  int64_t threads = 0;
  /// Of which products parts are combined while others are computed, in bytes
  /// of a device's result; 0: none. Else what the machine says.
  std::optional<int64_t> cutProducts;
  std::optional<std::string> solver;
  std::optional<std::string> costModel;
  /// What products of many tensors are ordered by, or "none"; empty: "flops",
  /// but what a plan file says.
  std::string order;
  /// Rules that expand operators before all others: "linear-sum,matmul-einsum".
  std::string prefer;
  /// The most bytes that a device may hold at once; 0: no limit.
  int64_t memoryLimit = 0;
  /// A plan.json to follow instead of solving; empty: solve.
  std::string planFile;
  /// SolverOptions::mostWork of each plan.
  double mostWork = optimize::SolverOptions().mostWork;
  /// PlannerOptions::mayIdle.
  bool mayIdle = true;
  /// What the plan calls the program.
  std::string program;

  /// The names in `prefer`.
  std::vector<std::string> preferredRules() const;

  /// Sets what a user who says nothing means: one device, and an order.
  void fillIn();
};

/// One of the options that fill a PlanRequest.
struct PlanOption {
  llvm::StringLiteral name;
  /// For --help: what the value looks like, and what it is for.
  llvm::StringLiteral value;
  llvm::StringLiteral description;
  /// Takes the value. The error begins with the option's name.
  llvm::Error (*set)(PlanRequest &request, llvm::StringRef value);
};

/// All of them.
llvm::ArrayRef<PlanOption> planOptions();

/// The planner's options, without the memory limit, or what is wrong with the
/// request: unknown names, a grid that does not fit. Those are errors of usage.
llvm::Expected<PlannerOptions> resolveRequest(const PlanRequest &request);

/// A machine, or links of a grid, for a cost model that reckons without them is
/// a mistake. Of a request that resolveRequest() takes.
llvm::Error checkMachineIsUsed(const PlanRequest &request);

/// A plan file comes before defaults. Fails where the user asked for something
/// that the file's plan is not.
llvm::Error checkFollowed(const PlanRequest &request, const Plan &plan);

} // namespace tapestry::plan

#endif // TAPESTRY_PLANNER_PLAN_PLANREQUEST_H

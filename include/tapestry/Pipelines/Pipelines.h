//===- Pipelines.h - The phases of a compilation ----------------*- C++ -*-===//
//
// One build function and one option struct per phase. A phase never asks an
// earlier one anything: what it needs stands in the IR.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_PIPELINES_PIPELINES_H
#define TAPESTRY_PIPELINES_PIPELINES_H

#include "mlir/Pass/PassManager.h"
#include "tapestry/Codegen/Pipeline.h"
#include "tapestry/Planner/Cost/CostModel.h"

namespace tapestry {

/// The phases in the order in which they run.
enum class Phase {
  Graph,    ///< tapestry to tapestry: prune, order contractions
  Plan,     ///< a partition and a home layout on every operation
  Relation, ///< tapestry to tra: join, aggregate, repartition
  Program,  ///< tra to comm and linalg: what one device does
  Code,     ///< comm and linalg to the LLVM dialect
};

struct PhaseInfo {
  Phase phase;
  llvm::StringLiteral name;
  llvm::StringLiteral description;
};
/// All phases with what `--stop-after` calls them.
llvm::ArrayRef<PhaseInfo> allPhases();

struct GraphOptions {
  /// What products of many tensors are ordered by: none, flops, peak, planned.
  std::string order = "flops";
  /// For `planned`; see PlanOptions.
  int64_t devices = 0;
  std::string grid;
  std::string cost = defaultCostModel.str();
};

struct PlanOptions : mlir::PassPipelineOptions<PlanOptions> {
  Option<int64_t> devices{*this, "devices",
                          llvm::cl::desc("Number of devices, at least 1"),
                          llvm::cl::init(1)};
  Option<std::string> grid{
      *this, "grid",
      llvm::cl::desc("Named axes instead of prime factors: node=2,gpu=4")};
  Option<std::string> solver{*this, "solver",
                             llvm::cl::desc("exact or eindecomp"),
                             llvm::cl::init("exact")};
  Option<std::string> cost{*this, "cost", llvm::cl::desc("Cost model: paper"),
                           llvm::cl::init(defaultCostModel.str())};
  Option<std::string> plan{
      *this, "plan",
      llvm::cl::desc("A plan.json to follow instead of solving")};
  Option<std::string> order{
      *this, "order",
      llvm::cl::desc("Order products of many tensors before: none, flops, "
                     "peak or planned"),
      llvm::cl::init("flops")};
};

/// Registers the planner's cost models, as everything here that plans does
/// itself.
void registerAllCostModels();

void buildGraphPipeline(mlir::OpPassManager &pm,
                        const GraphOptions &options = GraphOptions());
void buildPlanPipeline(mlir::OpPassManager &pm, const PlanOptions &options);
void buildRelationPipeline(mlir::OpPassManager &pm);
void buildProgramPipeline(mlir::OpPassManager &pm);
/// The first part of the code phase: until all buffers are known and the peak
/// of every device's memory stands in the module's `comm.program`.
void buildBufferPipeline(mlir::OpPassManager &pm, const Target &target,
                         const CodegenOptions &options);
/// The whole code phase.
void buildCodePipeline(mlir::OpPassManager &pm, const Target &target,
                       const CodegenOptions &options);

/// Adds the upstream dialects that the phases make, with what they need to be
/// bufferised and translated to LLVM IR.
void registerPipelineDialects(mlir::DialectRegistry &registry);

/// Registers `tapestry-plan-pipeline`, `tapestry-to-program` and
/// `tapestry-to-llvm`.
void registerTapestryPipelines();

} // namespace tapestry

#endif // TAPESTRY_PIPELINES_PIPELINES_H

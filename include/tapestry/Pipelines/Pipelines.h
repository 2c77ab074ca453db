//===- Pipelines.h - The phases of a compilation ----------------*- C++ -*-===//
//
// One build function per phase. A phase never asks an
// earlier one anything: what it needs stands in the IR.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_PIPELINES_PIPELINES_H
#define TAPESTRY_PIPELINES_PIPELINES_H

#include "mlir/Pass/PassManager.h"
#include "tapestry/Codegen/Pipeline.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"
#include "tapestry/Planner/Plan/PlanRequest.h"

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

/// Registers the planner's cost models, as everything here that plans does
/// itself.
void registerAllCostModels();

/// What the graph pipeline leaves out.
struct GraphPipelineOptions {
  /// Operators are expanded as a plan's cost says.
  bool expands = true;
  /// Strided and dilated windows are put in phases where plans are cheaper.
  bool phases = true;
  /// What reads views reads what is behind them, but for who evaluates what was
  /// written.
  bool composes = true;
};
/// Prunes, expands operators and orders products of many tensors as the request
/// says. Where a plan file says how a graph was rewritten, nothing else is.
/// What is to keep a memory limit stays as it is written.
void buildGraphPipeline(mlir::OpPassManager &pm,
                        const plan::PlanRequest &request = plan::PlanRequest(),
                        const GraphPipelineOptions &options = {});
/// The part of it that chooses by what plans cost, or takes: passes of a graph.
void buildChoicePipeline(mlir::OpPassManager &pm,
                         const plan::PlanRequest &request,
                         const GraphPipelineOptions &options = {});
/// Cuts the graph over the devices. A memory limit holds for what the program
/// will allocate (findPeakBytes).
void buildPlanPipeline(mlir::OpPassManager &pm,
                       const plan::PlanRequest &request);
void buildRelationPipeline(mlir::OpPassManager &pm);
void buildProgramPipeline(mlir::OpPassManager &pm);
/// The first part of the code phase: until all buffers are known and the peak
/// of every device's memory stands in the module's `comm.programs`.
void buildBufferPipeline(mlir::OpPassManager &pm, const Target &target,
                         const CodegenOptions &options);
/// What follows it, until the module is in the LLVM dialect, or at the target's
/// stage `last`.
void buildLoweringPipeline(mlir::OpPassManager &pm, const Target &target,
                           const CodegenOptions &options,
                           llvm::StringRef last = {});
/// The whole code phase, or that until the target's stage `last`.
void buildCodePipeline(mlir::OpPassManager &pm, const Target &target,
                       const CodegenOptions &options,
                       llvm::StringRef last = {});

/// The most bytes that any device's arena will hold when a planned graph
/// runs. Lowers a copy of the graph until all buffers are known; nothing where
/// that fails.
std::optional<int64_t>
findPeakBytes(teg::GraphOp graph,
              const CodegenOptions &options = CodegenOptions());

/// Adds the upstream dialects that the phases make, with what they need to be
/// bufferised and translated to LLVM IR.
void registerPipelineDialects(mlir::DialectRegistry &registry);

/// Registers `tapestry-plan-pipeline`, `tapestry-to-program` and
/// `tapestry-to-llvm`, and `tapestry-partition` with exact memory limits: to be
/// called before that pass' own room registers it.
void registerTapestryPipelines();

} // namespace tapestry

#endif // TAPESTRY_PIPELINES_PIPELINES_H

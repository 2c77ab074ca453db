//===- Pipelines.cpp - The phases of a compilation ------------------------===//

#include "tapestry/Pipelines/Pipelines.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/FuncBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Linalg/Transforms/SubsetInsertionOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/SubsetInsertionOpInterfaceImpl.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "tapestry/Conversion/Passes.h"
#include "tapestry/Dialect/Index/Transforms/Passes.h"
#include "tapestry/Dialect/Tapestry/Transforms/Passes.h"
#include "tapestry/Planner/Cost/Elements/PaperCost.h"
#include "tapestry/Planner/Cost/Seconds/SpmdCost.h"

using namespace mlir;
using namespace tapestry;

ArrayRef<PhaseInfo> tapestry::allPhases() {
  static const PhaseInfo phases[] = {
      {Phase::Graph, "graph", "prune what nobody observes, order contractions"},
      {Phase::Plan, "plan", "cut every operation over the devices"},
      {Phase::Relation, "relation", "joins, aggregates and repartitions"},
      {Phase::Program, "program", "one device's program with collectives"},
      {Phase::Code, "code", "the LLVM dialect"},
  };
  return phases;
}

void tapestry::registerAllCostModels() {
  registerCostModel(elementsModel());
  registerCostModel(secondsModel());
}

void tapestry::buildGraphPipeline(OpPassManager &pm,
                                  const GraphOptions &options) {
  registerAllCostModels();
  pm.addNestedPass<teg::GraphOp>(teg::createTapestryPrune());
  if (options.order == "none")
    return;
  teg::TapestryOrderContractionsOptions order;
  order.objective = options.order;
  order.devices = options.devices;
  order.grid = options.grid;
  order.cost = options.cost;
  pm.addNestedPass<teg::GraphOp>(teg::createTapestryOrderContractions(order));
}

void tapestry::buildPlanPipeline(OpPassManager &pm,
                                 const PlanOptions &options) {
  registerAllCostModels();
  teg::TapestryPartitionOptions pass;
  pass.devices = options.devices;
  pass.grid = options.grid;
  pass.solver = options.solver;
  pass.cost = options.cost;
  pass.plan = options.plan;
  pm.addNestedPass<teg::GraphOp>(teg::createTapestryPartition(pass));
  pm.addNestedPass<teg::GraphOp>(teg::createTapestryVerifyShards());
}

void tapestry::buildRelationPipeline(OpPassManager &pm) {
  pm.addPass(createConvertTapestryToTRA());
  pm.addPass(createCSEPass());
}

void tapestry::buildProgramPipeline(OpPassManager &pm) {
  pm.addPass(createConvertTRAToComm());
  pm.addPass(createCSEPass());
}

void tapestry::buildBufferPipeline(OpPassManager &pm, const Target &target,
                                   const CodegenOptions &options) {
  pm.addPass(createConvertCommToRuntime());
  pm.addPass(index::createLowerTapestryIndex());
  // No CSE before buffers are chosen: it would merge the reads of one tensor by
  // two collectives into the first, and the buffer could be reused in between.
  pm.addPass(createCanonicalizerPass());

  // Results are computed where the caller wants them: no copies.
  pm.addPass(bufferization::createEmptyTensorEliminationPass());
  bufferization::OneShotBufferizePassOptions bufferize;
  bufferize.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  pm.addPass(bufferization::createOneShotBufferizePass(bufferize));
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());

  buildKernelPipeline(pm, options);
  pm.addPass(createFreeBuffers());
  pm.addPass(createMarkVertices());
  buildTargetPipeline(pm, target);
  PredictMemoryOptions predict;
  predict.target = target.getSpec().name;
  predict.cpu = target.getSpec().cpu;
  predict.vectorBits = target.getSpec().vectorBits;
  pm.addPass(createPredictMemory(predict));
}

void tapestry::buildCodePipeline(OpPassManager &pm, const Target &target,
                                 const CodegenOptions &options) {
  buildBufferPipeline(pm, target, options);
  target.addLoweringPasses(pm);
  pm.addPass(createReconcileUnrealizedCastsPass());
  EmitProgramDescriptionOptions describe;
  describe.target = target.getSpec().name;
  describe.cpu = target.getSpec().cpu;
  pm.addPass(createEmitProgramDescription(describe));
}

void tapestry::registerPipelineDialects(DialectRegistry &registry) {
  registerCodegenDialects(registry);
  registry.insert<bufferization::BufferizationDialect, tensor::TensorDialect>();
  // How operations turn into ones on buffers.
  arith::registerBufferizableOpInterfaceExternalModels(registry);
  linalg::registerBufferizableOpInterfaceExternalModels(registry);
  linalg::registerSubsetOpInterfaceExternalModels(registry);
  tensor::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerSubsetOpInterfaceExternalModels(registry);
  bufferization::func_ext::registerBufferizableOpInterfaceExternalModels(
      registry);
}

void tapestry::registerTapestryPipelines() {
  PassPipelineRegistration<PlanOptions>(
      "tapestry-plan-pipeline", "Prune a graph and cut it over the devices",
      [](OpPassManager &pm, const PlanOptions &options) {
        GraphOptions graph;
        graph.order = options.order;
        graph.devices = options.devices;
        graph.grid = options.grid;
        graph.cost = options.cost;
        buildGraphPipeline(pm, graph);
        buildPlanPipeline(pm, options);
      });
  PassPipelineRegistration<>(
      "tapestry-to-program",
      "Lower a planned graph to the program of one device",
      [](OpPassManager &pm) {
        buildRelationPipeline(pm);
        buildProgramPipeline(pm);
      });
  registerCodegenPipeline("tapestry-to-llvm",
                          "Lower a planned graph to the LLVM dialect",
                          [](OpPassManager &pm, const Target &target,
                             const CodegenOptions &options) {
                            buildRelationPipeline(pm);
                            buildProgramPipeline(pm);
                            buildCodePipeline(pm, target, options);
                          });
}

//===- Pipelines.cpp - The phases of a compilation ------------------------===//

#include "tapestry/Pipelines/Pipelines.h"
#include "KeepNamed.h"
#include "ReplayPlanFile.h"
#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/FuncBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Linalg/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Linalg/Transforms/SubsetInsertionOpInterfaceImpl.h"
#include "mlir/Dialect/SCF/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/SubsetInsertionOpInterfaceImpl.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "tapestry/Codegen/Common/Passes.h"
#include "tapestry/Conversion/Passes.h"
#include "tapestry/Conversion/PeakMemory.h"
#include "tapestry/Dialect/Comm/IR/Comm.h"
#include "tapestry/Dialect/Index/Transforms/BufferizationModel.h"
#include "tapestry/Dialect/TRA/IR/TRA.h"
#include "tapestry/Dialect/TRA/Transforms/Passes.h"
#include "tapestry/Dialect/Tapestry/Transforms/PartitionGraph.h"
#include "tapestry/Dialect/Tapestry/Transforms/Passes.h"
#include "tapestry/Dialect/Tapestry/Transforms/PlanCost.h"
#include "tapestry/Planner/Cost/Elements/PaperCost.h"
#include "tapestry/Planner/Cost/Seconds/SpmdCost.h"
#include "tapestry/Support/Overlap.h"
#include "llvm/Support/Threading.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::cost;
using namespace tapestry::cost::elements;
using namespace tapestry::cost::seconds;
using namespace tapestry::plan;

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
  // An embedder's own model of one of the names stays.
  for (const CostModel *model : {&elementsModel(), &secondsModel()})
    llvm::consumeError(registerCostModel(*model));
}

/// Lets readers of views read what is behind them.
static void addComposition(OpPassManager &pm, const PlanRequest &request,
                           bool rewritten = false) {
  if (!request.planFile.empty())
    pm.addNestedPass<teg::GraphOp>(
        createKeepNamed(request.planFile, rewritten));
  // Elsewhere what lies in several tensors is put together once: each reader
  // would make windows of all of them.
  teg::TapestryComposeSelectorsOptions compose;
  compose.inPlace = true;
  pm.addNestedPass<teg::GraphOp>(teg::createTapestryComposeSelectors(compose));
  // Of a view's tensors a reader may need some only.
  pm.addPass(teg::createTapestryPrune());
}

void tapestry::buildGraphPipeline(OpPassManager &pm, const PlanRequest &request,
                                  const GraphPipelineOptions &options) {
  registerAllCostModels();
  pm.addNestedPass<teg::GraphOp>(teg::createTapestryJoinNodes());
  pm.addPass(teg::createTapestryInlineCalls());
  pm.addNestedPass<teg::GraphOp>(teg::createTapestryExpandSources());
  // Lowering would drop what bodies do not use: planned is what is left.
  pm.addNestedPass<teg::GraphOp>(createCanonicalizerPass());
  pm.addPass(teg::createTapestryPrune());
  if (options.composes)
    addComposition(pm, request);
  if (options.composes && !request.planFile.empty()) {
    // A plan may be of a graph that had its views read through afterwards.
    pm.addNestedPass<teg::GraphOp>(createReplayPlanFile(request));
    addComposition(pm, request, /*rewritten=*/true);
  }
  buildChoicePipeline(pm.nest<teg::GraphOp>(), request, options);
}

void tapestry::buildChoicePipeline(OpPassManager &pm,
                                   const PlanRequest &request,
                                   const GraphPipelineOptions &options) {
  PlanRequest filled = request;
  filled.fillIn();
  if (options.expands && request.planFile.empty()) {
    auto expand = teg::pricedPlanOptions<teg::TapestryExpandOptions>(filled);
    for (std::string &name : request.preferredRules())
      expand.prefer.push_back(std::move(name));
    pm.addPass(teg::createTapestryExpand(expand));
  }
  // They take memory of their own.
  if (options.phases && request.planFile.empty() && !request.memoryLimit)
    pm.addPass(teg::createTapestryChoosePhases(
        teg::pricedPlanOptions<teg::TapestryChoosePhasesOptions>(filled)));
  if (filled.order == "none")
    return;
  auto order =
      teg::pricedPlanOptions<teg::TapestryOrderContractionsOptions>(filled);
  order.objective = filled.order;
  pm.addPass(teg::createTapestryOrderContractions(order));
}

/// What findPeakBytes() makes.
static void registerLoweredDialects(DialectRegistry &registry) {
  registry.insert<index::TapestryIndexDialect, tra::TRADialect,
                  comm::CommDialect>();
  registerPipelineDialects(registry);
}

/// The pass tapestry-partition for the code that is generated by default, whose
/// collectives wait their turn where else it would not fit.
static std::unique_ptr<Pass> createExactPartition(const PlanRequest &request) {
  auto findPeak = [threads = request.threads](teg::GraphOp graph) {
    CodegenOptions options;
    options.threads = threads;
    options.overlap = -1;
    return findPeakBytes(graph, options);
  };
  return teg::createPartitionPass(request, findPeak, registerLoweredDialects);
}

void tapestry::buildPlanPipeline(OpPassManager &pm,
                                 const PlanRequest &request) {
  registerAllCostModels();
  PlanRequest filled = request;
  filled.fillIn();
  pm.addNestedPass<teg::GraphOp>(createExactPartition(filled));
  pm.addNestedPass<teg::GraphOp>(teg::createTapestryVerifyShards());
}

void tapestry::buildRelationPipeline(OpPassManager &pm) {
  pm.addPass(createConvertTapestryToTRA());
  pm.addNestedPass<func::FuncOp>(createDeviceCSE());
  pm.addNestedPass<func::FuncOp>(tra::createDeferMaxima());
}

void tapestry::buildProgramPipeline(OpPassManager &pm) {
  pm.addPass(createConvertTRAToComm());
  pm.addNestedPass<func::FuncOp>(createDeviceCSE());
}

void tapestry::buildBufferPipeline(OpPassManager &pm, const Target &target,
                                   const CodegenOptions &options) {
  pm.addPass(createConvertCommToRuntime());
  OpPassManager &functions = pm.nest<func::FuncOp>();
  functions.addPass(createBufferizePrograms());
  functions.addPass(createReuseBuffers());
  functions.addPass(createDeviceCSE());

  if (options.overlap >= 0 && options.cutBytes > 0) {
    CutProductsOptions cut;
    cut.leastBytes = options.cutBytes;
    cut.parts = tapestry::productParts;
    pm.addPass(createCutProducts(cut));
  }
  buildKernelPipeline(pm, target, options);
  if (options.overlap >= 0) {
    OverlapCollectivesOptions overlap;
    overlap.leastBytes = options.overlap;
    pm.addPass(createOverlapCollectives(overlap));
  }
  pm.addPass(createFreeBuffers());
  pm.addPass(createMarkVertices());
  pm.addPass(createCountCopies());
  buildTargetPipeline(pm, target);
  PredictMemoryOptions predict;
  predict.target = target.getSpec().name;
  predict.cpu = target.getSpec().cpu;
  predict.vectorBits = target.getSpec().vectorBits;
  predict.threads = target.getSpec().threads;
  pm.addPass(createPredictMemory(predict));
}

void tapestry::buildLoweringPipeline(OpPassManager &pm, const Target &target,
                                     const CodegenOptions &options,
                                     StringRef last) {
  pm.addPass(createSegmentPrograms());
  target.addLoweringPasses(pm, last);
  if (!last.empty())
    return;
  EmitProgramDescriptionOptions describe;
  describe.target = target.getSpec().name;
  describe.cpu = target.getSpec().cpu;
  describe.threads = options.threads;
  pm.addPass(createEmitProgramDescription(describe));
}

void tapestry::buildCodePipeline(OpPassManager &pm, const Target &target,
                                 const CodegenOptions &options,
                                 StringRef last) {
  buildBufferPipeline(pm, target, options);
  buildLoweringPipeline(pm, target, options, last);
}

std::optional<int64_t> tapestry::findPeakBytes(teg::GraphOp graph,
                                               const CodegenOptions &options) {
  auto target = options.makeTarget();
  if (!target) {
    llvm::consumeError(target.takeError());
    return std::nullopt;
  }
  MLIRContext *context = graph.getContext();
  OwningOpRef<ModuleOp> copy(ModuleOp::create(graph.getLoc()));
  copy->push_back(graph->clone());
  // What cannot be lowered is reported when it is asked for.
  uint64_t thread = llvm::get_threadid();
  ScopedDiagnosticHandler silence(context, [&](Diagnostic &) {
    return success(llvm::get_threadid() == thread);
  });
  PassManager pm(context);
  pm.enableVerifier(false);
  buildRelationPipeline(pm);
  buildProgramPipeline(pm);
  buildBufferPipeline(pm, **target, options);
  if (failed(pm.run(*copy)))
    return std::nullopt;
  return predictedPeakBytes(*copy);
}

void tapestry::registerPipelineDialects(DialectRegistry &registry) {
  registerCodegenDialects(registry);
  registry.insert<bufferization::BufferizationDialect, tensor::TensorDialect>();
  // How operations turn into ones on buffers.
  index::registerBufferizationModels(registry);
  arith::registerBufferizableOpInterfaceExternalModels(registry);
  linalg::registerBufferizableOpInterfaceExternalModels(registry);
  linalg::registerSubsetOpInterfaceExternalModels(registry);
  scf::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerSubsetOpInterfaceExternalModels(registry);
  bufferization::func_ext::registerBufferizableOpInterfaceExternalModels(
      registry);
}

namespace {
/// The options of planning, one per row of planOptions().
class PlanPipelineOptions : public PassPipelineOptions<PlanPipelineOptions> {
public:
  PlanPipelineOptions() {
    for (const PlanOption &option : planOptions())
      values.push_back(std::make_unique<Option<std::string>>(
          *this, option.name, llvm::cl::desc(option.description)));
  }

  llvm::Expected<PlanRequest> request() const {
    PlanRequest request;
    for (auto [option, value] : llvm::zip_equal(planOptions(), values))
      if (value->hasValue())
        if (llvm::Error error = option.set(request, value->getValue()))
          return std::move(error);
    return request;
  }

private:
  std::vector<std::unique_ptr<Option<std::string>>> values;
};
} // namespace

void tapestry::registerTapestryPipelines() {
  registerPass([] { return createExactPartition(PlanRequest()); });
  registerPassPipeline(
      "tapestry-plan-pipeline", "Prune a graph and cut it over the devices",
      [](OpPassManager &pm, StringRef text,
         function_ref<LogicalResult(const Twine &)> fail) -> LogicalResult {
        PlanPipelineOptions options;
        if (failed(options.parseFromString(text)))
          return failure();
        llvm::Expected<PlanRequest> request = options.request();
        if (!request)
          return fail(llvm::toString(request.takeError()));
        buildGraphPipeline(pm, *request);
        buildPlanPipeline(pm, *request);
        return success();
      },
      [](function_ref<void(const mlir::detail::PassOptions &)> take) {
        take(PlanPipelineOptions());
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

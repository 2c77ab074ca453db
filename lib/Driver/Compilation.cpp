//===- Compilation.cpp - From a program's text to an object file ----------===//

#include "tapestry/Driver/Compilation.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "tapestry/Conversion/PeakMemory.h"
#include "tapestry/Dialect/Tapestry/Transforms/PartitionGraph.h"
#include "tapestry/Import/Ein/Import.h"
#include "tapestry/InitAll.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::driver;

Compilation::Compilation(const Options &options) : options(options) {
  codegen.target = options.target;
  codegen.targetCPU = options.cpu;
  target = llvm::cantFail(codegen.makeTarget());
  DialectRegistry registry;
  tapestry::registerAllDialects(registry);
  registerPipelineDialects(registry);
  context =
      std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
}

Compilation::~Compilation() = default;

ExitStatus Compilation::loadEin(std::unique_ptr<llvm::MemoryBuffer> text) {
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(text), llvm::SMLoc());
  SourceMgrDiagnosticHandler handler(sources, context.get());
  ein::EinOptions einOptions;
  einOptions.params = options.params;
  module = ein::importEin(sources, einOptions, context.get());
  return module ? Success : ProgramWrong;
}

ExitStatus Compilation::loadMLIR(std::unique_ptr<llvm::MemoryBuffer> text) {
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(text), llvm::SMLoc());
  SourceMgrDiagnosticHandler handler(sources, context.get());
  module = parseSourceFile<ModuleOp>(sources, ParserConfig(context.get()));
  return module ? Success : ProgramWrong;
}

teg::GraphOp Compilation::getGraph() {
  return *module->getOps<teg::GraphOp>().begin();
}

ExitStatus Compilation::load() {
  auto text = llvm::MemoryBuffer::getFile(options.program, /*IsText=*/true);
  if (!text) {
    printError(options.program, text.getError().message());
    return ProgramWrong;
  }
  bool isMLIR = llvm::sys::path::extension(options.program) == ".mlir";
  if (isMLIR && !options.params.empty()) {
    printError(options.program, "-D sets params of .ein programs");
    return UsageWrong;
  }
  ExitStatus status =
      isMLIR ? loadMLIR(std::move(*text)) : loadEin(std::move(*text));
  if (status)
    return status;
  auto graphs = module->getOps<teg::GraphOp>();
  if (!llvm::hasSingleElement(graphs)) {
    printError(options.program,
               "expected one tapestry.graph, found " +
                   llvm::Twine(std::distance(graphs.begin(), graphs.end())));
    return ProgramWrong;
  }
  // Ordering by planned cost plans, so the wish has to make sense by now.
  if (options.order == "planned")
    if (ExitStatus wrong = checkRequest())
      return wrong;
  PassManager pm(context.get());
  GraphOptions graph;
  // The oracle evaluates what the user wrote.
  graph.order = options.command == Command::Reference ? "none" : options.order;
  graph.devices = options.devices;
  graph.grid = options.grid;
  graph.cost = options.cost;
  buildGraphPipeline(pm, graph);
  if (failed(pm.run(*module)))
    return ProgramWrong;
  return Success;
}

ExitStatus tapestry::driver::readMachine(const Options &options,
                                         Machine &machine, DeviceGrid &grid) {
  llvm::Expected<Machine> named = machineNamed(options.machine);
  if (!named)
    return report(named.takeError());
  machine = std::move(*named);
  if (options.grid.empty())
    return Success;
  llvm::Expected<DeviceGrid> parsed = parseGrid(options.grid, &machine);
  if (!parsed)
    return reportUsage(parsed.takeError());
  if (options.devices != 0 && options.devices != parsed->numDevices()) {
    printError("--devices " + llvm::Twine(options.devices) +
               " does not fit the grid '" + options.grid + "', which has " +
               llvm::Twine(parsed->numDevices()));
    return UsageWrong;
  }
  grid = std::move(*parsed);
  return Success;
}

/// Wrong names among the planning options are errors of usage, not of the
/// program.
ExitStatus Compilation::checkRequest() const {
  llvm::Expected<const SolverInfo *> solver = solverNamed(options.solver);
  if (!solver)
    return report(solver.takeError());
  llvm::Expected<const CostModel *> model = costModelNamed(options.cost);
  if (!model)
    return report(model.takeError());
  Machine machine;
  DeviceGrid grid;
  return readMachine(options, machine, grid);
}

/// A machine for a cost model that reckons without one is a mistake.
ExitStatus Compilation::checkMachineIsUsed() const {
  const CostModel &model = *llvm::cantFail(costModelNamed(options.cost));
  if (model.needsMachine())
    return Success;
  std::string users;
  for (const CostModel *other : costModels())
    if (other->needsMachine())
      users += (users.empty() ? "" : " or ") + other->name().str();
  printError("--machine is what --cost " + users + " reckons with; '" +
             model.name() + "' counts " + model.unit());
  return UsageWrong;
}

/// What is written into machine files: all that a cost model can see.
static std::string textOf(const Machine &machine) {
  std::string text;
  llvm::raw_string_ostream os(text);
  writeMachine(os, machine);
  return text;
}

static std::string textOf(const DeviceGrid &grid) {
  std::string text;
  for (const DeviceGrid::Axis &axis : grid.axes)
    text +=
        (text.empty() ? "" : ",") + axis.name + "=" + std::to_string(axis.size);
  return text;
}

/// What a plan file states comes before defaults. An option that the user wrote
/// and that would be dropped for it is an error.
ExitStatus Compilation::checkFollowed() const {
  auto refuse = [&](const llvm::Twine &what) {
    printError(options.planFile, what);
    return UsageWrong;
  };
  if (options.isCostGiven && options.cost != decided.costModel)
    return refuse("cost_model: the plan is by '" + decided.costModel +
                  "', --cost asks for '" + options.cost + "'");
  if (options.isSolverGiven && options.solver != decided.solver)
    return refuse("solver: the file decides everything (solver '" +
                  decided.solver + "'), nothing is left for --solver " +
                  options.solver);
  Machine machine;
  DeviceGrid grid;
  if (ExitStatus status = readMachine(options, machine, grid))
    return status;
  if (!options.grid.empty() && !(grid == decided.userGrid))
    return refuse("grid: the plan is for '" + textOf(decided.userGrid) +
                  "', --grid asks for '" + textOf(grid) + "'");
  bool needsMachine = decided.model().needsMachine();
  if (options.isMachineGiven && !needsMachine)
    return refuse("cost_model: the plan is by '" + decided.costModel +
                  "', which has no use for --machine " + options.machine);
  // A grid may state links, which are the machine's.
  bool hasLinks = llvm::StringRef(options.grid).contains(':');
  if (needsMachine && (options.isMachineGiven || hasLinks) &&
      textOf(machine) != textOf(decided.machine))
    return refuse("machine: the plan reckons with another '" +
                  decided.machine.name + "' than " +
                  (options.isMachineGiven ? "--machine " + options.machine
                                          : "--grid " + options.grid) +
                  " asks for");
  return Success;
}

ExitStatus Compilation::planWithin(int64_t memoryLimit, bool isTrial) {
  teg::PartitionRequest request;
  request.devices = options.devices;
  request.grid = options.grid;
  request.machine = options.machine;
  request.solver = isTrial ? trialSolver : options.solver;
  request.costModel = options.cost;
  request.planFile = options.planFile;
  request.memoryLimit = memoryLimit;
  request.program = llvm::sys::path::filename(options.program).str();
  llvm::Expected<teg::PartitionedGraph> partitioned =
      teg::partitionGraph(getGraph(), request);
  if (!partitioned) {
    if (!isTrial)
      return report(partitioned.takeError());
    ExitStatus status = ProgramWrong;
    llvm::handleAllErrors(
        partitioned.takeError(),
        [&](const MemoryError &error) {
          status = Unable;
          if (!error.getNeed().empty())
            memoryNeed = error.getNeed().str();
        },
        [](const llvm::ErrorInfoBase &) {});
    return status;
  }
  vertices = std::move(partitioned->vertices);
  decided = std::move(partitioned->plan);
  return Success;
}

/// Whether finding the peak takes no noticeable time.
bool Compilation::isSmall() const {
  constexpr size_t mostVertices = 200;
  constexpr int64_t mostDevices = 64;
  return vertices.graph.vertices.size() <= mostVertices &&
         decided.devices <= mostDevices;
}

/// Finds the exact peak of the plan where that is wanted.
void Compilation::measurePeak() {
  bool isWanted = options.command == Command::Plan && isSmall();
  if (options.memory == 0 && !isWanted)
    return;
  if (std::optional<int64_t> peakBytes = findPeakBytes()) {
    decided.peakBytesPerDevice = *peakBytes;
    decided.isPeakExact = true;
  }
}

/// What the planner's estimate says of memory: how little plans need, and what
/// holds it. Empty where it says nothing.
std::string Compilation::describeEstimate() {
  // Where every trial found a plan, none has said it.
  if (memoryNeed.empty() && !planWithin(1, /*isTrial=*/true))
    return "";
  if (memoryNeed.empty())
    return "";
  return "; by the planner's estimate, which can be above what a program "
         "needs, " +
         memoryNeed;
}

/// The planner limits its own estimate of the peak; generated code may need
/// more, and often less. So the limit on the estimate is searched for under
/// which the program just fits. A plan that fits without any limit is as good
/// as it was proved to be; of others the bound without a limit holds.
ExitStatus Compilation::planGraph() {
  if (ExitStatus status = checkRequest())
    return status;
  if (options.isMachineGiven && options.planFile.empty())
    if (ExitStatus status = checkMachineIsUsed())
      return status;
  if (ExitStatus status = planWithin(0, /*isTrial=*/false))
    return status;
  if (!options.planFile.empty())
    if (ExitStatus status = checkFollowed())
      return status;
  int64_t estimate = decided.peakBytesPerDevice;
  measurePeak();
  if (options.memory == 0 || decided.peakBytesPerDevice <= options.memory)
    return Success;
  int64_t leanest = decided.peakBytesPerDevice;
  double lowerBound = decided.lowerBound;
  trialSolver = options.solver;
  struct Found {
    GraphVertices vertices;
    Plan plan;
  };
  std::optional<Found> best;
  constexpr unsigned mostAttempts = 8;
  int64_t low = 0, high = estimate, limit = std::min(options.memory, high - 1);
  for (unsigned attempt = 0; attempt < mostAttempts && low + 1 < high;
       ++attempt, limit = low + (high - low) / 2) {
    ExitStatus status = planWithin(limit, /*isTrial=*/true);
    // It does not say that nothing fits, but that it cannot prove what is best.
    if (status == ProgramWrong && trialSolver == "exact") {
      trialSolver = "bounded";
      status = planWithin(limit, /*isTrial=*/true);
    }
    if (status) {
      low = limit;
      continue;
    }
    measurePeak();
    leanest = std::min(leanest, decided.peakBytesPerDevice);
    if (decided.peakBytesPerDevice > options.memory) {
      high = limit;
      continue;
    }
    if (!best || decided.cost < best->plan.cost)
      best = Found{vertices, decided};
    low = limit;
  }
  if (!best) {
    printError("the leanest plan that was found needs " + llvm::Twine(leanest) +
               " bytes per device, --memory allows " +
               llvm::Twine(options.memory) + describeEstimate());
    return Unable;
  }
  vertices = std::move(best->vertices);
  decided = std::move(best->plan);
  decided.lowerBound = std::min(lowerBound, decided.cost);
  decided.provedOptimal = false;
  getGraph().setGridAttr(index::GridAttr::get(context.get(), decided.grid));
  applyPlacement(vertices, decided.grid, decided.placement);
  return Success;
}

std::optional<int64_t> Compilation::findPeakBytes() {
  OwningOpRef<ModuleOp> copy = module->clone();
  // What cannot be lowered is reported when it is asked for.
  ScopedDiagnosticHandler silence(context.get(),
                                  [](Diagnostic &) { return success(); });
  PassManager pm(context.get());
  pm.enableVerifier(false);
  buildRelationPipeline(pm);
  buildProgramPipeline(pm);
  buildBufferPipeline(pm, *target, codegen);
  if (failed(pm.run(*copy)))
    return std::nullopt;
  return predictedPeakBytes(*copy);
}

ExitStatus Compilation::lower(Phase last) {
  // What the dialects state is verified up to the device program; below it,
  // verification would cost as much as the passes.
  PassManager upper(context.get());
  if (last >= Phase::Relation)
    buildRelationPipeline(upper);
  if (last >= Phase::Program)
    buildProgramPipeline(upper);
  if (failed(upper.run(*module)))
    return Unable;
  if (last < Phase::Code)
    return Success;
  PassManager lower(context.get());
  lower.enableVerifier(false);
  buildCodePipeline(lower, *target, codegen);
  return succeeded(lower.run(*module)) ? Success : Unable;
}

ExitStatus Compilation::printAfterPhase() {
  const PhaseInfo *found =
      llvm::find_if(allPhases(), [&](const PhaseInfo &info) {
        return info.name == options.stopAfter;
      });
  if (found == allPhases().end()) {
    std::string names;
    for (const PhaseInfo &info : allPhases())
      names += (names.empty() ? "" : ", ") + info.name.str();
    printError("there is no phase '" + options.stopAfter +
               "'; there are: " + names);
    return UsageWrong;
  }
  if (ExitStatus status = load())
    return status;
  if (found->phase >= Phase::Plan)
    if (ExitStatus status = planGraph())
      return status;
  if (ExitStatus status = lower(found->phase))
    return status;
  module->print(llvm::outs());
  return Success;
}

std::unique_ptr<llvm::MemoryBuffer> Compilation::emitObject() {
  FailureOr<std::unique_ptr<llvm::MemoryBuffer>> object =
      target->emitObject(*module);
  return succeeded(object) ? std::move(*object) : nullptr;
}

//===- Compilation.cpp - From a program's text to an object file ----------===//

#include "tapestry/Driver/Compilation.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "tapestry-rt/Files.h"
#include "tapestry-rt/Runtime.h"
#include "tapestry/Dialect/Tapestry/Transforms/GraphRewrites.h"
#include "tapestry/Dialect/Tapestry/Transforms/PartitionGraph.h"
#include "tapestry/Dialect/Tapestry/Transforms/Passes.h"
#include "tapestry/Dialect/Tapestry/Transforms/RewriteRules.h"
#include "tapestry/Driver/CachedObject.h"
#include "tapestry/Driver/OutputFile.h"
#include "tapestry/Driver/Stage.h"
#include "tapestry/Import/Ein/Import.h"
#include "tapestry/InitAll.h"
#include "tapestry/Planner/Plan/PeakMeter.h"
#include "tapestry/Support/PlainLayout.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/Threading.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::plan;
using namespace tapestry::driver;

Compilation::Compilation(const Options &options) : options(options) {
  codegen.target = options.target;
  codegen.targetCPU = options.cpu;
  codegen.gpuArchs = options.gpuArchs;
  codegen.gpuProducts = options.gpuProducts;
  codegen.tf32 = options.tf32;
  codegen.tiles = true;
  codegen.overlap = options.overlap;
  chooseThreads(options.planning.devices);
  DialectRegistry registry;
  tapestry::registerAllDialects(registry);
  registerPipelineDialects(registry);
  context =
      std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  // A message names the place; the operation stands there.
  context->printOpOnDiagnostic(false);
  printer = std::make_unique<DiagnosticPrinter>(context.get(), options.program);
}

Compilation::~Compilation() = default;

/// What runs here runs now, and has this machine's cores. Where they are one
/// for each device, the code is that of `compile`.
void Compilation::chooseThreads(int64_t devices) {
  bool runs =
      options.command == Command::Run || options.command == Command::Session;
  int64_t cores = rt::threadsPerRank(std::max<int64_t>(devices, 1));
  int64_t asked = options.planning.threads;
  setThreads(runs && !asked && cores > 1 ? cores : asked);
}

void Compilation::setThreads(int64_t threads) {
  codegen.threads = threads;
  target = llvm::cantFail(codegen.makeTarget());
}

/// What a file's message says within another: "x.npy: cannot open".
static llvm::Error partOfMessage(const rt::Status &status) {
  auto [place, what] = llvm::StringRef(status.message()).split(": error: ");
  return llvm::createStringError(what.empty() ? place : place + ": " + what);
}

/// The shape of the tensor or the file that is named for an input, if one is.
static llvm::Expected<std::optional<std::vector<int64_t>>>
shapeOfInput(const Options &options, llvm::StringRef input) {
  for (const HeldInput &held : options.held)
    if (held.name == input)
      return held.shape;
  for (const auto &[name, path] :
       llvm::concat<const std::pair<std::string, std::string>>(options.inputs,
                                                               options.likes)) {
    if (name != input)
      continue;
    std::vector<int64_t> shape;
    rt::Status status = rt::readShape(path, shape);
    if (status.failed())
      return partOfMessage(status);
    return shape;
  }
  return std::nullopt;
}

ExitStatus Compilation::parse(std::unique_ptr<llvm::MemoryBuffer> text,
                              bool isMLIR) {
  printer->setText(text->getBuffer());
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(text), llvm::SMLoc());
  if (isMLIR) {
    module = parseSourceFile<ModuleOp>(sources, ParserConfig(context.get()));
  } else {
    ein::EinOptions einOptions;
    einOptions.params = options.params;
    for (const auto &[name, path] : options.inputs)
      einOptions.namedInputs.emplace_back("-i " + name, name);
    for (const auto &[name, path] : options.likes)
      einOptions.namedInputs.emplace_back("--like " + name, name);
    einOptions.shapeOfInput = [&](llvm::StringRef input,
                                  llvm::StringRef ownFile) {
      auto shape = shapeOfInput(options, input);
      if (!shape || *shape || ownFile.empty())
        return shape;
      std::vector<int64_t> &own = fileShapes[ownFile.str()];
      rt::Status status = rt::readShape(ownFile.str(), own);
      if (status.failed())
        shape = partOfMessage(status);
      else
        shape = own;
      return shape;
    };
    einOptions.whyNoShape = options.whyNotHeld;
    module = ein::importEin(sources, einOptions, context.get());
  }
  printer->setText("");
  if (module)
    return ExitDone;
  return printer->onlyOptionsWrong() ? ExitUsage : ExitBadInput;
}

teg::GraphOp Compilation::getGraph() {
  return *module->getOps<teg::GraphOp>().begin();
}

/// Leaves the graph that the user means, first, and those that it calls, as
/// private ones. Private graphs are there to be called anyway. What is no
/// graph, such as the functions of a host, belongs to no program.
ExitStatus Compilation::chooseGraph() {
  teg::GraphOp chosen;
  llvm::SmallVector<llvm::StringRef> names;
  for (auto graph : module->getOps<teg::GraphOp>()) {
    if (graph.isPrivate())
      continue;
    names.push_back(graph.getSymName());
    if (options.graph.empty() || options.graph == graph.getSymName())
      chosen = graph;
  }
  if (names.empty()) {
    printError(options.program,
               "there is no tapestry.graph in it that is not private");
    return ExitBadInput;
  }
  if (!chosen || (options.graph.empty() && names.size() > 1)) {
    printError(
        options.program,
        (chosen ? "--graph has to name one of its graphs: "
                : "there is no graph '" + options.graph + "'; there are: ") +
            llvm::join(names, ", "));
    return ExitUsage;
  }
  SymbolTable symbols(*module);
  llvm::SetVector<Operation *> kept;
  kept.insert(chosen);
  for (size_t next = 0; next < kept.size(); ++next)
    kept[next]->walk([&](teg::CallOp call) {
      if (auto callee = symbols.lookup<teg::GraphOp>(call.getCallee())) {
        callee.setPrivate();
        kept.insert(callee);
      }
    });
  for (Operation &op : llvm::make_early_inc_range(*module->getBody()))
    if (!kept.contains(&op)) {
      op.dropAllUses();
      op.erase();
    }
  chosen->moveBefore(&module->getBody()->front());
  return ExitDone;
}

/// Operators that no rule expands are wrong, also where nobody reads them and
/// they would be pruned; and so are names of no rules.
ExitStatus Compilation::checkRules() {
  if (llvm::Error error =
          teg::checkExpansions(options.planning.preferredRules())) {
    ErrorFacts facts = factsOf(std::move(error));
    facts.fault = Fault::Usage;
    facts.text = "--prefer: " + facts.text;
    return report(facts.toError());
  }
  for (auto graph : module->getOps<teg::GraphOp>())
    if (llvm::Error error = teg::checkOperatorKinds(graph))
      return report(std::move(error));
  return ExitDone;
}

/// A file of --like has the shape of an input, whether params depend on it or
/// not: an executable will refuse others.
ExitStatus Compilation::checkLikes() {
  std::vector<llvm::StringRef> known;
  for (auto source : getGraph().getOps<teg::SourceOp>())
    known.push_back(source.getName());
  for (const auto &[name, path] : options.likes) {
    if (!llvm::is_contained(known, name)) {
      printError("--like " + name + ": " + ein::unknownInput(name, known));
      return ExitUsage;
    }
    for (auto source : getGraph().getOps<teg::SourceOp>())
      if (source.getName() == name)
        if (ExitStatus wrong = report(rt::checkShape(
                path, name,
                cast<RankedTensorType>(source.getType()).getShape().vec())))
          return wrong;
  }
  return ExitDone;
}

/// What the program says that is written takes no place of what the command
/// reads; of tensors a run sees to that.
ExitStatus Compilation::checkTargets() {
  std::vector<rt::NamedFile> written, read = {{"the program", options.program}};
  if (!options.planning.planFile.empty())
    read.emplace_back("--plan", options.planning.planFile);
  for (auto sink : getGraph().getOps<teg::SinkOp>()) {
    auto file = dyn_cast_if_present<teg::FileAttr>(sink.getTargetAttr());
    bool isNamed = llvm::any_of(options.outputs, [&](const auto &output) {
      return output.first == sink.getName();
    });
    if (file && !isNamed)
      written.emplace_back("output '" + sink.getName().str() + "'",
                           file.getPath().str());
  }
  rt::Status status = rt::checkDistinct(written, read);
  if (!status.failed())
    return ExitDone;
  printError(options.program, status.message());
  return ExitBadInput;
}

ExitStatus Compilation::load() {
  Stage stage(options, "reading the program");
  auto text = llvm::MemoryBuffer::getFile(options.program, /*IsText=*/true);
  if (!text) {
    printError(options.program, text.getError().message());
    return ExitBadInput;
  }
  bool isMLIR = llvm::sys::path::extension(options.program) == ".mlir";
  if (isMLIR && !options.params.empty()) {
    printError(options.program, "-D sets params of .ein programs");
    return ExitUsage;
  }
  if (ExitStatus status = parse(std::move(*text), isMLIR))
    return status;
  if (ExitStatus wrong = chooseGraph())
    return wrong;
  if (ExitStatus wrong = checkLikes())
    return wrong;
  if (ExitStatus wrong = checkRules())
    return wrong;
  // Passes plan what they choose between, so the wish has to make sense by now.
  PlanRequest request = options.planning;
  auto resolved = resolveRequest(request);
  if (!resolved)
    return report(resolved.takeError());
  codegen.cutBytes = resolved->machine.cutProducts;
  // A search plans by all cost models.
  if (request.planFile.empty() && !options.pareto.isWanted())
    if (llvm::Error error = checkMachineIsUsed(request))
      return report(std::move(error));
  // The oracle evaluates what the user wrote; a search tries all rewrites.
  bool isOracle = options.command == Command::Reference;
  bool isSearch = options.pareto.isWanted();
  if (isOracle || isSearch)
    request.order = "none";
  // Files are verified as they are read, and what these passes make, once.
  PassManager pm(context.get());
  pm.enableVerifier(false);
  // What a session has lies where it is.
  buildGraphPipeline(pm, request,
                     {/*expands=*/!isSearch,
                      /*phases=*/!isSearch && !isOracle && options.held.empty(),
                      /*composes=*/!isOracle});
  if (failed(pm.run(*module)) || failed(verify(*module)))
    return ExitBadInput;
  return checkTargets();
}

/// What a session has is read where it lies, unless the program says where it
/// is to lie: then the session brings it there.
llvm::Error Compilation::pinHeldInputs() {
  if (options.held.empty())
    return llvm::Error::success();
  auto request = resolveRequest(options.planning);
  if (!request)
    return request.takeError();
  DeviceGrid grid = splitIntoPrimes(request->grid);
  for (auto source : getGraph().getOps<teg::SourceOp>()) {
    auto held = llvm::find_if(options.held, [&](const HeldInput &input) {
      return input.name == source.getName() &&
             llvm::ArrayRef<int64_t>(input.shape) ==
                 cast<RankedTensorType>(source.getType()).getShape();
    });
    if (held == options.held.end() || source.getDevice() ||
        source->hasAttr(teg::constraintsAttrName) ||
        source->hasAttr(teg::layoutGroupAttrName))
      continue;
    std::optional<Layout> layout =
        findPlainLayout(grid, held->shape, held->boxes);
    if (!layout || layout->dims.empty())
      continue;
    ShardingConstraint pin;
    for (auto [number, dim] : llvm::enumerate(layout->dims)) {
      LabelConstraint cut{std::to_string(number), dim.cut().empty(), {}};
      for (unsigned axis : dim.cut())
        cut.axes.push_back(grid.axes[axis].name);
      pin.cuts.push_back(std::move(cut));
    }
    source->setAttr(teg::constraintsAttrName,
                    ArrayAttr::get(context.get(),
                                   teg::ConstraintAttr::get(context.get(), pin,
                                                            /*isHome=*/false)));
  }
  return llvm::Error::success();
}

FailureOr<std::vector<model::Rewrite>>
Compilation::chooseRewrites(const PlanRequest &request,
                            const GraphPipelineOptions &choices) {
  OwningOpRef<teg::GraphOp> copy(cast<teg::GraphOp>(getGraph()->clone()));
  PassManager pm(context.get(), teg::GraphOp::getOperationName());
  pm.enableVerifier(false);
  buildChoicePipeline(pm, request, choices);
  if (failed(pm.run(*copy)))
    return failure();
  std::vector<model::Rewrite> rewrites = teg::recordedRewrites(*copy);
  rewrites.erase(rewrites.begin(),
                 rewrites.begin() + teg::recordedRewrites(getGraph()).size());
  return rewrites;
}

ExitStatus Compilation::planGraph() {
  llvm::Error error = tryPlan();
  return error ? report(std::move(error)) : ExitDone;
}

llvm::Error Compilation::tryPlan() {
  Stage stage(options, "planning");
  if (llvm::Error error = pinHeldInputs())
    return error;
  // What keeps --memory is a plan for one thread of each device, as `plan`
  // shows it: more of them take what is left, or there are no more.
  // Collectives that go on beside computation keep their buffers longer.
  bool isLimited = options.planning.memoryLimit && !options.planning.threads;
  if (isLimited)
    setThreads(0);
  if (options.planning.memoryLimit)
    codegen.overlap = -1;
  llvm::Expected<teg::PartitionedGraph> partitioned = teg::partitionGraph(
      getGraph(), options.planning,
      [&](teg::GraphOp graph) { return findPeakBytes(graph, codegen); });
  if (!partitioned)
    return partitioned.takeError();
  vertices = std::move(partitioned->vertices);
  decided = std::move(partitioned->plan);
  if (!options.planning.planFile.empty() && decided.model().needsMachine() &&
      !options.planning.cutProducts)
    codegen.cutBytes = decided.machine.cutProducts;
  chooseThreads(decided.devices);
  if (isLimited && codegen.threads > 1 &&
      findPeakBytes(getGraph(), codegen).value_or(INT64_MAX) >
          options.planning.memoryLimit)
    setThreads(1);
  if (options.planning.memoryLimit && options.overlap >= 0)
    overlapWithinLimit();
  if (options.command == Command::Plan && !decided.isPeakExact)
    measurePeak(decided, [&](const Plan &plan) {
      return this->findPeak(getGraph(), plan);
    });
  return llvm::Error::success();
}

void Compilation::overlapWithinLimit() {
  codegen.overlap = options.overlap;
  std::optional<int64_t> peak = findPeakBytes(getGraph(), codegen);
  if (!peak || *peak > options.planning.memoryLimit)
    codegen.overlap = -1;
  else if (decided.isPeakExact && codegen.threads <= 1)
    decided.peakBytesPerDevice = *peak;
}

std::optional<int64_t> Compilation::findPeak(teg::GraphOp graph,
                                             const Plan &plan) {
  constexpr size_t mostVertices = 200;
  constexpr int64_t mostDevices = 64;
  if (plan.vertices.size() > mostVertices || plan.devices > mostDevices)
    return std::nullopt;
  return findPeakBytes(graph, codegen);
}

ExitStatus Compilation::shardGraph() {
  PassManager pm(context.get());
  pm.addNestedPass<teg::GraphOp>(teg::createTapestryShard());
  return succeeded(pm.run(*module)) ? ExitDone : ExitBadInput;
}

ExitStatus Compilation::lower(Phase last, llvm::StringRef stage) {
  Stage said(options, "lowering");
  auto run = [&](auto &&build) {
    PassManager pm(context.get());
    pm.enableVerifier(false);
    build(pm);
    return succeeded(pm.run(*module));
  };
  // Operators, a plug-in's too, write what they lower to into relations; those
  // are verified. From there on the IR is our passes' own, and verification
  // would cost as much as they do.
  if (last >= Phase::Relation &&
      (!run(buildRelationPipeline) || failed(verify(*module))))
    return ExitBadInput;
  // What they refuse is an operator that has no such lowering.
  if (last >= Phase::Program && !run(buildProgramPipeline))
    return ExitBadInput;
  if (last < Phase::Code)
    return ExitDone;
  return run([&](OpPassManager &pm) {
    buildCodePipeline(pm, *target, codegen, stage);
  })
             ? ExitDone
             : ExitBadInput;
}

ExitStatus Compilation::printAfterPhase() {
  const PhaseInfo *found =
      llvm::find_if(allPhases(), [&](const PhaseInfo &info) {
        return info.name == options.stopAfter;
      });
  llvm::ArrayRef<TargetWord> stages = target->getStages();
  bool isStage = llvm::any_of(stages, [&](const TargetWord &word) {
    return word.name == options.stopAfter;
  });
  if (found == allPhases().end() && !isStage) {
    std::string names;
    for (const PhaseInfo &info : allPhases())
      names += (names.empty() ? "" : ", ") + info.name.str();
    for (const TargetWord &word : stages)
      names += ", " + word.name.str();
    printError("there is no phase '" + options.stopAfter +
               "'; there are: " + names);
    return ExitUsage;
  }
  if (ExitStatus status = load())
    return status;
  Phase phase = isStage ? Phase::Code : found->phase;
  if (phase >= Phase::Plan)
    if (ExitStatus status = planGraph())
      return status;
  if (ExitStatus status =
          lower(phase, isStage ? llvm::StringRef(options.stopAfter) : ""))
    return status;
  module->print(llvm::outs());
  return ExitDone;
}

ExitStatus Compilation::emitForm(std::string &text) {
  if (ExitStatus status = lower(Phase::Code, target->getStages().back().name))
    return status;
  Stage stage(options, "generating code");
  FailureOr<std::string> made = target->emitAs(*module, options.format);
  if (failed(made))
    return ExitEnvironment;
  text = std::move(*made);
  return ExitDone;
}

unsigned Compilation::codegenThreads() {
  // Few modules have more kernels that take long.
  constexpr unsigned most = 16;
  return std::min(llvm::hardware_concurrency().compute_thread_count(), most);
}

std::unique_ptr<llvm::MemoryBuffer> Compilation::emitObject() {
  Stage stage(options, "generating code");
  FailureOr<std::unique_ptr<llvm::MemoryBuffer>> object =
      target->emitObject(*module, codegenThreads());
  return succeeded(object) ? std::move(*object) : nullptr;
}

ExitStatus
Compilation::makeObject(std::unique_ptr<llvm::MemoryBuffer> &object) {
  // From here on nothing but the module, the target and what it is asked for is
  // looked at.
  auto make = [&](std::unique_ptr<llvm::MemoryBuffer> &made) {
    if (ExitStatus status = lower(Phase::Code))
      return status;
    made = emitObject();
    return made ? ExitDone : ExitEnvironment;
  };
  return cachedObject(options, codegen, *module, make, object);
}

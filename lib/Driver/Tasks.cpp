//===- Tasks.cpp - A program for the greedy executor ----------------------===//

#include "tapestry/Driver/Tasks.h"
#include "tapestry/Conversion/PeakMemory.h"
#include "tapestry/Dialect/Tapestry/IR/Constraints.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryAttrs.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryShard.h"
#include "tapestry/Dialect/Tapestry/Transforms/PartitionGraph.h"
#include "tapestry/Dialect/Tapestry/Transforms/Passes.h"
#include "tapestry/Driver/CachedObject.h"
#include "tapestry/Driver/InProcess.h"
#include "tapestry/Driver/Stage.h"
#include "tapestry/Driver/TaskSearch.h"
#include "tapestry/Interfaces/GraphLoopInterface.h"
#include "tapestry/Interfaces/SelectorInterface.h"
#include "tapestry/Support/Counted.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"
#include <map>
#include <set>

using namespace mlir;
using namespace tapestry;
using namespace tapestry::plan;
using namespace tapestry::driver;

static int64_t workersOf(const Options &options) {
  return std::max<int64_t>(options.planning.devices, 1);
}

rt::TaskLimits tapestry::driver::taskLimits(const Compilation &compilation) {
  const Options &options = compilation.getOptions();
  rt::TaskLimits limits;
  limits.workers = workersOf(options);
  int64_t each = options.planning.memoryLimit;
  limits.memoryBytes = each ? each * limits.workers : rt::availableMemory();
  limits.spills = options.spill != "none";
  return limits;
}

//===----------------------------------------------------------------------===//
// Shards
//===----------------------------------------------------------------------===//

/// Partial results of up to so many bytes are combined by one shard, if they
/// are few beside what may be in memory.
static int64_t stackBytes(int64_t memoryBytes) {
  return std::clamp<int64_t>(memoryBytes / 16, 1, 1 << 20);
}

/// Has plans rather cut along labels that shards can be cut along: an operator
/// that is cut along others, as a scan along its own, would be one shard. That
/// outweighs what moves, but where there is no other cut; an operator of which
/// anything is asked is cut as that says.
static void preferShards(teg::GraphOp graph) {
  (void)teg::forEachVertex(graph, [](BlockOpInterface op) {
    llvm::SmallBitVector sharded = teg::getShardedLabels(op);
    if (sharded.none() || sharded.all() ||
        op->hasAttr(teg::constraintsAttrName))
      return success();
    ShardingConstraint whole;
    whole.isHard = false;
    constexpr double outweighs = 1000;
    whole.weight = outweighs;
    SmallVector<std::string> labels = op.getLabelNames();
    for (auto [number, label] : llvm::enumerate(labels))
      if (!sharded.test(number))
        whole.cuts.push_back({label, /*parts=*/1, {}});
    op->setAttr(teg::constraintsAttrName,
                ArrayAttr::get(op.getContext(),
                               teg::ConstraintAttr::get(op.getContext(), whole,
                                                        /*isHome=*/false)));
    return success();
  });
}

/// Those of a graph that a request cuts.
static llvm::Expected<teg::TaskGraph>
cutGraph(teg::GraphOp graph, const PlanRequest &request, int64_t memoryBytes) {
  OwningOpRef<ModuleOp> module(ModuleOp::create(graph.getLoc()));
  auto copy = cast<teg::GraphOp>(graph->clone());
  module->push_back(copy);
  // All devices have one memory.
  for (auto source : copy.getOps<teg::SourceOp>())
    source.removeDeviceAttr();
  for (auto sink : copy.getOps<teg::SinkOp>())
    sink.removeDeviceAttr();
  if (request.planFile.empty())
    preferShards(copy);
  auto planned = teg::partitionGraph(copy, request);
  if (!planned)
    return planned.takeError();
  PassManager pm(graph.getContext());
  pm.enableVerifier(false);
  teg::TapestryShardOptions whole;
  whole.keepsLoops = true;
  pm.addNestedPass<teg::GraphOp>(teg::createTapestryShard(whole));
  teg::TapestryAccumulatePartialsOptions accumulate;
  accumulate.stackBytes = stackBytes(memoryBytes);
  pm.addNestedPass<teg::GraphOp>(
      teg::createTapestryAccumulatePartials(accumulate));
  if (failed(pm.run(*module)))
    return reportedError();
  FailureOr<teg::TaskGraph> tasks = teg::buildTaskGraph(copy);
  if (failed(tasks))
    return reportedError();
  return std::move(*tasks);
}

/// Shards of at most this part of the memory leave nearly all of it to what is
/// kept between them.
static constexpr int64_t smallShard = 16;

/// Code for more takes minutes.
static constexpr size_t mostKernels = 1000;
/// No graph is cut into more blocks.
static constexpr int64_t mostBlocks = 1 << 16;

/// Fails where there are too many, with what has the most.
static llvm::Error checkKernels(const rt::TaskProgram &program) {
  if (program.kernels.size() <= mostKernels)
    return llvm::Error::success();
  llvm::MapVector<llvm::StringRef, llvm::DenseSet<int32_t>> kernels;
  for (const rt::TaskShard &shard : program.shards)
    kernels[shard.vertex].insert(shard.kernel);
  const auto &most =
      *llvm::max_element(kernels, [](const auto &one, const auto &other) {
        return one.second.size() < other.second.size();
      });
  return faultError(Fault::Machine, "",
                    joinedText("the shards need ", program.kernels.size(),
                               " kernels, more than ", mostKernels,
                               ": those of '", most.first, "' alone ",
                               most.second.size()));
}

namespace {

/// Tries numbers of devices.
class TaskChooser {
public:
  TaskChooser(Compilation &compilation, machine::Machine machine)
      : compilation(compilation), options(compilation.getOptions()),
        machine(std::move(machine)), limits(taskLimits(compilation)) {}

  llvm::Expected<ChosenTasks> choose();

private:
  llvm::Expected<ChosenTasks> cut(const PlanRequest &request);
  llvm::Error measureKernels(ChosenTasks &tasks);
  llvm::Error planMemory(ChosenTasks &tasks);
  TaskEstimate tryDevices(int64_t devices);
  void keepWhole(const rt::TaskProgram &program);
  bool isHopeless(int64_t devices) const;
  llvm::Error whyNone() const;
  llvm::Expected<ChosenTasks> search();

  Compilation &compilation;
  const Options &options;
  machine::Machine machine;
  rt::TaskLimits limits;
  /// Per number of devices that was tried.
  std::map<int64_t, TaskEstimate> estimates;
  std::map<int64_t, ChosenTasks> found;
  /// The shards for one device, and which of them others cut.
  rt::TaskProgram whole;
  std::vector<bool> isCut;
  /// Why those of which the largest is least do not fit.
  ErrorFacts problem;
  std::optional<int64_t> leastLargest;
};

} // namespace

llvm::Error TaskChooser::planMemory(ChosenTasks &tasks) {
  // `plan` predicts a run that writes all outputs.
  if (options.command == Command::Run)
    limits.unwanted = rt::unwantedSinks(tasks.graph.program, options.outputs,
                                        /*showsResults=*/true);
  rt::Status status = rt::schedule(tasks.graph.program, limits, tasks.schedule);
  if (!status.failed())
    return llvm::Error::success();
  return faultError(static_cast<Fault>(status.exitStatus()), "",
                    status.message());
}

llvm::Expected<ChosenTasks> TaskChooser::cut(const PlanRequest &request) {
  auto graph = cutGraph(compilation.getGraph(), request, limits.memoryBytes);
  if (!graph)
    return graph.takeError();
  return ChosenTasks{std::move(*graph), {}};
}

/// Lowers the kernels until their buffers are known, and plans the memory anew.
llvm::Error TaskChooser::measureKernels(ChosenTasks &tasks) {
  ModuleOp module = *tasks.graph.kernels;
  PlanRequest alone;
  alone.order = "none";
  alone.fillIn();
  for (auto kernel : module.getOps<teg::GraphOp>())
    if (auto planned = teg::partitionGraph(kernel, alone); !planned)
      return planned.takeError();
  PassManager pm(module.getContext());
  pm.enableVerifier(false);
  buildRelationPipeline(pm);
  buildProgramPipeline(pm);
  buildBufferPipeline(pm, compilation.getTarget(), compilation.getCodegen());
  if (failed(pm.run(module)))
    return reportedError();
  auto scratch = predictedScratchBytes(module);
  if (!scratch)
    return planError("it is not known what memory the shards' code takes");
  for (auto [kernel, bytes] :
       llvm::zip_equal(tasks.graph.program.kernels, *scratch))
    kernel.scratchBytes = bytes;
  return planMemory(tasks);
}

/// Keeps the shards for one device.
void TaskChooser::keepWhole(const rt::TaskProgram &program) {
  whole = program;
  llvm::StringSet<> uncut;
  for (Operation &op : compilation.getGraph().getBody().front()) {
    // What selectors see may be seen without them when others are cut.
    if (teg::getShardedLabels(&op).any() || isa<SelectorInterface>(op) ||
        isGraphSink(&op))
      continue;
    if (auto vertex = dyn_cast<BlockOpInterface>(op))
      uncut.insert(vertex.getVertexName());
    else if (auto loop = dyn_cast<GraphLoopInterface>(op))
      uncut.insert(loop.getLoopName());
  }
  for (const rt::TaskShard &shard : whole.shards)
    isCut.push_back(!uncut.contains(shard.name));
}

bool TaskChooser::isHopeless(int64_t devices) const {
  return leastNeed(whole, isCut, devices).bytes > limits.memoryBytes;
}

/// Why nothing that was tried fits.
llvm::Error TaskChooser::whyNone() const {
  ShardNeed need = leastNeed(whole, isCut, mostTaskDevices);
  if (need.bytes <= limits.memoryBytes)
    return problem.toError();
  std::string bytes = rt::formatBytes(need.bytes);
  std::string limit = rt::formatBytes(limits.memoryBytes);
  if (bytes == limit) {
    bytes = countOf(need.bytes, "byte");
    limit = countOf(limits.memoryBytes, "byte");
  }
  return faultError(
      Fault::Machine, "",
      joinedText("shard '", whole.shards[need.shard].vertex, "' needs ",
                 isCut[need.shard] ? "at least " : "", bytes,
                 " of memory at once however finely the graph is cut, the "
                 "limit is ",
                 limit));
}

/// What a number of devices comes to; keeps the shards, or why they do not fit.
TaskEstimate TaskChooser::tryDevices(int64_t devices) {
  auto [known, isNew] = estimates.try_emplace(devices);
  TaskEstimate &estimate = known->second;
  if (!isNew)
    return estimate;
  int64_t vertices = 0;
  (void)teg::forEachVertex(compilation.getGraph(), [&](BlockOpInterface) {
    ++vertices;
    return success();
  });
  if (isHopeless(devices)) {
    estimate.isHopeless = true;
    return estimate;
  }
  if (devices > std::max(limits.workers, mostBlocks / (vertices + 1)))
    return estimate;
  PlanRequest request = options.planning;
  request.devices = devices;
  request.memoryLimit = 0;
  // Fewer are tried by themselves.
  request.mayIdle = false;
  // What one number of devices does not suit may suit another.
  ScopedDiagnosticHandler silence(
      compilation.getGraph().getContext(),
      [&](Diagnostic &) { return success(devices > 1); });
  auto tasks = cut(request);
  if (!tasks) {
    ErrorFacts facts = factsOf(tasks.takeError());
    if (problem.text.empty())
      problem = std::move(facts);
    return estimate;
  }
  const rt::TaskProgram &program = tasks->graph.program;
  if (devices == 1)
    keepWhole(program);
  if (llvm::Error error = checkKernels(program)) {
    ErrorFacts facts = factsOf(std::move(error));
    // Where fewer blocks do not fit, that is what is short.
    if (problem.text.empty())
      problem = std::move(facts);
    return estimate;
  }
  estimate.largestShard = largestShard(program);
  if (llvm::Error error = planMemory(*tasks)) {
    ErrorFacts facts = factsOf(std::move(error));
    if (!leastLargest || *estimate.largestShard <= *leastLargest) {
      problem = std::move(facts);
      leastLargest = estimate.largestShard;
    }
    estimate.keepsTooMuch =
        !limits.spills &&
        *estimate.largestShard <= limits.memoryBytes / smallShard;
    return estimate;
  }
  estimate.seconds =
      estimateSeconds(program, tasks->schedule, limits.workers, machine);
  found.insert_or_assign(devices, std::move(*tasks));
  return estimate;
}

llvm::Expected<ChosenTasks> TaskChooser::search() {
  std::set<int64_t> measured;
  while (std::optional<int64_t> best =
             searchDevices(limits.workers, [&](int64_t devices) {
               return tryDevices(devices);
             })) {
    ChosenTasks &tasks = found.at(*best);
    if (!measured.insert(*best).second)
      return std::move(tasks);
    std::optional<double> &seconds = estimates[*best].seconds;
    if (llvm::Error error = measureKernels(tasks)) {
      problem = factsOf(std::move(error));
      seconds = std::nullopt;
      continue;
    }
    // What the kernels allocate may leave room for fewer of them at a time,
    // and then another number may be better.
    seconds = estimateSeconds(tasks.graph.program, tasks.schedule,
                              limits.workers, machine);
  }
  return whyNone();
}

llvm::Expected<ChosenTasks> TaskChooser::choose() {
  if (options.planning.planFile.empty() && options.planning.grid.empty())
    return search();
  PlanRequest request = options.planning;
  request.devices = 0;
  request.memoryLimit = 0;
  auto tasks = cut(request);
  if (!tasks)
    return tasks.takeError();
  if (llvm::Error error = checkKernels(tasks->graph.program))
    return std::move(error);
  if (llvm::Error error = measureKernels(*tasks))
    return std::move(error);
  return std::move(*tasks);
}

llvm::Expected<ChosenTasks>
tapestry::driver::chooseTasks(Compilation &compilation) {
  const Options &options = compilation.getOptions();
  Stage stage(options, "cutting");
  // Shards run beside each other, each on one thread.
  compilation.setThreads(0);
  // Their number is that of the workers.
  PlanRequest wish = options.planning;
  if (!wish.planFile.empty() || !wish.grid.empty())
    wish.devices = 0;
  auto request = resolveRequest(wish);
  if (!request)
    return request.takeError();
  if (!wish.grid.empty())
    if (llvm::Error error =
            checkDevicePins(compilation.getGraph().getBody().front(),
                            request->grid.numDevices()))
      return std::move(error);
  machine::Machine machine = request->machine;
  if (machine.name.empty())
    machine = machine::builtInMachines().front();
  return TaskChooser(compilation, std::move(machine)).choose();
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

ExitStatus tapestry::driver::loadKernels(Compilation &compilation,
                                         const BlockObjects &blocks,
                                         ChosenTasks &tasks,
                                         std::unique_ptr<JitProgram> &jit) {
  ModuleOp module = *tasks.graph.kernels;
  auto make = [&](std::unique_ptr<llvm::MemoryBuffer> &made) {
    Stage stage(compilation.getOptions(), "generating code");
    PassManager pm(module.getContext());
    pm.enableVerifier(false);
    buildLoweringPipeline(pm, compilation.getTarget(),
                          compilation.getCodegen());
    if (failed(pm.run(module)))
      return ExitBadInput;
    auto emitted = compilation.getTarget().emitObject(
        module, Compilation::codegenThreads());
    if (failed(emitted))
      return ExitEnvironment;
    made = std::move(*emitted);
    return ExitDone;
  };
  std::unique_ptr<llvm::MemoryBuffer> object;
  if (ExitStatus status =
          cachedObject(compilation.getOptions(), compilation.getCodegen(),
                       module, make, object))
    return status;
  Stage stage(compilation.getOptions(), "loading");
  if (ExitStatus status = linkObject(std::move(object), blocks, jit))
    return status;
  for (auto [number, kernel] : llvm::enumerate(tasks.graph.program.kernels))
    if (ExitStatus status = findProgram(
            *jit, blocks, "tapestry_program_kernel_" + std::to_string(number),
            kernel.program))
      return status;
  return ExitDone;
}

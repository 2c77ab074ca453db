//===- RunTasks.cpp - Runs a task program from files to files -------------===//

#include "Core/Machine.h"
#include "Core/Types.h"
#include "Run/Results.h"
#include "Tasks/Pieces.h"
#include "Tasks/TaskReport.h"
#include "tapestry-rt/Counted.h"
#include <algorithm>
#include <map>

using namespace tapestry;
using namespace tapestry::rt;

//===----------------------------------------------------------------------===//
// The program from outside
//===----------------------------------------------------------------------===//

namespace {
/// What a job asks of a program: names, types and features of its boundary, as
/// of a program for one device.
class Boundary {
public:
  explicit Boundary(const TaskProgram &tasks);
  const TapestryProgram &table() const { return program; }

private:
  TapestryTensor tensor(const std::string &name, int32_t dtype,
                        const std::vector<int64_t> &shape);
  void addVertices(const TaskProgram &tasks);

  std::vector<std::vector<Range>> boxes;
  std::vector<TapestryTensor> inputs, outputs;
  std::vector<TapestryVertex> vertices;
  std::vector<const char *> unread, features, inputFiles, outputFiles;
  std::vector<uint8_t> takenIn;
  TapestryProgram program = {};
};
} // namespace

static void runsByShards(TapestryRank *, const void *const *, void *const *) {}

TapestryTensor Boundary::tensor(const std::string &name, int32_t dtype,
                                const std::vector<int64_t> &shape) {
  boxes.push_back(wholeBox(shape));
  static const uint8_t owner = 1;
  return {name.c_str(),
          dtype,
          static_cast<int32_t>(shape.size()),
          shape.data(),
          boxes.back().data(),
          &owner};
}

void Boundary::addVertices(const TaskProgram &tasks) {
  std::map<std::string, size_t> numbers;
  for (const TaskShard &shard : tasks.shards) {
    auto [it, isNew] = numbers.emplace(shard.vertex, vertices.size());
    if (isNew)
      vertices.push_back({shard.vertex.c_str(), 0});
    vertices[it->second].flops += shard.flops;
  }
}

static const char *orNull(const std::string &file) {
  return file.empty() ? nullptr : file.c_str();
}

Boundary::Boundary(const TaskProgram &tasks) {
  for (const TaskInput &input : tasks.inputs) {
    inputs.push_back(tensor(input.name, input.dtype, input.shape));
    inputs.back().owner = nullptr;
    inputFiles.push_back(orNull(input.file));
    takenIn.push_back(!input.after.empty() || !input.afterSinks.empty());
  }
  for (const TaskSink &sink : tasks.sinks) {
    outputs.push_back(tensor(sink.name, sink.dtype, sink.shape));
    outputFiles.push_back(orNull(sink.file));
  }
  addVertices(tasks);
  for (const std::string &name : tasks.unreadInputs)
    unread.push_back(name.c_str());
  for (const TaskKernel &kernel : tasks.kernels)
    for (int64_t i = 0; kernel.program && i < kernel.program->num_features; ++i)
      features.push_back(kernel.program->features[i]);
  program.abi_version = TAPESTRY_ABI_VERSION;
  program.struct_size = sizeof(TapestryProgram);
  program.name = tasks.name.c_str();
  program.devices = 1;
  program.num_inputs = static_cast<int32_t>(inputs.size());
  program.num_outputs = static_cast<int32_t>(outputs.size());
  program.num_vertices = static_cast<int32_t>(vertices.size());
  program.inputs = inputs.data();
  program.outputs = outputs.data();
  program.input_files = inputFiles.data();
  program.output_files = outputFiles.data();
  program.taken_in = takenIn.data();
  program.vertices = vertices.data();
  program.entry = runsByShards;
  program.num_unread_inputs = static_cast<int64_t>(unread.size());
  program.unread_inputs = unread.data();
  program.num_features = static_cast<int64_t>(features.size());
  program.features = features.data();
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

static Status checkAll(Job &job, const TaskProgram &program) {
  const RunOptions &options = job.options;
  if (job.backend() != "local")
    return job.failure(ExitUsage,
                       format("the greedy executor runs in one process: the "
                              "back end %s has no part in it",
                              job.backend().c_str()));
  if (!options.feeds.empty())
    return job.failure(
        ExitUsage, "--feed: the greedy executor reads its inputs from files, "
                   "and feeds none of them from an output");
  Status status = checkTasks(program);
  for (size_t i = 0; i < program.kernels.size() && !status.failed(); ++i)
    if (!program.kernels[i].program)
      status = Status::failure(ExitEnvironment,
                               format("kernel %zu has no program", i));
  if (status.failed())
    return job.failure(status.exitStatus(), status.message());
  return job.checkOptions();
}

std::vector<bool> tapestry::rt::unwantedSinks(
    const TaskProgram &program,
    const std::vector<std::pair<std::string, std::string>> &outputs,
    bool showsResults) {
  std::vector<bool> unwanted;
  for (const TaskSink &sink : program.sinks) {
    bool isShown = showsResults && outputs.empty() && sink.shape.empty();
    unwanted.push_back(
        !isShown && sink.file.empty() &&
        std::none_of(outputs.begin(), outputs.end(), [&](const auto &output) {
          return output.first == sink.name;
        }));
  }
  return unwanted;
}

static std::string spillFolder(const TaskRunOptions &options) {
  return options.spill.empty() ? temporaryFolder() : options.spill;
}

Status tapestry::rt::checkSpillFolder(const TaskRunOptions &options) {
  if (options.spill == "none")
    return Status::success();
  return SpillFile().open(spillFolder(options), /*bytes=*/0);
}

//===----------------------------------------------------------------------===//
// The run
//===----------------------------------------------------------------------===//

namespace {
class TaskRun {
public:
  TaskRun(Job &job, const TaskProgram &program, const TaskRunOptions &options)
      : job(job), program(program), options(options) {}

  Status run();

private:
  Status plan();
  Status runAll(Executor &executor);
  Status finish(const Executor &executor);
  void say(const std::string &text) const {
    if (job.options.verbose)
      fprintf(stderr, "%s: %s\n", job.options.tool.c_str(), text.c_str());
  }

  Job &job;
  const TaskProgram &program;
  const TaskRunOptions &options;
  TaskLimits limits;
  TaskSchedule steps;
  SpillFile spill;
  std::vector<int64_t> runTimes;
};
} // namespace

Status TaskRun::plan() {
  limits.memoryBytes =
      job.options.memoryLimit > 0 ? job.options.memoryLimit : availableMemory();
  limits.workers = options.workers > 0 ? options.workers : availableCores();
  limits.workers = std::min<int64_t>(
      limits.workers, std::max<int64_t>(program.shards.size(), 1));
  limits.spills = options.spill != "none";
  limits.unwanted =
      unwantedSinks(program, job.options.outputs, job.options.showsResults);
  int64_t begin = nowNanoseconds();
  Status status = schedule(program, limits, steps);
  if (status.failed())
    return job.failure(status.exitStatus(), status.message());
  say(format("planned %s on %s under %s in %.3g s: %s spilled, %s read back, "
             "%s read from inputs, %s copied, %s at most",
             countOf(program.shards.size(), "shard").c_str(),
             countOf(limits.workers, "worker").c_str(),
             formatBytes(limits.memoryBytes).c_str(),
             (nowNanoseconds() - begin) * 1e-9,
             formatBytes(steps.spilledBytes).c_str(),
             formatBytes(steps.reloadedBytes).c_str(),
             formatBytes(steps.inputBytes).c_str(),
             formatBytes(steps.copiedBytes).c_str(),
             formatBytes(steps.peakBytes).c_str()));
  if (steps.spilledBytes == 0)
    return status;
  return spill.open(spillFolder(options), steps.spillFileBytes);
}

Status TaskRun::runAll(Executor &executor) {
  Status status;
  uint64_t id = uniqueId();
  for (size_t i = 0; i < job.outputs.size(); ++i)
    if (job.outputs[i] && !status.failed()) {
      job.outputs[i]->nameAside(id + i);
      status = job.outputs[i]->create();
    }
  for (int64_t run = 0; run < job.options.repeat && !status.failed(); ++run) {
    int64_t begin = nowNanoseconds();
    status = executor.run(run);
    runTimes.push_back(nowNanoseconds() - begin);
    if (!status.failed())
      status = executor.checkCounts();
  }
  return status;
}

Status TaskRun::finish(const Executor &executor) {
  int64_t begin = nowNanoseconds();
  job.progress.note(job.options.repeat - 1, "writing");
  Status status;
  auto forThoseLeft = [&](auto act) {
    for (size_t i = 0; i < job.outputs.size(); ++i)
      if (job.outputs[i] && !executor.isHandedOut[i] && !status.failed())
        status = act(*job.outputs[i]);
  };
  forThoseLeft([](OutputFile &file) { return file.close(); });
  // Named together, when all are complete.
  forThoseLeft([](OutputFile &file) { return file.commit(); });
  if (status.failed())
    return status;
  say(format("wrote in %.3g s", (nowNanoseconds() - begin) * 1e-9));
  if (job.options.showsResults && job.options.outputs.empty()) {
    std::vector<const void *> numbers;
    for (const std::vector<char> &number : executor.numbers)
      numbers.push_back(number.empty() ? nullptr : number.data());
    showResults(job, numbers);
  }
  job.progress.clear();
  if (!job.options.reportPath.empty())
    status = putFile(job.options.reportPath,
                     taskReportText(executor, limits.memoryBytes, runTimes));
  if (status.failed() || job.options.tracePath.empty())
    return status;
  tellDropped(job.options.tool, executor.droppedSpans, job.options.tracePath,
              "thread");
  return putFile(job.options.tracePath, taskTraceText(executor));
}

Status TaskRun::run() {
  Status status = plan();
  if (status.failed())
    return status;
  TaskGraph graph(program, limits.unwanted);
  Executor executor(graph, steps, job, &spill,
                    static_cast<int>(limits.workers));
  status = runAll(executor);
  return status.failed() ? status : finish(executor);
}

int tapestry::rt::runTasks(const TaskProgram &program,
                           const RunOptions &options,
                           const TaskRunOptions &tasks) {
  NewHandlerGuard memoryGuard;
  SignalGuard signalGuard;
  Boundary boundary(program);
  Job job(boundary.table(), options);
  Status status = checkAll(job, program);
  if (!status.failed())
    status = job.openFiles();
  if (!status.failed()) {
    status = TaskRun(job, program, tasks).run();
    if (status.failed())
      removeTemporaries();
  }
  if (status.failed())
    printMessage(job, status.message());
  return status.exitStatus();
}

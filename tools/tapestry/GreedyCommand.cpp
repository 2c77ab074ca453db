//===- GreedyCommand.cpp - tapestry run --executor greedy -----------------===//
//
// Programs that do not fit into memory as a whole, shard by shard.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "tapestry/Driver/TaskSearch.h"
#include "tapestry/Driver/Tasks.h"
#include "tapestry/Support/Counted.h"

using namespace tapestry;
using namespace tapestry::driver;

/// "would spill 96 bytes of 'T' in 12 shards".
static std::string prediction(const ChosenTasks &tasks) {
  const rt::TaskProgram &program = tasks.graph.program;
  std::string spilled = describeSpills(program, tasks.schedule);
  return "would spill " + (spilled.empty() ? "nothing" : spilled) + " in " +
         countOf(program.shards.size(), "shard");
}

bool tapestry::driver::mayGoGreedy(const Options &options,
                                   const llvm::Error &error) {
  return options.executor == Executor::Default && options.feeds.empty() &&
         error.isA<MemoryError>();
}

/// The message of a refusal, and what comes of the greedy executor.
static ExitStatus refuse(llvm::Error refusal, const std::string &greedy) {
  ErrorFacts facts = factsOf(std::move(refusal));
  facts.text += "; run --executor greedy " + greedy;
  return report(facts.toError());
}

ExitStatus tapestry::driver::refusePlan(Compilation &compilation,
                                        llvm::Error error) {
  auto tasks = chooseTasks(compilation);
  if (tasks)
    return refuse(std::move(error), prediction(*tasks));
  return refuse(std::move(error),
                "cannot either: " + factsOf(tasks.takeError()).text);
}

ExitStatus tapestry::driver::showTasks(Compilation &compilation) {
  auto tasks = chooseTasks(compilation);
  if (!tasks)
    return report(tasks.takeError());
  const rt::TaskProgram &program = tasks->graph.program;
  const rt::TaskSchedule &schedule = tasks->schedule;
  rt::TaskLimits limits = taskLimits(compilation);
  llvm::outs() << "tasks of " << program.name << " for "
               << countOf(limits.workers, "worker") << " and "
               << countOf(limits.memoryBytes, "byte") << ": "
               << countOf(program.shards.size(), "shard") << " of "
               << countOf(program.kernels.size(), "kernel") << "\npeak "
               << countOf(schedule.peakBytes, "byte") << ", "
               << countOf(schedule.inputBytes, "byte") << " of inputs read, "
               << schedule.spilledBytes << " spilled, "
               << schedule.reloadedBytes << " read back, "
               << schedule.copiedBytes << " copied in memory\n";
  std::string spilled = describeSpills(program, schedule);
  if (!spilled.empty())
    llvm::outs() << "spilled: " << spilled << '\n';
  return ExitDone;
}

ExitStatus
tapestry::driver::runGreedy(Compilation &compilation,
                            std::chrono::steady_clock::time_point start,
                            llvm::Error refusal) {
  const Options &options = compilation.getOptions();
  BlockObjects blocks;
  if (ExitStatus status =
          blocks.read(options.objects, compilation.getGraph())) {
    llvm::consumeError(std::move(refusal));
    return status;
  }
  auto tasks = chooseTasks(compilation);
  if (!tasks && refusal)
    return refuse(std::move(refusal),
                  "cannot either: " + factsOf(tasks.takeError()).text);
  if (!tasks)
    return report(tasks.takeError());
  if (refusal) {
    llvm::consumeError(std::move(refusal));
    if (!options.quiet)
      llvm::errs() << "tapestry: no plan keeps --memory: --executor greedy "
                   << prediction(*tasks) << '\n';
  }
  std::unique_ptr<JitProgram> jit;
  if (ExitStatus status = loadKernels(compilation, blocks, *tasks, jit))
    return status;
  rt::RunOptions run = runOptions(options);
  rt::TaskLimits limits = taskLimits(compilation);
  run.memoryLimit = limits.memoryBytes;
  run.compileSeconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  rt::TaskRunOptions how;
  how.workers = limits.workers;
  how.spill = options.spill;
  return static_cast<ExitStatus>(rt::runTasks(tasks->graph.program, run, how));
}

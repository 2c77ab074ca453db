//===- RunCommand.cpp - tapestry run --------------------------------------===//

#include "Commands.h"
#include "tapestry-rt/Status.h"
#include "tapestry-rt/Tasks.h"
#include "tapestry/Driver/Compilation.h"
#include "tapestry/Driver/InProcess.h"
#include <chrono>

using namespace tapestry;
using namespace tapestry::driver;

rt::RunOptions tapestry::driver::runOptions(const Options &options) {
  rt::RunOptions run;
  run.inputs = options.inputs;
  run.outputs = options.outputs;
  run.feeds = options.feeds;
  run.slowLink = options.slowLink;
  run.sharesDevices = options.sharesDevices;
  run.collectives = options.collectives;
  run.repeat = options.repeat;
  run.reportPath = options.reportFile;
  run.tracePath = options.traceFile;
  run.verbose = options.verbose;
  run.progress = !options.quiet;
  run.showsResults = true;
  run.backend = "local";
  run.ownsProcess = true;
  return run;
}

ExitStatus tapestry::driver::runProgram(const Options &options) {
  auto start = std::chrono::steady_clock::now();
  // What is wrong with the request otherwise is said where it is planned.
  if (auto request = plan::resolveRequest(options.planning); !request)
    llvm::consumeError(request.takeError());
  else if (ExitStatus status = checkLocalRanks(
               std::max(request->devices, request->grid.numDevices())))
    return status;
  if (!options.spill.empty())
    if (rt::Status spills =
            rt::checkSpillFolder({/*workers=*/0, options.spill});
        spills.failed()) {
      printMessage(spills.message());
      return static_cast<ExitStatus>(spills.exitStatus());
    }
  Compilation compilation(options);
  if (ExitStatus status = compilation.load())
    return status;
  BlockObjects blocks;
  if (options.executor == Executor::Greedy)
    return runGreedy(compilation, start);
  if (ExitStatus status = blocks.read(options.objects, compilation.getGraph()))
    return status;
  if (llvm::Error error = compilation.tryPlan())
    return mayGoGreedy(options, error)
               ? runGreedy(compilation, start, std::move(error))
               : report(std::move(error));
  LoadedProgram loaded;
  if (ExitStatus status = loadProgram(compilation, blocks, loaded))
    return status;

  rt::RunOptions run = runOptions(options);
  run.compileSeconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  return static_cast<ExitStatus>(rt::run(*loaded.program, run));
}

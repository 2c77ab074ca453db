//===- tapestry.cpp - The tapestry driver ---------------------------------===//

#include "Commands.h"
#include "tapestry-rt/Files.h"
#include "tapestry-rt/Runtime.h"
#include "tapestry/Driver/OutputFile.h"
#include "tapestry/InitAll.h"
#include "tapestry/Pipelines/Pipelines.h"
#include "tapestry/Plugin/Loader.h"
#include "llvm/Support/InitLLVM.h"
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <thread>
#include <unistd.h>

using namespace tapestry;
using namespace tapestry::driver;

static ExitStatus runCommand(const Options &options) {
  switch (options.command) {
  case Command::Run:
    return runProgram(options);
  case Command::Plan:
    return options.diffFiles.empty() ? showPlan(options)
                                     : diffPlanFiles(options);
  case Command::Compile:
    return compileProgram(options);
  case Command::Reference:
    return evaluateReference(options);
  case Command::Calibrate:
    return calibrateMachine(options);
  case Command::Session:
    return runSession(options);
  case Command::Cache:
    return manageCache(options);
  }
  llvm_unreachable("no other command");
}

/// Under a launcher of several processes all would do the same work and write
/// the same files. Only measuring MPI is a work of several.
static ExitStatus refuseSeveral(const Options &options) {
  rt::LaunchedAs launched = rt::launchedAs();
  if (launched.size == 1 ||
      (options.command == Command::Calibrate && options.backend != "local"))
    return ExitDone;
  std::string count =
      launched.size > 0 ? std::to_string(launched.size) : "several";
  llvm::StringRef instead = "make an executable of the program (tapestry "
                            "compile PROG.ein -o prog) and start that (mpirun "
                            "./prog)";
  if (options.command == Command::Calibrate)
    instead = "--backend mpi measures those";
  if (options.command == Command::Session)
    instead = "the devices of a session are threads; start it by itself";
  // Launchers end all when one has failed: the one that speaks is the first.
  if (launched.rank == 0)
    printError("this is the work of one process, and " + count +
               " were started: " + instead);
  else
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
  return ExitUsage;
}

/// Says what is wrong with the places of outputs before the work is done that
/// would be lost. Of several processes the first looks, as it will write.
static ExitStatus checkPlaces(const Options &options) {
  if (rt::launchedAs().rank != 0)
    return ExitDone;
  for (const std::string &path : options.writtenFiles)
    if (ExitStatus status = report(rt::NewFile().prepare(path)))
      return status;
  return ExitDone;
}

/// What standard output could not take is an error, whoever has written it and
/// however the process ends.
static void checkStandardOutput() {
  llvm::raw_fd_ostream &out = llvm::outs();
  out.flush();
  std::error_code error = out.error();
  // The runtime writes through another stream.
  if (fflush(stdout) != 0 && !error)
    error = std::error_code(errno, std::generic_category());
  if (!error)
    return;
  printError("cannot write to standard output: " + error.message());
  _exit(ExitEnvironment);
}

int main(int argc, char **argv) {
  rt::holdStandardFiles();
  // A pipe that nobody reads ends the process as it ends others.
  llvm::InitLLVM init(argc, argv, /*InstallPipeSignalExitHandler=*/false);
  // Alive while standard output is written, too.
  static rt::SignalGuard signals;
  // Before the stream's own end, which comes later and aborts.
  llvm::outs();
  atexit(checkStandardOutput);
  tapestry::registerAllTargets();
  tapestry::registerAllCostModels();
  forgetForeignOptions();
  if (llvm::Error error = tapestry::loadPlugins(argc, argv))
    return report(std::move(error));
  std::optional<Options> options = parseOptions(argc, argv);
  if (!options)
    return ExitUsage;
  if (ExitStatus status = refuseSeveral(*options))
    return status;
  if (ExitStatus status = checkPlaces(*options))
    return status;
  return runCommand(*options);
}

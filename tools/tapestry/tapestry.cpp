//===- tapestry.cpp - The tapestry driver ---------------------------------===//

#include "Commands.h"
#include "tapestry-rt/Files.h"
#include "tapestry/InitAll.h"
#include "tapestry/Pipelines/Pipelines.h"
#include "tapestry/Plugin/Loader.h"
#include "llvm/Support/InitLLVM.h"
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
  }
  llvm_unreachable("no other command");
}

/// What standard output could not take is an error, whoever has written it and
/// however the process ends.
static void checkStandardOutput() {
  llvm::raw_fd_ostream &out = llvm::outs();
  out.flush();
  if (!out.has_error())
    return;
  printError("cannot write to standard output: " + out.error().message());
  out.clear_error();
  _exit(ExitEnvironment);
}

int main(int argc, char **argv) {
  rt::holdStandardFiles();
  // A pipe that nobody reads ends the process as it ends others.
  llvm::InitLLVM init(argc, argv, /*InstallPipeSignalExitHandler=*/false);
  rt::SignalGuard signals;
  // Before the stream's own end, which comes later and aborts.
  llvm::outs();
  atexit(checkStandardOutput);
  tapestry::registerAllTargets();
  tapestry::registerAllCostModels();
  if (int status = tapestry::loadPluginsOrReport("tapestry", argc, argv))
    return status;
  std::optional<Options> options = parseOptions(argc, argv);
  return options ? runCommand(*options) : ExitUsage;
}

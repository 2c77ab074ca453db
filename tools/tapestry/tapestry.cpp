//===- tapestry.cpp - The tapestry driver ---------------------------------===//

#include "Commands.h"
#include "tapestry/InitAll.h"
#include "tapestry/Pipelines/Pipelines.h"
#include "tapestry/Plugin/Loader.h"
#include "llvm/Support/InitLLVM.h"

using namespace tapestry;
using namespace tapestry::driver;

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  tapestry::registerAllTargets();
  tapestry::registerAllCostModels();
  if (int status = tapestry::loadPluginsOrReport("tapestry", argc, argv))
    return status;
  std::optional<Options> options = parseOptions(argc, argv);
  if (!options)
    return ExitUsage;
  switch (options->command) {
  case Command::Run:
    return runProgram(*options);
  case Command::Plan:
    return options->diffFiles.empty() ? showPlan(*options)
                                      : diffPlanFiles(*options);
  case Command::Compile:
    return compileProgram(*options);
  case Command::Reference:
    return evaluateReference(*options);
  case Command::Calibrate:
    return calibrateMachine(*options);
  }
}

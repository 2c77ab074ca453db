//===- PlanCommand.cpp - tapestry plan ------------------------------------===//

#include "Commands.h"
#include "Compilation.h"
#include "tapestry/Planner/Explain.h"
#include "tapestry/Planner/PlanFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace tapestry;
using namespace tapestry::driver;

/// A file appears whole or not at all, where a link points; pipes and devices
/// are written to as they are.
static llvm::Error writePlanFile(llvm::StringRef path, const PlanGraph &graph,
                                 const Plan &plan) {
  llvm::SmallString<128> target(path);
  if (llvm::sys::fs::exists(path)) {
    if (!llvm::sys::fs::is_regular_file(path)) {
      std::error_code code;
      llvm::raw_fd_ostream os(path, code);
      if (code)
        return llvm::errorCodeToError(code);
      writePlan(os, graph, plan);
      return llvm::Error::success();
    }
    llvm::sys::fs::real_path(path, target);
  }
  return llvm::writeToOutput(target, [&](llvm::raw_ostream &os) {
    writePlan(os, graph, plan);
    return llvm::Error::success();
  });
}

ExitStatus tapestry::driver::showPlan(const Options &options) {
  Compilation compilation(options);
  if (!options.stopAfter.empty())
    return compilation.printAfterPhase();
  if (ExitStatus status = compilation.load())
    return status;
  if (ExitStatus status = compilation.planGraph())
    return status;
  const PlanGraph &graph = compilation.getPlanGraph();
  const Plan &plan = compilation.getPlan();
  if (!options.jsonFile.empty())
    if (llvm::Error error = writePlanFile(options.jsonFile, graph, plan)) {
      printError(options.jsonFile +
                 ": error: cannot write: " + llvm::toString(std::move(error)));
      return ProgramWrong;
    }
  if (options.explain)
    llvm::outs() << explainPlan(graph, plan);
  else if (options.jsonFile.empty())
    llvm::outs() << planTable(graph, plan);
  return Success;
}

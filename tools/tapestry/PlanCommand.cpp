//===- PlanCommand.cpp - tapestry plan ------------------------------------===//

#include "Commands.h"
#include "Compilation.h"
#include "OutputFile.h"
#include "tapestry/Planner/Explain.h"
#include "tapestry/Planner/PlanFile.h"
#include "llvm/Support/raw_ostream.h"

using namespace tapestry;
using namespace tapestry::driver;

ExitStatus tapestry::driver::showPlan(const Options &options) {
  if (options.pareto.isWanted())
    return showFront(options);
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
    if (ExitStatus status =
            writeOutputFile(options.jsonFile, [&](llvm::raw_ostream &os) {
              writePlan(os, graph, plan);
            }))
      return status;
  if (options.explain)
    llvm::outs() << explainPlan(graph, plan);
  else if (options.jsonFile.empty())
    llvm::outs() << planTable(graph, plan);
  return Success;
}

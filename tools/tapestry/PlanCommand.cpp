//===- PlanCommand.cpp - tapestry plan ------------------------------------===//

#include "Commands.h"
#include "tapestry/Driver/Compilation.h"
#include "tapestry/Driver/OutputFile.h"
#include "tapestry/Planner/Explain/Explain.h"
#include "tapestry/Planner/Plan/PlanFile.h"
#include "tapestry/Planner/Report/PlanPicture.h"
#include "llvm/Support/raw_ostream.h"

using namespace tapestry;
using namespace tapestry::explain;
using namespace tapestry::model;
using namespace tapestry::plan;
using namespace tapestry::report;
using namespace tapestry::driver;

/// The cut graph as SVG, and the page that holds it.
static ExitStatus writeDrawings(const Options &options, const PlanGraph &graph,
                                const Plan &plan) {
  std::string digraph, missing;
  llvm::raw_string_ostream text(digraph);
  writeDot(text, graph, plan);
  llvm::Expected<std::string> picture = layOut(digraph);
  if (!picture) {
    llvm::Error error = picture.takeError();
    if (!options.svgFile.empty())
      return driver::report(withPlace(options.svgFile, std::move(error)));
    // The page tells the rest, and why.
    missing = factsOf(std::move(error)).text;
    picture = "";
    llvm::errs() << options.htmlFile
                 << ": warning: the graph is not drawn: " << missing << '\n';
  }
  if (!options.svgFile.empty())
    if (ExitStatus status = writeOutputFile(
            options.svgFile, [&](llvm::raw_ostream &os) { os << *picture; }))
      return status;
  if (options.htmlFile.empty())
    return ExitDone;
  return writeOutputFile(options.htmlFile, [&](llvm::raw_ostream &os) {
    writeHtml(os, graph, plan, *picture, missing);
  });
}

ExitStatus tapestry::driver::writePictures(const Options &options,
                                           const PlanGraph &graph,
                                           const Plan &plan) {
  if (!options.dotFile.empty())
    if (ExitStatus status =
            writeOutputFile(options.dotFile, [&](llvm::raw_ostream &os) {
              writeDot(os, graph, plan);
            }))
      return status;
  if (options.svgFile.empty() && options.htmlFile.empty())
    return ExitDone;
  return writeDrawings(options, graph, plan);
}

ExitStatus tapestry::driver::findExplanation(const Options &options,
                                             const PlanGraph &graph,
                                             const Plan &plan,
                                             std::string &text) {
  if (!options.explain)
    return ExitDone;
  ExplainOptions explainOptions;
  explainOptions.vertices = options.explainVertices;
  explainOptions.memoryBytes = options.planning.memoryLimit;
  llvm::Expected<std::string> made = explainPlan(graph, plan, explainOptions);
  if (!made)
    return report(made.takeError());
  text = std::move(*made);
  return ExitDone;
}

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
  std::string explanation;
  if (ExitStatus status = findExplanation(options, graph, plan, explanation))
    return status;
  if (!options.jsonFile.empty())
    if (ExitStatus status =
            writeOutputFile(options.jsonFile, [&](llvm::raw_ostream &os) {
              writePlan(os, graph, plan);
            }))
      return status;
  if (ExitStatus status = writePictures(options, graph, plan))
    return status;
  printText(explanation);
  if (!options.explain && options.jsonFile.empty() && options.dotFile.empty() &&
      options.svgFile.empty() && options.htmlFile.empty())
    printText(planTable(graph, plan));
  return ExitDone;
}

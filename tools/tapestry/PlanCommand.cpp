//===- PlanCommand.cpp - tapestry plan ------------------------------------===//

#include "Commands.h"
#include "tapestry/Driver/Compilation.h"
#include "tapestry/Driver/OutputFile.h"
#include "tapestry/Export/GraphPicture.h"
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

namespace {

/// Pictures in Graphviz' language: of the plan, and of the graph that it cuts.
struct Digraphs {
  std::string plan;
  std::string expression;
};

} // namespace

static Digraphs digraphsOf(const PlanGraph &graph, const Plan &plan,
                           teg::GraphOp expression) {
  Digraphs digraphs;
  llvm::raw_string_ostream planText(digraphs.plan);
  writeDot(planText, graph, plan);
  if (expression) {
    llvm::raw_string_ostream expressionText(digraphs.expression);
    writeGraphPicture(expressionText, expression);
  }
  return digraphs;
}

static ExitStatus writeText(const std::string &path, llvm::StringRef text) {
  return writeOutputFile(path, [&](llvm::raw_ostream &os) { os << text; });
}

static ExitStatus writePage(const Options &options, const PlanGraph &graph,
                            const Plan &plan, const Digraphs &digraphs) {
  PagePictures pictures;
  llvm::Expected<std::string> picture = layOut(digraphs.plan);
  if (picture) {
    pictures.plan = std::move(*picture);
  } else {
    // The page tells the rest, and why.
    pictures.missing = factsOf(picture.takeError()).text;
    llvm::errs() << options.htmlFile
                 << ": warning: the graph is not drawn: " << pictures.missing
                 << '\n';
  }
  // Repeated blocks of a plan are folded; a graph shows all, if they are few.
  bool isSmall = graph.vertices.size() <= PictureOptions().foldFrom;
  if (pictures.missing.empty() && isSmall && !digraphs.expression.empty()) {
    llvm::Expected<std::string> expression = layOut(digraphs.expression);
    if (!expression)
      return driver::report(
          withPlace(options.htmlFile, expression.takeError()));
    pictures.expression = std::move(*expression);
  }
  return writeOutputFile(options.htmlFile, [&](llvm::raw_ostream &os) {
    writeHtml(os, graph, plan, pictures);
  });
}

ExitStatus tapestry::driver::writePictures(const Options &options,
                                           const PlanGraph &graph,
                                           const Plan &plan,
                                           teg::GraphOp expression) {
  if (options.dotFile.empty() && options.svgFile.empty() &&
      options.htmlFile.empty())
    return ExitDone;
  Digraphs digraphs = digraphsOf(graph, plan, expression);
  const std::string &drawn =
      options.draw == Drawing::Plan ? digraphs.plan : digraphs.expression;
  if (!options.dotFile.empty())
    if (ExitStatus status = writeText(options.dotFile, drawn))
      return status;
  if (!options.svgFile.empty()) {
    llvm::Expected<std::string> picture = layOut(drawn);
    if (!picture)
      return driver::report(withPlace(options.svgFile, picture.takeError()));
    if (ExitStatus status = writeText(options.svgFile, *picture))
      return status;
  }
  return options.htmlFile.empty() ? ExitDone
                                  : writePage(options, graph, plan, digraphs);
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
  if (options.executor == Executor::Greedy)
    return showTasks(compilation);
  if (llvm::Error error = compilation.tryPlan())
    return mayGoGreedy(options, error)
               ? refusePlan(compilation, std::move(error))
               : driver::report(std::move(error));
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
  if (options.draw == Drawing::Shards)
    if (ExitStatus status = compilation.shardGraph())
      return status;
  if (ExitStatus status =
          writePictures(options, graph, plan, compilation.getGraph()))
    return status;
  printText(explanation);
  if (!options.explain && options.jsonFile.empty() && options.dotFile.empty() &&
      options.svgFile.empty() && options.htmlFile.empty())
    printText(planTable(graph, plan));
  return ExitDone;
}

//===- DiffCommand.cpp - tapestry plan --diff -----------------------------===//

#include "Commands.h"
#include "tapestry/Driver/Compilation.h"
#include "tapestry/Planner/Plan/PlanDiff.h"
#include "llvm/Support/raw_ostream.h"

using namespace tapestry;
using namespace tapestry::plan;
using namespace tapestry::driver;

static llvm::Expected<PlanText> readPlanText(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return errorAt(path, buffer.getError().message());
  return PlanText{path, (*buffer)->getBuffer().str()};
}

ExitStatus tapestry::driver::diffPlanFiles(const Options &options) {
  std::optional<GraphVertices> vertices;
  if (!options.program.empty()) {
    Compilation compilation(options);
    if (ExitStatus status = compilation.load())
      return status;
    auto built = buildPlanGraph(compilation.getGraph().getBody().front());
    if (mlir::failed(built))
      return ExitBadInput;
    vertices.emplace();
    vertices->graph = std::move(built->graph);
  }
  auto left = readPlanText(options.diffFiles[0]);
  if (!left)
    return report(left.takeError());
  auto right = readPlanText(options.diffFiles[1]);
  if (!right)
    return report(right.takeError());
  auto text = diffPlans(*left, *right, vertices ? &vertices->graph : nullptr);
  if (!text)
    return report(text.takeError());
  printText(*text);
  return ExitDone;
}

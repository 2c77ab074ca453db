//===- ParetoCommand.cpp - tapestry plan --pareto -------------------------===//

#include "Commands.h"
#include "tapestry/Dialect/Tapestry/Transforms/GraphRewrites.h"
#include "tapestry/Dialect/Tapestry/Transforms/PartitionGraph.h"
#include "tapestry/Driver/Compilation.h"
#include "tapestry/Driver/OutputFile.h"
#include "tapestry/Planner/Explain/Explain.h"
#include "tapestry/Planner/Pareto/Pareto.h"
#include "tapestry/Planner/Plan/PlanFile.h"
#include "tapestry/Planner/Report/PlanPicture.h"
#include "tapestry/Support/Counted.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"

using namespace tapestry;
using namespace tapestry::explain;
using namespace tapestry::model;
using namespace tapestry::pareto;
using namespace tapestry::plan;
using namespace tapestry::driver;

/// The options of the search, apart from machine and grid.
static ParetoOptions searchOptions(const Options &options) {
  ParetoOptions search;
  search.program = llvm::sys::path::filename(options.program).str();
  search.seed = options.seed;
  search.threads = options.pareto.threads;
  search.evaluations = options.pareto.evaluations;
  search.timeLimit = options.pareto.timeLimit;
  search.stopping.price = options.pareto.price;
  search.limits[Seconds] = options.pareto.maxSeconds;
  search.limits[Bytes] = options.pareto.maxBytes;
  if (options.planning.memoryLimit > 0)
    search.limits[Memory] = double(options.planning.memoryLimit);
  return search;
}

namespace {
/// Finds the peaks of plans for the graphs of a space.
class SpacePeaks {
public:
  SpacePeaks(Compilation &compilation, RewriteSpace &space)
      : compilation(compilation), space(space) {}

  std::optional<int64_t> find(unsigned number, const Plan &plan);

private:
  struct Entry {
    mlir::OwningOpRef<teg::GraphOp> op;
    GraphVertices vertices;
  };
  Compilation &compilation;
  RewriteSpace &space;
  std::map<unsigned, Entry> entries;
};
} // namespace

std::optional<int64_t> SpacePeaks::find(unsigned number, const Plan &plan) {
  Entry &entry = entries[number];
  if (!entry.op) {
    entry.op = mlir::cast<teg::GraphOp>(compilation.getGraph()->clone());
    llvm::cantFail(teg::applyInPlace(*entry.op, space.history(number)),
                   "rewrites that were applied apply again");
    entry.vertices = *buildPlanGraph(entry.op->getBody().front());
  }
  teg::applyPlan(*entry.op, entry.vertices, plan);
  return compilation.findPeak(*entry.op, plan);
}

/// What a plan without a search begins with; nothing where there is none.
static std::vector<Rewrite> plainRewrites(Compilation &compilation,
                                          llvm::StringRef model,
                                          double mostWork) {
  PlanRequest request = compilation.getOptions().planning;
  request.costModel = model.str();
  request.mostWork = mostWork;
  // Whatever is wrong with such a plan, the search has its own.
  mlir::ScopedDiagnosticHandler silence(
      compilation.getGraph().getContext(),
      [](mlir::Diagnostic &) { return mlir::success(); });
  auto chosen = compilation.chooseRewrites(request);
  return mlir::succeeded(chosen) ? *chosen : std::vector<Rewrite>();
}

static void describeSearch(const ParetoFront &front) {
  llvm::errs() << "tried " << countOf(front.evaluations, "plan") << " in "
               << llvm::format("%.2f", front.searchSeconds)
               << " s, stopped by: " << front.stopped << '\n';
  for (const MutatorRecord &record : front.mutators)
    llvm::errs() << llvm::format(
        "  %-20s fired %8lld  improved the frontier %6lld  rate %.3f\n",
        record.name.c_str(), (long long)record.fired,
        (long long)record.improvements, record.rate);
}

ExitStatus tapestry::driver::showFront(const Options &options) {
  const ParetoRequest &request = options.pareto;
  const std::string pick = request.pick.empty() ? "fastest" : request.pick;
  if (llvm::Error error = checkPick(pick)) {
    printError("--pick: " + llvm::toString(std::move(error)));
    return ExitUsage;
  }
  ParetoOptions search = searchOptions(options);
  llvm::Expected<PlannerOptions> planner = resolveRequest(options.planning);
  if (!planner)
    return report(planner.takeError());
  search.devices = options.planning.devices;
  search.machine = std::move(planner->machine);
  search.grid = std::move(planner->grid);
  Compilation compilation(options);
  if (ExitStatus status = compilation.load())
    return status;
  // The search expands operators and looks for phases itself.
  auto first = compilation.chooseRewrites(
      options.planning, {/*expands=*/false, /*phases=*/false});
  if (mlir::failed(first))
    return ExitBadInput;
  llvm::Expected<std::unique_ptr<RewriteSpace>> made =
      teg::createRewriteSpace(compilation.getGraph(), *first);
  if (!made)
    return report(made.takeError());
  RewriteSpace &space = **made;
  search.earlierRewrites = teg::recordedRewrites(compilation.getGraph());

  search.plainRewrites = [&](llvm::StringRef model, double mostWork) {
    return plainRewrites(compilation, model, mostWork);
  };
  SpacePeaks peaks(compilation, space);
  search.findPeak = [&](unsigned graph, const Plan &plan) {
    return peaks.find(graph, plan);
  };
  llvm::Expected<ParetoFront> front = searchPareto(space, search);
  if (!front)
    return report(front.takeError());
  if (options.verbose)
    describeSearch(*front);
  llvm::Expected<unsigned> number = pickMember(*front, pick);
  if (!number) {
    printError("--pick: " + llvm::toString(number.takeError()));
    return ExitUsage;
  }
  const ParetoMember &member = front->members[*number];
  const PlanGraph &graph = space.graph(member.graph);
  std::string explanation;
  if (ExitStatus status =
          findExplanation(options, graph, member.plan, explanation))
    return status;

  std::string title =
      search.program + " on up to " +
      countOf(int64_t(front->starts.front().objectives[Devices]), "device") +
      ", machine " + search.machine.name;
  auto write = [&](const std::string &path, auto writer) {
    return path.empty() ? ExitDone : writeOutputFile(path, writer);
  };
  if (ExitStatus status = write(request.frontFile, [&](llvm::raw_ostream &os) {
        writeFront(os, space, *front);
      }))
    return status;
  if (ExitStatus status = write(request.plotFile, [&](llvm::raw_ostream &os) {
        report::plotFront(os, *front, title);
      }))
    return status;
  if (ExitStatus status = write(options.jsonFile, [&](llvm::raw_ostream &os) {
        writePlan(os, graph, member.plan);
      }))
    return status;
  if (ExitStatus status = writePictures(options, graph, member.plan,
                                        /*expression=*/nullptr))
    return status;
  printText(explanation);
  if (options.explain)
    return ExitDone;
  if (!request.pick.empty() && options.jsonFile.empty())
    printText(planTable(graph, member.plan));
  else if (request.pick.empty())
    printText(frontTable(*front));
  return ExitDone;
}

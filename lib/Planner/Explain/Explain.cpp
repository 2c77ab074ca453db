//===- Explain.cpp - Why a plan is as it is -------------------------------===//

#include "tapestry/Planner/Explain/Explain.h"
#include "tapestry/Planner/Explain/LowerBounds.h"
#include "tapestry/Planner/Layout/Memory.h"
#include "tapestry/Planner/Model/Constraints.h"
#include "tapestry/Planner/Optimize/DualBound.h"
#include "tapestry/Planner/Optimize/Marginals.h"
#include "tapestry/Planner/Plan/PlanText.h"
#include "tapestry/Planner/Plan/PlanTotals.h"
#include "tapestry/Support/Counted.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

using namespace tapestry;
using namespace tapestry::explain;
using namespace tapestry::layout;
using namespace tapestry::model;
using namespace tapestry::optimize;
using namespace tapestry::plan;

//===----------------------------------------------------------------------===//
// The plan's problem
//===----------------------------------------------------------------------===//

llvm::Expected<ExplainedProblem> ExplainedProblem::make(const PlanGraph &graph,
                                                        const Plan &plan,
                                                        int64_t memoryLimit) {
  auto problem =
      plan.model().buildProblem({graph, plan.grid, plan.machine}, memoryLimit);
  if (!problem)
    return problem.takeError();
  ExplainedProblem result;
  result.chosen = (*problem)->choicesOf(plan.decided(graph));
  result.built = std::move(*problem);
  return std::move(result);
}

//===----------------------------------------------------------------------===//
// Traffic and devices
//===----------------------------------------------------------------------===//

/// What the graph that is planned is made by of the one that was written.
static void printRewrites(llvm::raw_ostream &os, const Plan &plan) {
  if (plan.rewrites.empty())
    return;
  TextTable table({"rewrite", "vertex", "how"}, 3);
  for (const Rewrite &rewrite : plan.rewrites)
    table.add(
        {rewrite.kind, rewrite.vertex, llvm::join(rewrite.arguments, ", ")});
  os << "\nthe graph is the program's after\n";
  table.print(os);
}

static void printTraffic(llvm::raw_ostream &os, const Plan &plan) {
  if (plan.placement.collectives.empty()) {
    os << "\nno device sends anything\n";
    return;
  }
  auto print = [&](llvm::StringRef what, const std::vector<TrafficSum> &sums) {
    TextTable table({what.str(), "collectives", "bytes", "share"}, 1);
    for (const TrafficSum &sum : sums)
      table.add(
          {sum.name, std::to_string(sum.collectives), std::to_string(sum.bytes),
           percentText(double(sum.bytes) /
                       std::max<int64_t>(plan.placement.totalBytes(), 1))});
    table.print(os);
  };
  os << "\ntraffic per kind of collective\n";
  print("kind", trafficByKind(plan));
  if (plan.userGrid.axes.size() < 2)
    return;
  os << "\ntraffic per grid axis (a group that spans several counts to the "
        "outermost)\n";
  print("axis", trafficByAxis(plan));
}

static void printDevices(llvm::raw_ostream &os, const PlanGraph &graph,
                         const Plan &plan) {
  TextTable table({"vertex", "own work", "repeat it", "nothing"}, 1);
  for (unsigned v = 0; v < graph.vertices.size(); ++v) {
    if (graph.vertices[v].isInput)
      continue;
    DeviceUse use = devicesOf(graph, plan, v);
    if (use.repeating || use.empty)
      table.add({graph.vertices[v].name, std::to_string(use.working),
                 std::to_string(use.repeating), std::to_string(use.empty)});
  }
  if (table.empty()) {
    os << (plan.devices == 1
               ? "\nthe one device works"
               : "\nall " + countOf(plan.devices, "device") + " work")
       << " on every vertex\n";
    return;
  }
  os << "\nvertices that leave some of the " << plan.devices
     << " devices without work of their own\n";
  table.print(os);
}

/// All steps of small graphs, the fullest of others.
static void printMemory(llvm::raw_ostream &os, const PlanGraph &graph,
                        const Plan &plan) {
  constexpr size_t mostSteps = 40, fullest = 12;
  std::vector<MemoryStep> timeline =
      memoryTimeline(graph, plan.grid, plan.placement);
  std::vector<unsigned> shown;
  for (unsigned v = 0; v < graph.vertices.size(); ++v)
    if (!graph.vertices[v].isInput)
      shown.push_back(v);
  if (shown.empty())
    return;
  os << "\nbytes per device while each vertex runs";
  if (shown.size() > mostSteps) {
    llvm::sort(shown, [&](unsigned a, unsigned b) {
      int64_t x = timeline[a].total(), y = timeline[b].total();
      return x != y ? x > y : a < b;
    });
    os << ": the " << fullest << " fullest of " << shown.size();
    shown.resize(fullest);
    llvm::sort(shown);
  }
  os << "\n";
  TextTable table({"vertex", "inputs", "results", "copies", "partial", "total"},
                  1);
  for (unsigned v : shown) {
    const MemoryStep &step = timeline[v];
    table.add({graph.vertices[v].name, std::to_string(step.inputs),
               std::to_string(step.results), std::to_string(step.copies),
               std::to_string(step.partials), std::to_string(step.total())});
  }
  table.print(os);
}

//===----------------------------------------------------------------------===//
// Lower bounds
//===----------------------------------------------------------------------===//

static std::string wholeText(double number) {
  return std::isinf(number) ? "too little memory"
                            : llvm::formatv("{0:f0}", number).str();
}

static std::string shapeText(const PlanVertex &vertex,
                             const VertexBound &bound) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (bound.isMatrixProduct) {
    if (bound.batch > 1)
      os << wholeText(bound.batch) << " of ";
    os << wholeText(bound.m) << " x " << wholeText(bound.k) << " x "
       << wholeText(bound.n);
    return text;
  }
  for (const PlanLabel &label : vertex.labels)
    os << (text.empty() ? "" : " x ") << label.extent;
  return text;
}

/// One row for all contractions that are alike.
static void printContractions(llvm::raw_ostream &os, const PlanGraph &graph,
                              const PlanBounds &bounds) {
  struct Row {
    unsigned vertex;
    unsigned others = 0;
  };
  std::vector<Row> rows;
  llvm::StringMap<size_t> known;
  for (unsigned v = 0; v < graph.vertices.size(); ++v) {
    const VertexBound &bound = bounds.vertices[v];
    if (!bound.isContraction)
      continue;
    std::string key = llvm::formatv("{0}|{1}|{2}|{3}|{4}",
                                    shapeText(graph.vertices[v], bound),
                                    bound.touched, bound.plannedTouched,
                                    bound.receivedFromEven, bound.bytes);
    auto [it, isNew] = known.try_emplace(key, rows.size());
    if (isNew)
      rows.push_back({v});
    else
      ++rows[it->second].others;
  }
  TextTable table({"vertex", "index space", "touched >=", "here", "above",
                   "received >=", "bytes >="},
                  2);
  for (const Row &row : rows) {
    const VertexBound &bound = bounds.vertices[row.vertex];
    std::string name = graph.vertices[row.vertex].name;
    if (row.others)
      name += " and " + std::to_string(row.others) + " alike";
    table.add({name, shapeText(graph.vertices[row.vertex], bound),
               wholeText(bound.touched), wholeText(bound.plannedTouched),
               percentText(bound.plannedTouched / bound.touched - 1),
               wholeText(bound.receivedFromEven), wholeText(bound.bytes)});
  }
  if (table.empty())
    return;
  os << "\nlower bounds for contractions, whatever is cut into as many blocks: "
        "elements that the busiest\ndevice touches, elements it receives if "
        "one copy of everything is spread evenly, and bytes that\ncollectives "
        "bring to all devices when inputs are stored as they are read\n";
  table.print(os);
}

static void printBounds(llvm::raw_ostream &os, const PlanGraph &graph,
                        const Plan &plan, int64_t memoryBytes) {
  PlanBounds bounds = boundPlans(graph, plan, memoryBytes);
  printContractions(os, graph, bounds);
  os << "\n";
  if (bounds.cost > 0) {
    double rounded = std::ceil(bounds.cost * (1 - 1e-9));
    os << "every plan that cuts each vertex into as many blocks costs at least "
       << costText(plan, plan.model().isWhole() ? rounded : bounds.cost) << " "
       << costUnit(plan) << ":\nthis plan is within "
       << percentText(plan.cost / bounds.cost - 1) << " of any plan's bound\n";
  }
  std::string within = memoryBytes > 0
                           ? " within " + bytesText(memoryBytes) + " per device"
                           : "";
  int64_t bytes = plan.placement.totalBytes();
  if (std::isinf(bounds.bytes))
    os << "no plan that cuts each vertex into as many blocks fits" << within
       << "\n";
  else if (bounds.bytes < 1)
    os << "no bound on the bytes of its collectives" << within
       << ": each vertex by itself could be fed without any\n";
  else
    os << "collectives of any such plan" << within << " send at least "
       << wholeText(bounds.bytes) << " bytes, here " << bytes << ": within "
       << percentText(bytes / bounds.bytes - 1) << " of any plan's bound\n";
}

//===----------------------------------------------------------------------===//
// Alternatives
//===----------------------------------------------------------------------===//

namespace {
/// Finds and prints the alternatives of one plan.
class AlternativePrinter {
public:
  AlternativePrinter(const PlanGraph &graph, const Plan &plan,
                     const ExplainOptions &options)
      : graph(graph), plan(plan), options(options) {}

  llvm::Error print(llvm::raw_ostream &os);

private:
  llvm::Expected<std::vector<unsigned>> wantedVertices() const;
  std::vector<bool> verticesToReoptimize() const;
  std::vector<uint32_t> groupsOf(unsigned v) const;
  std::vector<AlternativeQuery>
  queriesFor(llvm::ArrayRef<unsigned> wanted,
             std::vector<unsigned> &vertexOf) const;
  llvm::Expected<std::vector<Alternative>>
  solveAgain(const AlternativeQuery &query) const {
    return reoptimizedAlternatives(explained->problem(), query.variable,
                                   query.excluded, options.alternatives,
                                   query.groupOf);
  }
  void add(TextTable &table, unsigned v, llvm::ArrayRef<Alternative> found,
           llvm::StringRef others) const;

  const PlanGraph &graph;
  const Plan &plan;
  const ExplainOptions &options;
  std::optional<ExplainedProblem> explained;
  /// Of the plan, in the problem's view: preferences that it breaks count too.
  double cost = 0;
  /// What extra cost shows that a layout group forbids a choice.
  double forbidding = std::numeric_limits<double>::infinity();
};
} // namespace

llvm::Expected<std::vector<unsigned>>
AlternativePrinter::wantedVertices() const {
  std::vector<unsigned> wanted;
  for (const std::string &name : options.vertices) {
    auto number = graph.vertexNamed(name);
    if (!number)
      return faultError(Fault::Usage, "", "--explain: there is no vertex '",
                        name, "'");
    wanted.push_back(*number);
  }
  if (options.vertices.empty())
    for (unsigned v = 0; v < graph.vertices.size(); ++v)
      wanted.push_back(v);
  return wanted;
}

/// For which of those that marginals leave open the problem is solved again:
/// those that are asked for, or the dearest.
std::vector<bool> AlternativePrinter::verticesToReoptimize() const {
  size_t count = graph.vertices.size();
  if (!options.vertices.empty())
    return std::vector<bool>(count, true);
  const PlanProblem &problem = explained->problem();
  // What one solution costs grows with the variables and their tables.
  double effort = problem.variables.size() + tableEntries(problem) / 500;
  size_t most = options.reoptimized ? options.reoptimized
                                    : std::max<size_t>(6000 / (effort + 1), 2);
  std::vector<unsigned> order;
  for (unsigned v = 0; v < count; ++v)
    if (auto variable = explained->variableOf(v))
      if (problem.variables[*variable].numChoices() > 1)
        order.push_back(v);
  llvm::sort(order, [&](unsigned a, unsigned b) {
    double costA = plan.vertices[a].cost.total();
    double costB = plan.vertices[b].cost.total();
    return costA != costB ? costA > costB : a < b;
  });
  std::vector<bool> chosen(count, false);
  for (size_t i = 0; i < std::min(most, order.size()); ++i)
    chosen[order[i]] = true;
  return chosen;
}

void AlternativePrinter::add(TextTable &table, unsigned v,
                             llvm::ArrayRef<Alternative> found,
                             llvm::StringRef others) const {
  for (const Alternative &other : found) {
    double extra = other.cost - cost;
    // Sums in another order are no difference.
    if (std::abs(extra) < 1e-12 * cost)
      extra = 0;
    // Layouts that a group forbids.
    if (extra >= forbidding)
      continue;
    table.add(
        {graph.vertices[v].name,
         partsText(graph.vertices[v], explained->partsOf(v, other.choice)),
         others.str(), extraCostText(plan, extra),
         cost > 0 ? percentText(extra / cost) : ""});
  }
}

/// Choices that cut a vertex into the same parts over other axes are one
/// alternative.
std::vector<uint32_t> AlternativePrinter::groupsOf(unsigned v) const {
  std::map<PartVector, uint32_t> groups;
  std::vector<uint32_t> groupOf;
  unsigned variable = *explained->variableOf(v);
  uint32_t count = explained->problem().variables[variable].numChoices();
  for (uint32_t c = 0; c < count; ++c)
    groupOf.push_back(
        groups.try_emplace(explained->partsOf(v, c), groups.size())
            .first->second);
  return groupOf;
}

/// One for each of `wanted` that has a choice; `vertexOf` says which.
std::vector<AlternativeQuery>
AlternativePrinter::queriesFor(llvm::ArrayRef<unsigned> wanted,
                               std::vector<unsigned> &vertexOf) const {
  std::vector<AlternativeQuery> queries;
  for (unsigned v : wanted) {
    auto variable = explained->variableOf(v);
    if (!variable || explained->problem().variables[*variable].numChoices() < 2)
      continue;
    vertexOf.push_back(v);
    AlternativeQuery &query = queries.emplace_back();
    query.variable = *variable;
    if (auto own = explained->choice()[*variable])
      query.excluded.push_back(*own);
    query.groupOf = groupsOf(v);
  }
  return queries;
}

llvm::Error AlternativePrinter::print(llvm::raw_ostream &os) {
  auto wanted = wantedVertices();
  if (!wanted)
    return wanted.takeError();
  auto made = ExplainedProblem::make(graph, plan, options.memoryBytes);
  if (!made)
    return made.takeError();
  explained.emplace(std::move(*made));
  const PlanProblem &problem = explained->problem();
  forbidding = explained->meaning().forbidding();
  std::vector<unsigned> vertexOf;
  std::vector<AlternativeQuery> queries = queriesFor(*wanted, vertexOf);
  std::vector<std::optional<std::vector<Alternative>>> answers(queries.size());
  if (problem.memoryLimit == 0 && options.reoptimized == 0)
    answers = alternativesByMarginals(problem, queries, options.alternatives);
  std::vector<bool> anew = verticesToReoptimize();
  std::vector<uint32_t> choice;
  bool isComplete = llvm::all_of(explained->choice(),
                                 [](const auto &c) { return c.has_value(); });
  for (const auto &c : explained->choice())
    choice.push_back(c.value_or(0));
  cost = isComplete ? problem.evaluate(choice) : plan.cost;

  TextTable table({"vertex", "instead", "others", "extra cost", "extra"}, 3);
  unsigned fixed = 0, unpriced = 0;
  std::string refusal;
  for (auto [v, query, answer] : llvm::zip_equal(vertexOf, queries, answers)) {
    if (!answer && anew[v] && refusal.empty()) {
      auto found = solveAgain(query);
      if (found)
        answer = std::move(*found);
      else
        refusal = llvm::toString(found.takeError());
    }
    if (answer) {
      add(table, v, *answer, "anew");
    } else if (isComplete) {
      ++fixed;
      add(table, v,
          fixedAlternatives(problem, choice, query.variable,
                            options.alternatives, query.groupOf),
          "kept");
    } else {
      ++unpriced;
    }
  }
  if (unpriced)
    os << "\nno other choices are shown for " << countOf(unpriced, "vertex")
       << ": "
       << (refusal.empty() ? "the plan is not among those that the search "
                             "looks at"
                           : refusal)
       << "\n";
  if (table.empty())
    return llvm::Error::success();
  os << "\nbest other choices for one vertex, all others chosen anew\n";
  if (fixed && refusal.empty())
    os << "(for " << countOf(fixed, "vertex")
       << ", marked 'kept', all others keep their "
       << "choice; --explain=VERTEX asks for more)\n";
  else if (fixed)
    os << "(for " << countOf(fixed, "vertex")
       << ", marked 'kept', all others keep their "
       << "choice: " << refusal << ")\n";
  table.print(os);
  return llvm::Error::success();
}

llvm::Expected<std::string>
explain::explainPlan(const PlanGraph &graph, const Plan &plan,
                     const ExplainOptions &options) {
  std::string text = planTable(graph, plan);
  llvm::raw_string_ostream os(text);
  printRewrites(os, plan);
  printTraffic(os, plan);
  printDevices(os, graph, plan);
  printMemory(os, graph, plan);
  printBounds(os, graph, plan, options.memoryBytes);
  if (llvm::Error error = AlternativePrinter(graph, plan, options).print(os))
    return error;
  return text;
}

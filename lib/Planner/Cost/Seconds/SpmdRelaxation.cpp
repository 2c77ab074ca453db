//===- SpmdRelaxation.cpp - What no plan on a large grid beats ------------===//
//
// The same variables and edges as in SpmdProblem.cpp. Axes of one size are not
// told apart, so a choice is how many of them cut each dimension, and one cut
// stands for all of those: work depends on nothing else, and moves cost at
// least what MoveBound says.
//
//===----------------------------------------------------------------------===//

#include "tapestry/Planner/Cost/Seconds/SpmdRelaxation.h"
#include "MoveBound.h"
#include "tapestry/Planner/Layout/Routing.h"
#include "tapestry/Planner/Model/FormKey.h"
#include "tapestry/Planner/Optimize/DualBound.h"
#include "tapestry/Support/Overlap.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>

using namespace tapestry;
using namespace tapestry::cost::seconds;
using namespace tapestry::layout;
using namespace tapestry::machine;
using namespace tapestry::model;
using namespace tapestry::optimize;

namespace {

/// The parts that the choices of a variable show to an edge, each once.
struct ShownParts {
  SharedClasses classes;
  std::vector<FirstPart> parts;
  /// Per part, how many values are combined into one, and how many parts there
  /// are along each dimension.
  std::vector<int64_t> groupSizes;
  std::vector<PartVector> counts;
};

/// What vertices of one form have in common.
struct RelaxedWork {
  SharedCosts costs;
  ShownParts result;
  std::vector<ShownParts> operands;
  /// Whether the parts that an operand is read in cover its tensor.
  std::vector<bool> covers;
};

/// The homes of tensors of one shape.
struct RelaxedHome {
  SharedCosts costs;
  ShownParts shown;
  double elements = 1;
  /// From every home to every other, row-major; filled when asked for.
  std::vector<double> seconds;
};

/// Gives every axis in turn to a dimension or to none, axes of one size in
/// ascending order.
class Distribution {
public:
  Distribution(const DeviceGrid &grid, llvm::ArrayRef<int64_t> extents,
               unsigned most, llvm::function_ref<void(const Partition &)> visit)
      : grid(grid), extents(extents), most(most), visit(visit),
        parts(extents.size(), 1) {
    current.cuts.resize(extents.size());
  }

  /// False where there are too many ways.
  bool run(llvm::ArrayRef<Cut> kinds, unsigned kind = 0, unsigned number = 0,
           unsigned first = 0);

private:
  const DeviceGrid &grid;
  llvm::ArrayRef<int64_t> extents;
  unsigned most, count = 0;
  llvm::function_ref<void(const Partition &)> visit;
  llvm::SmallVector<int64_t, 4> parts;
  Partition current;
};

class Relaxer {
public:
  Relaxer(const PlanGraph &graph, const DeviceGrid &grid,
          const Machine &machine, const RelaxationOptions &options)
      : graph(graph), grid(grid), machine(machine), options(options),
        bound(grid, machine) {
    std::map<int64_t, Cut> bySize;
    for (unsigned axis = 0; axis < grid.axes.size(); ++axis)
      if (grid.axes[axis].size > 1)
        bySize[grid.axes[axis].size].push_back(axis);
    for (auto &[size, axes] : bySize)
      kinds.push_back(axes);
  }

  std::optional<PlanProblem> build();
  /// The least that every vertex' work takes, in all; nothing where there are
  /// too many choices.
  std::optional<double> leastWork();

private:
  bool forEachChoice(llvm::ArrayRef<int64_t> extents, unsigned most,
                     llvm::function_ref<void(const Partition &)> visit) {
    return Distribution(grid, extents, most, visit).run(kinds);
  }
  ShownParts show(llvm::ArrayRef<Layout> layoutPerChoice);
  RelaxedWork *workOf(const PlanVertex &vertex, const std::string &key);
  RelaxedHome *homeOf(const PlanVertex &vertex, const std::string &key);
  std::string keyOf(const PlanVertex &vertex);
  SharedTable fetch(int64_t elementBytes, const RelaxedHome &home,
                    const RelaxedWork &work, unsigned operand);
  double combineBound(const PlanVertex &vertex, const ShownParts &made,
                      unsigned number, bool isScatter);
  SharedTable bringHome(const PlanVertex &vertex, const RelaxedWork &work,
                        RelaxedHome &home);
  void scatter(const PlanVertex &vertex, const ShownParts &made,
               unsigned number, RelaxedHome &home,
               llvm::MutableArrayRef<double> best);

  const PlanGraph &graph;
  const DeviceGrid &grid;
  const Machine &machine;
  const RelaxationOptions &options;
  MoveBound bound;
  /// Axes of one size.
  std::vector<Cut> kinds;
  std::map<std::string, std::unique_ptr<RelaxedWork>> works;
  std::map<std::string, std::unique_ptr<RelaxedHome>> homes;
  std::map<std::string, SharedTable> tables;
};

} // namespace

bool Distribution::run(llvm::ArrayRef<Cut> kinds, unsigned kind,
                       unsigned number, unsigned first) {
  if (kind == kinds.size()) {
    if (++count > most)
      return false;
    visit(current);
    return true;
  }
  if (number == kinds[kind].size())
    return run(kinds, kind + 1);
  unsigned axis = kinds[kind][number];
  int64_t size = grid.axes[axis].size;
  for (unsigned dim = first; dim < extents.size(); ++dim) {
    if (size > extents[dim] / parts[dim])
      continue;
    parts[dim] *= size;
    current.cuts[dim].push_back(axis);
    bool goOn = run(kinds, kind, number + 1, dim);
    current.cuts[dim].pop_back();
    parts[dim] /= size;
    if (!goOn)
      return false;
  }
  return run(kinds, kind + 1); // The others of this size cut nothing.
}

/// Along each dimension; more than there are where one axis cuts two labels of
/// a dimension, which no result does.
static PartVector partsPerDim(const DeviceGrid &grid, const Layout &layout) {
  PartVector parts;
  for (const LayoutDim &dim : layout.dims) {
    parts.push_back(1);
    for (const LayoutTerm &term : dim.terms)
      parts.back() *= partsOf(grid, term.cut);
  }
  return parts;
}

ShownParts Relaxer::show(llvm::ArrayRef<Layout> layoutPerChoice) {
  ShownParts shown;
  auto classes = std::make_shared<ClassMap>();
  std::map<std::vector<double>, uint32_t> numbers;
  for (const Layout &layout : layoutPerChoice) {
    FirstPart part(grid, layout);
    int64_t groupSize = partsOf(grid, layout.partial);
    PartVector counts = partsPerDim(grid, layout);
    std::vector<double> key(part.sizes.begin(), part.sizes.end());
    key.push_back(part.elements);
    key.push_back(groupSize);
    if (groupSize > 1) // What a scatter makes of it depends on them.
      key.insert(key.end(), counts.begin(), counts.end());
    auto [it, isNew] = numbers.try_emplace(key, numbers.size());
    if (isNew) {
      shown.parts.push_back(std::move(part));
      shown.groupSizes.push_back(groupSize);
      shown.counts.push_back(std::move(counts));
    }
    classes->classOf.push_back(it->second);
  }
  classes->numClasses = numbers.size();
  shown.classes = classes;
  return shown;
}

std::string Relaxer::keyOf(const PlanVertex &vertex) {
  std::string key;
  llvm::raw_string_ostream os(key);
  describeWork(os, graph, vertex);
  return key;
}

RelaxedWork *Relaxer::workOf(const PlanVertex &vertex, const std::string &key) {
  std::unique_ptr<RelaxedWork> &known = works[key];
  if (known)
    return known.get();
  auto work = std::make_unique<RelaxedWork>();
  auto costs = std::make_shared<std::vector<double>>();
  std::vector<Layout> results;
  std::vector<std::vector<Layout>> operands(vertex.operands.size());
  if (!forEachChoice(vertex.extents(), options.mostChoices,
                     [&](const Partition &partition) {
                       costs->push_back(workSeconds(graph, vertex, grid,
                                                    machine, partition));
                       results.push_back(resultLayout(vertex, partition));
                       for (unsigned o = 0; o < vertex.operands.size(); ++o)
                         operands[o].push_back(
                             operandLayout(graph, vertex, o, partition));
                     }))
    return nullptr;
  work->costs = costs;
  work->result = show(results);
  for (const std::vector<Layout> &layouts : operands) {
    work->operands.push_back(show(layouts));
    work->covers.push_back(
        llvm::all_of(layouts, [](const Layout &l) { return l.isPlain(); }));
  }
  known = std::move(work);
  return known.get();
}

RelaxedHome *Relaxer::homeOf(const PlanVertex &vertex, const std::string &key) {
  std::unique_ptr<RelaxedHome> &known = homes[key];
  if (known)
    return known.get();
  auto home = std::make_unique<RelaxedHome>();
  std::vector<Layout> layouts;
  if (!forEachChoice(
          vertex.shape, options.mostChoices, [&](const Partition &partition) {
            layouts.push_back(Layout::blocked(vertex.shape, partition.cuts));
          }))
    return nullptr;
  // Every cut shows itself: a scatter tells cuts into equal sizes apart.
  auto classes = std::make_shared<ClassMap>(ClassMap::identity(layouts.size()));
  for (const Layout &layout : layouts) {
    home->shown.parts.push_back(FirstPart(grid, layout));
    home->shown.counts.push_back(partsPerDim(grid, layout));
  }
  home->shown.classes = classes;
  home->elements = vertex.elements();
  home->costs = std::make_shared<const std::vector<double>>(layouts.size(), 0);
  known = std::move(home);
  return known.get();
}

//===----------------------------------------------------------------------===//
// Moves
//===----------------------------------------------------------------------===//

SharedTable Relaxer::fetch(int64_t elementBytes, const RelaxedHome &home,
                           const RelaxedWork &work, unsigned operand) {
  const std::vector<FirstPart> &wanted = work.operands[operand].parts;
  double total = work.covers[operand] ? home.elements : 0;
  auto table = std::make_shared<CostTable>();
  table->rows = home.shown.parts.size();
  table->columns = wanted.size();
  table->values.reserve(size_t(table->rows) * table->columns);
  for (const FirstPart &from : home.shown.parts)
    for (const FirstPart &to : wanted)
      table->values.push_back(bound.seconds(from, to, total, elementBytes));
  return table;
}

/// The least that combining result `number` takes: of what is combined while it
/// is computed, one part.
double Relaxer::combineBound(const PlanVertex &vertex, const ShownParts &made,
                             unsigned number, bool isScatter) {
  double seconds = bound.combineSeconds(
      made.groupSizes[number], made.parts[number].elements, isScatter,
      vertex.bytesPerElement(/*isPartial=*/true));
  return machine.cutProducts ? seconds / productParts : seconds;
}

/// Lowers `best`, per home the least that bringing the result of number
/// `number` there takes, to what ways over a reduce_scatter take.
void Relaxer::scatter(const PlanVertex &vertex, const ShownParts &made,
                      unsigned number, RelaxedHome &home,
                      llvm::MutableArrayRef<double> best) {
  if (home.seconds.empty())
    for (const FirstPart &from : home.shown.parts)
      for (const FirstPart &to : home.shown.parts)
        home.seconds.push_back(
            bound.seconds(from, to, home.elements, vertex.elementBytes));
  int64_t groupSize = made.groupSizes[number];
  double price = combineBound(vertex, made, number, /*isScatter=*/true);
  for (auto [first, counts] : llvm::enumerate(home.shown.counts)) {
    int64_t added = 1;
    bool isFiner = true;
    for (auto [count, own] : llvm::zip_equal(counts, made.counts[number])) {
      isFiner = isFiner && count % own == 0;
      added *= count / own;
    }
    if (!isFiner || added != groupSize)
      continue;
    const double *onward = &home.seconds[first * best.size()];
    for (size_t to = 0; to < best.size(); ++to)
      best[to] = std::min(best[to], price + onward[to]);
  }
}

SharedTable Relaxer::bringHome(const PlanVertex &vertex,
                               const RelaxedWork &work, RelaxedHome &home) {
  const ShownParts &made = work.result;
  auto table = std::make_shared<CostTable>();
  table->rows = made.parts.size();
  table->columns = home.shown.parts.size();
  table->values.reserve(size_t(table->rows) * table->columns);
  for (unsigned number = 0; number < table->rows; ++number) {
    bool isPartial = made.groupSizes[number] > 1;
    double combine =
        isPartial ? combineBound(vertex, made, number, /*isScatter=*/false) : 0;
    for (const FirstPart &to : home.shown.parts)
      table->values.push_back(combine + bound.seconds(made.parts[number], to,
                                                      home.elements,
                                                      vertex.elementBytes));
    if (isPartial)
      scatter(vertex, made, number, home,
              llvm::MutableArrayRef(table->values).take_back(table->columns));
  }
  return table;
}

//===----------------------------------------------------------------------===//
// The problem
//===----------------------------------------------------------------------===//

std::optional<PlanProblem> Relaxer::build() {
  PlanProblem problem;
  std::vector<RelaxedHome *> home(graph.vertices.size());
  std::vector<std::string> homeKey(graph.vertices.size());
  std::vector<unsigned> homeVariable(graph.vertices.size());
  std::vector<unsigned> workVariable(graph.vertices.size());
  auto join = [&](unsigned from, const SharedClasses &fromClasses, unsigned to,
                  const SharedClasses &toClasses, const std::string &key,
                  llvm::function_ref<SharedTable()> price) {
    SharedTable &table = tables[key];
    if (!table)
      table = price();
    problem.edges.push_back({from, to, fromClasses, toClasses, table});
  };
  for (unsigned v = 0; v < graph.vertices.size(); ++v) {
    const PlanVertex &vertex = graph.vertices[v];
    unsigned own = problem.variables.size();
    std::string key;
    RelaxedWork *work = nullptr;
    if (!vertex.isInput) {
      key = keyOf(vertex);
      work = workOf(vertex, key);
      if (!work)
        return std::nullopt;
      // A companion's choices are those of its lead.
      if (vertex.cutAs)
        own = workVariable[*vertex.cutAs];
      else
        problem.variables.push_back({vertex.name, nullptr, work->costs, true});
      workVariable[v] = own;
    }
    if (!vertex.storedFor) {
      llvm::raw_string_ostream os(homeKey[v]);
      os << vertex.elementBytes << ":";
      describe(os, vertex.shape);
      home[v] = homeOf(vertex, homeKey[v]);
      if (!home[v])
        return std::nullopt;
      homeVariable[v] = problem.variables.size();
      problem.variables.push_back(
          {vertex.name, nullptr, home[v]->costs, false});
    }
    if (!work)
      continue;
    for (unsigned o = 0; o < vertex.operands.size(); ++o) {
      unsigned producer = vertex.operands[o].producer;
      if (!home[producer])
        continue;
      join(homeVariable[producer], home[producer]->shown.classes, own,
           work->operands[o].classes,
           key + "/" + std::to_string(o) + "/" + homeKey[producer], [&] {
             return fetch(graph.vertices[producer].elementBytes,
                          *home[producer], *work, o);
           });
    }
    join(own, work->result.classes, homeVariable[v], home[v]->shown.classes,
         key + "=" + homeKey[v],
         [&] { return bringHome(vertex, *work, *home[v]); });
  }
  return problem;
}

std::optional<double> Relaxer::leastWork() {
  constexpr unsigned mostLookedAt = 50000;
  double total = 0;
  std::map<std::string, double> known;
  for (const PlanVertex &vertex : graph.vertices) {
    if (vertex.isInput)
      continue;
    std::string key = keyOf(vertex);
    auto found = known.find(key);
    if (found == known.end()) {
      double least = std::numeric_limits<double>::infinity();
      if (!forEachChoice(
              vertex.extents(), mostLookedAt, [&](const Partition &partition) {
                least = std::min(least, workSeconds(graph, vertex, grid,
                                                    machine, partition));
              }))
        return std::nullopt;
      found = known.try_emplace(key, least).first;
    }
    total += found->second;
  }
  return total;
}

std::optional<PlanProblem> cost::seconds::buildSpmdRelaxation(
    const PlanGraph &graph, const DeviceGrid &grid, const Machine &machine,
    const RelaxationOptions &options) {
  return Relaxer(graph, grid, machine, options).build();
}

double cost::seconds::spmdLowerBound(const PlanGraph &graph,
                                     const DeviceGrid &grid,
                                     const Machine &machine, double enough,
                                     const RelaxationOptions &options) {
  double least = independentSeconds(graph, machine, grid.numDevices());
  if (least >= enough)
    return least;
  Relaxer relaxer(graph, grid, machine, options);
  auto work = relaxer.leastWork();
  if (!work)
    return least;
  // Sums are rounded.
  constexpr double rounding = 1e-9;
  least = std::max(least, *work * (1 - rounding));
  if (least >= enough)
    return least;
  auto problem = relaxer.build();
  if (!problem)
    return least;
  BoundLimits limits;
  limits.rounds = options.rounds;
  limits.checkEvery = std::isinf(enough) ? options.rounds : 1;
  limits.boundChoices = false;
  limits.mostWork = options.mostWork;
  limits.enough = enough / (1 - rounding);
  return std::max(least, computeDualBound(*problem, limits).lowerBound *
                             (1 - rounding));
}

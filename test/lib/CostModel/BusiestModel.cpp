//===- BusiestModel.cpp - A cost model that no tool has -------------------===//
//
// The cost model `busiest`: the bytes that the busiest device receives, move by
// move, in plans that share the work of every vertex out as far as its pins let
// them. A plug-in for `--load-plugin`, and linked into CostModelTests.
//
// Every vertex with work has a variable for its cut and one for its result's
// home. What one device receives on a way over several stops is at least what
// it lacks of the target at its start, so that moves are direct but for partial
// values, which are combined at one stop.
//
//===----------------------------------------------------------------------===//

#include "tapestry/Planner/Cost/CostModel.h"
#include "tapestry/Planner/Cost/RecountMoves.h"
#include "tapestry/Planner/Layout/Routing.h"
#include "tapestry/Planner/Model/Constraints.h"
#include "tapestry/Planner/Model/CutEnumerator.h"
#include "tapestry/Plugin.h"
#include "llvm/ADT/STLExtras.h"

using namespace tapestry;
using namespace tapestry::cost;
using namespace tapestry::layout;
using namespace tapestry::model;
using namespace tapestry::optimize;

namespace {

enum BusiestComponent : unsigned { ToHome, ToReader };

/// Bytes that the busiest device receives in one collective.
double receivedBytes(const DeviceGrid &grid, const Layout &from,
                     const Layout &to, const PlanVertex &tensor) {
  if (from == to)
    return 0;
  Collective moved = planResharding(grid, from, to);
  if (moved.kind == CollectiveKind::Slice || moved.kind == CollectiveKind::None)
    return 0;
  return double(moved.mostReceived) *
         tensor.bytesPerElement(!from.partial.empty());
}

/// The same for the verifier.
double recountBytes(const DeviceGrid &grid, const Layout &from,
                    const Layout &to, const PlanVertex &tensor) {
  Collective moved = countMove(grid, from, to);
  return moved.elements == 0
             ? 0
             : double(moved.mostReceived) *
                   tensor.bytesPerElement(!from.partial.empty());
}

using Received = double (*)(const DeviceGrid &, const Layout &, const Layout &,
                            const PlanVertex &);

/// `home` and `read` give the steps of a vertex' result and of an operand,
/// `border` the moves from and to where a tensor enters and leaves the program.
template <typename Home, typename Read, typename Border>
std::vector<VertexCost> addUp(const DecidedPlan &plan, Received received,
                              Home home, Read read, Border border) {
  const PlanGraph &graph = plan.context.graph;
  std::vector<VertexCost> costs(graph.vertices.size(), VertexCost(2));
  auto add = [&](double &sum, const PlanVertex &tensor,
                 llvm::ArrayRef<Layout> steps) {
    for (unsigned step = 1; step < steps.size(); ++step)
      sum += received(plan.context.grid, steps[step - 1], steps[step], tensor);
  };
  for (unsigned v = 0; v < graph.vertices.size(); ++v) {
    const PlanVertex &vertex = graph.vertices[v];
    for (const auto &[from, to] : border(v))
      add(costs[v][ToHome], vertex, {from, to});
    if (vertex.isInput)
      continue;
    add(costs[v][ToHome], vertex, home(v));
    for (unsigned o = 0; o < vertex.operands.size(); ++o)
      add(costs[v][ToReader], graph.vertices[vertex.operands[o].producer],
          read(v, o));
  }
  return costs;
}

/// The choices of one vertex.
struct Choices {
  std::optional<unsigned> work, home;
  std::vector<Partition> partitions;
  std::vector<Layout> homes;
  /// Per home what moves at the program's border.
  std::vector<double> border;
};

class BusiestProblem : public ModelProblem {
public:
  BusiestProblem(const CostContext &context) : context(context) {}
  llvm::Error build();

  const PlanProblem &problem() const override { return built; }
  llvm::Expected<Decision>
  decode(llvm::ArrayRef<uint32_t> choice) const override;
  double penalty(llvm::ArrayRef<uint32_t> choice) const override {
    double sum = 0;
    for (auto [variable, number] : llvm::zip_equal(built.variables, choice))
      sum += (*variable.costs)[number];
    for (const Choices &own : choices)
      if (own.home)
        sum -= own.border[choice[*own.home]];
    return sum;
  }
  std::optional<unsigned> variableOf(unsigned vertex) const override {
    return choices[vertex].work;
  }
  PartVector partsOf(unsigned vertex, uint32_t choice) const override {
    PartVector parts;
    for (const Cut &cut : choices[vertex].partitions[choice].cuts)
      parts.push_back(tapestry::partsOf(context.grid, cut));
    return parts;
  }
  std::vector<std::optional<uint32_t>>
  choicesOf(const DecidedPlan &plan) const override;

private:
  llvm::Error addCuts(const PlanVertex &vertex, Choices &own);
  void addHomes(const PlanVertex &vertex, Choices &own);
  unsigned addVariable(const std::string &name, std::vector<double> penalties,
                       bool hasWork);
  void addEdge(unsigned from, unsigned to, size_t rows, size_t columns,
               llvm::function_ref<double(size_t, size_t)> price);
  std::pair<double, Layout> wayHome(const PlanVertex &vertex,
                                    const Layout &made,
                                    const Layout &home) const;

  CostContext context;
  PlanProblem built;
  std::vector<Choices> choices;
};

class BusiestModel : public CostModel {
public:
  llvm::StringRef name() const override { return "busiest"; }
  llvm::StringRef unit() const override { return "bytes"; }
  llvm::ArrayRef<CostComponent> components() const override {
    static constexpr CostComponent list[] = {{"bytes_home", "to home"},
                                             {"bytes_read", "to reader"}};
    return list;
  }
  bool decidesHomes() const override { return true; }

  llvm::Expected<std::unique_ptr<ModelProblem>>
  buildProblem(const CostContext &context, int64_t memoryLimit) const override {
    if (memoryLimit > 0)
      return planError("the cost model 'busiest' keeps no limit of memory");
    auto problem = std::make_unique<BusiestProblem>(context);
    if (llvm::Error error = problem->build())
      return std::move(error);
    return problem;
  }
  std::vector<VertexCost> price(const DecidedPlan &plan) const override {
    return addUp(
        plan, receivedBytes,
        [&](unsigned v) {
          return stepsHome(plan.context.graph, plan.placement, v);
        },
        [&](unsigned v, unsigned o) {
          return stepsOfOperand(plan.context.graph, plan.placement, v, o);
        },
        [&](unsigned v) {
          return movesAtBorder(plan.context.graph.vertices[v],
                               plan.context.grid,
                               plan.placement.vertices[v].home);
        });
  }
  std::vector<VertexCost> recount(const DecidedPlan &plan) const override {
    return addUp(
        plan, recountBytes,
        [&](unsigned v) {
          return layoutsOfResult(plan.context.graph, plan.placement, v);
        },
        [&](unsigned v, unsigned o) {
          return layoutsOfRead(plan.context.graph, plan.placement, {v, o});
        },
        [&](unsigned v) {
          return layoutsAtBorder(plan.context.graph, plan.placement,
                                 plan.context.grid, v);
        });
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// The problem
//===----------------------------------------------------------------------===//

unsigned BusiestProblem::addVariable(const std::string &name,
                                     std::vector<double> penalties,
                                     bool hasWork) {
  built.variables.push_back(
      {name, nullptr,
       std::make_shared<const std::vector<double>>(std::move(penalties)),
       hasWork});
  return built.variables.size() - 1;
}

void BusiestProblem::addEdge(unsigned from, unsigned to, size_t rows,
                             size_t columns,
                             llvm::function_ref<double(size_t, size_t)> price) {
  CostTable table{uint32_t(rows), uint32_t(columns), {}};
  for (size_t row = 0; row < rows; ++row)
    for (size_t column = 0; column < columns; ++column)
      table.values.push_back(price(row, column));
  auto all = [](size_t count) {
    return std::make_shared<const ClassMap>(ClassMap::identity(count));
  };
  built.edges.push_back({from, to, all(rows), all(columns),
                         std::make_shared<const CostTable>(std::move(table))});
}

/// Those of the allowed cuts that make most blocks.
llvm::Error BusiestProblem::addCuts(const PlanVertex &vertex, Choices &own) {
  const DeviceGrid &grid = context.grid;
  CutSpace space = CutSpace::ofAxes(grid);
  constexpr double most = 3000;
  if (double count = countCuts(space, vertex.labels.size()); count > most)
    return planError("the cost model 'busiest' looks at up to ", most,
                     " cuts of a vertex, '", vertex.name, "' has ", count);
  int64_t mostBlocks = 0;
  forEachCut(grid, space, vertex.extents(), [&](const Partition &partition) {
    int64_t blocks = 1;
    for (const Cut &cut : partition.cuts)
      blocks *= tapestry::partsOf(grid, cut);
    if (!allows(vertex, grid, partition) || blocks < mostBlocks)
      return;
    if (blocks > mostBlocks)
      own.partitions.clear();
    mostBlocks = blocks;
    own.partitions.push_back(partition);
  });
  if (own.partitions.empty())
    return planError("vertex '", vertex.name,
                     "': no partition on the grid is as its pins demand");
  std::vector<double> penalties;
  for (const Partition &partition : own.partitions)
    penalties.push_back(brokenWeight(vertex, grid, partition) *
                        preferenceUnit(vertex) * vertex.elementBytes);
  own.work = addVariable(vertex.name, std::move(penalties), /*hasWork=*/true);
  return llvm::Error::success();
}

void BusiestProblem::addHomes(const PlanVertex &vertex, Choices &own) {
  const DeviceGrid &grid = context.grid;
  std::vector<double> penalties;
  forEachCut(
      grid, CutSpace::ofAxes(grid), vertex.shape,
      [&](const Partition &partition) {
        Layout layout = Layout::blocked(vertex.shape, partition.cuts);
        if (!allowsHome(vertex, grid, layout))
          return;
        penalties.push_back(brokenHomeWeight(vertex, grid, layout) *
                            preferenceUnit(vertex) * vertex.elementBytes);
        own.border.push_back(0);
        for (const auto &[from, to] : movesAtBorder(vertex, grid, layout))
          own.border.back() += receivedBytes(grid, from, to, vertex);
        penalties.back() += own.border.back();
        own.homes.push_back(std::move(layout));
      });
  own.home = addVariable(vertex.name + " (home)", std::move(penalties),
                         /*hasWork=*/false);
}

/// The bytes on the way from where a result is made to its home and its first
/// stop, the home itself where there is none: whole, or scattered in any way.
std::pair<double, Layout> BusiestProblem::wayHome(const PlanVertex &vertex,
                                                  const Layout &made,
                                                  const Layout &home) const {
  const DeviceGrid &grid = context.grid;
  if (made.partial.empty())
    return {receivedBytes(grid, made, home, vertex), home};
  Layout whole = made;
  whole.partial.clear();
  auto over = [&](const Layout &stop) {
    return receivedBytes(grid, made, stop, vertex) +
           receivedBytes(grid, stop, home, vertex);
  };
  std::pair<double, Layout> best = {over(whole), whole};
  forEachCut(grid, CutSpace::ofAxes(grid), vertex.shape,
             [&](const Partition &partition) {
               Layout stop = Layout::blocked(vertex.shape, partition.cuts);
               if (!canReduceScatter(grid, made, stop))
                 return;
               if (double bytes = over(stop); bytes < best.first)
                 best = {bytes, stop};
             });
  return best;
}

llvm::Error BusiestProblem::build() {
  const PlanGraph &graph = context.graph;
  if (llvm::Error error = checkConstraints(graph, context.grid))
    return error;
  if (!layoutGroups(graph).empty())
    return planError("the cost model 'busiest' knows no layout groups");
  choices.resize(graph.vertices.size());
  for (unsigned v = 0; v < graph.vertices.size(); ++v) {
    const PlanVertex &vertex = graph.vertices[v];
    Choices &own = choices[v];
    if (!vertex.isInput)
      if (llvm::Error error = addCuts(vertex, own))
        return error;
    if (!vertex.storedFor) {
      addHomes(vertex, own);
      if (own.homes.empty())
        return planError("vertex '", vertex.name,
                         "': no layout on the grid is as its pins demand");
    }
    if (vertex.isInput)
      continue;
    for (unsigned o = 0; o < vertex.operands.size(); ++o) {
      unsigned producer = vertex.operands[o].producer;
      const Choices &read = choices[producer];
      if (!read.home)
        continue;
      std::vector<Layout> wanted;
      for (const Partition &partition : own.partitions)
        wanted.push_back(operandLayout(graph, vertex, o, partition));
      addEdge(*read.home, *own.work, read.homes.size(), wanted.size(),
              [&](size_t row, size_t column) {
                return receivedBytes(context.grid, read.homes[row],
                                     wanted[column], graph.vertices[producer]);
              });
    }
    addEdge(*own.work, *own.home, own.partitions.size(), own.homes.size(),
            [&](size_t row, size_t column) {
              return wayHome(vertex, resultLayout(vertex, own.partitions[row]),
                             own.homes[column])
                  .first;
            });
  }
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Solutions
//===----------------------------------------------------------------------===//

llvm::Expected<Decision>
BusiestProblem::decode(llvm::ArrayRef<uint32_t> choice) const {
  const PlanGraph &graph = context.graph;
  Decision decision;
  decision.placed.resize(graph.vertices.size());
  for (unsigned v = 0; v < graph.vertices.size(); ++v) {
    const PlanVertex &vertex = graph.vertices[v];
    const Choices &own = choices[v];
    VertexPlacement &placed = decision.placed[v];
    if (own.home)
      placed.home = own.homes[choice[*own.home]];
    if (vertex.isInput) {
      if (own.home)
        placed.partition = partitionOf(placed.home);
      continue;
    }
    placed.partition = own.partitions[choice[*own.work]];
    Layout made = resultLayout(vertex, *placed.partition);
    Layout stop = wayHome(vertex, made, placed.home).second;
    if (stop != placed.home)
      placed.homeRoute.push_back(stop);
    placed.operandRoutes.resize(vertex.operands.size());
    for (unsigned o = 0; o < vertex.operands.size(); ++o) {
      unsigned producer = vertex.operands[o].producer;
      if (choices[producer].home)
        continue;
      VertexPlacement &input = decision.placed[producer];
      input.home = operandLayout(graph, vertex, o, *placed.partition);
      input.partition = partitionOf(input.home);
    }
  }
  return decision;
}

std::vector<std::optional<uint32_t>>
BusiestProblem::choicesOf(const DecidedPlan &plan) const {
  std::vector<std::optional<uint32_t>> chosen(built.variables.size());
  auto choose = [&](std::optional<unsigned> variable, const auto &list,
                    const auto &entry) {
    auto it = llvm::find(list, entry);
    if (variable && it != list.end())
      chosen[*variable] = it - list.begin();
  };
  for (auto [own, placed] : llvm::zip_equal(choices, plan.placement.vertices)) {
    if (placed.partition)
      choose(own.work, own.partitions, *placed.partition);
    choose(own.home, own.homes, placed.home);
  }
  return chosen;
}

extern "C" const PluginInfo *tapestryGetPluginInfo() {
  static const PluginInfo info = {pluginAPIVersion, "busiest",
                                  /*registerDialects=*/nullptr, [] {
                                    static const BusiestModel model;
                                    return registerCostModel(model);
                                  }};
  return &info;
}

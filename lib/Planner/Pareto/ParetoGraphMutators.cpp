//===- ParetoGraphMutators.cpp - Changes of grids and graphs --------------===//

#include "ParetoMutators.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>

using namespace tapestry;
using namespace tapestry::model;
using namespace tapestry::pareto;

namespace {

/// The same cuts on another grid: axes of one name stay, others fall away, and
/// new ones go, in every vertex, to the label that is least cut.
Partition onGrid(const Partition &partition, const PlanVertex &vertex,
                 const DeviceGrid &from, const DeviceGrid &to) {
  Partition result;
  llvm::SmallVector<bool, 16> used(to.axes.size(), false);
  for (const Cut &cut : partition.cuts) {
    Cut &kept = result.cuts.emplace_back();
    for (unsigned axis : cut) {
      std::optional<unsigned> same = to.axisNamed(from.axes[axis].name);
      if (!same || to.axes[*same].size != from.axes[axis].size)
        continue;
      kept.push_back(*same);
      used[*same] = true;
    }
  }
  for (unsigned axis = 0; axis < to.axes.size(); ++axis) {
    std::optional<unsigned> same = from.axisNamed(to.axes[axis].name);
    bool isKnown = same && from.axes[*same].size == to.axes[axis].size;
    if (used[axis] || isKnown || vertex.labels.empty())
      continue;
    unsigned widest = 0;
    auto sizeOf = [&](unsigned l) {
      return vertex.labels[l].extent / partsOf(to, result.cuts[l]);
    };
    for (unsigned l = 1; l < vertex.labels.size(); ++l)
      if (sizeOf(l) > sizeOf(widest))
        widest = l;
    if (sizeOf(widest) >= to.axes[axis].size)
      result.cuts[widest].push_back(axis);
  }
  return result;
}

/// Other devices, or other axes for the same devices.
class ChangeGrid : public ParetoMutator {
public:
  ChangeGrid() : ParetoMutator("grid", 0.02) {}
  bool applies(const ParetoState &state,
               MutationContext &context) const override {
    return context.evaluators.grids.size() > 1;
  }
  std::optional<ParetoState> mutate(const ParetoState &state,
                                    MutationContext &context) const override {
    unsigned grid = context.random.below(context.evaluators.grids.size());
    if (grid == state.grid)
      return std::nullopt;
    StateEvaluator &from = context.evaluators.of(state);
    StateEvaluator &to = context.evaluators.at(state.graph, grid);
    ParetoState child;
    child.graph = state.graph;
    child.grid = grid;
    child.cuts.assign(state.cuts.size(), 0);
    child.homes.assign(state.homes.size(), 0);
    for (unsigned v : to.movable) {
      Partition moved = onGrid(from.partition(state, v), to.graph.vertices[v],
                               from.grid, to.grid);
      if (to.isLegal(v, moved))
        child.cuts[v] = to.numberOf(v, moved);
    }
    return child;
  }
};

/// The partition of a vertex that a rewrite has made: as its operands lie, then
/// what its readers ask of it.
Partition inheritPartition(const StateEvaluator &evaluator,
                           const ParetoState &state,
                           const std::vector<bool> &isPlaced, unsigned v) {
  const PlanVertex &vertex = evaluator.graph.vertices[v];
  Partition partition = evaluator.partition(v, 0);
  auto adopt = [&](const Partition &followed) {
    if (evaluator.isLegal(v, followed))
      partition = followed;
  };
  for (const PlanUse &use : evaluator.uses[v]) {
    if (!isPlaced[use.vertex])
      continue;
    const PlanOperand &read =
        evaluator.graph.vertices[use.vertex].operands[use.operand];
    const Partition &cut = evaluator.partition(state, use.vertex);
    Partition followed = partition;
    for (auto [dim, written] :
         llvm::zip_equal(read.projection.dims, vertex.output.dims))
      if (dim.isPlainDim() && written.isPlainDim()) {
        for (unsigned axis : cut.cuts[dim.terms[0].dim])
          removeAxis(followed, axis);
        followed.cuts[written.terms[0].dim] = cut.cuts[dim.terms[0].dim];
      }
    adopt(followed);
  }
  for (unsigned o = 0; o < vertex.operands.size(); ++o) {
    unsigned producer = vertex.operands[o].producer;
    if (isPlaced[producer] && !evaluator.isStored(producer))
      adopt(followProducer(evaluator, v, o, partition,
                           evaluator.partition(state, producer)));
  }
  return partition;
}

/// Looks, for weights thrown at random, for better cuts of single vertices.
class Polisher {
public:
  Polisher(ParetoState state, MutationContext &context)
      : best(std::move(state)), context(context),
        evaluator(context.evaluators.of(best)) {
    for (double &weight : weights)
      weight = std::pow(context.random.unit(), 3);
    bestCost = costOf(best);
  }

  /// Takes the best change of an axis at a vertex, if one is better.
  void improve(unsigned v) {
    ParetoState base = best;
    for (unsigned axis = 0; axis < evaluator.grid.axes.size(); ++axis)
      for (unsigned l = 0; l <= evaluator.graph.vertices[v].labels.size();
           ++l) {
        Partition partition = evaluator.partition(base, v);
        if (l == evaluator.graph.vertices[v].labels.size())
          removeAxis(partition, axis);
        else if (labelOfAxis(partition, axis) != l)
          moveAxis(partition, axis, l, partition.cuts[l].size());
        if (auto candidate = withPartition(base, evaluator, v, partition))
          consider(std::move(*candidate));
      }
  }

  ParetoState best;

private:
  double costOf(const ParetoState &candidate) {
    Objectives scaled = context.tryOut(candidate);
    double cost = 0;
    for (unsigned i = 0; i < numObjectives; ++i)
      cost += weights[i] * scaled[i];
    return cost;
  }
  void consider(ParetoState candidate) {
    double cost = costOf(candidate);
    if (cost >= bestCost)
      return;
    best = std::move(candidate);
    bestCost = cost;
  }

  MutationContext &context;
  StateEvaluator &evaluator;
  Objectives weights;
  double bestCost = 0;
};

/// An equivalent graph: vertices that both have keep their cuts, new ones suit
/// their neighbours; of several new ones better cuts are looked for.
class RewriteGraph : public ParetoMutator {
public:
  RewriteGraph() : ParetoMutator("rewrite", 0.1) {}
  bool applies(const ParetoState &state,
               MutationContext &context) const override {
    return !context.evaluators.rewritesOf(state.graph).empty();
  }
  std::optional<ParetoState> mutate(const ParetoState &state,
                                    MutationContext &context) const override {
    std::optional<unsigned> graph = context.evaluators.rewritten(
        state.graph, context.random.below(
                         context.evaluators.rewritesOf(state.graph).size()));
    if (!graph)
      return std::nullopt;
    if (*graph == state.graph)
      return std::nullopt;
    StateEvaluator &from = context.evaluators.of(state);
    StateEvaluator &to = context.evaluators.at(*graph, state.grid);
    ParetoState child;
    child.graph = *graph;
    child.grid = state.grid;
    child.cuts.assign(to.graph.vertices.size(), 0);
    child.homes.assign(to.graph.vertices.size(), 0);
    std::vector<bool> isPlaced(to.graph.vertices.size(), false);
    for (unsigned v : to.movable)
      isPlaced[v] = keepCut(from, state, to, child, v);
    llvm::SmallVector<unsigned> made;
    for (unsigned v : to.movable) {
      if (isPlaced[v])
        continue;
      child.cuts[v] = to.numberOf(v, inheritPartition(to, child, isPlaced, v));
      isPlaced[v] = true;
      made.push_back(v);
    }
    if (made.size() < 2)
      return child;
    Polisher polisher(std::move(child), context);
    for (unsigned v : llvm::reverse(made))
      polisher.improve(v);
    return std::move(polisher.best);
  }

private:
  /// Takes over the cuts of the vertex of the same name, label by label.
  static bool keepCut(const StateEvaluator &from, const ParetoState &parent,
                      StateEvaluator &to, ParetoState &child, unsigned v) {
    const PlanVertex &vertex = to.graph.vertices[v];
    std::optional<unsigned> old = from.graph.vertexNamed(vertex.name);
    if (!old || from.isStored(*old))
      return false;
    const Partition &cut = from.partition(parent, *old);
    Partition kept = to.partition(v, 0);
    for (auto [label, axes] :
         llvm::zip_equal(from.graph.vertices[*old].labels, cut.cuts))
      if (std::optional<unsigned> same = vertex.labelNamed(label.name))
        kept.cuts[*same] = axes;
      else if (!axes.empty())
        return false;
    if (!to.isLegal(v, kept))
      return false;
    child.cuts[v] = to.numberOf(v, kept);
    return true;
  }
};

/// Some vertices as in one plan near the frontier, the others as in another:
/// those before a point of the graph, or those around a vertex.
class Crossover : public ParetoMutator {
public:
  Crossover() : ParetoMutator("crossover", 0.1) {}
  bool applies(const ParetoState &state,
               MutationContext &context) const override {
    return context.evaluators.of(state).movable.size() > 1;
  }
  std::optional<ParetoState> mutate(const ParetoState &state,
                                    MutationContext &context) const override {
    const ParetoPopulation::Member *partner =
        context.population.pickPartner(state, context.random);
    if (!partner)
      return std::nullopt;
    StateEvaluator &evaluator = context.evaluators.of(state);
    unsigned count = state.cuts.size();
    std::vector<bool> taken(count, false);
    if (context.random.chance(0.5)) {
      unsigned point = context.random.oneOf(evaluator.movable);
      for (unsigned v = point; v < count; ++v)
        taken[v] = true;
    } else {
      takeAround(evaluator, context.random.oneOf(evaluator.movable),
                 1 + context.random.below(1 + evaluator.movable.size() / 2),
                 taken);
    }
    ParetoState child = state;
    for (unsigned v = 0; v < count; ++v)
      if (taken[v]) {
        child.cuts[v] = partner->state.cuts[v];
        child.homes[v] = partner->state.homes[v];
      }
    if (child == state || child == partner->state)
      return std::nullopt;
    return child;
  }

private:
  /// The `count` vertices nearest to `start`.
  static void takeAround(const StateEvaluator &evaluator, unsigned start,
                         unsigned count, std::vector<bool> &taken) {
    std::vector<unsigned> queue = {start};
    taken[start] = true;
    for (unsigned i = 0; i < queue.size() && queue.size() < count; ++i) {
      auto visit = [&](unsigned v) {
        if (taken[v] || queue.size() >= count)
          return;
        taken[v] = true;
        queue.push_back(v);
      };
      for (const PlanOperand &read :
           evaluator.graph.vertices[queue[i]].operands)
        visit(read.producer);
      for (const PlanUse &use : evaluator.uses[queue[i]])
        visit(use.vertex);
    }
  }
};

/// For weights thrown at random, the best change of an axis at each of a few
/// vertices.
class Polish : public ParetoMutator {
public:
  Polish() : ParetoMutator("polish", 0.03) {}
  bool applies(const ParetoState &state,
               MutationContext &context) const override {
    return !context.evaluators.of(state).movable.empty();
  }
  std::optional<ParetoState> mutate(const ParetoState &state,
                                    MutationContext &context) const override {
    StateEvaluator &evaluator = context.evaluators.of(state);
    Polisher polisher(state, context);
    unsigned v = context.random.oneOf(evaluator.movable);
    for (unsigned step = 0; step < 3; ++step) {
      polisher.improve(v);
      v = nextVertex(evaluator, context.random, v);
    }
    if (polisher.best == state)
      return std::nullopt;
    return std::move(polisher.best);
  }

private:
  /// A neighbour that can be cut, or any vertex.
  static unsigned nextVertex(const StateEvaluator &evaluator, Random &random,
                             unsigned v) {
    std::vector<unsigned> near;
    for (const PlanOperand &read : evaluator.graph.vertices[v].operands)
      if (!evaluator.isStored(read.producer))
        near.push_back(read.producer);
    for (const PlanUse &use : evaluator.uses[v])
      near.push_back(use.vertex);
    llvm::erase_if(near, [&](unsigned n) {
      return !llvm::is_contained(evaluator.movable, n);
    });
    return random.oneOf(near.empty() ? evaluator.movable : near);
  }
};

} // namespace

void pareto::addGraphMutators(
    std::vector<std::unique_ptr<ParetoMutator>> &mutators) {
  mutators.push_back(std::make_unique<ChangeGrid>());
  mutators.push_back(std::make_unique<RewriteGraph>());
  mutators.push_back(std::make_unique<Crossover>());
  mutators.push_back(std::make_unique<Polish>());
}

std::vector<std::unique_ptr<ParetoMutator>> pareto::allMutators() {
  std::vector<std::unique_ptr<ParetoMutator>> mutators;
  addCutMutators(mutators);
  addGraphMutators(mutators);
  return mutators;
}

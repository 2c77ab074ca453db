//===- ParetoMutators.cpp - Changes of cuts and homes ---------------------===//

#include "ParetoMutators.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace tapestry;
using namespace tapestry::model;
using namespace tapestry::pareto;

void pareto::removeAxis(Partition &partition, unsigned axis) {
  for (Cut &cut : partition.cuts)
    llvm::erase(cut, axis);
}

void pareto::moveAxis(Partition &partition, unsigned axis, unsigned label,
                      unsigned position) {
  removeAxis(partition, axis);
  Cut &cut = partition.cuts[label];
  cut.insert(cut.begin() + std::min<unsigned>(position, cut.size()), axis);
}

std::optional<unsigned> pareto::labelOfAxis(const Partition &partition,
                                            unsigned axis) {
  for (auto [label, cut] : llvm::enumerate(partition.cuts))
    if (llvm::is_contained(cut, axis))
      return label;
  return std::nullopt;
}

std::optional<ParetoState> pareto::withPartition(const ParetoState &state,
                                                 StateEvaluator &evaluator,
                                                 unsigned vertex,
                                                 const Partition &partition) {
  if (!evaluator.isLegal(vertex, partition))
    return std::nullopt;
  uint32_t number = evaluator.numberOf(vertex, partition);
  if (number == state.cuts[vertex])
    return std::nullopt;
  ParetoState child = state;
  child.cuts[vertex] = number;
  // A home that was chosen for another cut seldom fits.
  child.homes[vertex] = 0;
  return child;
}

/// The label that one plain dimension of a projection reads alone.
static std::optional<unsigned> plainLabel(const ProjectionDim &dim) {
  if (dim.isPlainDim())
    return dim.terms[0].dim;
  return std::nullopt;
}

Partition pareto::followProducer(const StateEvaluator &evaluator,
                                 unsigned vertex, unsigned operand,
                                 const Partition &own,
                                 const Partition &producer) {
  const PlanOperand &read = evaluator.graph.vertices[vertex].operands[operand];
  const PlanVertex &source = evaluator.graph.vertices[read.producer];
  Partition result = own;
  for (auto [dim, written] :
       llvm::zip_equal(read.projection.dims, source.output.dims)) {
    std::optional<unsigned> reader = plainLabel(dim);
    std::optional<unsigned> writer = plainLabel(written);
    if (!reader || !writer)
      continue;
    for (unsigned axis : producer.cuts[*writer])
      removeAxis(result, axis);
    result.cuts[*reader] = producer.cuts[*writer];
  }
  return result;
}

/// A partition of the producer that lies as `reader`, with partition `cut`,
/// reads it.
static Partition followReader(const StateEvaluator &evaluator,
                              const PlanUse &use, unsigned producer,
                              const Partition &own, const Partition &cut) {
  const PlanOperand &read =
      evaluator.graph.vertices[use.vertex].operands[use.operand];
  const PlanVertex &source = evaluator.graph.vertices[producer];
  Partition result = own;
  for (auto [dim, written] :
       llvm::zip_equal(read.projection.dims, source.output.dims)) {
    std::optional<unsigned> reader = plainLabel(dim);
    std::optional<unsigned> writer = plainLabel(written);
    if (!reader || !writer)
      continue;
    for (unsigned axis : cut.cuts[*reader])
      removeAxis(result, axis);
    result.cuts[*writer] = cut.cuts[*reader];
  }
  return result;
}

namespace {

/// Every mutator here needs a vertex that can be cut.
class CutMutator : public ParetoMutator {
public:
  using ParetoMutator::ParetoMutator;
  bool applies(const ParetoState &state,
               MutationContext &context) const override {
    return !context.evaluators.of(state).movable.empty();
  }
};

/// One axis goes to one label of one vertex, or is taken from it.
class MoveAxis : public CutMutator {
public:
  MoveAxis() : CutMutator("move-axis", 0.05) {}
  std::optional<ParetoState> mutate(const ParetoState &state,
                                    MutationContext &context) const override {
    StateEvaluator &evaluator = context.evaluators.of(state);
    Random &random = context.random;
    unsigned v = random.oneOf(evaluator.movable);
    unsigned labels = evaluator.graph.vertices[v].labels.size();
    Partition partition = evaluator.partition(state, v);
    unsigned axis = random.below(evaluator.grid.axes.size());
    unsigned label = random.below(labels + 1);
    if (label == labels)
      removeAxis(partition, axis);
    else
      moveAxis(partition, axis, label, random.below(3));
    return withPartition(state, evaluator, v, partition);
  }
};

/// A vertex is cut as one that it reads, or one that reads it.
class CopyNeighbour : public CutMutator {
public:
  CopyNeighbour() : CutMutator("copy-neighbour", 0.1) {}
  std::optional<ParetoState> mutate(const ParetoState &state,
                                    MutationContext &context) const override {
    StateEvaluator &evaluator = context.evaluators.of(state);
    Random &random = context.random;
    std::optional<ParetoState> child;
    unsigned v = random.oneOf(evaluator.movable);
    // Often a change has to go on along the graph to pay.
    for (unsigned step = 0, e = 1 + random.below(4); step < e; ++step) {
      const ParetoState &now = child ? *child : state;
      std::optional<unsigned> next = follow(now, evaluator, random, v, child);
      if (!next)
        break;
      v = *next;
    }
    return child;
  }

private:
  /// Lets a random neighbour of `v` follow it; that neighbour.
  static std::optional<unsigned> follow(const ParetoState &state,
                                        StateEvaluator &evaluator,
                                        Random &random, unsigned v,
                                        std::optional<ParetoState> &child) {
    const PlanVertex &vertex = evaluator.graph.vertices[v];
    unsigned reads = vertex.operands.size();
    unsigned ways = reads + evaluator.uses[v].size();
    if (ways == 0)
      return std::nullopt;
    unsigned way = random.below(ways);
    unsigned neighbour;
    Partition partition;
    if (way < reads) {
      neighbour = vertex.operands[way].producer;
      if (evaluator.isStored(neighbour))
        return std::nullopt;
      partition = followReader(evaluator, {v, way}, neighbour,
                               evaluator.partition(state, neighbour),
                               evaluator.partition(state, v));
    } else {
      const PlanUse &use = evaluator.uses[v][way - reads];
      neighbour = use.vertex;
      partition = followProducer(evaluator, use.vertex, use.operand,
                                 evaluator.partition(state, neighbour),
                                 evaluator.partition(state, v));
    }
    if (auto changed = withPartition(state, evaluator, neighbour, partition))
      child = std::move(changed);
    return neighbour;
  }
};

/// An axis goes from a reduced label to a parallel one or back.
class ToggleReduction : public CutMutator {
public:
  ToggleReduction() : CutMutator("reduction", 0.05) {}
  std::optional<ParetoState> mutate(const ParetoState &state,
                                    MutationContext &context) const override {
    StateEvaluator &evaluator = context.evaluators.of(state);
    Random &random = context.random;
    unsigned v = random.oneOf(evaluator.movable);
    const PlanVertex &vertex = evaluator.graph.vertices[v];
    Partition partition = evaluator.partition(state, v);
    unsigned axis = random.below(evaluator.grid.axes.size());
    std::optional<unsigned> now = labelOfAxis(partition, axis);
    bool wantReduced = !now || !vertex.labels[*now].reduced;
    std::vector<unsigned> labels;
    for (unsigned l = 0; l < vertex.labels.size(); ++l)
      if (vertex.labels[l].reduced == wantReduced)
        labels.push_back(l);
    if (labels.empty())
      return std::nullopt;
    moveAxis(partition, axis, random.oneOf(labels), random.below(3));
    return withPartition(state, evaluator, v, partition);
  }
};

/// A cheap vertex is computed by everyone along an axis, or a replicated one is
/// cut.
class Replicate : public CutMutator {
public:
  Replicate() : CutMutator("replicate", 0.03) {}
  std::optional<ParetoState> mutate(const ParetoState &state,
                                    MutationContext &context) const override {
    StateEvaluator &evaluator = context.evaluators.of(state);
    Random &random = context.random;
    unsigned v = random.oneOf(evaluator.movable);
    // Of two, the one with less work.
    unsigned other = random.oneOf(evaluator.movable);
    if (evaluator.graph.vertices[other].flops <
        evaluator.graph.vertices[v].flops)
      v = other;
    const PlanVertex &vertex = evaluator.graph.vertices[v];
    Partition partition = evaluator.partition(state, v);
    bool replicateAll = random.chance(0.3);
    unsigned axis = random.below(evaluator.grid.axes.size());
    if (replicateAll)
      for (Cut &cut : partition.cuts)
        cut.clear();
    else if (labelOfAxis(partition, axis))
      removeAxis(partition, axis);
    else
      moveAxis(partition, axis, random.below(vertex.labels.size()),
               random.below(3));
    return withPartition(state, evaluator, v, partition);
  }
};

/// Two axes change places in one vertex: other devices hold the same parts.
class SwapAxes : public CutMutator {
public:
  SwapAxes() : CutMutator("swap-axes", 0.03) {}
  bool applies(const ParetoState &state,
               MutationContext &context) const override {
    StateEvaluator &evaluator = context.evaluators.of(state);
    return !evaluator.movable.empty() && evaluator.grid.axes.size() > 1;
  }
  std::optional<ParetoState> mutate(const ParetoState &state,
                                    MutationContext &context) const override {
    StateEvaluator &evaluator = context.evaluators.of(state);
    Random &random = context.random;
    unsigned v = random.oneOf(evaluator.movable);
    unsigned a = random.below(evaluator.grid.axes.size());
    unsigned b = random.below(evaluator.grid.axes.size());
    Partition partition = evaluator.partition(state, v);
    for (Cut &cut : partition.cuts)
      for (unsigned &axis : cut)
        axis = axis == a ? b : axis == b ? a : axis;
    return withPartition(state, evaluator, v, partition);
  }
};

/// One axis goes to the label of one name in every vertex that has it, or to no
/// label anywhere.
class MoveAxisEverywhere : public CutMutator {
public:
  MoveAxisEverywhere() : CutMutator("move-axis-everywhere", 0.05) {}
  std::optional<ParetoState> mutate(const ParetoState &state,
                                    MutationContext &context) const override {
    StateEvaluator &evaluator = context.evaluators.of(state);
    Random &random = context.random;
    unsigned axis = random.below(evaluator.grid.axes.size());
    const PlanVertex &model =
        evaluator.graph.vertices[random.oneOf(evaluator.movable)];
    llvm::StringRef name = model.labels[random.below(model.labels.size())].name;
    bool remove = random.chance(0.2);
    ParetoState child = state;
    for (unsigned v : evaluator.movable) {
      Partition partition = evaluator.partition(state, v);
      std::optional<unsigned> label =
          evaluator.graph.vertices[v].labelNamed(name);
      if (remove)
        removeAxis(partition, axis);
      else if (label)
        moveAxis(partition, axis, *label, 0);
      if (auto changed = withPartition(child, evaluator, v, partition))
        child = std::move(*changed);
    }
    if (child == state)
      return std::nullopt;
    return child;
  }
};

/// All vertices of one kind are cut alike: what pays in one block of a model
/// often pays in all.
class SpreadCut : public CutMutator {
public:
  SpreadCut() : CutMutator("spread-cut", 0.05) {}
  std::optional<ParetoState> mutate(const ParetoState &state,
                                    MutationContext &context) const override {
    StateEvaluator &evaluator = context.evaluators.of(state);
    unsigned model = context.random.oneOf(evaluator.movable);
    const PlanVertex &vertex = evaluator.graph.vertices[model];
    ParetoState child = state;
    for (unsigned v : evaluator.movable) {
      if (v == model || !isAlike(evaluator.graph.vertices[v], vertex))
        continue;
      if (auto changed = withPartition(child, evaluator, v,
                                       evaluator.partition(state, model)))
        child = std::move(*changed);
    }
    if (child == state)
      return std::nullopt;
    return child;
  }

private:
  static bool isAlike(const PlanVertex &a, const PlanVertex &b) {
    auto areEqual = [](const auto &labels) {
      const auto &[x, y] = labels;
      return x.extent == y.extent && x.reduced == y.reduced;
    };
    return a.labels.size() == b.labels.size() &&
           a.operands.size() == b.operands.size() && a.output == b.output &&
           llvm::all_of(llvm::zip(a.labels, b.labels), areEqual);
  }
};

/// A result lives elsewhere between its production and its readers: where it is
/// made, where one of them reads it, or one axis from where it lives now.
class MoveHome : public CutMutator {
public:
  MoveHome() : CutMutator("home", 0.03) {}
  std::optional<ParetoState> mutate(const ParetoState &state,
                                    MutationContext &context) const override {
    StateEvaluator &evaluator = context.evaluators.of(state);
    Random &random = context.random;
    unsigned v = random.oneOf(evaluator.movable);
    const PlanVertex &vertex = evaluator.graph.vertices[v];
    if (vertex.isInput)
      return std::nullopt;
    std::vector<uint32_t> homes = evaluator.possibleHomes(state, v);
    homes.push_back(0);
    ParetoState child = state;
    child.homes[v] = random.oneOf(homes);
    if (!vertex.shape.empty() && random.chance(0.5)) {
      Partition cuts;
      for (const LayoutDim &dim : evaluator.homeOf(state, v).dims)
        cuts.cuts.push_back(Cut(dim.cut()));
      unsigned axis = random.below(evaluator.grid.axes.size());
      unsigned dim = random.below(vertex.shape.size() + 1);
      if (dim == vertex.shape.size())
        removeAxis(cuts, axis);
      else
        moveAxis(cuts, axis, dim, random.below(3));
      for (auto [cut, extent] : llvm::zip_equal(cuts.cuts, vertex.shape))
        if (partsOf(evaluator.grid, cut) > extent)
          return std::nullopt;
      child.homes[v] =
          evaluator.homeNumber(Layout::blocked(vertex.shape, cuts.cuts));
    }
    if (child == state)
      return std::nullopt;
    return child;
  }
};

} // namespace

void pareto::addCutMutators(
    std::vector<std::unique_ptr<ParetoMutator>> &mutators) {
  mutators.push_back(std::make_unique<MoveAxis>());
  mutators.push_back(std::make_unique<CopyNeighbour>());
  mutators.push_back(std::make_unique<ToggleReduction>());
  mutators.push_back(std::make_unique<Replicate>());
  mutators.push_back(std::make_unique<SwapAxes>());
  mutators.push_back(std::make_unique<MoveAxisEverywhere>());
  mutators.push_back(std::make_unique<SpreadCut>());
  mutators.push_back(std::make_unique<MoveHome>());
}

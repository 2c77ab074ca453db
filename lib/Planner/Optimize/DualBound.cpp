//===- DualBound.cpp - Lower bounds on planning problems ------------------===//

#include "tapestry/Planner/Optimize/DualBound.h"
#include "TreeBounds.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/xxhash.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

using namespace tapestry;
using namespace tapestry::optimize;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// When the bound has closed less than this part of the gap, more rounds are
/// not worth it.
constexpr double leastGain = 1e-3;

/// An edge as one of its variables sees it.
struct Incidence {
  unsigned edge = 0;
  /// Whether the variable is the edge's `to`.
  bool isTo = false;
};

/// Remembers what a table answers to a message, so that equal blocks of a model
/// are worked out once: their messages soon become equal. Answers that were not
/// asked for in two rounds are dropped.
class Answers {
public:
  /// The answer to `question` about side `side` of `table`, computed by
  /// `compute` where it is new.
  template <typename Compute>
  const std::vector<double> &get(const CostTable *table, unsigned side,
                                 llvm::ArrayRef<double> question,
                                 Compute compute);
  void nextRound() {
    old = std::move(recent);
    recent.clear();
  }

private:
  struct Entry {
    const CostTable *table = nullptr;
    unsigned side = 0;
    std::vector<double> question, answer;
  };
  std::unordered_map<uint64_t, Entry> recent, old;
};

/// The messages of the algorithm: what each edge hands to each of its ends, per
/// class. Any messages whatever give a valid bound. They are normalised, the
/// least of each being 0, and rounded to multiples of a power of two, for
/// repeated blocks to end up with the same ones to the last bit.
class Messages {
public:
  explicit Messages(const PlanProblem &problem);

  void pass(bool isForward);
  /// The reparametrised costs of a variable's choices.
  std::vector<double> costsOf(unsigned var) const;
  DualBound bound(bool boundChoices);
  /// Raises bounds of choices by spanning trees.
  void raise(std::vector<std::vector<double>> &choiceBounds, unsigned trees);
  /// Chooses variable by variable: earlier ones as chosen, later ones as their
  /// messages say.
  std::vector<uint32_t> suggest() const;
  /// Table entries looked at so far.
  double work = 0;

private:
  const ClassMap &classes(Incidence at) const {
    const PlanProblem::Edge &edge = problem.edges[at.edge];
    return at.isTo ? *edge.toClasses : *edge.fromClasses;
  }
  std::vector<double> &message(Incidence at) {
    return messages[2 * at.edge + at.isTo];
  }
  const std::vector<double> &message(Incidence at) const {
    return messages[2 * at.edge + at.isTo];
  }
  void send(Incidence at, llvm::ArrayRef<double> share);
  /// Per class at one end, the least of what is left of the edge's costs.
  const std::vector<double> &leastLeft(Incidence at);

  const PlanProblem &problem;
  std::vector<llvm::SmallVector<Incidence, 4>> incidences;
  std::vector<std::vector<double>> messages;
  /// One over the larger of the numbers of earlier and later neighbours.
  std::vector<double> weight;
  /// Messages are multiples of this.
  double quantum = 0;
  Answers answers;
};

} // namespace

template <typename Compute>
const std::vector<double> &Answers::get(const CostTable *table, unsigned side,
                                        llvm::ArrayRef<double> question,
                                        Compute compute) {
  uint64_t hash = llvm::xxh3_64bits(
      llvm::ArrayRef(reinterpret_cast<const uint8_t *>(question.data()),
                     question.size() * sizeof(double)));
  hash ^= llvm::hash_value(table) * 3 + side;
  auto isSame = [&](const Entry &entry) {
    return entry.table == table && entry.side == side &&
           llvm::ArrayRef(entry.question) == question;
  };
  Entry &entry = recent[hash];
  if (isSame(entry))
    return entry.answer;
  auto before = old.find(hash);
  if (before != old.end() && isSame(before->second)) {
    entry = before->second;
    return entry.answer;
  }
  entry = {table, side, question.vec(), {}};
  compute(entry.answer);
  return entry.answer;
}

Messages::Messages(const PlanProblem &problem)
    : problem(problem), incidences(problem.variables.size()),
      messages(2 * problem.edges.size()), weight(problem.variables.size(), 1) {
  double largest = 0;
  llvm::SmallPtrSet<const void *, 16> seen;
  auto note = [&](const void *key, const std::vector<double> &values) {
    if (seen.insert(key).second)
      for (double value : values)
        if (std::abs(value) < forbiddenCost)
          largest = std::max(largest, std::abs(value));
  };
  for (const PlanProblem::Variable &variable : problem.variables)
    note(variable.costs.get(), *variable.costs);
  for (unsigned e = 0; e < problem.edges.size(); ++e) {
    const PlanProblem::Edge &edge = problem.edges[e];
    note(edge.table.get(), edge.table->values);
    incidences[edge.from].push_back({e, false});
    incidences[edge.to].push_back({e, true});
    messages[2 * e].assign(edge.table->rows, 0);
    messages[2 * e + 1].assign(edge.table->columns, 0);
  }
  quantum = std::ldexp(1.0, std::ilogb(std::max(largest, 1e-200)) - 44);
  for (unsigned v = 0; v < incidences.size(); ++v) {
    size_t earlier =
        llvm::count_if(incidences[v], [](Incidence at) { return at.isTo; });
    size_t most = std::max(earlier, incidences[v].size() - earlier);
    weight[v] = 1.0 / std::max<size_t>(1, most);
  }
}

std::vector<double> Messages::costsOf(unsigned var) const {
  std::vector<double> costs = *problem.variables[var].costs;
  for (Incidence at : incidences[var]) {
    const std::vector<double> &incoming = message(at);
    const std::vector<uint32_t> &classOf = classes(at).classOf;
    for (size_t c = 0; c < costs.size(); ++c)
      costs[c] += incoming[classOf[c]];
  }
  return costs;
}

/// Moves `share` (a part of the costs of the variable at `at`, per class) into
/// the edge, and from there as much as will go to the other end.
void Messages::send(Incidence at, llvm::ArrayRef<double> share) {
  const CostTable &table = *problem.edges[at.edge].table;
  std::vector<double> &own = message(at);
  for (size_t c = 0; c < own.size(); ++c)
    own[c] -= share[c];
  message({at.edge, !at.isTo}) =
      answers.get(&table, at.isTo, own, [&](std::vector<double> &outgoing) {
        leastPerClass(table, /*ofColumns=*/!at.isTo, own, outgoing);
        double least = *llvm::min_element(outgoing);
        for (double &value : outgoing)
          value = std::floor((value - least) / quantum) * quantum;
        work += table.values.size();
      });
}

void Messages::pass(bool isForward) {
  answers.nextRound();
  std::vector<double> share;
  for (unsigned i = 0; i < incidences.size(); ++i) {
    unsigned v = isForward ? i : incidences.size() - 1 - i;
    std::vector<double> costs = costsOf(v);
    for (Incidence at : incidences[v]) {
      if (at.isTo == isForward)
        continue;
      const ClassMap &map = classes(at);
      share.assign(map.numClasses, infinity);
      for (size_t c = 0; c < costs.size(); ++c)
        share[map.classOf[c]] = std::min(share[map.classOf[c]], costs[c]);
      double least = *llvm::min_element(share);
      for (double &value : share)
        value =
            value == infinity
                ? 0 // A class that no choice has.
                : std::floor(weight[v] * (value - least) / quantum) * quantum;
      send(at, share);
    }
  }
}

const std::vector<double> &Messages::leastLeft(Incidence at) {
  const CostTable &table = *problem.edges[at.edge].table;
  const std::vector<double> &own = message(at);
  const std::vector<double> &other = message({at.edge, !at.isTo});
  std::vector<double> question = own;
  question.insert(question.end(), other.begin(), other.end());
  return answers.get(
      &table, 2 + at.isTo, question, [&](std::vector<double> &least) {
        leastPerClass(table, /*ofColumns=*/at.isTo, other, least);
        for (size_t c = 0; c < least.size(); ++c)
          least[c] -= own[c];
        work += table.values.size();
      });
}

DualBound Messages::bound(bool boundChoices) {
  DualBound result;
  std::vector<std::vector<double>> left(messages.size());
  std::vector<double> leastOfEdge(problem.edges.size());
  for (unsigned e = 0; e < problem.edges.size(); ++e) {
    left[2 * e] = leastLeft({e, false});
    if (boundChoices)
      left[2 * e + 1] = leastLeft({e, true});
    leastOfEdge[e] = *std::min_element(left[2 * e].begin(), left[2 * e].end());
    result.lowerBound += leastOfEdge[e];
  }
  std::vector<double> leastOfVariable;
  for (unsigned v = 0; v < incidences.size(); ++v) {
    result.choiceBounds.push_back(costsOf(v));
    const std::vector<double> &costs = result.choiceBounds.back();
    leastOfVariable.push_back(*llvm::min_element(costs));
    result.lowerBound += leastOfVariable.back();
  }
  if (!boundChoices) {
    result.choiceBounds.clear();
    return result;
  }
  // A choice costs at least what it takes beyond the least, at its variable and
  // at each of its edges.
  for (unsigned v = 0; v < incidences.size(); ++v)
    for (size_t c = 0; c < result.choiceBounds[v].size(); ++c) {
      double extra = result.choiceBounds[v][c] - leastOfVariable[v];
      for (Incidence at : incidences[v])
        extra += left[2 * at.edge + at.isTo][classes(at).classOf[c]] -
                 leastOfEdge[at.edge];
      result.choiceBounds[v][c] = result.lowerBound + extra;
    }
  return result;
}

void Messages::raise(std::vector<std::vector<double>> &choiceBounds,
                     unsigned trees) {
  Excesses excesses{problem, {}, messages, {}, 0};
  for (unsigned v = 0; v < incidences.size(); ++v) {
    std::vector<double> &costs = excesses.ofVariable.emplace_back(costsOf(v));
    double least = *llvm::min_element(costs);
    for (double &cost : costs)
      cost -= least;
    excesses.bound += least;
  }
  for (unsigned e = 0; e < problem.edges.size(); ++e) {
    excesses.leastOfEdge.push_back(*llvm::min_element(leastLeft({e, false})));
    excesses.bound += excesses.leastOfEdge.back();
  }
  raiseByTrees(excesses, trees, choiceBounds);
  work += 2.0 * trees * tableEntries(problem);
}

std::vector<uint32_t> Messages::suggest() const {
  std::vector<uint32_t> choice(incidences.size(), 0);
  for (unsigned v = 0; v < incidences.size(); ++v) {
    std::vector<double> costs = *problem.variables[v].costs;
    for (Incidence at : incidences[v]) {
      const PlanProblem::Edge &edge = problem.edges[at.edge];
      for (size_t c = 0; c < costs.size(); ++c) {
        uint32_t own = classes(at).classOf[c];
        costs[c] += at.isTo
                        ? edge.table->at(
                              edge.fromClasses->classOf[choice[edge.from]], own)
                        : message(at)[own];
      }
    }
    choice[v] = llvm::min_element(costs) - costs.begin();
  }
  return choice;
}

void optimize::descend(const PlanProblem &problem,
                       std::vector<uint32_t> &choice) {
  std::vector<llvm::SmallVector<unsigned, 4>> edgesOf(problem.variables.size());
  for (unsigned e = 0; e < problem.edges.size(); ++e) {
    edgesOf[problem.edges[e].from].push_back(e);
    edgesOf[problem.edges[e].to].push_back(e);
  }
  for (bool moved = true; moved;) {
    moved = false;
    for (unsigned v = 0; v < choice.size(); ++v) {
      std::vector<double> costs = *problem.variables[v].costs;
      for (unsigned e : edgesOf[v]) {
        const PlanProblem::Edge &edge = problem.edges[e];
        uint32_t from = edge.fromClasses->classOf[choice[edge.from]];
        uint32_t to = edge.toClasses->classOf[choice[edge.to]];
        for (size_t c = 0; c < costs.size(); ++c)
          costs[c] += edge.from == v
                          ? edge.table->at(edge.fromClasses->classOf[c], to)
                          : edge.table->at(from, edge.toClasses->classOf[c]);
      }
      uint32_t best = llvm::min_element(costs) - costs.begin();
      // Rounding must not make two choices chase each other.
      if (costs[best] < costs[choice[v]] * (1 - 1e-12)) {
        choice[v] = best;
        moved = true;
      }
    }
  }
}

std::vector<uint32_t>
optimize::descendFromCheapest(const PlanProblem &problem) {
  std::vector<uint32_t> choice;
  for (const PlanProblem::Variable &variable : problem.variables)
    choice.push_back(
        std::min_element(variable.costs->begin(), variable.costs->end()) -
        variable.costs->begin());
  descend(problem, choice);
  return choice;
}

DualBound optimize::computeDualBound(const PlanProblem &problem,
                                     const BoundLimits &limits) {
  Messages messages(problem);
  DualBound best;
  best.lowerBound = -infinity;
  for (unsigned round = 0;;) {
    DualBound bound = messages.bound(limits.boundChoices);
    Solution solution;
    solution.choice = messages.suggest();
    descend(problem, solution.choice);
    solution.cost = problem.evaluate(solution.choice);
    if (best.solution.choice.empty() || solution.cost < best.solution.cost)
      best.solution = std::move(solution);
    bool isBetter = bound.lowerBound > best.lowerBound;
    double gain = bound.lowerBound - best.lowerBound;
    if (isBetter) {
      best.lowerBound = bound.lowerBound;
      best.choiceBounds = std::move(bound.choiceBounds);
    }
    double gap = best.solution.cost - best.lowerBound;
    double small = 1e-12 * std::abs(best.solution.cost);
    if (round >= limits.rounds || messages.work >= limits.mostWork ||
        best.lowerBound >= limits.enough || gap <= small ||
        (round >= limits.checkEvery && gain < leastGain * gap))
      break;
    for (unsigned i = 0; i < limits.checkEvery && round < limits.rounds;
         ++i, ++round) {
      messages.pass(/*isForward=*/true);
      messages.pass(/*isForward=*/false);
    }
  }
  if (limits.boundChoices && limits.trees > 0)
    messages.raise(best.choiceBounds, limits.trees);
  best.work = messages.work;
  // The sums behind the bound are rounded; the cost is what was evaluated.
  best.lowerBound = std::min(best.lowerBound, best.solution.cost);
  best.solution.lowerBound = best.lowerBound;
  best.solution.provedOptimal = best.lowerBound == best.solution.cost;
  return best;
}

DualBound optimize::computeDualBound(const PlanProblem &problem,
                                     unsigned rounds) {
  BoundLimits limits;
  limits.rounds = rounds;
  return computeDualBound(problem, limits);
}

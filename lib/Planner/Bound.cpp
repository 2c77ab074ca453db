//===- Bound.cpp - Lower bounds on planning problems ----------------------===//

#include "tapestry/Planner/Bound.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>
#include <limits>

using namespace tapestry;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// An edge as one of its variables sees it.
struct Incidence {
  unsigned edge = 0;
  /// Whether the variable is the edge's `to`.
  bool isTo = false;
};

/// The messages of the algorithm: what each edge hands to each of its ends, per
/// class. Any messages whatever give a valid bound.
class Messages {
public:
  explicit Messages(const PlanProblem &problem);

  void pass(bool isForward);
  /// The reparametrised costs of a variable's choices.
  std::vector<double> costsOf(unsigned var) const;
  DualBound bound() const;
  /// Chooses variable by variable: earlier ones as chosen, later ones as their
  /// messages say.
  std::vector<uint32_t> suggest() const;

private:
  const ClassMap &classes(Incidence at) const {
    const PlanProblem::Edge &edge = problem.edges[at.edge];
    return at.isTo ? *edge.toClasses : *edge.fromClasses;
  }
  unsigned otherEnd(Incidence at) const {
    const PlanProblem::Edge &edge = problem.edges[at.edge];
    return at.isTo ? edge.from : edge.to;
  }
  std::vector<double> &message(Incidence at) {
    return messages[2 * at.edge + at.isTo];
  }
  const std::vector<double> &message(Incidence at) const {
    return messages[2 * at.edge + at.isTo];
  }
  void send(Incidence at, llvm::ArrayRef<double> share);
  /// Per class at one end, the least of what is left of the edge's costs.
  std::vector<double> leastLeft(Incidence at) const;

  const PlanProblem &problem;
  std::vector<llvm::SmallVector<Incidence, 4>> incidences;
  std::vector<std::vector<double>> messages;
  /// One over the larger of the numbers of earlier and later neighbours.
  std::vector<double> weight;
};

} // namespace

Messages::Messages(const PlanProblem &problem)
    : problem(problem), incidences(problem.variables.size()),
      messages(2 * problem.edges.size()), weight(problem.variables.size(), 1) {
  for (unsigned e = 0; e < problem.edges.size(); ++e) {
    const PlanProblem::Edge &edge = problem.edges[e];
    incidences[edge.from].push_back({e, false});
    incidences[edge.to].push_back({e, true});
    messages[2 * e].assign(edge.table->rows, 0);
    messages[2 * e + 1].assign(edge.table->columns, 0);
  }
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
  std::vector<double> &outgoing = message({at.edge, !at.isTo});
  std::fill(outgoing.begin(), outgoing.end(), infinity);
  for (uint32_t row = 0; row < table.rows; ++row) {
    const double *entry = &table.values[size_t(row) * table.columns];
    if (at.isTo) {
      for (uint32_t column = 0; column < table.columns; ++column)
        outgoing[row] = std::min(outgoing[row], entry[column] - own[column]);
    } else {
      for (uint32_t column = 0; column < table.columns; ++column)
        outgoing[column] = std::min(outgoing[column], entry[column] - own[row]);
    }
  }
}

void Messages::pass(bool isForward) {
  for (unsigned i = 0; i < incidences.size(); ++i) {
    unsigned v = isForward ? i : incidences.size() - 1 - i;
    std::vector<double> costs = costsOf(v);
    for (Incidence at : incidences[v]) {
      if (at.isTo == isForward)
        continue;
      const ClassMap &map = classes(at);
      std::vector<double> share(map.numClasses, infinity);
      for (size_t c = 0; c < costs.size(); ++c)
        share[map.classOf[c]] =
            std::min(share[map.classOf[c]], weight[v] * costs[c]);
      for (double &value : share)
        if (value == infinity)
          value = 0; // A class that no choice has.
      send(at, share);
    }
  }
}

std::vector<double> Messages::leastLeft(Incidence at) const {
  const CostTable &table = *problem.edges[at.edge].table;
  const std::vector<double> &from = messages[2 * at.edge];
  const std::vector<double> &to = messages[2 * at.edge + 1];
  std::vector<double> least(at.isTo ? table.columns : table.rows, infinity);
  for (uint32_t row = 0; row < table.rows; ++row)
    for (uint32_t column = 0; column < table.columns; ++column) {
      double &entry = least[at.isTo ? column : row];
      entry = std::min(entry, table.at(row, column) - from[row] - to[column]);
    }
  return least;
}

DualBound Messages::bound() const {
  DualBound result;
  std::vector<std::vector<double>> left(messages.size());
  std::vector<double> leastOfEdge(problem.edges.size());
  for (unsigned e = 0; e < problem.edges.size(); ++e) {
    left[2 * e] = leastLeft({e, false});
    left[2 * e + 1] = leastLeft({e, true});
    leastOfEdge[e] = *std::min_element(left[2 * e].begin(), left[2 * e].end());
    result.lowerBound += leastOfEdge[e];
  }
  std::vector<double> leastOfVariable;
  for (unsigned v = 0; v < incidences.size(); ++v) {
    result.choiceBounds.push_back(costsOf(v));
    const std::vector<double> &costs = result.choiceBounds.back();
    leastOfVariable.push_back(*std::min_element(costs.begin(), costs.end()));
    result.lowerBound += leastOfVariable.back();
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
    choice[v] = std::min_element(costs.begin(), costs.end()) - costs.begin();
  }
  return choice;
}

void tapestry::descend(const PlanProblem &problem,
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
      uint32_t best =
          std::min_element(costs.begin(), costs.end()) - costs.begin();
      // Rounding must not make two choices chase each other.
      if (costs[best] < costs[choice[v]] * (1 - 1e-12)) {
        choice[v] = best;
        moved = true;
      }
    }
  }
}

DualBound tapestry::computeDualBound(const PlanProblem &problem,
                                     unsigned rounds) {
  Messages messages(problem);
  for (unsigned round = 0; round < rounds; ++round) {
    messages.pass(/*isForward=*/true);
    messages.pass(/*isForward=*/false);
  }
  DualBound result = messages.bound();
  result.solution.choice = messages.suggest();
  descend(problem, result.solution.choice);
  result.solution.cost = problem.evaluate(result.solution.choice);
  // The sums behind the bound are rounded; the cost is what was evaluated.
  result.lowerBound = std::min(result.lowerBound, result.solution.cost);
  result.solution.lowerBound = result.lowerBound;
  result.solution.provedOptimal = result.lowerBound == result.solution.cost;
  return result;
}

double tapestry::tableEntries(const PlanProblem &problem) {
  double entries = 0;
  for (const PlanProblem::Edge &edge : problem.edges)
    entries += edge.table->values.size();
  return entries;
}

//===----------------------------------------------------------------------===//
// Reduction
//===----------------------------------------------------------------------===//

/// The classes of the choices that are left, renumbered without gaps; `kept`
/// gets the original number of each.
static SharedClasses reduceClasses(const ClassMap &map,
                                   llvm::ArrayRef<uint32_t> choices,
                                   std::vector<uint32_t> &kept) {
  constexpr uint32_t none = ~0u;
  std::vector<uint32_t> numbers(map.numClasses, none);
  auto reduced = std::make_shared<ClassMap>();
  for (uint32_t choice : choices) {
    uint32_t &number = numbers[map.classOf[choice]];
    if (number == none) {
      number = kept.size();
      kept.push_back(map.classOf[choice]);
    }
    reduced->classOf.push_back(number);
  }
  reduced->numClasses = kept.size();
  return reduced;
}

ReducedProblem tapestry::reduceProblem(const PlanProblem &problem,
                                       const DualBound &bound, double cost) {
  ReducedProblem result;
  result.problem.memoryLimit = problem.memoryLimit;
  double limit = cost + 1e-9 * std::abs(cost);
  for (unsigned v = 0; v < problem.variables.size(); ++v) {
    const PlanProblem::Variable &variable = problem.variables[v];
    std::vector<uint32_t> &left = result.original.emplace_back();
    auto costs = std::make_shared<std::vector<double>>();
    for (uint32_t c = 0; c < variable.numChoices(); ++c)
      if (bound.choiceBounds[v][c] <= limit) {
        left.push_back(c);
        costs->push_back((*variable.costs)[c]);
      }
    result.problem.variables.push_back(
        {variable.name, nullptr, costs, variable.hasWork});
  }
  for (const PlanProblem::Edge &edge : problem.edges) {
    std::vector<uint32_t> rows, columns;
    SharedClasses from =
        reduceClasses(*edge.fromClasses, result.original[edge.from], rows);
    SharedClasses to =
        reduceClasses(*edge.toClasses, result.original[edge.to], columns);
    auto table = std::make_shared<CostTable>();
    table->rows = rows.size();
    table->columns = columns.size();
    for (uint32_t row : rows)
      for (uint32_t column : columns)
        table->values.push_back(edge.table->at(row, column));
    result.problem.edges.push_back({edge.from, edge.to, from, to, table});
  }
  return result;
}

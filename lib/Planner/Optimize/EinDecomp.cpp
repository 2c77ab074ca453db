//===- EinDecomp.cpp - The paper's dynamic programme ----------------------===//
//
// Section 8.4 of the EinDecomp paper: as long as there are unlabelled
// variables, take the longest path through them, solve it by the recurrence of
// section 8.3 with the costs of its own variables and edges only, and label it.
//
//===----------------------------------------------------------------------===//

#include "tapestry/Planner/Optimize/DualBound.h"
#include "tapestry/Planner/Optimize/Solver.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <limits>
#include <map>

using namespace tapestry;
using namespace tapestry::optimize;

namespace {

class Linearizer {
public:
  explicit Linearizer(const PlanProblem &problem)
      : problem(problem), edgesOf(problem.variables.size()),
        labelled(problem.variables.size(), false),
        choice(problem.variables.size(), 0) {
    for (const PlanProblem::Edge &edge : problem.edges) {
      edgesOf[edge.from].push_back(&edge);
      edgesOf[edge.to].push_back(&edge);
    }
  }

  std::vector<uint32_t> solve();

private:
  using Edges = llvm::SmallVector<const PlanProblem::Edge *, 4>;

  /// The longest path through unlabelled variables with work, first to last. Of
  /// equally long ones it ends, and at each step goes back, at the smallest
  /// index. Empty when there is none.
  std::vector<unsigned> longestPath() const;
  /// M[v, d] along the path, then back-tracking.
  void labelPath(llvm::ArrayRef<unsigned> path);
  /// What suits the labelled neighbours best.
  void labelByNeighbours(unsigned var);

  const PlanProblem &problem;
  std::vector<Edges> edgesOf;
  std::vector<bool> labelled;
  std::vector<uint32_t> choice;
};

/// The classes that a choice shows to several parallel edges.
using Signature = llvm::SmallVector<uint32_t, 2>;

} // namespace

std::vector<uint32_t> Linearizer::solve() {
  for (;;) {
    std::vector<unsigned> path = longestPath();
    if (path.empty())
      break;
    labelPath(path);
  }
  for (unsigned var = 0; var < problem.variables.size(); ++var)
    if (!labelled[var])
      labelByNeighbours(var);
  return choice;
}

std::vector<unsigned> Linearizer::longestPath() const {
  constexpr unsigned none = ~0u;
  std::vector<unsigned> length(problem.variables.size(), 0);
  std::vector<unsigned> previous(problem.variables.size(), none);
  unsigned end = none;
  for (unsigned v = 0; v < problem.variables.size(); ++v) {
    if (labelled[v] || !problem.variables[v].hasWork)
      continue;
    length[v] = 1;
    for (const PlanProblem::Edge *edge : edgesOf[v]) {
      // Variables that are labelled or without work have length 0.
      unsigned from = edge->from;
      if (from == v || length[from] == 0)
        continue;
      if (length[from] + 1 > length[v] ||
          (length[from] + 1 == length[v] && from < previous[v])) {
        previous[v] = from;
        length[v] = length[from] + 1;
      }
    }
    if (end == none || length[v] > length[end])
      end = v;
  }
  std::vector<unsigned> path;
  for (unsigned v = end; v != none; v = previous[v])
    path.push_back(v);
  std::reverse(path.begin(), path.end());
  return path;
}

/// The choices by what they show to `edges`, in ascending order of signatures.
static std::map<Signature, std::vector<uint32_t>>
groupChoices(llvm::ArrayRef<const PlanProblem::Edge *> edges, size_t count,
             SharedClasses PlanProblem::Edge::*side) {
  std::map<Signature, std::vector<uint32_t>> groups;
  for (uint32_t c = 0; c < count; ++c) {
    Signature signature;
    for (const PlanProblem::Edge *edge : edges)
      signature.push_back((edge->*side)->classOf[c]);
    groups[signature].push_back(c);
  }
  return groups;
}

void Linearizer::labelPath(llvm::ArrayRef<unsigned> path) {
  // best[i][c]: the cost of the path up to its i-th variable with choice c;
  // came[i][c]: the choice of the variable before it that leads there.
  std::vector<std::vector<double>> best(path.size());
  std::vector<std::vector<uint32_t>> came(path.size());
  for (unsigned i = 0; i < path.size(); ++i) {
    best[i] = *problem.variables[path[i]].costs;
    if (i == 0)
      continue;
    Edges edges;
    for (const PlanProblem::Edge *edge : edgesOf[path[i]])
      if (edge->from == path[i - 1])
        edges.push_back(edge);

    // Of all choices before that show the same, only the cheapest matters.
    std::vector<std::pair<uint32_t, Signature>> sources;
    for (auto &[signature, members] : groupChoices(
             edges, best[i - 1].size(), &PlanProblem::Edge::fromClasses))
      sources.push_back({*llvm::min_element(members,
                                            [&](uint32_t a, uint32_t b) {
                                              return best[i - 1][a] <
                                                     best[i - 1][b];
                                            }),
                         signature});
    llvm::sort(sources, llvm::less_first());

    came[i].resize(best[i].size());
    for (auto &[signature, members] :
         groupChoices(edges, best[i].size(), &PlanProblem::Edge::toClasses)) {
      double least = std::numeric_limits<double>::infinity();
      uint32_t origin = 0;
      for (auto &[source, sourceSignature] : sources) {
        double cost = best[i - 1][source];
        for (unsigned e = 0; e < edges.size(); ++e)
          cost += edges[e]->table->at(sourceSignature[e], signature[e]);
        if (cost < least) {
          least = cost;
          origin = source;
        }
      }
      for (uint32_t member : members) {
        best[i][member] += least;
        came[i][member] = origin;
      }
    }
  }
  uint32_t chosen = std::min_element(best.back().begin(), best.back().end()) -
                    best.back().begin();
  for (unsigned i = path.size(); i-- > 0;) {
    labelled[path[i]] = true;
    choice[path[i]] = chosen;
    if (i > 0)
      chosen = came[i][chosen];
  }
}

void Linearizer::labelByNeighbours(unsigned var) {
  double least = std::numeric_limits<double>::infinity();
  uint32_t chosen = 0;
  for (uint32_t c = 0; c < problem.variables[var].numChoices(); ++c) {
    choice[var] = c;
    double cost = (*problem.variables[var].costs)[c];
    for (const PlanProblem::Edge *edge : edgesOf[var])
      if (labelled[edge->from == var ? edge->to : edge->from])
        cost += problem.edgeCost(*edge, choice);
    if (cost < least) {
      least = cost;
      chosen = c;
    }
  }
  choice[var] = chosen;
  labelled[var] = true;
}

/// Table entries that the lower bound may look at: a small part of a second.
static constexpr double mostBoundEntries = 4e7;
static constexpr double mostBoundRounds = 10;

llvm::Expected<Solution>
optimize::solveEinDecomp(const PlanProblem &problem,
                         const SolverOptions &options) {
  if (problem.memoryLimit > 0)
    return faultError(Fault::Usage, "",
                      "solver 'eindecomp' cannot keep a plan within ",
                      problem.memoryLimit, " bytes per device");
  Solution solution;
  solution.choice = Linearizer(problem).solve();
  solution.cost = problem.evaluate(solution.choice);
  double rounds = mostBoundEntries / (2 * tableEntries(problem) + 1);
  DualBound bound =
      computeDualBound(problem, std::min(rounds, mostBoundRounds));
  solution.lowerBound = std::min(bound.lowerBound, solution.cost);
  solution.provedOptimal = solution.lowerBound == solution.cost;
  return solution;
}

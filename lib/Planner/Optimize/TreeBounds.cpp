//===- TreeBounds.cpp - What a choice costs along spanning trees ----------===//

#include "TreeBounds.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

using namespace tapestry;
using namespace tapestry::optimize;

static constexpr double infinity = std::numeric_limits<double>::infinity();

/// The least of `entries - minus`, as several running minima that vector units
/// can keep side by side.
static double leastDifference(const double *entries, const double *minus,
                              size_t count) {
  constexpr size_t lanes = 8;
  double least[lanes];
  std::fill(least, least + lanes, infinity);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes)
    for (size_t lane = 0; lane < lanes; ++lane) {
      double value = entries[i + lane] - minus[i + lane];
      least[lane] = value < least[lane] ? value : least[lane];
    }
  for (; i < count; ++i)
    least[0] = std::min(least[0], entries[i] - minus[i]);
  return *std::min_element(least, least + lanes);
}

void optimize::leastPerClass(const CostTable &table, bool ofColumns,
                             const std::vector<double> &minus,
                             std::vector<double> &least) {
  least.assign(ofColumns ? table.columns : table.rows, infinity);
  for (uint32_t row = 0; row < table.rows; ++row) {
    const double *entry = &table.values[size_t(row) * table.columns];
    if (!ofColumns) {
      least[row] = leastDifference(entry, minus.data(), table.columns);
      continue;
    }
    double own = minus[row];
    for (uint32_t column = 0; column < table.columns; ++column) {
      double value = entry[column] - own;
      least[column] = value < least[column] ? value : least[column];
    }
  }
}

namespace {

/// One spanning forest, and what its subtrees tell each other.
class Forest {
public:
  Forest(const Excesses &excesses, llvm::ArrayRef<unsigned> edges);
  /// Raises the bound of every choice to its least along the forest.
  void raise(std::vector<std::vector<double>> &choiceBounds);

private:
  struct Node {
    /// Its edge to its parent; nothing for a root.
    std::optional<unsigned> up;
    /// The number of its tree.
    unsigned tree = 0;
    llvm::SmallVector<unsigned, 4> children;
    /// Per choice, its own costs and those of edges outside the forest.
    std::vector<double> costs;
    /// Per class, what its subtree costs its parent at least, and what all else
    /// costs it at least.
    std::vector<double> fromBelow, fromAbove;
  };
  void addOutside(unsigned edge);
  /// What the variable at one end of an edge, with these costs of its choices,
  /// means for the classes at the other.
  std::vector<double> send(unsigned edge, bool fromTo,
                           llvm::ArrayRef<double> costs) const;
  /// Adds what an edge told one of its ends.
  void add(std::vector<double> &costs, unsigned edge, unsigned at,
           llvm::ArrayRef<double> told) const;
  void visit(unsigned v, std::vector<std::vector<double>> &choiceBounds);

  const Excesses &excesses;
  const PlanProblem &problem;
  std::vector<Node> nodes;
  /// Parents before their children.
  std::vector<unsigned> order;
  /// What every tree costs at least, and their sum.
  std::vector<double> leastOfTree;
  double sum = 0;
};

} // namespace

Forest::Forest(const Excesses &excesses, llvm::ArrayRef<unsigned> edges)
    : excesses(excesses), problem(excesses.problem),
      nodes(problem.variables.size()) {
  for (unsigned v = 0; v < nodes.size(); ++v)
    nodes[v].costs = excesses.ofVariable[v];
  std::vector<llvm::SmallVector<unsigned, 4>> edgesOf(nodes.size());
  std::vector<bool> isInside(problem.edges.size(), false);
  for (unsigned e : edges) {
    edgesOf[problem.edges[e].from].push_back(e);
    edgesOf[problem.edges[e].to].push_back(e);
    isInside[e] = true;
  }
  for (unsigned e = 0; e < problem.edges.size(); ++e)
    if (!isInside[e])
      addOutside(e);
  std::vector<bool> isSeen(nodes.size(), false);
  for (unsigned root = 0; root < nodes.size(); ++root) {
    if (isSeen[root])
      continue;
    isSeen[root] = true;
    unsigned tree = leastOfTree.size();
    leastOfTree.push_back(0);
    size_t next = order.size();
    for (order.push_back(root); next < order.size(); ++next) {
      unsigned v = order[next];
      nodes[v].tree = tree;
      for (unsigned e : edgesOf[v]) {
        const PlanProblem::Edge &edge = problem.edges[e];
        unsigned other = edge.from == v ? edge.to : edge.from;
        if (isSeen[other])
          continue;
        isSeen[other] = true;
        nodes[v].children.push_back(other);
        nodes[other].up = e;
        order.push_back(other);
      }
    }
  }
}

void Forest::addOutside(unsigned number) {
  const PlanProblem::Edge &edge = problem.edges[number];
  std::vector<double> least;
  leastPerClass(*edge.table, /*ofColumns=*/false,
                excesses.messages[2 * number + 1], least);
  for (size_t c = 0; c < least.size(); ++c)
    least[c] -= excesses.messages[2 * number][c] + excesses.leastOfEdge[number];
  add(nodes[edge.from].costs, number, edge.from, least);
}

void Forest::add(std::vector<double> &costs, unsigned number, unsigned at,
                 llvm::ArrayRef<double> told) const {
  const PlanProblem::Edge &edge = problem.edges[number];
  const ClassMap &classes =
      edge.from == at ? *edge.fromClasses : *edge.toClasses;
  for (size_t c = 0; c < costs.size(); ++c)
    costs[c] += told[classes.classOf[c]];
}

std::vector<double> Forest::send(unsigned number, bool fromTo,
                                 llvm::ArrayRef<double> costs) const {
  const PlanProblem::Edge &edge = problem.edges[number];
  const ClassMap &classes = fromTo ? *edge.toClasses : *edge.fromClasses;
  std::vector<double> least(classes.numClasses, infinity);
  for (size_t c = 0; c < costs.size(); ++c)
    least[classes.classOf[c]] = std::min(least[classes.classOf[c]], costs[c]);
  std::vector<double> minus = excesses.messages[2 * number + fromTo];
  for (size_t c = 0; c < minus.size(); ++c)
    minus[c] -= least[c];
  std::vector<double> told;
  leastPerClass(*edge.table, /*ofColumns=*/!fromTo, minus, told);
  const std::vector<double> &other = excesses.messages[2 * number + !fromTo];
  for (size_t c = 0; c < told.size(); ++c)
    told[c] -= other[c] + excesses.leastOfEdge[number];
  return told;
}

/// Everything below a variable has told it; it tells each child what all others
/// did.
void Forest::visit(unsigned v, std::vector<std::vector<double>> &choiceBounds) {
  const Node &node = nodes[v];
  std::vector<double> costs = node.costs;
  if (node.up)
    add(costs, *node.up, v, node.fromAbove);
  // Sums over the children behind each one: a difference would be inexact.
  std::vector<std::vector<double>> behind(node.children.size());
  for (size_t i = node.children.size(); i-- > 1;) {
    behind[i - 1] = i + 1 < node.children.size()
                        ? behind[i]
                        : std::vector<double>(costs.size(), 0);
    const Node &child = nodes[node.children[i]];
    add(behind[i - 1], *child.up, v, child.fromBelow);
  }
  for (size_t i = 0; i < node.children.size(); ++i) {
    Node &child = nodes[node.children[i]];
    std::vector<double> others = costs;
    if (i + 1 < node.children.size())
      for (size_t c = 0; c < others.size(); ++c)
        others[c] += behind[i][c];
    child.fromAbove = send(*child.up, problem.edges[*child.up].to == v, others);
    add(costs, *child.up, v, child.fromBelow);
  }
  double others = excesses.bound + (sum - leastOfTree[node.tree]);
  for (size_t c = 0; c < costs.size(); ++c)
    choiceBounds[v][c] = std::max(choiceBounds[v][c], others + costs[c]);
}

void Forest::raise(std::vector<std::vector<double>> &choiceBounds) {
  for (unsigned v : llvm::reverse(order)) {
    Node &node = nodes[v];
    std::vector<double> costs = node.costs;
    for (unsigned child : node.children)
      add(costs, *nodes[child].up, v, nodes[child].fromBelow);
    if (node.up)
      node.fromBelow = send(*node.up, problem.edges[*node.up].to == v, costs);
    else
      sum += leastOfTree[node.tree] = *llvm::min_element(costs);
  }
  for (unsigned v : order)
    visit(v, choiceBounds);
}

static double mean(llvm::ArrayRef<double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / values.size();
}

void optimize::raiseByTrees(const Excesses &excesses, unsigned trees,
                            std::vector<std::vector<double>> &choiceBounds) {
  const PlanProblem &problem = excesses.problem;
  // What an edge costs beyond its least, on average: dear ones say most.
  std::map<const CostTable *, double> means;
  std::vector<double> weight;
  for (auto [e, edge] : llvm::enumerate(problem.edges)) {
    auto [it, isNew] = means.try_emplace(edge.table.get(), 0);
    if (isNew)
      it->second = mean(edge.table->values);
    weight.push_back(it->second - mean(excesses.messages[2 * e]) -
                     mean(excesses.messages[2 * e + 1]) -
                     excesses.leastOfEdge[e]);
  }
  std::vector<unsigned> uses(problem.edges.size(), 0), order(uses.size());
  std::iota(order.begin(), order.end(), 0);
  for (unsigned tree = 0; tree < trees; ++tree) {
    // Edges that no tree had come first.
    llvm::sort(order, [&](unsigned a, unsigned b) {
      return std::tuple(uses[a], -weight[a], a) <
             std::tuple(uses[b], -weight[b], b);
    });
    llvm::IntEqClasses joined(problem.variables.size());
    std::vector<unsigned> edges;
    for (unsigned e : order) {
      unsigned from = problem.edges[e].from, to = problem.edges[e].to;
      if (joined.findLeader(from) == joined.findLeader(to))
        continue;
      joined.join(from, to);
      edges.push_back(e);
      ++uses[e];
    }
    Forest(excesses, edges).raise(choiceBounds);
    if (edges.size() == problem.edges.size())
      return; // The only one.
  }
}

//===- ContractionGreedy.cpp - Good trees for many operands ---------------===//
//
// Randomised greedy trees first: always the pair whose product looks best by a
// score, with noise of a temperature (Gray and Kourtis, Quantum 5, 410, section
// 3.1). Then every subtree of up to 8 leaves is replaced by the best one over
// the same leaves, until nothing improves.
//
//===----------------------------------------------------------------------===//

#include "ContractionTrees.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <limits>
#include <queue>
#include <random>

using namespace tapestry;
using namespace tapestry::contraction;
using namespace tapestry::contraction;

/// Leaves of the subtrees that are made optimal.
static constexpr unsigned windowLeaves = 8;
/// Neighbours by one label that a new tensor is paired with: where hundreds of
/// tensors share a label, looking at all pairs would take too long.
static constexpr size_t maxNeighbours = 32;

namespace {

/// How one greedy run chooses.
struct Taste {
  bool byFlops = false;
  /// How much the sizes of the operands count against that of the result.
  double alpha = 1;
  /// Of the noise; 0: none.
  double temperature = 0;
};

/// Uniform in (0, 1), the same on every machine.
double uniform(std::mt19937_64 &random) {
  return (double(random() >> 11) + 0.5) * 0x1p-53;
}

class GreedySearch {
public:
  GreedySearch(const SubsetProblem &problem, const Taste &taste,
               std::mt19937_64 &random);

  SubsetTree run();

private:
  struct Pair {
    double score;
    unsigned first, second;
    /// For a heap with the least score, then the earliest pair, on top.
    bool operator<(const Pair &o) const {
      return std::tie(score, first, second) >
             std::tie(o.score, o.first, o.second);
    }
  };

  void add(const LabelSet &labels);
  void offerPairs(unsigned node);
  double score(unsigned a, unsigned b);
  LabelSet resultOf(unsigned a, unsigned b) const;
  void contract(unsigned a, unsigned b);
  void multiplyTheRest();

  const SubsetProblem &problem;
  const Taste &taste;
  std::mt19937_64 &random;
  SubsetTree tree;
  std::vector<LabelSet> nodes;
  std::vector<double> elements;
  std::vector<bool> isLeft;
  /// How many tensors that are left, and the result, have each label.
  std::vector<unsigned> uses;
  /// The tensors that have or had a label.
  std::vector<std::vector<unsigned>> holders;
  std::priority_queue<Pair> pairs;
};

} // namespace

GreedySearch::GreedySearch(const SubsetProblem &problem, const Taste &taste,
                           std::mt19937_64 &random)
    : problem(problem), taste(taste), random(random),
      uses(problem.extents.size()), holders(problem.extents.size()) {
  for (unsigned label : problem.kept.set_bits())
    ++uses[label];
  tree.cost.peak = problem.leastPeak;
  for (const LabelSet &leaf : problem.leaves)
    add(leaf);
}

void GreedySearch::add(const LabelSet &labels) {
  for (unsigned label : labels.set_bits()) {
    ++uses[label];
    llvm::erase_if(holders[label],
                   [&](unsigned node) { return !isLeft[node]; });
    holders[label].push_back(nodes.size());
  }
  nodes.push_back(labels);
  elements.push_back(elementsOf(labels, problem.extents));
  isLeft.push_back(true);
}

LabelSet GreedySearch::resultOf(unsigned a, unsigned b) const {
  LabelSet result = nodes[a];
  result |= nodes[b];
  for (unsigned label : result.set_bits())
    if (uses[label] == unsigned(nodes[a].test(label) + nodes[b].test(label)))
      result.reset(label);
  return result;
}

double GreedySearch::score(unsigned a, unsigned b) {
  LabelSet result = resultOf(a, b);
  double score;
  if (taste.byFlops) {
    LabelSet involved = nodes[a];
    involved |= nodes[b];
    score = stepFlops(involved, result, problem.extents);
  } else {
    score = elementsOf(result, problem.extents) -
            taste.alpha * (elements[a] + elements[b]);
  }
  if (taste.temperature == 0)
    return score;
  // Scores differ by orders of magnitude, so the noise is added to logarithms.
  double logarithm = std::copysign(std::log1p(std::abs(score)), score);
  double gumbel = -std::log(-std::log(uniform(random)));
  return logarithm - taste.temperature * gumbel;
}

void GreedySearch::offerPairs(unsigned node) {
  llvm::SmallVector<unsigned> neighbours;
  for (unsigned label : nodes[node].set_bits()) {
    size_t taken = 0;
    for (unsigned other : llvm::reverse(holders[label])) {
      if (other >= node || !isLeft[other])
        continue;
      neighbours.push_back(other);
      if (++taken == maxNeighbours)
        break;
    }
  }
  llvm::sort(neighbours);
  neighbours.erase(llvm::unique(neighbours), neighbours.end());
  for (unsigned other : neighbours)
    pairs.push({score(other, node), other, node});
}

void GreedySearch::contract(unsigned a, unsigned b) {
  LabelSet result = resultOf(a, b);
  LabelSet involved = nodes[a];
  involved |= nodes[b];
  tree.cost.flops += stepFlops(involved, result, problem.extents);
  tree.children.push_back({a, b});
  for (unsigned node : {a, b}) {
    isLeft[node] = false;
    for (unsigned label : nodes[node].set_bits())
      --uses[label];
  }
  add(result);
  tree.cost.peak = std::max(tree.cost.peak, elements.back());
}

/// What is left shares no labels worth a pair: the smallest two first.
void GreedySearch::multiplyTheRest() {
  using Sized = std::pair<double, unsigned>;
  std::priority_queue<Sized, std::vector<Sized>, std::greater<Sized>> queue;
  for (unsigned node = 0; node < nodes.size(); ++node)
    if (isLeft[node])
      queue.push({elements[node], node});
  while (queue.size() > 1) {
    unsigned a = queue.top().second;
    queue.pop();
    unsigned b = queue.top().second;
    queue.pop();
    contract(std::min(a, b), std::max(a, b));
    queue.push({elements.back(), unsigned(nodes.size() - 1)});
  }
}

SubsetTree GreedySearch::run() {
  for (unsigned leaf = 0; leaf < problem.leaves.size(); ++leaf)
    offerPairs(leaf);
  while (!pairs.empty()) {
    Pair pair = pairs.top();
    pairs.pop();
    if (!isLeft[pair.first] || !isLeft[pair.second])
      continue;
    contract(pair.first, pair.second);
    offerPairs(nodes.size() - 1);
  }
  multiplyTheRest();
  return std::move(tree);
}

//===----------------------------------------------------------------------===//
// Optimal subtrees
//===----------------------------------------------------------------------===//

namespace {

/// A tree whose subtrees are replaced by better ones over the same leaves.
class Reconfiguration {
public:
  Reconfiguration(const SubsetProblem &problem, const SubsetTree &tree,
                  bool peakFirst);

  /// Replaces subtrees until none can be improved, or `rounds` are over.
  void improve(unsigned rounds);
  SubsetTree take() const;

private:
  struct Node {
    LabelSet labels;
    unsigned left = 0, right = 0;
    double flops = 0;
    double elements = 0;
  };

  bool isLeaf(unsigned node) const { return node < numLeaves; }
  void setCosts(Node &node) const;
  /// The nodes of the tree, children first.
  std::vector<unsigned> inOrder() const;
  double peak() const;
  bool improveAt(unsigned root);

  const SubsetProblem &problem;
  bool peakFirst;
  unsigned numLeaves;
  std::vector<Node> nodes;
  unsigned root;
};

} // namespace

Reconfiguration::Reconfiguration(const SubsetProblem &problem,
                                 const SubsetTree &tree, bool peakFirst)
    : problem(problem), peakFirst(peakFirst), numLeaves(problem.leaves.size()) {
  std::vector<unsigned> uses(problem.extents.size());
  for (unsigned label : problem.kept.set_bits())
    ++uses[label];
  for (const LabelSet &leaf : problem.leaves) {
    Node node;
    node.labels = leaf;
    nodes.push_back(node);
    for (unsigned label : leaf.set_bits())
      ++uses[label];
  }
  for (auto [left, right] : tree.children) {
    Node node;
    node.left = left;
    node.right = right;
    node.labels = nodes[left].labels;
    node.labels |= nodes[right].labels;
    for (unsigned child : {left, right})
      for (unsigned label : nodes[child].labels.set_bits())
        --uses[label];
    for (unsigned label : node.labels.set_bits())
      if (uses[label] == 0)
        node.labels.reset(label);
      else
        ++uses[label];
    setCosts(node);
    nodes.push_back(node);
  }
  root = nodes.size() - 1;
}

void Reconfiguration::setCosts(Node &node) const {
  LabelSet involved = nodes[node.left].labels;
  involved |= nodes[node.right].labels;
  node.flops = stepFlops(involved, node.labels, problem.extents);
  node.elements = elementsOf(node.labels, problem.extents);
}

std::vector<unsigned> Reconfiguration::inOrder() const {
  // Parents before children, then turned around.
  std::vector<unsigned> order = {root};
  for (size_t next = 0; next < order.size(); ++next)
    if (!isLeaf(order[next])) {
      order.push_back(nodes[order[next]].left);
      order.push_back(nodes[order[next]].right);
    }
  std::reverse(order.begin(), order.end());
  return order;
}

double Reconfiguration::peak() const {
  double peak = problem.leastPeak;
  for (unsigned node : inOrder())
    peak = std::max(peak, nodes[node].elements);
  return peak;
}

bool Reconfiguration::improveAt(unsigned top) {
  // The dearest step below opens up first.
  llvm::SmallVector<unsigned> leaves = {nodes[top].left, nodes[top].right};
  llvm::SmallVector<unsigned> inner = {top};
  while (leaves.size() < windowLeaves) {
    auto *dearest = leaves.end();
    for (auto *leaf = leaves.begin(); leaf != leaves.end(); ++leaf)
      if (!isLeaf(*leaf) && (dearest == leaves.end() ||
                             nodes[*leaf].flops > nodes[*dearest].flops))
        dearest = leaf;
    if (dearest == leaves.end())
      break;
    unsigned opened = *dearest;
    inner.push_back(opened);
    *dearest = nodes[opened].left;
    leaves.push_back(nodes[opened].right);
  }
  if (leaves.size() < 3)
    return false;

  TreeCost before;
  for (unsigned node : inner) {
    before.flops += nodes[node].flops;
    before.peak = std::max(before.peak, nodes[node].elements);
  }
  SubsetProblem window;
  window.extents = problem.extents;
  window.kept = nodes[top].labels;
  for (unsigned leaf : leaves)
    window.leaves.push_back(nodes[leaf].labels);
  // By the peak of the whole tree, this part matters only if it sets it.
  double wholePeak = peakFirst ? peak() : 0;
  SubsetTree better;
  if (peakFirst && before.peak < wholePeak)
    better = bestTrees(window, 1, false, wholePeak).front();
  else
    better = bestTree(window, peakFirst);
  bool byPeak = peakFirst && before.peak == wholePeak;
  if (!isBetter(better.cost, before, byPeak) ||
      (!byPeak && better.cost.flops == before.flops))
    return false;

  // The inner nodes are taken for the new ones; the top keeps its number. Its
  // labels, like those of all above, do not change.
  auto nodeOf = [&](unsigned number) {
    return number < leaves.size() ? leaves[number]
                                  : inner[number - leaves.size()];
  };
  std::reverse(inner.begin(), inner.end());
  std::vector<LabelSet> labels = window.leaves;
  for (auto [index, children] : llvm::enumerate(better.children)) {
    Node &node = nodes[inner[index]];
    node.left = nodeOf(children.first);
    node.right = nodeOf(children.second);
    LabelSet needed = window.kept;
    for (unsigned other = 0; other < labels.size(); ++other)
      if (other != children.first && other != children.second)
        needed |= labels[other];
    node.labels = nodes[node.left].labels;
    node.labels |= nodes[node.right].labels;
    node.labels &= needed;
    setCosts(node);
    // What is consumed needs nothing any more.
    labels[children.first].reset();
    labels[children.second].reset();
    labels.push_back(node.labels);
  }
  return true;
}

void Reconfiguration::improve(unsigned rounds) {
  for (unsigned round = 0; round < rounds; ++round) {
    bool improved = false;
    // The nodes of the tree stay the same, only who is above whom changes.
    for (unsigned node : inOrder())
      if (!isLeaf(node))
        improved |= improveAt(node);
    if (!improved)
      return;
  }
}

SubsetTree Reconfiguration::take() const {
  SubsetTree tree;
  tree.cost.peak = problem.leastPeak;
  std::vector<unsigned> numberOf(nodes.size());
  for (unsigned node : inOrder()) {
    if (isLeaf(node)) {
      numberOf[node] = node;
      continue;
    }
    tree.children.push_back(
        {numberOf[nodes[node].left], numberOf[nodes[node].right]});
    numberOf[node] = numLeaves + tree.children.size() - 1;
    tree.cost.flops += nodes[node].flops;
    tree.cost.peak = std::max(tree.cost.peak, nodes[node].elements);
  }
  return tree;
}

//===----------------------------------------------------------------------===//
// Both together
//===----------------------------------------------------------------------===//

static std::vector<SubsetTree> sampleTrees(const SubsetProblem &problem,
                                           uint64_t seed) {
  std::mt19937_64 random(seed);
  size_t numLeaves = problem.leaves.size();
  unsigned trials = std::clamp<size_t>(40000 / numLeaves, 16, 192);
  std::vector<SubsetTree> trees;
  for (unsigned trial = 0; trial < trials; ++trial) {
    Taste taste;
    taste.byFlops = trial % 8 == 1;
    if (trial > 1) {
      taste.alpha = 0.2 + uniform(random);
      taste.temperature = 0.003 * std::pow(400.0, uniform(random));
    }
    trees.push_back(GreedySearch(problem, taste, random).run());
  }
  return trees;
}

std::vector<SubsetTree> contraction::greedyTrees(const SubsetProblem &problem,
                                                 unsigned count, bool peakFirst,
                                                 uint64_t seed) {
  auto better = [&](const SubsetTree &a, const SubsetTree &b) {
    return isBetter(a.cost, b.cost, peakFirst);
  };
  auto keepBest = [&](std::vector<SubsetTree> &trees, unsigned most) {
    // Equal trees have to lie side by side.
    llvm::sort(trees, [&](const SubsetTree &a, const SubsetTree &b) {
      if (better(a, b) || better(b, a))
        return better(a, b);
      return a.children < b.children;
    });
    auto same = [](const SubsetTree &a, const SubsetTree &b) {
      return a.children == b.children;
    };
    trees.erase(llvm::unique(trees, same), trees.end());
    if (trees.size() > most)
      trees.resize(most);
  };
  std::vector<SubsetTree> trees = sampleTrees(problem, seed);
  bool isLarge = problem.leaves.size() > 100;
  keepBest(trees, std::max(count, isLarge ? 4u : 12u));
  for (SubsetTree &tree : trees) {
    Reconfiguration reconfiguration(problem, tree, peakFirst);
    reconfiguration.improve(/*rounds=*/isLarge ? 4 : 8);
    tree = reconfiguration.take();
  }
  keepBest(trees, count);
  return trees;
}

//===- ContractionSubsets.cpp - Optimal trees by dynamic programming ------===//
//
// The best tree of every subset of the leaves from the best trees of its two
// halves: 3^n / 2 pairs of halves, each priced once. What is left of a subset
// does not depend on how it was contracted, which is why this is exact.
//
//===----------------------------------------------------------------------===//

#include "ContractionTrees.h"
#include <limits>

using namespace tapestry;
using namespace tapestry::contraction;
using namespace tapestry::contraction;

bool contraction::isBetter(const TreeCost &a, const TreeCost &b,
                           bool peakFirst) {
  if (peakFirst)
    return a.peak != b.peak ? a.peak < b.peak : a.flops < b.flops;
  return a.flops != b.flops ? a.flops < b.flops : a.peak < b.peak;
}

double contraction::elementsOf(const LabelSet &labels,
                               llvm::ArrayRef<int64_t> extents) {
  double elements = 1;
  for (unsigned label : labels.set_bits())
    elements *= extents[label];
  return elements;
}

double contraction::stepFlops(const LabelSet &involved, const LabelSet &result,
                              llvm::ArrayRef<int64_t> extents) {
  double points = elementsOf(involved, extents);
  return involved == result ? points : 2 * points;
}

namespace {

/// A tree of a subset: the half that holds the subset's first leaf, and which
/// of the trees of both halves.
struct Entry {
  TreeCost cost;
  uint32_t half = 0;
  unsigned first = 0;
  unsigned second = 0;
};

class SubsetSearch {
public:
  SubsetSearch(const SubsetProblem &problem, unsigned count, bool peakFirst,
               double peakLimit)
      : problem(problem), count(count), peakFirst(peakFirst),
        peakLimit(peakLimit), numLeaves(problem.leaves.size()) {}

  std::vector<SubsetTree> run();

private:
  void findLabels();
  void solve(uint32_t subset);
  void consider(uint32_t subset, const Entry &entry);
  unsigned emit(uint32_t subset, unsigned rank, SubsetTree &tree) const;

  const SubsetProblem &problem;
  unsigned count;
  bool peakFirst;
  double peakLimit;
  unsigned numLeaves;
  /// Per subset: the labels of its result, and the best trees, best first.
  std::vector<LabelSet> labels;
  std::vector<llvm::SmallVector<Entry, 1>> best;
};

} // namespace

void SubsetSearch::findLabels() {
  uint32_t all = (uint32_t(1) << numLeaves) - 1;
  std::vector<LabelSet> unions(all + 1, LabelSet(problem.extents.size()));
  for (uint32_t subset = 1; subset <= all; ++subset) {
    unsigned leaf = llvm::countr_zero(subset);
    unions[subset] = unions[subset & (subset - 1)];
    unions[subset] |= problem.leaves[leaf];
  }
  labels.resize(all + 1);
  for (uint32_t subset = 1; subset <= all; ++subset) {
    labels[subset] = unions[subset];
    // A leaf is what it is: only a step can sum.
    if ((subset & (subset - 1)) == 0)
      continue;
    LabelSet needed = problem.kept;
    needed |= unions[all & ~subset];
    labels[subset] &= needed;
  }
}

void SubsetSearch::consider(uint32_t subset, const Entry &entry) {
  auto &entries = best[subset];
  auto *at = entries.end();
  while (at != entries.begin() &&
         isBetter(entry.cost, std::prev(at)->cost, peakFirst))
    --at;
  if (at - entries.begin() >= count)
    return;
  entries.insert(at, entry);
  if (entries.size() > count)
    entries.pop_back();
}

void SubsetSearch::solve(uint32_t subset) {
  double elements = elementsOf(labels[subset], problem.extents);
  if (elements > peakLimit)
    return;
  uint32_t first = subset & -subset;
  // Both halves are named by the one that holds the first leaf.
  for (uint32_t half = (subset - 1) & subset; half;
       half = (half - 1) & subset) {
    if (!(half & first))
      continue;
    uint32_t rest = subset & ~half;
    if (best[half].empty() || best[rest].empty())
      continue;
    LabelSet involved = labels[half];
    involved |= labels[rest];
    double flops = stepFlops(involved, labels[subset], problem.extents);
    for (unsigned i = 0; i < best[half].size(); ++i)
      for (unsigned j = 0; j < best[rest].size(); ++j) {
        const TreeCost &a = best[half][i].cost, &b = best[rest][j].cost;
        Entry entry;
        entry.cost.flops = a.flops + b.flops + flops;
        entry.cost.peak = std::max({a.peak, b.peak, elements});
        entry.half = half;
        entry.first = i;
        entry.second = j;
        consider(subset, entry);
      }
  }
}

unsigned SubsetSearch::emit(uint32_t subset, unsigned rank,
                            SubsetTree &tree) const {
  const Entry &entry = best[subset][rank];
  if (!entry.half)
    return llvm::countr_zero(subset);
  unsigned left = emit(entry.half, entry.first, tree);
  unsigned right = emit(subset & ~entry.half, entry.second, tree);
  tree.children.push_back({left, right});
  return numLeaves + tree.children.size() - 1;
}

std::vector<SubsetTree> SubsetSearch::run() {
  findLabels();
  uint32_t all = (uint32_t(1) << numLeaves) - 1;
  best.resize(all + 1);
  for (uint32_t subset = 1; subset <= all; ++subset)
    if ((subset & (subset - 1)) == 0) {
      Entry leaf;
      leaf.cost.peak = problem.leastPeak;
      best[subset].push_back(leaf);
    } else {
      solve(subset);
    }
  std::vector<SubsetTree> trees;
  for (unsigned rank = 0; rank < best[all].size(); ++rank) {
    SubsetTree tree;
    tree.cost = best[all][rank].cost;
    emit(all, rank, tree);
    trees.push_back(std::move(tree));
  }
  return trees;
}

std::vector<SubsetTree> contraction::bestTrees(const SubsetProblem &problem,
                                               unsigned count, bool peakFirst,
                                               double peakLimit) {
  assert(problem.leaves.size() <= 14 && "3^n grows too fast for more");
  return SubsetSearch(problem, count, peakFirst, peakLimit).run();
}

SubsetTree contraction::bestTree(const SubsetProblem &problem, bool peakFirst) {
  constexpr double noLimit = std::numeric_limits<double>::infinity();
  SubsetTree tree = bestTrees(problem, 1, peakFirst, noLimit).front();
  // The tree of a subset that is best by peak may waste flops below a peak that
  // another subset forces; knowing the peak, flops alone decide.
  if (peakFirst)
    tree = bestTrees(problem, 1, false, tree.cost.peak).front();
  return tree;
}

//===- ContractionTrees.h - What the searches for an order share -*- C++
//-*-===//

#ifndef TAPESTRY_LIB_PLANNER_CONTRACTION_CONTRACTIONTREES_H
#define TAPESTRY_LIB_PLANNER_CONTRACTION_CONTRACTIONTREES_H

#include "tapestry/Planner/Contraction/ContractionOrder.h"
#include "llvm/ADT/SmallBitVector.h"

namespace tapestry::contraction {

using LabelSet = llvm::SmallBitVector;

/// Sums of flops and the largest result; which counts first is the caller's.
struct TreeCost {
  double flops = 0;
  double peak = 0;
};

/// Whether `a` is better than `b`.
bool isBetter(const TreeCost &a, const TreeCost &b, bool peakFirst);

/// Elements of a tensor with these labels.
double elementsOf(const LabelSet &labels, llvm::ArrayRef<int64_t> extents);

/// The flops of one step from all labels in it and those of its result.
double stepFlops(const LabelSet &involved, const LabelSet &result,
                 llvm::ArrayRef<int64_t> extents);

/// A binary tree over `leaves.size()` leaves: node l < leaves is a leaf, the
/// others follow in an order in which children come before parents.
struct SubsetTree {
  TreeCost cost;
  std::vector<std::pair<unsigned, unsigned>> children;
};

struct SubsetProblem {
  /// The labels of every leaf; at most 14 leaves.
  std::vector<LabelSet> leaves;
  /// Labels of the result: what the output or the world outside needs.
  LabelSet kept;
  llvm::ArrayRef<int64_t> extents;
  /// Elements of an intermediate that there is in any case.
  double leastPeak = 0;
};

/// The best `count` trees over all leaves by dynamic programming over subsets,
/// best first; without `peakFirst` by flops, then peak. No result may have more
/// than `peakLimit` elements; empty where that cannot be. With `peakFirst`, and
/// with more than one tree, only the first criterion is proved to be optimal.
std::vector<SubsetTree> bestTrees(const SubsetProblem &problem, unsigned count,
                                  bool peakFirst, double peakLimit);

/// The best tree by both criteria in turn.
SubsetTree bestTree(const SubsetProblem &problem, bool peakFirst);

/// Trees by randomised greedy search, improved by bestTree() on their subtrees;
/// up to `count` different ones, best first. `problem` may have any number of
/// leaves.
std::vector<SubsetTree> greedyTrees(const SubsetProblem &problem,
                                    unsigned count, bool peakFirst,
                                    uint64_t seed);

} // namespace tapestry::contraction

#endif // TAPESTRY_LIB_PLANNER_CONTRACTION_CONTRACTIONTREES_H

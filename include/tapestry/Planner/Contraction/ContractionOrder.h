//===- ContractionOrder.h - Binary trees for n-ary products -----*- C++ -*-===//
//
// A product of many tensors that is summed over some labels can be computed two
// operands at a time, and the order decides by orders of magnitude what it
// costs. This finds the order. Operands are lists of labels; what the product
// and the sum are does not matter as long as one distributes over the other.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_PLANNER_CONTRACTION_CONTRACTIONORDER_H
#define TAPESTRY_PLANNER_CONTRACTION_CONTRACTIONORDER_H

#include "tapestry/Planner/Model/Graph.h"
#include <functional>

namespace tapestry::contraction {

/// A set of labels as a list of their numbers.
using LabelList = llvm::SmallVector<unsigned, 4>;

/// One product of operands, summed over the labels that the output lacks. A
/// label may occur in any number of operands, and in the output besides (a
/// batch label); that an operand names a label twice changes nothing.
struct Contraction {
  std::vector<LabelList> operands;
  LabelList output;
  /// Per label.
  std::vector<int64_t> extents;

  /// There is an operand, labels have extents of at least 1, and every label of
  /// the output occurs in an operand and once in the output. Everything else
  /// here may be called only with a contraction that passes.
  llvm::Error validate() const;
  /// Operations when all operands are multiplied at every point of the index
  /// space: points * (operands - 1, at least 1, plus 1 if anything is summed).
  double naiveFlops() const;
};

/// The operands have the numbers 0 to n - 1; step s makes number n + s. Every
/// number is consumed once, but for the last.
struct ContractionStep {
  unsigned left = 0;
  /// `left` again: nothing is multiplied, labels that occur nowhere else are
  /// summed.
  unsigned right = 0;

  bool isReduction() const { return left == right; }
  bool operator==(const ContractionStep &o) const {
    return left == o.left && right == o.right;
  }
};

struct ContractionTree {
  std::vector<ContractionStep> steps;
  /// Summed over the steps: the product of the extents of all labels that occur
  /// in the step, times 2 for a product that is summed, else times 1. Doubles,
  /// exact up to 2^53.
  double flops = 0;
  /// Elements of the largest result of a step, the final one included.
  double largestIntermediate = 0;
  /// No tree has fewer flops (with OrderObjective::Peak: no smaller largest
  /// intermediate, and fewer flops at that).
  bool optimal = false;
};

enum class OrderObjective {
  Flops,   ///< then the largest intermediate
  Peak,    ///< the largest intermediate, then flops
  Planned, ///< what `price` says of the cheapest trees by flops
};

/// The objective that a word means: flops, peak or planned.
std::optional<OrderObjective> parseOrderObjective(llvm::StringRef text);

struct OrderOptions {
  OrderObjective objective = OrderObjective::Flops;
  /// For OrderObjective::Planned: the price of a tree in any unit; the least is
  /// taken, and the one with fewer flops of two equal ones.
  std::function<llvm::Expected<double>(const ContractionTree &)> price;
  /// How many trees are priced.
  unsigned candidates = 6;
  /// The most operands for which all trees are compared, at most 14.
  unsigned optimalUpTo = 12;
  /// Whether labels that one operand alone has are summed before it is
  /// multiplied. Never more flops, but a step more.
  bool reduceFirst = true;
  /// Of the random choices beyond `optimalUpTo` operands.
  uint64_t seed = 0;
};

/// The best tree: up to `optimalUpTo` operands by dynamic programming over
/// subsets, all of them, so that outer products are taken where they win.
/// Beyond that the best of many randomised greedy trees (score functions as in
/// opt_einsum's `random-greedy` and in Gray and Kourtis, "Hyper-optimized
/// tensor network contraction", Quantum 5, 410), whose subtrees of up to 8
/// leaves are then replaced by optimal ones until nothing improves. Equal calls
/// give equal trees.
llvm::Expected<ContractionTree>
orderContraction(const Contraction &contraction,
                 const OrderOptions &options = {});

/// Up to `options.candidates` different trees, fewest flops first, whatever the
/// objective.
llvm::Expected<std::vector<ContractionTree>>
cheapestTrees(const Contraction &contraction, const OrderOptions &options = {});

/// The labels of every step's result in ascending order; fails where `steps`
/// are not a tree for `contraction`, saying which step and why.
llvm::Expected<std::vector<LabelList>>
resultLabels(const Contraction &contraction,
             llvm::ArrayRef<ContractionStep> steps);

/// The tree of these steps with its costs counted from the definition.
llvm::Expected<ContractionTree>
treeOfSteps(const Contraction &contraction,
            llvm::ArrayRef<ContractionStep> steps);

} // namespace tapestry::contraction

#endif // TAPESTRY_PLANNER_CONTRACTION_CONTRACTIONORDER_H

//===- ContractionOrder.cpp - Binary trees for n-ary products -------------===//

#include "tapestry/Planner/Contraction/ContractionOrder.h"
#include "ContractionTrees.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <limits>

using namespace tapestry;
using namespace tapestry::contraction;
using namespace tapestry::contraction;

/// More operands than this are refused.
static constexpr size_t maxOperands = 4096;
/// What 3^n in time and 2^n in memory allow.
static constexpr unsigned maxOptimal = 14;

std::optional<OrderObjective>
contraction::parseOrderObjective(llvm::StringRef text) {
  return llvm::StringSwitch<std::optional<OrderObjective>>(text)
      .Case("flops", OrderObjective::Flops)
      .Case("peak", OrderObjective::Peak)
      .Case("planned", OrderObjective::Planned)
      .Default(std::nullopt);
}

static LabelSet setOf(llvm::ArrayRef<unsigned> list, size_t numLabels) {
  LabelSet set(numLabels);
  for (unsigned label : list)
    set.set(label);
  return set;
}

//===----------------------------------------------------------------------===//
// Contraction
//===----------------------------------------------------------------------===//

llvm::Error Contraction::validate() const {
  if (operands.empty() || operands.size() > maxOperands)
    return planError("a contraction has 1 to ", maxOperands, " operands, not ",
                     operands.size());
  for (auto [label, extent] : llvm::enumerate(extents))
    if (extent < 1)
      return planError("label ", label, " of a contraction has extent ", extent,
                       "; the least is 1");
  LabelSet seen(extents.size());
  for (auto [number, operand] : llvm::enumerate(operands))
    for (unsigned label : operand) {
      if (label >= extents.size())
        return planError("operand ", number, " of a contraction has label ",
                         label, ", there are ", extents.size());
      seen.set(label);
    }
  for (unsigned label : output) {
    if (label >= extents.size() || !seen.test(label))
      return planError("label ", label, " of a contraction's output occurs ",
                       "twice or in no operand");
    seen.reset(label);
  }
  return llvm::Error::success();
}

double Contraction::naiveFlops() const {
  LabelSet all(extents.size());
  for (const LabelList &operand : operands)
    all |= setOf(operand, extents.size());
  double perPoint = std::max<double>(1, operands.size() - 1.0);
  if (all.count() != output.size())
    perPoint += 1;
  return elementsOf(all, extents) * perPoint;
}

//===----------------------------------------------------------------------===//
// Trees from steps
//===----------------------------------------------------------------------===//

namespace {

/// Follows a list of steps and says what each makes.
class StepWalk {
public:
  explicit StepWalk(const Contraction &contraction)
      : contraction(contraction), uses(contraction.extents.size()),
        numLeft(contraction.operands.size()) {
    size_t numLabels = contraction.extents.size();
    for (const LabelList &operand : contraction.operands)
      add(setOf(operand, numLabels));
    // The output reads its labels too.
    for (unsigned label : contraction.output)
      ++uses[label];
  }

  llvm::Error take(const ContractionStep &step);
  llvm::Error finish() const;

  LabelSet involved, result;

private:
  void add(const LabelSet &labels) {
    for (unsigned label : labels.set_bits())
      ++uses[label];
    tensors.push_back(labels);
    isLeft.push_back(true);
  }
  void remove(unsigned number) {
    for (unsigned label : tensors[number].set_bits())
      --uses[label];
    isLeft[number] = false;
  }

  const Contraction &contraction;
  /// How many of the tensors that are left, and the output, have each label.
  std::vector<unsigned> uses;
  std::vector<LabelSet> tensors;
  std::vector<bool> isLeft;
  size_t numLeft;
};

} // namespace

llvm::Error StepWalk::take(const ContractionStep &step) {
  size_t number = tensors.size() - contraction.operands.size();
  for (unsigned operand : {step.left, step.right})
    if (operand >= tensors.size() || !isLeft[operand])
      return planError("step ", number, " of a contraction reads tensor ",
                       operand, ", which ",
                       operand >= tensors.size() ? "is not made yet"
                                                 : "is consumed already");
  involved = tensors[step.left];
  involved |= tensors[step.right];
  remove(step.left);
  if (!step.isReduction()) {
    remove(step.right);
    --numLeft;
  }
  result = involved;
  for (unsigned label : involved.set_bits())
    if (uses[label] == 0)
      result.reset(label);
  if (step.isReduction() && result == involved)
    return planError("step ", number, " of a contraction sums nothing: every ",
                     "label of tensor ", step.left, " is needed later");
  add(result);
  return llvm::Error::success();
}

llvm::Error StepWalk::finish() const {
  if (numLeft != 1)
    return planError("the steps of a contraction leave ", numLeft,
                     " tensors, expected 1");
  return llvm::Error::success();
}

llvm::Expected<std::vector<LabelList>>
contraction::resultLabels(const Contraction &contraction,
                          llvm::ArrayRef<ContractionStep> steps) {
  StepWalk walk(contraction);
  std::vector<LabelList> results;
  for (const ContractionStep &step : steps) {
    if (llvm::Error error = walk.take(step))
      return std::move(error);
    results.emplace_back(walk.result.set_bits_begin(),
                         walk.result.set_bits_end());
  }
  if (llvm::Error error = walk.finish())
    return std::move(error);
  return results;
}

llvm::Expected<ContractionTree>
contraction::treeOfSteps(const Contraction &contraction,
                         llvm::ArrayRef<ContractionStep> steps) {
  StepWalk walk(contraction);
  ContractionTree tree;
  tree.steps = steps.vec();
  for (const ContractionStep &step : steps) {
    if (llvm::Error error = walk.take(step))
      return std::move(error);
    llvm::ArrayRef<int64_t> extents = contraction.extents;
    // Summing alone is one operation per element.
    tree.flops += step.isReduction()
                      ? elementsOf(walk.involved, extents)
                      : stepFlops(walk.involved, walk.result, extents);
    tree.largestIntermediate =
        std::max(tree.largestIntermediate, elementsOf(walk.result, extents));
  }
  if (llvm::Error error = walk.finish())
    return std::move(error);
  return tree;
}

//===----------------------------------------------------------------------===//
// Searching
//===----------------------------------------------------------------------===//

namespace {

/// The operands as leaves of a tree, with what is summed of each alone.
class Leaves {
public:
  Leaves(const Contraction &contraction, bool reduceFirst);

  const SubsetProblem &getProblem() const { return problem; }
  /// The steps of a tree over the leaves, reductions of leaves included.
  std::vector<ContractionStep> stepsOf(const SubsetTree &tree) const;

private:
  SubsetProblem problem;
  std::vector<bool> isReduced;
};

} // namespace

Leaves::Leaves(const Contraction &contraction, bool reduceFirst) {
  size_t numLabels = contraction.extents.size();
  problem.extents = contraction.extents;
  problem.kept = setOf(contraction.output, numLabels);
  std::vector<unsigned> uses(numLabels);
  for (const LabelList &operand : contraction.operands) {
    problem.leaves.push_back(setOf(operand, numLabels));
    for (unsigned label : problem.leaves.back().set_bits())
      ++uses[label];
  }
  isReduced.assign(contraction.operands.size(), false);
  for (auto [number, leaf] : llvm::enumerate(problem.leaves)) {
    LabelSet reduced = leaf;
    for (unsigned label : leaf.set_bits())
      if (uses[label] == 1 && !problem.kept.test(label))
        reduced.reset(label);
    // Extents of one make no work, so summing them would only add a step.
    if (!reduceFirst || elementsOf(reduced, problem.extents) ==
                            elementsOf(leaf, problem.extents))
      continue;
    isReduced[number] = true;
    leaf = reduced;
    problem.leastPeak =
        std::max(problem.leastPeak, elementsOf(leaf, problem.extents));
  }
}

std::vector<ContractionStep> Leaves::stepsOf(const SubsetTree &tree) const {
  unsigned numLeaves = problem.leaves.size();
  std::vector<ContractionStep> steps;
  // What the nodes made so far are called. Children come before parents.
  std::vector<unsigned> numberOf(numLeaves + tree.children.size());
  auto leafNumber = [&](unsigned node) {
    if (node >= numLeaves)
      return numberOf[node];
    if (!isReduced[node])
      return node;
    steps.push_back({node, node});
    return unsigned(numLeaves + steps.size() - 1);
  };
  for (auto [index, children] : llvm::enumerate(tree.children)) {
    unsigned left = leafNumber(children.first);
    unsigned right = leafNumber(children.second);
    steps.push_back({std::min(left, right), std::max(left, right)});
    numberOf[numLeaves + index] = numLeaves + steps.size() - 1;
  }
  if (tree.children.empty())
    leafNumber(0);
  return steps;
}

static std::vector<SubsetTree> search(const SubsetProblem &problem,
                                      const OrderOptions &options,
                                      unsigned count, bool peakFirst,
                                      bool &optimal) {
  constexpr double noLimit = std::numeric_limits<double>::infinity();
  optimal = problem.leaves.size() <= std::min(options.optimalUpTo, maxOptimal);
  if (!optimal)
    return greedyTrees(problem, count, peakFirst, options.seed);
  if (count == 1)
    return {bestTree(problem, peakFirst)};
  return bestTrees(problem, count, peakFirst, noLimit);
}

static llvm::Expected<std::vector<ContractionTree>>
findTrees(const Contraction &contraction, const OrderOptions &options,
          unsigned count, bool peakFirst) {
  if (llvm::Error error = contraction.validate())
    return std::move(error);
  Leaves leaves(contraction, options.reduceFirst);
  bool optimal = false;
  std::vector<ContractionTree> trees;
  for (const SubsetTree &found :
       search(leaves.getProblem(), options, count, peakFirst, optimal)) {
    llvm::Expected<ContractionTree> tree =
        treeOfSteps(contraction, leaves.stepsOf(found));
    if (!tree)
      return tree.takeError();
    // Of several trees by dynamic programming the first is the best.
    tree->optimal = optimal && trees.empty();
    trees.push_back(std::move(*tree));
  }
  return trees;
}

llvm::Expected<std::vector<ContractionTree>>
contraction::cheapestTrees(const Contraction &contraction,
                           const OrderOptions &options) {
  return findTrees(contraction, options, std::max(1u, options.candidates),
                   /*peakFirst=*/false);
}

llvm::Expected<ContractionTree>
contraction::orderContraction(const Contraction &contraction,
                              const OrderOptions &options) {
  if (options.objective != OrderObjective::Planned) {
    auto trees = findTrees(contraction, options, 1,
                           options.objective == OrderObjective::Peak);
    if (!trees)
      return trees.takeError();
    return std::move(trees->front());
  }
  if (!options.price)
    return planError("ordering by planned cost needs somebody to say the cost");
  auto trees = cheapestTrees(contraction, options);
  if (!trees)
    return trees.takeError();
  std::optional<double> least;
  const ContractionTree *best = nullptr;
  for (const ContractionTree &tree : *trees) {
    llvm::Expected<double> price = options.price(tree);
    if (!price)
      return price.takeError();
    if (least && *price >= *least)
      continue;
    least = *price;
    best = &tree;
  }
  return *best;
}

//===- ContractionOrderTest.cpp - Against all trees and published figures -===//
//
// Figures "of opt_einsum" are facts from its documentation and its tests
// (github.com/dgasmith/opt_einsum, version 3.4.0); each names its page.
//
//===----------------------------------------------------------------------===//

#include "tapestry/Planner/Contraction/ContractionOrder.h"
#include "../TestErrors.h"
#include <functional>
#include <map>
#include <random>
#include <set>

using namespace tapestry;
using namespace tapestry::contraction;
using namespace tapestry::test;

namespace {

/// Splits "ab,bc->ac" into operands; labels are characters, two bytes long
/// where they are not ASCII, numbered as they appear.
Contraction parse(llvm::StringRef text,
                  const std::vector<std::vector<int64_t>> &shapes) {
  Contraction result;
  std::map<std::string, unsigned> numbers;
  auto labels = [&](llvm::StringRef term) {
    LabelList list;
    while (!term.empty()) {
      size_t length = static_cast<unsigned char>(term[0]) < 0x80 ? 1 : 2;
      auto [at, isNew] =
          numbers.try_emplace(term.take_front(length).str(), numbers.size());
      list.push_back(at->second);
      term = term.drop_front(length);
    }
    return list;
  };
  auto [inputs, output] = text.split("->");
  llvm::SmallVector<llvm::StringRef> terms;
  inputs.split(terms, ',');
  EXPECT_EQ(terms.size(), shapes.size());
  for (auto [term, shape] : llvm::zip(terms, shapes)) {
    result.operands.push_back(labels(term));
    result.extents.resize(numbers.size());
    EXPECT_EQ(result.operands.back().size(), shape.size());
    for (auto [label, extent] : llvm::zip(result.operands.back(), shape))
      result.extents[label] = extent;
  }
  result.output = labels(output);
  expectSuccess(result.validate());
  return result;
}

/// As opt_einsum does it: nothing is summed before the first product.
OrderOptions likeOptEinsum(OrderObjective objective = OrderObjective::Flops) {
  OrderOptions options;
  options.objective = objective;
  options.reduceFirst = false;
  return options;
}

/// The best tree, checked to be one and to cost what it says.
ContractionTree order(const Contraction &contraction,
                      const OrderOptions &options) {
  ContractionTree tree = valueOf(orderContraction(contraction, options));
  ContractionTree counted = valueOf(treeOfSteps(contraction, tree.steps));
  EXPECT_EQ(counted.flops, tree.flops);
  EXPECT_EQ(counted.largestIntermediate, tree.largestIntermediate);
  if (!tree.steps.empty()) {
    LabelList last = valueOf(resultLabels(contraction, tree.steps)).back();
    LabelList output = contraction.output;
    llvm::sort(output);
    EXPECT_EQ(last, output);
  }
  return tree;
}

//===----------------------------------------------------------------------===//
// Published examples
//===----------------------------------------------------------------------===//

// README and docs/index: the transformation of an integral; naive scaling 8,
// optimised 5, 8.000e+05 flops, largest intermediate 1.000e+04.
TEST(ContractionOrderTest, IndexTransformation) {
  for (const char *text :
       {"pi,qj,ijkl,rk,sl->pqrs", "ea,fb,abcd,gc,hd->efgh"}) {
    Contraction contraction =
        parse(text, {{10, 10}, {10, 10}, {10, 10, 10, 10}, {10, 10}, {10, 10}});
    ContractionTree tree = order(contraction, likeOptEinsum());
    EXPECT_EQ(tree.flops, 8.000e5);
    EXPECT_EQ(tree.largestIntermediate, 1.000e4);
    EXPECT_TRUE(tree.optimal);
    // Version 3 counts 4 products and a sum at each of 10^8 points.
    EXPECT_EQ(contraction.naiveFlops(), 5e8);
  }
}

// docs/paths/introduction: a term of perturbation theory; the extents are
// those that give the page's figures 2.387e+8, 8.068e+4 and 1.530e+3.
TEST(ContractionOrderTest, PerturbationTheory) {
  int64_t b = 10, d = 15, i = 17, k = 9, a = 10, c = 13, j = 16;
  Contraction contraction = parse(
      "bdik,acaj,ikab,ajac,ikbd->",
      {{b, d, i, k}, {a, c, a, j}, {i, k, a, b}, {a, j, a, c}, {i, k, b, d}});
  ContractionTree tree = order(contraction, likeOptEinsum());
  EXPECT_EQ(contraction.naiveFlops(), 238680000);
  EXPECT_EQ(tree.flops, 80680);
  EXPECT_EQ(tree.largestIntermediate, 1530);
}

// docs/paths/greedy_path, "Optimal Scaling Misses": 2.146e+10 naive, 4.165e+08
// by the greedy path, 2.744e+07 by the optimal one with largest 1.535e+05. The
// batch label f is in every operand, summed only at the end.
TEST(ContractionOrderTest, WhereGreedyMisses) {
  Contraction contraction =
      parse("xyf,xtf,ytpf,fr->tpr",
            {{35, 37, 59}, {35, 51, 59}, {37, 51, 51, 59}, {59, 27}});
  ContractionTree tree = order(contraction, likeOptEinsum());
  EXPECT_EQ(contraction.naiveFlops(), 21462775740);
  EXPECT_EQ(tree.flops, 27436062);
  EXPECT_EQ(tree.largestIntermediate, 153459);
  // The heuristic does not miss it.
  OrderOptions heuristic = likeOptEinsum();
  heuristic.optimalUpTo = 2;
  EXPECT_EQ(order(contraction, heuristic).flops, 27436062);
  EXPECT_FALSE(order(contraction, heuristic).optimal);
}

// opt_einsum/tests/test_paths.py, test_custom_dp_can_set_minimize:
// rand_equation(10, 4, seed=43) has 663054 flops and largest 18900 when flops
// are minimised, 1114440 and 2016 when size is. Its dynamic programme leaves
// outer products out and takes some tree of that size; ours is at least as good
// in both, and the largest intermediate is the same.
TEST(ContractionOrderTest, RandomEquationOfTheTests) {
  Contraction contraction =
      parse("qgcf,sotr,klb,jlretia,hpn,nseha,jgoqm,ipkb,cdfm,d->",
            {{5, 2, 9, 4},
             {4, 9, 5, 9},
             {5, 4, 2},
             {5, 4, 9, 7, 5, 3, 6},
             {5, 2, 8},
             {8, 4, 7, 5, 6},
             {5, 2, 9, 5, 8},
             {3, 2, 5, 2},
             {9, 3, 4, 8},
             {3}});
  ContractionTree byFlops = order(contraction, likeOptEinsum());
  EXPECT_EQ(byFlops.flops, 663054);
  EXPECT_EQ(byFlops.largestIntermediate, 18900);
  ContractionTree byPeak =
      order(contraction, likeOptEinsum(OrderObjective::Peak));
  EXPECT_EQ(byPeak.largestIntermediate, 2016);
  EXPECT_LE(byPeak.flops, 973518); // "combo" of the same test, of equal size
}

// test_custom_dp_can_optimize_for_outer_products: a,b,abc->c is cheapest with
// the outer product of a and b, 2*2 + 2*(2*2*3).
TEST(ContractionOrderTest, OuterProductsWhereTheyWin) {
  Contraction contraction = parse("a,b,abc->c", {{2}, {2}, {2, 2, 3}});
  ContractionTree tree = order(contraction, likeOptEinsum());
  EXPECT_EQ(tree.flops, 28);
  EXPECT_EQ(tree.steps.front(), (ContractionStep{0, 1}));
}

// What version 3.4.0 finds by 'optimal' (up to 8 operands) and 'dp' for
// opt_einsum.testing.rand_equation(n, 3, ...); `dp` leaves outer products out,
// so ours may be better.
TEST(ContractionOrderTest, RandomEquations) {
  struct Case {
    const char *text;
    std::vector<std::vector<int64_t>> shapes;
    double flops;
    bool isOptimum;
  };
  std::vector<Case> cases = {
      {"edg,gfdac,b,f,ecba->",
       {{9, 2, 5}, {5, 3, 2, 7, 6}, {5}, {3}, {9, 6, 5, 7}},
       13866,
       true},
      {"jid,ahe,fkeij,kc,hbgdc,fg->ab",
       {{9, 2, 2}, {2, 5, 8}, {5, 4, 8, 2, 9}, {4, 7}, {5, 9, 4, 2, 7}, {5, 4}},
       33760,
       true},
      {"ghf,klig,dk,ibe,ca,jchf,djle->ab",
       {{2, 7, 2},
        {4, 5, 7, 2},
        {5, 4},
        {7, 2, 2},
        {3, 4},
        {5, 3, 7, 2},
        {5, 5, 5, 2}},
       6848,
       true},
      {"icndm,mid,jkgn,lge,bc,jfa,he,lhkf->ab",
       {{4, 9, 7, 7, 9},
        {9, 4, 7},
        {3, 4, 9, 7},
        {6, 9, 3},
        {8, 9},
        {3, 2, 4},
        {2, 3},
        {6, 2, 4, 2}},
       38568,
       true},
      {"qla,sfoiu,qpmn,gkrtjl,tpd,jbcn,i,oe,s,ur,mh,hkdgef->acb",
       {{4, 9, 9},
        {9, 5, 8, 6, 6},
        {4, 4, 2, 3},
        {9, 8, 2, 8, 3, 9},
        {8, 4, 8},
        {3, 6, 3, 3},
        {6},
        {8, 5},
        {9},
        {6, 2},
        {2, 9},
        {9, 8, 8, 9, 5, 5}},
       1249484,
       false},
  };
  for (const Case &example : cases) {
    Contraction contraction = parse(example.text, example.shapes);
    ContractionTree tree = order(contraction, likeOptEinsum());
    EXPECT_TRUE(tree.optimal);
    if (example.isOptimum)
      EXPECT_EQ(tree.flops, example.flops) << example.text;
    else
      EXPECT_LE(tree.flops, example.flops) << example.text;
  }
}

/// docs/examples/large_expr_with_greedy: the inner product of two matrix
/// product states of `sites` sites, extents 3 and 10.
Contraction matrixProductStates(unsigned sites) {
  Contraction result;
  auto label = [&](int64_t extent) {
    result.extents.push_back(extent);
    return unsigned(result.extents.size() - 1);
  };
  LabelList bonds;
  for (unsigned site = 0; site < sites; ++site) {
    unsigned physical = label(3);
    LabelList next;
    for (unsigned side = 0; side < 2; ++side) {
      LabelList operand = {physical};
      if (site > 0)
        operand.push_back(bonds[side]);
      if (site + 1 < sites) {
        next.push_back(label(10));
        operand.push_back(next.back());
      }
      result.operands.push_back(operand);
    }
    bonds = next;
  }
  return result;
}

// The page's path for 100 sites, 200 operands, takes 1.168e+06 flops with
// largest intermediate 3.000e+02; every site costs two steps of 10*10*10*3
// products and sums, the ends less.
TEST(ContractionOrderTest, MatrixProductStates) {
  Contraction contraction = matrixProductStates(100);
  ContractionTree tree = order(contraction, likeOptEinsum());
  EXPECT_LE(tree.flops, 1.168e6);
  EXPECT_LE(tree.largestIntermediate, 300);
  EXPECT_FALSE(tree.optimal);
}

// The best of 128 random greedy paths ('random-greedy-128' of version 3.4.0)
// for opt_einsum.testing.rand_equation(20, 4, n_out=2, d_max=3, seed=1):
// 246612 flops, largest 3456.
TEST(ContractionOrderTest, TwentyOperands) {
  Contraction contraction = parse(
      "IgtnNl,sHzd,LEskm,G,uype,BhGf,DiF,gxwkmvAzF,q,EPOD,droKJ,OAJf,eiCP,"
      "Hpcwha,ry,ljb,uCxo,KLBIq,jtNMn,Mvc->ba",
      {{3, 3, 2, 3, 2, 3},
       {2, 3, 2, 2},
       {2, 2, 2, 2, 2},
       {3},
       {2, 3, 2, 3},
       {2, 3, 3, 3},
       {2, 3, 2},
       {3, 2, 2, 2, 2, 3, 2, 2, 2},
       {2},
       {2, 3, 3, 2},
       {2, 3, 3, 3, 3},
       {3, 2, 3, 3},
       {3, 3, 3, 3},
       {3, 2, 2, 2, 3, 3},
       {3, 3},
       {3, 2, 3},
       {2, 3, 2, 3},
       {3, 2, 2, 3, 2},
       {2, 2, 2, 2, 3},
       {2, 3, 2}});
  EXPECT_LE(order(contraction, likeOptEinsum()).flops, 246612);
  EXPECT_LE(order(contraction, likeOptEinsum(OrderObjective::Peak))
                .largestIntermediate,
            3456);
}

// The same for rand_equation(40, 3, n_out=3, d_max=3, seed=2), labels renamed:
// 1250814 flops, largest 20736.
TEST(ContractionOrderTest, FortyOperands) {
  llvm::StringRef text =
      "ab,cd,def,gh,ij,khlmno,pqr,ks,mt,uv,wx,y,ezA,B,CDE,DFGCH,ajI,JG,gJxKL,"
      "pMNfB,OP,QRSMTUL,VWI,tXY,cN,ZQ,0S12s,34l,5oV6z,4E72,F,1,u67,vy8,3T,R,"
      "A0rX9K,U59,Z8Yqb!,i!nHO->PwW";
  llvm::StringRef ofExtent3 = "abcdhlmnqrtwxyDEFGILMOPUXYZ1478";
  std::vector<std::vector<int64_t>> shapes(1);
  for (char c : text.split("->").first)
    if (c == ',')
      shapes.emplace_back();
    else
      shapes.back().push_back(ofExtent3.contains(c) ? 3 : 2);
  Contraction contraction = parse(text, shapes);
  EXPECT_LE(order(contraction, likeOptEinsum()).flops, 1250814);
  EXPECT_LE(order(contraction, likeOptEinsum(OrderObjective::Peak))
                .largestIntermediate,
            20736);
}

//===----------------------------------------------------------------------===//
// Against all trees
//===----------------------------------------------------------------------===//

using Set = std::set<unsigned>;

struct Optimum {
  double flops = std::numeric_limits<double>::infinity();
  double peak = std::numeric_limits<double>::infinity();
  /// The fewest flops among the trees of the least peak.
  double flopsAtPeak = std::numeric_limits<double>::infinity();
};

/// Tries every pair at every step, and every sum over one operand.
void tryAll(const Contraction &contraction, std::vector<Set> tensors,
            double flops, double peak, Optimum &best) {
  if (tensors.size() == 1) {
    best.flops = std::min(best.flops, flops);
    if (peak < best.peak || (peak == best.peak && flops < best.flopsAtPeak)) {
      best.peak = peak;
      best.flopsAtPeak = flops;
    }
    return;
  }
  auto size = [&](const Set &labels) {
    double elements = 1;
    for (unsigned label : labels)
      elements *= contraction.extents[label];
    return elements;
  };
  for (size_t a = 0; a < tensors.size(); ++a)
    for (size_t b = a + 1; b < tensors.size(); ++b) {
      Set involved = tensors[a];
      involved.insert(tensors[b].begin(), tensors[b].end());
      std::vector<Set> rest;
      for (size_t other = 0; other < tensors.size(); ++other)
        if (other != a && other != b)
          rest.push_back(tensors[other]);
      Set result;
      for (unsigned label : involved)
        if (llvm::is_contained(contraction.output, label) ||
            llvm::any_of(rest, [&](const Set &s) { return s.count(label); }))
          result.insert(label);
      double cost = size(involved) * (result == involved ? 1 : 2);
      rest.push_back(result);
      tryAll(contraction, rest, flops + cost, std::max(peak, size(result)),
             best);
    }
}

/// A random product: every label in one to four operands, half of the time in
/// the output.
Contraction randomContraction(std::mt19937 &random, unsigned operands,
                              unsigned labels) {
  Contraction result;
  result.operands.resize(operands);
  for (unsigned label = 0; label < labels; ++label) {
    result.extents.push_back(1 + random() % 6);
    unsigned copies = 1 + random() % 4;
    for (unsigned copy = 0; copy < copies; ++copy) {
      LabelList &operand = result.operands[random() % operands];
      if (!llvm::is_contained(operand, label))
        operand.push_back(label);
    }
    if (random() % 2)
      result.output.push_back(label);
  }
  return result;
}

TEST(ContractionOrderTest, EqualsTheBestOfAllTrees) {
  std::mt19937 random(5);
  for (unsigned round = 0; round < 120; ++round) {
    unsigned operands = 2 + round % 5;
    Contraction contraction =
        randomContraction(random, operands, 3 + random() % 6);
    std::vector<Set> tensors;
    for (const LabelList &operand : contraction.operands)
      tensors.emplace_back(operand.begin(), operand.end());
    Optimum best;
    tryAll(contraction, tensors, 0, 0, best);
    ContractionTree byFlops = order(contraction, likeOptEinsum());
    EXPECT_EQ(byFlops.flops, best.flops) << "round " << round;
    ContractionTree byPeak =
        order(contraction, likeOptEinsum(OrderObjective::Peak));
    EXPECT_EQ(byPeak.largestIntermediate, best.peak) << "round " << round;
    EXPECT_EQ(byPeak.flops, best.flopsAtPeak) << "round " << round;
    // Summing an operand's own labels first never costs more.
    EXPECT_LE(order(contraction, {}).flops, best.flops) << "round " << round;
  }
}

TEST(ContractionOrderTest, HeuristicIsCloseToTheOptimum) {
  std::mt19937 random(9);
  unsigned optimal = 0;
  constexpr unsigned rounds = 20;
  for (unsigned round = 0; round < rounds; ++round) {
    Contraction contraction =
        randomContraction(random, 9 + round % 4, 14 + random() % 6);
    OrderOptions heuristic = likeOptEinsum();
    heuristic.optimalUpTo = 1;
    double found = order(contraction, heuristic).flops;
    double best = order(contraction, likeOptEinsum()).flops;
    EXPECT_GE(found, best);
    EXPECT_LE(found, 1.05 * best) << "round " << round;
    optimal += found == best;
    heuristic.objective = OrderObjective::Peak;
    double peak = order(contraction, heuristic).largestIntermediate;
    EXPECT_EQ(peak, order(contraction, likeOptEinsum(OrderObjective::Peak))
                        .largestIntermediate)
        << "round " << round;
  }
  EXPECT_GE(optimal, rounds - 3);
}

//===----------------------------------------------------------------------===//
// The rest of the interface
//===----------------------------------------------------------------------===//

TEST(ContractionOrderTest, SumsAnOperandsOwnLabelsFirst) {
  // sum[j, k] A[i, j] * B[i, k]: two sums of 6 * 5 and 6 * 7, 6 products.
  Contraction contraction = parse("ij,ik->i", {{6, 5}, {6, 7}});
  ContractionTree tree = order(contraction, {});
  EXPECT_EQ(tree.flops, 30 + 42 + 6);
  std::vector<ContractionStep> expected = {{0, 0}, {1, 1}, {2, 3}};
  EXPECT_EQ(tree.steps, expected);
  EXPECT_EQ(order(contraction, likeOptEinsum()).flops, 2 * 6 * 5 * 7);
}

TEST(ContractionOrderTest, TakesTheTreeOfTheLeastPrice) {
  Contraction contraction =
      parse("ab,bc,cd->ad", {{10, 20}, {20, 30}, {30, 40}});
  std::vector<ContractionTree> trees = valueOf(cheapestTrees(contraction));
  ASSERT_EQ(trees.size(), 3u);
  EXPECT_LT(trees[0].flops, trees[1].flops);
  EXPECT_LT(trees[1].flops, trees[2].flops);
  EXPECT_TRUE(trees[0].optimal);
  EXPECT_FALSE(trees[2].optimal);
  OrderOptions options;
  options.objective = OrderObjective::Planned;
  options.price = [&](const ContractionTree &tree) -> llvm::Expected<double> {
    return tree.steps.front() == trees[1].steps.front() ? 1 : 2;
  };
  EXPECT_EQ(order(contraction, options).flops, trees[1].flops);
  options.price = [](const ContractionTree &) -> llvm::Expected<double> {
    return planError("no price");
  };
  expectError(orderContraction(contraction, options), {"no price"});
  options.price = nullptr;
  expectError(orderContraction(contraction, options), {"somebody to say"});
}

TEST(ContractionOrderTest, SameCallSameTree) {
  Contraction contraction = matrixProductStates(12);
  ContractionTree first = order(contraction, {}),
                  again = order(contraction, {});
  EXPECT_EQ(first.steps, again.steps);
}

TEST(ContractionOrderTest, RefusesWhatIsNoTree) {
  Contraction contraction = parse("ab,bc,cd->ad", {{2, 3}, {3, 4}, {4, 5}});
  auto expectRefused = [&](std::vector<ContractionStep> steps,
                           const char *reason) {
    expectError(treeOfSteps(contraction, steps), {reason});
    expectError(resultLabels(contraction, steps), {reason});
  };
  expectRefused({{0, 1}}, "leave 2 tensors, expected 1");
  expectRefused({{0, 4}}, "step 0 of a contraction reads tensor 4, which is "
                          "not made yet");
  expectRefused({{0, 1}, {0, 2}}, "step 1 of a contraction reads tensor 0, "
                                  "which is consumed already");
  expectRefused({{0, 0}}, "sums nothing");
}

TEST(ContractionOrderTest, RefusesWhatIsNoContraction) {
  Contraction contraction;
  expectError(orderContraction(contraction), {"1 to 4096 operands, not 0"});
  contraction.operands = {{0, 2}};
  contraction.extents = {3, 4};
  expectError(orderContraction(contraction), {"label 2, there are 2"});
  contraction.operands = {{0}};
  contraction.output = {1};
  expectError(orderContraction(contraction), {"label 1", "in no operand"});
  contraction.output = {0, 0};
  expectError(orderContraction(contraction), {"label 0", "twice"});
  contraction.output = {};
  contraction.extents = {0, 4};
  expectError(orderContraction(contraction), {"extent 0; the least is 1"});
}

TEST(ContractionOrderTest, ManyOperandsOfOneLabelEndSoon) {
  // A hub: every operand has the batch label, and the output too.
  Contraction contraction;
  contraction.extents.assign(301, 2);
  for (unsigned operand = 0; operand < 300; ++operand)
    contraction.operands.push_back({0, operand + 1});
  contraction.output = {0};
  ContractionTree tree = order(contraction, {});
  // 300 sums of 2 * 2 and 299 products of 2.
  EXPECT_EQ(tree.flops, 300 * 4 + 299 * 2);
}

} // namespace

//===- RewriteRulesTest.cpp - Rules keep the value of graphs --------------===//
//
// Every expansion of random linear layers is held against X W + b computed
// here; every global rule against the value of the graph before it. Rules of
// the test go wrong in the ways that rules of plug-ins may.
//
//===----------------------------------------------------------------------===//

#include "tapestry/Dialect/Tapestry/Transforms/RewriteRules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Verifier.h"
#include "tapestry/Dialect/Tapestry/Macros/Linear.h"
#include "tapestry/Dialect/Tapestry/Macros/Macros.h"
#include "tapestry/Dialect/Tapestry/Transforms/GraphRewrites.h"
#include "tapestry/Interfaces/ElementType.h"
#include "tapestry/Reference/Reference.h"
#include "gtest/gtest.h"
#include <complex>
#include <random>

using namespace mlir;
using namespace tapestry;
using namespace tapestry::model;
using namespace tapestry::teg;

namespace {

using Tensors = llvm::StringMap<HostTensor>;
using Names = std::vector<std::string>;

class RewriteRulesTest : public ::testing::Test {
protected:
  RewriteRulesTest() : builder(&context), loc(builder.getUnknownLoc()) {
    context.loadDialect<TapestryDialect>();
    start();
  }

  /// Begins an empty graph.
  void start() {
    inputs.clear();
    builder.clearInsertionPoint();
    graph = GraphOp::create(builder, loc, "test");
    builder.setInsertionPointToStart(&graph->getBody().front());
  }
  unsigned below(unsigned end) { return generator() % end; }

  /// A source of small whole numbers: their sums are exact in every type.
  Value source(StringRef name, llvm::ArrayRef<int64_t> shape, Type element) {
    HostTensor tensor =
        llvm::cantFail(HostTensor::create(*dtypeOf(element), shape));
    for (int64_t n = 0; n < tensor.numElements(); ++n)
      set(tensor, n, int(below(9)) - 4);
    inputs[name] = std::move(tensor);
    return SourceOp::create(builder, loc, name,
                            RankedTensorType::get(shape, element));
  }
  static void set(HostTensor &tensor, int64_t n, int value) {
    switch (tensor.dtype) {
    case DType::F64:
      tensor.data<double>()[n] = value;
      break;
    case DType::F32:
      tensor.data<float>()[n] = value;
      break;
    case DType::F16:
      tensor.data<uint16_t>()[n] = encodeF16(value);
      break;
    case DType::BF16:
      tensor.data<uint16_t>()[n] = encodeBF16(value);
      break;
    case DType::I32:
      tensor.data<int32_t>()[n] = value;
      break;
    case DType::C64:
      tensor.data<std::complex<float>>()[n] = {float(value), 0};
      break;
    default:
      abort();
    }
  }
  Type element(unsigned number) {
    Type types[] = {
        builder.getF64Type(), builder.getF32Type(),
        builder.getF16Type(), builder.getBF16Type(),
        builder.getI32Type(), ComplexType::get(builder.getF32Type())};
    return types[number % 6];
  }
  void sink(StringRef name, Value value) {
    SinkOp::create(builder, loc, name, value);
  }

  Tensors evaluate(GraphOp op) {
    EXPECT_TRUE(succeeded(verify(op)));
    auto result = evaluateGraph(op, inputs, /*threads=*/1);
    if (!result) {
      ADD_FAILURE() << llvm::toString(result.takeError());
      return {};
    }
    return std::move(*result);
  }
  static void expectEqual(const Tensors &wanted, const Tensors &found) {
    ASSERT_EQ(wanted.size(), found.size());
    for (const auto &entry : wanted) {
      auto other = found.find(entry.first());
      ASSERT_TRUE(other != found.end());
      ASSERT_EQ(entry.second.describe(), other->second.describe());
      EXPECT_EQ(entry.second.bytes, other->second.bytes) << entry.first().str();
    }
  }
  OwningOpRef<GraphOp> copy() { return cast<GraphOp>(graph->clone()); }

  static std::string print(GraphOp op) {
    std::string text;
    llvm::raw_string_ostream(text) << op;
    return text;
  }
  /// What is done, as "kind:vertex:rule", or the error.
  static Names textOf(llvm::Expected<std::vector<Rewrite>> done) {
    if (!done)
      return {llvm::toString(done.takeError())};
    Names names;
    for (const Rewrite &each : *done)
      names.push_back(each.kind + ":" + each.vertex + ":" + each.arguments[0]);
    return names;
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  OpBuilder builder;
  Location loc;
  OwningOpRef<GraphOp> graph;
  Tensors inputs;
  std::mt19937 generator{11};
};

//===----------------------------------------------------------------------===//
// Expansions
//===----------------------------------------------------------------------===//

TEST_F(RewriteRulesTest, EveryExpansionOfALinearIsXWPlusB) {
  for (unsigned round = 0; round < 60; ++round) {
    start();
    Type type = element(round);
    llvm::SmallVector<int64_t> shape;
    for (unsigned rank = below(3); rank > 0; --rank)
      shape.push_back(1 + below(5));
    int64_t in = below(8), out = 1 + below(5), rows = 1;
    for (int64_t extent : shape)
      rows *= extent;
    shape.push_back(in);
    Value x = source("X", shape, type), w = source("W", {in, out}, type),
          b = source("b", {out}, type);
    shape.back() = out;
    sink("Y", buildLinear(builder, loc, "Y", x, w, b).getOutputs().front());
    HostTensor wanted =
        llvm::cantFail(HostTensor::create(*dtypeOf(type), shape));
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t o = 0; o < out; ++o) {
        double sum = inputs["b"].asDouble(o);
        for (int64_t i = 0; i < in; ++i)
          sum += inputs["X"].asDouble(row * in + i) *
                 inputs["W"].asDouble(i * out + o);
        set(wanted, row * out + o, int(sum));
      }
    std::pair<Names, Names> ways[] = {
        {{}, {"expand:Y:linear-block"}},
        {{"linear-sum"},
         {"expand:Y:linear-sum", "expand:Y.matmul:matmul-einsum"}},
        {{"matmul-prod", "linear-sum"},
         {"expand:Y:linear-sum", "expand:Y.matmul:matmul-prod"}}};
    for (auto &[preferred, rewrites] : ways) {
      OwningOpRef<GraphOp> expanded = copy();
      EXPECT_EQ(textOf(expandOperators(*expanded, preferred)), rewrites);
      EXPECT_EQ(recordedRewrites(*expanded).size(), rewrites.size());
      Tensors found = evaluate(*expanded);
      ASSERT_EQ(found["Y"].describe(), wanted.describe());
      EXPECT_EQ(found["Y"].bytes, wanted.bytes) << print(*expanded);
      // The same, step by step.
      OwningOpRef<GraphOp> again = copy();
      EXPECT_EQ(
          llvm::toString(applyRewrites(*again, recordedRewrites(*expanded))),
          "");
      EXPECT_EQ(print(*again), print(*expanded));
    }
  }
}

TEST_F(RewriteRulesTest, AllExpansionsAreOffered) {
  Type type = builder.getF32Type();
  Value x = source("X", {4, 6}, type), w = source("W", {6, 5}, type);
  sink("Y", buildLinear(builder, loc, "Y", x, w, source("b", {5}, type))
                .getOutputs()
                .front());
  EXPECT_EQ(textOf(applicableRewrites(*graph)),
            (Names{"expand:Y:linear-block", "expand:Y:linear-sum"}));
  auto space = llvm::cantFail(createRewriteSpace(*graph));
  EXPECT_EQ(textOf(space->history(0)), Names{"expand:Y:linear-block"});
  Rewrite other{"expand", "Y", {"linear-sum"}};
  EXPECT_TRUE(llvm::is_contained(space->applicable(0), other));
  unsigned sums = llvm::cantFail(space->apply(0, other));
  EXPECT_EQ(textOf(space->history(sums)),
            (Names{"expand:Y:linear-sum", "expand:Y.matmul:matmul-einsum"}));
  Rewrite prod{"expand", "Y.matmul", {"matmul-prod"}};
  EXPECT_TRUE(llvm::is_contained(space->applicable(sums), prod));
  unsigned prods = llvm::cantFail(space->apply(sums, prod));
  EXPECT_EQ(textOf(space->history(prods)),
            (Names{"expand:Y:linear-sum", "expand:Y.matmul:matmul-prod"}));
  EXPECT_EQ(space->graph(prods).vertices.size(), 6u);
  // The global rule leads back to the block, and so does the other expansion.
  Rewrite fold{"rule", "Y", {"linear-fold"}};
  EXPECT_TRUE(llvm::is_contained(space->applicable(prods), fold));
  EXPECT_EQ(llvm::cantFail(space->apply(prods, fold)), 0u);
  EXPECT_EQ(
      llvm::cantFail(space->apply(prods, {"expand", "Y", {"linear-block"}})),
      0u);
  EXPECT_EQ(llvm::toString(
                space->apply(0, {"expand", "X", {"linear-sum"}}).takeError()),
            "no other expansion of an operator 'X' is that");
  // Of the program, not of the first graph.
  EXPECT_EQ(llvm::cantFail(space->make(space->history(prods))), prods);
  EXPECT_EQ(llvm::toString(space->make(prod).takeError()),
            "rewrite 'expand' of 'Y.matmul': the graph has no operator "
            "'Y.matmul'");
}

TEST_F(RewriteRulesTest, WhatIsAskedOfInGoesWithIt) {
  Type type = builder.getF32Type();
  Value x = source("X", {4, 6}, type), w = source("W", {6, 5}, type);
  ShardingConstraint pin;
  pin.cuts.push_back({"in", 3, {}});
  auto params = builder.getDictionaryAttr(builder.getNamedAttr(
      "constraints",
      builder.getArrayAttr(ConstraintAttr::get(&context, pin, false))));
  sink("Y", buildLinear(builder, loc, "Y", x, w, source("b", {5}, type), params)
                .getOutputs()
                .front());
  EXPECT_EQ(textOf(expandOperators(*graph)),
            (Names{"expand:Y:linear-sum", "expand:Y.matmul:matmul-einsum"}));
  EXPECT_NE(print(*graph).find("<pin cut {in = 3 : i64}>"), std::string::npos);
}

//===----------------------------------------------------------------------===//
// Global rules
//===----------------------------------------------------------------------===//

/// Prod, SumDim and Sum with labels, dimensions and operands in any order.
TEST_F(RewriteRulesTest, FoldedGraphsHaveTheSameValue) {
  unsigned folded = 0;
  for (unsigned round = 0; round < 60; ++round) {
    start();
    Type type = element(round);
    Type wide = sumTypeOf(type);
    int64_t extents[] = {1 + below(5), 1 + below(5), 1 + below(5)};
    unsigned order[] = {0, 1, 2};
    std::shuffle(std::begin(order), std::end(order), generator);
    const char *names[] = {"n", "k", "m"};
    auto mapOf = [&](llvm::ArrayRef<unsigned> dims) {
      return AffineMap::getMultiDimMapWithTargets(3, dims, &context);
    };
    // Dimension d of the product is label order[d].
    llvm::SmallVector<ScalarLabel> labels;
    llvm::SmallVector<unsigned> dimOf(3);
    for (unsigned dim = 0; dim < 3; ++dim) {
      labels.push_back({names[order[dim]], extents[order[dim]]});
      dimOf[order[dim]] = dim;
    }
    Value x = source("X", {extents[0], extents[1]}, type),
          w = source("W", {extents[2], extents[1]}, type),
          b = source("b", {extents[2]}, type);
    llvm::SmallVector<ScalarRead> reads = {{x, mapOf({dimOf[0], dimOf[1]})},
                                           {w, mapOf({dimOf[2], dimOf[1]})}};
    if (below(2))
      std::swap(reads[0], reads[1]);
    auto combine = [&](auto floats, auto integers, auto complexes) {
      return [=](ScalarBuilder &s, ValueRange values) {
        Value p = s.widen(values[0]), q = s.widen(values[1]);
        return isa<FloatType>(p.getType())     ? floats(s, p, q)
               : isa<ComplexType>(p.getType()) ? complexes(s, p, q)
                                               : integers(s, p, q);
      };
    };
    using S = ScalarBuilder &;
    auto times = combine(
        [](S s, Value p, Value q) { return s.create<arith::MulFOp>(p, q); },
        [](S s, Value p, Value q) { return s.create<arith::MulIOp>(p, q); },
        [](S s, Value p, Value q) { return s.create<complex::MulOp>(p, q); });
    auto plus = combine(
        [](S s, Value p, Value q) { return s.create<arith::AddFOp>(p, q); },
        [](S s, Value p, Value q) { return s.create<arith::AddIOp>(p, q); },
        [](S s, Value p, Value q) { return s.create<complex::AddOp>(p, q); });
    Value prod = buildEinsum(builder, loc, "P", labels, 3, Monoid::None, wide,
                             {reads, times})
                     .getResult();
    // Sums over k: n and m first.
    ScalarLabel sumLabels[] = {
        {"n", extents[0]}, {"m", extents[2]}, {"k", extents[1]}};
    unsigned place[] = {0, 2, 1};
    llvm::SmallVector<unsigned> dims;
    for (unsigned dim = 0; dim < 3; ++dim)
      dims.push_back(place[order[dim]]);
    Value sums = buildEinsum(builder, loc, "S", sumLabels, 2, Monoid::Add, wide,
                             {{{prod, mapOf(dims)}}})
                     .getResult();
    ScalarLabel outLabels[] = {{"n", extents[0]}, {"m", extents[2]}};
    auto outMap = [&](llvm::ArrayRef<unsigned> dims) {
      return AffineMap::getMultiDimMapWithTargets(2, dims, &context);
    };
    llvm::SmallVector<ScalarRead> terms = {{sums, outMap({0, 1})},
                                           {b, outMap({1})}};
    if (below(2))
      std::swap(terms[0], terms[1]);
    Value y = buildEinsum(builder, loc, "Y", outLabels, 2, Monoid::None, type,
                          {terms, plus})
                  .getResult();
    sink("Y", y);
    // What is between may be read elsewhere, and then it stays.
    unsigned escapes = below(4);
    if (escapes == 0)
      sink("S", sums);
    if (escapes == 1)
      sink("P", prod);
    Tensors wanted = evaluate(*graph);
    Names done = textOf(applyRules(*graph, {"linear-fold"}, 100));
    EXPECT_EQ(done, escapes > 1 ? Names{"rule:Y:linear-fold"} : Names());
    folded += done.size();
    expectEqual(wanted, evaluate(*graph));
  }
  EXPECT_GT(folded, 20u);
}

TEST_F(RewriteRulesTest, FusedChainsHaveTheSameValue) {
  for (unsigned round = 0; round < 30; ++round) {
    start();
    Type type = builder.getI32Type();
    int64_t rows = 1 + below(5), columns = 1 + below(5);
    ScalarLabel labels[] = {{"i", rows}, {"j", columns}};
    llvm::SmallVector<Value> made = {source("A", {rows, columns}, type),
                                     source("B", {rows, columns}, type)};
    for (unsigned vertex = 0; vertex < 6; ++vertex) {
      auto read = [&](Value value) {
        return ScalarRead{value, builder.getMultiDimIdentityMap(2)};
      };
      auto minus = [](ScalarBuilder &s, ValueRange values) -> Value {
        return s.create<arith::SubIOp>(values.front(), values.back());
      };
      made.push_back(buildEinsum(builder, loc, "V" + std::to_string(vertex),
                                 labels, 2, Monoid::None, type,
                                 {{read(made[below(made.size())]),
                                   read(made[below(made.size())])},
                                  minus})
                         .getResult());
    }
    ScalarLabel last[] = {{"i", rows}, {"j", columns}};
    Value sum =
        buildEinsum(builder, loc, "Z", last, 1, Monoid::Add, type,
                    {{{made.back(), builder.getMultiDimIdentityMap(2)}}})
            .getResult();
    sink("Z", sum);
    Tensors wanted = evaluate(*graph);
    auto done = applyRules(*graph, {"fuse-elementwise"}, 100);
    ASSERT_TRUE(bool(done));
    EXPECT_FALSE(done->empty());
    expectEqual(wanted, evaluate(*graph));
  }
}

//===----------------------------------------------------------------------===//
// The registry, and rules that go wrong
//===----------------------------------------------------------------------===//

struct OperatorPattern : public OpRewritePattern<OperatorOp> {
  using Rewrite = std::function<LogicalResult(OperatorOp, PatternRewriter &)>;
  OperatorPattern(MLIRContext *context, Rewrite rewrite)
      : OpRewritePattern(context), rewrite(std::move(rewrite)) {}
  LogicalResult matchAndRewrite(OperatorOp op,
                                PatternRewriter &rewriter) const override {
    return rewrite(op, rewriter);
  }
  Rewrite rewrite;
};

RewriteRule localRule(StringRef name, StringRef kind, unsigned precedence,
                      OperatorPattern::Rewrite rewrite) {
  return {name.str(),
          RuleKind::Local,
          kind.str(),
          precedence,
          "",
          [rewrite](RewritePatternSet &set) {
            set.add<OperatorPattern>(set.getContext(), rewrite);
          }};
}

/// Becomes another operator on the same operands.
OperatorPattern::Rewrite become(std::string kind) {
  return [kind](OperatorOp op, PatternRewriter &rewriter) {
    rewriter.replaceOpWithNewOp<OperatorOp>(
        op, op.getName(), kind, op.getInputs(), op.getResultTypes());
    return success();
  };
}

TEST_F(RewriteRulesTest, TheRegistryRefusesWhatItCannotUse) {
  auto patterns = [](RewritePatternSet &) {};
  auto refusal = [](RewriteRule rule) {
    return llvm::toString(registerRewriteRule(std::move(rule)));
  };
  EXPECT_EQ(refusal({"", RuleKind::Local, "a", 0, "", patterns}),
            "a rule needs a name and patterns");
  EXPECT_EQ(refusal({"a", RuleKind::Local, "a", 0, "", nullptr}),
            "a rule needs a name and patterns");
  EXPECT_EQ(refusal({"a", RuleKind::Local, "", 0, "", patterns}),
            "the local rule 'a' needs the kind of operators that it expands");
  EXPECT_EQ(refusal({"linear-sum", RuleKind::Local, "linear", 0, "", patterns}),
            "there are two rules named 'linear-sum'");
  Names names;
  for (const RewriteRule *rule : expansionsOf("linear"))
    names.push_back(rule->name);
  EXPECT_EQ(names, (Names{"linear-block", "linear-sum"}));
}

TEST_F(RewriteRulesTest, PrecedenceComesBeforeRegistration) {
  auto no = [](OperatorOp op, PatternRewriter &rewriter) {
    return rewriter.notifyMatchFailure(op, "it is not today");
  };
  for (auto [name, precedence] :
       {std::pair("late", 9), {"early", 1}, {"middle", 5}, {"middle-too", 5}})
    llvm::cantFail(
        registerRewriteRule(localRule(name, "cases", precedence, no)));
  Value x = source("X", {2}, builder.getF32Type());
  sink("Y", OperatorOp::create(builder, loc, "Y", "cases", x, x.getType())
                .getOutputs()
                .front());
  EXPECT_EQ(textOf(expandOperators(*graph)),
            Names{"no rule expands operator 'Y' of kind 'cases': 'early': it "
                  "is not today; 'middle': it is not today; 'middle-too': it "
                  "is not today; 'late': it is not today"});
  EXPECT_EQ(textOf(expandOperators(*graph, {"none"}))
                .front()
                .find("there is no rule 'none' that expands operators"),
            0u);
}

TEST_F(RewriteRulesTest, ExpansionsThatHaveNoEndAreErrors) {
  llvm::cantFail(registerRewriteRule(localRule("to-b", "a", 0, become("b"))));
  llvm::cantFail(registerRewriteRule(localRule("to-c", "b", 0, become("c"))));
  llvm::cantFail(registerRewriteRule(localRule("to-a", "c", 0, become("a"))));
  // One that grows is none of those that it came from.
  llvm::cantFail(registerRewriteRule(localRule(
      "grow", "growing", 0, [](OperatorOp op, PatternRewriter &rewriter) {
        SmallVector<Value> inputs(op.getInputs());
        inputs.push_back(inputs.front());
        rewriter.replaceOpWithNewOp<OperatorOp>(op, op.getName(), "growing",
                                                inputs, op.getResultTypes());
        return success();
      })));
  Value x = source("X", {2}, builder.getF32Type());
  Operation *op = OperatorOp::create(builder, loc, "Y", "a", x, x.getType());
  sink("Y", op->getResult(0));
  OwningOpRef<GraphOp> other = copy();
  EXPECT_EQ(textOf(expandOperators(*graph)),
            Names{"operator 'Y' expands into itself: a (by to-b) -> b (by "
                  "to-c) -> c (by to-a) -> a"});
  (*other->getOps<OperatorOp>().begin()).setKind("growing");
  EXPECT_EQ(textOf(expandOperators(*other)),
            Names{"operator 'Y' lies 100 expansions deep, the most there may "
                  "be; the first few are of 'growing (by grow)'"});
}

TEST_F(RewriteRulesTest, OneThatBecomesSmallerHasAnEnd) {
  // Adds the operands from the right, one at a time.
  llvm::cantFail(registerRewriteRule(localRule(
      "add-last", "total", 0, [](OperatorOp op, PatternRewriter &rewriter) {
        auto type = cast<RankedTensorType>(op.getOutputs()[0].getType());
        Value rest = op.getInputs().front();
        if (op.getInputs().size() > 2)
          rest = OperatorOp::create(rewriter, op.getLoc(), op.getName(),
                                    "total", op.getInputs().drop_back(),
                                    op.getResultTypes())
                     .getOutputs()
                     .front();
        ScalarLabel label{"i", type.getDimSize(0)};
        auto map = rewriter.getMultiDimIdentityMap(1);
        rewriter.replaceOp(
            op, buildEinsum(rewriter, op.getLoc(), op.getName(), label, 1,
                            Monoid::None, type.getElementType(),
                            {{{rest, map}, {op.getInputs().back(), map}},
                             [](ScalarBuilder &s, ValueRange v) -> Value {
                               return s.create<arith::AddIOp>(v[0], v[1]);
                             }})
                    .getResult());
        return success();
      })));
  Type type = builder.getI32Type();
  llvm::SmallVector<Value> terms;
  for (const char *name : {"A", "B", "C", "D"})
    terms.push_back(source(name, {3}, type));
  sink("Y", OperatorOp::create(builder, loc, "Y", "total", terms,
                               terms.front().getType())
                .getOutputs()
                .front());
  // Of those with one name the result has it, and the others are numbered.
  EXPECT_EQ(textOf(expandOperators(*graph)),
            (Names{"expand:Y:add-last", "expand:Y.1:add-last",
                   "expand:Y.1.1:add-last"}));
  Tensors found = evaluate(*graph);
  for (int64_t n = 0; n < 3; ++n)
    EXPECT_EQ(found["Y"].asDouble(n),
              inputs["A"].asDouble(n) + inputs["B"].asDouble(n) +
                  inputs["C"].asDouble(n) + inputs["D"].asDouble(n));
}

/// Renames a label of an elementwise einsum of rank 1.
struct RenameLabel : public OpRewritePattern<EinsumOp> {
  RenameLabel(MLIRContext *context, StringRef from, StringRef to)
      : OpRewritePattern(context), from(from), to(to) {}
  LogicalResult matchAndRewrite(EinsumOp op,
                                PatternRewriter &rewriter) const override {
    if (op->getAttr("swing") != rewriter.getStringAttr(from))
      return rewriter.notifyMatchFailure(op, "it does not swing");
    rewriter.modifyOpInPlace(
        op, [&] { op->setAttr("swing", rewriter.getStringAttr(to)); });
    return success();
  }
  std::string from, to;
};

TEST_F(RewriteRulesTest, RulesThatUndoEachOtherAreAnError) {
  auto swing = [](StringRef name, std::string from, std::string to) {
    return RewriteRule{name.str(),
                       RuleKind::Global,
                       "tapestry.einsum",
                       0,
                       "",
                       [=](RewritePatternSet &set) {
                         set.add<RenameLabel>(set.getContext(), from, to);
                       },
                       /*isSearched=*/false};
  };
  llvm::cantFail(registerRewriteRule(swing("to-right", "left", "right")));
  llvm::cantFail(registerRewriteRule(swing("to-left", "right", "left")));
  llvm::cantFail(registerRewriteRule(swing("stay", "right", "right")));
  Value x = source("X", {2}, builder.getF32Type());
  ScalarLabel label{"i", 2};
  EinsumOp y = buildEinsum(builder, loc, "Y", label, 1, Monoid::None,
                           builder.getF32Type(),
                           {{{x, builder.getMultiDimIdentityMap(1)}}});
  y->setAttr("swing", builder.getStringAttr("left"));
  sink("Y", y.getResult());
  OwningOpRef<GraphOp> other = copy();
  EXPECT_EQ(textOf(applyRules(*graph, {"to-right", "to-left"}, 100)),
            Names{"rules undo each other: after 2 rewrites the graph is what "
                  "it was after 0; between lie 'to-right' of 'Y', 'to-left' of "
                  "'Y'"});
  EXPECT_EQ(textOf(applyRules(*other, {"to-right"}, 0)),
            Names{"rules still apply after 0 rewrites; the last were "
                  "'to-right' of 'Y'"});
  EXPECT_EQ(textOf(applyRules(*other, {"linear-sum"}, 100))
                .front()
                .find("there is no global rule 'linear-sum'; there are: "
                      "'linear-fold'"),
            0u);
}

} // namespace

//===- MacrosTest.cpp - softmax and norms through the C++ API -------------===//
//
// A front end that knows no .ein builds what the .ein importer does.
//
//===----------------------------------------------------------------------===//

#include "tapestry/Dialect/Tapestry/Macros/Macros.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "tapestry/Import/Ein/Import.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

namespace {

class MacrosTest : public ::testing::Test {
protected:
  MacrosTest() : builder(&context), loc(builder.getUnknownLoc()) {
    context
        .loadDialect<TapestryDialect, arith::ArithDialect, math::MathDialect>();
    module = ModuleOp::create(loc);
    builder.setInsertionPointToStart(module->getBody());
    auto graph = GraphOp::create(builder, loc, "test");
    builder.setInsertionPointToStart(&graph.getBody().front());
  }

  Value source(StringRef name, llvm::ArrayRef<int64_t> shape, Type element) {
    return SourceOp::create(builder, loc, name,
                            RankedTensorType::get(shape, element));
  }
  /// A read whose subscripts are labels, of `numLabels`.
  ScalarRead read(Value tensor, unsigned numLabels,
                  llvm::ArrayRef<unsigned> labels) {
    return {tensor,
            AffineMap::getMultiDimMapWithTargets(numLabels, labels, &context)};
  }

  void expectImportOf(llvm::StringRef text) {
    EXPECT_TRUE(succeeded(verify(*module)));
    auto imported =
        ein::importEin(llvm::MemoryBufferRef(text, "test.ein"), {}, &context);
    ASSERT_TRUE(imported);
    EXPECT_EQ(print(*module), print(*imported));
  }
  static std::string print(ModuleOp module) {
    std::string text;
    llvm::raw_string_ostream(text) << module;
    return text;
  }

  MLIRContext context;
  OpBuilder builder;
  Location loc;
  OwningOpRef<ModuleOp> module;
};

TEST_F(MacrosTest, SoftmaxOfAScaledAndMaskedTensor) {
  Value x = source("X", {6, 6}, builder.getF32Type());
  auto scaled = [](ScalarBuilder &b, ValueRange args) -> Value {
    FloatType f32 = Float32Type::get(b.getContext());
    Value product = b.create<arith::MulFOp>(args[0], b.constant(f32, 0.5));
    Value j = b.label("j"), i = b.label("i");
    Value later = b.create<arith::CmpIOp>(arith::CmpIPredicate::sgt, j, i);
    Value penalty = b.constant(f32, -1e9), none = b.constant(f32, 0);
    return b.create<arith::AddFOp>(
        product, b.create<arith::SelectOp>(later, penalty, none));
  };
  MacroUse use{
      MacroKind::Softmax,
      "Y",
      {{"j", 6, LabelRole::Inner}, {"h", 2, LabelRole::Unused}, {"i", 6}},
      builder.getF32Type(),
      {{read(x, 3, {2, 0})}, scaled}};
  SinkOp::create(builder, loc, "Y", buildMacro(builder, loc, use));
  expectImportOf("input X : f32[6, 6]\n"
                 "Y[j, h:2, i] = softmax[j] X[i, j] * 0.5 + "
                 "select([j > i], -1e9, 0.0)\n"
                 "output Y\n");
}

TEST_F(MacrosTest, RMSNormOfAHalf) {
  Value x = source("X", {3, 4, 2}, builder.getF16Type());
  Value w = source("W", {3}, builder.getF32Type());
  MacroUse use{
      MacroKind::RMSNorm,
      "Y",
      {{"s", 3}, {"a", 4, LabelRole::Inner}, {"b", 2, LabelRole::Inner}},
      builder.getF16Type(),
      {{read(x, 3, {0, 1, 2})}},
      {{read(w, 3, {0})}}};
  SinkOp::create(builder, loc, "Y", buildMacro(builder, loc, use));
  expectImportOf("input X : f16[3, 4, 2]\ninput W : f32[3]\n"
                 "Y[s, a, b] = rmsnorm[a, b](X[s, a, b], W[s])\n"
                 "output Y\n");
}

TEST_F(MacrosTest, LayerNormOfAPaddedWindow) {
  Type f64 = builder.getF64Type();
  Value x = source("X", {9}, f64);
  AffineExpr s, a;
  bindDims(&context, s, a);
  ScalarRead window{x, AffineMap::get(2, 0, s * 2 + a - 1),
                    builder.getF64FloatAttr(0)};
  MacroUse use{MacroKind::LayerNorm,
               "Y",
               {{"s", 4}, {"a", 3, LabelRole::Inner}},
               cast<FloatType>(f64),
               {{window}},
               ScalarExpr::constant(builder.getF64FloatAttr(3.0))};
  SinkOp::create(builder, loc, "Y", buildMacro(builder, loc, use));
  // The number of values and epsilon are the same constant.
  expectImportOf("input X : f64[9]\n"
                 "Y[s:4, a:3] = layernorm[a](pad(X, 0)[2*s + a - 1], 3.0)\n"
                 "output Y\n");
}

TEST_F(MacrosTest, MeanOverTheFirstLabel) {
  Value x = source("X", {3, 4}, builder.getF16Type());
  MacroUse use{
      MacroKind::Mean,
      "Y",
      {{"b", 4}, {"c", 2, LabelRole::Unused}, {"a", 3, LabelRole::Inner}},
      builder.getF16Type(),
      {{read(x, 3, {2, 0})}}};
  SinkOp::create(builder, loc, "Y", buildMacro(builder, loc, use));
  expectImportOf("input X : f16[3, 4]\n"
                 "Y[b, c:2] = mean[a] X[a, b]\n"
                 "output Y\n");
}

TEST_F(MacrosTest, LogSumExpOfAHalfThatStaysWide) {
  Value x = source("X", {3, 4}, builder.getF16Type());
  MacroUse use{MacroKind::LogSumExp,
               "Y.logsumexp.1",
               {{"a", 3}, {"b", 4, LabelRole::Inner}},
               builder.getF16Type(),
               {{read(x, 2, {0, 1})}},
               /*epsilon=*/{},
               builder.getF32Type()};
  Value wide = buildMacro(builder, loc, use);
  Value y =
      buildEinsum(builder, loc, "Y", {{"a", 3}}, 1, tapestry::Monoid::None,
                  builder.getF16Type(), {{read(wide, 1, {0})}});
  SinkOp::create(builder, loc, "Y", y);
  expectImportOf("input X : f16[3, 4]\n"
                 "output Y[a] = (logsumexp[b](X[a, b]))\n");
}

TEST_F(MacrosTest, TheVerifierRefusesALabelThatTheOperandLacks) {
  Value x = source("X", {3}, builder.getF32Type());
  MacroUse use{MacroKind::Softmax,
               "Y",
               {{"s", 3}, {"a", 4, LabelRole::Inner}},
               builder.getF32Type(),
               {{read(x, 2, {0})}}};
  buildMacro(builder, loc, use);
  std::string message;
  context.getDiagEngine().registerHandler([&](Diagnostic &diagnostic) {
    message = diagnostic.str();
    return success();
  });
  EXPECT_TRUE(failed(verify(*module)));
  EXPECT_EQ(message, "'tapestry.einsum' op label 'a' occurs in no subscript, "
                     "nor in the body");
}

} // namespace

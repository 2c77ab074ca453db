//===- RulesPlugin.cpp - A local and a global rule of one's own -----------===//
//
// docs/Embedding.md builds it against the installed package. Any tool loads it
// by
// --load-plugin, and those of MLIR by --load-pass-plugin, too.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "tapestry/Dialect/Tapestry/Macros/Linear.h"
#include "tapestry/Dialect/Tapestry/Macros/Macros.h"
#include "tapestry/Dialect/Tapestry/Transforms/RewriteRules.h"
#include "tapestry/Plugin.h"

using namespace mlir;
using namespace tapestry::teg;
using tapestry::Monoid;

namespace {

/// mlp(X, W1, b1, W2, b2) = linear(relu(linear(X, W1, b1)), W2, b2), of floats.
struct ExpandMLP : public OpRewritePattern<OperatorOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(OperatorOp op,
                                PatternRewriter &rewriter) const override {
    ValueRange in = op.getInputs();
    if (in.size() != 5 || op.getOutputs().size() != 1)
      return rewriter.notifyMatchFailure(op, "it takes five tensors");
    auto element = dyn_cast<FloatType>(getElementTypeOrSelf(in[0]));
    if (!element)
      return rewriter.notifyMatchFailure(op, "its elements are no floats");
    std::string hidden = (op.getName() + ".hidden").str();
    Value first =
        buildLinear(rewriter, op.getLoc(), hidden, in[0], in[1], in[2])
            .getOutputs()
            .front();
    auto type = cast<RankedTensorType>(first.getType());
    SmallVector<std::string> names;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      names.push_back("d" + std::to_string(dim));
    SmallVector<ScalarLabel> labels;
    for (auto [name, extent] : llvm::zip_equal(names, type.getShape()))
      labels.push_back({name, extent});
    auto relu = [element](ScalarBuilder &b, ValueRange values) {
      return b.create<arith::MaximumFOp>(
          values.front(), b.constant(FloatAttr::get(element, 0.0)));
    };
    auto all = rewriter.getMultiDimIdentityMap(labels.size());
    Value bent =
        buildEinsum(rewriter, op.getLoc(), (op.getName() + ".relu").str(),
                    labels, labels.size(), Monoid::None, element,
                    {{{first, all}}, relu})
            .getResult();
    rewriter.replaceOp(
        op, buildLinear(rewriter, op.getLoc(), op.getName(), bent, in[3], in[4])
                .getOutputs());
    return success();
  }
};

/// - - X = X.
struct NegateTwice : public OpRewritePattern<EinsumOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(EinsumOp op,
                                PatternRewriter &rewriter) const override {
    if (!negates(op))
      return rewriter.notifyMatchFailure(op, "it does not negate a tensor");
    auto inner = op.getInputs()[0].getDefiningOp<EinsumOp>();
    if (!inner || !negates(inner))
      return rewriter.notifyMatchFailure(op, "it negates no negated tensor");
    rewriter.replaceOp(op, inner.getInputs()[0]);
    return success();
  }

private:
  static bool negates(EinsumOp op) {
    Operation *yield = op.getBody().front().getTerminator();
    auto value = yield->getOperand(0).getDefiningOp<arith::NegFOp>();
    return op.getMonoid() == Monoid::None && op.getInputs().size() == 1 &&
           op.getOperandMap(0).isIdentity() && op.getResultMap().isIdentity() &&
           value && isa<BlockArgument>(value.getOperand()) &&
           op->getDiscardableAttrs().empty();
  }
};

llvm::Error registerRules() {
  return llvm::joinErrors(
      registerRewriteRule({"mlp-layers", RuleKind::Local, "mlp", 0,
                           "two linear layers and what is between them",
                           [](RewritePatternSet &set) {
                             set.add<ExpandMLP>(set.getContext());
                           }}),
      registerRewriteRule({"negate-twice", RuleKind::Global,
                           EinsumOp::getOperationName().str(), 0,
                           "a tensor that is negated twice to itself",
                           [](RewritePatternSet &set) {
                             set.add<NegateTwice>(set.getContext());
                           }}));
}

} // namespace

extern "C" const tapestry::PluginInfo *tapestryGetPluginInfo() {
  static const tapestry::PluginInfo info = {tapestry::pluginAPIVersion, "rules",
                                            nullptr, registerRules};
  return &info;
}

extern "C" mlir::PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "rules", "1", [] {
            llvm::logAllUnhandledErrors(registerRules(), llvm::errs(),
                                        "rules: error: ");
          }};
}

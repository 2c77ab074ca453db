//===- RewriteGraph.cpp - The pass that applies named rewrites ------------===//

#include "tapestry/Dialect/Tapestry/Transforms/GraphRewrites.h"
#include "tapestry/Dialect/Tapestry/Transforms/Passes.h"
#include "tapestry/Dialect/Tapestry/Transforms/RewriteRules.h"

namespace tapestry::teg {
#define GEN_PASS_DEF_TAPESTRYREWRITE
#include "tapestry/Dialect/Tapestry/Transforms/Passes.h.inc"
} // namespace tapestry::teg

using namespace mlir;
using namespace tapestry;
using namespace tapestry::model;
using namespace tapestry::teg;

/// "fuse:P:R;recompute:Q:R" as rewrites.
static std::vector<Rewrite> parseRewrites(StringRef text) {
  std::vector<Rewrite> rewrites;
  SmallVector<StringRef> entries;
  text.split(entries, ';', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef entry : entries) {
    SmallVector<StringRef> words;
    entry.split(words, ':');
    Rewrite rewrite;
    rewrite.kind = words.front().trim().str();
    if (words.size() > 1)
      rewrite.vertex = words[1].trim().str();
    for (StringRef word :
         ArrayRef(words).drop_front(std::min<size_t>(2, words.size())))
      rewrite.arguments.push_back(word.trim().str());
    rewrites.push_back(std::move(rewrite));
  }
  return rewrites;
}

namespace {
struct TapestryRewrite : teg::impl::TapestryRewriteBase<TapestryRewrite> {
  using Base::Base;

  void getDependentDialects(DialectRegistry &registry) const override {
    Base::getDependentDialects(registry);
    addRuleDialects(registry);
  }

  void runOnOperation() override {
    GraphOp graph = getOperation();
    if (list)
      for (const Rewrite &rewrite : applicableRewrites(graph)) {
        llvm::outs() << rewrite.kind << ':' << rewrite.vertex;
        for (const std::string &argument : rewrite.arguments)
          llvm::outs() << ':' << argument;
        llvm::outs() << '\n';
      }
    std::vector<Rewrite> rewrites = parseRewrites(apply);
    if (llvm::Error error = applyRewrites(graph, rewrites)) {
      emitError(graph.getLoc()) << llvm::toString(std::move(error));
      return signalPassFailure();
    }
    numApplied += rewrites.size();
  }
};
} // namespace

//===- RewriteRules.cpp - The registered rules ----------------------------===//

#include "tapestry/Dialect/Tapestry/Transforms/RewriteRules.h"
#include "BuiltinRules.h"
#include "RuleSet.h"
#include "mlir/Dialect/PDL/IR/PDL.h"
#include "mlir/Dialect/PDLInterp/IR/PDLInterp.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"
#include "mlir/Rewrite/PatternApplicator.h"
#include "llvm/ADT/StringExtras.h"
#include <deque>

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

/// Filled before the first graph, read by any thread after that. Rules stay
/// where they are.
static std::deque<RewriteRule> &registry() {
  static std::deque<RewriteRule> rules = builtinRules();
  return rules;
}

llvm::Error teg::registerRewriteRule(RewriteRule rule) {
  if (rule.name.empty() || !rule.addPatterns)
    return planError("a rule needs a name and patterns");
  if (rule.kind == RuleKind::Local && rule.root.empty())
    return planError("the local rule '", rule.name,
                     "' needs the kind of operators that it expands");
  if (findRewriteRule(rule.name))
    return planError("there are two rules named '", rule.name, "'");
  registry().push_back(std::move(rule));
  return llvm::Error::success();
}

std::vector<const RewriteRule *> teg::rewriteRules(RuleKind kind) {
  std::vector<const RewriteRule *> rules;
  for (const RewriteRule &rule : registry()) {
    if (rule.kind != kind)
      continue;
    auto behind = llvm::upper_bound(
        rules, rule.precedence, [](unsigned precedence, const RewriteRule *r) {
          return precedence < r->precedence;
        });
    rules.insert(behind, &rule);
  }
  return rules;
}

std::vector<const RewriteRule *> teg::expansionsOf(StringRef operatorKind) {
  std::vector<const RewriteRule *> rules = rewriteRules(RuleKind::Local);
  llvm::erase_if(rules, [&](const RewriteRule *rule) {
    return rule->root != operatorKind;
  });
  return rules;
}

const RewriteRule *teg::findRewriteRule(StringRef name) {
  for (const RewriteRule &rule : registry())
    if (rule.name == name)
      return &rule;
  return nullptr;
}

void teg::addRuleDialects(DialectRegistry &known) {
  // Patterns in PDLL are compiled when they are first asked for.
  known.insert<pdl::PDLDialect, pdl_interp::PDLInterpDialect>();
  for (const RewriteRule &rule : registry())
    if (rule.addDialects)
      rule.addDialects(known);
}

//===----------------------------------------------------------------------===//
// Applying one
//===----------------------------------------------------------------------===//

RuleSet::RuleSet(MLIRContext *context) : context(context) {}
RuleSet::~RuleSet() = default;

const FrozenRewritePatternSet &RuleSet::patternsOf(const RewriteRule &rule) {
  std::unique_ptr<FrozenRewritePatternSet> &set = patterns[&rule];
  if (!set) {
    // A pass that applies rules has had its dialects loaded.
    if (!context->getLoadedDialect<pdl::PDLDialect>())
      context->loadDialect<pdl::PDLDialect, pdl_interp::PDLInterpDialect>();
    if (rule.addDialects) {
      DialectRegistry own;
      rule.addDialects(own);
      context->appendDialectRegistry(own);
      for (StringRef name : own.getDialectNames())
        if (!context->getLoadedDialect(name))
          context->getOrLoadDialect(name);
    }
    RewritePatternSet own(context);
    rule.addPatterns(own);
    set = std::make_unique<FrozenRewritePatternSet>(std::move(own));
  }
  return *set;
}

namespace {
/// Hands on what changes and keeps the reasons why a pattern does not apply.
struct ReasonKeeper : public RewriterBase::ForwardingListener {
  using ForwardingListener::ForwardingListener;

  void notifyMatchFailure(Location loc,
                          function_ref<void(Diagnostic &)> describe) override {
    Diagnostic reason(loc, DiagnosticSeverity::Remark);
    describe(reason);
    if (!llvm::is_contained(reasons, reason.str()))
      reasons.push_back(reason.str());
  }

  std::vector<std::string> reasons;
};
} // namespace

llvm::Error RuleSet::apply(const RewriteRule &rule, Operation *op,
                           RewriterBase::Listener *listener) {
  PatternApplicator applicator(patternsOf(rule));
  applicator.applyDefaultCostModel();
  ReasonKeeper keeper(listener);
  PatternRewriter rewriter(context);
  rewriter.setListener(&keeper);
  rewriter.setInsertionPoint(op);
  if (succeeded(applicator.matchAndRewrite(op, rewriter)))
    return llvm::Error::success();
  if (keeper.reasons.empty())
    return planError("its pattern does not match");
  return planError(llvm::join(keeper.reasons, "; "));
}

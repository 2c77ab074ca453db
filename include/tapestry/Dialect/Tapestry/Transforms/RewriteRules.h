//===- RewriteRules.h - Rules that rewrite expression graphs ----*- C++ -*-===//
//
// A rule is a pattern with a name: in PDLL, DRR or C++, whatever makes patterns
// of MLIR. Rules are of two kinds.
//
// A local rule expands one kind of tapestry.operator, which means what its
// expansions compute. It sees its operator (kind, operands' and results' types,
// parameters) and not what is around it. Where several rules apply, the first
// in the order of precedence is taken, and a search may take any. Expansions
// may hold operators, which are expanded in turn.
//
// A global rule replaces a part of the graph, which it finds from the root, by
// another that computes the same. It is applied where a pass is told to, to a
// fixed point, or step by step by a search.
//
// Patterns tell by notifyMatchFailure() why they do not apply, and change
// nothing then. What replaces the root's first result should have the root's
// name; a name that another vertex has gets a number.
//
// The rules that Tapestry has are there from the start; a plug-in adds its own
// in PluginInfo::registerTables.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_DIALECT_TAPESTRY_TRANSFORMS_REWRITERULES_H
#define TAPESTRY_DIALECT_TAPESTRY_TRANSFORMS_REWRITERULES_H

#include "tapestry/Dialect/Tapestry/IR/TapestryOperator.h"
#include "tapestry/Planner/Model/Rewrites.h"
#include <functional>

namespace mlir {
class DialectRegistry;
class RewritePatternSet;
} // namespace mlir

namespace tapestry::teg {

enum class RuleKind { Local, Global };

struct RewriteRule {
  /// One of its own among all rules.
  std::string name;
  RuleKind kind = RuleKind::Local;
  /// Of a local rule the kind of operators, of a global one the name of the
  /// operation that the pattern starts from; empty: any vertex.
  std::string root;
  /// Rules with less come first; of equal ones those that were registered
  /// first.
  unsigned precedence = 0;
  /// What it does, in a line.
  std::string summary;
  /// Adds its patterns, of which any may apply.
  std::function<void(mlir::RewritePatternSet &)> addPatterns;
  /// Whether a search may take it as a step. Local rules are always offered.
  bool isSearched = true;
  /// Of a global rule: whether it is worth a try with this root, told without a
  /// change and sooner than by trying. May be empty.
  std::function<bool(mlir::Operation *)> isLikely = {};
  /// Adds the dialects of operations that graphs have only after it; may be
  /// empty.
  std::function<void(mlir::DialectRegistry &)> addDialects = {};
  /// Whether it applies wherever `isLikely` says so: then a search lists it
  /// without trying.
  bool isCertain = false;
};

/// Fails where there is a rule of that name, or its name, patterns or kind of
/// operators are missing. Not while another thread uses rules.
llvm::Error registerRewriteRule(RewriteRule rule);

/// All of them, in the order of precedence. They stay where they are.
std::vector<const RewriteRule *> rewriteRules(RuleKind kind);
/// Those for one kind of operators.
std::vector<const RewriteRule *> expansionsOf(llvm::StringRef operatorKind);
/// Null where there is none.
const RewriteRule *findRewriteRule(llvm::StringRef name);

/// The dialects that applying rules makes, for passes that do.
void addRuleDialects(mlir::DialectRegistry &registry);

/// Fails where no rule expands operators of a kind that the graph has, also
/// where nobody reads them.
llvm::Error checkOperatorKinds(GraphOp graph);

/// Fails where one of the names is no rule's that expands operators.
llvm::Error checkExpansions(llvm::ArrayRef<std::string> names);

/// What a graph without operators costs.
using GraphPrice = llvm::function_ref<llvm::Expected<double>(GraphOp graph)>;

/// Expands all operators of a graph, and those that expansions bring, each by
/// the first rule that applies; rules named in `preferred` come before all
/// others. With `price` the others are tried in the order of what the operator
/// costs that they make of it, where its operands may lie as they like. Writes
/// the rewrites down on the graph and returns them. Fails, with the graph half
/// done, where an operator has no rule that applies, with the reasons of those
/// that were tried, where one expands into itself, and where expansions are
/// nested too deep.
llvm::Expected<std::vector<model::Rewrite>>
expandOperators(GraphOp graph, llvm::ArrayRef<std::string> preferred = {},
                GraphPrice price = nullptr);

/// Applies global rules, all of them or those named, until none applies any
/// more. Writes the rewrites down on the graph and returns them. Fails, with
/// the graph half done, where the rules lead back to a graph that they started
/// from, or still apply after `mostRewrites`.
llvm::Expected<std::vector<model::Rewrite>>
applyRules(GraphOp graph, llvm::ArrayRef<std::string> names,
           unsigned mostRewrites);

} // namespace tapestry::teg

#endif // TAPESTRY_DIALECT_TAPESTRY_TRANSFORMS_REWRITERULES_H

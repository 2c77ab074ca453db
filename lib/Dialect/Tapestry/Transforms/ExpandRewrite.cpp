//===- ExpandRewrite.cpp - Operators as what their rules say --------------===//

#include "RewriteKinds.h"
#include "tapestry/Interfaces/Place.h"
#include "llvm/ADT/StringExtras.h"
#include <limits>
#include <map>

using namespace mlir;
using namespace tapestry;
using namespace tapestry::model;
using namespace tapestry::teg;

/// Expansions in expansions; beyond it they are taken to have no end.
static constexpr unsigned deepestExpansion = 100;

//===----------------------------------------------------------------------===//
// expand
//===----------------------------------------------------------------------===//

static std::string namesOf(ArrayRef<const RewriteRule *> rules) {
  if (rules.empty())
    return "none";
  return llvm::join(llvm::map_range(rules,
                                    [](const RewriteRule *rule) {
                                      return "'" + rule->name + "'";
                                    }),
                    ", ");
}

static llvm::Error applyExpand(RewrittenGraph &graph, const Rewrite &rewrite) {
  auto op = dyn_cast_if_present<OperatorOp>(graph.lookup(rewrite.vertex));
  if (!op)
    return planError("the graph has no operator '", rewrite.vertex, "'");
  if (rewrite.arguments.size() != 1)
    return planError("expected one rule, not ", rewrite.arguments.size());
  std::vector<const RewriteRule *> rules = expansionsOf(op.getKind());
  for (const RewriteRule *rule : rules)
    if (rule->name == rewrite.arguments.front())
      return graph.applyRule(*rule, op).takeError();
  return planError("there is no rule '", rewrite.arguments.front(),
                   "' for operators of kind '", op.getKind(),
                   "'; there are: ", namesOf(rules));
}

const RewriteKind teg::expandKind = {"expand", applyExpand, /*list=*/nullptr};

std::vector<Rewrite> teg::listExpansions(OperatorOp op, RuleSet &rules) {
  std::vector<Rewrite> rewrites;
  for (const RewriteRule *rule : expansionsOf(op.getKind())) {
    // What applies has changed the graph, and this is to change nothing.
    OwningOpRef<GraphOp> alone = isolate(op);
    if (llvm::Error error =
            rules.apply(*rule, *alone->getOps<OperatorOp>().begin()))
      llvm::consumeError(std::move(error));
    else
      rewrites.push_back({"expand", op.getName().str(), {rule->name}});
  }
  return rewrites;
}

//===----------------------------------------------------------------------===//
// All operators of a graph
//===----------------------------------------------------------------------===//

namespace {

/// Expands operators depth first and knows which came out of which.
class Expander {
public:
  Expander(GraphOp graph, ArrayRef<std::string> preferred, RuleSet *rules,
           GraphPrice price)
      : graph(graph), preferred(preferred), rules(rules), price(price),
        rewritten(graph, rules) {}

  llvm::Expected<std::vector<Rewrite>> run();

private:
  /// An operator that has been expanded.
  struct Ancestor {
    /// The number of the one that it came out of; none: of the program.
    std::optional<unsigned> parent;
    /// "linear (by linear-sum)".
    std::string step;
    /// Operators of one signature have the same expansions.
    SmallVector<const void *> signature;
  };
  struct Open {
    OperatorOp op;
    std::optional<unsigned> parent;
  };

  llvm::Error expand(Open open);
  llvm::Error checkAncestors(const Open &open) const;
  using Rules = std::vector<const RewriteRule *>;
  Rules candidatesFor(OperatorOp op);
  Rules cheapestFirst(OperatorOp op, Rules candidates);
  double priceOf(OperatorOp op, const RewriteRule &rule) const;
  /// "linear (by linear-sum) -> matmul (by mine) -> linear".
  std::string chainTo(std::optional<unsigned> ancestor, StringRef last) const;

  GraphOp graph;
  ArrayRef<std::string> preferred;
  RuleSet *rules;
  GraphPrice price;
  RewrittenGraph rewritten;
  /// By the signature of an operator: what its rules are tried in.
  std::map<SmallVector<const void *>, Rules> orders;
  std::vector<Ancestor> ancestors;
  SmallVector<Open> stack;
  std::vector<Rewrite> done;
};

} // namespace

/// All that a local rule sees: kind, parameters and types.
static SmallVector<const void *> signatureOf(OperatorOp op) {
  SmallVector<const void *> signature = {
      op.getKindAttr().getAsOpaquePointer(),
      op.getParamsAttr().getAsOpaquePointer(),
      reinterpret_cast<const void *>(op.getInputs().size())};
  for (Type type : op->getOperandTypes())
    signature.push_back(type.getAsOpaquePointer());
  for (Type type : op->getResultTypes())
    signature.push_back(type.getAsOpaquePointer());
  return signature;
}

std::string Expander::chainTo(std::optional<unsigned> ancestor,
                              StringRef last) const {
  SmallVector<StringRef> steps = {last};
  for (; ancestor; ancestor = ancestors[*ancestor].parent)
    steps.push_back(ancestors[*ancestor].step);
  return llvm::join(llvm::reverse(steps), " -> ");
}

llvm::Error Expander::checkAncestors(const Open &open) const {
  OperatorOp op = open.op;
  SmallVector<const void *> signature = signatureOf(op);
  unsigned depth = 0;
  for (std::optional<unsigned> a = open.parent; a; a = ancestors[*a].parent) {
    if (ancestors[*a].signature == signature)
      return errorAt(
          placeOf(op.getLoc()), "operator '", op.getName(),
          "' expands into itself: ", chainTo(open.parent, op.getKind()));
    if (++depth == deepestExpansion)
      return errorAt(placeOf(op.getLoc()), "operator '", op.getName(),
                     "' lies ", depth,
                     " expansions deep, the most there may "
                     "be; the first few are of '",
                     ancestors[*a].step, "'");
  }
  return llvm::Error::success();
}

/// What the operator costs by a rule; a rule that does not apply, or makes what
/// cannot be planned, comes last.
double Expander::priceOf(OperatorOp op, const RewriteRule &rule) const {
  OwningOpRef<GraphOp> alone = isolate(op);
  auto made = RewrittenGraph(*alone, rules)
                  .applyRule(rule, *alone->getOps<OperatorOp>().begin());
  llvm::Expected<double> cost = std::numeric_limits<double>::infinity();
  if (!made)
    llvm::consumeError(made.takeError());
  else if (auto rest = expandOperators(*alone, preferred, rules); !rest)
    llvm::consumeError(rest.takeError());
  else
    cost = price(*alone);
  if (cost)
    return *cost;
  llvm::consumeError(cost.takeError());
  return std::numeric_limits<double>::infinity();
}

Expander::Rules Expander::cheapestFirst(OperatorOp op, Rules candidates) {
  auto [order, isNew] = orders.try_emplace(signatureOf(op));
  if (!isNew)
    return order->second;
  // Of equal prices the first stays the first.
  std::multimap<double, const RewriteRule *> priced;
  for (const RewriteRule *rule : candidates)
    priced.insert({priceOf(op, *rule), rule});
  for (auto &[cost, rule] : priced)
    order->second.push_back(rule);
  return order->second;
}

Expander::Rules Expander::candidatesFor(OperatorOp op) {
  Rules first, others;
  for (const RewriteRule *rule : expansionsOf(op.getKind()))
    (llvm::is_contained(preferred, rule->name) ? first : others)
        .push_back(rule);
  if (price && first.empty() && others.size() > 1)
    return cheapestFirst(op, std::move(others));
  llvm::append_range(first, others);
  return first;
}

static llvm::Error noRuleFor(OperatorOp op) {
  SmallVector<StringRef> kinds;
  for (const RewriteRule *rule : rewriteRules(RuleKind::Local))
    if (!llvm::is_contained(kinds, rule->root))
      kinds.push_back(rule->root);
  return errorAt(placeOf(op.getLoc()), "no rule expands operator '",
                 op.getName(), "': there is none for operators of kind '",
                 op.getKind(), "'; there are some for ",
                 llvm::join(kinds, ", "));
}

llvm::Error teg::checkOperatorKinds(GraphOp graph) {
  for (auto op : operationsOf<OperatorOp>(graph))
    if (expansionsOf(op.getKind()).empty())
      return noRuleFor(op);
  return llvm::Error::success();
}

llvm::Error Expander::expand(Open open) {
  OperatorOp op = open.op;
  if (llvm::Error error = checkAncestors(open))
    return error;
  std::string name = op.getName().str(), kind = op.getKind().str();
  Ancestor self{open.parent, "", signatureOf(op)};
  std::string reasons;
  for (const RewriteRule *rule : candidatesFor(op)) {
    auto made = rewritten.applyRule(*rule, op);
    if (!made) {
      reasons += (reasons.empty() ? "" : "; ") + ("'" + rule->name + "': ") +
                 llvm::toString(made.takeError());
      continue;
    }
    done.push_back({"expand", name, {rule->name}});
    self.step = kind + " (by " + rule->name + ")";
    ancestors.push_back(std::move(self));
    for (Operation *each : llvm::reverse(*made))
      if (auto inner = dyn_cast<OperatorOp>(each))
        stack.push_back({inner, ancestors.size() - 1});
    return llvm::Error::success();
  }
  if (!reasons.empty())
    return errorAt(placeOf(op.getLoc()), "no rule expands operator '", name,
                   "' of kind '", kind, "': ", reasons);
  return noRuleFor(op);
}

llvm::Expected<std::vector<Rewrite>> Expander::run() {
  rewritten.erasePointless();
  for (auto op : operationsOf<OperatorOp>(graph))
    stack.push_back({op, std::nullopt});
  std::reverse(stack.begin(), stack.end());
  while (!stack.empty())
    if (llvm::Error error = expand(stack.pop_back_val()))
      return std::move(error);
  rewritten.erasePointless();
  recordRewrites(graph, done);
  return std::move(done);
}

llvm::Error teg::checkExpansions(ArrayRef<std::string> names) {
  for (const std::string &name : names) {
    const RewriteRule *rule = findRewriteRule(name);
    if (!rule || rule->kind != RuleKind::Local)
      return planError("there is no rule '", name,
                       "' that expands operators; there are: ",
                       namesOf(rewriteRules(RuleKind::Local)));
  }
  return llvm::Error::success();
}

llvm::Expected<std::vector<Rewrite>>
teg::expandOperators(GraphOp graph, ArrayRef<std::string> preferred,
                     RuleSet *rules, GraphPrice price) {
  if (llvm::Error error = checkExpansions(preferred))
    return std::move(error);
  if (operationsOf<OperatorOp>(graph).empty())
    return std::vector<Rewrite>();
  if (llvm::Error error = checkUnplanned(graph))
    return std::move(error);
  return Expander(graph, preferred, rules, price).run();
}

llvm::Expected<std::vector<Rewrite>>
teg::expandOperators(GraphOp graph, ArrayRef<std::string> preferred,
                     GraphPrice price) {
  return expandOperators(graph, preferred, /*rules=*/nullptr, price);
}

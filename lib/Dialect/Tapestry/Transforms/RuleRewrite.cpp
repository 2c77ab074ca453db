//===- RuleRewrite.cpp - Patterns that are found anywhere in a graph ------===//

#include "GraphKey.h"
#include "RewriteKinds.h"
#include "tapestry/Interfaces/Place.h"
#include "llvm/ADT/StringExtras.h"
#include <map>

using namespace mlir;
using namespace tapestry;
using namespace tapestry::model;
using namespace tapestry::teg;

static bool startsFrom(const RewriteRule &rule, Operation *op) {
  return rule.root.empty() || op->getName().getStringRef() == rule.root;
}

static bool isWorthATry(const RewriteRule &rule, Operation *op) {
  return startsFrom(rule, op) && (!rule.isLikely || rule.isLikely(op));
}

static std::string globalNames() {
  std::string names;
  for (const RewriteRule *rule : rewriteRules(RuleKind::Global))
    names += (names.empty() ? "'" : ", '") + rule->name + "'";
  return names;
}

static llvm::Expected<const RewriteRule *> globalRuleNamed(StringRef name) {
  const RewriteRule *rule = findRewriteRule(name);
  if (rule && rule->kind == RuleKind::Global)
    return rule;
  return planError("there is no global rule '", name,
                   "'; there are: ", globalNames());
}

//===----------------------------------------------------------------------===//
// rule
//===----------------------------------------------------------------------===//

static llvm::Error applyRuleOnce(RewrittenGraph &graph,
                                 const Rewrite &rewrite) {
  Operation *op = graph.lookup(rewrite.vertex);
  if (!op)
    return planError("the graph has no vertex '", rewrite.vertex, "'");
  if (rewrite.arguments.size() != 1)
    return planError("expected one rule, not ", rewrite.arguments.size());
  llvm::Expected<const RewriteRule *> rule =
      globalRuleNamed(rewrite.arguments.front());
  if (!rule)
    return rule.takeError();
  if (!startsFrom(**rule, op))
    return planError("'", (*rule)->name, "' starts from '", (*rule)->root,
                     "', not from '", op->getName(), "'");
  return graph.applyRule(**rule, op).takeError();
}

const RewriteKind teg::ruleKind = {"rule", applyRuleOnce, /*list=*/nullptr};

void teg::listRules(GraphOp graph, RuleSet &rules,
                    std::vector<Rewrite> &rewrites) {
  // A copy in which nothing has been rewritten yet, and its operations.
  OwningOpRef<GraphOp> trial;
  SmallVector<Operation *> copies;
  for (const RewriteRule *rule : rewriteRules(RuleKind::Global)) {
    if (!rule->isSearched)
      continue;
    for (auto [position, op] : llvm::enumerate(operationsOf(graph))) {
      StringRef name = vertexNameOf(op);
      if (name.empty() || !isWorthATry(*rule, op))
        continue;
      if (rule->isCertain) {
        rewrites.push_back({"rule", name.str(), {rule->name}});
        continue;
      }
      if (!trial) {
        trial = cast<GraphOp>(graph->clone());
        copies = operationsOf(*trial);
      }
      if (llvm::Error error = rules.apply(*rule, copies[position])) {
        llvm::consumeError(std::move(error));
        continue;
      }
      trial = nullptr;
      rewrites.push_back({"rule", name.str(), {rule->name}});
    }
  }
}

//===----------------------------------------------------------------------===//
// To a fixed point
//===----------------------------------------------------------------------===//

namespace {

class FixedPoint {
public:
  FixedPoint(GraphOp graph, unsigned mostRewrites)
      : graph(graph), mostRewrites(mostRewrites), rewritten(graph) {}

  llvm::Expected<std::vector<Rewrite>> run(ArrayRef<const RewriteRule *> rules);

private:
  /// Looks at every vertex once.
  llvm::Error sweep(const RewriteRule &rule);
  /// "'a' of 'Y', 'b' of 'Z'": what has been done since, the first few.
  std::string since(size_t first) const;

  GraphOp graph;
  unsigned mostRewrites;
  RewrittenGraph rewritten;
  std::vector<Rewrite> done;
};

} // namespace

std::string FixedPoint::since(size_t first) const {
  constexpr size_t most = 6;
  std::string text;
  for (const Rewrite &rewrite :
       ArrayRef(done).drop_front(first).take_front(most))
    text += (text.empty() ? "'" : ", '") + rewrite.arguments.front() +
            "' of '" + rewrite.vertex + "'";
  return text + (done.size() - first > most ? ", ..." : "");
}

llvm::Error FixedPoint::sweep(const RewriteRule &rule) {
  SmallVector<std::string> names;
  for (Operation *op : operationsOf(graph))
    if (StringRef name = vertexNameOf(op); !name.empty())
      names.push_back(name.str());
  for (const std::string &name : names) {
    // An earlier one may have erased it.
    Operation *op = rewritten.lookup(name);
    if (!op || !isWorthATry(rule, op))
      continue;
    auto made = rewritten.applyRule(rule, op);
    if (!made) {
      llvm::consumeError(made.takeError());
      continue;
    }
    rewritten.erasePointless();
    done.push_back({"rule", name, {rule.name}});
    if (done.size() > mostRewrites)
      return errorAt(placeOf(graph.getLoc()), "rules still apply after ",
                     mostRewrites, " rewrites; the last were ",
                     since(done.size() - std::min<size_t>(done.size(), 6)));
  }
  return llvm::Error::success();
}

llvm::Expected<std::vector<Rewrite>>
FixedPoint::run(ArrayRef<const RewriteRule *> rules) {
  // The graphs behind all sweeps of a round, with how many rewrites led there.
  std::map<GraphKey, size_t> seen = {{keyOf(graph), 0}};
  for (size_t before = 0;; before = done.size()) {
    for (const RewriteRule *rule : rules)
      if (llvm::Error error = sweep(*rule))
        return std::move(error);
    if (done.size() == before)
      break;
    auto [at, isNew] = seen.try_emplace(keyOf(graph), done.size());
    if (!isNew)
      return errorAt(placeOf(graph.getLoc()), "rules undo each other: after ",
                     done.size(), " rewrites the graph is what it was after ",
                     at->second, "; between lie ", since(at->second));
  }
  recordRewrites(graph, done);
  return std::move(done);
}

llvm::Expected<std::vector<Rewrite>>
teg::applyRules(GraphOp graph, ArrayRef<std::string> names,
                unsigned mostRewrites) {
  std::vector<const RewriteRule *> rules = rewriteRules(RuleKind::Global);
  for (const std::string &name : names)
    if (auto rule = globalRuleNamed(name); !rule)
      return rule.takeError();
  if (!names.empty())
    llvm::erase_if(rules, [&](const RewriteRule *rule) {
      return !llvm::is_contained(names, rule->name);
    });
  if (llvm::Error error = checkUnplanned(graph))
    return std::move(error);
  return FixedPoint(graph, mostRewrites).run(rules);
}

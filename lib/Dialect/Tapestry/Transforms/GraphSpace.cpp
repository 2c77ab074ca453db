//===- GraphSpace.cpp - All graphs that rewrites lead to ------------------===//
//
// Graphs differ by how operators are expanded, which is done first, and by what
// is done after that. A graph in which one is expanded otherwise is made anew
// from the program, with what still applies of the rest.
//
//===----------------------------------------------------------------------===//

#include "GraphKey.h"
#include "RewriteKinds.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "tapestry/Analysis/PlanGraphs.h"
#include "tapestry/Dialect/Tapestry/Transforms/GraphRewrites.h"
#include <deque>
#include <map>
#include <mutex>

using namespace mlir;
using namespace tapestry;
using namespace tapestry::model;
using namespace tapestry::teg;

/// Operations of graphs that are kept as IR; beyond it the oldest graphs are
/// dropped, and made again by their history when they are needed.
static constexpr size_t maxKeptOperations = 200'000;

namespace {

class GraphSpace : public RewriteSpace {
public:
  explicit GraphSpace(MLIRContext *context) : rules(context) {}

  /// The first graph; fails where the planner cannot take it.
  llvm::Error start(GraphOp program, ArrayRef<Rewrite> first);

  const PlanGraph &graph(unsigned number) override;
  std::vector<Rewrite> applicable(unsigned number) override;
  llvm::Expected<unsigned> apply(unsigned number,
                                 const Rewrite &rewrite) override;
  llvm::Expected<unsigned> make(ArrayRef<Rewrite> rewrites) override;
  std::vector<Rewrite> history(unsigned number) override;

private:
  struct Entry {
    /// Null where it has been dropped.
    OwningOpRef<GraphOp> op;
    PlanGraph graph;
    /// How it was made: of another graph or, without a parent, of the program.
    std::optional<unsigned> parent;
    std::vector<Rewrite> rewrites;
    std::optional<std::vector<Rewrite>> applicable;
    /// Of a graph made of the program: its operators' other expansions.
    std::optional<std::vector<Rewrite>> expansions;
  };

  llvm::Expected<unsigned> add(OwningOpRef<GraphOp> op,
                               std::optional<unsigned> parent,
                               std::vector<Rewrite> rewrites);
  GraphOp getOp(unsigned number);
  std::vector<Rewrite> historyOf(unsigned number) const;
  /// The graph in which an operator of the program, or of another expansion, is
  /// expanded otherwise.
  llvm::Expected<unsigned> expandOtherwise(unsigned number,
                                           const Rewrite &rewrite);
  const std::vector<Rewrite> &otherExpansions(unsigned number);
  void keep(unsigned number, OwningOpRef<GraphOp> op);

  std::mutex mutex;
  RuleSet rules;
  /// As it is written, with its operators.
  OwningOpRef<GraphOp> program;
  /// Entries stay where they are.
  std::deque<Entry> entries;
  std::map<GraphKey, unsigned> numberOf;
  /// The graphs but the first that are kept as IR, oldest first.
  std::deque<unsigned> kept;
  size_t keptOperations = 0;
};

} // namespace

static size_t sizeOf(GraphOp op) {
  return op.getBody().front().getOperations().size();
}

void GraphSpace::keep(unsigned number, OwningOpRef<GraphOp> op) {
  keptOperations += sizeOf(*op);
  entries[number].op = std::move(op);
  if (number == 0)
    return;
  kept.push_back(number);
  while (keptOperations > maxKeptOperations && kept.size() > 1) {
    Entry &oldest = entries[kept.front()];
    kept.pop_front();
    keptOperations -= sizeOf(*oldest.op);
    oldest.op = nullptr;
  }
}

GraphOp GraphSpace::getOp(unsigned number) {
  if (entries[number].op)
    return *entries[number].op;
  SmallVector<unsigned> missing;
  std::optional<unsigned> first = number;
  for (; first && !entries[*first].op; first = entries[*first].parent)
    missing.push_back(*first);
  GraphOp known = first ? *entries[*first].op : *program;
  OwningOpRef<GraphOp> op(cast<GraphOp>(known->clone()));
  for (unsigned made : llvm::reverse(missing))
    llvm::cantFail(applyInPlace(*op, entries[made].rewrites, &rules),
                   "a rewrite that applied does so again");
  keep(number, std::move(op));
  return *entries[number].op;
}

llvm::Expected<unsigned> GraphSpace::add(OwningOpRef<GraphOp> op,
                                         std::optional<unsigned> parent,
                                         std::vector<Rewrite> rewrites) {
  // What would be printed is the reason, and the first place that of all.
  std::string reason, place;
  ScopedDiagnosticHandler handler(op->getContext(), [&](Diagnostic &problem) {
    auto at = problem.getLocation()->findInstanceOf<FileLineColLoc>();
    if (at && place.empty())
      place = joinedText(at.getFilename().getValue(), ":", at.getLine(), ":",
                         at.getColumn());
    reason += (reason.empty() ? "" : "; ") + problem.str();
    return success();
  });
  if (failed(verify(*op)))
    return errorAt(place, "the graph is not valid: ", reason);
  auto [at, isNew] = numberOf.try_emplace(keyOf(*op), entries.size());
  if (!isNew)
    return at->second;
  FailureOr<GraphVertices> vertices = buildPlanGraph(op->getBody().front());
  if (failed(vertices)) {
    numberOf.erase(at);
    return errorAt(place, "the graph cannot be planned: ", reason);
  }
  Entry &entry = entries.emplace_back();
  entry.graph = std::move(vertices->graph);
  entry.parent = parent;
  entry.rewrites = std::move(rewrites);
  keep(at->second, std::move(op));
  return at->second;
}

llvm::Error GraphSpace::start(GraphOp written, ArrayRef<Rewrite> first) {
  program = cast<GraphOp>(written->clone());
  OwningOpRef<GraphOp> copy(cast<GraphOp>(written->clone()));
  if (llvm::Error error = applyInPlace(*copy, first, &rules))
    return error;
  auto expanded = expandOperators(*copy, /*preferred=*/{}, &rules);
  if (!expanded)
    return expanded.takeError();
  std::vector<Rewrite> done = first.vec();
  llvm::append_range(done, *expanded);
  return add(std::move(copy), std::nullopt, std::move(done)).takeError();
}

const PlanGraph &GraphSpace::graph(unsigned number) {
  std::lock_guard<std::mutex> lock(mutex);
  return entries[number].graph;
}

std::vector<Rewrite> GraphSpace::applicable(unsigned number) {
  std::lock_guard<std::mutex> lock(mutex);
  Entry &entry = entries[number];
  if (!entry.applicable) {
    entry.applicable = applicableRewrites(getOp(number), &rules);
    llvm::append_range(*entry.applicable, otherExpansions(number));
  }
  return *entry.applicable;
}

static bool isExpansion(const Rewrite &rewrite) {
  return rewrite.kind == expandKind.name;
}

llvm::Expected<unsigned> GraphSpace::apply(unsigned number,
                                           const Rewrite &rewrite) {
  std::lock_guard<std::mutex> lock(mutex);
  if (isExpansion(rewrite))
    return expandOtherwise(number, rewrite);
  OwningOpRef<GraphOp> op(cast<GraphOp>(getOp(number)->clone()));
  if (llvm::Error error = applyInPlace(*op, rewrite, &rules))
    return std::move(error);
  return add(std::move(op), number, {rewrite});
}

llvm::Expected<unsigned> GraphSpace::make(ArrayRef<Rewrite> rewrites) {
  std::lock_guard<std::mutex> lock(mutex);
  OwningOpRef<GraphOp> op(cast<GraphOp>((*program)->clone()));
  if (llvm::Error error = applyInPlace(*op, rewrites, &rules))
    return std::move(error);
  return add(std::move(op), std::nullopt, rewrites.vec());
}

const std::vector<Rewrite> &GraphSpace::otherExpansions(unsigned number) {
  while (entries[number].parent)
    number = *entries[number].parent;
  Entry &entry = entries[number];
  if (entry.expansions)
    return *entry.expansions;
  entry.expansions.emplace();
  if (llvm::none_of(entry.rewrites, isExpansion))
    return *entry.expansions;
  OwningOpRef<GraphOp> op(cast<GraphOp>((*program)->clone()));
  for (const Rewrite &done : entry.rewrites) {
    if (isExpansion(done))
      for (auto each : operationsOf<OperatorOp>(*op))
        if (each.getName() == done.vertex)
          for (const Rewrite &other : listExpansions(each, rules))
            if (!(other == done))
              entry.expansions->push_back(other);
    llvm::cantFail(applyInPlace(*op, done, &rules),
                   "a rewrite that applied does so again");
  }
  return *entry.expansions;
}

/// Whether `other` expands the operator that `done` does, by another rule. One
/// that comes out of an expansion may have the same name, as a rule.
static bool isOtherExpansion(const Rewrite &done, const Rewrite &other) {
  if (done.vertex != other.vertex || other.arguments.size() != 1 ||
      done.arguments == other.arguments)
    return false;
  const RewriteRule *rule = findRewriteRule(other.arguments.front());
  return rule && rule->root == findRewriteRule(done.arguments.front())->root;
}

llvm::Expected<unsigned> GraphSpace::expandOtherwise(unsigned number,
                                                     const Rewrite &rewrite) {
  std::vector<Rewrite> done, later;
  OwningOpRef<GraphOp> op(cast<GraphOp>((*program)->clone()));
  auto apply = [&](const Rewrite &each) {
    llvm::Error error = applyInPlace(*op, each, &rules);
    if (!error)
      done.push_back(each);
    return error;
  };
  bool isKnown = false;
  for (const Rewrite &each : historyOf(number)) {
    if (!isExpansion(each)) {
      later.push_back(each);
    } else if (!isKnown && isOtherExpansion(each, rewrite)) {
      isKnown = true;
      if (llvm::Error error = apply(rewrite))
        return std::move(error);
    } else {
      // What came out of the other expansion is not there.
      llvm::consumeError(apply(each));
    }
  }
  if (!isKnown)
    return planError("no other expansion of an operator '", rewrite.vertex,
                     "' is that");
  auto rest = expandOperators(*op, /*preferred=*/{}, &rules);
  if (!rest)
    return rest.takeError();
  llvm::append_range(done, *rest);
  for (const Rewrite &each : later)
    llvm::consumeError(apply(each));
  return add(std::move(op), std::nullopt, std::move(done));
}

std::vector<Rewrite> GraphSpace::historyOf(unsigned number) const {
  SmallVector<unsigned> numbers = {number};
  while (entries[numbers.back()].parent)
    numbers.push_back(*entries[numbers.back()].parent);
  std::vector<Rewrite> rewrites;
  for (unsigned each : llvm::reverse(numbers))
    llvm::append_range(rewrites, entries[each].rewrites);
  return rewrites;
}

std::vector<Rewrite> GraphSpace::history(unsigned number) {
  std::lock_guard<std::mutex> lock(mutex);
  return historyOf(number);
}

llvm::Expected<std::unique_ptr<RewriteSpace>>
teg::createRewriteSpace(GraphOp program, ArrayRef<Rewrite> first) {
  auto space = std::make_unique<GraphSpace>(program->getContext());
  if (llvm::Error error = space->start(program, first))
    return std::move(error);
  return space;
}

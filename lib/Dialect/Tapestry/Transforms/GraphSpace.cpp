//===- GraphSpace.cpp - All graphs that rewrites lead to ------------------===//

#include "GraphKey.h"
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
  /// The first graph; fails where the planner cannot take it.
  llvm::Error start(GraphOp program);

  const PlanGraph &graph(unsigned number) override;
  std::vector<Rewrite> applicable(unsigned number) override;
  llvm::Expected<unsigned> apply(unsigned number,
                                 const Rewrite &rewrite) override;
  std::vector<Rewrite> history(unsigned number) override;

private:
  struct Entry {
    /// Null where it has been dropped.
    OwningOpRef<GraphOp> op;
    PlanGraph graph;
    /// How it was made; the first one is its own parent.
    unsigned parent = 0;
    Rewrite rewrite;
    std::optional<std::vector<Rewrite>> applicable;
  };

  llvm::Expected<unsigned> add(OwningOpRef<GraphOp> op, unsigned parent,
                               const Rewrite &rewrite);
  GraphOp getOp(unsigned number);
  void keep(unsigned number, OwningOpRef<GraphOp> op);

  std::mutex mutex;
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
  unsigned first = number;
  for (; !entries[first].op; first = entries[first].parent)
    missing.push_back(first);
  OwningOpRef<GraphOp> op(
      cast<GraphOp>(entries[first].op->getOperation()->clone()));
  for (unsigned made : llvm::reverse(missing))
    llvm::cantFail(applyInPlace(*op, entries[made].rewrite),
                   "a rewrite that applied does so again");
  keep(number, std::move(op));
  return *entries[number].op;
}

llvm::Expected<unsigned> GraphSpace::add(OwningOpRef<GraphOp> op,
                                         unsigned parent,
                                         const Rewrite &rewrite) {
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
    return planError("the graph is not valid: ", reason);
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
  entry.rewrite = rewrite;
  keep(at->second, std::move(op));
  return at->second;
}

llvm::Error GraphSpace::start(GraphOp program) {
  OwningOpRef<GraphOp> copy(cast<GraphOp>(program->clone()));
  return add(std::move(copy), 0, Rewrite()).takeError();
}

const PlanGraph &GraphSpace::graph(unsigned number) {
  std::lock_guard<std::mutex> lock(mutex);
  return entries[number].graph;
}

std::vector<Rewrite> GraphSpace::applicable(unsigned number) {
  std::lock_guard<std::mutex> lock(mutex);
  Entry &entry = entries[number];
  if (!entry.applicable)
    entry.applicable = applicableRewrites(getOp(number));
  return *entry.applicable;
}

llvm::Expected<unsigned> GraphSpace::apply(unsigned number,
                                           const Rewrite &rewrite) {
  std::lock_guard<std::mutex> lock(mutex);
  OwningOpRef<GraphOp> op(cast<GraphOp>(getOp(number)->clone()));
  if (llvm::Error error = applyInPlace(*op, rewrite))
    return std::move(error);
  return add(std::move(op), number, rewrite);
}

std::vector<Rewrite> GraphSpace::history(unsigned number) {
  std::lock_guard<std::mutex> lock(mutex);
  std::vector<Rewrite> rewrites;
  for (; number != 0; number = entries[number].parent)
    rewrites.push_back(entries[number].rewrite);
  std::reverse(rewrites.begin(), rewrites.end());
  return rewrites;
}

llvm::Expected<std::unique_ptr<RewriteSpace>>
teg::createRewriteSpace(GraphOp program) {
  auto space = std::make_unique<GraphSpace>();
  if (llvm::Error error = space->start(program))
    return std::move(error);
  return space;
}

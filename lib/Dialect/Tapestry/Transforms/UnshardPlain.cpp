//===- UnshardPlain.cpp - Recovers whole graphs ---------------------------===//
//
// Shards that are written as such are put together as they are. Those that are
// recognized are guesses: what they are put together to has to be proved to be
// sharded as the graph was, or it is left. Which of them is at fault is found
// by halves: those that are proved without the others stay.
//
//===----------------------------------------------------------------------===//

#include "RecognizeShards.h"
#include "ShardingProof.h"
#include "Unshard.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryShard.h"
#include "tapestry/Dialect/Tapestry/Transforms/Passes.h"
#include "tapestry/Support/Error.h"
#include "llvm/ADT/StringSet.h"
#include <map>

namespace tapestry::teg {
#define GEN_PASS_DEF_TAPESTRYUNSHARD
#include "tapestry/Dialect/Tapestry/Transforms/Passes.h.inc"
} // namespace tapestry::teg

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

namespace {
struct TapestryUnshard
    : tapestry::teg::impl::TapestryUnshardBase<TapestryUnshard> {
  void runOnOperation() override;

private:
  bool tryPlain(GraphOp given);
  void exclude(TriedJoin join, std::string reason);
  void takeFault(const Recognized &found, const std::string &fault);

  /// Of tensors that are not put together, and those that are not tried again.
  std::vector<TriedJoin> tried;
  llvm::DenseSet<unsigned> excluded;
  /// Those that have been proved together, and groups that wait until they are
  /// tried with these.
  llvm::DenseSet<unsigned> proved;
  std::vector<std::vector<unsigned>> waiting;
  unsigned numHalved = 0;
};
} // namespace

/// Why a graph is no sharding of another; empty where it is one.
static std::string findFault(GraphOp whole, GraphOp sharded) {
  std::string fault;
  ScopedDiagnosticHandler handler(whole.getContext(), [&](Diagnostic &said) {
    if (fault.empty() && said.getSeverity() == DiagnosticSeverity::Error)
      fault = said.str();
    return success();
  });
  if (failed(proveSharding(whole, sharded)) && fault.empty())
    fault = "it is not proved";
  return fault;
}

void TapestryUnshard::exclude(TriedJoin join, std::string reason) {
  excluded.insert(join.number);
  join.reason = std::move(reason);
  tried.push_back(std::move(join));
}

/// What has not been proved is tried by halves; one alone is at fault.
void TapestryUnshard::takeFault(const Recognized &found,
                                const std::string &fault) {
  constexpr unsigned mostHalved = 32;
  std::vector<TriedJoin> open;
  for (const TriedJoin &join : found.made)
    if (!proved.contains(join.number))
      open.push_back(join);
  if (open.size() > 1 && numHalved < mostHalved) {
    ++numHalved;
    std::vector<unsigned> &later = waiting.emplace_back();
    for (const TriedJoin &join : ArrayRef(open).drop_front(open.size() / 2))
      later.push_back(join.number);
    return;
  }
  if (open.empty())
    open = found.made;
  for (const TriedJoin &join : open)
    exclude(join, open.size() == 1
                      ? fault
                      : "not proved together with the others: " + fault);
  if (!waiting.empty())
    waiting.pop_back();
}

/// Puts the graph together, what is recognized in it, too; false where not all
/// of that can be, or has been tried. The graph is then as it was.
bool TapestryUnshard::tryPlain(GraphOp given) {
  GraphOp graph = getOperation();
  llvm::DenseSet<unsigned> without = excluded;
  for (ArrayRef<unsigned> group : waiting)
    without.insert(group.begin(), group.end());
  Recognized found = recognizeShards(graph, without);
  UnshardCounts counts = unshard(graph);
  std::map<unsigned, std::string> reasons;
  graph.walk([&](ShardOp left) {
    if (auto join = left->getAttrOfType<IntegerAttr>(joinAttrName))
      reasons[join.getInt()] = joinedText(
          "'", left.getName(), "' with the range ", boxToString(left.getBox()),
          " reads what is no slice of a tensor there");
  });
  std::string fault;
  if (reasons.empty() && found.numShards != 0) {
    OwningOpRef<GraphOp> sharded = given.clone();
    fault = findFault(graph, *sharded);
  }
  if (!fault.empty()) {
    takeFault(found, fault);
  } else if (!reasons.empty()) {
    for (const TriedJoin &join : found.made)
      if (auto reason = reasons.find(join.number); reason != reasons.end())
        exclude(join, reason->second);
  } else if (!waiting.empty()) {
    for (const TriedJoin &join : found.made)
      proved.insert(join.number);
    waiting.pop_back();
  } else {
    llvm::append_range(tried, found.tried);
    numShards += counts.shards;
    numWholes += counts.wholes;
    return true;
  }
  OwningOpRef<GraphOp> again = given.clone();
  graph.getBody().takeBody(again->getBody());
  return false;
}

static int64_t countOperations(GraphOp graph) {
  int64_t count = 0;
  graph.walk([&](Operation *) { ++count; });
  return count;
}

/// As long as the graph becomes smaller: what is put together may be a piece of
/// more. What cannot be in the last graph is told, in words of the first one
/// where it was so there.
void TapestryUnshard::runOnOperation() {
  std::vector<TriedJoin> first;
  int64_t now = countOperations(getOperation());
  for (int64_t before = now + 1; now < before;) {
    before = now;
    tried.clear();
    excluded.clear();
    proved.clear();
    waiting.clear();
    numHalved = 0;
    OwningOpRef<GraphOp> given = getOperation().clone();
    while (!tryPlain(*given)) {
    }
    now = countOperations(getOperation());
    if (first.empty())
      first = tried;
  }
  // What is read twice is tried twice.
  llvm::StringSet<> said;
  for (const TriedJoin &join : tried) {
    auto same = llvm::find_if(first, [&](const TriedJoin &other) {
      return other.reason == join.reason;
    });
    const TriedJoin &told = same == first.end() ? join : *same;
    if (said.insert(told.name + told.reason).second)
      report(told);
  }
}

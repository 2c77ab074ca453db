//===- UnshardPlain.cpp - Recovers whole graphs ---------------------------===//
//
// Shards that are written as such are put together as they are. Those that are
// recognized are guesses: what they are put together to has to be proved to be
// sharded as the graph was, or it is left.
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

  /// Of tensors that are not put together, and those that are not tried again.
  std::vector<TriedJoin> tried;
  llvm::DenseSet<unsigned> excluded;
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

/// Puts the graph together, what is recognized in it, too; false where not all
/// of that can be. The graph is then as it was, and that is excluded.
bool TapestryUnshard::tryPlain(GraphOp given) {
  GraphOp graph = getOperation();
  Recognized found = recognizeShards(graph, excluded);
  UnshardCounts counts = unshard(graph);
  std::map<unsigned, std::string> reasons;
  graph.walk([&](ShardOp left) {
    if (auto join = left->getAttrOfType<IntegerAttr>(joinAttrName))
      reasons[join.getInt()] = joinedText(
          "'", left.getName(), "' with the range ", boxToString(left.getBox()),
          " reads what is no slice of a tensor there");
  });
  if (reasons.empty() && found.numShards != 0) {
    OwningOpRef<GraphOp> sharded = given.clone();
    if (std::string fault = findFault(graph, *sharded); !fault.empty())
      for (const TriedJoin &join : found.made)
        reasons[join.number] = fault;
  }
  if (reasons.empty()) {
    llvm::append_range(tried, found.tried);
    numShards += counts.shards;
    numWholes += counts.wholes;
    return true;
  }
  for (TriedJoin &join : found.made)
    if (auto reason = reasons.find(join.number); reason != reasons.end()) {
      join.reason = reason->second;
      tried.push_back(join);
      excluded.insert(join.number);
    }
  OwningOpRef<GraphOp> again = given.clone();
  graph.getBody().takeBody(again->getBody());
  return false;
}

void TapestryUnshard::runOnOperation() {
  tried.clear();
  excluded.clear();
  OwningOpRef<GraphOp> given = getOperation().clone();
  while (!tryPlain(*given)) {
  }
  // What is read twice is tried twice.
  llvm::StringSet<> said;
  for (const TriedJoin &join : tried)
    if (said.insert(join.name + join.reason).second)
      report(join);
}

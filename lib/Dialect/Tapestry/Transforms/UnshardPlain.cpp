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
  std::map<unsigned, TriedJoin> tried;
  llvm::DenseSet<unsigned> excluded;
};
} // namespace

/// Why a graph is no sharding of another; empty where it is one.
static std::string findFault(GraphOp whole, GraphOp sharded) {
  std::string fault;
  ScopedDiagnosticHandler handler(
      whole.getContext(), [&](Diagnostic &said) {
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
  std::map<unsigned, TriedJoin> joins, failed;
  unsigned recognized = 0;
  for (auto &[number, join] :
       recognizeShards(graph, excluded, recognized, joins))
    tried.insert({number, join});
  UnshardCounts counts = unshard(graph);
  graph.walk([&](ShardOp left) {
    if (auto number = left->getAttrOfType<IntegerAttr>(joinAttrName)) {
      unsigned of = number.getInt();
      TriedJoin &join = failed.insert({of, joins.at(of)}).first->second;
      join.reason = "'" + left.getName().str() + "' with the range " +
                    boxToString(left.getBox()) +
                    " reads what no whole tensor has there";
    }
  });
  if (failed.empty() && recognized) {
    OwningOpRef<GraphOp> sharded = given.clone();
    if (std::string fault = findFault(graph, *sharded); !fault.empty())
      for (auto &[number, join] : joins) {
        join.reason = fault;
        failed.insert({number, join});
      }
  }
  if (failed.empty()) {
    numShards += counts.shards;
    numWholes += counts.wholes;
    return true;
  }
  for (auto &[number, join] : failed) {
    tried.insert({number, join});
    excluded.insert(number);
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
  for (auto &[number, join] : tried)
    emitRemark(join.loc) << "'" << join.name
                         << "' is not put together: " << join.reason;
}

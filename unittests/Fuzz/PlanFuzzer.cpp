//===- PlanFuzzer.cpp - Any text as a plan file ---------------------------===//
//
// For a graph of a product, a window and a reduction.
//
//===----------------------------------------------------------------------===//

#include "../Planner/TestGraphs.h"
#include "tapestry/Planner/Plan/PlanFile.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

using namespace tapestry;

static model::PlanGraph makeGraph() {
  test::GraphBuilder builder;
  builder.input("A", {24, 30}).input("B", {30, 18});
  builder.vertex("C", "i k", {{"A", "i j"}, {"B", "j k"}});
  builder.vertex("W", "i k", {{"~C", "i+r-1 k"}}, {{"i", 24}, {"r", 3}});
  builder.vertex("S", "i", {{"W", "i k"}});
  return builder.graph;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const model::PlanGraph original = makeGraph();
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  llvm::consumeError(plan::parsePlanRewrites(text, "p.json").takeError());
  model::PlanGraph graph = original;
  llvm::Expected<plan::Plan> plan = plan::followPlan(text, "p.json", graph);
  if (!plan) {
    if (llvm::toString(plan.takeError()).empty())
      abort();
    return 0;
  }
  // What is accepted can be written, and followed as it is.
  std::string written;
  llvm::raw_string_ostream os(written);
  plan::writePlan(os, graph, *plan);
  model::PlanGraph again = original;
  llvm::cantFail(plan::followPlan(written, "p.json", again).takeError());
  return 0;
}

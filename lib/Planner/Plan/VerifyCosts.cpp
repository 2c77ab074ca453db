//===- VerifyCosts.cpp - Whether a plan's costs are right -----------------===//

#include "VerifyCosts.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include <cmath>

using namespace tapestry;
using namespace tapestry::cost;
using namespace tapestry::model;
using namespace tapestry::plan;

static llvm::Error compareCost(llvm::StringRef place, llvm::StringRef what,
                               double stated, double counted) {
  if (std::abs(stated - counted) <= 1e-9 * std::abs(counted))
    return llvm::Error::success();
  return planError(place, what, " is given as ", llvm::format("%.17g", stated),
                   ", counted are ", llvm::format("%.17g", counted));
}

llvm::Error plan::verifyCosts(const PlanGraph &graph, const Plan &plan) {
  const CostModel &model = plan.model();
  std::vector<VertexCost> counted = model.recount(plan.decided(graph));
  double total = 0;
  for (unsigned v = 0; v < graph.vertices.size(); ++v) {
    std::string place = "vertex '" + graph.vertices[v].name + "': ";
    const VertexCost &stated = plan.vertices[v].cost;
    for (auto [number, component] : llvm::enumerate(model.components()))
      if (llvm::Error error = compareCost(place, component.key, stated[number],
                                          counted[v][number]))
        return error;
    total += counted[v].total();
  }
  if (llvm::Error error = compareCost("the plan's ", "cost", plan.cost, total))
    return error;
  if (plan.lowerBound > plan.cost)
    return planError("the plan's lower bound ",
                     llvm::format("%.17g", plan.lowerBound),
                     " exceeds its cost ", llvm::format("%.17g", plan.cost));
  if (plan.provedOptimal && plan.lowerBound != plan.cost)
    return planError(
        "the plan is called optimal at cost ", llvm::format("%.17g", plan.cost),
        " with a lower bound of ", llvm::format("%.17g", plan.lowerBound));
  return llvm::Error::success();
}

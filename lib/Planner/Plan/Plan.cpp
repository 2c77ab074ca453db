//===- Plan.cpp - What a planner decides ----------------------------------===//

#include "tapestry/Planner/Plan/Plan.h"

using namespace tapestry;
using namespace tapestry::cost;
using namespace tapestry::model;
using namespace tapestry::plan;

std::vector<PartVector> Plan::allParts() const {
  std::vector<PartVector> parts;
  for (const PlannedVertex &vertex : vertices)
    parts.push_back(vertex.parts);
  return parts;
}

const CostModel &Plan::model() const {
  // Whoever made the plan has looked it up.
  return *llvm::cantFail(costModelNamed(costModel));
}

DecidedPlan Plan::decided(const PlanGraph &graph) const {
  return {{graph, grid, machine}, allParts(), placement};
}

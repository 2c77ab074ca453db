//===- Problem.cpp - The planning problem that solvers see ----------------===//

#include "tapestry/Planner/Problem.h"
#include <algorithm>
#include <numeric>

using namespace tapestry;

ClassMap ClassMap::identity(uint32_t numChoices) {
  ClassMap map;
  map.classOf.resize(numChoices);
  std::iota(map.classOf.begin(), map.classOf.end(), 0);
  map.numClasses = numChoices;
  return map;
}

static llvm::Error checkClasses(const PlanProblem &problem, unsigned edge,
                                unsigned variable, const SharedClasses &classes,
                                uint32_t tableSize) {
  const PlanProblem::Variable &v = problem.variables[variable];
  if (!classes || classes->classOf.size() != v.numChoices())
    return planError("edge ", edge, ": classes for ",
                     classes ? classes->classOf.size() : 0, " choices of '",
                     v.name, "', which has ", v.numChoices());
  if (classes->numClasses != tableSize)
    return planError("edge ", edge, ": ", classes->numClasses, " classes of '",
                     v.name, "', the table has ", tableSize);
  for (uint32_t number : classes->classOf)
    if (number >= classes->numClasses)
      return planError("edge ", edge, ": class ", number, " of '", v.name,
                       "' of ", classes->numClasses);
  return llvm::Error::success();
}

llvm::Error PlanProblem::validate() const {
  for (const Variable &v : variables) {
    if (!v.costs || v.costs->empty())
      return planError("variable '", v.name, "' has no choices");
    if (v.bytes && v.bytes->size() != v.numChoices())
      return planError("variable '", v.name, "' has ", v.numChoices(),
                       " choices and bytes for ", v.bytes->size());
  }
  for (unsigned number = 0; number < edges.size(); ++number) {
    const Edge &edge = edges[number];
    if (edge.from >= edge.to || edge.to >= variables.size())
      return planError("edge ", number, " leads from variable ", edge.from,
                       " to ", edge.to, " of ", variables.size());
    if (!edge.table || edge.table->values.size() !=
                           size_t(edge.table->rows) * edge.table->columns)
      return planError("edge ", number, " has no complete table");
    if (llvm::Error error = checkClasses(*this, number, edge.from,
                                         edge.fromClasses, edge.table->rows))
      return error;
    if (llvm::Error error = checkClasses(*this, number, edge.to, edge.toClasses,
                                         edge.table->columns))
      return error;
  }
  return llvm::Error::success();
}

double PlanProblem::edgeCost(const Edge &edge,
                             llvm::ArrayRef<uint32_t> choice) const {
  return edge.table->at(edge.fromClasses->classOf[choice[edge.from]],
                        edge.toClasses->classOf[choice[edge.to]]);
}

double PlanProblem::evaluate(llvm::ArrayRef<uint32_t> choice) const {
  double cost = 0;
  for (unsigned v = 0; v < variables.size(); ++v)
    cost += (*variables[v].costs)[choice[v]];
  for (const Edge &edge : edges)
    cost += edgeCost(edge, choice);
  return cost;
}

double PlanProblem::independentBound() const {
  double bound = 0;
  for (const Variable &v : variables)
    bound += *std::min_element(v.costs->begin(), v.costs->end());
  for (const Edge &edge : edges)
    bound +=
        *std::min_element(edge.table->values.begin(), edge.table->values.end());
  return bound;
}

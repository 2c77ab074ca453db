//===- Problem.cpp - The planning problem that solvers see ----------------===//

#include "tapestry/Planner/Optimize/Problem.h"
#include <algorithm>
#include <map>
#include <numeric>

using namespace tapestry;
using namespace tapestry::optimize;

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
  for (unsigned number = 0; number < memory.size(); ++number) {
    const MemoryTerm &term = memory[number];
    size_t owners = term.ofEdge ? edges.size() : variables.size();
    if (term.owner >= owners)
      return planError("memory term ", number, " belongs to number ",
                       term.owner, " of ", owners);
    size_t wanted = term.ofEdge ? edges[term.owner].table->values.size()
                                : variables[term.owner].numChoices();
    if (!term.bytes || term.bytes->size() != wanted)
      return planError("memory term ", number, " has ",
                       term.bytes ? term.bytes->size() : 0, " entries for ",
                       wanted);
    if (term.first > term.last)
      return planError("memory term ", number, " is held from step ",
                       term.first, " to step ", term.last);
  }
  return llvm::Error::success();
}

int64_t PlanProblem::peakBytes(llvm::ArrayRef<uint32_t> choice) const {
  std::map<unsigned, int64_t> change;
  for (const MemoryTerm &term : memory) {
    size_t entry = 0;
    if (term.ofEdge) {
      const Edge &edge = edges[term.owner];
      entry = size_t(edge.fromClasses->classOf[choice[edge.from]]) *
                  edge.table->columns +
              edge.toClasses->classOf[choice[edge.to]];
    } else {
      entry = choice[term.owner];
    }
    change[term.first] += (*term.bytes)[entry];
    change[term.last + 1] -= (*term.bytes)[entry];
  }
  int64_t held = 0, peak = 0;
  for (auto [step, bytes] : change)
    peak = std::max(peak, held += bytes);
  return peak;
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

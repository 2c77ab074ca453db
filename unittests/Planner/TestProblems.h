//===- TestProblems.h - Problems of no graph, and their optima --*- C++ -*-===//

#ifndef TAPESTRY_UNITTESTS_PLANNER_TESTPROBLEMS_H
#define TAPESTRY_UNITTESTS_PLANNER_TESTPROBLEMS_H

#include "tapestry/Planner/Optimize/Problem.h"
#include <random>

namespace tapestry::test {

/// Any costs, any classes, parallel edges, no memory.
optimize::PlanProblem randomProblem(std::mt19937 &random, unsigned variables,
                                    uint32_t mostChoices);

/// Every variable joined to every earlier one with this probability, by a table
/// of its own over all choices.
optimize::PlanProblem randomDenseProblem(std::mt19937 &random,
                                         unsigned variables, uint32_t choices,
                                         double density);

/// Adds memory terms of variables and edges over `steps` steps, some held
/// throughout, and no limit.
void addRandomMemory(std::mt19937 &random, optimize::PlanProblem &problem,
                     unsigned steps);

/// `layers` equal blocks around a residual stream, in the form of the model
/// with a work and a home variable per vertex: `choices` per work variable,
/// `classes` per home. Parts are shared between layers. With memory, weights
/// are held throughout and activations while they are used.
optimize::PlanProblem layeredProblem(unsigned layers, uint32_t choices,
                                     uint32_t classes, bool withMemory);

struct Optimum {
  bool isFound = false;
  double cost = 0;
};
/// The least cost of all choices that keep `limit` (0: none) at every step, by
/// going through them all; nothing is taken from the solvers.
Optimum exhaustiveOptimum(const optimize::PlanProblem &problem, int64_t limit);
/// The least peak of all choices, in the same way.
int64_t exhaustiveLeastPeak(const optimize::PlanProblem &problem);
/// Per variable and choice the least cost of all combinations with it that keep
/// the problem's memory limit; infinite where there is none.
std::vector<std::vector<double>>
exhaustiveMarginals(const optimize::PlanProblem &problem);
/// How many combinations of choices there are.
double combinations(const optimize::PlanProblem &problem);

} // namespace tapestry::test

#endif // TAPESTRY_UNITTESTS_PLANNER_TESTPROBLEMS_H

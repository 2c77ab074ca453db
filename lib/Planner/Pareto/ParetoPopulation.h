//===- ParetoPopulation.h - The frontier and its neighbourhood --*- C++ -*-===//

#ifndef TAPESTRY_LIB_PLANNER_PARETO_PARETOPOPULATION_H
#define TAPESTRY_LIB_PLANNER_PARETO_PARETOPOPULATION_H

#include "StateEvaluator.h"
#include "tapestry/Planner/Pareto/ParetoControl.h"
#include <unordered_set>

namespace tapestry::pareto {

/// The plans that may become parents: the frontier within the limits, and plans
/// near it or outside the limits.
class ParetoPopulation {
public:
  struct Options {
    Objectives limits = noLimits;
    unsigned maxMembers = 200;
    unsigned neighbourhood = 200;
    /// A parent that is this far behind, as a logarithm, is chosen e times as
    /// rarely as a member of the frontier.
    double reach = 0.1;
    /// How much farther behind a plan counts for every unit of violation.
    double penalty = 1;
  };

  struct Member {
    ParetoState state;
    Objectives objectives = {};
    Objectives scaled = {};
    /// By how much it breaks the limits; 0 within them.
    double violation = 0;
    /// How far behind the frontier.
    double distance = 0;
    bool onFrontier = false;
    /// The starting point that it is, or -1.
    int start = -1;
    /// The mutators since the last ancestor on the frontier, and all of them.
    std::vector<unsigned> recent;
    std::vector<unsigned> history;
    /// Ascends with every insertion.
    uint64_t number = 0;
  };

  ParetoPopulation(const ObjectiveScale &scale, const Options &options);

  /// Remembers a state; false if it was known.
  bool isNew(const ParetoState &state) {
    return seen.insert(state.hash()).second;
  }
  struct Outcome {
    /// It is now on the frontier.
    bool improved = false;
    /// By what share the frontier's volume has grown.
    double gain = 0;
  };
  /// Takes a plan in if it is good enough. Frontier members that it dominates
  /// become neighbours.
  Outcome insert(Member member);

  /// A parent: the likelier, the nearer to the frontier.
  const Member &pickParent(Random &random);
  /// Another one of the same graph and grid, or null.
  const Member *pickPartner(const ParetoState &state, Random &random);

  const std::vector<Member> &members() const { return all; }
  std::vector<const Member *> frontier() const;
  /// The least violation seen, with the plan that has it.
  const Member &closest() const { return nearest; }
  /// The frontier's hypervolume, scaled.
  double volume() const { return total; }

private:
  std::vector<Objectives> frontierPoints() const;
  double rankOf(const Member &member) const {
    return member.distance + options.penalty * member.violation;
  }
  /// Computes distances and weights again after the frontier has moved.
  void refresh();
  /// Drops what is too much.
  void shrink();
  void shrinkFrontier();

  ObjectiveScale scale;
  Options options;
  Objectives scaledLimits;
  std::vector<Member> all;
  std::vector<double> weights;
  std::unordered_set<uint64_t> seen;
  Member nearest;
  double total = 0;
  uint64_t nextNumber = 0;
  bool isStale = false;
};

} // namespace tapestry::pareto

#endif // TAPESTRY_LIB_PLANNER_PARETO_PARETOPOPULATION_H

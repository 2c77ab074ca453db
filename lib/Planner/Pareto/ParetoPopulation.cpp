//===- ParetoPopulation.cpp - The frontier and its neighbourhood ----------===//

#include "ParetoPopulation.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>

using namespace tapestry;
using namespace tapestry::pareto;

ParetoPopulation::ParetoPopulation(const ObjectiveScale &scale,
                                   const Options &options)
    : scale(scale), options(options), scaledLimits(scale(options.limits)) {
  nearest.violation = std::numeric_limits<double>::infinity();
}

std::vector<Objectives> ParetoPopulation::frontierPoints() const {
  std::vector<Objectives> points;
  for (const Member &member : all)
    if (member.onFrontier)
      points.push_back(member.scaled);
  return points;
}

std::vector<const ParetoPopulation::Member *>
ParetoPopulation::frontier() const {
  std::vector<const Member *> result;
  for (const Member &member : all)
    if (member.onFrontier)
      result.push_back(&member);
  return result;
}

ParetoPopulation::Outcome ParetoPopulation::insert(Member member) {
  member.scaled = scale(member.objectives);
  member.violation = violation(member.scaled, scaledLimits);
  member.number = nextNumber++;
  member.onFrontier = false;
  if (member.violation < nearest.violation)
    nearest = member;

  Outcome outcome;
  std::vector<Objectives> points = frontierPoints();
  bool isCovered = llvm::any_of(all, [&](const Member &other) {
    return other.onFrontier && covers(other.objectives, member.objectives);
  });
  if (member.violation == 0 && !isCovered) {
    outcome.improved = true;
    double gain = exclusiveVolume(member.scaled, points, scale.reference());
    total += gain;
    outcome.gain = total > 0 ? gain / total : 0;
    member.onFrontier = true;
    member.distance = 0;
    for (Member &other : all)
      if (other.onFrontier && dominates(member.objectives, other.objectives))
        other.onFrontier = false;
    isStale = true;
  } else {
    member.distance = distanceBehind(member.scaled, points);
  }
  weights.push_back(std::exp(-rankOf(member) / options.reach));
  all.push_back(std::move(member));
  shrink();
  return outcome;
}

void ParetoPopulation::refresh() {
  if (!isStale)
    return;
  isStale = false;
  std::vector<Objectives> points = frontierPoints();
  for (unsigned i = 0; i < all.size(); ++i) {
    Member &member = all[i];
    member.distance =
        member.onFrontier ? 0 : distanceBehind(member.scaled, points);
    weights[i] = std::exp(-rankOf(member) / options.reach);
  }
}

void ParetoPopulation::shrink() {
  unsigned onFrontier = 0;
  for (const Member &member : all)
    onFrontier += member.onFrontier;
  // A few at a time: each round looks at every distance.
  unsigned room = options.neighbourhood + options.neighbourhood / 4;
  if (onFrontier > options.maxMembers)
    shrinkFrontier();
  if (all.size() - onFrontier <= room)
    return;
  refresh();
  std::vector<unsigned> order;
  for (unsigned i = 0; i < all.size(); ++i)
    if (!all[i].onFrontier)
      order.push_back(i);
  // The nearest stay and, of equals, the youngest: plateaus are crossed.
  llvm::sort(order, [&](unsigned a, unsigned b) {
    double x = rankOf(all[a]), y = rankOf(all[b]);
    return x != y ? x < y : all[a].number > all[b].number;
  });
  std::vector<bool> keep(all.size(), true);
  for (unsigned i : llvm::drop_begin(order, options.neighbourhood))
    keep[i] = false;
  unsigned next = 0;
  for (unsigned i = 0; i < all.size(); ++i) {
    if (!keep[i])
      continue;
    if (next != i) {
      all[next] = std::move(all[i]);
      weights[next] = weights[i];
    }
    ++next;
  }
  all.resize(next);
  weights.resize(next);
}

/// How much worse `other` is than `member` where it is worst: small if it can
/// stand for it.
static double replacementLoss(const Objectives &member,
                              const Objectives &other) {
  double worst = 0;
  for (unsigned i = 0; i < numObjectives; ++i)
    worst = std::max(worst, other[i] - member[i]);
  return worst;
}

void ParetoPopulation::shrinkFrontier() {
  std::vector<Member *> front;
  for (Member &member : all)
    if (member.onFrontier)
      front.push_back(&member);
  // The first with the best value of an objective stays, and so do starts.
  std::vector<bool> stays(front.size(), false);
  for (unsigned i = 0; i < numObjectives; ++i) {
    auto best = llvm::min_element(front, [&](Member *a, Member *b) {
      return a->objectives[i] < b->objectives[i];
    });
    stays[best - front.begin()] = true;
  }
  // The one that another can best stand for goes.
  Member *least = nullptr;
  double leastLoss = std::numeric_limits<double>::infinity();
  for (unsigned m = 0; m < front.size(); ++m) {
    if (stays[m] || front[m]->start >= 0)
      continue;
    double loss = std::numeric_limits<double>::infinity();
    for (unsigned o = 0; o < front.size(); ++o)
      if (o != m)
        loss =
            std::min(loss, replacementLoss(front[m]->scaled, front[o]->scaled));
    if (loss < leastLoss) {
      least = front[m];
      leastLoss = loss;
    }
  }
  if (least)
    least->onFrontier = false;
  isStale = true;
}

const ParetoPopulation::Member &ParetoPopulation::pickParent(Random &random) {
  refresh();
  // Far outside the limits all weights may vanish.
  double sum = 0;
  for (double weight : weights)
    sum += weight;
  return all[sum > 1e-300 ? random.weighted(weights)
                          : random.below(all.size())];
}

const ParetoPopulation::Member *
ParetoPopulation::pickPartner(const ParetoState &state, Random &random) {
  refresh();
  std::vector<double> fitting(all.size(), 0);
  bool hasAny = false;
  for (unsigned i = 0; i < all.size(); ++i)
    if (all[i].state.graph == state.graph && all[i].state.grid == state.grid &&
        !(all[i].state == state) && weights[i] > 1e-300) {
      fitting[i] = weights[i];
      hasAny = true;
    }
  return hasAny ? &all[random.weighted(fitting)] : nullptr;
}

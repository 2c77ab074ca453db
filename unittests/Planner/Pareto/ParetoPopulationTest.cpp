//===- ParetoPopulationTest.cpp - Who may become a parent -----------------===//

#include "../../../lib/Planner/Pareto/ParetoPopulation.h"
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <map>

using namespace tapestry;
using namespace tapestry::pareto;

namespace {

/// Objectives whose scaled values are these.
Objectives unscaled(Objectives scaled) {
  for (double &value : scaled)
    value = std::expm1(value);
  return scaled;
}

/// The unit of every objective is 1, the corner at 10.
ObjectiveScale testScale() {
  return ObjectiveScale({{1, 1, 1, 1}, unscaled({10, 10, 10, 10})}, 0);
}

ParetoPopulation::Member memberAt(Objectives scaled, uint32_t name) {
  ParetoPopulation::Member member;
  member.objectives = unscaled(scaled);
  member.state.cuts = {name};
  member.state.homes = {0};
  return member;
}

/// How often each plan is the parent, by its name.
std::map<uint32_t, int> parents(ParetoPopulation &population, int trials) {
  Random random(3);
  std::map<uint32_t, int> count;
  for (int i = 0; i < trials; ++i)
    ++count[population.pickParent(random).state.cuts[0]];
  return count;
}

TEST(ParetoPopulation, ParentsAreRarerTheFartherBehind) {
  ParetoPopulation population(testScale(), {});
  EXPECT_TRUE(population.insert(memberAt({5, 5, 5, 5}, 0)).improved);
  EXPECT_FALSE(population.insert(memberAt({5.1, 5.1, 5.1, 5.1}, 1)).improved);
  EXPECT_FALSE(population.insert(memberAt({5.3, 5.3, 5.3, 5.3}, 3)).improved);
  auto count = parents(population, 30000);
  // A reach of 0.1: e times as rarely for every 0.1.
  EXPECT_NEAR(double(count[0]) / count[1], std::exp(1), 0.15);
  EXPECT_NEAR(double(count[0]) / count[3], std::exp(3), 3);
  EXPECT_GT(count[3], 0);
}

TEST(ParetoPopulation, TheFrontierMoves) {
  ParetoPopulation population(testScale(), {});
  population.insert(memberAt({5, 5, 5, 5}, 0));
  double before = population.volume();
  EXPECT_DOUBLE_EQ(before, 625);
  ParetoPopulation::Outcome outcome =
      population.insert(memberAt({4.9, 5, 5, 5}, 1));
  EXPECT_TRUE(outcome.improved);
  EXPECT_NEAR(outcome.gain, 12.5 / 637.5, 1e-9);
  EXPECT_EQ(population.frontier().size(), 1u);
  EXPECT_EQ(population.members().size(), 2u);
  // Equal objectives are no improvement, but may be parents.
  EXPECT_FALSE(population.insert(memberAt({4.9, 5, 5, 5}, 2)).improved);
  auto count = parents(population, 30000);
  EXPECT_NEAR(double(count[1]) / count[2], 1, 0.1);
  EXPECT_LE(count[0], count[1] * 1.1);
}

TEST(ParetoPopulation, LimitsKeepPlansOffTheFrontierButNotOut) {
  ParetoPopulation::Options options;
  options.limits[Memory] = std::expm1(4.0);
  ParetoPopulation population(testScale(), options);
  EXPECT_FALSE(population.insert(memberAt({1, 1, 4.2, 1}, 0)).improved);
  EXPECT_FALSE(population.insert(memberAt({1, 1, 4.1, 1}, 1)).improved);
  EXPECT_TRUE(population.frontier().empty());
  EXPECT_EQ(population.closest().state.cuts[0], 1u);
  // Nearer to the limit, likelier.
  auto count = parents(population, 30000);
  EXPECT_NEAR(double(count[1]) / count[0], std::exp(1), 0.15);
  EXPECT_TRUE(population.insert(memberAt({3, 3, 4, 3}, 2)).improved);
  EXPECT_EQ(population.frontier().size(), 1u);
  EXPECT_EQ(population.closest().state.cuts[0], 2u);
  EXPECT_GT(parents(population, 30000)[1], 5000);
}

TEST(ParetoPopulation, TheNearestStay) {
  ParetoPopulation::Options options;
  options.neighbourhood = 8;
  ParetoPopulation population(testScale(), options);
  population.insert(memberAt({1, 1, 1, 1}, 0));
  for (uint32_t i = 60; i > 0; --i) {
    double value = 1 + 0.01 * i;
    population.insert(memberAt({value, value, value, value}, i));
  }
  EXPECT_LE(population.members().size(), 11u);
  for (const ParetoPopulation::Member &member : population.members())
    EXPECT_LE(member.state.cuts[0], 10u);
  EXPECT_EQ(population.frontier().size(), 1u);
}

TEST(ParetoPopulation, AFullFrontierKeepsExtremesAndStarts) {
  ParetoPopulation::Options options;
  options.maxMembers = 10;
  ParetoPopulation population(testScale(), options);
  for (uint32_t i = 0; i <= 40; ++i) {
    ParetoPopulation::Member member =
        memberAt({1 + 0.1 * i, 5 - 0.1 * i, 2, 2}, i);
    member.start = i == 17 ? 0 : -1;
    population.insert(member);
  }
  std::vector<uint32_t> names;
  for (const ParetoPopulation::Member *member : population.frontier())
    names.push_back(member->state.cuts[0]);
  EXPECT_EQ(names.size(), 10u);
  for (uint32_t name : {0u, 17u, 40u})
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
}

TEST(ParetoPopulation, KnowsStates) {
  ParetoPopulation population(testScale(), {});
  ParetoState a = memberAt({1, 1, 1, 1}, 1).state, b = a, c = a, d = a;
  b.homes[0] = 1;
  c.grid = 1;
  d.graph = 1;
  for (const ParetoState *state : {&a, &b, &c, &d}) {
    EXPECT_TRUE(population.isNew(*state));
    EXPECT_FALSE(population.isNew(*state));
  }
}

TEST(ParetoPopulation, PartnersShareGraphAndGrid) {
  ParetoPopulation population(testScale(), {});
  ParetoPopulation::Member a = memberAt({1, 5, 1, 1}, 1);
  ParetoPopulation::Member b = memberAt({5, 1, 1, 1}, 2);
  ParetoPopulation::Member c = memberAt({3, 3, 1, 1}, 3);
  c.state.grid = 1;
  population.insert(a);
  population.insert(c);
  Random random(1);
  EXPECT_EQ(population.pickPartner(a.state, random), nullptr);
  population.insert(b);
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(population.pickPartner(a.state, random)->state.cuts[0], 2u);
}

} // namespace

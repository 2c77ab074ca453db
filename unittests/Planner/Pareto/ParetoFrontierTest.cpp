//===- ParetoFrontierTest.cpp - Dominance, volumes and steering -----------===//

#include "tapestry/Planner/Pareto/ParetoFrontier.h"
#include "tapestry/Planner/Pareto/ParetoControl.h"
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>

using namespace tapestry;
using namespace tapestry::pareto;

namespace {

const Objectives unitCorner = {1, 1, 1, 1};

TEST(ParetoFrontier, Dominance) {
  Objectives a = {1, 2, 3, 4};
  EXPECT_FALSE(dominates(a, a));
  EXPECT_TRUE(covers(a, a));
  EXPECT_TRUE(dominates({1, 2, 3, 3}, a));
  EXPECT_FALSE(dominates(a, {1, 2, 3, 3}));
  // Better here, worse there: neither.
  EXPECT_FALSE(dominates({0, 2, 3, 5}, a));
  EXPECT_FALSE(covers({0, 2, 3, 5}, a));
  EXPECT_FALSE(dominates(a, {0, 2, 3, 5}));
}

TEST(ParetoFrontier, NondominatedKeepsTheFirstOfEquals) {
  std::vector<Objectives> points = {{2, 2, 2, 2}, {1, 3, 2, 2}, {2, 2, 2, 2},
                                    {3, 3, 3, 3}, {1, 3, 2, 1}, {2, 2, 2, 3}};
  EXPECT_EQ(nondominated(points), (std::vector<unsigned>{0, 4}));
}

TEST(ParetoFrontier, VolumeOfBoxes) {
  EXPECT_DOUBLE_EQ(hypervolume({}, unitCorner), 0);
  EXPECT_DOUBLE_EQ(hypervolume({{0, 0, 0, 0}}, unitCorner), 1);
  EXPECT_DOUBLE_EQ(hypervolume({{.5, .5, .5, .5}}, unitCorner), 1.0 / 16);
  // Two halves that overlap in a quarter.
  std::vector<Objectives> halves = {{.5, 0, 0, 0}, {0, .5, 0, 0}};
  EXPECT_DOUBLE_EQ(hypervolume(halves, unitCorner), 0.75);
  // A point beyond the corner and dominated points add nothing.
  halves.push_back({0, 0, 0, 2});
  halves.push_back({.6, .6, .1, .1});
  EXPECT_DOUBLE_EQ(hypervolume(halves, unitCorner), 0.75);
}

/// Counts the cells of a lattice that some point covers: exact where
/// coordinates are multiples of 1 / cells.
double countedVolume(const std::vector<Objectives> &points, int cells) {
  int64_t covered = 0;
  for (int a = 0; a < cells; ++a)
    for (int b = 0; b < cells; ++b)
      for (int c = 0; c < cells; ++c)
        for (int d = 0; d < cells; ++d) {
          Objectives cell = {double(a) / cells, double(b) / cells,
                             double(c) / cells, double(d) / cells};
          for (const Objectives &point : points)
            if (covers(point, cell)) {
              ++covered;
              break;
            }
        }
  return covered / std::pow(cells, 4);
}

TEST(ParetoFrontier, VolumeEqualsCountedCells) {
  Random random(1);
  for (int round = 0; round < 40; ++round) {
    std::vector<Objectives> points(1 + random.below(12));
    for (Objectives &point : points)
      for (double &value : point)
        value = double(random.below(9)) / 8;
    double volume = hypervolume(points, unitCorner);
    EXPECT_NEAR(volume, countedVolume(points, 8), 1e-12);
    // What the last point adds is the difference.
    Objectives last = points.back();
    points.pop_back();
    EXPECT_NEAR(exclusiveVolume(last, points, unitCorner),
                volume - hypervolume(points, unitCorner), 1e-12);
  }
}

TEST(ParetoFrontier, DistanceBehind) {
  std::vector<Objectives> front = {{0, 1, 0, 0}, {1, 0, 0, 0}};
  EXPECT_DOUBLE_EQ(distanceBehind({0, 1, 0, 0}, front), 0);
  EXPECT_DOUBLE_EQ(distanceBehind({.5, .5, 0, 0}, front), 0);
  // To escape the first member it is enough to shrink by the least excess.
  EXPECT_DOUBLE_EQ(distanceBehind({.5, 1.25, .75, .5}, front), 0.25);
  EXPECT_DOUBLE_EQ(distanceBehind({1, 1, 1, 1}, {}), 0);
}

TEST(ParetoFrontier, ViolationAddsUpWhatIsTooMuch) {
  EXPECT_DOUBLE_EQ(violation({1, 2, 3, 4}, noLimits), 0);
  EXPECT_DOUBLE_EQ(violation({1, 2, 3, 4}, {1, 1, 5, 3.5}), 1.5);
}

TEST(ParetoFrontier, ScaleTurnsRatiosIntoSteps) {
  ObjectiveScale scale({{1e-6, 0, 1e9, 1}, {1e-3, 1e6, 1e9, 8}}, 0.5);
  Objectives zero = scale({0, 0, 0, 0});
  EXPECT_EQ(zero, (Objectives{0, 0, 0, 0}));
  // Far from the unit, a factor of 10 is a step of log(10) in any objective.
  Objectives a = scale({1e-2, 1e9, 1e12, 1}), b = scale({1e-1, 1e10, 1e13, 1});
  for (unsigned i : {Seconds, Bytes, Memory})
    EXPECT_NEAR(b[i] - a[i], std::log(10), 1e-2);
  Objectives worst = scale({1e-3, 1e6, 1e9, 8});
  for (unsigned i = 0; i < numObjectives; ++i)
    EXPECT_DOUBLE_EQ(scale.reference()[i], worst[i] + 0.5);
}

//===----------------------------------------------------------------------===//
// Firing rates
//===----------------------------------------------------------------------===//

TEST(ParetoRates, StartAtThePrior) {
  FiringRates rates({0.1, 0.3});
  std::vector<double> chances = rates.rates();
  // A floor of 0.15, shared; the rest as 1 to 3.
  EXPECT_DOUBLE_EQ(chances[0], 0.075 + 0.85 * 0.25);
  EXPECT_DOUBLE_EQ(chances[1], 0.075 + 0.85 * 0.75);
}

TEST(ParetoRates, FollowSuccessPerTrialAndNeverDie) {
  FiringRates rates({0.1, 0.1, 0.1});
  for (int i = 0; i < 2000; ++i) {
    rates.fired(0, 1);
    rates.fired(1, 1);
    rates.fired(2, 10);
    // The same successes, at ten times the cost.
    if (i % 10 == 0) {
      rates.succeeded(1, 1);
      rates.succeeded(2, 1);
    }
  }
  std::vector<double> chances = rates.rates();
  EXPECT_NEAR(std::accumulate(chances.begin(), chances.end(), 0.0), 1, 1e-12);
  EXPECT_GT(chances[1], 3 * chances[2]);
  EXPECT_GT(chances[2], chances[0]);
  for (double chance : chances)
    EXPECT_GE(chance, 0.05);
}

TEST(ParetoRates, OldExperienceFades) {
  FiringRates rates({0.1, 0.1});
  auto live = [&](unsigned good) {
    for (int i = 0; i < 20000; ++i)
      for (unsigned m : {0u, 1u}) {
        rates.fired(m, 1);
        if (m == good && i % 10 == 0)
          rates.succeeded(m, 1);
      }
  };
  live(0);
  EXPECT_GT(rates.rates()[0], 0.8);
  live(1);
  EXPECT_GT(rates.rates()[1], 0.8);
}

TEST(ParetoRates, RandomIsAsWeightsSay) {
  Random random(7);
  std::vector<double> weights = {0, 3, 0, 1};
  std::vector<int> count(4, 0);
  for (int i = 0; i < 8000; ++i)
    ++count[random.weighted(weights)];
  EXPECT_EQ(count[0] + count[2], 0);
  EXPECT_NEAR(count[1], 6000, 200);
  // The same seed, the same numbers, with any standard library.
  EXPECT_EQ(Random(0).below(1'000'000'007), Random(0).below(1'000'000'007));
  EXPECT_EQ(Random(5489).below(uint64_t(-1)), 14514284786278117030ull);
}

//===----------------------------------------------------------------------===//
// Stopping
//===----------------------------------------------------------------------===//

TEST(ParetoStopping, GoesOnWhileGainsPay) {
  StoppingRule rule({/*price=*/1e-3, /*leastTrials=*/1000});
  for (int64_t trial = 1; trial <= 20000; ++trial) {
    if (trial % 50 == 0)
      rule.improved(trial, 1e-3);
    EXPECT_FALSE(rule.shouldStop(trial)) << trial;
  }
  // 20 improvements of a thousandth per 1000 trials.
  EXPECT_NEAR(rule.expectedGain(20000), 0.02, 0.001);
}

TEST(ParetoStopping, StopsWhenNothingComes) {
  StoppingRule rule({1e-3, 1000});
  for (int64_t trial = 50; trial <= 1000; trial += 50)
    rule.improved(trial, 0.01);
  EXPECT_FALSE(rule.shouldStop(1000));
  EXPECT_FALSE(rule.shouldStop(4000));
  // After n trials without success the chance of one is 1 / (n / 2 + 2), and
  // each was worth a hundredth: below a thousandth per 1000 past 20,000.
  EXPECT_FALSE(rule.shouldStop(19000));
  EXPECT_TRUE(rule.shouldStop(21000));
  // The expectation only falls.
  double before = rule.expectedGain(2000);
  for (int64_t trial = 2100; trial < 40000; trial += 100) {
    double now = rule.expectedGain(trial);
    EXPECT_LE(now, before);
    before = now;
  }
}

TEST(ParetoStopping, ThePriceDecides) {
  auto stopsAt = [](double price) {
    StoppingRule rule({price, 100});
    rule.improved(10, 0.1);
    int64_t trial = 1;
    while (trial < 10'000'000 && !rule.shouldStop(trial))
      ++trial;
    return trial;
  };
  EXPECT_LT(stopsAt(1), stopsAt(0.1));
  EXPECT_LT(stopsAt(0.1), stopsAt(0.01));
  // A search that costs nothing goes on.
  EXPECT_EQ(stopsAt(0), 10'000'000);
}

TEST(ParetoStopping, NothingEverFoundEndsAfterTheLeastTrials) {
  StoppingRule rule({1e-3, 500});
  EXPECT_FALSE(rule.shouldStop(499));
  EXPECT_TRUE(rule.shouldStop(500));
}

} // namespace

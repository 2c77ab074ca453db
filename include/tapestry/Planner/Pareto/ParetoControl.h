//===- ParetoControl.h - How a stochastic search steers itself --*- C++ -*-===//
//
// Which mutator fires next, from the record of those that fired before, and
// when going on is no longer worth its price. Both reckon in trials, never in
// measured time, so that the same seed gives the same search on any machine.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_PLANNER_PARETO_PARETOCONTROL_H
#define TAPESTRY_PLANNER_PARETO_PARETOCONTROL_H

#include "llvm/ADT/ArrayRef.h"
#include <random>
#include <vector>

namespace tapestry::pareto {

/// Random numbers that are the same with every standard library.
class Random {
public:
  explicit Random(uint64_t seed) : engine(seed) {}
  /// One of 0 ... n - 1; n >= 1.
  uint64_t below(uint64_t n) { return engine() % n; }
  /// In [0, 1).
  double unit() { return double(engine() >> 11) * 0x1.0p-53; }
  bool chance(double probability) { return unit() < probability; }
  /// A number of `weights` with probability proportional to its weight; the
  /// weights are not negative and one is positive.
  unsigned weighted(llvm::ArrayRef<double> weights);
  template <typename T> const T &oneOf(const std::vector<T> &list) {
    return list[below(list.size())];
  }

private:
  std::mt19937_64 engine;
};

/// The chance of every mutator to be tried next: a floor that all share, the
/// rest in proportion to success per trial. A prior stands for what benchmarks
/// taught; old experience fades.
class FiringRates {
public:
  struct Options {
    /// What all mutators together get whatever their record.
    double floor = 0.15;
    /// Trials that the prior counts for.
    double priorTrials = 50;
    /// After this many trials an experience counts half.
    double halfLife = 4000;
  };

  /// `prior`: the expected success per trial of every mutator, positive.
  explicit FiringRates(std::vector<double> prior)
      : FiringRates(std::move(prior), Options()) {}
  FiringRates(std::vector<double> prior, const Options &options);

  /// Mutator number `mutator` was tried, at a cost in trials.
  void fired(unsigned mutator, double trials);
  /// It is to be thanked for `credit` improvements of the frontier.
  void succeeded(unsigned mutator, double credit);
  /// The chances of all mutators; they add up to 1.
  std::vector<double> rates() const;

private:
  Options options;
  std::vector<double> prior;
  std::vector<double> trials;
  std::vector<double> successes;
};

/// Whether a search should go on. An improvement is worth the share by which it
/// makes the hypervolume larger. What the next trial is expected to bring is
/// estimated from the later half of the search so far: by Laplace's rule of
/// succession the chance of an improvement is (s + 1) / (n + 2) after s
/// improvements in n trials, and an improvement brings the mean of those seen
/// in that half (or else of the last one before it). The search ends when the
/// next 1000 trials are expected to bring less than `price`.
class StoppingRule {
public:
  struct Options {
    /// The least relative gain that makes 1000 trials worth their while; 0:
    /// never stop.
    double price = 1e-3;
    /// Trials before the rule may stop anything.
    int64_t leastTrials = 1000;
  };
  explicit StoppingRule(const Options &options) : options(options) {}

  /// An improvement at trial number `trial` (ascending) by this share.
  void improved(int64_t trial, double relativeGain);
  /// The relative gain that 1000 trials after number `trial` are expected to
  /// bring.
  double expectedGain(int64_t trial) const;
  bool shouldStop(int64_t trial) const;

private:
  struct Improvement {
    int64_t trial;
    double gain;
  };
  Options options;
  std::vector<Improvement> record;
};

} // namespace tapestry::pareto

#endif // TAPESTRY_PLANNER_PARETO_PARETOCONTROL_H

//===- ParetoControl.cpp - How a stochastic search steers itself ----------===//

#include "tapestry/Planner/Pareto/ParetoControl.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <numeric>

using namespace tapestry;
using namespace tapestry::pareto;

unsigned Random::weighted(llvm::ArrayRef<double> weights) {
  double left = unit() * std::accumulate(weights.begin(), weights.end(), 0.0);
  unsigned last = 0;
  for (unsigned i = 0; i < weights.size(); ++i) {
    if (weights[i] <= 0)
      continue;
    last = i;
    left -= weights[i];
    if (left < 0)
      break;
  }
  return last;
}

FiringRates::FiringRates(std::vector<double> prior, const Options &options)
    : options(options), prior(std::move(prior)), trials(this->prior.size(), 0),
      successes(this->prior.size(), 0) {}

void FiringRates::fired(unsigned mutator, double cost) {
  // The record of the mutator at work fades; others keep theirs until they are
  // tried again.
  double keep = std::exp2(-cost / options.halfLife);
  trials[mutator] = trials[mutator] * keep + cost;
  successes[mutator] *= keep;
}

void FiringRates::succeeded(unsigned mutator, double credit) {
  successes[mutator] += credit;
}

std::vector<double> FiringRates::rates() const {
  std::vector<double> result(prior.size());
  double sum = 0;
  for (unsigned i = 0; i < prior.size(); ++i) {
    result[i] = (prior[i] * options.priorTrials + successes[i]) /
                (options.priorTrials + trials[i]);
    sum += result[i];
  }
  for (double &rate : result)
    rate = options.floor / prior.size() + (1 - options.floor) * rate / sum;
  return result;
}

void StoppingRule::improved(int64_t trial, double relativeGain) {
  record.push_back({trial, relativeGain});
}

double StoppingRule::expectedGain(int64_t trial) const {
  if (record.empty())
    return 0;
  int64_t span = trial - trial / 2;
  double sum = 0;
  int64_t count = 0;
  for (const Improvement &improvement : llvm::reverse(record)) {
    if (improvement.trial <= trial / 2)
      break;
    sum += improvement.gain;
    ++count;
  }
  double mean = count ? sum / count : record.back().gain;
  return 1000 * mean * (count + 1) / (span + 2);
}

bool StoppingRule::shouldStop(int64_t trial) const {
  return options.price > 0 && trial >= options.leastTrials &&
         expectedGain(trial) < options.price;
}

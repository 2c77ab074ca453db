//===- GeometricProgram.cpp - Least sums over real cuts -------------------===//
//
// In the logarithms of the parts f is convex and the space is a box cut by one
// hyperplane, so moving weight between two labels at a time finds the minimum.
//
//===----------------------------------------------------------------------===//

#include "tapestry/Planner/Optimize/GeometricProgram.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

using namespace tapestry;
using namespace tapestry::optimize;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
/// What rounding may have cost a certificate, relative.
constexpr double slack = 1e-9;

class Minimizer {
public:
  Minimizer(const RealCutSpace &space, const Posynomial &f);

  bool isEmpty() const { return total > room * (1 + 1e-12) + 1e-9; }
  CutMinimum run();

private:
  double valueOf(const Monomial &term) const;
  void shift(unsigned from, unsigned to);
  double gap() const;

  const Posynomial &f;
  llvm::SmallVector<double, 6> logCaps, logParts;
  /// Values of the terms at logParts.
  std::vector<double> values;
  double total = 0;
  double room = 0;
};

} // namespace

Minimizer::Minimizer(const RealCutSpace &space, const Posynomial &f)
    : f(f), total(std::log(space.parts)) {
  for (double cap : space.caps) {
    logCaps.push_back(std::log(std::max(cap, 1.0)));
    room += logCaps.back();
  }
  double share = room > 0 ? std::min(total / room, 1.0) : 0;
  for (double cap : logCaps)
    logParts.push_back(cap * share);
}

double Minimizer::valueOf(const Monomial &term) const {
  double exponent = 0;
  for (auto [power, parts] : llvm::zip_equal(term.exponents, logParts))
    exponent += power * parts;
  return term.factor * std::exp(exponent);
}

/// Moves the best amount of weight from one label to another.
void Minimizer::shift(unsigned from, unsigned to) {
  double low = std::max(-logParts[to], logParts[from] - logCaps[from]);
  double high = std::min(logParts[from], logCaps[to] - logParts[to]);
  if (low >= high)
    return;
  bool matters = false;
  for (const Monomial &term : f)
    matters |= term.exponents[from] != term.exponents[to];
  if (!matters)
    return;
  auto slope = [&](double amount) {
    double sum = 0;
    for (auto [term, value] : llvm::zip_equal(f, values)) {
      int growth = term.exponents[to] - term.exponents[from];
      sum += growth * value * std::exp(growth * amount);
    }
    return sum;
  };
  double amount = 0;
  if (slope(low) >= 0) {
    amount = low;
  } else if (slope(high) <= 0) {
    amount = high;
  } else {
    for (unsigned step = 0; step < 60 && high - low > 1e-15; ++step) {
      amount = (low + high) / 2;
      (slope(amount) < 0 ? low : high) = amount;
    }
  }
  logParts[from] -= amount;
  logParts[to] += amount;
  for (auto [term, value] : llvm::zip_equal(f, values))
    value *= std::exp((term.exponents[to] - term.exponents[from]) * amount);
}

/// How far log f can lie below its value here: the drop of its linear model.
double Minimizer::gap() const {
  double sum = std::accumulate(values.begin(), values.end(), 0.0);
  llvm::SmallVector<double, 6> gradient(logParts.size(), 0);
  for (auto [term, value] : llvm::zip_equal(f, values))
    for (auto [power, slope] : llvm::zip_equal(term.exponents, gradient))
      slope += power * value / sum;
  llvm::SmallVector<unsigned, 6> order(logParts.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order, [&](unsigned a, unsigned b) {
    return gradient[a] != gradient[b] ? gradient[a] < gradient[b] : a < b;
  });
  double left = total, drop = 0;
  for (unsigned label : order) {
    double filled = std::clamp(left, 0.0, logCaps[label]);
    left -= filled;
    drop += gradient[label] * (logParts[label] - filled);
  }
  return std::max(drop, 0.0);
}

CutMinimum Minimizer::run() {
  CutMinimum result;
  auto evaluate = [&] {
    values.clear();
    for (const Monomial &term : f)
      values.push_back(valueOf(term));
    return std::accumulate(values.begin(), values.end(), 0.0);
  };
  double left = 0;
  for (unsigned sweep = 0; sweep < 300; ++sweep) {
    result.value = evaluate();
    if (result.value <= 0)
      break;
    left = gap();
    if (left < 1e-11)
      break;
    for (unsigned from = 0; from < logParts.size(); ++from)
      for (unsigned to = from + 1; to < logParts.size(); ++to)
        shift(from, to);
  }
  if (result.value > 0)
    result.bound = result.value * std::exp(-left) * (1 - slack);
  for (double parts : logParts)
    result.cut.push_back(std::exp(parts));
  return result;
}

CutMinimum optimize::minimizeOverCuts(const RealCutSpace &space,
                                      const Posynomial &f) {
  Minimizer minimizer(space, f);
  if (minimizer.isEmpty())
    return {infinity, infinity, {}};
  return minimizer.run();
}

static double evaluate(const Posynomial &f, llvm::ArrayRef<double> cut) {
  double sum = 0;
  for (const Monomial &term : f) {
    double value = term.factor;
    for (auto [power, parts] : llvm::zip_equal(term.exponents, cut))
      value *= std::pow(parts, power);
    sum += value;
  }
  return sum;
}

/// For every multiplier m >= 0 the least of f + m (held - limit) is a bound;
/// it grows as long as the minimiser holds too much.
CutMinimum optimize::minimizeOverCuts(const RealCutSpace &space,
                                      const Posynomial &f,
                                      const Posynomial &held, double limit) {
  CutMinimum best = minimizeOverCuts(space, f);
  if (best.bound == infinity || held.empty() ||
      (best.value > 0 && evaluate(held, best.cut) <= limit))
    return best;
  CutMinimum least = minimizeOverCuts(space, held);
  if (least.bound > limit)
    return {infinity, infinity, {}};
  if (f.empty())
    return best;
  auto withMultiplier = [&](double multiplier) {
    Posynomial sum = f;
    for (Monomial term : held) {
      term.factor *= multiplier;
      sum.push_back(term);
    }
    return minimizeOverCuts(space, sum);
  };
  // From "memory hardly counts" to "nothing else counts".
  double scale = std::max(evaluate(f, least.cut), 1.0) / std::max(limit, 1.0);
  double low = std::log(scale) - 35, high = std::log(scale) + 35;
  for (unsigned step = 0; step < 48; ++step) {
    double middle = (low + high) / 2, multiplier = std::exp(middle);
    CutMinimum found = withMultiplier(multiplier);
    double bound = found.bound - multiplier * limit;
    if (bound > best.bound) {
      best = found;
      best.bound = bound * (1 - slack);
    }
    (evaluate(held, found.cut) > limit ? low : high) = middle;
  }
  best.value = best.cut.empty() ? 0 : evaluate(f, best.cut);
  return best;
}

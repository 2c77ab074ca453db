//===- MemoryRelaxation.cpp - Bounds under a memory limit -----------------===//

#include "MemoryRelaxation.h"
#include "Elimination.h"
#include "tapestry/Planner/Optimize/DualBound.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>

using namespace tapestry;
using namespace tapestry::optimize;

static constexpr double infinity = std::numeric_limits<double>::infinity();

/// Larger eliminations leave no room for the many prices to be tried.
static constexpr double mostStepWork = 2e8;
static constexpr double mostWorkPerPoint = 1e9;
static constexpr unsigned boundRounds = 20;
/// What a variable takes besides its sums, as many sums.
static constexpr double workPerVariable = 1e4;
/// Sums are rounded: a bound is trusted up to this part of what it sums up.
static constexpr double rounding = 1e-12;

MemoryRelaxation::Point MemoryRelaxation::minimise(const PlanProblem &problem,
                                                   const Prices &prices,
                                                   bool withCosts) {
  PlanProblem priced = rows.priced(problem, prices, withCosts);
  Point point;
  work += workPerVariable * problem.variables.size();
  if (mayEliminate) {
    EliminationLimits limits;
    limits.mostStepWork = std::min(mostStepWork, options.work / 20);
    limits.mostWork = std::min(mostWorkPerPoint, options.work / 5);
    limits.tableBytes = options.tableBytes;
    auto elimination = eliminateAll(priced, limits);
    if (elimination)
      work += elimination->work;
    if (elimination && elimination->isComplete) {
      point.choice = std::move(elimination->choice);
      point.least = priced.evaluate(point.choice);
    } else {
      llvm::consumeError(elimination.takeError());
      mayEliminate = false;
    }
  }
  if (!mayEliminate) {
    DualBound bound = computeDualBound(priced, boundRounds);
    work += bound.work;
    point.choice = std::move(bound.solution.choice);
    point.least = bound.lowerBound;
  }
  point.held = rows.held(problem, point.choice);
  return point;
}

/// What the limit takes off again at these prices.
static double refund(const Prices &prices, int64_t limit) {
  double sum = 0;
  for (double price : prices)
    sum += price;
  return sum * limit;
}

static double boundOf(const MemoryRelaxation::Point &point,
                      const Prices &prices, int64_t limit) {
  double back = refund(prices, limit);
  return point.least - back - rounding * (std::abs(point.least) + back);
}

double MemoryRelaxation::searchAlong(const PlanProblem &problem, int64_t limit,
                                     double target, Prices &prices,
                                     const Visitor &visit) {
  // The bound is concave along the direction: lines touch it at both ends of
  // an interval, and where they meet is tried next.
  struct Line {
    double scale = 0, value = 0, slope = 0;
  };
  auto touch = [&](double scale, Prices &scaled, bool &goesOn) {
    scaled = prices;
    for (double &price : scaled)
      price *= scale;
    scaled = roundPrices(scaled);
    Point point = minimise(problem, scaled, /*withCosts=*/true);
    goesOn = visit(point);
    Line line{scale, boundOf(point, scaled, limit), 0};
    for (auto [price, held] : llvm::zip_equal(prices, point.held))
      line.slope += price * (held - double(limit));
    return line;
  };
  double best = -infinity;
  Prices bestPrices = prices, scaled;
  auto note = [&](const Line &line) {
    if (line.value > best) {
      best = line.value;
      bestPrices = scaled;
    }
  };
  bool goesOn = true;
  Line low = touch(0, scaled, goesOn), high;
  note(low);
  if (low.slope > 0 && goesOn) {
    double scale = 1;
    for (unsigned i = 0; i < 40 && goesOn; ++i, scale *= 4) {
      high = touch(scale, scaled, goesOn);
      note(high);
      if (high.slope <= 0 || best >= target)
        break;
      low = high;
    }
    for (unsigned i = 0; i < 12 && goesOn && high.slope < 0 && best < target;
         ++i) {
      double next = ((high.value - high.slope * high.scale) -
                     (low.value - low.slope * low.scale)) /
                    (low.slope - high.slope);
      if (!(next > low.scale && next < high.scale))
        break;
      Line line = touch(next, scaled, goesOn);
      note(line);
      double promised = low.value + low.slope * (next - low.scale);
      if (line.value >= promised - 1e-9 * std::abs(promised))
        break;
      (line.slope > 0 ? low : high) = line;
    }
  }
  prices = std::move(bestPrices);
  return best;
}

double MemoryRelaxation::raiseCostBound(const PlanProblem &problem,
                                        int64_t limit, double target,
                                        unsigned iterations, Prices &prices,
                                        const Visitor &visit) {
  bool goesOn = true;
  double best = -infinity;
  auto isDone = [&] { return !goesOn || best >= target; };
  Prices current = prices;
  bool isFresh = llvm::all_of(prices, [](double price) { return price == 0; });
  if (isFresh) {
    // A first direction: what the cheapest plan holds too much.
    Point point = minimise(problem, prices, /*withCosts=*/true);
    best = boundOf(point, prices, limit);
    goesOn = visit(point);
    double sum = 0;
    for (auto [price, held] : llvm::zip_equal(current, point.held)) {
      price = std::max<double>(0, held - double(limit));
      sum += price;
    }
    if (sum == 0 || isDone())
      return best;
    for (double &price : current)
      price *= (std::abs(best) + 1e-9) / (sum * limit + 1);
    double along =
        searchAlong(problem, limit, target, current, [&](const Point &p) {
          goesOn = visit(p);
          return goesOn;
        });
    if (along > best) {
      best = along;
      prices = current;
    }
  }

  // Subgradient steps towards a level: the target, or a little above the best.
  double step = 1, above = 0.05 * std::abs(best);
  unsigned failures = 0;
  current = prices;
  for (unsigned i = 0; i < iterations && !isDone() && step > 1e-3; ++i) {
    Point point = minimise(problem, current, /*withCosts=*/true);
    double bound = boundOf(point, current, limit);
    goesOn = visit(point);
    if (bound > best) {
      failures = 0;
      if (bound > best + above / 2)
        above *= 1.5;
      best = bound;
      prices = current;
    } else if (++failures >= 3) {
      failures = 0;
      step /= 2;
      above /= 2;
      current = prices;
      continue;
    }
    double square = 0;
    std::vector<double> slope;
    for (auto [price, held] : llvm::zip_equal(current, point.held)) {
      double excess = held - double(limit);
      slope.push_back(price == 0 && excess < 0 ? 0 : excess);
      square += slope.back() * slope.back();
    }
    if (square == 0)
      break; // No prices do better.
    double level = std::min(target, best + std::max(above, 1e-9));
    double length = step * std::max(level - bound, 0.0) / square;
    for (auto [price, excess] : llvm::zip_equal(current, slope))
      price = std::max(0.0, price + length * excess);
    current = roundPrices(current);
  }
  return best;
}

int64_t MemoryRelaxation::raisePeakBound(const PlanProblem &problem,
                                         unsigned iterations, int64_t enough,
                                         const Visitor &visit) {
  if (rows.size() == 0)
    return 0;
  int64_t best = 0;
  int64_t smallestPeak = std::numeric_limits<int64_t>::max();
  // Weights grow where plans hold much, as in a matrix game.
  std::vector<double> weights(rows.size(), 1.0);
  for (unsigned i = 0; i < iterations; ++i) {
    Prices prices = roundPrices(weights);
    double sum = 0;
    for (double price : prices)
      sum += price;
    for (double &price : prices)
      price /= std::ldexp(1.0, std::ilogb(sum)); // Stays exact.
    sum /= std::ldexp(1.0, std::ilogb(sum));
    Point point = minimise(problem, prices, /*withCosts=*/false);
    double least = point.least / sum * (1 - rounding);
    best = std::max(best, int64_t(std::ceil(least * (1 - rounding))));
    int64_t peak = *llvm::max_element(point.held);
    smallestPeak = std::min(smallestPeak, peak);
    if (!visit(point) || best > enough || best >= smallestPeak || peak == 0)
      break;
    double rate = 8 / std::sqrt(1.0 + i);
    for (auto [weight, held] : llvm::zip_equal(weights, point.held))
      weight =
          std::max(1e-12, weight * std::exp(rate * (double(held) / peak - 1)));
    double largest = *llvm::max_element(weights);
    for (double &weight : weights)
      weight /= largest;
  }
  return best;
}

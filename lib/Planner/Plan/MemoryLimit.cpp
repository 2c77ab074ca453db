//===- MemoryLimit.cpp - Plans whose programs keep a memory limit ---------===//

#include "tapestry/Planner/Plan/MemoryLimit.h"
#include "tapestry/Support/Error.h"

using namespace tapestry;
using namespace tapestry::plan;

void plan::measurePeak(Plan &plan, PeakMeter meter) {
  if (std::optional<int64_t> peak = meter(plan)) {
    plan.peakBytesPerDevice = *peak;
    plan.isPeakExact = true;
  }
}

llvm::Expected<Plan> plan::planWithinEstimate(int64_t limit,
                                              ChoicesPlanner planner) {
  constexpr unsigned mostAttempts = 4;
  int64_t tightened = limit, least = 0;
  double lowerBound = 0;
  for (unsigned attempt = 0; attempt < mostAttempts; ++attempt) {
    auto plan = planner(tightened);
    if (!plan && attempt == 0)
      return plan;
    if (!plan) {
      llvm::consumeError(plan.takeError());
      break;
    }
    if (limit == 0 || plan->peakBytesPerDevice <= limit) {
      // A tightened problem proves nothing about the one that was asked.
      if (attempt > 0) {
        plan->lowerBound = std::min(lowerBound, plan->cost);
        plan->provedOptimal = false;
      }
      return plan;
    }
    if (attempt == 0)
      lowerBound = plan->lowerBound;
    least = attempt == 0 ? plan->peakBytesPerDevice
                         : std::min(least, plan->peakBytesPerDevice);
    tightened -= plan->peakBytesPerDevice - limit;
    if (tightened <= 0)
      break;
  }
  return llvm::make_error<MemoryError>(
      least, limit,
      joinedText("the best plan found needs ", least,
                 " bytes per device, the limit is ", limit));
}

namespace {

/// Plans under limits on the estimate and remembers what refusals said.
class Trials {
public:
  Trials(llvm::StringRef solver, LimitedPlanner planner)
      : solver(solver), planner(planner) {}

  std::optional<Plan> plan(int64_t limit) {
    llvm::Expected<Plan> plan = planner(limit, solver);
    if (!plan && !notice(plan.takeError()) && solver == "exact") {
      // It does not say that nothing fits, but that it cannot prove what is
      // best.
      solver = "bounded";
      plan = planner(limit, solver);
      if (!plan)
        notice(plan.takeError());
    }
    return plan ? std::optional<Plan>(std::move(*plan)) : std::nullopt;
  }

  /// How little plans need and what holds it, in words; empty where the planner
  /// cannot say.
  std::string describeNeed() {
    // Where every trial found a plan, none has said it.
    if (need.empty())
      if (llvm::Expected<Plan> plan = planner(1, solver); !plan)
        notice(plan.takeError());
    return need;
  }

private:
  /// Whether a refusal is for want of memory.
  bool notice(llvm::Error refusal) {
    bool isMemory = false;
    llvm::handleAllErrors(
        std::move(refusal),
        [&](const MemoryError &error) {
          isMemory = true;
          if (!error.getNeed().empty())
            need = error.getNeed().str();
        },
        [](const llvm::ErrorInfoBase &) {});
    return isMemory;
  }

  llvm::StringRef solver;
  LimitedPlanner planner;
  std::string need;
};

} // namespace

llvm::Expected<Plan> plan::planWithinPeak(int64_t allowed,
                                          llvm::StringRef solver,
                                          LimitedPlanner planner,
                                          PeakMeter meter) {
  llvm::Expected<Plan> first = planner(0, solver);
  if (!first)
    return first;
  int64_t low = 0, high = first->peakBytesPerDevice;
  measurePeak(*first, meter);
  if (first->peakBytesPerDevice <= allowed)
    return first;
  int64_t leanest = first->peakBytesPerDevice;
  Trials trials(solver, planner);
  std::optional<Plan> best;
  constexpr unsigned mostAttempts = 8;
  int64_t limit = std::min(allowed, high - 1);
  for (unsigned attempt = 0; attempt < mostAttempts && low + 1 < high;
       ++attempt, limit = low + (high - low) / 2) {
    std::optional<Plan> found = trials.plan(limit);
    if (!found) {
      low = limit;
      continue;
    }
    measurePeak(*found, meter);
    leanest = std::min(leanest, found->peakBytesPerDevice);
    if (found->peakBytesPerDevice > allowed) {
      high = limit;
      continue;
    }
    if (!best || found->cost < best->cost)
      best = std::move(found);
    low = limit;
  }
  if (!best) {
    std::string need = trials.describeNeed();
    std::string hint = need.empty() ? ""
                                    : "; by the planner's estimate, which can "
                                      "be above what a program needs, " +
                                          need;
    return llvm::make_error<MemoryError>(
        leanest, allowed,
        joinedText("the leanest plan that was found needs ", leanest,
                   " bytes per device, --memory allows ", allowed, hint),
        need);
  }
  best->lowerBound = std::min(first->lowerBound, best->cost);
  best->provedOptimal = false;
  return std::move(*best);
}

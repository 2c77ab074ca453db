//===- PeakSearch.cpp - Plans whose programs keep a memory limit ----------===//

#include "tapestry/Planner/Optimize/PeakSearch.h"
#include "MemoryLimited.h"
#include "MemorySearch.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <map>
#include <tuple>

using namespace tapestry;
using namespace tapestry::optimize;

namespace {

/// Variables that leave a choice.
size_t numOpen(const PlanProblem &problem) {
  return llvm::count_if(
      problem.variables,
      [](const PlanProblem::Variable &each) { return each.numChoices() > 1; });
}

class PeakSearch {
public:
  PeakSearch(const PlanProblem &problem, const SolverOptions &options,
             ChoicePeak peakOf, const PeakSearchLimits &limits)
      : problem(problem), options(options), peakOf(peakOf), limits(limits),
        rows(problem), limit(problem.memoryLimit),
        left(shareOf(limits.mostMeasured)) {}

  llvm::Expected<PeakOutcome> run(llvm::ArrayRef<uint32_t> known);

private:
  using Choice = std::vector<uint32_t>;
  /// A plan of the list.
  struct Listed {
    int64_t bound = 0;
    double cost = 0;
    Choice choice;
  };
  int64_t boundOf(llvm::ArrayRef<uint32_t> choice) const {
    std::vector<int64_t> held = rows.held(problem, choice);
    return held.empty() ? 0 : *llvm::max_element(held);
  }
  std::optional<int64_t> measure(const Choice &choice);
  void take(const Choice &choice, double lowerBound, bool isProved);
  /// How many programs of this size those of one variable stand for.
  size_t shareOf(size_t programs) const {
    return std::max<size_t>(limits.fewestMeasured,
                            programs / std::max<size_t>(1, numOpen(problem)));
  }

  bool canList() const;
  void searchList();
  void findLeast(llvm::ArrayRef<Listed> list);
  std::vector<Listed> listPlans() const;

  llvm::Error searchByLimits();
  std::optional<Choice> tryBound();
  void tryLimits(int64_t low, const Choice &over);
  void descend(Choice choice);
  void nameHolders(const Choice &ifNoneWasMeasured);

  const PlanProblem &problem;
  const SolverOptions &options;
  ChoicePeak peakOf;
  const PeakSearchLimits &limits;
  MemoryRows rows;
  int64_t limit;
  /// Programs that may still be measured.
  size_t left;
  std::map<Choice, int64_t> measured;
  Choice leanest;
  PeakOutcome outcome;
};

} // namespace

/// The peak of a choice; nothing where no more may be measured.
std::optional<int64_t> PeakSearch::measure(const Choice &choice) {
  if (auto known = measured.find(choice); known != measured.end())
    return known->second;
  if (left == 0)
    return std::nullopt;
  --left;
  int64_t peak = peakOf(choice).value_or(std::numeric_limits<int64_t>::max());
  measured[choice] = peak;
  if (peak < outcome.leanest) {
    outcome.leanest = peak;
    leanest = choice;
  }
  return peak;
}

/// Keeps a plan within the limit if it is the cheapest.
void PeakSearch::take(const Choice &choice, double lowerBound, bool isProved) {
  double cost = problem.evaluate(choice);
  if (!outcome.solution.choice.empty() && outcome.solution.cost <= cost)
    return;
  outcome.solution = {choice, cost, std::min(lowerBound, cost), isProved};
}

/// Says what the leanest plan holds where most of it is certain.
void PeakSearch::nameHolders(const Choice &ifNoneWasMeasured) {
  MemoryNeed need;
  need.choice = leanest.empty() ? ifNoneWasMeasured : leanest;
  findHolders(problem, rows, need);
  outcome.holders = describeHolders(need);
}

//===----------------------------------------------------------------------===//
// Few plans
//===----------------------------------------------------------------------===//

bool PeakSearch::canList() const {
  double plans = 1;
  for (const PlanProblem::Variable &variable : problem.variables)
    plans *= variable.numChoices();
  return plans <= limits.mostListed;
}

std::vector<PeakSearch::Listed> PeakSearch::listPlans() const {
  std::vector<Listed> list;
  Choice choice(problem.variables.size(), 0);
  for (;;) {
    list.push_back({boundOf(choice), problem.evaluate(choice), choice});
    unsigned at = choice.size();
    while (at > 0 && ++choice[at - 1] == problem.variables[at - 1].numChoices())
      choice[--at] = 0;
    if (at == 0)
      return list;
  }
}

void PeakSearch::searchList() {
  std::vector<Listed> list = listPlans();
  llvm::sort(list, [](const Listed &a, const Listed &b) {
    return std::tie(a.cost, a.choice) < std::tie(b.cost, b.choice);
  });
  size_t mayFit = llvm::count_if(
      list, [&](const Listed &each) { return each.bound <= limit; });
  // Where not all can be measured, the leanest have their turn, too.
  size_t kept = mayFit > left ? left / 2 : 0;
  for (const Listed &each : list) {
    if (each.bound > limit)
      continue;
    outcome.solution.lowerBound = each.cost;
    if (left <= kept)
      break;
    if (*measure(each.choice) > limit)
      continue;
    // All that cost less do not fit.
    take(each.choice, each.cost, /*isProved=*/true);
    return;
  }
  // That no plan keeps the limit is certain.
  if (kept == 0)
    left = std::min(left, shareOf(limits.mostForLeast));
  findLeast(list);
}

/// The smallest peak: nothing whose bound is as large can be smaller. Ends with
/// the first plan that keeps the limit.
void PeakSearch::findLeast(llvm::ArrayRef<Listed> list) {
  std::vector<const Listed *> order;
  for (const Listed &each : list)
    order.push_back(&each);
  llvm::sort(order, [](const Listed *a, const Listed *b) {
    return std::tie(a->bound, a->cost, a->choice) <
           std::tie(b->bound, b->cost, b->choice);
  });
  std::optional<int64_t> unknown;
  for (const Listed *each : order) {
    if (each->bound >= outcome.leanest)
      break;
    std::optional<int64_t> peak = measure(each->choice);
    if (!peak) {
      unknown = each->bound;
      break;
    }
    if (*peak <= limit)
      return take(each->choice, outcome.solution.lowerBound,
                  /*isProved=*/false);
  }
  outcome.lowerBound = unknown.value_or(outcome.leanest);
  nameHolders(order.front()->choice);
}

//===----------------------------------------------------------------------===//
// Many plans
//===----------------------------------------------------------------------===//

/// The cheapest plan within the limit by its bound: every plan that keeps the
/// limit keeps it so. Its choice, unless that keeps the limit.
std::optional<PeakSearch::Choice> PeakSearch::tryBound() {
  MemorySearch search(problem, rows, limit, /*withCosts=*/true, options);
  search.run(options.work);
  if (search.choice.empty())
    return std::nullopt;
  outcome.solution.lowerBound =
      search.isDone ? problem.evaluate(search.choice) : search.lowerBound;
  std::optional<int64_t> peak = measure(search.choice);
  if (!peak || *peak > limit)
    return search.choice;
  take(search.choice, outcome.solution.lowerBound, search.isDone);
  return std::nullopt;
}

/// Looks for the limit on what is expected under which programs just fit. More
/// is expected of plans than `low`; `over` does not fit.
void PeakSearch::tryLimits(int64_t low, const Choice &over) {
  constexpr unsigned mostAttempts = 8;
  PlanProblem guide = problem;
  if (!guide.expected.empty())
    guide.memory = std::move(guide.expected);
  MemoryRows guideRows(guide);
  int64_t high = guide.peakBytes(over);
  int64_t next = std::min(limit, high - 1);
  for (unsigned attempt = 0; attempt < mostAttempts && low < high - 1;
       ++attempt, next = low + (high - low) / 2) {
    MemorySearch search(guide, guideRows, next, /*withCosts=*/true, options);
    search.run(options.work);
    if (search.choice.empty()) {
      low = next;
      continue;
    }
    std::optional<int64_t> peak = measure(search.choice);
    if (!peak)
      return;
    if (*peak > limit) {
      high = next;
      continue;
    }
    take(search.choice, outcome.solution.lowerBound, /*isProved=*/false);
    low = next;
  }
}

/// Moves single variables to what takes less memory, until the limit is kept or
/// none moves.
void PeakSearch::descend(Choice choice) {
  std::optional<int64_t> peak = measure(choice);
  for (bool moved = true; moved && peak && *peak > limit;) {
    moved = false;
    for (unsigned var = 0; var < choice.size() && *peak > limit; ++var) {
      Choice other = choice;
      for (uint32_t c = 0; c < problem.variables[var].numChoices(); ++c) {
        other[var] = c;
        if (boundOf(other) >= *peak)
          continue;
        std::optional<int64_t> found = measure(other);
        if (!found)
          return;
        if (*found >= *peak)
          continue;
        peak = found;
        choice = other;
        moved = true;
      }
    }
  }
  if (peak && *peak <= limit)
    take(choice, outcome.solution.lowerBound, /*isProved=*/false);
}

llvm::Error PeakSearch::searchByLimits() {
  auto need = leastMemory(problem, options);
  if (!need)
    return need.takeError();
  outcome.lowerBound = need->lowerBound;
  measure(need->choice);
  if (need->lowerBound <= limit) {
    if (std::optional<Choice> over = tryBound())
      tryLimits(need->lowerBound - 1, *over);
    if (outcome.solution.choice.empty())
      descend(leanest);
    if (outcome.solution.choice.empty())
      descend(need->choice);
  }
  nameHolders(need->choice);
  return llvm::Error::success();
}

llvm::Expected<PeakOutcome> PeakSearch::run(llvm::ArrayRef<uint32_t> known) {
  if (llvm::Error error = checkMemoryTerms(problem))
    return std::move(error);
  if (canList())
    searchList();
  else if (llvm::Error error = searchByLimits())
    return std::move(error);
  if (outcome.solution.choice.empty() && !known.empty()) {
    left = std::max<size_t>(left, 1);
    measure(known.vec());
    nameHolders(known.vec());
  }
  return std::move(outcome);
}

llvm::Expected<PeakOutcome> optimize::searchWithinPeak(
    const PlanProblem &problem, const SolverOptions &options, ChoicePeak peakOf,
    const PeakSearchLimits &limits, llvm::ArrayRef<uint32_t> known) {
  return PeakSearch(problem, options, peakOf, limits).run(known);
}

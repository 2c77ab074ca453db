//===- LeastMemory.cpp - The smallest peak of any plan --------------------===//

#include "MemoryLimited.h"
#include "MemoryRepair.h"
#include "MemorySearch.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include <algorithm>

using namespace tapestry;
using namespace tapestry::optimize;

static constexpr unsigned peakIterations = 60;
/// How many of the largest holders a message names.
static constexpr unsigned namedHolders = 5;

static int64_t peakOf(llvm::ArrayRef<int64_t> held) {
  return held.empty() ? 0 : *llvm::max_element(held);
}

/// Lowers the peak as far as single moves go: by halves of what lies above the
/// bound, then less.
static double lowerPeak(const PlanProblem &problem, const MemoryRows &rows,
                        int64_t lowerBound, std::vector<uint32_t> &choice) {
  MemoryRepair repair(problem, rows);
  int64_t low = lowerBound - 1;
  for (;;) {
    int64_t peak = peakOf(rows.held(problem, choice));
    if (peak <= low + 1)
      return repair.work;
    int64_t middle = low + (peak - low) / 2;
    std::vector<uint32_t> moved = choice;
    if (repair.run(moved, middle))
      choice = std::move(moved);
    else
      low = middle;
  }
}

void optimize::findHolders(const PlanProblem &problem, const MemoryRows &rows,
                           MemoryNeed &need) {
  std::vector<int64_t> held = rows.held(problem, need.choice);
  if (!held.empty())
    need.step = rows.stepOf(llvm::max_element(held) - held.begin());
  // Equal ones stand in the order of the terms.
  llvm::StringMap<size_t> numberOf;
  for (const PlanProblem::MemoryTerm &term : problem.memory) {
    if (term.first > need.step || need.step > term.last)
      continue;
    unsigned owner = term.ofEdge ? problem.edges[term.owner].to : term.owner;
    std::string tensor = term.tensor.empty()
                             ? "'" + problem.variables[owner].name + "'"
                             : term.tensor;
    auto [at, isNew] = numberOf.try_emplace(tensor, need.holders.size());
    if (isNew)
      need.holders.emplace_back(tensor, 0);
    need.holders[at->second].second += bytesOfTerm(problem, term, need.choice);
  }
  llvm::erase_if(need.holders, [](const auto &a) { return a.second == 0; });
  llvm::sort(need.holders, [&](const auto &a, const auto &b) {
    return std::make_pair(-a.second, numberOf.lookup(a.first)) <
           std::make_pair(-b.second, numberOf.lookup(b.first));
  });
}

llvm::Expected<MemoryNeed> optimize::leastMemory(const PlanProblem &problem,
                                                 const SolverOptions &options) {
  if (llvm::Error error = checkMemoryTerms(problem))
    return error;
  MemoryRows rows(problem);
  MemoryNeed need;
  need.choice.assign(problem.variables.size(), 0);
  need.bytes = peakOf(rows.held(problem, need.choice));
  double work = 0;
  auto offer = [&](std::vector<uint32_t> choice) {
    int64_t peak = peakOf(rows.held(problem, choice));
    if (peak < need.bytes) {
      need.bytes = peak;
      need.choice = std::move(choice);
    }
  };
  MemoryRelaxation relaxation(rows, options);
  need.lowerBound = relaxation.raisePeakBound(
      problem, peakIterations, std::numeric_limits<int64_t>::max(),
      [&](const MemoryRelaxation::Point &point) {
        offer(point.choice);
        return relaxation.work < options.work / 2;
      });
  std::vector<uint32_t> lowered = need.choice;
  work += relaxation.work;
  work += lowerPeak(problem, rows, need.lowerBound, lowered);
  offer(std::move(lowered));

  // What the bound leaves open is searched, by halves.
  while (need.lowerBound < need.bytes && work < options.work) {
    int64_t middle = need.lowerBound + (need.bytes - 1 - need.lowerBound) / 2;
    MemorySearch search(problem, rows, middle, /*withCosts=*/false, options);
    search.run(options.work - work);
    work += search.work;
    if (!search.choice.empty())
      offer(search.choice);
    else if (search.isDone)
      need.lowerBound = middle + 1;
    else
      break;
  }
  need.lowerBound = std::min(need.lowerBound, need.bytes);
  findHolders(problem, rows, need);
  return need;
}

std::string optimize::describeHolders(const MemoryNeed &need) {
  std::string text;
  llvm::raw_string_ostream os(text);
  unsigned named = 0;
  int64_t others = 0;
  for (const auto &[tensor, bytes] : need.holders) {
    if (named == namedHolders) {
      others += bytes;
      continue;
    }
    os << (named++ ? ", " : "") << tensor << " (" << bytes << ")";
  }
  if (others)
    os << " and others (" << others << ")";
  return text;
}

std::string optimize::describeMemoryNeed(const MemoryNeed &need) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (need.lowerBound == need.bytes)
    os << "the least that any plan needs is " << need.bytes << " bytes";
  else
    os << "the least that was found to do is " << need.bytes
       << " bytes, no plan needs less than " << need.lowerBound;
  os << ", held at step " << need.step << " by " << describeHolders(need);
  return text;
}

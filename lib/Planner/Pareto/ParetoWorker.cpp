//===- ParetoWorker.cpp - One thread of the Pareto search -----------------===//

#include "ParetoWorker.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace tapestry;
using namespace tapestry::pareto;

void ParetoExchange::publish(unsigned worker, FoundPlan plan) {
  std::lock_guard<std::mutex> lock(mutex);
  entries.push_back(
      {worker, std::make_shared<const FoundPlan>(std::move(plan))});
}

std::vector<std::shared_ptr<const FoundPlan>>
ParetoExchange::news(unsigned worker, size_t &next) {
  std::lock_guard<std::mutex> lock(mutex);
  std::vector<std::shared_ptr<const FoundPlan>> result;
  for (; next < entries.size(); ++next)
    if (entries[next].first != worker)
      result.push_back(entries[next].second);
  return result;
}

/// Credit for the mutator before the one that improved the frontier: what did
/// not pay at once may have opened the way.
static constexpr double inheritedCredit = 0.5;
static constexpr unsigned maxInherited = 4;
/// Trials per vertex and axis before the stopping rule is asked.
static constexpr int64_t trialsPerPlace = 20;
static constexpr unsigned maxHistory = 24;

static ObjectiveScale scaleOf(const ParetoTask &task) {
  std::vector<Objectives> samples;
  for (const FoundPlan &start : task.starts)
    samples.push_back(start.objectives);
  // Plans up to about twice as bad as the worst start still win volume.
  return ObjectiveScale(samples, /*margin=*/0.7);
}

static ParetoPopulation::Options
populationOptions(const ParetoOptions &options) {
  ParetoPopulation::Options result;
  result.limits = options.limits;
  result.maxMembers = options.maxMembers;
  result.neighbourhood = options.neighbourhood;
  return result;
}

static std::vector<double>
priorsOf(const std::vector<std::unique_ptr<ParetoMutator>> &mutators) {
  std::vector<double> priors;
  for (const auto &mutator : mutators)
    priors.push_back(mutator->prior);
  return priors;
}

ParetoWorker::ParetoWorker(const ParetoTask &task, unsigned number,
                           int64_t quota, ParetoExchange *exchange)
    : task(task), number(number), quota(quota), exchange(exchange),
      random(task.options.seed * 0x9E3779B97F4A7C15ull + number),
      scale(scaleOf(task)),
      evaluators(task.space, task.grids, task.options.machine),
      population(scale, populationOptions(task.options)),
      mutators(allMutators()), rates(priorsOf(mutators)),
      rule(task.options.stopping) {
  for (const auto &mutator : mutators)
    records.push_back({mutator->name.str()});
}

void ParetoWorker::insertStart(const FoundPlan &start, int startNumber) {
  ParetoPopulation::Member member;
  member.state = evaluators.stateOf(start.sketch);
  member.objectives = start.objectives;
  member.start = startNumber;
  bool isNew = population.isNew(member.state);
  population.insert(member);
  // Homes and routes of a start may be better or worse than those that its
  // partitions alone lead to.
  member.start = -1;
  member.objectives = evaluators.of(member.state).evaluate(member.state);
  if (isNew && evaluators.of(member.state).isAdmissible(member.state))
    population.insert(std::move(member));
}

void ParetoWorker::run() {
  for (unsigned s = 0; s < task.starts.size(); ++s)
    insertStart(task.starts[s], s);
  // A large graph has more places to look at before silence says anything.
  int64_t places = 0;
  for (unsigned grid = 0; grid < evaluators.grids.size(); ++grid)
    places = std::max<int64_t>(
        places,
        evaluators.at(0, grid).movable.size() *
            std::max<size_t>(1, evaluators.at(0, grid).grid.axes.size()));
  StoppingRule::Options stopping = task.options.stopping;
  stopping.leastTrials =
      std::max(stopping.leastTrials, trialsPerPlace * places);
  rule = StoppingRule(stopping);
  volumeAtStart = population.volume();
  while (!isDone())
    step();
}

bool ParetoWorker::isDone() {
  if (trialsDone >= quota)
    reason = "evaluations";
  else if (rule.shouldStop(trialsDone))
    reason = "expected gain";
  else if (task.options.timeLimit > 0 &&
           std::chrono::steady_clock::now() >= task.deadline)
    reason = "time limit";
  return !reason.empty();
}

void ParetoWorker::step() {
  // A copy: the population changes while a mutator tries things out.
  ParetoPopulation::Member parent = population.pickParent(random);
  unsigned chosen = 0;
  auto tryOut = [&](const ParetoState &child) {
    return consider(parent, child, chosen);
  };
  MutationContext context = {evaluators, population, random, tryOut};
  std::vector<double> chances = rates.rates();
  for (unsigned m = 0; m < mutators.size(); ++m)
    if (!mutators[m]->applies(parent.state, context))
      chances[m] = 0;
  int64_t before = trialsDone++;
  if (llvm::any_of(chances, [](double chance) { return chance > 0; })) {
    chosen = random.weighted(chances);
    ++records[chosen].fired;
    if (std::optional<ParetoState> child =
            mutators[chosen]->mutate(parent.state, context))
      consider(parent, *child, chosen);
    rates.fired(chosen, trialsDone - before);
  }
  if (exchange && trialsDone / 64 != before / 64)
    receive();
  if (trialsDone / 256 != before / 256 && evaluators.isFull()) {
    std::set<std::pair<unsigned, unsigned>> needed;
    for (const ParetoPopulation::Member &member : population.members())
      needed.insert({member.state.graph, member.state.grid});
    const ParetoState &closest = population.closest().state;
    needed.insert({closest.graph, closest.grid});
    evaluators.forget([&](unsigned graph, unsigned grid) {
      return needed.count({graph, grid}) != 0;
    });
  }
}

Objectives ParetoWorker::consider(const ParetoPopulation::Member &parent,
                                  ParetoState child, unsigned mutator) {
  evaluators.of(child).cutCompanions(child);
  bool isNew = population.isNew(child);
  if (!evaluators.of(child).isAdmissible(child))
    return noLimits;
  Objectives objectives = evaluators.of(child).evaluate(child);
  Objectives scaled = scale(objectives);
  if (!isNew)
    return scaled;
  ++trialsDone;
  ParetoPopulation::Member member;
  member.state = child;
  member.objectives = objectives;
  member.history = parent.history;
  if (member.history.size() < maxHistory)
    member.history.push_back(mutator);
  member.recent = parent.recent;
  member.recent.push_back(mutator);
  if (member.recent.size() > maxInherited)
    member.recent.erase(member.recent.begin());
  ParetoPopulation::Outcome outcome = population.insert(member);
  if (!outcome.improved)
    return scaled;
  rule.improved(trialsDone, outcome.gain);
  ++records[mutator].improvements;
  giveCredit(parent, mutator);
  if (exchange)
    exchange->publish(number, describe(member));
  return scaled;
}

void ParetoWorker::giveCredit(const ParetoPopulation::Member &parent,
                              unsigned mutator) {
  double credit = 1;
  rates.succeeded(mutator, credit);
  if (parent.onFrontier)
    return;
  for (unsigned earlier : llvm::reverse(parent.recent))
    rates.succeeded(earlier, credit *= inheritedCredit);
}

void ParetoWorker::receive() {
  for (const auto &news : exchange->news(number, nextNews)) {
    ParetoPopulation::Member member;
    member.state = evaluators.stateOf(news->sketch);
    if (!population.isNew(member.state))
      continue;
    member.objectives = news->objectives;
    member.history = news->history;
    population.insert(std::move(member));
  }
}

FoundPlan ParetoWorker::describe(const ParetoPopulation::Member &member) {
  FoundPlan found;
  found.sketch = evaluators.of(member.state).sketchOf(member.state);
  found.objectives = member.objectives;
  found.start = member.start;
  found.history = member.history;
  return found;
}

std::vector<FoundPlan> ParetoWorker::frontier() {
  std::vector<FoundPlan> found;
  for (const ParetoPopulation::Member *member : population.frontier())
    found.push_back(describe(*member));
  return found;
}

std::vector<MutatorRecord> ParetoWorker::mutatorRecords() const {
  std::vector<MutatorRecord> result = records;
  // What never applied has no chance, whatever its prior.
  double sum = 0;
  for (auto [record, rate] : llvm::zip_equal(result, rates.rates())) {
    record.rate = record.fired ? rate : 0;
    sum += record.rate;
  }
  for (MutatorRecord &record : result)
    record.rate = sum > 0 ? record.rate / sum : 0;
  return result;
}

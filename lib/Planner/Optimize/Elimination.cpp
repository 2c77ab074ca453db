//===- Elimination.cpp - Variable elimination on interface classes --------===//
//
// A variable is eliminated by tabulating, for every combination of what its
// neighbours can show of their choices, the cheapest of its own choices. Two
// things keep this small for tensor programs: a neighbour shows only its
// interface class, and equal eliminations (the layers of a model) are
// recognised by the shared parts of the problem and done once. The cheapest
// elimination is always next, so that wide vertices meet tables that are
// already narrow. What a step costs is found out when its turn may have come: a
// tensor that thousands read is looked at a few times and not at every
// reader's. What is much work is rehearsed first, without a single sum: the
// same steps with tables of no entries say whether the limits suffice.
//
//===----------------------------------------------------------------------===//

#include "Buckets.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

using namespace tapestry;
using namespace tapestry::optimize;
using namespace tapestry::optimize::buckets;

namespace {

/// More sums than this (about a hundredth of a second) are rehearsed.
constexpr double worthRehearsing = 3e7;

class Eliminator {
public:
  /// A rehearsal takes all steps and fills no table.
  Eliminator(const PlanProblem &problem, const EliminationLimits &limits,
             bool isRehearsal);
  /// Fills `trace` with what was done.
  llvm::Expected<Elimination> solve(Trace &trace);

private:
  const Refinement *refine(llvm::ArrayRef<const SharedClasses *> maps);
  Step stepFor(unsigned var);
  llvm::Error eliminate(const Step &step);
  llvm::Error checkMemory(const Step &step) const;
  std::shared_ptr<const Eliminated> tabulate(const Step &step,
                                             llvm::ArrayRef<Factor> used);
  void fill(const Step &step, llvm::ArrayRef<Factor> used,
            Eliminated &result) const;
  llvm::Expected<bool> isWithinLimits() const;
  void addFactor(const Step &step, const Eliminated &result);
  void addCosts(unsigned var, const ClassMap &classes,
                const std::shared_ptr<const Table> &table);
  void schedule(unsigned var, double logWork);
  std::optional<Step> cheapestStep();

  const PlanProblem &problem;
  const EliminationLimits &limits;
  const bool isRehearsal;
  double workDone = 0;
  std::vector<Factor> factors;
  std::vector<llvm::SmallVector<unsigned, 4>> factorsOf;
  std::vector<SharedCosts> costs;
  std::map<std::vector<const void *>, Refinement> refinements;
  std::map<std::vector<const void *>, std::shared_ptr<const Eliminated>> known;
  std::map<std::vector<const void *>, SharedCosts> knownCosts;
  /// Keeps alive whatever the keys above point to.
  std::vector<std::shared_ptr<const void>> held;
  int64_t heldBytes = 0;

  /// The order of elimination: cheapest work, then smallest index. Variables
  /// are listed by a lower bound on their work, of which `logs` has the
  /// logarithms to base 2.
  std::set<std::pair<double, unsigned>> queue;
  std::vector<double> queued, logs;

  /// The best choice of the eliminated variable, given its neighbours'.
  uint32_t choiceOf(const Record &record,
                    llvm::ArrayRef<uint32_t> choice) const;
  std::vector<Record> records;
};

} // namespace

Eliminator::Eliminator(const PlanProblem &problem,
                       const EliminationLimits &limits, bool isRehearsal)
    : problem(problem), limits(limits), isRehearsal(isRehearsal),
      factorsOf(problem.variables.size()), queued(problem.variables.size(), 0),
      logs(queued) {
  for (const PlanProblem::Variable &variable : problem.variables)
    costs.push_back(variable.costs);
  std::map<const CostTable *, std::shared_ptr<const Table>> tables;
  for (const PlanProblem::Edge &edge : problem.edges) {
    std::shared_ptr<const Table> &table = tables[edge.table.get()];
    if (!table)
      table = std::make_shared<const Table>(
          Table{{edge.table->rows, edge.table->columns},
                isRehearsal ? std::vector<double>() : edge.table->values});
    factorsOf[edge.from].push_back(factors.size());
    factorsOf[edge.to].push_back(factors.size());
    factors.push_back({{edge.from, edge.to},
                       {edge.fromClasses, edge.toClasses},
                       table,
                       std::nullopt});
  }
}

const Refinement *
Eliminator::refine(llvm::ArrayRef<const SharedClasses *> maps) {
  std::vector<const void *> key;
  key.reserve(maps.size());
  for (const SharedClasses *map : maps)
    key.push_back(map->get());
  auto [it, isNew] = refinements.try_emplace(std::move(key));
  Refinement &result = it->second;
  if (!isNew)
    return &result;
  const ClassMap &first = **maps[0];
  if (maps.size() == 1) {
    result.joint = *maps[0];
    result.parts = {ClassMap::identity(first.numClasses).classOf};
    return &result;
  }
  ClassMap joint;
  result.parts.resize(maps.size());
  std::map<std::vector<uint32_t>, uint32_t> numbers;
  std::vector<uint32_t> signature(maps.size());
  for (size_t choice = 0; choice < first.classOf.size(); ++choice) {
    for (size_t m = 0; m < maps.size(); ++m)
      signature[m] = (*maps[m])->classOf[choice];
    auto [entry, isFirst] = numbers.try_emplace(signature, numbers.size());
    if (isFirst)
      for (size_t m = 0; m < maps.size(); ++m)
        result.parts[m].push_back(signature[m]);
    joint.classOf.push_back(entry->second);
  }
  joint.numClasses = numbers.size();
  result.joint = std::make_shared<const ClassMap>(std::move(joint));
  for (const SharedClasses *map : maps)
    held.push_back(*map);
  return &result;
}

Step Eliminator::stepFor(unsigned var) {
  Step step;
  step.var = var;
  step.factors = factorsOf[var];
  // By variable, then in the order of the factors.
  llvm::SmallVector<std::tuple<unsigned, size_t, const SharedClasses *>, 8>
      maps;
  for (unsigned f : step.factors)
    for (auto [v, map] : llvm::zip_equal(factors[f].vars, factors[f].maps))
      maps.push_back({v, maps.size(), &map});
  llvm::sort(maps);
  llvm::SmallVector<const SharedClasses *, 8> list;
  for (size_t i = 0; i < maps.size(); i += list.size()) {
    unsigned v = std::get<0>(maps[i]);
    list.clear();
    for (size_t k = i; k < maps.size() && std::get<0>(maps[k]) == v; ++k)
      list.push_back(std::get<2>(maps[k]));
    const Refinement *classes = refine(list);
    uint32_t count = classes->joint->numClasses;
    if (v == var) {
      step.own = classes;
      step.work *= count;
      continue;
    }
    // Of one class there is nothing to be seen: a few such neighbours are kept
    // to take the sum, thousands would make a table of as many dimensions.
    if (count > 1 || step.scope.size() < 4) {
      step.scope.push_back(v);
      step.classes.push_back(classes);
      step.entries *= count;
    }
  }
  step.work *= step.entries;
  return step;
}

/// Lists a variable whose step takes at least 2^logWork sums.
void Eliminator::schedule(unsigned var, double logWork) {
  queue.erase({queued[var], var});
  logs[var] = std::max(logWork, 0.0);
  // Rounding must not turn the bound into more.
  queued[var] = std::exp2(logs[var] * (1 - 1e-9));
  queue.insert({queued[var], var});
}

/// What a step's work is the power of 2 of, which may exceed all doubles.
static double logWorkOf(const Step &step) {
  double sum = step.own ? std::log2(step.own->joint->numClasses) : 0;
  for (const Refinement *classes : step.classes)
    sum += std::log2(classes->joint->numClasses);
  return sum;
}

/// The next step; nothing when all are done.
std::optional<Step> Eliminator::cheapestStep() {
  while (!queue.empty()) {
    auto [bound, var] = *queue.begin();
    Step step = stepFor(var);
    queue.erase(queue.begin());
    if (queue.empty() || std::pair(step.work, var) < *queue.begin())
      return step;
    logs[var] = logWorkOf(step);
    queued[var] = step.work;
    queue.insert({step.work, var});
  }
  return std::nullopt;
}

llvm::Error Eliminator::checkMemory(const Step &step) const {
  // The result and the factors by joint class.
  double bytes = heldBytes + step.entries * sizeof(double);
  for (unsigned f : step.factors) {
    double entries = step.own->joint->numClasses;
    for (unsigned i = 0; i < step.scope.size(); ++i)
      if (llvm::is_contained(factors[f].vars, step.scope[i]))
        entries *= step.classes[i]->joint->numClasses;
    bytes += entries * sizeof(double);
  }
  if (bytes <= limits.tableBytes)
    return llvm::Error::success();
  std::string scope;
  for (unsigned i = 0; i < step.scope.size(); ++i)
    scope += (i ? " x '" : "'") + problem.variables[step.scope[i]].name +
             "' (" + std::to_string(step.classes[i]->joint->numClasses) + ")";
  return planError(
      "eliminating '", problem.variables[step.var].name,
      "' needs a table over ", scope, " and ",
      llvm::format("%.1f", bytes / (1 << 20)), " MiB in total, the limit is ",
      llvm::format("%.1f", double(limits.tableBytes) / (1 << 20)), " MiB");
}

/// best[j] = min(best[j], base + row[j]) over four groups at once.
TAPESTRY_WIDE_VECTORS static void relaxFour(double *__restrict best,
                                            size_t count, const double *base,
                                            const double *row, size_t stride) {
  const double *row1 = row + stride, *row2 = row1 + stride,
               *row3 = row2 + stride;
  double base0 = base[0], base1 = base[1], base2 = base[2], base3 = base[3];
  for (size_t j = 0; j < count; ++j)
    best[j] = lesser(best[j], lesser(lesser(base0 + row[j], base1 + row1[j]),
                                     lesser(base2 + row2[j], base3 + row3[j])));
}

TAPESTRY_WIDE_VECTORS static void relaxTwo(double *__restrict best,
                                           size_t count, double base,
                                           const double *a, const double *b) {
  for (size_t j = 0; j < count; ++j)
    best[j] = lesser(best[j], base + a[j] + b[j]);
}

/// best[j] = min(best[j], base + the rows' sum at j).
static void relax(double *best, size_t count, double base,
                  llvm::ArrayRef<const double *> rows) {
  if (rows.size() == 2)
    return relaxTwo(best, count, base, rows[0], rows[1]);
  for (size_t j = 0; j < count; ++j) {
    double cost = base;
    for (const double *row : rows)
      cost += row[j];
    best[j] = lesser(best[j], cost);
  }
}

/// Minimises over the groups for every entry. The last dimension runs
/// innermost, over contiguous rows of the operands that depend on it.
static void minimise(llvm::ArrayRef<double> groupCosts,
                     llvm::ArrayRef<Operand> operands, Table &table) {
  size_t rank = table.dims.size();
  size_t inner = rank ? table.dims.back() : 1;
  std::vector<size_t> index(rank, 0);
  std::vector<double> bases;
  for (size_t start = 0; start < table.values.size(); start += inner) {
    bases.assign(groupCosts.begin(), groupCosts.end());
    llvm::SmallVector<const double *, 4> rows;
    llvm::SmallVector<size_t, 4> rowStrides;
    for (const Operand &operand : operands) {
      const double *base = operand.values.data();
      for (size_t dim = 0; dim + 1 < rank; ++dim)
        base += index[dim] * operand.strides[dim];
      if (rank && operand.strides[rank - 1]) {
        rows.push_back(base);
        rowStrides.push_back(operand.ownStride);
        continue;
      }
      for (double &sum : bases) {
        sum += *base;
        base += operand.ownStride;
      }
    }
    size_t group = 0;
    if (rows.size() == 1)
      for (; group + 4 <= bases.size(); group += 4) {
        relaxFour(&table.values[start], inner, &bases[group], rows[0],
                  rowStrides[0]);
        rows[0] += 4 * rowStrides[0];
      }
    for (; group < bases.size(); ++group) {
      relax(&table.values[start], inner, bases[group], rows);
      for (size_t i = 0; i < rows.size(); ++i)
        rows[i] += rowStrides[i];
    }
    for (size_t dim = rank ? rank - 1 : 0; dim-- > 0;) {
      if (++index[dim] < table.dims[dim])
        break;
      index[dim] = 0;
    }
  }
}

std::shared_ptr<const Eliminated>
Eliminator::tabulate(const Step &step, llvm::ArrayRef<Factor> used) {
  std::vector<const void *> key = structureOf(
      step, used, [](const Factor &factor) { return factor.table.get(); });
  key.push_back(costs[step.var].get());
  std::shared_ptr<const Eliminated> &shared = known[key];
  if (shared)
    return shared;

  for (const Factor &factor : used) {
    held.push_back(factor.table);
    held.insert(held.end(), factor.maps.begin(), factor.maps.end());
  }
  held.push_back(costs[step.var]);
  auto result = std::make_shared<Eliminated>();
  if (isRehearsal)
    result->table = std::make_shared<const Table>();
  else
    fill(step, used, *result);
  heldBytes += step.entries * sizeof(double);
  workDone += step.work;
  shared = result;
  return shared;
}

/// Works out the step's table and groups.
void Eliminator::fill(const Step &step, llvm::ArrayRef<Factor> used,
                      Eliminated &result) const {
  const std::vector<double> &own = *costs[step.var];
  size_t groups = step.own ? step.own->joint->numClasses : 1;
  result.groupCosts.assign(groups, std::numeric_limits<double>::infinity());
  result.groupChoice.assign(groups, 0);
  for (uint32_t choice = 0; choice < own.size(); ++choice) {
    uint32_t group = step.own ? step.own->joint->classOf[choice] : 0;
    if (own[choice] < result.groupCosts[group]) {
      result.groupCosts[group] = own[choice];
      result.groupChoice[group] = choice;
    }
  }
  std::vector<Operand> operands;
  for (size_t i = 0; i < used.size(); ++i)
    operands.push_back(operandOf(step, used, i));
  Table table;
  for (const Refinement *classes : step.classes)
    table.dims.push_back(classes->joint->numClasses);
  table.values.assign(size_t(step.entries),
                      std::numeric_limits<double>::infinity());
  minimise(result.groupCosts, operands, table);
  result.table = std::make_shared<const Table>(std::move(table));
}

void Eliminator::addCosts(unsigned var, const ClassMap &classes,
                          const std::shared_ptr<const Table> &table) {
  SharedCosts &shared = knownCosts[{costs[var].get(), &classes, table.get()}];
  if (!shared) {
    std::vector<double> sum;
    if (!isRehearsal) {
      sum = *costs[var];
      for (size_t choice = 0; choice < sum.size(); ++choice)
        sum[choice] += table->values[classes.classOf[choice]];
    }
    shared = std::make_shared<const std::vector<double>>(std::move(sum));
    held.push_back(table);
    held.push_back(costs[var]);
  }
  costs[var] = shared;
}

void Eliminator::addFactor(const Step &step, const Eliminated &result) {
  if (step.scope.empty())
    return;
  if (step.scope.size() == 1) {
    held.push_back(step.classes[0]->joint);
    addCosts(step.scope[0], *step.classes[0]->joint, result.table);
    return;
  }
  Factor factor;
  factor.table = result.table;
  factor.producer = records.size();
  for (auto [var, classes] : llvm::zip_equal(step.scope, step.classes)) {
    factor.vars.push_back(var);
    factor.maps.push_back(classes->joint);
    factorsOf[var].push_back(factors.size());
  }
  factors.push_back(std::move(factor));
}

llvm::Error Eliminator::eliminate(const Step &step) {
  if (llvm::Error error = checkMemory(step))
    return error;
  std::vector<Factor> used;
  for (unsigned f : step.factors)
    used.push_back(factors[f]);
  std::shared_ptr<const Eliminated> result = tabulate(step, used);
  llvm::SmallSetVector<unsigned, 4> neighbours;
  for (unsigned f : step.factors) {
    for (unsigned v : factors[f].vars)
      if (v != step.var) {
        auto &list = factorsOf[v]; // It ascends.
        list.erase(llvm::lower_bound(list, f));
        neighbours.insert(v);
      }
    factors[f] = Factor();
  }
  addFactor(step, *result);
  // What a neighbour sees of others is as fine as before, but for what this
  // step saw, too.
  for (unsigned neighbour : neighbours)
    schedule(neighbour, logs[neighbour] - logWorkOf(step));
  records.push_back({step, result, std::move(used), costs[step.var]});
  return llvm::Error::success();
}

uint32_t Eliminator::choiceOf(const Record &record,
                              llvm::ArrayRef<uint32_t> choice) const {
  // The sums of minimise() for one entry, added up in the same order.
  const Step &step = record.step;
  const Eliminated &result = *record.result;
  std::vector<double> sums = result.groupCosts;
  for (bool dependsOnLast : {false, true})
    for (const Factor &factor : record.factors) {
      if ((!step.scope.empty() &&
           llvm::is_contained(factor.vars, step.scope.back())) != dependsOnLast)
        continue;
      size_t fixed = 0, stride = 1, ownStride = 0;
      const ClassMap *own = nullptr;
      for (unsigned i = factor.vars.size(); i-- > 0;) {
        if (factor.vars[i] == step.var) {
          own = factor.maps[i].get();
          ownStride = stride;
        } else {
          fixed += factor.maps[i]->classOf[choice[factor.vars[i]]] * stride;
        }
        stride *= factor.table->dims[i];
      }
      for (auto [sum, member] : llvm::zip_equal(sums, result.groupChoice))
        sum += factor.table->values[fixed + own->classOf[member] * ownStride];
    }
  size_t best = llvm::min_element(sums) - sums.begin();
  return result.groupChoice[best];
}

llvm::Expected<bool> Eliminator::isWithinLimits() const {
  Trace ignored;
  auto rehearsed =
      Eliminator(problem, limits, /*isRehearsal=*/true).solve(ignored);
  if (!rehearsed)
    return rehearsed.takeError();
  return rehearsed->isComplete;
}

llvm::Expected<Elimination> Eliminator::solve(Trace &trace) {
  Elimination result;
  for (unsigned var = 0; var < problem.variables.size(); ++var)
    schedule(var, 0);
  bool isKnownToFit = isRehearsal;
  while (std::optional<Step> step = cheapestStep()) {
    bool fits =
        step->work <= limits.mostStepWork && workDone <= limits.mostWork;
    if (fits && !isKnownToFit && workDone + step->work > worthRehearsing) {
      auto within = isWithinLimits();
      if (!within)
        return within.takeError();
      fits = isKnownToFit = *within;
    }
    if (!fits) {
      result.work = workDone;
      return result;
    }
    if (llvm::Error error = eliminate(*step))
      return error;
  }
  result.isComplete = true;
  result.work = workDone;
  if (isRehearsal)
    return result;
  result.choice.assign(problem.variables.size(), 0);
  for (const Record &record : llvm::reverse(records))
    result.choice[record.step.var] = choiceOf(record, result.choice);
  trace = {std::move(records), std::move(refinements), std::move(held)};
  return result;
}

llvm::Expected<Elimination>
buckets::eliminateAll(const PlanProblem &problem,
                      const EliminationLimits &limits, Trace &trace) {
  return Eliminator(problem, limits, /*isRehearsal=*/false).solve(trace);
}

llvm::Expected<Elimination>
optimize::eliminateAll(const PlanProblem &problem,
                       const EliminationLimits &limits) {
  Trace trace;
  return buckets::eliminateAll(problem, limits, trace);
}

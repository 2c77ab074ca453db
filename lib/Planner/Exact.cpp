//===- Exact.cpp - Variable elimination on interface classes --------------===//
//
// A variable is eliminated by tabulating, for every combination of what its
// neighbours can show of their choices, the cheapest of its own choices. Two
// things keep this small for tensor programs: a neighbour shows only its
// interface class, and equal eliminations (the layers of a model) are
// recognised by the shared parts of the problem and done once. The cheapest
// elimination is always next, so that wide vertices meet tables that are
// already narrow.
//
//===----------------------------------------------------------------------===//

#include "tapestry/Planner/Bound.h"
#include "tapestry/Planner/Solver.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <limits>
#include <map>
#include <set>

using namespace tapestry;

namespace {

/// A dense table, row-major, over the interface classes of some variables.
struct Table {
  std::vector<uint32_t> dims;
  std::vector<double> values;
};

/// A cost that depends on the classes of several variables.
struct Factor {
  llvm::SmallVector<unsigned, 4> vars;
  llvm::SmallVector<SharedClasses, 4> maps;
  std::shared_ptr<const Table> table;
  bool alive = true;
};

/// The coarsest classes that decide the classes of several maps.
struct Refinement {
  SharedClasses joint;
  /// For each of the maps, its class of every joint class.
  std::vector<std::vector<uint32_t>> parts;
};

/// The result of an elimination, shared by all equal ones.
struct Eliminated {
  std::shared_ptr<const Table> table;
  /// The best choice of the eliminated variable per entry of the table.
  std::vector<uint32_t> choice;
};

/// What eliminating a variable involves.
struct Step {
  unsigned var = 0;
  llvm::SmallVector<unsigned, 4> factors;
  /// The neighbours, ascending, and the classes that their factors see jointly.
  llvm::SmallVector<unsigned, 4> scope;
  llvm::SmallVector<const Refinement *, 4> classes;
  /// The classes of the variable itself.
  const Refinement *own = nullptr;
  /// Entries of the resulting table; sums to be formed.
  double entries = 1;
  double work = 1;
};

/// How one factor enters an elimination: its values by joint class, own class
/// first, then its neighbours in scope order.
struct Operand {
  std::vector<double> values;
  size_t ownStride = 1;
  /// Per scope position; 0 where the factor does not depend on it.
  llvm::SmallVector<size_t, 4> strides;
};

class Eliminator {
public:
  /// Gives up before a step of more than `mostWork` sums.
  Eliminator(const PlanProblem &problem, const SolverOptions &options,
             double mostWork);
  /// A best choice per variable, or nothing where that is too much work. Fails
  /// where tables would need too much memory.
  llvm::Expected<std::optional<std::vector<uint32_t>>> solve();

private:
  const Refinement *refine(llvm::ArrayRef<SharedClasses> maps);
  Step stepFor(unsigned var);
  llvm::Error eliminate(const Step &step);
  llvm::Error checkMemory(const Step &step) const;
  std::shared_ptr<const Eliminated> tabulate(const Step &step);
  Operand operandOf(const Step &step, const Factor &factor,
                    unsigned position) const;
  void addFactor(const Step &step, const Eliminated &result);
  void addCosts(unsigned var, const ClassMap &classes,
                const std::shared_ptr<const Table> &table);
  void schedule(unsigned var);

  const PlanProblem &problem;
  const SolverOptions &options;
  double mostWork;
  std::vector<Factor> factors;
  std::vector<llvm::SmallVector<unsigned, 4>> factorsOf;
  std::vector<SharedCosts> costs;
  std::map<std::vector<const void *>, Refinement> refinements;
  std::map<std::vector<const void *>, std::shared_ptr<const Eliminated>> known;
  std::map<std::vector<const void *>, SharedCosts> knownCosts;
  /// Keeps alive whatever the keys above point to.
  std::vector<std::shared_ptr<const void>> held;
  int64_t heldBytes = 0;

  /// The order of elimination: cheapest work, then smallest index.
  std::set<std::pair<double, unsigned>> queue;
  std::vector<double> queued;

  struct Record {
    Step step;
    std::shared_ptr<const Eliminated> result;
  };
  std::vector<Record> records;
};

} // namespace

Eliminator::Eliminator(const PlanProblem &problem, const SolverOptions &options,
                       double mostWork)
    : problem(problem), options(options), mostWork(mostWork),
      factorsOf(problem.variables.size()), queued(problem.variables.size(), 0) {
  for (const PlanProblem::Variable &variable : problem.variables)
    costs.push_back(variable.costs);
  std::map<const CostTable *, std::shared_ptr<const Table>> tables;
  for (const PlanProblem::Edge &edge : problem.edges) {
    std::shared_ptr<const Table> &table = tables[edge.table.get()];
    if (!table)
      table = std::make_shared<const Table>(
          Table{{edge.table->rows, edge.table->columns}, edge.table->values});
    factorsOf[edge.from].push_back(factors.size());
    factorsOf[edge.to].push_back(factors.size());
    factors.push_back({{edge.from, edge.to},
                       {edge.fromClasses, edge.toClasses},
                       table,
                       true});
  }
}

const Refinement *Eliminator::refine(llvm::ArrayRef<SharedClasses> maps) {
  std::vector<const void *> key;
  for (const SharedClasses &map : maps)
    key.push_back(map.get());
  auto [it, isNew] = refinements.try_emplace(key);
  Refinement &result = it->second;
  if (!isNew)
    return &result;
  if (maps.size() == 1) {
    result.joint = maps[0];
    result.parts = {ClassMap::identity(maps[0]->numClasses).classOf};
    return &result;
  }
  ClassMap joint;
  result.parts.resize(maps.size());
  std::map<std::vector<uint32_t>, uint32_t> numbers;
  std::vector<uint32_t> signature(maps.size());
  for (size_t choice = 0; choice < maps[0]->classOf.size(); ++choice) {
    for (size_t m = 0; m < maps.size(); ++m)
      signature[m] = maps[m]->classOf[choice];
    auto [entry, isFirst] = numbers.try_emplace(signature, numbers.size());
    if (isFirst)
      for (size_t m = 0; m < maps.size(); ++m)
        result.parts[m].push_back(signature[m]);
    joint.classOf.push_back(entry->second);
  }
  joint.numClasses = numbers.size();
  result.joint = std::make_shared<const ClassMap>(std::move(joint));
  held.insert(held.end(), maps.begin(), maps.end());
  return &result;
}

Step Eliminator::stepFor(unsigned var) {
  Step step;
  step.var = var;
  step.factors = factorsOf[var];
  std::map<unsigned, llvm::SmallVector<SharedClasses, 4>> maps;
  for (unsigned f : step.factors)
    for (auto [v, map] : llvm::zip_equal(factors[f].vars, factors[f].maps))
      maps[v].push_back(map);
  for (auto &[v, list] : maps) {
    const Refinement *classes = refine(list);
    if (v == var) {
      step.own = classes;
      step.work *= classes->joint->numClasses;
      continue;
    }
    step.scope.push_back(v);
    step.classes.push_back(classes);
    step.entries *= classes->joint->numClasses;
  }
  step.work *= step.entries;
  return step;
}

void Eliminator::schedule(unsigned var) {
  queue.erase({queued[var], var});
  queued[var] = stepFor(var).work;
  queue.insert({queued[var], var});
}

llvm::Error Eliminator::checkMemory(const Step &step) const {
  // The result, the choices behind it, and the factors by joint class.
  double bytes = heldBytes + step.entries * (sizeof(double) + sizeof(uint32_t));
  for (unsigned f : step.factors) {
    double entries = step.own->joint->numClasses;
    for (unsigned i = 0; i < step.scope.size(); ++i)
      if (llvm::is_contained(factors[f].vars, step.scope[i]))
        entries *= step.classes[i]->joint->numClasses;
    bytes += entries * sizeof(double);
  }
  if (bytes <= options.tableBytes)
    return llvm::Error::success();
  std::string scope;
  for (unsigned i = 0; i < step.scope.size(); ++i)
    scope += (i ? " x '" : "'") + problem.variables[step.scope[i]].name +
             "' (" + std::to_string(step.classes[i]->joint->numClasses) + ")";
  return planError(
      "solver 'exact': eliminating '", problem.variables[step.var].name,
      "' needs a table over ", scope, " and ",
      llvm::format("%.1f", bytes / (1 << 20)), " MiB in total, the limit is ",
      llvm::format("%.1f", double(options.tableBytes) / (1 << 20)), " MiB");
}

Operand Eliminator::operandOf(const Step &step, const Factor &factor,
                              unsigned position) const {
  // Which of a variable's refined maps belongs to this factor: maps were listed
  // in factor order.
  auto partOf =
      [&](unsigned var,
          const Refinement &classes) -> const std::vector<uint32_t> & {
    unsigned number = 0;
    for (unsigned before = 0; before < position; ++before)
      number += llvm::is_contained(factors[step.factors[before]].vars, var);
    return classes.parts[number];
  };
  auto sourceStride = [&](unsigned var) {
    size_t stride = 1;
    for (unsigned i = factor.vars.size(); i-- > 0;) {
      if (factor.vars[i] == var)
        return stride;
      stride *= factor.table->dims[i];
    }
    return size_t(0);
  };

  // Offsets into the factor's table per joint class, dimension by dimension.
  Operand operand;
  operand.strides.resize(step.scope.size(), 0);
  std::vector<std::vector<size_t>> offsets;
  auto addDim = [&](unsigned var, const Refinement &classes) {
    size_t stride = sourceStride(var);
    std::vector<size_t> &list = offsets.emplace_back();
    for (uint32_t source : partOf(var, classes))
      list.push_back(source * stride);
  };
  addDim(step.var, *step.own);
  llvm::SmallVector<unsigned, 4> positions;
  for (unsigned i = 0; i < step.scope.size(); ++i)
    if (llvm::is_contained(factor.vars, step.scope[i])) {
      addDim(step.scope[i], *step.classes[i]);
      positions.push_back(i);
    }
  size_t stride = 1;
  for (unsigned i = positions.size(); i-- > 0;) {
    operand.strides[positions[i]] = stride;
    stride *= offsets[i + 1].size();
  }
  operand.ownStride = stride;
  operand.values.reserve(stride * offsets[0].size());
  auto fill = [&](auto &self, unsigned dim, size_t base) -> void {
    if (dim == offsets.size()) {
      operand.values.push_back(factor.table->values[base]);
      return;
    }
    for (size_t offset : offsets[dim])
      self(self, dim + 1, base + offset);
  };
  fill(fill, 0, 0);
  return operand;
}

/// best[j] = min(best[j], base + the rows' sum at j), noting `group` where it
/// is strictly less.
static void relax(double *best, uint32_t *arg, size_t count, uint32_t group,
                  double base, llvm::ArrayRef<const double *> rows) {
  auto update = [&](size_t j, double cost) {
    bool less = cost < best[j];
    best[j] = less ? cost : best[j];
    arg[j] = less ? group : arg[j];
  };
  switch (rows.size()) {
  case 0:
    for (size_t j = 0; j < count; ++j)
      update(j, base);
    return;
  case 1:
    for (size_t j = 0; j < count; ++j)
      update(j, base + rows[0][j]);
    return;
  case 2:
    for (size_t j = 0; j < count; ++j)
      update(j, base + rows[0][j] + rows[1][j]);
    return;
  default:
    for (size_t j = 0; j < count; ++j) {
      double cost = base;
      for (const double *row : rows)
        cost += row[j];
      update(j, cost);
    }
  }
}

/// Minimises over the groups for every entry. The last dimension runs
/// innermost, over contiguous rows of the operands that depend on it.
static void minimise(llvm::ArrayRef<double> groupCosts,
                     llvm::ArrayRef<Operand> operands, Table &table,
                     std::vector<uint32_t> &arg) {
  size_t rank = table.dims.size();
  size_t inner = rank ? table.dims.back() : 1;
  std::vector<size_t> index(rank, 0);
  for (size_t start = 0; start < table.values.size(); start += inner) {
    llvm::SmallVector<const double *, 4> flat, rows;
    llvm::SmallVector<size_t, 4> flatStrides, rowStrides;
    for (const Operand &operand : operands) {
      const double *base = operand.values.data();
      for (size_t dim = 0; dim + 1 < rank; ++dim)
        base += index[dim] * operand.strides[dim];
      bool dependsOnLast = rank && operand.strides[rank - 1];
      (dependsOnLast ? rows : flat).push_back(base);
      (dependsOnLast ? rowStrides : flatStrides).push_back(operand.ownStride);
    }
    for (uint32_t group = 0; group < groupCosts.size(); ++group) {
      double base = groupCosts[group];
      for (size_t i = 0; i < flat.size(); ++i) {
        base += *flat[i];
        flat[i] += flatStrides[i];
      }
      relax(&table.values[start], &arg[start], inner, group, base, rows);
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

std::shared_ptr<const Eliminated> Eliminator::tabulate(const Step &step) {
  // Equal shared parts in equal places give an equal result.
  std::vector<const void *> key = {costs[step.var].get()};
  for (unsigned f : step.factors) {
    key.push_back(factors[f].table.get());
    for (auto [v, map] : llvm::zip_equal(factors[f].vars, factors[f].maps)) {
      auto place = llvm::find(step.scope, v) - step.scope.begin();
      key.push_back(reinterpret_cast<const void *>(
          v == step.var ? size_t(0) : size_t(place + 1)));
      key.push_back(map.get());
    }
  }
  std::shared_ptr<const Eliminated> &shared = known[key];
  if (shared)
    return shared;

  // The cheapest choice of every own class, the smallest among equals.
  std::vector<double> groupCosts;
  std::vector<uint32_t> groupChoice;
  const std::vector<double> &own = *costs[step.var];
  if (step.own) {
    groupCosts.assign(step.own->joint->numClasses,
                      std::numeric_limits<double>::infinity());
    groupChoice.assign(step.own->joint->numClasses, 0);
  } else {
    groupCosts.assign(1, std::numeric_limits<double>::infinity());
    groupChoice.assign(1, 0);
  }
  for (uint32_t choice = 0; choice < own.size(); ++choice) {
    uint32_t group = step.own ? step.own->joint->classOf[choice] : 0;
    if (own[choice] < groupCosts[group]) {
      groupCosts[group] = own[choice];
      groupChoice[group] = choice;
    }
  }

  std::vector<Operand> operands;
  for (unsigned i = 0; i < step.factors.size(); ++i) {
    const Factor &factor = factors[step.factors[i]];
    operands.push_back(operandOf(step, factor, i));
    held.push_back(factor.table);
    held.insert(held.end(), factor.maps.begin(), factor.maps.end());
  }
  held.push_back(costs[step.var]);

  Table table;
  size_t entries = 1;
  for (const Refinement *classes : step.classes) {
    table.dims.push_back(classes->joint->numClasses);
    entries *= classes->joint->numClasses;
  }
  table.values.assign(entries, std::numeric_limits<double>::infinity());
  auto result = std::make_shared<Eliminated>();
  result->choice.assign(entries, 0);
  minimise(groupCosts, operands, table, result->choice);
  for (uint32_t &group : result->choice)
    group = groupChoice[group];
  result->table = std::make_shared<const Table>(std::move(table));
  heldBytes += entries * (sizeof(double) + sizeof(uint32_t));
  shared = result;
  return shared;
}

void Eliminator::addCosts(unsigned var, const ClassMap &classes,
                          const std::shared_ptr<const Table> &table) {
  SharedCosts &shared = knownCosts[{costs[var].get(), &classes, table.get()}];
  if (!shared) {
    std::vector<double> sum = *costs[var];
    for (size_t choice = 0; choice < sum.size(); ++choice)
      sum[choice] += table->values[classes.classOf[choice]];
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
  std::shared_ptr<const Eliminated> result = tabulate(step);
  for (unsigned f : step.factors)
    for (unsigned v : factors[f].vars)
      if (v != step.var)
        llvm::erase(factorsOf[v], f);
  for (unsigned f : step.factors)
    factors[f] = Factor();
  addFactor(step, *result);
  for (unsigned neighbour : step.scope)
    schedule(neighbour);
  records.push_back({step, result});
  return llvm::Error::success();
}

llvm::Expected<std::optional<std::vector<uint32_t>>> Eliminator::solve() {
  for (unsigned var = 0; var < problem.variables.size(); ++var)
    schedule(var);
  while (!queue.empty()) {
    auto [work, var] = *queue.begin();
    if (work > mostWork)
      return std::nullopt;
    queue.erase(queue.begin());
    if (llvm::Error error = eliminate(stepFor(var)))
      return error;
  }
  std::vector<uint32_t> choice(problem.variables.size(), 0);
  for (const Record &record : llvm::reverse(records)) {
    size_t entry = 0;
    for (auto [var, classes] :
         llvm::zip_equal(record.step.scope, record.step.classes))
      entry = entry * classes->joint->numClasses +
              classes->joint->classOf[choice[var]];
    choice[record.step.var] = record.result->choice[entry];
  }
  return choice;
}

/// Steps of more sums than this (about a tenth of a second) are worth a bound.
static constexpr double mostDirectWork = 1e8;
static constexpr unsigned boundRounds = 10;

llvm::Expected<Solution> tapestry::solveExact(const PlanProblem &problem,
                                              const SolverOptions &options) {
  if (problem.memoryLimit > 0)
    return planError("solver 'exact' cannot keep a plan within ",
                     problem.memoryLimit, " bytes per device");
  Solution solution;
  auto direct = Eliminator(problem, options, mostDirectWork).solve();
  if (direct && *direct) {
    solution.choice = std::move(**direct);
  } else {
    llvm::consumeError(direct.takeError());
    DualBound bound = computeDualBound(problem, boundRounds);
    ReducedProblem reduced = reduceProblem(problem, bound, bound.solution.cost);
    auto choice = Eliminator(reduced.problem, options,
                             std::numeric_limits<double>::infinity())
                      .solve();
    if (!choice)
      return choice.takeError();
    for (auto [original, number] : llvm::zip_equal(reduced.original, **choice))
      solution.choice.push_back(original[number]);
  }
  solution.cost = problem.evaluate(solution.choice);
  solution.lowerBound = solution.cost;
  solution.provedOptimal = true;
  return solution;
}

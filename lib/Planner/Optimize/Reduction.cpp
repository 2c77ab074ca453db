//===- Reduction.cpp - Problems with fewer choices ------------------------===//
//
// Equal blocks of a model mostly lose the same choices, so what is cut down is
// looked up by what it was and what it keeps: the smaller problem has the
// sharing of the larger one.
//
//===----------------------------------------------------------------------===//

#include "tapestry/Planner/Optimize/DualBound.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>
#include <map>

using namespace tapestry;
using namespace tapestry::optimize;

namespace {

using Numbers = std::vector<uint32_t>;

/// The classes of the choices that are left, renumbered without gaps.
struct KeptClasses {
  SharedClasses classes;
  /// The original number of each.
  std::shared_ptr<const Numbers> kept;
};

class Restriction {
public:
  Restriction(const PlanProblem &problem, std::vector<Numbers> kept)
      : problem(problem), kept(std::move(kept)) {}
  ReducedProblem build();

private:
  const KeptClasses &classesOf(const SharedClasses &map, unsigned var);
  /// `entries` (row-major, `columns` wide) at the rows and columns kept.
  template <typename T>
  std::shared_ptr<const std::vector<T>>
  entriesAt(const std::vector<T> &entries, uint32_t columns,
            const Numbers &rows, const Numbers &cols);
  void addVariable(PlanProblem &result, unsigned var);
  void addEdge(PlanProblem &result, unsigned edge);
  void addTerm(PlanProblem &result, const PlanProblem::MemoryTerm &term);

  const PlanProblem &problem;
  std::vector<Numbers> kept;
  /// Equal lists of kept choices, by a number.
  std::map<Numbers, unsigned> lists;
  std::vector<unsigned> listOf;
  std::map<std::pair<const void *, unsigned>, KeptClasses> maps;
  /// Equal lists of kept classes are one object.
  std::map<Numbers, std::shared_ptr<const Numbers>> classLists;
  std::map<std::pair<const void *, unsigned>, SharedCosts> costs;
  std::map<std::pair<const void *, unsigned>, SharedBytes> bytes;
  std::map<std::tuple<const void *, const void *, const void *>, SharedTable>
      tables;
  std::map<std::tuple<const void *, const void *, const void *>, SharedBytes>
      edgeBytes;
  /// Per edge, what its ends keep.
  std::vector<std::pair<const Numbers *, const Numbers *>> ends;
};

} // namespace

const KeptClasses &Restriction::classesOf(const SharedClasses &map,
                                          unsigned var) {
  KeptClasses &result = maps[{map.get(), listOf[var]}];
  if (result.classes)
    return result;
  constexpr uint32_t none = ~0u;
  Numbers numbers(map->numClasses, none), left;
  auto reduced = std::make_shared<ClassMap>();
  for (uint32_t choice : kept[var]) {
    uint32_t &number = numbers[map->classOf[choice]];
    if (number == none) {
      number = left.size();
      left.push_back(map->classOf[choice]);
    }
    reduced->classOf.push_back(number);
  }
  reduced->numClasses = left.size();
  result.classes = reduced;
  std::shared_ptr<const Numbers> &list = classLists[left];
  if (!list)
    list = std::make_shared<const Numbers>(std::move(left));
  result.kept = list;
  return result;
}

template <typename T>
std::shared_ptr<const std::vector<T>>
Restriction::entriesAt(const std::vector<T> &entries, uint32_t columns,
                       const Numbers &rows, const Numbers &cols) {
  auto result = std::make_shared<std::vector<T>>();
  result->reserve(rows.size() * cols.size());
  for (uint32_t row : rows)
    for (uint32_t column : cols)
      result->push_back(entries[size_t(row) * columns + column]);
  return result;
}

void Restriction::addVariable(PlanProblem &result, unsigned var) {
  const PlanProblem::Variable &variable = problem.variables[var];
  PlanProblem::Variable reduced = variable;
  SharedCosts &shared = costs[{variable.costs.get(), listOf[var]}];
  if (!shared)
    shared = entriesAt(*variable.costs, 1, kept[var], {0});
  reduced.costs = shared;
  reduced.choices = nullptr; // Their meaning is that of the original numbers.
  result.variables.push_back(std::move(reduced));
}

void Restriction::addEdge(PlanProblem &result, unsigned number) {
  const PlanProblem::Edge &edge = problem.edges[number];
  const KeptClasses &from = classesOf(edge.fromClasses, edge.from);
  const KeptClasses &to = classesOf(edge.toClasses, edge.to);
  SharedTable &table =
      tables[{edge.table.get(), from.kept.get(), to.kept.get()}];
  if (!table) {
    CostTable reduced;
    reduced.rows = from.kept->size();
    reduced.columns = to.kept->size();
    reduced.values = *entriesAt(edge.table->values, edge.table->columns,
                                *from.kept, *to.kept);
    table = std::make_shared<const CostTable>(std::move(reduced));
  }
  ends.push_back({from.kept.get(), to.kept.get()});
  result.edges.push_back({edge.from, edge.to, from.classes, to.classes, table});
}

void Restriction::addTerm(PlanProblem &result,
                          const PlanProblem::MemoryTerm &term) {
  PlanProblem::MemoryTerm reduced = term;
  if (term.ofEdge) {
    auto [rows, columns] = ends[term.owner];
    SharedBytes &shared = edgeBytes[{term.bytes.get(), rows, columns}];
    if (!shared)
      shared = entriesAt(*term.bytes, problem.edges[term.owner].table->columns,
                         *rows, *columns);
    reduced.bytes = shared;
  } else {
    SharedBytes &shared = bytes[{term.bytes.get(), listOf[term.owner]}];
    if (!shared)
      shared = entriesAt(*term.bytes, 1, kept[term.owner], {0});
    reduced.bytes = shared;
  }
  result.memory.push_back(std::move(reduced));
}

ReducedProblem Restriction::build() {
  ReducedProblem result;
  result.problem.memoryLimit = problem.memoryLimit;
  for (const Numbers &list : kept)
    listOf.push_back(lists.try_emplace(list, lists.size()).first->second);
  for (unsigned v = 0; v < problem.variables.size(); ++v)
    addVariable(result.problem, v);
  for (unsigned e = 0; e < problem.edges.size(); ++e)
    addEdge(result.problem, e);
  for (const PlanProblem::MemoryTerm &term : problem.memory)
    addTerm(result.problem, term);
  result.original = std::move(kept);
  return result;
}

std::vector<uint32_t>
ReducedProblem::originalOf(llvm::ArrayRef<uint32_t> choice) const {
  std::vector<uint32_t> result;
  for (auto [numbers, number] : llvm::zip_equal(original, choice))
    result.push_back(numbers[number]);
  return result;
}

ReducedProblem optimize::restrictProblem(const PlanProblem &problem,
                                         std::vector<Numbers> kept) {
  return Restriction(problem, std::move(kept)).build();
}

ReducedProblem optimize::reduceProblem(const PlanProblem &problem,
                                       const DualBound &bound, double cost) {
  double limit = cost + 1e-9 * std::abs(cost);
  std::vector<Numbers> kept(problem.variables.size());
  for (unsigned v = 0; v < problem.variables.size(); ++v) {
    const std::vector<double> &bounds = bound.choiceBounds[v];
    for (uint32_t c = 0; c < bounds.size(); ++c)
      if (bounds[c] <= limit)
        kept[v].push_back(c);
    if (kept[v].empty()) // The cost is of no solution; keep the problem one.
      kept[v].push_back(llvm::min_element(bounds) - bounds.begin());
  }
  return restrictProblem(problem, std::move(kept));
}

double optimize::tableEntries(const PlanProblem &problem) {
  double entries = 0;
  for (const PlanProblem::Edge &edge : problem.edges)
    entries += edge.table->values.size();
  return entries;
}

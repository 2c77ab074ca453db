//===- SpmdProblem.cpp - From a graph to the problem in seconds -----------===//
//
// Vertices of the same form share choices, costs and classes, and edges between
// the same lists of layouts share tables, as in PaperProblem.cpp.
//
//===----------------------------------------------------------------------===//

#include "tapestry/Planner/Cost/Seconds/SpmdProblem.h"
#include "SpmdDecoding.h"
#include "tapestry/Planner/Layout/CertainMemory.h"
#include "tapestry/Planner/Layout/Routing.h"
#include "tapestry/Planner/Model/Constraints.h"
#include "tapestry/Planner/Model/CutEnumerator.h"
#include "tapestry/Planner/Model/FormKey.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

using namespace tapestry;
using namespace tapestry::cost::seconds;
using namespace tapestry::layout;
using namespace tapestry::machine;
using namespace tapestry::model;
using namespace tapestry::optimize;

namespace {

class Builder {
public:
  Builder(const PlanGraph &graph, const DeviceGrid &grid,
          const Machine &machine, const SpmdOptions &options)
      : options(options),
        decoding(std::make_unique<SpmdProblem::Decoding>(graph, grid, machine)),
        m(*decoding), space(CutSpace::ofAxes(grid)) {
    for (unsigned axis = 0; axis < grid.axes.size(); ++axis)
      allAxes.push_back(axis);
    for (unsigned v = 0; v < graph.vertices.size(); ++v)
      groupOf.push_back({v});
    for (const std::vector<unsigned> &members : layoutGroups(graph))
      for (unsigned v : members)
        groupOf[v].assign(members.begin(), members.end());
  }

  llvm::Expected<SpmdProblem> build();

private:
  bool chooseSpace();
  bool shrinkSpace(CutSpace::Merge which);
  bool meetsConstraints();
  std::shared_ptr<const WorkForm> workFormOf(unsigned v);
  std::shared_ptr<const HomeForm> homeFormOf(unsigned v);
  /// Choices of equal layouts are told apart by what else is given.
  Shown show(llvm::ArrayRef<LayoutId> layoutPerChoice,
             llvm::ArrayRef<double> apart = {});
  ReshardingTable &tableOf(const PlanVertex &vertex);
  void addVertex(unsigned v, SpmdProblem &result);
  std::vector<PlanProblem::MemoryTerm>
  termsOf(const PlanProblem &problem, llvm::ArrayRef<CertainBytes> held);
  void addMemory(SpmdProblem &result);
  SharedTable transposed(const MoveTable &move);
  /// What a broken preference of weight 1 costs.
  double preferenceSeconds(const PlanVertex &vertex) const {
    return m.grid.axes.empty()
               ? 0
               : preferenceUnit(vertex) * vertex.elementBytes /
                     m.machine.slowestLink(m.grid, allAxes).bandwidth;
  }
  /// Elements of device 0's part.
  int64_t firstPartOf(LayoutId layout) const {
    return volume(m.costs.layout(layout).box(m.grid, /*device=*/0));
  }
  SharedBytes writtenBytes(unsigned v, bool onlyPartial);
  SharedBytes operandBytes(unsigned v, unsigned operand);
  SharedBytes homeBytes(unsigned v);
  SharedBytes combinedBytes(const PlanProblem::Edge &edge, unsigned v,
                            bool atHome);
  SharedBytes fetchedBytes(unsigned v, unsigned operand);
  SharedBytes share(std::vector<int64_t> bytes) {
    SharedBytes &known = distinct[bytes];
    if (!known)
      known = std::make_shared<const std::vector<int64_t>>(std::move(bytes));
    return known;
  }

  const SpmdOptions &options;
  std::unique_ptr<SpmdProblem::Decoding> decoding;
  SpmdProblem::Decoding &m;
  CutSpace space;
  Cut allAxes;
  /// Per vertex, the members of its layout group, itself among them.
  std::vector<llvm::SmallVector<unsigned, 1>> groupOf;
  llvm::StringMap<std::shared_ptr<const WorkForm>> workForms;
  llvm::StringMap<std::shared_ptr<const HomeForm>> homeForms;
  std::map<std::vector<uint32_t>, SharedClasses> classMaps;
  std::map<std::vector<LayoutId>, unsigned> lists;
  /// Per vertex, the edge to its home; per operand the one from its tensor's.
  std::vector<unsigned> homeEdges;
  std::vector<llvm::SmallVector<std::optional<unsigned>, 2>> operandEdges;
  std::map<const MoveTable *, SharedTable> transposes;
  /// Lists of bytes; solvers recognise repeated structure by pointer.
  std::map<std::vector<int64_t>, SharedBytes> distinct;
};

} // namespace

/// Fixes the order of axes, then merges them, until no vertex has too many
/// choices: whoever has fewer axes may take them in any order again. False
/// where that is not enough.
bool Builder::shrinkSpace(CutSpace::Merge which) {
  unsigned mostLabels = 0, mostDims = 0;
  for (const PlanVertex &vertex : m.graph.vertices) {
    mostLabels = std::max<unsigned>(mostLabels, vertex.labels.size());
    mostDims = std::max<unsigned>(mostDims, vertex.shape.size());
  }
  // Every pair of layouts is measured device by device.
  constexpr double mostSteps = 3e8;
  double mostLayouts =
      std::clamp(std::sqrt(mostSteps / m.grid.numDevices()), 24.0,
                 std::max(24.0, double(options.mostLayouts)));
  space = CutSpace::ofAxes(m.grid);
  do
    for (bool anyOrder : {true, false}) {
      space.anyOrder = anyOrder;
      if (countCuts(space, mostLabels) <= options.mostPartitions &&
          countCuts(space, mostDims) <= mostLayouts)
        return true;
    }
  while (space.mergeGroups(m.grid, which));
  return false;
}

/// Whether every constrained vertex has a partition and a layout in the space.
bool Builder::meetsConstraints() {
  for (unsigned v = 0; v < m.graph.vertices.size(); ++v) {
    const PlanVertex &vertex = m.graph.vertices[v];
    if (vertex.constraints.empty())
      continue;
    bool hasPartition = vertex.isInput, hasLayout = false;
    if (!vertex.isInput)
      forEachCut(
          m.grid, space, vertex.extents(), [&](const Partition &partition) {
            hasPartition = hasPartition || allows(vertex, m.grid, partition);
          });
    forEachCut(m.grid, space, vertex.shape, [&](const Partition &partition) {
      Layout layout = Layout::blocked(vertex.shape, partition.cuts);
      hasLayout = hasLayout || llvm::all_of(groupOf[v], [&](unsigned member) {
                    return allowsHome(m.graph.vertices[member], m.grid, layout);
                  });
    });
    if (!hasPartition || !hasLayout)
      return false;
  }
  return true;
}

/// Merged axes cannot make every number of parts: of the ways to merge, the
/// first that meets all constraints.
bool Builder::chooseSpace() {
  if (!options.groups.empty()) {
    space.groups = options.groups;
    return true;
  }
  for (CutSpace::Merge which : {CutSpace::Merge::Smallest,
                                CutSpace::Merge::First, CutSpace::Merge::Last})
    if (shrinkSpace(which) && meetsConstraints())
      return true;
  return shrinkSpace(CutSpace::Merge::Smallest);
}

Shown Builder::show(llvm::ArrayRef<LayoutId> layoutPerChoice,
                    llvm::ArrayRef<double> apart) {
  Shown shown;
  ClassMap map;
  std::map<std::pair<LayoutId, double>, uint32_t> numbers;
  for (auto [number, layout] : llvm::enumerate(layoutPerChoice)) {
    double other = apart.empty() ? 0 : apart[number];
    auto [it, isNew] =
        numbers.try_emplace(std::pair(layout, other), numbers.size());
    if (isNew)
      shown.layouts.push_back(layout);
    map.classOf.push_back(it->second);
  }
  map.numClasses = shown.layouts.size();
  SharedClasses &shared = classMaps[map.classOf];
  if (!shared)
    shared = std::make_shared<const ClassMap>(std::move(map));
  shown.classes = shared;
  shown.number = lists.try_emplace(shown.layouts, lists.size()).first->second;
  return shown;
}

std::shared_ptr<const WorkForm> Builder::workFormOf(unsigned v) {
  const PlanVertex &vertex = m.graph.vertices[v];
  // A companion has the choices of its lead, in their order.
  const PlanVertex &asked = m.graph.vertices[m.graph.leadOf(v)];
  llvm::SmallString<256> key;
  llvm::raw_svector_ostream os(key);
  describeWork(os, m.graph, vertex);
  describeConstraints(os, asked, ConstraintsOf::All);
  std::shared_ptr<const WorkForm> &known = workForms[key];
  if (known)
    return known;
  auto form = std::make_shared<WorkForm>();
  auto parts = std::make_shared<std::vector<PartVector>>();
  auto costs = std::make_shared<std::vector<double>>();
  llvm::SmallVector<int64_t, 4> extents = vertex.extents();
  std::vector<LayoutId> results;
  std::vector<double> work;
  std::vector<std::vector<LayoutId>> operands(vertex.operands.size());
  forEachCut(m.grid, space, extents, [&](const Partition &partition) {
    if (!allows(asked, m.grid, partition))
      return;
    form->partitions.push_back(partition);
    PartVector &counts = parts->emplace_back();
    for (const Cut &cut : partition.cuts)
      counts.push_back(partsOf(m.grid, cut));
    double seconds = workSeconds(m.graph, vertex, m.grid, m.machine, partition);
    work.push_back(seconds);
    costs->push_back(seconds + brokenWeight(vertex, m.grid, partition) *
                                   preferenceSeconds(vertex));
    results.push_back(m.costs.idOf(resultLayout(vertex, partition)));
    for (unsigned o = 0; o < vertex.operands.size(); ++o)
      operands[o].push_back(
          m.costs.idOf(operandLayout(m.graph, vertex, o, partition)));
  });
  form->parts = parts;
  form->costs = costs;
  // What is combined beside the work costs by how long that takes.
  llvm::ArrayRef<double> apart;
  if (m.machine.cutProducts != 0)
    apart = work;
  form->result = show(results, apart);
  form->seconds.resize(form->result.layouts.size());
  for (auto [number, seconds] :
       llvm::zip_equal(form->result.classes->classOf, work))
    form->seconds[number] = seconds / double(vertex.trips);
  for (const std::vector<LayoutId> &layouts : operands)
    form->operands.push_back(show(layouts));
  return known = form;
}

ReshardingTable &Builder::tableOf(const PlanVertex &vertex) {
  std::vector<int64_t> key = {vertex.elementBytes};
  key.insert(key.end(), vertex.shape.begin(), vertex.shape.end());
  std::unique_ptr<ReshardingTable> &table = m.tables[key];
  if (!table) {
    std::vector<Layout> layouts;
    forEachCut(m.grid, space, vertex.shape, [&](const Partition &partition) {
      layouts.push_back(Layout::blocked(vertex.shape, partition.cuts));
    });
    table = std::make_unique<ReshardingTable>(
        m.grid, m.machine, m.costs, std::move(layouts), vertex.elementBytes);
  }
  return *table;
}

std::shared_ptr<const HomeForm> Builder::homeFormOf(unsigned v) {
  const PlanVertex &vertex = m.graph.vertices[v];
  llvm::SmallString<128> key;
  llvm::raw_svector_ostream os(key);
  os << vertex.elementBytes << ":";
  describe(os, vertex.shape);
  for (unsigned member : groupOf[v]) {
    os << (m.graph.vertices[member].isInput ? "i" : "v");
    describeConstraints(os, m.graph.vertices[member], ConstraintsOf::All);
  }
  std::shared_ptr<const HomeForm> &known = homeForms[key];
  if (known)
    return known;
  auto form = std::make_shared<HomeForm>();
  form->table = &tableOf(vertex);
  auto parts = std::make_shared<std::vector<PartVector>>();
  auto costs = std::make_shared<std::vector<double>>();
  auto classes = std::make_shared<ClassMap>();
  for (auto [number, layout] : llvm::enumerate(form->table->layouts())) {
    if (!llvm::all_of(groupOf[v], [&, &layout = layout](unsigned member) {
          return allowsHome(m.graph.vertices[member], m.grid, layout);
        }))
      continue;
    double penalty = 0, border = 0;
    for (unsigned member : groupOf[v]) {
      const PlanVertex &other = m.graph.vertices[member];
      penalty +=
          brokenHomeWeight(other, m.grid, layout) * preferenceSeconds(other);
      border += borderSeconds(other, m.costs, m.machine, layout);
    }
    form->border.push_back(border);
    classes->classOf.push_back(form->allowed.size());
    form->allowed.push_back(number);
    costs->push_back(penalty + border);
    PartVector &list = parts->emplace_back();
    for (const LayoutDim &dim : layout.dims)
      list.push_back(partsOf(m.grid, dim.cut()));
  }
  classes->numClasses = form->allowed.size();
  form->parts = parts;
  form->costs = costs;
  form->classes = classes;
  return known = form;
}

//===----------------------------------------------------------------------===//
// The problem
//===----------------------------------------------------------------------===//

SharedTable Builder::transposed(const MoveTable &move) {
  SharedTable &known = transposes[&move];
  if (known)
    return known;
  auto table = std::make_shared<CostTable>();
  table->rows = move.seconds->columns;
  table->columns = move.seconds->rows;
  for (uint32_t row = 0; row < table->rows; ++row)
    for (uint32_t column = 0; column < table->columns; ++column)
      table->values.push_back(move.seconds->at(column, row));
  return known = table;
}

void Builder::addVertex(unsigned v, SpmdProblem &result) {
  const PlanVertex &vertex = m.graph.vertices[v];
  PlanProblem &problem = result.problem;
  SpmdProblem::Variables &own = m.variables[v];
  if (vertex.cutAs) {
    own.work = m.variables[*vertex.cutAs].work;
  } else if (!vertex.isInput) {
    const WorkForm &form = *m.work[v];
    own.work = problem.variables.size();
    problem.variables.push_back(
        {vertex.name, form.parts, form.costs, /*hasWork=*/true});
  }
  unsigned leader = groupOf[v].front();
  if (leader != v) {
    own.home = m.variables[leader].home;
  } else if (m.home[v]) {
    own.home = problem.variables.size();
    problem.variables.push_back({vertex.name + " (home)", m.home[v]->parts,
                                 m.home[v]->costs, /*hasWork=*/false});
  }
  if (vertex.isInput)
    return;
  const WorkForm &form = *m.work[v];
  for (unsigned o = 0; o < vertex.operands.size(); ++o) {
    unsigned producer = vertex.operands[o].producer;
    const MoveTable *move = nullptr;
    operandEdges[v].push_back(std::nullopt);
    if (m.home[producer]) {
      operandEdges[v].back() = problem.edges.size();
      move = &m.movesToOperand(m.graph.vertices[producer], *m.home[producer],
                               form.operands[o], vertex.operands[o].trips);
      problem.edges.push_back({*m.variables[producer].home, *own.work,
                               m.home[producer]->classes,
                               form.operands[o].classes, move->seconds});
    }
    m.toOperand[v].push_back(move);
  }
  const MoveTable &move = m.movesHome(vertex, form, *m.home[v]);
  m.toHome[v] = &move;
  homeEdges[v] = problem.edges.size();
  if (leader == v)
    problem.edges.push_back({*own.work, *own.home, form.result.classes,
                             m.home[v]->classes, move.seconds});
  else // Edges ascend: the home was there before this vertex.
    problem.edges.push_back({*own.home, *own.work, m.home[v]->classes,
                             form.result.classes, transposed(move)});
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Per choice of a vertex' work, what its nest writes.
SharedBytes Builder::writtenBytes(unsigned v, bool onlyPartial) {
  const PlanVertex &vertex = m.graph.vertices[v];
  const Shown &result = m.work[v]->result;
  std::vector<int64_t> bytes;
  for (uint32_t number : result.classes->classOf) {
    LayoutId written = result.layouts[number];
    bool isPartial = m.costs.wholeOf(written) != written;
    bytes.push_back(isPartial || !onlyPartial
                        ? firstPartOf(written) *
                              vertex.bytesPerElement(isPartial)
                        : 0);
  }
  return share(std::move(bytes));
}

/// Per choice of a vertex' work, an operand as it is read.
SharedBytes Builder::operandBytes(unsigned v, unsigned operand) {
  const Shown &shown = m.work[v]->operands[operand];
  unsigned producer = m.graph.vertices[v].operands[operand].producer;
  std::vector<int64_t> bytes;
  for (uint32_t number : shown.classes->classOf)
    bytes.push_back(firstPartOf(shown.layouts[number]) *
                    m.graph.vertices[producer].elementBytes);
  return share(std::move(bytes));
}

SharedBytes Builder::homeBytes(unsigned v) {
  std::vector<int64_t> bytes;
  for (unsigned number : m.home[v]->allowed)
    bytes.push_back(firstPartOf(m.home[v]->table->idOf(number)) *
                    m.graph.vertices[v].elementBytes);
  return share(std::move(bytes));
}

/// Per entry of the table of the edge to a home, the home (`atHome`) or the
/// first stop on the way there of partial values that are combined.
SharedBytes Builder::combinedBytes(const PlanProblem::Edge &edge, unsigned v,
                                   bool atHome) {
  const Shown &result = m.work[v]->result;
  const HomeForm &home = *m.home[v];
  bool isTransposed = edge.from != *m.variables[v].work;
  size_t rows = result.layouts.size(), columns = home.allowed.size();
  std::vector<int64_t> bytes(rows * columns);
  for (size_t row = 0; row < rows; ++row) {
    LayoutId whole = m.costs.wholeOf(result.layouts[row]);
    if (whole == result.layouts[row])
      continue;
    for (size_t column = 0; column < columns; ++column) {
      unsigned stop = m.toHome[v]->stop[row * columns + column];
      LayoutId held = atHome           ? home.table->idOf(home.allowed[column])
                      : stop == noStop ? whole
                                       : home.table->idOf(stop);
      bytes[isTransposed ? column * rows + row : row * columns + column] =
          firstPartOf(held) * m.graph.vertices[v].elementBytes;
    }
  }
  return share(std::move(bytes));
}

/// Per entry of the table of an operand's edge, the operand where device 0 has
/// not all of it at home.
SharedBytes Builder::fetchedBytes(unsigned v, unsigned operand) {
  unsigned producer = m.graph.vertices[v].operands[operand].producer;
  int64_t elementBytes = m.graph.vertices[producer].elementBytes;
  const Shown &shown = m.work[v]->operands[operand];
  std::vector<int64_t> bytes;
  for (unsigned number : m.home[producer]->allowed) {
    ZBox home = m.costs.layout(m.home[producer]->table->idOf(number))
                    .box(m.grid, /*device=*/0);
    for (LayoutId layout : shown.layouts) {
      ZBox read = m.costs.layout(layout).box(m.grid, /*device=*/0);
      bytes.push_back(volume(intersect(home, read)) == volume(read)
                          ? 0
                          : volume(read) * elementBytes);
    }
  }
  return share(std::move(bytes));
}

std::vector<PlanProblem::MemoryTerm>
Builder::termsOf(const PlanProblem &problem,
                 llvm::ArrayRef<CertainBytes> held) {
  using Of = CertainBytes::Of;
  std::vector<PlanProblem::MemoryTerm> terms;
  for (const CertainBytes &each : held) {
    unsigned v = each.vertex;
    PlanProblem::MemoryTerm term = {
        false, 0, nullptr, each.first, each.last, heldTensor(m.graph, each)};
    switch (each.of) {
    case Of::Home:
      term.owner = *m.variables[v].home;
      term.bytes = homeBytes(v);
      break;
    case Of::CombinedHome:
    case Of::Combined:
      term.ofEdge = true;
      term.owner = homeEdges[v];
      term.bytes = combinedBytes(problem.edges[homeEdges[v]], v,
                                 each.of == Of::CombinedHome);
      break;
    case Of::Written:
    case Of::Partial:
      term.owner = *m.variables[v].work;
      term.bytes = writtenBytes(v, each.of == Of::Partial);
      break;
    case Of::Operand:
      term.owner = *m.variables[v].work;
      term.bytes = operandBytes(v, each.operand);
      break;
    case Of::Fetched:
      term.ofEdge = true;
      term.owner = *operandEdges[v][each.operand];
      term.bytes = fetchedBytes(v, each.operand);
      break;
    }
    terms.push_back(std::move(term));
  }
  return terms;
}

/// What programs certainly hold, and what is expected of them
/// (Planner/Layout/CertainMemory.h).
void Builder::addMemory(SpmdProblem &result) {
  PlanProblem &problem = result.problem;
  problem.memoryLimit = options.memoryLimit;
  if (options.memoryLimit == 0)
    return;
  problem.memory = termsOf(problem, certainBytes(m.graph));
  problem.expected = termsOf(problem, expectedBytes(m.graph));
}

llvm::Expected<SpmdProblem> Builder::build() {
  if (llvm::Error error = checkConstraints(m.graph, m.grid))
    return std::move(error);
  CutSpace complete = space;
  if (!chooseSpace())
    return planError("a grid of ", m.grid.axes.size(),
                     " prime axes leaves more than ", options.mostPartitions,
                     " partitions of a vertex however its axes are merged");
  SpmdProblem result;
  result.groups = space.groups;
  result.isComplete = space.anyOrder && space.groups == complete.groups &&
                      m.grid.numDevices() <= 512;
  size_t count = m.graph.vertices.size();
  m.variables.resize(count);
  m.work.resize(count);
  m.home.resize(count);
  m.toHome.resize(count);
  m.toOperand.resize(count);
  homeEdges.resize(count);
  operandEdges.resize(count);
  for (unsigned v = 0; v < count; ++v) {
    const PlanVertex &vertex = m.graph.vertices[v];
    if (!vertex.isInput) {
      m.work[v] = workFormOf(v);
      if (m.work[v]->partitions.empty())
        return planError("vertex '", vertex.name, "': no partition on ",
                         result.isComplete ? "the grid" : "merged grid axes",
                         " is as its pins demand");
    }
    if (!vertex.storedFor) {
      m.home[v] = homeFormOf(v);
      if (m.home[v]->allowed.empty())
        return planError("vertex '", vertex.name, "': no layout on ",
                         result.isComplete ? "the grid" : "merged grid axes",
                         " is as its pins demand");
    }
    addVertex(v, result);
  }
  addMemory(result);
  result.decoding = std::move(decoding);
  return result;
}

llvm::Expected<SpmdProblem>
cost::seconds::buildSpmdProblem(const PlanGraph &graph, const DeviceGrid &grid,
                                const Machine &machine,
                                const SpmdOptions &options) {
  return Builder(graph, grid, machine, options).build();
}

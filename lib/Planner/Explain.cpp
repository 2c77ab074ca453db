//===- Explain.cpp - A plan as a table for people -------------------------===//

#include "tapestry/Planner/Explain.h"
#include "tapestry/Planner/Problem.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <cmath>

using namespace tapestry;

//===----------------------------------------------------------------------===//
// Alternatives
//===----------------------------------------------------------------------===//

/// Everything in the plan's cost that depends on the parts of one vertex.
static double costAround(const PlanGraph &graph,
                         llvm::ArrayRef<llvm::SmallVector<PlanUse, 2>> uses,
                         llvm::ArrayRef<PartVector> parts, unsigned v) {
  const PlanVertex &vertex = graph.vertices[v];
  llvm::SmallVector<int64_t, 4> extents = vertex.extents();
  double cost =
      joinCost(graph, vertex, parts[v]) + aggregateCost(vertex, parts[v]);
  auto moveCost = [&](unsigned producer, PlanUse use) {
    const PlanVertex &from = graph.vertices[producer];
    const PlanVertex &to = graph.vertices[use.vertex];
    return repartitionCost(projectedParts(from.output, from.extents(),
                                          parts[producer], from.shape),
                           projectedParts(to.operands[use.operand].projection,
                                          to.extents(), parts[use.vertex],
                                          from.shape));
  };
  for (unsigned o = 0; o < vertex.operands.size(); ++o) {
    unsigned producer = vertex.operands[o].producer;
    if (!isStoredAsConsumed(graph.vertices[producer], uses[producer]))
      cost += moveCost(producer, {v, o});
  }
  for (const PlanUse &use : uses[v])
    cost += moveCost(v, use);
  return cost;
}

/// The alternatives for vertex `v` while `parts` says what the others do.
static std::vector<Alternative>
alternativesAmong(const PlanGraph &graph,
                  llvm::ArrayRef<llvm::SmallVector<PlanUse, 2>> uses,
                  std::vector<PartVector> &parts, int64_t devices, unsigned v,
                  unsigned count) {
  const PlanVertex &vertex = graph.vertices[v];
  std::vector<Alternative> result;
  if (count == 0 || isStoredAsConsumed(vertex, uses[v]) ||
      countViablePartitions(vertex.extents(), devices) > maxChoicesPerVariable)
    return result;
  PartVector own = parts[v];
  double now = costAround(graph, uses, parts, v);
  for (PartVector &other : viablePartitions(vertex.extents(), devices)) {
    if (other == own)
      continue;
    parts[v] = other;
    result.push_back({other, costAround(graph, uses, parts, v) - now});
  }
  parts[v] = own;
  size_t kept = std::min<size_t>(count, result.size());
  auto order = [](const Alternative &a, const Alternative &b) {
    // Ties as everywhere: most parts of the first label first.
    return a.extraCost != b.extraCost ? a.extraCost < b.extraCost
                                      : b.parts < a.parts;
  };
  std::partial_sort(result.begin(), result.begin() + kept, result.end(), order);
  result.resize(kept);
  return result;
}

std::vector<Alternative> tapestry::alternativesFor(const PlanGraph &graph,
                                                   const Plan &plan, unsigned v,
                                                   unsigned count) {
  std::vector<PartVector> parts = plan.allParts();
  return alternativesAmong(graph, graph.uses(), parts, plan.devices, v, count);
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

namespace {
/// Rows of cells; the first columns are text, the others numbers.
class Table {
public:
  Table(std::vector<std::string> header, unsigned textColumns)
      : textColumns(textColumns) {
    rows.push_back(std::move(header));
  }
  void add(std::vector<std::string> row) { rows.push_back(std::move(row)); }

  void print(llvm::raw_ostream &os) const {
    std::vector<size_t> widths(rows[0].size(), 0);
    for (const auto &row : rows)
      for (size_t c = 0; c < row.size(); ++c)
        widths[c] = std::max(widths[c], row[c].size());
    for (const auto &row : rows) {
      std::string line;
      for (size_t c = 0; c < row.size(); ++c) {
        std::string pad(widths[c] - row[c].size(), ' ');
        line += "  " + (c < textColumns ? row[c] + pad : pad + row[c]);
      }
      os << llvm::StringRef(line).rtrim() << "\n";
    }
  }

private:
  std::vector<std::vector<std::string>> rows;
  unsigned textColumns;
};
} // namespace

/// Whole numbers without a fraction, others with two digits of it.
static std::string costText(double cost) {
  return llvm::formatv(std::round(cost) == cost ? "{0:f0}" : "{0:f2}", cost)
      .str();
}

static std::string partsText(const PlanVertex &vertex,
                             llvm::ArrayRef<int64_t> parts) {
  std::string text;
  for (auto [label, count] : llvm::zip_equal(vertex.labels, parts))
    text +=
        (text.empty() ? "" : " ") + label.name + "=" + std::to_string(count);
  return text;
}

static std::string axesText(const PlanVertex &vertex, const DeviceGrid &grid,
                            const VertexPlacement &placed) {
  if (!placed.partition)
    return "as read";
  std::string text;
  for (auto [label, cut] :
       llvm::zip_equal(vertex.labels, placed.partition->cuts)) {
    if (cut.empty())
      continue;
    text += (text.empty() ? "" : " ") + label.name + ":";
    for (auto [number, axis] : llvm::enumerate(cut))
      text += (number ? "," : "") + grid.axes[axis].name;
  }
  return text;
}

static void printSummary(llvm::raw_ostream &os, const Plan &plan) {
  os << "plan" << (plan.program.empty() ? "" : " of " + plan.program) << " for "
     << plan.devices << " devices (";
  for (auto [number, axis] : llvm::enumerate(plan.userGrid.axes))
    os << (number ? ", " : "") << axis.name << " = " << axis.size;
  os << "), solver " << plan.solver << ", cost model " << plan.costModel
     << "\n";
  os << "cost " << costText(plan.cost) << " elements, ";
  if (plan.provedOptimal)
    os << "proved optimal\n";
  else if (plan.lowerBound > 0)
    os << "lower bound " << costText(plan.lowerBound) << ": within "
       << llvm::formatv("{0:f1}", 100 * (plan.cost / plan.lowerBound - 1))
       << " % of optimal\n";
  else
    os << "no lower bound known\n";
  os << "peak " << plan.peakBytesPerDevice << " bytes per device, "
     << plan.placement.totalBytes() << " bytes sent by all devices\n";
}

static void printVertices(llvm::raw_ostream &os, const PlanGraph &graph,
                          const Plan &plan) {
  Table table(
      {"vertex", "parts", "axes", "join", "aggregate", "repartition", "total"},
      3);
  VertexCost sum;
  for (unsigned v = 0; v < graph.vertices.size(); ++v) {
    const VertexCost &cost = plan.vertices[v].cost;
    sum.join += cost.join;
    sum.aggregate += cost.aggregate;
    sum.repartition += cost.repartition;
    table.add(
        {graph.vertices[v].name,
         partsText(graph.vertices[v], plan.vertices[v].parts),
         axesText(graph.vertices[v], plan.grid, plan.placement.vertices[v]),
         costText(cost.join), costText(cost.aggregate),
         costText(cost.repartition), costText(cost.total())});
  }
  table.add({"total", "", "", costText(sum.join), costText(sum.aggregate),
             costText(sum.repartition), costText(plan.cost)});
  table.print(os);
}

static void printCollectives(llvm::raw_ostream &os, const PlanGraph &graph,
                             const Plan &plan) {
  Table table({"result of", "collective", "group", "bytes"}, 2);
  for (const PlannedCollective &collective : plan.placement.collectives)
    table.add({graph.vertices[collective.vertex].name,
               stringifyCollective(collective.kind).str(),
               std::to_string(collective.group),
               std::to_string(collective.bytes)});
  table.add({"total", "", "", std::to_string(plan.placement.totalBytes())});
  table.print(os);
}

static void printAlternatives(llvm::raw_ostream &os, const PlanGraph &graph,
                              const Plan &plan, unsigned count) {
  Table table({"vertex", "parts", "extra cost"}, 2);
  auto uses = graph.uses();
  std::vector<PartVector> parts = plan.allParts();
  bool isEmpty = true;
  for (unsigned v = 0; v < graph.vertices.size(); ++v)
    for (const Alternative &other :
         alternativesAmong(graph, uses, parts, plan.devices, v, count)) {
      table.add(
          {graph.vertices[v].name, partsText(graph.vertices[v], other.parts),
           (other.extraCost >= 0 ? "+" : "") + costText(other.extraCost)});
      isEmpty = false;
    }
  if (isEmpty)
    return;
  os << "\nbest other choices for one vertex while all others keep theirs\n";
  table.print(os);
}

std::string tapestry::planTable(const PlanGraph &graph, const Plan &plan) {
  std::string text;
  llvm::raw_string_ostream os(text);
  printSummary(os, plan);
  os << "\n";
  printVertices(os, graph, plan);
  if (!plan.placement.collectives.empty()) {
    os << "\n";
    printCollectives(os, graph, plan);
  }
  return text;
}

std::string tapestry::explainPlan(const PlanGraph &graph, const Plan &plan,
                                  const ExplainOptions &options) {
  std::string text = planTable(graph, plan);
  llvm::raw_string_ostream os(text);
  printAlternatives(os, graph, plan, options.alternatives);
  return text;
}

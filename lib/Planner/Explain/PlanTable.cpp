//===- PlanTable.cpp - A plan as a table for people -----------------------===//

#include "tapestry/Planner/Explain/Explain.h"
#include "tapestry/Planner/Plan/PlanText.h"
#include "tapestry/Support/Counted.h"
#include "llvm/ADT/STLExtras.h"

using namespace tapestry;
using namespace tapestry::cost;
using namespace tapestry::layout;
using namespace tapestry::model;
using namespace tapestry::plan;

static void printSummary(llvm::raw_ostream &os, const PlanGraph &graph,
                         const Plan &plan) {
  os << "plan" << (plan.program.empty() ? "" : " of " + plan.program) << " for "
     << countOf(plan.devices, "device") << " (";
  for (auto [number, axis] : llvm::enumerate(plan.userGrid.axes))
    os << (number ? ", " : "") << axis.name << " = " << axis.size;
  os << "), solver " << plan.solver << ", cost model " << plan.costModel
     << "\n";
  if (plan.idleDevices > 0)
    os << plan.idleDevices << " of " << plan.devices + plan.idleDevices
       << " devices " << (plan.idleDevices == 1 ? "stays" : "stay")
       << " idle: no plan that was found for more costs less\n";
  os << "cost " << costText(plan, plan.cost) << " " << costUnit(plan) << ", ";
  if (plan.provedOptimal)
    os << "proved optimal for the graph "
       << (plan.rewrites.empty() ? "as it stands\n" : "after its rewrites\n");
  else if (plan.lowerBound > 0)
    os << "lower bound " << costText(plan, plan.lowerBound) << ": within "
       << percentText(plan.cost / plan.lowerBound - 1) << " of optimal\n";
  else
    os << "no lower bound known\n";
  for (const CostModel *other : costModels()) {
    bool canPrice = !other->needsMachine() || !plan.machine.name.empty();
    if (other == &plan.model() || !canPrice)
      continue;
    double cost = 0;
    for (const VertexCost &vertex : other->price(plan.decided(graph)))
      cost += vertex.total();
    os << "under the cost model " << other->name() << " it costs "
       << other->format(cost) << " " << other->unit() << "\n";
  }
  os << (plan.isPeakExact ? "peak " : "peak about ")
     << countOf(plan.peakBytesPerDevice, "byte") << " per device, "
     << countOf(plan.placement.totalBytes(), "byte")
     << " sent by all devices\n";
}

static void printVertices(llvm::raw_ostream &os, const PlanGraph &graph,
                          const Plan &plan) {
  llvm::ArrayRef<CostComponent> components = plan.model().components();
  std::vector<std::string> header = {"vertex", "parts", "axes"};
  for (const CostComponent &component : components)
    header.push_back(component.title.str());
  header.push_back("total");
  TextTable table(header, 3);
  auto add = [&](std::vector<std::string> row, const VertexCost &cost,
                 double total) {
    for (double component : cost.components)
      row.push_back(costText(plan, component));
    row.push_back(costText(plan, total));
    table.add(row);
  };
  VertexCost sum(components.size());
  for (unsigned v = 0; v < graph.vertices.size(); ++v) {
    const VertexCost &cost = plan.vertices[v].cost;
    for (unsigned c = 0; c < components.size(); ++c)
      sum[c] += cost[c];
    const PlanVertex &vertex = graph.vertices[v];
    std::string axes = axesText(vertex, plan.grid, plan.placement.vertices[v]);
    std::string border = borderText(vertex);
    add({vertex.name, partsText(vertex, plan.vertices[v].parts),
         axes + (axes.empty() || border.empty() ? "" : " ") + border},
        cost, cost.total());
  }
  add({"total", "", ""}, sum, plan.cost);
  table.print(os);
}

static void printCollectives(llvm::raw_ostream &os, const PlanGraph &graph,
                             const Plan &plan) {
  TextTable table({"result of", "collective", "group", "bytes"}, 2);
  for (const PlannedCollective &collective : plan.placement.collectives)
    table.add({graph.vertices[collective.vertex].name,
               stringifyCollective(collective.kind).str(),
               std::to_string(collective.group),
               std::to_string(collective.bytes)});
  table.add({"total", "", "", std::to_string(plan.placement.totalBytes())});
  table.print(os);
}

std::string explain::planTable(const PlanGraph &graph, const Plan &plan) {
  std::string text;
  llvm::raw_string_ostream os(text);
  printSummary(os, graph, plan);
  os << "\n";
  printVertices(os, graph, plan);
  if (!plan.placement.collectives.empty()) {
    os << "\n";
    printCollectives(os, graph, plan);
  }
  return text;
}

//===- PlanTable.cpp - A plan as a table for people -----------------------===//

#include "tapestry/Planner/Explain/Explain.h"
#include "tapestry/Planner/Plan/PlanText.h"
#include "llvm/ADT/STLExtras.h"

using namespace tapestry;

static void printSummary(llvm::raw_ostream &os, const PlanGraph &graph,
                         const Plan &plan) {
  os << "plan" << (plan.program.empty() ? "" : " of " + plan.program) << " for "
     << plan.devices << " devices (";
  for (auto [number, axis] : llvm::enumerate(plan.userGrid.axes))
    os << (number ? ", " : "") << axis.name << " = " << axis.size;
  os << "), solver " << plan.solver << ", cost model " << plan.costModel
     << "\n";
  if (plan.idleDevices > 0)
    os << plan.idleDevices << " of " << plan.devices + plan.idleDevices
       << " devices stay idle: no plan that was found for more costs less\n";
  os << "cost " << costText(plan, plan.cost) << " " << costUnit(plan) << ", ";
  if (plan.provedOptimal)
    os << "proved optimal\n";
  else if (plan.lowerBound > 0)
    os << "lower bound " << costText(plan, plan.lowerBound) << ": within "
       << percentText(plan.cost / plan.lowerBound - 1) << " of optimal\n";
  else
    os << "no lower bound known\n";
  if (plan.costModel != "paper") {
    double elements = 0;
    for (const VertexCost &cost : paperCosts(graph, plan.allParts()))
      elements += cost.total();
    Plan other;
    os << "under the cost model paper it costs " << costText(other, elements)
       << " elements\n";
  }
  os << (plan.isPeakExact ? "peak " : "peak about ") << plan.peakBytesPerDevice
     << " bytes per device, " << plan.placement.totalBytes()
     << " bytes sent by all devices\n";
}

static void printVertices(llvm::raw_ostream &os, const PlanGraph &graph,
                          const Plan &plan) {
  bool isTime = plan.costModel == "spmd";
  TextTable table({"vertex", "parts", "axes", isTime ? "work" : "join",
                   "aggregate", "repartition", "total"},
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
         costText(plan, cost.join), costText(plan, cost.aggregate),
         costText(plan, cost.repartition), costText(plan, cost.total())});
  }
  table.add({"total", "", "", costText(plan, sum.join),
             costText(plan, sum.aggregate), costText(plan, sum.repartition),
             costText(plan, plan.cost)});
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

std::string tapestry::planTable(const PlanGraph &graph, const Plan &plan) {
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

//===- PlanFile.cpp - Writing plan.json -----------------------------------===//

#include "tapestry/Planner/PlanFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"

using namespace tapestry;

static void writeVertex(llvm::json::OStream &json, const PlanVertex &vertex,
                        const PlannedVertex &planned,
                        const VertexPlacement &placed, const DeviceGrid &grid) {
  json.attribute("name", planned.name);
  json.attributeObject("parts", [&] {
    for (auto [label, count] : llvm::zip_equal(vertex.labels, planned.parts))
      json.attribute(label.name, count);
  });
  if (placed.partition)
    json.attributeObject("axes", [&] {
      for (auto [label, cut] :
           llvm::zip_equal(vertex.labels, placed.partition->cuts)) {
        if (cut.empty())
          continue;
        json.attributeArray(label.name, [&, &cut = cut] {
          for (unsigned axis : cut)
            json.value(grid.axes[axis].name);
        });
      }
    });
  json.attribute("join", planned.cost.join);
  json.attribute("aggregate", planned.cost.aggregate);
  json.attribute("repartition", planned.cost.repartition);
}

void tapestry::writePlan(llvm::raw_ostream &os, const PlanGraph &graph,
                         const Plan &plan) {
  llvm::json::OStream json(os, /*IndentSize=*/2);
  json.object([&] {
    json.attribute("tapestry_plan", 1);
    json.attribute("program", plan.program);
    json.attribute("devices", plan.devices);
    json.attributeObject("grid", [&] {
      for (const DeviceGrid::Axis &axis : plan.userGrid.axes)
        json.attribute(axis.name, axis.size);
    });
    json.attribute("solver", plan.solver);
    json.attribute("cost_model", plan.costModel);
    json.attribute("cost", plan.cost);
    json.attribute("lower_bound", plan.lowerBound);
    json.attribute("proved_optimal", plan.provedOptimal);
    json.attribute("plan_seconds", plan.planSeconds);
    json.attribute("peak_bytes_per_device", plan.peakBytesPerDevice);
    if (!plan.rewrites.empty())
      json.attributeArray("rewrites", [&] {
        for (const Rewrite &rewrite : plan.rewrites)
          json.object([&] {
            json.attribute("kind", rewrite.kind);
            json.attribute("vertex", rewrite.vertex);
            json.attributeArray("arguments", [&] {
              for (const std::string &argument : rewrite.arguments)
                json.value(argument);
            });
          });
      });
    json.attributeArray("vertices", [&] {
      for (auto [vertex, planned, placed] : llvm::zip_equal(
               graph.vertices, plan.vertices, plan.placement.vertices))
        json.object(
            [&, &vertex = vertex, &planned = planned, &placed = placed] {
              writeVertex(json, vertex, planned, placed, plan.grid);
            });
    });
    json.attributeArray("collectives", [&] {
      for (const PlannedCollective &collective : plan.placement.collectives)
        json.object([&] {
          json.attribute("vertex", graph.vertices[collective.vertex].name);
          json.attribute("kind", stringifyCollective(collective.kind));
          json.attribute("group", collective.group);
          json.attribute("bytes", collective.bytes);
        });
    });
  });
  os << "\n";
}

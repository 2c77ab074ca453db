//===- PlanFile.cpp - Writing plan.json -----------------------------------===//

#include "tapestry/Planner/Plan/PlanFile.h"
#include "tapestry/Planner/Machine/MachineFile.h"
#include "tapestry/Planner/Plan/PlanJSON.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"

using namespace tapestry;
using namespace tapestry::cost;
using namespace tapestry::layout;
using namespace tapestry::machine;
using namespace tapestry::model;
using namespace tapestry::plan;
using llvm::json::fixUTF8; // names in IR are any bytes

/// The axes of every dimension of a plain layout.
static void writeLayout(llvm::json::OStream &json, const Layout &layout,
                        const DeviceGrid &grid) {
  json.array([&] {
    for (const LayoutDim &dim : layout.dims)
      json.array([&] {
        for (unsigned axis : dim.cut())
          json.value(fixUTF8(grid.axes[axis].name));
      });
  });
}

static void writeRoute(llvm::json::OStream &json, const Route &route,
                       const DeviceGrid &grid) {
  json.array([&] {
    for (const Layout &layout : route)
      writeLayout(json, layout, grid);
  });
}

/// Where the result is kept, and the ways that are not one step.
static void writePlaces(llvm::json::OStream &json,
                        const VertexPlacement &placed, const DeviceGrid &grid) {
  if (placed.home.isPlain()) {
    json.attributeBegin("home");
    writeLayout(json, placed.home, grid);
    json.attributeEnd();
  }
  if (!placed.homeRoute.empty()) {
    json.attributeBegin("home_route");
    writeRoute(json, placed.homeRoute, grid);
    json.attributeEnd();
  }
  if (llvm::any_of(placed.operandRoutes,
                   [](const Route &route) { return !route.empty(); }))
    json.attributeArray("operand_routes", [&] {
      for (const Route &route : placed.operandRoutes)
        writeRoute(json, route, grid);
    });
}

static void writeGroups(llvm::json::OStream &json, const PlanGraph &graph) {
  llvm::MapVector<llvm::StringRef, std::vector<llvm::StringRef>> groups;
  for (const PlanVertex &vertex : graph.vertices)
    if (!vertex.constraints.layoutGroup.empty())
      groups[vertex.constraints.layoutGroup].push_back(vertex.name);
  if (groups.empty())
    return;
  json.attributeArray("groups", [&] {
    for (const auto &[name, vertices] : groups)
      json.object([&, &name = name, &vertices = vertices] {
        json.attribute("name", fixUTF8(name));
        json.attributeArray("vertices", [&] {
          for (llvm::StringRef vertex : vertices)
            json.value(fixUTF8(vertex));
        });
      });
  });
}

void plan::writeGrid(llvm::json::OStream &json, const DeviceGrid &userGrid) {
  json.attributeObject("grid", [&] {
    for (const DeviceGrid::Axis &axis : userGrid.axes)
      json.attribute(fixUTF8(axis.name), axis.size);
  });
}

void plan::writeRewrites(llvm::json::OStream &json,
                         llvm::ArrayRef<Rewrite> rewrites) {
  json.attributeArray("rewrites", [&] {
    for (const Rewrite &rewrite : rewrites)
      json.object([&] {
        json.attribute("kind", rewrite.kind);
        json.attribute("vertex", fixUTF8(rewrite.vertex));
        json.attributeArray("arguments", [&] {
          for (const std::string &argument : rewrite.arguments)
            json.value(fixUTF8(argument));
        });
      });
  });
}

void plan::writeCut(llvm::json::OStream &json, const PlanVertex &vertex,
                    const PlannedVertex &planned, const VertexPlacement &placed,
                    const DeviceGrid &grid) {
  json.attribute("name", fixUTF8(planned.name));
  json.attributeObject("parts", [&] {
    for (auto [label, count] : llvm::zip_equal(vertex.labels, planned.parts))
      json.attribute(fixUTF8(label.name), count);
  });
  if (placed.partition)
    json.attributeObject("axes", [&] {
      for (auto [label, cut] :
           llvm::zip_equal(vertex.labels, placed.partition->cuts)) {
        if (cut.empty())
          continue;
        json.attributeArray(fixUTF8(label.name), [&, &cut = cut] {
          for (unsigned axis : cut)
            json.value(fixUTF8(grid.axes[axis].name));
        });
      }
    });
}

static void writeVertex(llvm::json::OStream &json, const PlanVertex &vertex,
                        const PlannedVertex &planned,
                        const VertexPlacement &placed, const DeviceGrid &grid,
                        llvm::ArrayRef<CostComponent> components) {
  writeCut(json, vertex, planned, placed, grid);
  if (vertex.trips != 1)
    json.attribute("trips", vertex.trips);
  writePlaces(json, placed, grid);
  for (auto [component, cost] :
       llvm::zip_equal(components, planned.cost.components))
    json.attribute(component.key, cost);
}

void plan::writePlan(llvm::raw_ostream &os, const PlanGraph &graph,
                     const Plan &plan) {
  llvm::json::OStream json(os, /*IndentSize=*/2);
  json.object([&] {
    json.attribute("tapestry_plan", 1);
    json.attribute("program", fixUTF8(plan.program));
    json.attribute("devices", plan.devices);
    writeGrid(json, plan.userGrid);
    json.attribute("solver", plan.solver);
    json.attribute("cost_model", plan.costModel);
    if (!plan.machine.name.empty())
      json.attributeObject("machine",
                           [&] { writeMachineOfPlan(json, plan.machine); });
    if (plan.idleDevices != 0)
      json.attribute("idle_devices", plan.idleDevices);
    json.attribute("cost", plan.cost);
    json.attribute("lower_bound", plan.lowerBound);
    json.attribute("proved_optimal", plan.provedOptimal);
    json.attribute("plan_seconds", plan.planSeconds);
    json.attribute("peak_bytes_per_device", plan.peakBytesPerDevice);
    json.attribute("peak_bytes_exact", plan.isPeakExact);
    if (!plan.rewrites.empty())
      writeRewrites(json, plan.rewrites);
    writeGroups(json, graph);
    json.attributeArray("vertices", [&] {
      for (auto [vertex, planned, placed] : llvm::zip_equal(
               graph.vertices, plan.vertices, plan.placement.vertices))
        json.object(
            [&, &vertex = vertex, &planned = planned, &placed = placed] {
              writeVertex(json, vertex, planned, placed, plan.grid,
                          plan.model().components());
            });
    });
    json.attributeArray("collectives", [&] {
      for (const PlannedCollective &collective : plan.placement.collectives)
        json.object([&] {
          json.attribute("vertex",
                         fixUTF8(graph.vertices[collective.vertex].name));
          json.attribute("kind", stringifyCollective(collective.kind));
          json.attribute("group", collective.group);
          json.attribute("bytes", collective.bytes);
        });
    });
  });
  os << "\n";
}

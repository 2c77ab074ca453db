//===- PlanFileReader.cpp - Reading plan.json -----------------------------===//

#include "PlanFileReader.h"
#include "tapestry/Planner/Machine/JSONText.h"
#include "tapestry/Planner/Machine/MachineFile.h"
#include "tapestry/Support/Counted.h"
#include "llvm/ADT/STLExtras.h"

using namespace tapestry;
using namespace tapestry::cost;
using namespace tapestry::machine;
using namespace tapestry::plan;

//===----------------------------------------------------------------------===//
// Header and grid
//===----------------------------------------------------------------------===//

llvm::Error PlanFileReader::readHeader(const Cursor &top) {
  if (llvm::Error error = checkKeys(
          top, {"tapestry_plan", "program", "devices", "grid", "solver",
                "cost_model", "machine", "idle_devices", "cost", "lower_bound",
                "proved_optimal", "plan_seconds", "peak_bytes_per_device",
                "peak_bytes_exact", "rewrites", "groups", "vertices",
                "collectives"}))
    return error;
  std::optional<int64_t> version;
  if (llvm::Error error = readMember(top, "tapestry_plan", version))
    return error;
  if (!version)
    return fail(top, "no key 'tapestry_plan': this is not a plan");
  if (*version != 1)
    return fail(top, "tapestry_plan: version ", *version,
                ", this program reads version 1");
  std::optional<std::string> program, solver, costModel;
  if (llvm::Error error = readMember(top, "program", program))
    return error;
  if (llvm::Error error = readMember(top, "solver", solver))
    return error;
  if (llvm::Error error = readMember(top, "cost_model", costModel))
    return error;
  sketch.costModel = costModel.value_or(options.costModel);
  auto named = costModelNamed(sketch.costModel);
  if (!named)
    return fail(top, "cost_model: ", llvm::toString(named.takeError()));
  model = *named;
  std::optional<int64_t> idle;
  if (llvm::Error error = readMember(top, "idle_devices", idle))
    return error;
  if (idle && (*idle < 0 || *idle > maxDevices))
    return fail(top, "idle_devices: ", countOf(*idle, "device"),
                ", there may be 0 to ", maxDevices);
  sketch.program = program.value_or(options.program);
  sketch.solver = solver.value_or("given");
  sketch.idleDevices = idle.value_or(0);
  if (llvm::Error error = readMachine(top))
    return error;
  return readGrid(top);
}

llvm::Error PlanFileReader::readGrid(const Cursor &top) {
  std::optional<int64_t> devices;
  if (llvm::Error error = readMember(top, "devices", devices))
    return error;
  if (devices && (*devices < 1 || *devices > maxDevices))
    return fail(top, "devices: ", countOf(*devices, "device"),
                ", a plan is for 1 to ", maxDevices);
  const json::Value *member = top.value->getAsObject()->get("grid");
  if (!member) {
    if (!devices && !options.grid.axes.empty())
      devices = options.grid.numDevices();
    if (!devices && options.devices != 0)
      devices = options.devices;
    if (!devices)
      return fail(top, "neither 'devices' nor 'grid' is given");
    if (options.grid.numDevices() == *devices && !options.grid.axes.empty())
      sketch.userGrid = options.grid;
    else
      sketch.userGrid.axes.push_back({"d", *devices});
  } else {
    Cursor at = top.at("grid", *member);
    auto object = objectAt(at);
    if (!object)
      return object.takeError();
    for (const std::string &name : keysInOrder(text, "grid")) {
      const json::Value *size = (*object)->get(name);
      if (!size || sketch.userGrid.axisNamed(name))
        return fail(at, "axis '", name, "' is given twice");
      DeviceGrid::Axis axis{name, 1};
      if (llvm::Error error = read(at.at(name, *size), axis.size))
        return error;
      if (llvm::Error error = sketch.userGrid.add(axis))
        return llvm::handleErrors(
            std::move(error), [&](const GridError &fault) {
              return fail(at.at(name, *size), fault.sizes(),
                          "; a grid has 1 to ", maxDevices, " devices");
            });
    }
    int64_t product = sketch.userGrid.numDevices();
    if (devices && *devices != product)
      return fail(at, "the axes make ", countOf(product, "device"),
                  ", 'devices' says ", *devices);
  }
  grid = splitIntoPrimes(sketch.userGrid);
  return llvm::Error::success();
}

/// A machine by name or file, or in numbers: bytes, seconds and operations per
/// second.
llvm::Error PlanFileReader::readMachine(const Cursor &top) {
  if (model->needsMachine())
    sketch.machine = options.machine.name.empty() ? builtInMachines().front()
                                                  : options.machine;
  const json::Value *member = top.value->getAsObject()->get("machine");
  if (!member)
    return llvm::Error::success();
  Cursor at = top.at("machine", *member);
  if (auto name = member->getAsString()) {
    auto machine = machineNamed(*name);
    if (!machine)
      return fail(at, llvm::toString(machine.takeError()));
    sketch.machine = std::move(*machine);
    return llvm::Error::success();
  }
  auto machine = readMachineOfPlan(*member, fileName);
  if (!machine)
    return machine.takeError();
  sketch.machine = std::move(*machine);
  return llvm::Error::success();
}

llvm::Error PlanFileReader::readGroups(const Cursor &top) {
  const json::Value *member = top.value->getAsObject()->get("groups");
  if (!member)
    return llvm::Error::success();
  Cursor at = top.at("groups", *member);
  auto list = arrayAt(at);
  if (!list)
    return list.takeError();
  for (auto [index, entry] : llvm::enumerate(**list)) {
    Cursor here = at.at(index, entry);
    if (llvm::Error error = checkKeys(here, {"name", "vertices"}))
      return error;
    std::optional<std::string> name;
    if (llvm::Error error = readMember(here, "name", name))
      return error;
    const json::Value *members = entry.getAsObject()->get("vertices");
    if (!name || name->empty() || !members)
      return fail(here, "a group has a name and vertices");
    auto names = arrayAt(here.at("vertices", *members));
    if (!names)
      return names.takeError();
    for (auto [number, value] : llvm::enumerate(**names)) {
      Cursor place = here.at("vertices", *members).at(number, value);
      std::string vertexName;
      if (llvm::Error error = read(place, vertexName))
        return error;
      std::optional<unsigned> vertex = graph.vertexNamed(vertexName);
      if (!vertex)
        return fail(place, "the program has no vertex '", vertexName,
                    "' that an output needs");
      ShardingConstraints &asked = graph.vertices[*vertex].constraints;
      if (asked.layoutGroup == *name)
        continue;
      if (!asked.layoutGroup.empty())
        return fail(place, "vertex '", vertexName, "' is in group '",
                    asked.layoutGroup, "' already, not in '", *name, "'");
      asked.layoutGroup = *name;
      asked.layoutGroupPlace = fileName;
    }
  }
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// What the file states beyond the decisions
//===----------------------------------------------------------------------===//

llvm::Expected<StatedPlan> PlanFileReader::readStated() const {
  StatedPlan stated;
  Cursor top{&root, ""};
  if (llvm::Error error = readMember(top, "cost", stated.cost))
    return error;
  if (llvm::Error error = readMember(top, "lower_bound", stated.lowerBound))
    return error;
  if (llvm::Error error =
          readMember(top, "proved_optimal", stated.provedOptimal))
    return error;
  if (llvm::Error error = readMember(top, "plan_seconds", stated.seconds))
    return error;
  if (llvm::Error error =
          readMember(top, "peak_bytes_per_device", stated.peakBytes))
    return error;
  if (llvm::Error error =
          readMember(top, "peak_bytes_exact", stated.isPeakExact))
    return error;
  const json::Value *member = root.getAsObject()->get("collectives");
  if (!member)
    return stated;
  stated.collectivesAt = top.at("collectives", *member);
  auto list = arrayAt(*stated.collectivesAt);
  if (!list)
    return list.takeError();
  for (auto [index, entry] : llvm::enumerate(**list)) {
    StatedPlan::Collective &collective = stated.collectives.emplace_back();
    const Cursor &here = collective.at = stated.collectivesAt->at(index, entry);
    if (llvm::Error error =
            checkKeys(here, {"vertex", "kind", "group", "bytes"}))
      return error;
    if (llvm::Error error = readMember(here, "vertex", collective.vertex))
      return error;
    if (llvm::Error error = readMember(here, "kind", collective.kind))
      return error;
    if (llvm::Error error = readMember(here, "group", collective.group))
      return error;
    if (llvm::Error error = readMember(here, "bytes", collective.bytes))
      return error;
  }
  return stated;
}

llvm::Expected<PlanFileContents> PlanFileReader::read() {
  auto value = parseJSON(text, fileName, "a plan", deepestPlan);
  if (!value)
    return value.takeError();
  root = std::move(*value);
  Cursor top{&root, ""};
  if (llvm::Error error = readHeader(top))
    return error;
  if (llvm::Error error = readGroups(top))
    return error;
  graph.resolveStorage();
  if (llvm::Error error = readVertices(top))
    return error;
  return PlanFileContents{std::move(sketch), std::move(grid), model,
                          std::move(entries)};
}

//===- PlanFileReader.cpp - Reading plan.json -----------------------------===//

#include "PlanFileReader.h"
#include "tapestry/Planner/Machine/JSONText.h"
#include "tapestry/Planner/Machine/MachineFile.h"
#include "tapestry/Planner/Plan/Verify.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cmath>

using namespace tapestry;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

llvm::Error PlanFileReader::expected(const Cursor &at,
                                     llvm::StringRef what) const {
  std::string got;
  llvm::raw_string_ostream(got) << *at.value;
  if (got.size() > 40)
    got = got.substr(0, 37) + "...";
  return fail(at, "expected ", what, ", got ", got);
}

llvm::Expected<const json::Object *>
PlanFileReader::objectAt(const Cursor &at) const {
  if (const json::Object *object = at.value->getAsObject())
    return object;
  return expected(at, "an object");
}

llvm::Expected<const json::Array *>
PlanFileReader::arrayAt(const Cursor &at) const {
  if (const json::Array *array = at.value->getAsArray())
    return array;
  return expected(at, "a list");
}

llvm::Error PlanFileReader::read(const Cursor &at, int64_t &result) const {
  std::optional<int64_t> number = at.value->getAsInteger();
  if (!number)
    return expected(at, "an integer");
  result = *number;
  return llvm::Error::success();
}

llvm::Error PlanFileReader::read(const Cursor &at, double &result) const {
  std::optional<double> number = at.value->getAsNumber();
  if (!number)
    return expected(at, "a number");
  result = *number;
  return llvm::Error::success();
}

llvm::Error PlanFileReader::read(const Cursor &at, bool &result) const {
  std::optional<bool> truth = at.value->getAsBoolean();
  if (!truth)
    return expected(at, "true or false");
  result = *truth;
  return llvm::Error::success();
}

llvm::Error PlanFileReader::read(const Cursor &at, std::string &result) const {
  std::optional<llvm::StringRef> string = at.value->getAsString();
  if (!string)
    return expected(at, "a string");
  result = string->str();
  return llvm::Error::success();
}

llvm::Error
PlanFileReader::checkKeys(const Cursor &at,
                          llvm::ArrayRef<llvm::StringRef> known) const {
  auto object = objectAt(at);
  if (!object)
    return object.takeError();
  for (auto &[key, member] : **object)
    if (!llvm::is_contained(known, llvm::StringRef(key)))
      return fail(at, "unknown key '", llvm::StringRef(key), "', there are ",
                  llvm::join(known, ", "));
  return llvm::Error::success();
}

/// The keys of the object that is the top-level member `key`, in the order of
/// the text: JSON objects have none, but the axes of a grid do. `text` is valid
/// JSON.
static std::vector<std::string> keysInOrder(llvm::StringRef text,
                                            llvm::StringRef key) {
  std::vector<std::string> keys;
  int depth = 0;
  bool isInside = false;
  std::string last;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '"') {
      size_t end = i + 1;
      while (text[end] != '"')
        end += text[end] == '\\' ? 2 : 1;
      auto string = json::parse(text.slice(i, end + 1));
      last = string ? string->getAsString().value_or("").str() : "";
      llvm::consumeError(string.takeError());
      i = end;
    } else if (c == ':') {
      if (depth == 1)
        isInside = last == key;
      else if (depth == 2 && isInside)
        keys.push_back(last);
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return keys;
}

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
    return fail(top, "idle_devices: ", *idle, " devices, there may be 0 to ",
                maxDevices);
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
    return fail(top, "devices: ", *devices, " devices, a plan is for 1 to ",
                maxDevices);
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
      return fail(at, "the axes make ", product, " devices, 'devices' says ",
                  *devices);
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
        return fail(place, "the program has no vertex '", vertexName, "'");
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

llvm::Error PlanFileReader::compareCost(const Cursor &at,
                                        std::optional<double> stated,
                                        double counted) const {
  // Seconds may be as small as they like.
  double unit = model->isWhole() ? 1 : 1e-9;
  if (!stated ||
      std::abs(*stated - counted) <= 1e-9 * std::max(unit, std::abs(counted)))
    return llvm::Error::success();
  return fail(at, "given as ", llvm::format("%.17g", *stated), ", counted are ",
              llvm::format("%.17g", counted),
              ": was the plan made for other extents?");
}

llvm::Error PlanFileReader::compareCosts(const Cursor &top, Plan &plan) const {
  for (unsigned v = 0; v < graph.vertices.size(); ++v) {
    const VertexCost &counted = plan.vertices[v].cost;
    const VertexEntry &stated = entries[v];
    for (auto [number, given] : llvm::enumerate(stated.costs))
      if (llvm::Error error =
              compareCost({nullptr, stated.path + "." +
                                        model->components()[number].key.str()},
                          given, counted[number]))
        return error;
  }
  std::optional<double> cost, lowerBound, seconds;
  std::optional<bool> provedOptimal, isExact;
  std::optional<int64_t> peakBytes;
  if (llvm::Error error = readMember(top, "cost", cost))
    return error;
  if (llvm::Error error = readMember(top, "lower_bound", lowerBound))
    return error;
  if (llvm::Error error = readMember(top, "proved_optimal", provedOptimal))
    return error;
  if (llvm::Error error = readMember(top, "plan_seconds", seconds))
    return error;
  if (llvm::Error error = readMember(top, "peak_bytes_per_device", peakBytes))
    return error;
  if (llvm::Error error = compareCost({nullptr, "cost"}, cost, plan.cost))
    return error;
  // Of the finished program it is not for the planner to judge.
  if (llvm::Error error = readMember(top, "peak_bytes_exact", isExact))
    return error;
  if (peakBytes && !isExact.value_or(false) &&
      *peakBytes != plan.peakBytesPerDevice)
    return fail({nullptr, "peak_bytes_per_device"}, "given as ", *peakBytes,
                ", counted are ", plan.peakBytesPerDevice,
                ": was the plan made for other extents?");
  plan.planSeconds = seconds.value_or(0);
  plan.provedOptimal = cost && provedOptimal.value_or(false);
  plan.lowerBound = cost ? lowerBound.value_or(0) : 0;
  return llvm::Error::success();
}

llvm::Error PlanFileReader::compareCollectives(const Cursor &top,
                                               const Plan &plan) const {
  const json::Value *member = top.value->getAsObject()->get("collectives");
  if (!member)
    return llvm::Error::success();
  Cursor at = top.at("collectives", *member);
  auto list = arrayAt(at);
  if (!list)
    return list.takeError();
  const auto &counted = plan.placement.collectives;
  if ((*list)->size() != counted.size())
    return fail(at, (*list)->size(), " collectives, the plan needs ",
                counted.size());
  for (auto [index, entry] : llvm::enumerate(**list)) {
    Cursor here = at.at(index, entry);
    if (llvm::Error error =
            checkKeys(here, {"vertex", "kind", "group", "bytes"}))
      return error;
    std::optional<std::string> vertex, kind;
    std::optional<int64_t> group, bytes;
    if (llvm::Error error = readMember(here, "vertex", vertex))
      return error;
    if (llvm::Error error = readMember(here, "kind", kind))
      return error;
    if (llvm::Error error = readMember(here, "group", group))
      return error;
    if (llvm::Error error = readMember(here, "bytes", bytes))
      return error;
    const PlannedCollective &needed = counted[index];
    const std::string &name = graph.vertices[needed.vertex].name;
    if (vertex && *vertex != name)
      return fail(here, "vertex '", *vertex, "', needed is '", name, "'");
    if (kind && *kind != stringifyCollective(needed.kind))
      return fail(here, "kind '", *kind, "', needed is '",
                  stringifyCollective(needed.kind), "'");
    if (group && *group != needed.group)
      return fail(here, "group ", *group, ", needed is ", needed.group);
    if (bytes && *bytes != needed.bytes)
      return fail(here, "bytes ", *bytes, ", it sends ", needed.bytes);
  }
  return llvm::Error::success();
}

llvm::Expected<Plan> PlanFileReader::read() {
  // LLVM's parser recurses without a limit.
  constexpr int64_t deepestPlan = 32;
  if (int64_t depth = nestingDepth(text); depth > deepestPlan)
    return inFile(planError("brackets are nested ", depth,
                            " deep, a plan has at most ", deepestPlan));
  auto value = json::parse(text);
  if (!value)
    return inFile(value.takeError());
  Cursor top{&*value, ""};
  if (llvm::Error error = readHeader(top))
    return error;
  if (llvm::Error error = readGroups(top))
    return error;
  graph.resolveStorage();
  if (llvm::Error error = readVertices(top))
    return error;
  auto plan = decide();
  if (!plan)
    return inFile(plan.takeError());
  if (isComplete) {
    if (llvm::Error error = compareCosts(top, *plan))
      return error;
    if (llvm::Error error = compareCollectives(top, *plan))
      return error;
  }
  if (llvm::Error error = verifyPlan(graph, *plan))
    return inFile(std::move(error));
  if (options.memoryLimit != 0 &&
      plan->peakBytesPerDevice > options.memoryLimit)
    return inFile(llvm::make_error<MemoryError>(
        plan->peakBytesPerDevice, options.memoryLimit,
        joinedText("the plan needs ", plan->peakBytesPerDevice,
                   " bytes per device, the limit is ", options.memoryLimit)));
  auto rewrites = parsePlanRewrites(text, fileName);
  if (!rewrites)
    return rewrites.takeError();
  plan->rewrites = std::move(*rewrites);
  return plan;
}

llvm::Expected<Plan> tapestry::followPlan(llvm::StringRef text,
                                          llvm::StringRef fileName,
                                          PlanGraph &graph,
                                          const PlannerOptions &options) {
  PlanGraph constrained = graph;
  auto plan = PlanFileReader(text, fileName, constrained, options).read();
  if (plan)
    graph = std::move(constrained);
  return plan;
}

llvm::Expected<Plan> tapestry::followPlanFile(llvm::StringRef path,
                                              PlanGraph &graph,
                                              const PlannerOptions &options) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return errorAt(path, buffer.getError().message());
  return followPlan((*buffer)->getBuffer(), path, graph, options);
}

llvm::Expected<Plan> tapestry::parsePlan(llvm::StringRef text,
                                         llvm::StringRef fileName,
                                         const PlanGraph &graph,
                                         const PlannerOptions &options) {
  PlanGraph constrained = graph;
  auto plan = followPlan(text, fileName, constrained, options);
  if (plan)
    if (llvm::Error error = verifyPlan(graph, *plan))
      return errorAt(fileName, llvm::toString(std::move(error)));
  return plan;
}

llvm::Expected<Plan> tapestry::readPlanFile(llvm::StringRef path,
                                            const PlanGraph &graph,
                                            const PlannerOptions &options) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return errorAt(path, buffer.getError().message());
  return parsePlan((*buffer)->getBuffer(), path, graph, options);
}

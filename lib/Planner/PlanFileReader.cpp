//===- PlanFileReader.cpp - Reading plan.json -----------------------------===//

#include "JSONText.h"
#include "tapestry/Planner/PlanFile.h"
#include "tapestry/Planner/Planner.h"
#include "tapestry/Planner/Verify.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cmath>
#include <set>

using namespace tapestry;
namespace json = llvm::json;

namespace {

/// A value in the file and the path that leads to it.
struct Cursor {
  const json::Value *value;
  std::string path;

  Cursor at(llvm::StringRef key, const json::Value &child) const {
    return {&child, path.empty() ? key.str() : path + "." + key.str()};
  }
  Cursor at(size_t index, const json::Value &child) const {
    return {&child, path + "[" + std::to_string(index) + "]"};
  }
};

/// Where the file has a vertex, and the costs that it states.
struct Stated {
  std::string path;
  std::optional<double> join, aggregate, repartition;
};

class Reader {
public:
  Reader(llvm::StringRef text, llvm::StringRef fileName, const PlanGraph &graph)
      : text(text), fileName(fileName), graph(graph) {}

  llvm::Expected<Plan> read(const PlacementOptions &options);

private:
  template <typename... Parts>
  llvm::Error fail(const Cursor &at, const Parts &...parts) const {
    return planError(
        fileName, ": error: ", at.path.empty() ? "" : at.path + ": ", parts...);
  }
  /// Prefixes an error of another room with the file.
  llvm::Error inFile(llvm::Error error) const {
    return planError(fileName, ": error: ", llvm::toString(std::move(error)));
  }
  llvm::Error expected(const Cursor &at, llvm::StringRef what) const;

  llvm::Expected<const json::Object *> objectAt(const Cursor &at) const;
  llvm::Expected<const json::Array *> arrayAt(const Cursor &at) const;
  llvm::Error read(const Cursor &at, int64_t &result) const;
  llvm::Error read(const Cursor &at, double &result) const;
  llvm::Error read(const Cursor &at, bool &result) const;
  llvm::Error read(const Cursor &at, std::string &result) const;
  /// Reads the member `key` if it is there.
  template <typename T>
  llvm::Error readMember(const Cursor &at, llvm::StringRef key,
                         std::optional<T> &result) const;
  llvm::Error checkKeys(const Cursor &at,
                        llvm::ArrayRef<llvm::StringRef> known) const;

  llvm::Error readHeader(const Cursor &top);
  llvm::Error readGrid(const Cursor &top);
  llvm::Error readVertices(const Cursor &at);
  llvm::Error readVertex(const Cursor &at);
  llvm::Error readAxes(const Cursor &at, const PlanVertex &vertex,
                       Partition &partition);
  llvm::Error axesNamed(const Cursor &at, llvm::StringRef name, Cut &cut);
  llvm::Error compareCosts(const Cursor &top, Plan &plan) const;
  llvm::Error compareCollectives(const Cursor &top, const Plan &plan) const;
  llvm::Error compareCost(const Cursor &at, std::optional<double> stated,
                          double counted) const;

  llvm::StringRef text;
  std::string fileName;
  const PlanGraph &graph;
  PlanSketch sketch;
  DeviceGrid grid;
  std::vector<Stated> statedOf;
};

} // namespace

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

llvm::Error Reader::expected(const Cursor &at, llvm::StringRef what) const {
  std::string got;
  llvm::raw_string_ostream(got) << *at.value;
  if (got.size() > 40)
    got = got.substr(0, 37) + "...";
  return fail(at, "expected ", what, ", got ", got);
}

llvm::Expected<const json::Object *> Reader::objectAt(const Cursor &at) const {
  if (const json::Object *object = at.value->getAsObject())
    return object;
  return expected(at, "an object");
}

llvm::Expected<const json::Array *> Reader::arrayAt(const Cursor &at) const {
  if (const json::Array *array = at.value->getAsArray())
    return array;
  return expected(at, "a list");
}

llvm::Error Reader::read(const Cursor &at, int64_t &result) const {
  std::optional<int64_t> number = at.value->getAsInteger();
  if (!number)
    return expected(at, "an integer");
  result = *number;
  return llvm::Error::success();
}

llvm::Error Reader::read(const Cursor &at, double &result) const {
  std::optional<double> number = at.value->getAsNumber();
  if (!number)
    return expected(at, "a number");
  result = *number;
  return llvm::Error::success();
}

llvm::Error Reader::read(const Cursor &at, bool &result) const {
  std::optional<bool> truth = at.value->getAsBoolean();
  if (!truth)
    return expected(at, "true or false");
  result = *truth;
  return llvm::Error::success();
}

llvm::Error Reader::read(const Cursor &at, std::string &result) const {
  std::optional<llvm::StringRef> string = at.value->getAsString();
  if (!string)
    return expected(at, "a string");
  result = string->str();
  return llvm::Error::success();
}

template <typename T>
llvm::Error Reader::readMember(const Cursor &at, llvm::StringRef key,
                               std::optional<T> &result) const {
  const json::Value *member = at.value->getAsObject()->get(key);
  if (!member)
    return llvm::Error::success();
  result.emplace();
  return read(at.at(key, *member), *result);
}

llvm::Error Reader::checkKeys(const Cursor &at,
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

llvm::Error Reader::readHeader(const Cursor &top) {
  if (llvm::Error error = checkKeys(
          top, {"tapestry_plan", "program", "devices", "grid", "solver",
                "cost_model", "cost", "lower_bound", "proved_optimal",
                "plan_seconds", "peak_bytes_per_device", "rewrites", "vertices",
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
  if (costModel && *costModel != "paper")
    return fail(top, "cost_model: unknown cost model '", *costModel,
                "', there is 'paper'");
  sketch.program = program.value_or("");
  sketch.solver = solver.value_or("given");
  sketch.costModel = "paper";
  return readGrid(top);
}

llvm::Error Reader::readGrid(const Cursor &top) {
  std::optional<int64_t> devices;
  if (llvm::Error error = readMember(top, "devices", devices))
    return error;
  if (devices && (*devices < 1 || *devices > maxDevices))
    return fail(top, "devices: ", *devices, " devices, a plan is for 1 to ",
                maxDevices);
  const json::Value *member = top.value->getAsObject()->get("grid");
  if (!member) {
    if (!devices)
      return fail(top, "neither 'devices' nor 'grid' is given");
    sketch.userGrid.axes.push_back({"d", *devices});
  } else {
    Cursor at = top.at("grid", *member);
    auto object = objectAt(at);
    if (!object)
      return object.takeError();
    int64_t product = 1;
    for (const std::string &name : keysInOrder(text, "grid")) {
      const json::Value *size = (*object)->get(name);
      if (!size || sketch.userGrid.axisNamed(name))
        return fail(at, "axis '", name, "' is given twice");
      DeviceGrid::Axis axis{name, 1};
      if (llvm::Error error = read(at.at(name, *size), axis.size))
        return error;
      if (axis.size < 1 || axis.size > maxDevices / product)
        return fail(at.at(name, *size), axis.size, " devices beside ", product,
                    " of the axes before it; a grid has 1 to ", maxDevices,
                    " devices");
      product *= axis.size;
      sketch.userGrid.axes.push_back(axis);
    }
    if (devices && *devices != product)
      return fail(at, "the axes make ", product, " devices, 'devices' says ",
                  *devices);
  }
  grid = splitIntoPrimes(sketch.userGrid);
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Vertices
//===----------------------------------------------------------------------===//

llvm::Error Reader::axesNamed(const Cursor &at, llvm::StringRef name,
                              Cut &cut) {
  if (std::optional<unsigned> axis = grid.axisNamed(name)) {
    cut.push_back(*axis);
    return llvm::Error::success();
  }
  // A user's axis stands for its prime parts, which lie side by side.
  unsigned first = 0;
  for (const DeviceGrid::Axis &axis : sketch.userGrid.axes) {
    unsigned count = primeFactors(axis.size).size();
    if (axis.name == name) {
      for (unsigned part = 0; part < count; ++part)
        cut.push_back(first + part);
      return llvm::Error::success();
    }
    first += count;
  }
  std::string known;
  for (const DeviceGrid::Axis &axis : grid.axes)
    known += (known.empty() ? "'" : ", '") + axis.name + "'";
  return fail(at, "unknown axis '", name, "', there are ",
              known.empty() ? "none" : known);
}

llvm::Error Reader::readAxes(const Cursor &at, const PlanVertex &vertex,
                             Partition &partition) {
  partition.cuts.assign(vertex.labels.size(), Cut());
  auto object = objectAt(at);
  if (!object)
    return object.takeError();
  for (auto &[key, member] : **object) {
    std::optional<unsigned> label = vertex.labelNamed(key);
    Cursor here = at.at(key, member);
    if (!label)
      return fail(here, "vertex '", vertex.name, "' has no label '",
                  llvm::StringRef(key), "'");
    auto list = arrayAt(here);
    if (!list)
      return list.takeError();
    for (auto [index, axis] : llvm::enumerate(**list)) {
      std::string name;
      if (llvm::Error error = read(here.at(index, axis), name))
        return error;
      if (llvm::Error error =
              axesNamed(here.at(index, axis), name, partition.cuts[*label]))
        return error;
    }
  }
  return llvm::Error::success();
}

llvm::Error Reader::readVertex(const Cursor &at) {
  if (llvm::Error error = checkKeys(
          at, {"name", "parts", "axes", "join", "aggregate", "repartition"}))
    return error;
  const json::Object &object = *at.value->getAsObject();
  std::optional<std::string> name;
  if (llvm::Error error = readMember(at, "name", name))
    return error;
  if (!name)
    return fail(at, "no key 'name'");
  std::optional<unsigned> number = graph.vertexNamed(*name);
  if (!number)
    return fail(at, "the program has no vertex '", *name, "'");
  if (sketch.parts[*number])
    return fail(at, "vertex '", *name, "' is given twice");
  const PlanVertex &vertex = graph.vertices[*number];

  std::optional<Partition> partition;
  if (const json::Value *axes = object.get("axes")) {
    partition.emplace();
    if (llvm::Error error = readAxes(at.at("axes", *axes), vertex, *partition))
      return error;
  }
  PartVector parts(vertex.labels.size(), 1);
  if (partition)
    for (unsigned l = 0; l < parts.size(); ++l)
      parts[l] = partsOf(grid, partition->cuts[l]);
  if (const json::Value *given = object.get("parts")) {
    Cursor here = at.at("parts", *given);
    auto members = objectAt(here);
    if (!members)
      return members.takeError();
    for (auto &[key, member] : **members) {
      std::optional<unsigned> label = vertex.labelNamed(key);
      if (!label)
        return fail(here.at(key, member), "vertex '", vertex.name,
                    "' has no label '", llvm::StringRef(key), "'");
      if (llvm::Error error = read(here.at(key, member), parts[*label]))
        return error;
    }
  } else if (!partition) {
    return fail(at, "vertex '", vertex.name,
                "' has neither 'parts' nor 'axes'");
  }
  if (llvm::Error error = verifyVertexParts(vertex, parts, grid.numDevices()))
    return fail(at, llvm::toString(std::move(error)));
  if (partition)
    if (llvm::Error error = verifyAxes(vertex, grid, parts, *partition))
      return fail(at.at("axes", *object.get("axes")),
                  llvm::toString(std::move(error)));
  sketch.parts[*number] = parts;
  sketch.partitions[*number] = partition;
  Stated &costs = statedOf[*number];
  costs.path = at.path;
  if (llvm::Error error = readMember(at, "join", costs.join))
    return error;
  if (llvm::Error error = readMember(at, "aggregate", costs.aggregate))
    return error;
  return readMember(at, "repartition", costs.repartition);
}

llvm::Error Reader::readVertices(const Cursor &top) {
  sketch.parts.resize(graph.vertices.size());
  sketch.partitions.resize(graph.vertices.size());
  statedOf.resize(graph.vertices.size());
  const json::Value *member = top.value->getAsObject()->get("vertices");
  if (!member)
    return fail(top, "no key 'vertices'");
  Cursor at = top.at("vertices", *member);
  auto list = arrayAt(at);
  if (!list)
    return list.takeError();
  for (auto [index, vertex] : llvm::enumerate(**list))
    if (llvm::Error error = readVertex(at.at(index, vertex)))
      return error;
  for (auto [vertex, parts] : llvm::zip_equal(graph.vertices, sketch.parts))
    if (!parts && !vertex.isInput)
      return fail(at, "vertex '", vertex.name,
                  "' of the program is not in the plan");
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// What the file states beyond the decisions
//===----------------------------------------------------------------------===//

llvm::Error Reader::compareCost(const Cursor &at, std::optional<double> stated,
                                double counted) const {
  if (!stated ||
      std::abs(*stated - counted) <= 1e-9 * std::max(1.0, std::abs(counted)))
    return llvm::Error::success();
  return fail(at, "given as ", llvm::format("%.17g", *stated), ", counted are ",
              llvm::format("%.17g", counted));
}

llvm::Error Reader::compareCosts(const Cursor &top, Plan &plan) const {
  for (unsigned v = 0; v < graph.vertices.size(); ++v) {
    const VertexCost &counted = plan.vertices[v].cost;
    const Stated &stated = statedOf[v];
    auto compare = [&](const char *key, std::optional<double> given,
                       double cost) {
      return compareCost({nullptr, stated.path + "." + key}, given, cost);
    };
    if (llvm::Error error = compare("join", stated.join, counted.join))
      return error;
    if (llvm::Error error =
            compare("aggregate", stated.aggregate, counted.aggregate))
      return error;
    if (llvm::Error error =
            compare("repartition", stated.repartition, counted.repartition))
      return error;
  }
  std::optional<double> cost, lowerBound, seconds;
  std::optional<bool> provedOptimal;
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
  if (peakBytes && *peakBytes != plan.peakBytesPerDevice)
    return fail({nullptr, "peak_bytes_per_device"}, "given as ", *peakBytes,
                ", counted are ", plan.peakBytesPerDevice);
  plan.planSeconds = seconds.value_or(0);
  plan.provedOptimal = cost && provedOptimal.value_or(false);
  plan.lowerBound = cost ? lowerBound.value_or(0) : 0;
  return llvm::Error::success();
}

llvm::Error Reader::compareCollectives(const Cursor &top,
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

llvm::Expected<Plan> Reader::read(const PlacementOptions &options) {
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
  if (llvm::Error error = readVertices(top))
    return error;
  auto plan = completePlan(graph, sketch, options);
  if (!plan)
    return inFile(plan.takeError());
  for (unsigned v = 0; v < graph.vertices.size(); ++v)
    if (sketch.partitions[v] &&
        !(sketch.partitions[v] == plan->placement.vertices[v].partition))
      return fail({nullptr, statedOf[v].path + ".axes"}, "input '",
                  graph.vertices[v].name,
                  "' is not cut as its only reader wants it");
  if (llvm::Error error = compareCosts(top, *plan))
    return error;
  if (llvm::Error error = compareCollectives(top, *plan))
    return error;
  if (llvm::Error error = verifyPlan(graph, *plan))
    return inFile(std::move(error));
  auto rewrites = parsePlanRewrites(text, fileName);
  if (!rewrites)
    return rewrites.takeError();
  plan->rewrites = std::move(*rewrites);
  return plan;
}

llvm::Expected<Plan> tapestry::parsePlan(llvm::StringRef text,
                                         llvm::StringRef fileName,
                                         const PlanGraph &graph,
                                         const PlacementOptions &options) {
  return Reader(text, fileName, graph).read(options);
}

llvm::Expected<Plan> tapestry::readPlanFile(llvm::StringRef path,
                                            const PlanGraph &graph,
                                            const PlacementOptions &options) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return planError(path, ": error: ", buffer.getError().message());
  return parsePlan((*buffer)->getBuffer(), path, graph, options);
}

//===- PlanFileVertices.cpp - What plan.json decides of vertices ----------===//

#include "PlanFileReader.h"
#include "tapestry/Planner/Layout/Routing.h"
#include "tapestry/Planner/Model/Constraints.h"
#include "tapestry/Planner/Model/Partitions.h"
#include "tapestry/Planner/Plan/Verify.h"
#include "tapestry/Support/Counted.h"
#include "llvm/ADT/STLExtras.h"

using namespace tapestry;
using namespace tapestry::cost;
using namespace tapestry::model;
using namespace tapestry::plan;

bool VertexEntry::hasParts() const {
  return !path.empty() &&
         llvm::all_of(parts, [](int64_t count) { return count > 0; });
}

static bool isGiven(const std::optional<Cut> &cut) { return cut.has_value(); }

bool VertexEntry::hasCuts() const {
  return hasParts() && llvm::all_of(cuts, isGiven);
}

bool VertexEntry::hasHome() const {
  return hasCuts() && home.size() > 0 && llvm::all_of(home, isGiven);
}

/// Whether the value is a "?": what it stands for is to be decided.
static bool isOpenMark(const json::Value &value) {
  return value.getAsString() == llvm::StringRef("?");
}

//===----------------------------------------------------------------------===//
// Cuts and layouts
//===----------------------------------------------------------------------===//

llvm::Error PlanFileReader::axesNamed(const Cursor &at, llvm::StringRef name,
                                      Cut &cut) {
  if (std::optional<Cut> axes = tapestry::model::axesNamed(grid, name)) {
    cut.append(axes->begin(), axes->end());
    return llvm::Error::success();
  }
  // An axis of one device has no prime parts.
  if (sketch.userGrid.axisNamed(name))
    return llvm::Error::success();
  std::string known;
  for (const DeviceGrid::Axis &axis : grid.axes)
    known += (known.empty() ? "'" : ", '") + axis.name + "'";
  return fail(at, "unknown axis '", name, "', there are ",
              known.empty() ? "none" : known);
}

llvm::Error PlanFileReader::readCut(const Cursor &at, Cut &cut) {
  auto list = arrayAt(at);
  if (!list)
    return list.takeError();
  for (auto [index, axis] : llvm::enumerate(**list)) {
    std::string name;
    if (llvm::Error error = read(at.at(index, axis), name))
      return error;
    if (llvm::Error error = axesNamed(at.at(index, axis), name, cut))
      return error;
  }
  return llvm::Error::success();
}

/// A list of axes per dimension; with `allowOpen` a dimension may be "?".
llvm::Error
PlanFileReader::readDims(const Cursor &at, const PlanVertex &vertex,
                         bool allowOpen,
                         llvm::SmallVectorImpl<std::optional<Cut>> &dims) {
  auto list = arrayAt(at);
  if (!list)
    return list.takeError();
  if ((*list)->size() != vertex.shape.size())
    return fail(at, countOf((*list)->size(), "dimension"), ", '", vertex.name,
                "' has ", vertex.shape.size());
  Cut used;
  for (auto [index, value] : llvm::enumerate(**list)) {
    Cursor here = at.at(index, value);
    std::optional<Cut> &dim = dims.emplace_back();
    if (allowOpen && isOpenMark(value))
      continue;
    dim.emplace();
    if (llvm::Error error = readCut(here, *dim))
      return error;
    for (unsigned axis : *dim) {
      if (llvm::is_contained(used, axis))
        return fail(here, "axis '", grid.axes[axis].name,
                    "' cuts the layout twice");
      used.push_back(axis);
    }
  }
  return llvm::Error::success();
}

llvm::Error PlanFileReader::readHome(const Cursor &at, const PlanVertex &vertex,
                                     VertexEntry &entry) {
  if (isOpenMark(*at.value))
    return llvm::Error::success();
  return readDims(at, vertex, /*allowOpen=*/true, entry.home);
}

llvm::Error PlanFileReader::readRoute(const Cursor &at,
                                      const PlanVertex &vertex, Route &route) {
  auto list = arrayAt(at);
  if (!list)
    return list.takeError();
  for (auto [index, layout] : llvm::enumerate(**list)) {
    llvm::SmallVector<std::optional<Cut>, 4> dims;
    if (llvm::Error error =
            readDims(at.at(index, layout), vertex, /*allowOpen=*/false, dims))
      return error;
    llvm::SmallVector<Cut> cuts;
    for (const std::optional<Cut> &cut : dims)
      cuts.push_back(*cut);
    route.push_back(Layout::blocked(vertex.shape, cuts));
  }
  return llvm::Error::success();
}

llvm::Error PlanFileReader::readOperandRoutes(const Cursor &at,
                                              const PlanVertex &vertex,
                                              VertexEntry &entry) {
  auto list = arrayAt(at);
  if (!list)
    return list.takeError();
  if ((*list)->size() != vertex.operands.size())
    return fail(at, countOf((*list)->size(), "route"), ", '", vertex.name,
                "' has ", countOf(vertex.operands.size(), "operand"));
  for (auto [index, route] : llvm::enumerate(**list))
    if (llvm::Error error =
            readRoute(at.at(index, route),
                      graph.vertices[vertex.operands[index].producer],
                      entry.operandRoutes.emplace_back()))
      return error;
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

llvm::Error PlanFileReader::readAxes(const Cursor &at, const PlanVertex &vertex,
                                     VertexEntry &entry) {
  if (isOpenMark(*at.value))
    return llvm::Error::success();
  auto object = objectAt(at);
  if (!object)
    return object.takeError();
  for (auto &[key, member] : **object) {
    std::optional<unsigned> label = vertex.labelNamed(key);
    Cursor here = at.at(key, member);
    if (!label)
      return fail(here, "vertex '", vertex.name, "' has no label '",
                  llvm::StringRef(key), "'");
    if (isOpenMark(member))
      continue;
    if (llvm::Error error = readCut(here, entry.cuts[*label].emplace()))
      return error;
    entry.parts[*label] = partsOf(grid, *entry.cuts[*label]);
  }
  return llvm::Error::success();
}

llvm::Error PlanFileReader::readParts(const Cursor &at,
                                      const PlanVertex &vertex,
                                      VertexEntry &entry) {
  if (isOpenMark(*at.value))
    return llvm::Error::success();
  auto members = objectAt(at);
  if (!members)
    return members.takeError();
  for (auto &[key, member] : **members) {
    Cursor here = at.at(key, member);
    if (key == "*")
      continue;
    std::optional<unsigned> label = vertex.labelNamed(key);
    if (!label)
      return fail(here, "vertex '", vertex.name, "' has no label '",
                  llvm::StringRef(key), "'");
    if (isOpenMark(member))
      continue;
    if (llvm::Error error = read(here, entry.parts[*label]))
      return error;
    if (entry.parts[*label] < 1)
      return fail(here, "vertex '", vertex.name, "': label '", key,
                  "' cannot be cut into ", entry.parts[*label], " parts");
  }
  if (const json::Value *others = (*members)->get("*")) {
    int64_t count = 0;
    if (llvm::Error error = read(at.at("*", *others), count))
      return error;
    if (count != 1)
      return fail(at.at("*", *others),
                  "labels that are not named can only be "
                  "in 1 part, not in ",
                  count);
    for (auto [label, parts] : llvm::zip_equal(vertex.labels, entry.parts))
      if (parts == 0 && !(*members)->get(label.name))
        parts = 1;
  }
  return llvm::Error::success();
}

/// What is decided so far fits together; labels that are left no choice are
/// decided, too.
llvm::Error PlanFileReader::checkEntry(const Cursor &at,
                                       const PlanVertex &vertex,
                                       VertexEntry &entry) {
  PartVector parts;
  int64_t product = 1;
  for (int64_t count : entry.parts)
    parts.push_back(std::max<int64_t>(count, 1));
  if (llvm::Error error = verifyVertexParts(vertex, parts, grid.numDevices()))
    return fail(at, llvm::toString(std::move(error)));
  Partition given;
  PartVector partsOfGiven = parts;
  for (unsigned label = 0; label < parts.size(); ++label) {
    product *= parts[label];
    given.cuts.push_back(entry.cuts[label].value_or(Cut()));
    if (!entry.cuts[label])
      partsOfGiven[label] = 1;
  }
  if (llvm::Error error = verifyAxes(vertex, grid, partsOfGiven, given))
    return fail(at.at("axes", *at.value), llvm::toString(std::move(error)));
  for (unsigned label = 0; label < parts.size(); ++label) {
    if (entry.parts[label] == 0 && product == grid.numDevices())
      entry.parts[label] = 1;
    if (entry.parts[label] == 1 && !entry.cuts[label])
      entry.cuts[label].emplace();
  }
  return llvm::Error::success();
}

llvm::Error PlanFileReader::readVertex(const Cursor &at) {
  llvm::SmallVector<llvm::StringRef, 12> keys = {
      "name", "trips", "parts", "axes", "home", "home_route", "operand_routes"};
  for (const CostComponent &component : model->components())
    keys.push_back(component.key);
  if (llvm::Error error = checkKeys(at, keys))
    return error;
  const json::Object &object = *at.value->getAsObject();
  std::optional<std::string> name;
  if (llvm::Error error = readMember(at, "name", name))
    return error;
  if (!name)
    return fail(at, "no key 'name'");
  std::optional<unsigned> number = graph.vertexNamed(*name);
  if (!number)
    return fail(at, "the program has no vertex '", *name,
                "' that an output needs");
  VertexEntry &entry = entries[*number];
  if (!entry.path.empty())
    return fail(at, "vertex '", *name, "' is given twice");
  const PlanVertex &vertex = graph.vertices[*number];
  // Not a decision: a plan of another number of passes may be another plan.
  std::optional<int64_t> trips;
  if (llvm::Error error = readMember(at, "trips", trips))
    return error;
  if (trips && *trips != vertex.trips)
    return fail(at, "vertex '", *name, "' has 'trips' ", *trips,
                ", in the program it is ", vertex.trips);
  entry.path = at.path;
  entry.parts.assign(vertex.labels.size(), 0);
  entry.cuts.resize(vertex.labels.size());

  using Member = llvm::Error (PlanFileReader::*)(
      const Cursor &, const PlanVertex &, VertexEntry &);
  std::pair<llvm::StringRef, Member> members[] = {
      {"axes", &PlanFileReader::readAxes},
      {"parts", &PlanFileReader::readParts},
      {"home", &PlanFileReader::readHome},
      {"operand_routes", &PlanFileReader::readOperandRoutes}};
  for (auto [key, readIt] : members)
    if (const json::Value *member = object.get(key))
      if (llvm::Error error =
              (this->*readIt)(at.at(key, *member), vertex, entry))
        return error;
  if (const json::Value *route = object.get("home_route"))
    if (llvm::Error error =
            readRoute(at.at("home_route", *route), vertex, entry.homeRoute))
      return error;
  if (llvm::Error error = checkEntry(at, vertex, entry))
    return error;
  for (const CostComponent &component : model->components())
    if (llvm::Error error =
            readMember(at, component.key, entry.costs.emplace_back()))
      return error;
  return llvm::Error::success();
}

llvm::Error PlanFileReader::readVertices(const Cursor &top) {
  entries.resize(graph.vertices.size());
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
  return llvm::Error::success();
}

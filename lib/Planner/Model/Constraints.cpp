//===- Constraints.cpp - Pins and preferences on a plan -------------------===//

#include "tapestry/Planner/Model/Constraints.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace tapestry;

namespace {
/// What requests come to for one label or dimension; 0 parts: open.
struct Pin {
  int64_t parts = 0;
  std::optional<Cut> cut;
  /// Who asked for it first.
  const PlanVertex *vertex = nullptr;
  const CutRequest *request = nullptr;
};
using Pins = llvm::SmallVector<Pin, 4>;

/// Whether labels stand for dimensions of the index space or of the result.
enum class Side { Work, Home };
} // namespace

std::optional<Cut> tapestry::axesNamed(const DeviceGrid &grid,
                                       llvm::StringRef name) {
  if (std::optional<unsigned> axis = grid.axisNamed(name))
    return Cut{*axis};
  Cut parts;
  for (unsigned axis = 0; axis < grid.axes.size(); ++axis)
    if (llvm::StringRef(grid.axes[axis].name).rsplit('.').first == name)
      parts.push_back(axis);
  if (parts.empty())
    return std::nullopt;
  return parts;
}

//===----------------------------------------------------------------------===//
// From names to pins
//===----------------------------------------------------------------------===//

/// An error at the request's place, about a label of a vertex.
template <typename... Parts>
static llvm::Error requestError(const CutRequest &request,
                                const PlanVertex &vertex,
                                const Parts &...parts) {
  return errorAt(request.place, vertex.isInput ? "input '" : "vertex '",
                 vertex.name, "': ", parts...);
}

static std::string describeGrid(const DeviceGrid &grid) {
  std::string text = std::to_string(grid.numDevices()) + " devices";
  for (auto [number, axis] : llvm::enumerate(grid.axes))
    text +=
        (number ? ", " : " (") + axis.name + " = " + std::to_string(axis.size);
  return text + (grid.axes.empty() ? "" : ")");
}

static std::string listAxes(const DeviceGrid &grid) {
  std::string text;
  for (const DeviceGrid::Axis &axis : grid.axes)
    text += (text.empty() ? "'" : ", '") + axis.name + "'";
  return text.empty() ? "none" : text;
}

/// The place of another request, for the end of a message.
static std::string atPlace(const Pin &pin, const PlanVertex &vertex) {
  std::string text;
  if (pin.vertex != &vertex)
    text += " by '" + pin.vertex->name + "'";
  if (!pin.request->place.empty())
    text += " at " + pin.request->place;
  return text.empty() ? " elsewhere" : text;
}

/// The position of the label or dimension that `name` stands for.
static std::optional<unsigned> findTarget(const PlanVertex &vertex, Side side,
                                          llvm::StringRef name) {
  if (side == Side::Work)
    return vertex.labelNamed(name);
  unsigned number = 0;
  if (!name.getAsInteger(10, number))
    return number < vertex.shape.size() ? std::optional<unsigned>(number)
                                        : std::nullopt;
  std::optional<unsigned> label = vertex.labelNamed(name);
  for (unsigned dim = 0; label && dim < vertex.output.dims.size(); ++dim)
    if (!vertex.output.dims[dim].terms.empty() &&
        vertex.output.dims[dim].terms[0].dim == *label)
      return dim;
  return std::nullopt;
}

static llvm::Error noTarget(const PlanVertex &vertex, Side side,
                            const CutRequest &request, llvm::StringRef name) {
  std::string known;
  for (const PlanLabel &label : vertex.labels)
    if (side == Side::Work || !label.reduced)
      known += (known.empty() ? "'" : ", '") + label.name + "'";
  return requestError(
      request, vertex, "there is no ",
      side == Side::Work ? "label '" : "dimension '", name, "', there ",
      known.empty() ? "is none" : "are ", known,
      side == Side::Home && !vertex.isInput ? " (or their numbers)" : "");
}

/// The number of parts and the axes that one pin asks for, checked by itself.
static llvm::Error resolve(const PlanVertex &vertex, const DeviceGrid &grid,
                           const CutRequest &request, const CutPin &asked,
                           int64_t extent, Pin &pin) {
  pin.vertex = &vertex;
  pin.request = &request;
  pin.parts = asked.parts;
  if (!asked.axes.empty()) {
    pin.cut.emplace();
    for (const std::string &name : asked.axes) {
      std::optional<Cut> axes = axesNamed(grid, name);
      if (!axes)
        return requestError(request, vertex, "label '", asked.label,
                            "' is pinned to axis '", name, "', there are ",
                            listAxes(grid));
      pin.cut->append(axes->begin(), axes->end());
    }
    Cut sorted = *pin.cut;
    llvm::sort(sorted);
    for (unsigned i = 1; i < sorted.size(); ++i)
      if (sorted[i] == sorted[i - 1])
        return requestError(request, vertex, "label '", asked.label,
                            "' is pinned to axis '", grid.axes[sorted[i]].name,
                            "' twice");
    int64_t made = partsOf(grid, *pin.cut);
    if (asked.parts != 0 && asked.parts != made)
      return requestError(request, vertex, "label '", asked.label,
                          "' is pinned to ", asked.parts,
                          " parts, the axes named make ", made);
    pin.parts = made;
  }
  if (pin.parts < 1)
    return requestError(request, vertex, "label '", asked.label,
                        "' is pinned to ", pin.parts, " parts, the least is 1");
  if (pin.parts > extent)
    return requestError(request, vertex, "label '", asked.label,
                        "' is pinned to ", pin.parts, " parts, its extent is ",
                        extent);
  if (grid.numDevices() % pin.parts != 0)
    return requestError(request, vertex, "label '", asked.label,
                        "' is pinned to ", pin.parts, " parts, which ",
                        describeGrid(grid), " cannot make");
  return llvm::Error::success();
}

/// Adds what is asked of a target to what was asked before.
static llvm::Error merge(Pin &into, const Pin &pin, llvm::StringRef label) {
  if (into.parts != 0 && into.parts != pin.parts)
    return requestError(*pin.request, *pin.vertex, "label '", label,
                        "' is pinned to ", pin.parts, " parts, and to ",
                        into.parts, atPlace(into, *pin.vertex));
  if (into.cut && pin.cut && *into.cut != *pin.cut)
    return requestError(*pin.request, *pin.vertex, "label '", label,
                        "' is pinned to other axes than",
                        atPlace(into, *pin.vertex));
  if (into.parts == 0 || (!into.cut && pin.cut))
    into = pin;
  return llvm::Error::success();
}

static int64_t extentOf(const PlanVertex &vertex, Side side, unsigned target) {
  return side == Side::Work ? vertex.labels[target].extent
                            : vertex.shape[target];
}

static std::string targetName(const PlanVertex &vertex, Side side,
                              unsigned target) {
  return side == Side::Work ? vertex.labels[target].name
                            : std::to_string(target);
}

static unsigned numTargets(const PlanVertex &vertex, Side side) {
  return side == Side::Work ? vertex.labels.size() : vertex.shape.size();
}

/// Adds what one request asks to `pins`, one entry per label or dimension.
static llvm::Error addRequest(Pins &pins, const PlanVertex &vertex,
                              const DeviceGrid &grid, const CutRequest &request,
                              Side side) {
  llvm::SmallVector<bool> named(pins.size(), false);
  for (const CutPin &asked : request.cuts) {
    std::optional<unsigned> target = findTarget(vertex, side, asked.label);
    if (!target)
      return noTarget(vertex, side, request, asked.label);
    if (named[*target])
      return requestError(request, vertex, "label '", asked.label,
                          "' is pinned twice");
    named[*target] = true;
    Pin pin;
    if (llvm::Error error = resolve(vertex, grid, request, asked,
                                    extentOf(vertex, side, *target), pin))
      return error;
    if (llvm::Error error = merge(pins[*target], pin, asked.label))
      return error;
  }
  for (unsigned target = 0; request.isClosed && target < pins.size(); ++target)
    if (!named[target])
      if (llvm::Error error =
              merge(pins[target], Pin{1, Cut(), &vertex, &request},
                    targetName(vertex, side, target)))
        return error;
  return llvm::Error::success();
}

/// Whether the parts and axes of all targets fit onto the grid together.
static llvm::Error checkTogether(const Pins &pins, const PlanVertex &vertex,
                                 const DeviceGrid &grid, Side side) {
  llvm::SmallVector<int, 16> userOf(grid.axes.size(), -1);
  int64_t product = 1;
  for (unsigned target = 0; target < pins.size(); ++target) {
    const Pin &pin = pins[target];
    if (pin.parts == 0)
      continue;
    if (pin.cut)
      for (unsigned axis : *pin.cut) {
        if (userOf[axis] >= 0)
          return requestError(*pin.request, vertex, "axis '",
                              grid.axes[axis].name, "' is to cut both label '",
                              targetName(vertex, side, userOf[axis]),
                              "' and label '", targetName(vertex, side, target),
                              "'");
        userOf[axis] = target;
      }
    // Each count divides the devices, so the product stays small.
    product *= pin.parts;
    if (grid.numDevices() % product != 0)
      return requestError(*pin.request, vertex, "with label '",
                          targetName(vertex, side, target), "' in ", pin.parts,
                          " parts the pins make ", product, " parts in all, ",
                          describeGrid(grid), " cannot hold them");
  }
  return llvm::Error::success();
}

/// The pins of one side; those of an input are the same on both.
static llvm::Expected<Pins> pinsOf(const PlanVertex &vertex,
                                   const DeviceGrid &grid, Side side) {
  Pins pins(numTargets(vertex, side));
  auto add = [&](const std::vector<CutRequest> &requests) -> llvm::Error {
    for (const CutRequest &request : requests)
      if (request.isHard)
        if (llvm::Error error = addRequest(pins, vertex, grid, request, side))
          return error;
    return llvm::Error::success();
  };
  const VertexConstraints &asked = vertex.constraints;
  if (side == Side::Work || vertex.isInput)
    if (llvm::Error error = add(asked.work))
      return std::move(error);
  if (side == Side::Home || vertex.isInput)
    if (llvm::Error error = add(asked.home))
      return std::move(error);
  if (llvm::Error error = checkTogether(pins, vertex, grid, side))
    return std::move(error);
  return pins;
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

static llvm::Error checkPreferences(const PlanVertex &vertex) {
  auto check = [&](const std::vector<CutRequest> &requests,
                   Side side) -> llvm::Error {
    for (const CutRequest &request : requests) {
      if (request.isHard)
        continue;
      if (!(request.weight >= 0))
        return requestError(request, vertex, "a preference has weight ",
                            llvm::format("%g", request.weight),
                            ", the least is 0");
      for (const CutPin &asked : request.cuts)
        if (!findTarget(vertex, side, asked.label))
          return noTarget(vertex, side, request, asked.label);
    }
    return llvm::Error::success();
  };
  if (llvm::Error error = check(vertex.constraints.work, Side::Work))
    return error;
  return check(vertex.constraints.home, Side::Home);
}

std::vector<std::vector<unsigned>>
tapestry::layoutGroups(const PlanGraph &graph) {
  llvm::MapVector<llvm::StringRef, std::vector<unsigned>> groups;
  for (unsigned v = 0; v < graph.vertices.size(); ++v)
    if (const std::string &name = graph.vertices[v].constraints.layoutGroup;
        !name.empty())
      groups[name].push_back(v);
  std::vector<std::vector<unsigned>> result;
  for (auto &[name, members] : groups)
    if (members.size() > 1)
      result.push_back(std::move(members));
  return result;
}

static std::string describeShape(llvm::ArrayRef<int64_t> shape) {
  return "[" +
         llvm::join(llvm::map_range(
                        shape, [](int64_t n) { return std::to_string(n); }),
                    ", ") +
         "]";
}

llvm::Error tapestry::layoutGroupError(const PlanVertex &vertex,
                                       llvm::Error error) {
  ErrorFacts facts = factsOf(std::move(error));
  return errorAt(
      facts.place.empty() ? vertex.constraints.layoutGroupPlace : facts.place,
      "layout group '", vertex.constraints.layoutGroup, "': ", facts.text);
}

/// The members have one shape, and their pins agree.
static llvm::Error checkGroup(const PlanGraph &graph, const DeviceGrid &grid,
                              llvm::ArrayRef<unsigned> members) {
  const PlanVertex &first = graph.vertices[members.front()];
  Pins pins(first.shape.size());
  for (unsigned member : members) {
    const PlanVertex &vertex = graph.vertices[member];
    if (vertex.shape != first.shape)
      return layoutGroupError(vertex, planError("'", first.name, "' has shape ",
                                                describeShape(first.shape),
                                                ", '", vertex.name, "' has ",
                                                describeShape(vertex.shape)));
    auto own = pinsOf(vertex, grid, Side::Home);
    if (!own)
      return own.takeError();
    for (auto [dim, pin] : llvm::enumerate(*own))
      if (pin.parts != 0)
        if (llvm::Error error = merge(pins[dim], pin, std::to_string(dim)))
          return layoutGroupError(vertex, std::move(error));
  }
  if (llvm::Error error = checkTogether(pins, first, grid, Side::Home))
    return layoutGroupError(first, std::move(error));
  return llvm::Error::success();
}

llvm::Error tapestry::checkConstraints(const PlanGraph &graph,
                                       const DeviceGrid &grid) {
  for (const PlanVertex &vertex : graph.vertices) {
    if (vertex.constraints.empty())
      continue;
    for (Side side : {Side::Work, Side::Home})
      if (llvm::Error error = pinsOf(vertex, grid, side).takeError())
        return error;
    if (llvm::Error error = checkPreferences(vertex))
      return error;
  }
  for (const std::vector<unsigned> &members : layoutGroups(graph))
    if (llvm::Error error = checkGroup(graph, grid, members))
      return error;
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

static bool hasHard(const std::vector<CutRequest> &requests) {
  return llvm::any_of(requests,
                      [](const CutRequest &request) { return request.isHard; });
}

/// The pins of a graph that was checked; all open where it was not.
static Pins checkedPins(const PlanVertex &vertex, const DeviceGrid &grid,
                        Side side) {
  auto pins = pinsOf(vertex, grid, side);
  if (pins)
    return std::move(*pins);
  llvm::consumeError(pins.takeError());
  return Pins(numTargets(vertex, side));
}

static bool partsMatch(const Pins &pins, llvm::ArrayRef<int64_t> parts) {
  return llvm::all_of(llvm::zip_equal(pins, parts), [](const auto &entry) {
    const auto &[pin, count] = entry;
    return pin.parts == 0 || pin.parts == count;
  });
}

static bool cutsMatch(const Pins &pins, const DeviceGrid &grid,
                      const Partition &partition) {
  for (auto [pin, cut] : llvm::zip_equal(pins, partition.cuts))
    if (pin.parts != 0 &&
        (pin.parts != partsOf(grid, cut) || (pin.cut && *pin.cut != cut)))
      return false;
  return true;
}

static bool layoutMatches(const Pins &pins, const DeviceGrid &grid,
                          const Layout &layout) {
  for (auto [pin, dim] : llvm::zip_equal(pins, layout.dims)) {
    if (pin.parts == 0)
      continue;
    if (!dim.isPlain() || pin.parts != partsOf(grid, dim.cut()) ||
        (pin.cut && llvm::ArrayRef<unsigned>(*pin.cut) != dim.cut()))
      return false;
  }
  return true;
}

bool tapestry::allowsParts(const PlanVertex &vertex, const DeviceGrid &grid,
                           llvm::ArrayRef<int64_t> parts) {
  if (vertex.constraints.empty())
    return true;
  return partsMatch(checkedPins(vertex, grid, Side::Work), parts);
}

bool tapestry::allows(const PlanVertex &vertex, const DeviceGrid &grid,
                      const Partition &partition) {
  const VertexConstraints &asked = vertex.constraints;
  if (!hasHard(asked.work) && !(vertex.isInput && hasHard(asked.home)))
    return true;
  return cutsMatch(checkedPins(vertex, grid, Side::Work), grid, partition);
}

bool tapestry::allowsHome(const PlanVertex &vertex, const DeviceGrid &grid,
                          const Layout &layout) {
  const VertexConstraints &asked = vertex.constraints;
  if (!hasHard(asked.home) && !(vertex.isInput && hasHard(asked.work)))
    return true;
  return layoutMatches(checkedPins(vertex, grid, Side::Home), grid, layout);
}

/// The weights of the preferences on one side for which `isMet` is false.
static double weightOf(const PlanVertex &vertex, const DeviceGrid &grid,
                       Side side,
                       llvm::function_ref<bool(const Pins &)> isMet) {
  double weight = 0;
  auto add = [&](const std::vector<CutRequest> &requests) {
    for (const CutRequest &request : requests) {
      if (request.isHard)
        continue;
      Pins pins(numTargets(vertex, side));
      llvm::Error error = addRequest(pins, vertex, grid, request, side);
      if (error || !isMet(pins))
        weight += request.weight;
      llvm::consumeError(std::move(error));
    }
  };
  if (side == Side::Work || vertex.isInput)
    add(vertex.constraints.work);
  if (side == Side::Home || vertex.isInput)
    add(vertex.constraints.home);
  return weight;
}

double tapestry::brokenWeight(const PlanVertex &vertex, const DeviceGrid &grid,
                              const Partition &partition) {
  return weightOf(vertex, grid, Side::Work, [&](const Pins &pins) {
    return cutsMatch(pins, grid, partition);
  });
}

double tapestry::brokenHomeWeight(const PlanVertex &vertex,
                                  const DeviceGrid &grid,
                                  const Layout &layout) {
  return weightOf(vertex, grid, Side::Home, [&](const Pins &pins) {
    return layoutMatches(pins, grid, layout);
  });
}

/// Moves pins on the home to the labels of their dimensions. A dimension that
/// is written whole is in one part.
static llvm::Error foldHome(Pins &work, const Pins &home,
                            const PlanVertex &vertex, const DeviceGrid &grid) {
  for (auto [dim, pin] : llvm::enumerate(home)) {
    if (pin.parts == 0)
      continue;
    const ProjectionDim &written = vertex.output.dims[dim];
    if (written.terms.empty()) {
      if (pin.parts == 1)
        continue;
      return requestError(*pin.request, vertex, "dimension ", dim,
                          " of the result is written whole and pinned to ",
                          pin.parts, " parts");
    }
    unsigned label = written.terms[0].dim;
    if (llvm::Error error = merge(work[label], pin, vertex.labels[label].name))
      return error;
  }
  return checkTogether(work, vertex, grid, Side::Work);
}

/// The pins on the work and, folded, those on the home.
static llvm::Expected<Pins> foldedPins(const PlanVertex &vertex,
                                       const DeviceGrid &grid) {
  auto pins = pinsOf(vertex, grid, Side::Work);
  if (!pins || vertex.isInput)
    return pins;
  auto home = pinsOf(vertex, grid, Side::Home);
  if (!home)
    return home.takeError();
  if (llvm::Error error = foldHome(*pins, *home, vertex, grid))
    return std::move(error);
  return pins;
}

static PartVector partsOfPins(const Pins &pins) {
  PartVector parts;
  for (const Pin &pin : pins)
    parts.push_back(pin.parts);
  return parts;
}

llvm::Expected<PartVector> tapestry::pinnedParts(const PlanVertex &vertex,
                                                 const DeviceGrid &grid) {
  if (vertex.constraints.empty())
    return PartVector(vertex.labels.size(), 0);
  auto pins = foldedPins(vertex, grid);
  if (!pins)
    return pins.takeError();
  return partsOfPins(*pins);
}

/// The pins of `vertex` with one of its preferences among them.
static llvm::Expected<Pins> pinsWith(const PlanVertex &vertex,
                                     const DeviceGrid &grid,
                                     const CutRequest &preference) {
  PlanVertex pinned = vertex;
  pinned.constraints = VertexConstraints();
  auto add = [&](const std::vector<CutRequest> &from,
                 std::vector<CutRequest> &into) {
    for (const CutRequest &request : from)
      if (request.isHard || &request == &preference) {
        into.push_back(request);
        into.back().isHard = true;
      }
  };
  add(vertex.constraints.work, pinned.constraints.work);
  add(vertex.constraints.home, pinned.constraints.home);
  // Who asked is forgotten with `pinned`.
  auto pins = foldedPins(pinned, grid);
  if (pins)
    for (Pin &pin : *pins) {
      pin.vertex = &vertex;
      pin.request = nullptr;
    }
  return pins;
}

std::optional<PartVector>
tapestry::preferredParts(const PlanVertex &vertex, const DeviceGrid &grid,
                         const CutRequest &preference) {
  auto pins = pinsWith(vertex, grid, preference);
  if (pins)
    return partsOfPins(*pins);
  llvm::consumeError(pins.takeError());
  return std::nullopt;
}

llvm::SmallVector<std::optional<Cut>, 4>
tapestry::pinnedCuts(const PlanVertex &vertex, const DeviceGrid &grid,
                     const CutRequest *preference) {
  llvm::SmallVector<std::optional<Cut>, 4> cuts(vertex.labels.size());
  if (vertex.constraints.empty())
    return cuts;
  auto pins = preference ? pinsWith(vertex, grid, *preference)
                         : foldedPins(vertex, grid);
  if (!pins) {
    llvm::consumeError(pins.takeError());
    return cuts;
  }
  for (auto [cut, pin] : llvm::zip_equal(cuts, *pins))
    cut = pin.cut;
  return cuts;
}

double tapestry::brokenPartsWeight(const PlanVertex &vertex,
                                   const DeviceGrid &grid,
                                   llvm::ArrayRef<int64_t> parts) {
  double weight = weightOf(vertex, grid, Side::Work, [&](const Pins &pins) {
    return partsMatch(pins, parts);
  });
  if (vertex.isInput)
    return weight;
  llvm::SmallVector<int64_t, 4> ofDims;
  for (const ProjectionDim &dim : vertex.output.dims)
    ofDims.push_back(dim.terms.empty() ? 1 : parts[dim.terms[0].dim]);
  return weight + weightOf(vertex, grid, Side::Home, [&](const Pins &pins) {
           return partsMatch(pins, ofDims);
         });
}

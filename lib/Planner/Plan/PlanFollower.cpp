//===- PlanFollower.cpp - The plan that a plan.json leads to --------------===//
//
// A file that decides everything is followed; what another one leaves open the
// planner decides, with the rest as constraints. Here, too, are the functions
// of PlanFile.h that read.
//
//===----------------------------------------------------------------------===//

#include "PlanFollower.h"
#include "tapestry/Planner/Layout/Routing.h"
#include "tapestry/Planner/Model/Constraints.h"
#include "tapestry/Planner/Plan/PlanFile.h"
#include "tapestry/Planner/Plan/Verify.h"
#include "tapestry/Support/Counted.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cmath>

using namespace tapestry;
using namespace tapestry::cost;
using namespace tapestry::layout;
using namespace tapestry::model;
using namespace tapestry::plan;

//===----------------------------------------------------------------------===//
// From entries to a plan
//===----------------------------------------------------------------------===//

bool PlanFollower::followsReader(unsigned input) const {
  if (!graph.vertices[input].storedFor)
    return false;
  const VertexEntry &entry = entries[input];
  if (entry.path.empty())
    return true;
  PlanUse use = *graph.vertices[input].storedFor;
  const PlanVertex &reader = graph.vertices[use.vertex];
  const VertexEntry &reading = entries[use.vertex];
  if (!reading.hasParts())
    return false;
  PartVector wanted = partsOfOperand(reader, use.operand, reading.parts);
  for (auto [count, own] : llvm::zip_equal(wanted, entry.parts))
    if (own != 0 && own != count)
      return false;
  if (!entry.hasCuts() || !reading.hasCuts())
    return true;
  Partition partition;
  for (const std::optional<Cut> &cut : reading.cuts)
    partition.cuts.push_back(*cut);
  Layout read = operandLayout(graph, reader, use.operand, partition);
  // A home has no words for windows: what is stored as one has none.
  if (!read.isPlain())
    return !entry.hasHome();
  llvm::SmallVector<Cut> cuts;
  for (const std::optional<Cut> &cut : entry.cuts)
    cuts.push_back(*cut);
  return read == Layout::blocked(graph.vertices[input].shape, cuts);
}

/// What an entry decides, as constraints.
void PlanFollower::addConstraints(unsigned v) {
  PlanVertex &vertex = graph.vertices[v];
  const VertexEntry &entry = entries[v];
  ShardingConstraint work, home;
  work.place = home.place = fileName;
  auto axesOf = [&](const Cut &cut) {
    std::vector<std::string> names;
    for (unsigned axis : cut)
      names.push_back(grid.axes[axis].name);
    return names;
  };
  for (unsigned label = 0; label < entry.parts.size(); ++label)
    if (entry.parts[label] != 0)
      work.cuts.push_back({vertex.labels[label].name, entry.parts[label],
                           axesOf(entry.cuts[label].value_or(Cut()))});
  for (unsigned dim = 0; dim < entry.home.size(); ++dim)
    if (entry.home[dim])
      home.cuts.push_back({std::to_string(dim), partsOf(grid, *entry.home[dim]),
                           axesOf(*entry.home[dim])});
  isConstrained[v] = true;
  // A companion is cut as its lead, whose constraints say how.
  if (!work.cuts.empty() && !vertex.cutAs)
    vertex.constraints.work.push_back(std::move(work));
  if (!home.cuts.empty())
    vertex.constraints.home.push_back(std::move(home));
}

llvm::Expected<Plan> PlanFollower::decide() {
  // Inputs that lie apart from where their reader wants them are constrained
  // there; those of other inputs need not be decided.
  isConstrained.resize(graph.vertices.size());
  for (unsigned v = 0; v < graph.vertices.size(); ++v)
    if (graph.vertices[v].storedFor && !followsReader(v))
      addConstraints(v);
  graph.resolveStorage();
  bool isPlaced = true, isCut = true, anyHome = false;
  for (unsigned v = 0; v < graph.vertices.size(); ++v) {
    if (graph.vertices[v].storedFor)
      continue;
    isPlaced &= entries[v].hasHome() ||
                (entries[v].hasCuts() && graph.vertices[v].shape.empty());
    isCut &= entries[v].hasParts() || graph.vertices[v].cutAs ||
             (graph.vertices[v].isInput && entries[v].path.empty() &&
              graph.vertices[v].constraints.empty());
    anyHome |= !entries[v].home.empty();
  }
  isComplete = true;
  if (isPlaced)
    return followPlacement();
  if (isCut && !anyHome && !model->decidesHomes())
    return followParts();
  isComplete = false;
  return planTheRest();
}

llvm::Expected<Plan> PlanFollower::followPlacement() {
  unsigned count = graph.vertices.size();
  sketch.parts.resize(count);
  std::vector<VertexPlacement> placed(count);
  auto cutsOf = [](llvm::ArrayRef<std::optional<Cut>> given) {
    llvm::SmallVector<Cut, 4> cuts;
    for (const std::optional<Cut> &cut : given)
      cuts.push_back(*cut);
    return cuts;
  };
  for (unsigned v = 0; v < count; ++v) {
    if (graph.vertices[v].storedFor)
      continue;
    placed[v].partition.emplace();
    placed[v].partition->cuts = cutsOf(entries[v].cuts);
    placed[v].home =
        Layout::blocked(graph.vertices[v].shape, cutsOf(entries[v].home));
    placed[v].homeRoute = entries[v].homeRoute;
    placed[v].operandRoutes = entries[v].operandRoutes;
  }
  for (unsigned v = 0; v < count; ++v) {
    auto use = graph.vertices[v].storedFor;
    if (!use)
      continue;
    placed[v].home =
        operandLayout(graph, graph.vertices[use->vertex], use->operand,
                      *placed[use->vertex].partition);
    placed[v].partition = partitionOf(placed[v].home);
  }
  sketch.placed = std::move(placed);
  return completePlan(graph, sketch, options.placementOptions);
}

llvm::Expected<Plan> PlanFollower::followParts() {
  for (VertexEntry &entry : entries) {
    sketch.parts.push_back(entry.hasParts()
                               ? std::optional<PartVector>(entry.parts)
                               : std::nullopt);
    sketch.partitions.emplace_back();
    // Labels that are in one part have no axes, whether the file says so or
    // not.
    bool anyAxes = llvm::any_of(entry.cuts, [](const std::optional<Cut> &cut) {
      return cut && !cut->empty();
    });
    if (!entry.hasCuts() || !(anyAxes || entry.hasParts()))
      continue;
    sketch.partitions.back().emplace();
    for (const std::optional<Cut> &cut : entry.cuts)
      sketch.partitions.back()->cuts.push_back(*cut);
  }
  return completePlan(graph, sketch, options.placementOptions);
}

llvm::Expected<Plan> PlanFollower::planTheRest() {
  for (unsigned v = 0; v < graph.vertices.size(); ++v)
    if (!entries[v].path.empty() && !isConstrained[v] && !followsReader(v))
      addConstraints(v);
  graph.resolveStorage();
  PlannerOptions rest = options;
  rest.devices = 0;
  rest.grid = sketch.userGrid;
  rest.costModel = sketch.costModel;
  rest.machine = sketch.machine;
  rest.program = sketch.program;
  return tapestry::plan::makePlan(graph, rest);
}

//===----------------------------------------------------------------------===//
// What the file states beyond the decisions
//===----------------------------------------------------------------------===//

llvm::Error PlanFollower::compareCost(const Cursor &at,
                                      std::optional<double> stated,
                                      double counted) const {
  // Seconds may be as small as they like.
  double unit = model->isWhole() ? 1 : 1e-9;
  if (!stated ||
      std::abs(*stated - counted) <= 1e-9 * std::max(unit, std::abs(counted)))
    return llvm::Error::success();
  return reader.fail(at, "given as ", llvm::format("%.17g", *stated),
                     ", counted are ", llvm::format("%.17g", counted),
                     ": was the plan made for other extents?");
}

llvm::Error PlanFollower::compareCosts(const StatedPlan &stated,
                                       Plan &plan) const {
  for (unsigned v = 0; v < graph.vertices.size(); ++v) {
    const VertexCost &counted = plan.vertices[v].cost;
    const VertexEntry &entry = entries[v];
    for (auto [number, given] : llvm::enumerate(entry.costs))
      if (llvm::Error error =
              compareCost({nullptr, entry.path + "." +
                                        model->components()[number].key.str()},
                          given, counted[number]))
        return error;
  }
  if (llvm::Error error =
          compareCost({nullptr, "cost"}, stated.cost, plan.cost))
    return error;
  // Of the finished program it is not for the planner to judge.
  if (stated.peakBytes && !stated.isPeakExact.value_or(false) &&
      *stated.peakBytes != plan.peakBytesPerDevice)
    return reader.fail({nullptr, "peak_bytes_per_device"}, "given as ",
                       *stated.peakBytes, ", counted are ",
                       plan.peakBytesPerDevice,
                       ": was the plan made for other extents?");
  plan.planSeconds = stated.seconds.value_or(0);
  plan.provedOptimal = stated.cost && stated.provedOptimal.value_or(false);
  plan.lowerBound = stated.cost ? stated.lowerBound.value_or(0) : 0;
  return llvm::Error::success();
}

llvm::Error PlanFollower::compareCollectives(const StatedPlan &stated,
                                             const Plan &plan) const {
  if (!stated.collectivesAt)
    return llvm::Error::success();
  const auto &counted = plan.placement.collectives;
  if (stated.collectives.size() != counted.size())
    return reader.fail(*stated.collectivesAt, stated.collectives.size(),
                       " collectives, the plan needs ", counted.size());
  for (auto [given, needed] : llvm::zip_equal(stated.collectives, counted)) {
    const std::string &name = graph.vertices[needed.vertex].name;
    if (given.vertex && *given.vertex != name)
      return reader.fail(given.at, "vertex '", *given.vertex, "', needed is '",
                         name, "'");
    if (given.kind && *given.kind != stringifyCollective(needed.kind))
      return reader.fail(given.at, "kind '", *given.kind, "', needed is '",
                         stringifyCollective(needed.kind), "'");
    if (given.group && *given.group != needed.group)
      return reader.fail(given.at, "group ", *given.group, ", needed is ",
                         needed.group);
    if (given.bytes && *given.bytes != needed.bytes)
      return reader.fail(given.at, "bytes ", *given.bytes, ", it sends ",
                         needed.bytes);
  }
  return llvm::Error::success();
}

llvm::Expected<Plan> PlanFollower::follow() {
  auto contents = reader.read();
  if (!contents)
    return contents.takeError();
  sketch = std::move(contents->sketch);
  grid = std::move(contents->grid);
  model = contents->model;
  entries = std::move(contents->entries);
  auto plan = decide();
  if (!plan)
    return reader.inFile(plan.takeError());
  if (isComplete) {
    auto stated = reader.readStated();
    if (!stated)
      return stated.takeError();
    if (llvm::Error error = compareCosts(*stated, *plan))
      return error;
    if (llvm::Error error = compareCollectives(*stated, *plan))
      return error;
  }
  if (llvm::Error error = verifyPlan(graph, *plan))
    return reader.inFile(std::move(error));
  if (options.memoryLimit != 0)
    measurePeak(*plan, options.findPeak);
  if (options.memoryLimit != 0 &&
      plan->peakBytesPerDevice > options.memoryLimit)
    return reader.inFile(llvm::make_error<MemoryError>(
        plan->peakBytesPerDevice, options.memoryLimit,
        joinedText("the plan needs ", countOf(plan->peakBytesPerDevice, "byte"),
                   " per device, the limit is ", options.memoryLimit)));
  auto rewrites = parsePlanRewrites(text, fileName);
  if (!rewrites)
    return rewrites.takeError();
  plan->rewrites = std::move(*rewrites);
  return plan;
}

llvm::Expected<Plan> plan::followPlan(llvm::StringRef text,
                                      llvm::StringRef fileName,
                                      PlanGraph &graph,
                                      const PlannerOptions &options) {
  PlanGraph constrained = graph;
  auto plan = PlanFollower(text, fileName, constrained, options).follow();
  if (plan)
    graph = std::move(constrained);
  return plan;
}

llvm::Expected<Plan> plan::followPlanFile(llvm::StringRef path,
                                          PlanGraph &graph,
                                          const PlannerOptions &options) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return errorAt(path, buffer.getError().message());
  return followPlan((*buffer)->getBuffer(), path, graph, options);
}

llvm::Expected<Plan> plan::parsePlan(llvm::StringRef text,
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

llvm::Expected<Plan> plan::readPlanFile(llvm::StringRef path,
                                        const PlanGraph &graph,
                                        const PlannerOptions &options) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return errorAt(path, buffer.getError().message());
  return parsePlan((*buffer)->getBuffer(), path, graph, options);
}

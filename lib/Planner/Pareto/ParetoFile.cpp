//===- ParetoFile.cpp - front.json and its table --------------------------===//

#include "tapestry/Planner/Pareto/Pareto.h"
#include "tapestry/Planner/Plan/PlanJSON.h"
#include "tapestry/Support/Counted.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include <algorithm>
#include <cmath>

using namespace tapestry;
using namespace tapestry::model;
using namespace tapestry::pareto;
using namespace tapestry::plan;

static void writeObjectives(llvm::json::OStream &json,
                            const Objectives &objectives) {
  json.attributeObject("objectives", [&] {
    for (unsigned i = 0; i < numObjectives; ++i) {
      llvm::StringRef name = stringifyObjective(Objective(i));
      if (i == Seconds)
        json.attribute(name, objectives[i]);
      else
        json.attribute(name, int64_t(objectives[i]));
    }
  });
}

static void writeMember(llvm::json::OStream &json, const PlanGraph &graph,
                        unsigned number, const ParetoMember &member) {
  const Plan &plan = member.plan;
  json.attribute("member", number);
  writeObjectives(json, member.objectives);
  json.attribute("solver", plan.solver);
  json.attribute("origin", member.origin);
  writeGrid(json, plan.userGrid);
  writeRewrites(json, plan.rewrites);
  json.attributeArray("vertices", [&] {
    for (auto [vertex, planned, placed] : llvm::zip_equal(
             graph.vertices, plan.vertices, plan.placement.vertices))
      json.object([&, &vertex = vertex, &planned = planned, &placed = placed] {
        writeCut(json, vertex, planned, placed, plan.grid);
      });
  });
}

void pareto::writeFront(llvm::raw_ostream &os, RewriteSpace &space,
                        const ParetoFront &front) {
  llvm::json::OStream json(os, /*IndentSize=*/2);
  json.object([&] {
    json.attribute("tapestry_front", 1);
    json.attribute("program",
                   llvm::json::fixUTF8(front.members.front().plan.program));
    json.attribute("seed", int64_t(front.seed));
    json.attribute("threads", int64_t(front.threads));
    json.attribute("evaluations", front.evaluations);
    json.attribute("search_seconds", front.searchSeconds);
    json.attribute("stopped", front.stopped);
    json.attribute("volume_growth", front.volumeGrowth);
    json.attributeArray("members", [&] {
      for (auto [number, member] : llvm::enumerate(front.members))
        json.object([&, number = unsigned(number), &member = member] {
          writeMember(json, space.graph(member.graph), number, member);
        });
    });
    json.attributeArray("starts", [&] {
      for (const ParetoStart &start : front.starts)
        json.object([&] {
          json.attribute("origin", start.origin);
          writeObjectives(json, start.objectives);
        });
    });
    json.attributeArray("mutators", [&] {
      for (const MutatorRecord &record : front.mutators)
        json.object([&] {
          json.attribute("name", record.name);
          json.attribute("fired", record.fired);
          json.attribute("improvements", record.improvements);
          json.attribute("rate", record.rate);
        });
    });
  });
  os << "\n";
}

std::string pareto::frontTable(const ParetoFront &front) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << countOf(front.members.size(), "plan") << " that no other beats, of "
     << front.evaluations << " tried\n";
  os << llvm::format("%6s  %12s  %15s  %15s  %7s  %s\n", "member", "seconds",
                     "bytes sent", "peak bytes", "devices", "found by");
  for (auto [number, member] : llvm::enumerate(front.members)) {
    std::string by = member.plan.solver == "pareto" ? "pareto" : member.origin;
    if (!member.rewrites.empty())
      by += ", " + countOf(member.rewrites.size(), "rewrite");
    os << llvm::format("%6u  %12.6g  %15lld  %15lld  %7lld  %s\n",
                       unsigned(number), member.objectives[Seconds],
                       (long long)member.objectives[Bytes],
                       (long long)member.objectives[Memory],
                       (long long)member.objectives[Devices], by.c_str());
  }
  return text;
}

//===----------------------------------------------------------------------===//
// Choosing a member
//===----------------------------------------------------------------------===//

static std::optional<Objective> objectiveOfPick(llvm::StringRef name) {
  if (name == "fastest")
    return Seconds;
  if (name == "least-traffic")
    return Bytes;
  if (name == "smallest")
    return Memory;
  if (name == "fewest")
    return Devices;
  return std::nullopt;
}

llvm::Error pareto::checkPick(llvm::StringRef name) {
  unsigned number = 0;
  if (objectiveOfPick(name) || name == "balanced" ||
      !name.getAsInteger(10, number))
    return llvm::Error::success();
  return planError("there is no member '", name,
                   "'; there are: fastest, least-traffic, smallest, fewest, "
                   "balanced, and numbers from 0");
}

/// The member whose farthest objective is nearest to that objective's best.
static unsigned balancedMember(const ParetoFront &front) {
  std::vector<Objectives> points;
  for (const ParetoMember &member : front.members)
    points.push_back(member.objectives);
  ObjectiveScale scale(points, /*margin=*/0);
  Objectives best = noLimits;
  for (Objectives &point : points) {
    point = scale(point);
    for (unsigned i = 0; i < numObjectives; ++i)
      best[i] = std::min(best[i], point[i]);
  }
  unsigned chosen = 0;
  double least = std::numeric_limits<double>::infinity();
  for (auto [number, point] : llvm::enumerate(points)) {
    double farthest = 0;
    for (unsigned i = 0; i < numObjectives; ++i)
      if (scale.reference()[i] > best[i])
        farthest = std::max(farthest, (point[i] - best[i]) /
                                          (scale.reference()[i] - best[i]));
    if (farthest < least) {
      least = farthest;
      chosen = number;
    }
  }
  return chosen;
}

llvm::Expected<unsigned> pareto::pickMember(const ParetoFront &front,
                                            llvm::StringRef name) {
  if (llvm::Error error = checkPick(name))
    return error;
  if (name == "balanced")
    return balancedMember(front);
  if (std::optional<Objective> objective = objectiveOfPick(name)) {
    // Members ascend in seconds: of equals, the fastest.
    auto least = llvm::min_element(
        front.members, [&](const ParetoMember &a, const ParetoMember &b) {
          return a.objectives[*objective] < b.objectives[*objective];
        });
    return unsigned(least - front.members.begin());
  }
  unsigned number = 0;
  if (name.getAsInteger(10, number) || number >= front.members.size())
    return planError("there is no member ", name, " in a frontier of ",
                     front.members.size());
  return number;
}

//===- Pages.cpp - Plans and frontiers as pages for a browser -------------===//
//
// A page is a text with a script that draws from the JSON that is filled in.
//
//===----------------------------------------------------------------------===//

#include "PageTexts.h"
#include "PlanDrawing.h"
#include "tapestry/Planner/Explain/LowerBounds.h"
#include "tapestry/Planner/Layout/Memory.h"
#include "tapestry/Planner/Plan/PlanFile.h"
#include "tapestry/Planner/Plan/PlanText.h"
#include "tapestry/Planner/Plan/PlanTotals.h"
#include "tapestry/Support/Counted.h"
#include "tapestry/Support/Markup.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/JSON.h"

using namespace tapestry;
using namespace tapestry::cost;
using namespace tapestry::explain;
using namespace tapestry::layout;
using namespace tapestry::model;
using namespace tapestry::pareto;
using namespace tapestry::plan;
using namespace tapestry::report;

/// Writes `page` with every {{name}} replaced.
static void fill(llvm::raw_ostream &os, llvm::StringRef page,
                 const llvm::StringMap<std::string> &values) {
  while (true) {
    auto [before, rest] = page.split("{{");
    os << before;
    if (rest.empty())
      return;
    auto [name, after] = rest.split("}}");
    os << values.at(name);
    page = after;
  }
}

/// JSON in which no character ends a script or means anything in XML; all that
/// do are inside strings.
static std::string
scriptText(llvm::function_ref<void(llvm::raw_ostream &)> write) {
  std::string text, result;
  llvm::raw_string_ostream stream(text), os(result);
  write(stream);
  for (char c : text)
    if (c == '<' || c == '>' || c == '&' || c == 0x7f)
      os << "\\u00" << llvm::toHex(llvm::StringRef(&c, 1));
    else
      os << c;
  return result;
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

static void writeVertex(llvm::json::OStream &json, const PlanGraph &graph,
                        const Plan &plan, unsigned v, const MemoryStep &memory,
                        const VertexBound &bound) {
  const PlanVertex &vertex = graph.vertices[v];
  json.attribute("kind", vertex.isInput         ? "input"
                         : vertex.isHandedOut() ? "output"
                                                : "intermediate");
  if (std::string border = borderText(vertex); !border.empty())
    json.attribute("border", border);
  json.attribute("shape", llvm::json::Array(vertex.shape));
  json.attributeArray("labels", [&] {
    for (const PlanLabel &label : vertex.labels)
      json.object([&] {
        json.attribute("name", llvm::json::fixUTF8(label.name));
        json.attribute("extent", label.extent);
        json.attribute("reduced", label.reduced);
      });
  });
  json.attributeArray("reads", [&] {
    for (const PlanOperand &operand : vertex.operands)
      json.value(operand.producer);
  });
  if (!vertex.isInput) {
    DeviceUse use = devicesOf(graph, plan, v);
    json.attribute("devices",
                   llvm::json::Array{use.working, use.repeating, use.empty});
    json.attribute("memory", llvm::json::Array{memory.inputs, memory.results,
                                               memory.copies, memory.partials});
  }
  if (bound.isContraction && bound.touched > 0)
    json.attribute("touched",
                   llvm::json::Array{bound.plannedTouched, bound.touched});
}

/// What the page tells and plan.json does not: words of the cost model, the
/// program's graph, and what follows from both.
static void writeFacts(llvm::raw_ostream &os, const PlanGraph &graph,
                       const Plan &plan) {
  PlanBounds bounds = boundPlans(graph, plan);
  std::vector<MemoryStep> memory =
      memoryTimeline(graph, plan.grid, plan.placement);
  llvm::json::OStream json(os);
  json.object([&] {
    json.attribute("unit", plan.model().unit());
    json.attribute("whole", plan.model().isWhole());
    json.attribute("bound", bounds.cost);
    json.attributeArray("components", [&] {
      for (const CostComponent &component : plan.model().components())
        json.object([&] {
          json.attribute("key", component.key);
          json.attribute("title", component.title);
        });
    });
    json.attributeArray("axes", [&] {
      for (const TrafficSum &sum : trafficByAxis(plan))
        json.object([&] {
          json.attribute("name", sum.name);
          json.attribute("collectives", sum.collectives);
          json.attribute("bytes", sum.bytes);
        });
    });
    json.attributeArray("vertices", [&] {
      for (unsigned v = 0; v < graph.vertices.size(); ++v)
        json.object([&] {
          writeVertex(json, graph, plan, v, memory[v], bounds.vertices[v]);
        });
    });
  });
}

void report::writeHtml(llvm::raw_ostream &os, const PlanGraph &graph,
                       const Plan &plan, const PagePictures &pictures) {
  llvm::StringMap<std::string> values;
  values["title"] = escapedMarkup(
      "Plan" + (plan.program.empty() ? "" : " of " + plan.program) + " for " +
      countOf(plan.devices, "device"));
  // Without what comes before its root in a file of its own.
  values["graph"] = pictures.plan.empty()
                        ? "<p class=\"note\">The graph is not drawn: " +
                              escapedMarkup(pictures.missing) + ".</p>"
                        : pictures.plan.substr(pictures.plan.find("<svg"));
  // An image has names of its own for what it shows.
  values["expression"] =
      pictures.expression.empty()
          ? ""
          : "<details class=\"wide\"><summary>The expression "
            "graph</summary>\n<div class=\"drawing\"><img alt=\"tensors, "
            "operators and signatures\" src=\"data:image/svg+xml;base64," +
                llvm::encodeBase64(pictures.expression) +
                "\"/></div></details>";
  values["plan"] = scriptText(
      [&](llvm::raw_ostream &json) { writePlan(json, graph, plan); });
  values["facts"] = scriptText(
      [&](llvm::raw_ostream &json) { writeFacts(json, graph, plan); });
  fill(os, planPage, values);
}

//===----------------------------------------------------------------------===//
// Frontiers
//===----------------------------------------------------------------------===//

static void writePoint(llvm::json::OStream &json, const Objectives &objectives,
                       llvm::StringRef origin, bool isRewritten) {
  json.object([&] {
    json.attribute("objectives", llvm::json::Array(objectives));
    json.attribute("origin", origin);
    json.attribute("rewritten", isRewritten);
  });
}

void report::plotFront(llvm::raw_ostream &os, const ParetoFront &front,
                       llvm::StringRef title) {
  llvm::StringMap<std::string> values;
  values["title"] = escapedMarkup(title);
  values["front"] = scriptText([&](llvm::raw_ostream &text) {
    llvm::json::OStream json(text);
    json.object([&] {
      json.attributeArray("members", [&] {
        for (const ParetoMember &member : front.members)
          writePoint(json, member.objectives, member.origin,
                     !member.rewrites.empty());
      });
      json.attributeArray("starts", [&] {
        for (const ParetoStart &start : front.starts)
          writePoint(json, start.objectives, start.origin, false);
      });
    });
  });
  fill(os, frontPage, values);
}

//===- PlanDot.cpp - A plan for Graphviz ----------------------------------===//

#include "PlanDrawing.h"
#include "tapestry/Planner/Plan/PlanText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"

using namespace tapestry;
using namespace tapestry::model;
using namespace tapestry::plan;
using namespace tapestry::report;

/// A quoted string of the DOT language. Line breaks in `text` stay breaks;
/// other control characters and bytes that are no UTF-8 do not.
static std::string quoted(llvm::StringRef text) {
  std::string result = "\"";
  for (char c : llvm::json::fixUTF8(text)) {
    if (c == '"' || c == '\\')
      result += '\\';
    if (c == '\n')
      result += "\\n";
    else
      result += static_cast<unsigned char>(c) < ' ' ? '?' : c;
  }
  return result + "\"";
}

static std::string nodeText(const PlanGraph &graph, const Plan &plan,
                            const DrawnNode &node) {
  std::string moved = collectivesText(plan, node.collectives);
  if (!node.vertex)
    return std::to_string(node.repetitions) +
           " more blocks like the one above, " +
           std::to_string(node.folded.size()) + " vertices" +
           (moved.empty() ? "" : "\n" + moved);
  unsigned v = *node.vertex;
  const PlanVertex &vertex = graph.vertices[v];
  std::string text = vertex.name;
  std::string parts = partsText(vertex, plan.vertices[v].parts);
  std::string axes = axesText(vertex, plan.grid, plan.placement.vertices[v]);
  for (const std::string &line : {parts, axes, moved})
    if (!line.empty())
      text += "\n" + line;
  return text;
}

void report::writeDot(llvm::raw_ostream &os, const PlanGraph &graph,
                      const Plan &plan, const PictureOptions &options) {
  PlanDrawing drawing = drawPlan(graph, plan, options.foldFrom);
  os << "digraph plan {\n  label="
     << quoted("plan" + (plan.program.empty() ? "" : " of " + plan.program) +
               " for " + std::to_string(plan.devices) + " devices: " +
               costText(plan, plan.cost) + " " + costUnit(plan).str())
     << ";\n  node [shape=box, fontname=\"sans-serif\", fontsize=11];\n"
     << "  edge [fontname=\"sans-serif\", fontsize=9];\n";
  for (auto [number, node] : llvm::enumerate(drawing.nodes)) {
    os << "  n" << number << " [label=" << quoted(nodeText(graph, plan, node));
    if (!node.vertex)
      os << ", style=dashed";
    else if (graph.vertices[*node.vertex].isInput)
      os << ", style=rounded";
    else if (graph.vertices[*node.vertex].isOutput)
      os << ", penwidth=2";
    os << "];\n";
  }
  for (const DrawnEdge &edge : drawing.edges) {
    os << "  n" << edge.from << " -> n" << edge.to;
    if (!edge.collectives.empty())
      os << " [color=\"#c2410c\", label="
         << quoted(collectivesText(plan, edge.collectives)) << "]";
    os << ";\n";
  }
  os << "}\n";
}

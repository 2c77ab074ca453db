//===- PlanDot.cpp - A plan in Graphviz' language -------------------------===//
//
// Every vertex is a table with a row per label: a bar that is divided into the
// label's parts.
//
//===----------------------------------------------------------------------===//

#include "PlanDrawing.h"
#include "tapestry/Planner/Plan/PlanText.h"
#include "tapestry/Support/Counted.h"
#include "tapestry/Support/Markup.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <map>

using namespace tapestry;
using namespace tapestry::model;
using namespace tapestry::plan;
using namespace tapestry::report;

namespace {

constexpr llvm::StringLiteral soft = "#6b7280";
constexpr llvm::StringLiteral moving = "#c2410c";
constexpr llvm::StringLiteral uncut = "#e2e5ea";
constexpr llvm::StringLiteral axisColors[] = {"#2f6fb3", "#3f9a5f", "#8a5cb8",
                                              "#b8862b", "#2b9aa0", "#b0486f"};
constexpr int64_t barWidth = 64;
constexpr int64_t mostSegments = 16;

class DotWriter {
public:
  DotWriter(llvm::raw_ostream &os, const PlanGraph &graph, const Plan &plan,
            const PlanDrawing &drawing)
      : os(os), graph(graph), plan(plan), drawing(drawing) {}
  void write();

private:
  void writeHead();
  void writeNode(unsigned number);
  void writeCut(unsigned v, unsigned label);
  void writeEdge(const DrawnEdge &edge);
  std::string nameOf(const DrawnNode &node) const;
  std::string factsOf(const DrawnNode &node) const;
  std::string moved(llvm::ArrayRef<unsigned> collectives) const;

  llvm::raw_ostream &os;
  const PlanGraph &graph;
  const Plan &plan;
  const PlanDrawing &drawing;
};

} // namespace

static std::string cell(llvm::StringRef attributes, llvm::StringRef content) {
  return ("<td align=\"left\"" + attributes + ">" + content + "</td>").str();
}

static std::string colored(llvm::StringRef color, llvm::StringRef content) {
  return ("<font color=\"" + color + "\">" + content + "</font>").str();
}

/// The colour of an axis of the plan's grid.
static llvm::StringRef colorOf(unsigned axis) {
  return axisColors[axis % std::size(axisColors)];
}

/// "all_reduce 12.5 MiB", bold: a line per kind.
std::string DotWriter::moved(llvm::ArrayRef<unsigned> collectives) const {
  std::map<CollectiveKind, int64_t> kinds;
  for (unsigned number : collectives) {
    const layout::PlannedCollective &collective =
        plan.placement.collectives[number];
    kinds[collective.kind] += collective.bytes;
  }
  std::string text;
  for (auto [kind, bytes] : kinds)
    text += stringifyCollective(kind).str() + " " + bytesText(bytes) +
            "<br align=\"left\"/>";
  return "<b>" + text + "</b>";
}

std::string DotWriter::nameOf(const DrawnNode &node) const {
  if (!node.vertex)
    return std::to_string(node.repetitions) + " more blocks like the one above";
  const std::string &name = graph.vertices[*node.vertex].name;
  return name.empty() ? "(no name)" : name;
}

/// All about a node in one line.
std::string DotWriter::factsOf(const DrawnNode &node) const {
  if (!node.vertex)
    return nameOf(node) + ": " + countOf(node.folded.size(), "vertex");
  unsigned v = *node.vertex;
  const PlanVertex &vertex = graph.vertices[v];
  std::string text = nameOf(node) + ":";
  for (const std::string &part :
       {partsText(vertex, plan.vertices[v].parts),
        axesText(vertex, plan.grid, plan.placement.vertices[v]),
        borderText(vertex)})
    if (!part.empty())
      text += " " + part + ",";
  return text + " " + costText(plan, plan.vertices[v].cost.total()) + " " +
         costUnit(plan).str();
}

/// What is drawn, and which colour is which axis.
void DotWriter::writeHead() {
  std::string title = "plan" +
                      (plan.program.empty() ? "" : " of " + plan.program) +
                      " for " + countOf(plan.devices, "device") + ": " +
                      costText(plan, plan.cost) + " " + costUnit(plan).str();
  os << "digraph plan {\n  graph [labelloc=t, nodesep=0.25, ranksep=0.45, "
        "fontsize=11];\n"
     << "  graph [fontname=\"Helvetica,Arial,sans-serif\", label=<<b>"
     << escapedMarkup(title) << "</b>";
  for (auto [number, axis] : llvm::enumerate(plan.grid.axes))
    os << (number ? " " : "<br/>") << colored(colorOf(number), "&#9632;") << " "
       << escapedMarkup(axis.name);
  os << "<br/> >];\n"
     << "  node [shape=box, fontname=\"Helvetica,Arial,sans-serif\", "
        "fontsize=9, color=\"#9aa1ab\", fontcolor=\"#1f2328\", "
        "margin=\"0.08,0.05\"];\n"
     << "  edge [fontname=\"Helvetica,Arial,sans-serif\", fontsize=9, "
        "color=\"#9aa1ab\", fontcolor=\""
     << moving << "\", arrowsize=0.6];\n";
}

/// A label, its parts in the colour of the outermost axis that cuts it, how
/// many they are, and all axes.
void DotWriter::writeCut(unsigned v, unsigned label) {
  const PlanLabel &own = graph.vertices[v].labels[label];
  int64_t parts = plan.vertices[v].parts[label];
  const auto &partition = plan.placement.vertices[v].partition;
  std::string axes;
  llvm::StringRef color = uncut;
  if (partition && !partition->cuts[label].empty()) {
    color = colorOf(partition->cuts[label].front());
    for (unsigned axis : partition->cuts[label])
      axes += (axes.empty() ? "" : ",") + plan.grid.axes[axis].name;
  }
  std::string name = escapedMarkup(own.name);
  os << "<tr>" << cell("", own.reduced ? "<i>" + name + "</i>" : name)
     << "<td align=\"left\"><table fixedsize=\"true\" width=\"" << barWidth + 2
     << "\" height=\"10\" border=\"0\" cellborder=\"0\" cellspacing=\"1\" "
        "cellpadding=\"0\"><tr>";
  int64_t segments = std::min(parts, mostSegments);
  for (int64_t s = 0; s < segments; ++s)
    os << "<td fixedsize=\"true\" height=\"8\" width=\""
       << (barWidth + 1) / segments - 1 << "\" bgcolor=\"" << color
       << "\"></td>";
  os << "</tr></table></td>"
     << cell("", parts == 1 ? "1" : "/" + std::to_string(parts))
     << cell("", colored(soft, "&#160;" + escapedMarkup(axes))) << "</tr>";
}

void DotWriter::writeNode(unsigned number) {
  const DrawnNode &node = drawing.nodes[number];
  os << "  n" << number << " [";
  if (node.vertex)
    os << "id=v" << *node.vertex << ", ";
  os << "tooltip=\"" << escapedMarkup(factsOf(node)) << '"';
  if (!node.vertex)
    os << ", style=dashed";
  else if (graph.vertices[*node.vertex].isInput)
    os << ", style=\"rounded,filled\", fillcolor=\"#eef3f9\"";
  else
    os << ", style=\"rounded,filled\", fillcolor=\"#ffffff\"";
  if (node.vertex && graph.vertices[*node.vertex].isHandedOut())
    os << ", penwidth=2, color=\"#1f2328\"";
  os << ",\n    label=<<table border=\"0\" cellborder=\"0\" cellspacing=\"0\" "
        "cellpadding=\"1\"><tr>"
     << cell(" colspan=\"4\"", "<font point-size=\"11\"><b>" +
                                   escapedMarkup(nameOf(node)) + "</b></font>")
     << "</tr>";
  if (node.vertex)
    if (std::string border = borderText(graph.vertices[*node.vertex]);
        !border.empty())
      os << "<tr>" << cell(" colspan=\"4\"", colored(soft, border)) << "</tr>";
  if (node.vertex)
    for (unsigned label = 0; label < graph.vertices[*node.vertex].labels.size();
         ++label)
      writeCut(*node.vertex, label);
  else
    os << "<tr>"
       << cell(" colspan=\"4\"",
               countOf(node.folded.size(), "vertex") + ", cut alike")
       << "</tr>";
  if (!node.collectives.empty())
    os << "<tr>"
       << cell(" colspan=\"4\"", colored(moving, moved(node.collectives)))
       << "</tr>";
  os << "</table>>];\n";
}

/// An edge over which data moves gets thicker with the logarithm of its share
/// of all traffic.
void DotWriter::writeEdge(const DrawnEdge &edge) {
  os << "  n" << edge.from << " -> n" << edge.to << " [tooltip=\""
     << escapedMarkup(nameOf(drawing.nodes[edge.from]) + " to " +
                      nameOf(drawing.nodes[edge.to]))
     << '"';
  if (!edge.collectives.empty()) {
    double bytes = 0;
    for (unsigned number : edge.collectives)
      bytes += plan.placement.collectives[number].bytes;
    double share = bytes / std::max(1.0, double(plan.placement.totalBytes()));
    os << ", color=\"" << moving << "\", label=<&#160;"
       << moved(edge.collectives) << ">, penwidth="
       << llvm::formatv("{0:f1}", std::max(1.5, 4 + std::log10(share + 1e-9)));
  }
  os << "];\n";
}

void DotWriter::write() {
  writeHead();
  for (unsigned number = 0; number < drawing.nodes.size(); ++number)
    writeNode(number);
  for (const DrawnEdge &edge : drawing.edges)
    writeEdge(edge);
  os << "}\n";
}

void report::writeDot(llvm::raw_ostream &os, const PlanGraph &graph,
                      const Plan &plan, const PictureOptions &options) {
  PlanDrawing drawing = drawPlan(graph, plan, options.foldFrom);
  DotWriter(os, graph, plan, drawing).write();
}

//===- PlanGraphSvg.cpp - The cut graph as SVG ----------------------------===//

#include "LayeredLayout.h"
#include "PlanPage.h"
#include "tapestry/Planner/Plan/PlanText.h"
#include "tapestry/Planner/Plan/PlanTotals.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include <cmath>

using namespace tapestry;
using namespace tapestry::model;
using namespace tapestry::plan;
using namespace tapestry::report;

std::string report::htmlText(llvm::StringRef text) {
  std::string clean = llvm::json::fixUTF8(text);
  for (char &c : clean)
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f)
      c = ' ';
  std::string result;
  llvm::raw_string_ostream os(result);
  llvm::printHTMLEscaped(clean, os);
  return result;
}

std::string report::shownName(const PlanVertex &vertex) {
  return vertex.name.empty() ? "(no name)" : vertex.name;
}

namespace {

constexpr double rowHeight = 17;
constexpr double headHeight = 24;
constexpr double barWidth = 84;
constexpr double margin = 10;
constexpr int64_t mostSegments = 16;

/// About as wide as browsers draw it.
double textWidth(llvm::StringRef text, double size) {
  return text.size() * size * 0.6;
}

std::string shortened(llvm::StringRef text, size_t most) {
  if (text.size() <= most)
    return text.str();
  // Not in the middle of a character.
  size_t end = most - 1;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80)
    --end;
  return text.take_front(end).str() + "\xE2\x80\xA6";
}

class GraphPainter {
public:
  GraphPainter(llvm::raw_ostream &os, const PlanGraph &graph, const Plan &plan,
               const PlanDrawing &drawing)
      : os(os), graph(graph), plan(plan), drawing(drawing),
        axisOwner(userAxisOf(plan)) {}
  void paint();

private:
  void measure(const DrawnNode &node, LayeredGraph::Node &box) const;
  void paintEdge(const DrawnEdge &edge, const LayeredGraph::Edge &line);
  void paintEdgeText(const DrawnEdge &edge, const LayeredGraph::Edge &line);
  void paintNode(const DrawnNode &node, const LayeredGraph::Node &box);
  void paintBox(const DrawnNode &node, const LayeredGraph::Node &box);
  void paintCut(const PlanVertex &vertex, unsigned v, unsigned label, double x,
                double y);
  void paintRow(llvm::StringRef style, double x, double y,
                llvm::StringRef text);
  std::string nameOf(const DrawnNode &node) const;

  llvm::raw_ostream &os;
  const PlanGraph &graph;
  const Plan &plan;
  const PlanDrawing &drawing;
  std::vector<unsigned> axisOwner;
};

std::string number(double value) {
  return llvm::formatv("{0:f1}", value).str();
}

} // namespace

std::string GraphPainter::nameOf(const DrawnNode &node) const {
  if (node.vertex)
    return shownName(graph.vertices[*node.vertex]);
  return std::to_string(node.repetitions) + " more blocks";
}

void GraphPainter::measure(const DrawnNode &node,
                           LayeredGraph::Node &box) const {
  std::string moved = collectivesText(plan, node.collectives);
  double width = std::max(textWidth(shortened(nameOf(node), 28), 13),
                          moved.empty() ? 0 : textWidth(moved, 10.5) + 12);
  size_t rows = moved.empty() ? 0 : 1;
  if (node.vertex) {
    size_t labels = graph.vertices[*node.vertex].labels.size();
    rows += labels;
    if (labels)
      width = std::max(width, 30 + barWidth + 34);
    box.followsReader = graph.vertices[*node.vertex].isInput;
  } else {
    rows += 2;
    width = std::max(width, 170.0);
  }
  box.width = width + 2 * margin;
  box.height = headHeight + rows * rowHeight + (rows ? 6 : 0);
}

void GraphPainter::paintRow(llvm::StringRef style, double x, double y,
                            llvm::StringRef text) {
  os << "<text class=\"" << style << "\" x=\"" << number(x) << "\" y=\""
     << number(y) << "\">" << htmlText(text) << "</text>\n";
}

/// A label and the parts it is cut into, in the colour of the grid axis.
void GraphPainter::paintCut(const PlanVertex &vertex, unsigned v,
                            unsigned label, double x, double y) {
  int64_t parts = plan.vertices[v].parts[label];
  const PlanLabel &own = vertex.labels[label];
  const auto &partition = plan.placement.vertices[v].partition;
  unsigned axis = 0;
  if (partition && !partition->cuts[label].empty())
    axis = axisOwner[partition->cuts[label].front()];
  paintRow(own.reduced ? "lab red" : "lab", x, y + 12, shortened(own.name, 4));
  std::string style = parts == 1 ? "bar" : "bar a" + std::to_string(axis % 6);
  int64_t segments = std::min(parts, mostSegments);
  double width = barWidth / segments;
  for (int64_t s = 0; s < segments; ++s)
    os << "<rect class=\"" << style << "\" x=\"" << number(x + 30 + s * width)
       << "\" y=\"" << number(y + 3) << "\" width=\""
       << number(width - (segments > 1 ? 1.2 : 0))
       << "\" height=\"11\" rx=\"1.5\"/>";
  paintRow("cnt", x + 30 + barWidth + 5, y + 12,
           parts == 1 ? "1" : "/" + std::to_string(parts));
}

void GraphPainter::paintNode(const DrawnNode &node,
                             const LayeredGraph::Node &box) {
  unsigned v = *node.vertex;
  const PlanVertex &vertex = graph.vertices[v];
  double x = box.top.x - box.width / 2, y = box.top.y;
  os << "<g class=\"node" << (vertex.isInput ? " in" : "")
     << (vertex.isOutput ? " out" : "") << "\" data-v=\"" << v
     << "\" tabindex=\"0\"><title>" << htmlText(shownName(vertex)) << ": "
     << htmlText(partsText(vertex, plan.vertices[v].parts)) << ", "
     << costText(plan, plan.vertices[v].cost.total()) << " " << costUnit(plan)
     << "</title>\n"
     << "<rect class=\"box\" x=\"" << number(x) << "\" y=\"" << number(y)
     << "\" width=\"" << number(box.width) << "\" height=\""
     << number(box.height) << "\" rx=\"" << (vertex.isInput ? 14 : 5)
     << "\"/>\n";
  paintRow("name", x + margin, y + 17, shortened(shownName(vertex), 28));
  y += headHeight;
  for (unsigned label = 0; label < vertex.labels.size(); ++label) {
    paintCut(vertex, v, label, x + margin, y);
    y += rowHeight;
  }
  if (!node.collectives.empty())
    paintRow("move", x + margin, y + 13,
             "\xE2\x8A\x95 " + collectivesText(plan, node.collectives));
  os << "</g>\n";
}

void GraphPainter::paintBox(const DrawnNode &node,
                            const LayeredGraph::Node &box) {
  double x = box.top.x - box.width / 2, y = box.top.y;
  os << "<g class=\"node fold\"><title>" << node.repetitions
     << " more blocks of vertices, cut like the one above</title>\n";
  for (int shift : {6, 3, 0})
    os << "<rect class=\"box\" x=\"" << number(x + shift) << "\" y=\""
       << number(y + shift) << "\" width=\"" << number(box.width - 6)
       << "\" height=\"" << number(box.height - 6) << "\" rx=\"5\"/>\n";
  paintRow("name", x + margin, y + 17, nameOf(node));
  paintRow("lab", x + margin, y + headHeight + 12, "cut like the one above,");
  paintRow("lab", x + margin, y + headHeight + rowHeight + 10,
           std::to_string(node.folded.size()) + " vertices");
  if (!node.collectives.empty())
    paintRow("move", x + margin, y + headHeight + 2 * rowHeight + 9,
             collectivesText(plan, node.collectives));
  os << "</g>\n";
}

void GraphPainter::paintEdge(const DrawnEdge &edge,
                             const LayeredGraph::Edge &line) {
  int64_t bytes = bytesOf(plan, edge.collectives);
  // Thicker with the logarithm of its share of all traffic.
  double share = bytes / std::max(1.0, double(plan.placement.totalBytes()));
  double width = edge.collectives.empty()
                     ? 1.3
                     : std::max(2.0, 6 + 1.2 * std::log10(share + 1e-9));
  os << "<g class=\"edge " << (edge.collectives.empty() ? "free" : "moved")
     << "\"><title>" << htmlText(nameOf(drawing.nodes[edge.from]))
     << " \xE2\x86\x92 " << htmlText(nameOf(drawing.nodes[edge.to])) << ": "
     << (edge.collectives.empty() ? "nothing moves"
                                  : collectivesText(plan, edge.collectives))
     << "</title><path stroke-width=\"" << number(width) << "\" d=\"M"
     << number(line.points[0].x) << " " << number(line.points[0].y);
  for (size_t p = 1; p < line.points.size(); ++p) {
    const LayoutPoint &a = line.points[p - 1], &b = line.points[p];
    double middle = (a.y + b.y) / 2;
    os << " C" << number(a.x) << " " << number(middle) << " " << number(b.x)
       << " " << number(middle) << " " << number(b.x) << " " << number(b.y);
  }
  os << "\"/></g>\n";
}

/// Text next to the arrow, above the reader.
void GraphPainter::paintEdgeText(const DrawnEdge &edge,
                                 const LayeredGraph::Edge &line) {
  if (edge.collectives.empty())
    return;
  const LayoutPoint &a = line.points[line.points.size() - 2];
  const LayoutPoint &b = line.points.back();
  os << "<text class=\"move\" text-anchor=\"middle\" x=\""
     << number(a.x + 0.72 * (b.x - a.x)) << "\" y=\""
     << number(a.y + 0.62 * (b.y - a.y)) << "\">"
     << htmlText(collectivesText(plan, edge.collectives)) << "</text>\n";
}

void GraphPainter::paint() {
  LayeredGraph layout;
  for (const DrawnNode &node : drawing.nodes)
    measure(node, layout.nodes.emplace_back());
  for (const DrawnEdge &edge : drawing.edges)
    layout.edges.push_back({edge.from, edge.to, {}});
  layOut(layout);
  os << "<svg id=\"graph\" xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" "
        "aria-label=\"The cut graph\" width=\""
     << number(layout.width + 20) << "\" height=\""
     << number(layout.height + 20) << "\" viewBox=\"-10 -10 "
     << number(layout.width + 20) << " " << number(layout.height + 20)
     << "\">\n";
  for (auto [edge, line] : llvm::zip_equal(drawing.edges, layout.edges))
    paintEdge(edge, line);
  for (auto [node, box] : llvm::zip_equal(drawing.nodes, layout.nodes)) {
    if (node.vertex)
      paintNode(node, box);
    else
      paintBox(node, box);
  }
  for (auto [edge, line] : llvm::zip_equal(drawing.edges, layout.edges))
    paintEdgeText(edge, line);
  os << "</svg>\n";
}

void report::writeGraphSvg(llvm::raw_ostream &os, const PlanGraph &graph,
                           const Plan &plan, const PlanDrawing &drawing) {
  GraphPainter(os, graph, plan, drawing).paint();
}

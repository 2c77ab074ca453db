//===- PlanHtml.cpp - A plan as one page ----------------------------------===//

#include "PlanPage.h"
#include "tapestry/Planner/Explain/LowerBounds.h"
#include "tapestry/Planner/Plan/PlanText.h"
#include "tapestry/Planner/Plan/PlanTotals.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include <cmath>

using namespace tapestry;
using namespace tapestry::cost;
using namespace tapestry::explain;
using namespace tapestry::model;
using namespace tapestry::plan;
using namespace tapestry::report;

namespace {

/// Writes the page of one plan.
class PageWriter {
public:
  PageWriter(llvm::raw_ostream &os, const PlanGraph &graph, const Plan &plan)
      : os(os), graph(graph), plan(plan), uses(graph.uses()),
        bounds(boundPlans(graph, plan)) {}
  void write(const PictureOptions &options);

private:
  void writeHead();
  void writeChips();
  void writeCards();
  void writeTable();
  void writeData();
  void writeFacts(llvm::json::OStream &json, unsigned v);
  void chip(llvm::StringRef what, llvm::StringRef value);
  std::string title() const;
  std::string traffic(unsigned v) const;

  llvm::raw_ostream &os;
  const PlanGraph &graph;
  const Plan &plan;
  std::vector<llvm::SmallVector<PlanUse, 2>> uses;
  PlanBounds bounds;
};

} // namespace

std::string PageWriter::title() const {
  return "Plan" + (plan.program.empty() ? "" : " of " + plan.program) +
         " for " + std::to_string(plan.devices) + " devices";
}

void PageWriter::writeHead() {
  os << "<!DOCTYPE html>\n<html lang=\"en\" "
        "xmlns=\"http://www.w3.org/1999/xhtml\">\n<head>\n"
        "<meta charset=\"utf-8\"/>\n<meta name=\"viewport\" "
        "content=\"width=device-width, initial-scale=1\"/>\n<title>"
     << htmlText(title()) << "</title>\n<style>" << pageStyle
     << "</style>\n</head>\n<body>\n";
}

void PageWriter::chip(llvm::StringRef what, llvm::StringRef value) {
  os << "<span class=\"chip\">" << htmlText(what) << " <b>" << htmlText(value)
     << "</b></span>\n";
}

void PageWriter::writeChips() {
  os << "<header><h1>" << htmlText(title()) << "</h1>\n<div class=\"chips\">\n";
  std::string grid;
  for (const DeviceGrid::Axis &axis : plan.userGrid.axes)
    grid += (grid.empty() ? "" : ", ") + axis.name + " = " +
            std::to_string(axis.size);
  chip("grid", grid);
  if (plan.idleDevices > 0)
    chip("idle devices", std::to_string(plan.idleDevices));
  if (!plan.machine.name.empty())
    chip("machine", plan.machine.name);
  chip("solver", plan.solver);
  chip("cost model", plan.costModel);
  chip("cost", costText(plan, plan.cost) + " " + costUnit(plan).str());
  if (plan.provedOptimal)
    chip("", "proved optimal");
  else if (plan.lowerBound > 0)
    chip("within",
         percentText(plan.cost / plan.lowerBound - 1) + " of optimal");
  chip("peak memory per device", bytesText(plan.peakBytesPerDevice));
  chip("traffic of all devices", bytesText(plan.placement.totalBytes()));
  os << "</div></header>\n";
}

void PageWriter::writeCards() {
  os << "<div class=\"cards\">\n<section><h2>Where cost goes ("
     << costUnit(plan) << ")";
  for (auto [number, component] : llvm::enumerate(plan.model().components()))
    os << "<span class=\"key " << componentStyle(number) << "\"></span>"
       << htmlText(component.title);
  os << "</h2>\n";
  writeCostSvg(os, graph, plan);
  if (bounds.cost > 0)
    os << "<p class=\"note\">Every plan that cuts each vertex into as many "
          "blocks costs at least "
       << (plan.model().isWhole() ? llvm::formatv("{0:f0}", bounds.cost).str()
                                  : costText(plan, bounds.cost))
       << " " << costUnit(plan) << ": this one is within "
       << percentText(plan.cost / bounds.cost - 1)
       << " of any plan's bound.</p>\n";
  os << "</section>\n<section><h2>Where traffic goes</h2>\n";
  writeTrafficSvg(os, plan);
  os << "</section>\n<section><h2>Memory per device"
        "<span class=\"key k0\"></span>inputs<span class=\"key k1\"></span>"
        "results<span class=\"key k2\"></span>copies, partial values</h2>\n";
  writeMemorySvg(os, graph, plan);
  os << "</section>\n</div>\n";
}

/// What moves the result of a vertex.
std::string PageWriter::traffic(unsigned v) const {
  std::vector<unsigned> numbers;
  for (auto [number, collective] : llvm::enumerate(plan.placement.collectives))
    if (collective.vertex == v)
      numbers.push_back(number);
  return collectivesText(plan, numbers);
}

void PageWriter::writeTable() {
  os << "<section class=\"wide\"><h2>All vertices</h2>\n<table "
        "id=\"table\"><thead><tr><th>vertex</th><th>parts</th><th>axes</th>";
  for (const CostComponent &component : plan.model().components())
    os << "<th class=\"n\">" << htmlText(component.title) << "</th>";
  os << "<th class=\"n\">total</th></tr></thead>\n<tbody>\n";
  for (unsigned v = 0; v < graph.vertices.size(); ++v) {
    const VertexCost &cost = plan.vertices[v].cost;
    os << "<tr data-v=\"" << v << "\"><td>"
       << htmlText(shownName(graph.vertices[v])) << "</td><td>"
       << htmlText(partsText(graph.vertices[v], plan.vertices[v].parts))
       << "</td><td>"
       << htmlText(axesText(graph.vertices[v], plan.grid,
                            plan.placement.vertices[v]))
       << "</td>";
    std::vector<double> values(cost.components.begin(), cost.components.end());
    values.push_back(cost.total());
    for (double value : values)
      os << "<td class=\"n\" data-k=\"" << llvm::format("%.9g", value) << "\">"
         << costText(plan, value) << "</td>";
    os << "</tr>\n";
  }
  os << "</tbody></table></section>\n";
}

void PageWriter::writeFacts(llvm::json::OStream &json, unsigned v) {
  const PlanVertex &vertex = graph.vertices[v];
  const VertexCost &cost = plan.vertices[v].cost;
  auto row = [&](llvm::StringRef what, const std::string &value) {
    if (!value.empty())
      json.array([&] {
        json.value(llvm::json::fixUTF8(what));
        json.value(llvm::json::fixUTF8(value));
      });
  };
  auto dims = [](llvm::ArrayRef<int64_t> shape) {
    std::string text;
    for (int64_t extent : shape)
      text += (text.empty() ? "" : " x ") + std::to_string(extent);
    return text.empty() ? std::string("scalar") : text;
  };
  json.attribute("name", llvm::json::fixUTF8(shownName(vertex)));
  json.attributeArray("rows", [&] {
    row("kind", vertex.isInput    ? "input"
                : vertex.isOutput ? "output"
                                  : "intermediate");
    row("shape", dims(vertex.shape));
    std::string reads, readers;
    for (const PlanOperand &operand : vertex.operands)
      reads += (reads.empty() ? "" : ", ") +
               shownName(graph.vertices[operand.producer]);
    for (const PlanUse &use : uses[v])
      readers +=
          (readers.empty() ? "" : ", ") + shownName(graph.vertices[use.vertex]);
    row("reads", reads);
    row("read by", readers);
    for (auto [label, parts] :
         llvm::zip_equal(vertex.labels, plan.vertices[v].parts))
      row(label.name, std::to_string(label.extent) + " in " +
                          std::to_string(parts) +
                          (parts == 1 ? " part" : " parts") +
                          (label.reduced ? ", reduced" : ""));
    row("axes", axesText(vertex, plan.grid, plan.placement.vertices[v]));
    if (!vertex.isInput) {
      DeviceUse use = devicesOf(graph, plan, v);
      row("devices",
          std::to_string(use.working) + " with work of their own" +
              (use.repeating
                   ? ", " + std::to_string(use.repeating) + " repeat it"
                   : "") +
              (use.empty ? ", " + std::to_string(use.empty) + " with nothing"
                         : ""));
      row("cost", costText(plan, cost.total()) + " " + costUnit(plan).str());
    }
    row("moved", traffic(v));
    const VertexBound &bound = bounds.vertices[v];
    if (bound.isContraction && bound.touched > 0)
      row("bound", "the busiest device touches " +
                       countText(bound.plannedTouched) + " elements, " +
                       percentText(bound.plannedTouched / bound.touched - 1) +
                       " more than any cut into as many blocks must");
  });
}

/// The facts of every vertex as JSON, in which no character needs escaping in
/// HTML or XML.
void PageWriter::writeData() {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::json::OStream json(stream);
  json.object([&] {
    json.attributeArray("vertices", [&] {
      for (unsigned v = 0; v < graph.vertices.size(); ++v)
        json.object([&] { writeFacts(json, v); });
    });
  });
  os << "<script id=\"plan\" type=\"application/json\">";
  for (char c : text) {
    if (c == '<' || c == '>' || c == '&')
      os << "\\u00" << llvm::toHex(llvm::StringRef(&c, 1));
    else
      os << c;
  }
  os << "</script>\n";
}

void PageWriter::write(const PictureOptions &options) {
  PlanDrawing drawing = drawPlan(graph, plan, options.foldFrom);
  writeHead();
  writeChips();
  os << "<main>\n";
  writeCards();
  os << "<section><h2>The cut graph</h2>\n<p class=\"note\">A label's bar is "
        "divided into its parts, coloured by the outermost grid axis that cuts "
        "it; labels in italics are reduced. Orange is traffic.</p>\n"
        "<div class=\"drawing\">\n";
  writeGraphSvg(os, graph, plan, drawing);
  os << "</div></section>\n<section id=\"details\"><h2 id=\"chosen\">Choose a "
        "vertex</h2>\n<dl id=\"facts\"><dt></dt><dd>Click on a vertex of the "
        "drawing or a row of the table.</dd></dl></section>\n";
  writeTable();
  os << "</main>\n";
  writeData();
  os << "<script>" << pageScript << "</script>\n</body>\n</html>\n";
}

void report::writeHtml(llvm::raw_ostream &os, const PlanGraph &graph,
                       const Plan &plan, const PictureOptions &options) {
  PageWriter(os, graph, plan).write(options);
}

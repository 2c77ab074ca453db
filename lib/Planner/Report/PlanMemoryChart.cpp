//===- PlanMemoryChart.cpp - Memory over the vertices as SVG --------------===//

#include "PlanPage.h"
#include "tapestry/Planner/Layout/Memory.h"
#include "tapestry/Planner/Plan/PlanText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>

using namespace tapestry;
using namespace tapestry::layout;
using namespace tapestry::model;
using namespace tapestry::plan;
using namespace tapestry::report;

namespace {

constexpr double width = 380;
constexpr double height = 190;
constexpr double top = 16;
constexpr double bottom = 168;

std::string number(double value) {
  return llvm::formatv("{0:f2}", value).str();
}

} // namespace

/// Areas on top of each other, as one path each: steps of equal width.
static void writeArea(llvm::raw_ostream &os, llvm::StringRef style,
                      llvm::ArrayRef<double> lower,
                      llvm::ArrayRef<double> upper, double stepWidth) {
  if (llvm::equal(lower, upper))
    return;
  os << "<path class=\"" << style << "\" d=\"M0 " << number(upper.front());
  for (size_t s = 0; s < upper.size(); ++s)
    os << "V" << number(upper[s]) << "H" << number((s + 1) * stepWidth);
  for (size_t s = lower.size(); s-- > 0;)
    os << "V" << number(lower[s]) << "H" << number(s * stepWidth);
  os << "Z\"/>\n";
}

void report::writeMemorySvg(llvm::raw_ostream &os, const PlanGraph &graph,
                            const Plan &plan) {
  std::vector<MemoryStep> timeline =
      memoryTimeline(graph, plan.grid, plan.placement);
  // Nothing happens at inputs.
  std::vector<unsigned> shown;
  int64_t peak = 0;
  unsigned peakVertex = 0;
  for (unsigned v = 0; v < graph.vertices.size(); ++v) {
    if (graph.vertices[v].isInput)
      continue;
    shown.push_back(v);
    if (timeline[v].total() > peak) {
      peak = timeline[v].total();
      peakVertex = v;
    }
  }
  if (shown.empty() || peak == 0) {
    os << "<p class=\"note\">Nothing is held.</p>\n";
    return;
  }
  double scale = (bottom - top) / peak, stepWidth = width / shown.size();
  std::vector<double> level[4];
  for (unsigned v : shown) {
    const MemoryStep &step = timeline[v];
    const int64_t parts[] = {0, step.inputs, step.results,
                             step.copies + step.partials};
    int64_t sum = 0;
    for (auto [number, bytes] : llvm::enumerate(parts)) {
      sum += bytes;
      level[number].push_back(bottom - sum * scale);
    }
  }
  os << "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" "
        "aria-label=\"Memory per device\" width=\"100%\" viewBox=\"0 0 "
     << width << " " << height << "\">\n";
  for (unsigned part = 0; part < 3; ++part)
    writeArea(os, "m" + std::to_string(part), level[part], level[part + 1],
              stepWidth);
  os << "<line class=\"peak\" x1=\"0\" y1=\"" << number(top) << "\" x2=\""
     << width << "\" y2=\"" << number(top) << "\"/>"
     << "<line class=\"gridline\" x1=\"0\" y1=\"" << number(bottom)
     << "\" x2=\"" << width << "\" y2=\"" << number(bottom) << "\"/>\n"
     << "<text class=\"tick\" x=\"0\" y=\"11\">peak "
     << htmlText(bytesText(peak) + " at " +
                 shownName(graph.vertices[peakVertex]))
     << "</text><text class=\"tick\" x=\"0\" y=\"184\">"
     << htmlText(shownName(graph.vertices[shown.front()]))
     << "</text><text class=\"tick\" text-anchor=\"end\" x=\"" << width
     << "\" y=\"184\">" << htmlText(shownName(graph.vertices[shown.back()]))
     << "</text>\n";
  for (auto [place, v] : llvm::enumerate(shown))
    os << "<rect class=\"step\" x=\"" << number(place * stepWidth) << "\" y=\""
       << number(top) << "\" width=\"" << number(stepWidth) << "\" height=\""
       << number(bottom - top) << "\"><title>"
       << htmlText(shownName(graph.vertices[v])) << ": "
       << bytesText(timeline[v].total()) << ", inputs "
       << bytesText(timeline[v].inputs) << ", results "
       << bytesText(timeline[v].results) << ", copies "
       << bytesText(timeline[v].copies) << ", partial values "
       << bytesText(timeline[v].partials) << "</title></rect>\n";
  os << "</svg>\n";
}

//===- PlanCharts.cpp - Small charts of a plan as SVG ---------------------===//

#include "PlanPage.h"
#include "tapestry/Planner/Plan/PlanText.h"
#include "tapestry/Planner/Plan/PlanTotals.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <numeric>

using namespace tapestry;
using namespace tapestry::cost;
using namespace tapestry::model;
using namespace tapestry::plan;
using namespace tapestry::report;

namespace {

constexpr double chartWidth = 380;
constexpr double nameWidth = 92;
constexpr double valueWidth = 96;
constexpr double rowHeight = 18;

std::string number(double value) {
  return llvm::formatv("{0:f1}", value).str();
}

/// A row of bars, end to end, with a name before and a value behind.
struct BarRow {
  std::string name;
  std::string value;
  std::string title;
  /// Lengths and the styles of the bars.
  std::vector<std::pair<double, std::string>> bars;

  double length() const {
    double sum = 0;
    for (const auto &bar : bars)
      sum += bar.first;
    return sum;
  }
};

} // namespace

static void writeBars(llvm::raw_ostream &os, llvm::StringRef label,
                      llvm::ArrayRef<BarRow> rows) {
  double longest = 0;
  for (const BarRow &row : rows)
    longest = std::max(longest, row.length());
  double scale =
      longest > 0 ? (chartWidth - nameWidth - valueWidth) / longest : 0;
  os << "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-label=\""
     << htmlText(label) << "\" width=\"100%\" viewBox=\"0 0 "
     << number(chartWidth) << " " << number(rows.size() * rowHeight + 4)
     << "\">\n";
  double y = 2;
  for (const BarRow &row : rows) {
    llvm::StringRef name = row.name;
    os << "<g><title>" << htmlText(row.title) << "</title>"
       << "<text class=\"lab\" x=\"0\" y=\"" << number(y + 12) << "\">"
       << htmlText(name.size() > 14 ? name.take_front(13).str() + "."
                                    : name.str())
       << "</text>";
    double x = nameWidth;
    for (const auto &[length, style] : row.bars) {
      if (length <= 0)
        continue;
      os << "<rect class=\"" << style << "\" x=\"" << number(x) << "\" y=\""
         << number(y + 3) << "\" width=\""
         << number(std::max(length * scale, 0.8)) << "\" height=\"11\"/>";
      x += length * scale;
    }
    os << "<text class=\"cnt\" x=\"" << number(x + 5) << "\" y=\""
       << number(y + 12) << "\">" << htmlText(row.value) << "</text></g>\n";
    y += rowHeight;
  }
  os << "</svg>\n";
}

const char *report::componentStyle(size_t component) {
  static constexpr const char *styles[] = {"a0", "a3", "a5", "a1", "a2", "a4"};
  return styles[component % std::size(styles)];
}

void report::writeCostSvg(llvm::raw_ostream &os, const PlanGraph &graph,
                          const Plan &plan) {
  std::vector<unsigned> order(graph.vertices.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order, [&](unsigned a, unsigned b) {
    double x = plan.vertices[a].cost.total(), y = plan.vertices[b].cost.total();
    return x != y ? x > y : a < b;
  });
  std::vector<BarRow> rows;
  for (unsigned v : order) {
    const VertexCost &cost = plan.vertices[v].cost;
    if (rows.size() == 12 || cost.total() <= 0)
      break;
    std::string share = percentText(cost.total() / plan.cost);
    rows.push_back({shownName(graph.vertices[v]),
                    share,
                    shownName(graph.vertices[v]) + ": " +
                        costText(plan, cost.total()) + " " +
                        costUnit(plan).str(),
                    {}});
    for (auto [number, component] : llvm::enumerate(cost.components))
      rows.back().bars.push_back({component, componentStyle(number)});
  }
  if (rows.empty())
    os << "<p class=\"note\">Nothing costs anything.</p>\n";
  else
    writeBars(os, "Cost per vertex", rows);
}

void report::writeTrafficSvg(llvm::raw_ostream &os, const Plan &plan) {
  std::vector<BarRow> rows;
  auto add = [&](const TrafficSum &sum, const std::string &style) {
    rows.push_back({sum.name,
                    bytesText(sum.bytes),
                    std::to_string(sum.collectives) + " collectives, " +
                        std::to_string(sum.bytes) + " bytes",
                    {{double(sum.bytes), style}}});
  };
  for (const TrafficSum &sum : trafficByKind(plan))
    add(sum, "bar a3");
  if (rows.empty()) {
    os << "<p class=\"note\">No device sends anything.</p>\n";
    return;
  }
  writeBars(os, "Bytes per kind of collective", rows);
  rows.clear();
  for (auto [number, sum] : llvm::enumerate(trafficByAxis(plan)))
    add(sum, "bar a" + std::to_string(number % 6));
  os << "<p class=\"note\">per grid axis; a group that spans several counts to "
        "the outermost</p>\n";
  writeBars(os, "Bytes per grid axis", rows);
}

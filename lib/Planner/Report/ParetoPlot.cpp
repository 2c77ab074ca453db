//===- ParetoPlot.cpp - A frontier as a picture ---------------------------===//
//
// SVG by hand: one panel per objective against seconds, so that a browser shows
// a frontier without any other tool.
//
//===----------------------------------------------------------------------===//

#include "tapestry/Planner/Pareto/Pareto.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include <algorithm>
#include <cmath>

using namespace tapestry;
using namespace tapestry::pareto;

namespace {

constexpr double panelWidth = 400, panelHeight = 360;
constexpr double left = 86, top = 64, gap = 100, bottom = 150, right = 24;

/// "20 ms", "1.5 GB", "8": a number with the unit that suits its size.
std::string withUnit(double value, Objective objective) {
  struct Step {
    double size;
    llvm::StringLiteral name;
  };
  static constexpr Step times[] = {
      {1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}};
  static constexpr Step bytes[] = {{1e15, "PB"}, {1e12, "TB"}, {1e9, "GB"},
                                   {1e6, "MB"},  {1e3, "kB"},  {1, "B"}};
  static constexpr Step plain[] = {{1, ""}};
  llvm::ArrayRef<Step> steps = objective == Seconds   ? llvm::ArrayRef(times)
                               : objective == Devices ? llvm::ArrayRef(plain)
                                                      : llvm::ArrayRef(bytes);
  std::string text;
  llvm::raw_string_ostream os(text);
  if (value == 0)
    return "0";
  const Step *step = &steps.back();
  for (const Step &candidate : steps)
    if (value >= candidate.size * (1 - 1e-9)) {
      step = &candidate;
      break;
    }
  os << llvm::format("%.4g", value / step->size);
  if (!step->name.empty())
    os << " " << step->name;
  return text;
}

/// From the values of one objective to places along a line of `length`.
class Axis {
public:
  Axis(std::vector<double> values, Objective objective, double length);

  double place(double value) const;
  bool isLog() const { return logarithmic; }
  /// Values that get a line and a label.
  std::vector<double> ticks;
  const Objective objective;

private:
  void tickLinear();
  void tickLog();

  double length;
  double low = 0, high = 1;
  bool logarithmic = false;
  /// On a logarithmic axis, 0 lies apart, before everything else.
  bool hasZero = false;
  static constexpr double zeroGap = 34;
};

} // namespace

Axis::Axis(std::vector<double> values, Objective objective, double length)
    : objective(objective), length(length) {
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (double value : values) {
    hasZero |= value == 0;
    most = std::max(most, value);
    if (value > 0)
      least = std::min(least, value);
  }
  if (most == 0) {
    high = 1;
    ticks = {0, 1};
    return;
  }
  logarithmic = objective != Devices && most > 6 * least;
  if (logarithmic) {
    low = std::log10(least) - 0.08;
    high = std::log10(most) + 0.08;
    tickLog();
  } else {
    double span = most - least > 0 ? most - least : most;
    low = hasZero || objective == Devices || least < 0.35 * most
              ? 0
              : std::max(0.0, least - 0.12 * span);
    high = most + 0.08 * span;
    tickLinear();
  }
}

double Axis::place(double value) const {
  if (!logarithmic)
    return (value - low) / (high - low) * length;
  double start = hasZero ? zeroGap : 0;
  if (value <= 0)
    return 8;
  return start + (std::log10(value) - low) / (high - low) * (length - start);
}

void Axis::tickLinear() {
  double raw = (high - low) / 5;
  double decade = std::pow(10, std::floor(std::log10(raw)));
  double step = decade;
  for (double factor : {1.0, 2.0, 2.5, 5.0, 10.0})
    if (step < raw * 0.999)
      step = decade * factor;
  if (objective == Devices)
    step = std::max(1.0, std::ceil(step));
  for (double tick = std::ceil(low / step - 1e-9) * step;
       tick <= high + 1e-9 * step; tick += step)
    ticks.push_back(std::abs(tick) < 1e-9 * step ? 0 : tick);
}

void Axis::tickLog() {
  if (hasZero)
    ticks.push_back(0);
  // Between 1-2-5 on a few decades and every second or third on many.
  double decades = high - low;
  int stride = std::max(1, int(std::ceil(decades / 6)));
  std::vector<double> factors = {1};
  if (decades < 3)
    factors = {1, 2, 5};
  else if (decades < 4.5)
    factors = {1, 3};
  for (int decade = int(std::floor(low)); decade <= int(std::ceil(high));
       ++decade) {
    if (((decade % stride) + stride) % stride != 0)
      continue;
    for (double factor : factors) {
      double tick = factor * std::pow(10.0, decade);
      double at = std::log10(tick);
      if (at >= low && at <= high)
        ticks.push_back(tick);
    }
  }
}

static void escape(llvm::raw_ostream &os, llvm::StringRef text) {
  for (char c : text)
    if (c == '&')
      os << "&amp;";
    else if (c == '<')
      os << "&lt;";
    else if (c == '>')
      os << "&gt;";
    else if (c == '"')
      os << "&quot;";
    else
      os << c;
}

namespace {

class Plot {
public:
  Plot(llvm::raw_ostream &os, const ParetoFront &front)
      : os(os), front(front) {}
  void draw(llvm::StringRef title);

private:
  void drawPanel(unsigned number, Objective objective);
  void drawFrame(const Axis &x, const Axis &y, llvm::StringRef name);
  void drawStairs(const Axis &x, const Axis &y);
  void drawPoints(const Axis &x, const Axis &y);
  void drawLegend(double at);
  void number(double value) { os << llvm::format("%.1f", value); }
  void tooltip(const Objectives &point, llvm::StringRef what);
  void diamond(double x, double y);

  llvm::raw_ostream &os;
  const ParetoFront &front;
};

} // namespace

void Plot::tooltip(const Objectives &point, llvm::StringRef what) {
  os << "<title>";
  escape(os, what);
  os << ": " << withUnit(point[Seconds], Seconds) << ", "
     << withUnit(point[Bytes], Bytes) << " sent, "
     << withUnit(point[Memory], Memory) << " per device, "
     << withUnit(point[Devices], Devices) << " devices</title>";
}

void Plot::drawFrame(const Axis &x, const Axis &y, llvm::StringRef name) {
  os << "<rect width=\"" << panelWidth << "\" height=\"" << panelHeight
     << "\" fill=\"#fff\" stroke=\"#888\"/>\n";
  for (double tick : x.ticks) {
    double at = x.place(tick);
    os << "<line class=\"grid\" x1=\"";
    number(at);
    os << "\" x2=\"";
    number(at);
    os << "\" y1=\"0\" y2=\"" << panelHeight << "\"/><text class=\"tick\" x=\"";
    number(at);
    os << "\" y=\"" << panelHeight + 18 << "\" text-anchor=\"middle\">"
       << withUnit(tick, x.objective) << "</text>\n";
  }
  for (double tick : y.ticks) {
    double at = panelHeight - y.place(tick);
    os << "<line class=\"grid\" x1=\"0\" x2=\"" << panelWidth << "\" y1=\"";
    number(at);
    os << "\" y2=\"";
    number(at);
    os << "\"/><text class=\"tick\" x=\"-8\" y=\"";
    number(at + 4);
    os << "\" text-anchor=\"end\">" << withUnit(tick, y.objective)
       << "</text>\n";
  }
  os << "<text class=\"name\" x=\"" << panelWidth / 2 << "\" y=\""
     << panelHeight + 42 << "\" text-anchor=\"middle\">time of one run"
     << (x.isLog() ? " (log scale)" : "") << "</text>\n"
     << "<text class=\"name\" x=\"0\" y=\"-12\">" << name
     << (y.isLog() ? " (log scale)" : "") << "</text>\n";
}

void Plot::drawStairs(const Axis &x, const Axis &y) {
  // The frontier of these two objectives alone.
  std::vector<std::pair<double, double>> points;
  for (const ParetoMember &member : front.members)
    points.push_back(
        {member.objectives[Seconds], member.objectives[y.objective]});
  llvm::sort(points);
  os << "<path class=\"stairs\" d=\"";
  double lowest = std::numeric_limits<double>::infinity();
  bool isFirst = true;
  for (auto [seconds, other] : points) {
    if (other >= lowest)
      continue;
    os << (isFirst ? "M" : "H");
    number(x.place(seconds));
    os << (isFirst ? " " : "V");
    number(panelHeight - y.place(other));
    lowest = other;
    isFirst = false;
  }
  os << "\"/>\n";
}

void Plot::diamond(double x, double y) {
  os << "<path class=\"exact\" d=\"M";
  number(x);
  os << " ";
  number(y - 8);
  os << "l8 8l-8 8l-8 -8z\">";
}

void Plot::drawPoints(const Axis &x, const Axis &y) {
  auto xOf = [&](const Objectives &point) { return x.place(point[Seconds]); };
  auto yOf = [&](const Objectives &point) {
    return panelHeight - y.place(point[y.objective]);
  };
  for (auto [index, member] : llvm::enumerate(front.members)) {
    bool isRewritten = !member.rewrites.empty();
    os << "<circle class=\"" << (isRewritten ? "rewritten" : "member")
       << "\" r=\"4\" cx=\"";
    number(xOf(member.objectives));
    os << "\" cy=\"";
    number(yOf(member.objectives));
    os << "\">";
    tooltip(member.objectives,
            "member " + std::to_string(index) + ", " + member.origin);
    os << "</circle>\n";
  }
  for (const ParetoStart &start : front.starts) {
    diamond(xOf(start.objectives), yOf(start.objectives));
    tooltip(start.objectives, start.origin);
    os << "</path>\n";
  }
}

void Plot::drawPanel(unsigned panel, Objective objective) {
  std::vector<double> seconds, values;
  for (const ParetoMember &member : front.members) {
    seconds.push_back(member.objectives[Seconds]);
    values.push_back(member.objectives[objective]);
  }
  for (const ParetoStart &start : front.starts) {
    seconds.push_back(start.objectives[Seconds]);
    values.push_back(start.objectives[objective]);
  }
  Axis x(std::move(seconds), Seconds, panelWidth);
  Axis y(std::move(values), objective, panelHeight);
  os << "<g transform=\"translate(" << left + panel * (panelWidth + gap) << " "
     << top << ")\">\n";
  drawFrame(x, y,
            objective == Bytes    ? "bytes sent by all devices"
            : objective == Memory ? "peak memory per device"
                                  : "number of devices");
  drawStairs(x, y);
  drawPoints(x, y);
  os << "</g>\n";
}

void Plot::drawLegend(double at) {
  os << "<g transform=\"translate(" << left << " " << at << ")\">\n"
     << "<circle class=\"member\" r=\"4\" cx=\"8\" cy=\"-4\"/>"
     << "<text class=\"legend\" x=\"22\" y=\"0\">plan of the frontier (of all "
        "four objectives)</text>\n"
     << "<circle class=\"rewritten\" r=\"4\" cx=\"358\" cy=\"-4\"/>"
     << "<text class=\"legend\" x=\"372\" y=\"0\">the same, of a rewritten "
        "graph</text>\n"
     << "<path class=\"stairs\" d=\"M600 0H616V-9H628\"/>"
     << "<text class=\"legend\" x=\"638\" y=\"0\">best of the two objectives "
        "shown</text>\n";
  diamond(900, -4);
  os << "</path><text class=\"legend\" x=\"916\" y=\"0\">exact plan that the "
        "search started from</text>\n</g>\n";
}

void Plot::draw(llvm::StringRef title) {
  constexpr double width = left + 3 * panelWidth + 2 * gap + right;
  constexpr double height = top + panelHeight + bottom - 40;
  os << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " << width
     << " " << height << "\" width=\"" << width << "\" height=\"" << height
     << "\" font-family=\"Helvetica, Arial, sans-serif\">\n"
     << "<style>.tick{font-size:12px;fill:#444}.name{font-size:14px;"
        "fill:#111}.legend{font-size:13px;fill:#222}.title{font-size:16px;"
        "font-weight:bold;fill:#111}.grid{stroke:#e4e4e4}.stairs{fill:none;"
        "stroke:#1f6fb4;stroke-width:1.6}.member{fill:#1f6fb4;"
        "fill-opacity:.55}.rewritten{fill:#c2410c;fill-opacity:.7}"
        ".exact{fill:none;stroke:#111;stroke-width:1.6}</style>\n"
     << "<rect width=\"" << width << "\" height=\"" << height
     << "\" fill=\"#fff\"/>\n<text class=\"title\" x=\"" << left
     << "\" y=\"26\">";
  escape(os, title);
  os << "</text>\n";
  unsigned panel = 0;
  for (Objective objective : {Bytes, Memory, Devices})
    drawPanel(panel++, objective);
  drawLegend(height - 18);
  os << "</svg>\n";
}

void pareto::plotFront(llvm::raw_ostream &os, const ParetoFront &front,
                       llvm::StringRef title) {
  Plot(os, front).draw(title);
}

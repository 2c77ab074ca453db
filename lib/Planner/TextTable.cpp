//===- TextTable.cpp - Aligned columns and numbers for people -------------===//

#include "TextTable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace tapestry;

void TextTable::print(llvm::raw_ostream &os) const {
  std::vector<size_t> widths(rows[0].size(), 0);
  for (const auto &row : rows)
    for (size_t c = 0; c < row.size(); ++c)
      widths[c] = std::max(widths[c], row[c].size());
  for (const auto &row : rows) {
    std::string line;
    for (size_t c = 0; c < row.size(); ++c) {
      std::string pad(widths[c] - row[c].size(), ' ');
      line += "  " + (c < textColumns ? row[c] + pad : pad + row[c]);
    }
    os << llvm::StringRef(line).rtrim() << "\n";
  }
}

llvm::StringRef tapestry::costUnit(const Plan &plan) {
  return plan.costModel == "spmd" ? "seconds" : "elements";
}

std::string tapestry::costText(const Plan &plan, double cost) {
  if (plan.costModel == "spmd")
    return cost == 0 ? "0" : llvm::formatv("{0:e5}", cost).str();
  return llvm::formatv(std::round(cost) == cost ? "{0:f0}" : "{0:f2}", cost)
      .str();
}

std::string tapestry::extraCostText(const Plan &plan, double cost) {
  return (cost >= 0 ? "+" : "") + costText(plan, cost);
}

std::string tapestry::partsText(const PlanVertex &vertex,
                                llvm::ArrayRef<int64_t> parts) {
  std::string text;
  for (auto [label, count] : llvm::zip_equal(vertex.labels, parts))
    text +=
        (text.empty() ? "" : " ") + label.name + "=" + std::to_string(count);
  return text;
}

std::string tapestry::axesText(const PlanVertex &vertex, const DeviceGrid &grid,
                               const VertexPlacement &placed) {
  if (!placed.partition)
    return "as read";
  std::string text;
  for (auto [label, cut] :
       llvm::zip_equal(vertex.labels, placed.partition->cuts)) {
    if (cut.empty())
      continue;
    text += (text.empty() ? "" : " ") + label.name + ":";
    for (auto [number, axis] : llvm::enumerate(cut))
      text += (number ? "," : "") + grid.axes[axis].name;
  }
  return text;
}

std::string tapestry::bytesText(double bytes) {
  static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  unsigned unit = 0;
  while (bytes >= 1024 && unit + 1 < std::size(units)) {
    bytes /= 1024;
    ++unit;
  }
  return llvm::formatv(unit == 0 || bytes >= 100 ? "{0:f0} {1}" : "{0:f1} {1}",
                       bytes, units[unit])
      .str();
}

std::string tapestry::percentText(double ratio) {
  return llvm::formatv("{0:f1} %", 100 * ratio).str();
}

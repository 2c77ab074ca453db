//===- PlanText.cpp - What a plan decides, in words for people ------------===//

#include "tapestry/Planner/Plan/PlanText.h"
#include "llvm/ADT/STLExtras.h"

using namespace tapestry;
using namespace tapestry::layout;
using namespace tapestry::model;
using namespace tapestry::plan;

llvm::StringRef plan::costUnit(const Plan &plan) { return plan.model().unit(); }

std::string plan::costText(const Plan &plan, double cost) {
  return plan.model().format(cost);
}

std::string plan::extraCostText(const Plan &plan, double cost) {
  return (cost >= 0 ? "+" : "") + costText(plan, cost);
}

std::string plan::partsText(const PlanVertex &vertex,
                            llvm::ArrayRef<int64_t> parts) {
  std::string text;
  for (auto [label, count] : llvm::zip_equal(vertex.labels, parts))
    text +=
        (text.empty() ? "" : " ") + label.name + "=" + std::to_string(count);
  return text;
}

std::string plan::axesText(const PlanVertex &vertex, const DeviceGrid &grid,
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

std::string plan::borderText(const PlanVertex &vertex) {
  std::string text;
  auto add = [&](llvm::StringRef way, const DevicePin &pin) {
    text += (text.empty() ? "" : " ") + way.str() + " device " +
            std::to_string(pin.device);
  };
  if (vertex.constraints.entersAt)
    add("from", *vertex.constraints.entersAt);
  for (const DevicePin &pin : vertex.constraints.leavesAt)
    add("to", pin);
  return text;
}

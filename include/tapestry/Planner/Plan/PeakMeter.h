//===- PeakMeter.h - The memory that a plan's program takes -----*- C++ -*-===//
//
// What counts is what a program will allocate, which only its lowering can say:
// whoever has one tells the planner.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_PLANNER_PLAN_PEAKMETER_H
#define TAPESTRY_PLANNER_PLAN_PEAKMETER_H

#include "tapestry/Planner/Plan/Plan.h"
#include <functional>

namespace tapestry::plan {

/// The most bytes that any device will hold when a plan's program runs; nothing
/// where that cannot be found out.
using PeakMeter = std::function<std::optional<int64_t>(const Plan &)>;

/// Sets a plan's peak to the exact one, where that is known.
void measurePeak(Plan &plan, const PeakMeter &meter);

} // namespace tapestry::plan

#endif // TAPESTRY_PLANNER_PLAN_PEAKMETER_H

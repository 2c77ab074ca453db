//===- PeakMeter.cpp - The memory that a plan's program takes -------------===//

#include "tapestry/Planner/Plan/PeakMeter.h"

using namespace tapestry;
using namespace tapestry::plan;

void plan::measurePeak(Plan &plan, const PeakMeter &meter) {
  if (!meter || plan.isPeakExact)
    return;
  if (std::optional<int64_t> peak = meter(plan)) {
    plan.peakBytesPerDevice = *peak;
    plan.isPeakExact = true;
  }
}

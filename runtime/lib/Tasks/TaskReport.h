//===- TaskReport.h - What a greedy run measured ----------------*- C++ -*-===//

#ifndef TAPESTRY_RT_TASKS_TASKREPORT_H
#define TAPESTRY_RT_TASKS_TASKREPORT_H

#include "Tasks/Executor.h"

namespace tapestry {
namespace rt {

/// The text of report.json. `runTimes`: of each run, in nanoseconds.
std::string taskReportText(const Executor &executor, int64_t limitBytes,
                           std::vector<int64_t> runTimes);

/// The text of a Chrome trace, one track per thread.
std::string taskTraceText(const Executor &executor);

} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_TASKS_TASKREPORT_H

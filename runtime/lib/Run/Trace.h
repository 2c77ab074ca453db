//===- Trace.h - Where the time of a run went -------------------*- C++ -*-===//

#ifndef TAPESTRY_RT_RUN_TRACE_H
#define TAPESTRY_RT_RUN_TRACE_H

#include <cstdint>
#include <string>
#include <vector>

namespace tapestry {
namespace rt {

/// More spans than this on one track make a trace that no viewer opens.
constexpr size_t maxTraceSpans = size_t(1) << 18;

/// In nanoseconds since the run's start.
struct TraceSpan {
  std::string name;
  const char *category;
  int64_t begin, end;
};

/// What a rank or a thread did.
struct TraceTrack {
  std::string label;
  std::vector<TraceSpan> spans;
};

/// The text of a Chrome trace.
std::string chromeTrace(const std::string &process,
                        const std::vector<TraceTrack> &tracks);
/// What is said of spans that found no room in the trace at `path`.
void tellDropped(const std::string &tool, int64_t spans,
                 const std::string &path, const char *of);

} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_RUN_TRACE_H

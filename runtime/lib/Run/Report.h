//===- Report.h - What a run measured ---------------------------*- C++ -*-===//

#ifndef TAPESTRY_RT_RUN_REPORT_H
#define TAPESTRY_RT_RUN_REPORT_H

#include "Run/Job.h"

namespace tapestry {
namespace rt {

/// The measurements of one rank. Times are in nanoseconds. Collectives are
/// followed by feeds and moves; bytes are those of one run, times those of all
/// runs.
struct RankReport {
  int64_t peakBytes = 0;
  int64_t readTime = 0;
  int64_t runTime = 0;
  int64_t writeTime = 0;
  std::vector<int64_t> sentBytes;
  /// Bytes copied from a rank's own part to its own result.
  std::vector<int64_t> keptBytes;
  std::vector<int64_t> collectiveTime;
  std::vector<int64_t> vertexTime;
  /// Per collective: whether a back end or a library does it, and whether its
  /// bytes are those that it was handed, and not those that we would send.
  std::vector<int64_t> isWhole;
  std::vector<int64_t> isPayload;
  /// Per collective: whether it went on beside the program, and how long that
  /// waited for it.
  std::vector<int64_t> isBeside;
  std::vector<int64_t> waitTime;
  /// Per collective: how often it ran in one run.
  std::vector<int64_t> times;
  /// Per list of copies: what they wrote, and how often, in the first run.
  std::vector<int64_t> copiedBytes;
  std::vector<int64_t> copiedTimes;

  explicit RankReport(const Job &job);
  /// As numbers in a row, to be sent.
  std::vector<int64_t> pack() const;
  void unpack(const int64_t *numbers);
};

/// A span of time on one rank, in nanoseconds since the ranks' common start.
struct TraceEvent {
  enum Kind : int32_t {
    Vertex,
    Collective,
    Feed,
    Move,
    Read,
    Write,
    /// A collective beside the program, and the program as it waits for one.
    Beside,
    Wait
  };
  Kind kind;
  int32_t index; // of the vertex, collective, feed, move or tensor
  int64_t begin;
  int64_t end;
};

/// The text of report.json. `runTimes`: of each run, on rank 0.
std::string reportText(const Job &job, const std::vector<RankReport> &ranks,
                       std::vector<int64_t> runTimes);

/// The text of a Chrome trace.
std::string traceText(const Job &job,
                      const std::vector<std::vector<TraceEvent>> &ranks);

/// For people: collectives whose bytes are not as predicted, one per line.
std::string contractBreaches(const Job &job,
                             const std::vector<RankReport> &ranks);

} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_RUN_REPORT_H

//===- Report.cpp - What a run measured -----------------------------------===//

#include "Run/Report.h"
#include "Core/JSON.h"
#include "Core/Types.h"
#include "tapestry-rt/Counted.h"
#include <algorithm>

using namespace tapestry::rt;

static double seconds(int64_t nanoseconds) {
  return static_cast<double>(nanoseconds) * 1e-9;
}

//===----------------------------------------------------------------------===//
// One rank
//===----------------------------------------------------------------------===//

RankReport::RankReport(const Job &job)
    : sentBytes(
          job.program.num_collectives + job.feeds.size() + job.moves.size(), 0),
      keptBytes(sentBytes.size(), 0), collectiveTime(sentBytes.size(), 0),
      vertexTime(job.program.num_vertices, 0),
      isWhole(job.program.num_collectives, 0),
      isPayload(job.program.num_collectives, 0),
      isBeside(job.program.num_collectives, 0),
      waitTime(job.program.num_collectives, 0),
      times(job.program.num_collectives, 0),
      copiedBytes(job.program.num_copies, 0),
      copiedTimes(job.program.num_copies, 0) {}

std::vector<int64_t> RankReport::pack() const {
  std::vector<int64_t> numbers = {peakBytes, readTime, runTime, writeTime};
  for (const auto *part :
       {&sentBytes, &keptBytes, &collectiveTime, &vertexTime, &isWhole,
        &isPayload, &isBeside, &waitTime, &times, &copiedBytes, &copiedTimes})
    numbers.insert(numbers.end(), part->begin(), part->end());
  return numbers;
}

void RankReport::unpack(const int64_t *numbers) {
  for (int64_t *number : {&peakBytes, &readTime, &runTime, &writeTime})
    *number = *numbers++;
  for (auto *part :
       {&sentBytes, &keptBytes, &collectiveTime, &vertexTime, &isWhole,
        &isPayload, &isBeside, &waitTime, &times, &copiedBytes, &copiedTimes}) {
    std::copy(numbers, numbers + part->size(), part->begin());
    numbers += part->size();
  }
}

//===----------------------------------------------------------------------===//
// All ranks
//===----------------------------------------------------------------------===//

template <typename Get>
static int64_t largest(const std::vector<RankReport> &ranks, Get get) {
  int64_t most = 0;
  for (const RankReport &rank : ranks)
    most = std::max(most, get(rank));
  return most;
}

template <typename Get>
static int64_t sum(const std::vector<RankReport> &ranks, Get get) {
  int64_t all = 0;
  for (const RankReport &rank : ranks)
    all += get(rank);
  return all;
}

static int64_t countedBytes(const std::vector<RankReport> &ranks,
                            size_t index) {
  return sum(ranks,
             [&](const RankReport &rank) { return rank.sentBytes[index]; });
}

static int64_t keptBytes(const std::vector<RankReport> &ranks, size_t index) {
  return sum(ranks,
             [&](const RankReport &rank) { return rank.keptBytes[index]; });
}

static int64_t copiedBytes(const std::vector<RankReport> &ranks, size_t index) {
  return sum(ranks,
             [&](const RankReport &rank) { return rank.copiedBytes[index]; });
}

/// How often a pass had copies number `index`; all ranks agree.
static int64_t copiedTimes(const std::vector<RankReport> &ranks, size_t index) {
  return largest(
      ranks, [&](const RankReport &rank) { return rank.copiedTimes[index]; });
}

/// Whether some rank left collective `index` to the back end; one that has
/// nobody to talk to in it does nothing either way.
static bool isWhole(const std::vector<RankReport> &ranks, size_t index) {
  return largest(ranks, [&](const RankReport &rank) {
           return rank.isWhole[index];
         }) != 0;
}

/// Whether its bytes are those that the back end was handed.
static bool isPayload(const std::vector<RankReport> &ranks, size_t index) {
  return largest(ranks, [&](const RankReport &rank) {
           return rank.isPayload[index];
         }) != 0;
}

/// How often collective `index` ran, which only a run tells where loops end by
/// a condition; all ranks agree.
static int64_t timesOf(const std::vector<RankReport> &ranks, size_t index) {
  return largest(ranks,
                 [&](const RankReport &rank) { return rank.times[index]; });
}

static void writeCollectives(JSONWriter &json, const Job &job,
                             const std::vector<RankReport> &ranks) {
  const TapestryProgram &program = job.program;
  auto bytes = [&](size_t index, int64_t predicted, const char *counted,
                   int64_t kept) {
    json.member("predicted_bytes", predicted);
    json.member(counted, countedBytes(ranks, index));
    if (kept >= 0)
      json.member("predicted_copied_bytes", kept);
    json.member("copied_bytes", keptBytes(ranks, index));
  };
  auto time = [&](size_t index, int64_t times) {
    json.member("seconds", seconds(largest(ranks,
                                           [&](const RankReport &rank) {
                                             return rank.collectiveTime[index];
                                           })) /
                               static_cast<double>(times));
  };
  auto most = [&](std::vector<int64_t> RankReport::*numbers, size_t index) {
    return largest(
        ranks, [&](const RankReport &rank) { return (rank.*numbers)[index]; });
  };
  json.key("collectives");
  json.beginArray(/*lines=*/true);
  for (int32_t i = 0; i < program.num_collectives; ++i) {
    const TapestryCollective &collective = program.collectives[i];
    json.beginObject();
    json.member("vertex", collective.vertex);
    json.member("kind", collectiveName(collective.kind));
    json.member("group", collective.group);
    if (isWhole(ranks, i))
      json.member("by", job.collectivesBy());
    int64_t times = timesOf(ranks, i);
    if (times != 1)
      json.member("times", times);
    bytes(i, times * collective.predicted_bytes,
          // What a back end sends for one of its own is its own affair.
          isPayload(ranks, i) ? "payload_bytes" : "counted_bytes",
          times * collective.predicted_copied_bytes);
    time(i, job.options.repeat);
    if (most(&RankReport::isBeside, i) != 0)
      json.member("waited_seconds",
                  seconds(most(&RankReport::waitTime, i)) /
                      static_cast<double>(job.options.repeat));
    json.endObject();
  }
  // The last run's outputs are not fed, so a single run has no feeds.
  size_t numFeeds = job.options.repeat > 1 ? job.feeds.size() : 0;
  for (size_t i = 0; i < numFeeds; ++i) {
    const Feed &feed = job.feeds[i];
    json.beginObject();
    json.member("vertex", program.outputs[feed.output].name);
    json.member("kind", "feed");
    json.member("input", program.inputs[feed.input].name);
    bytes(program.num_collectives + i, feed.predictedBytes, "counted_bytes",
          feed.predictedKept);
    time(program.num_collectives + i, job.options.repeat - 1);
    json.endObject();
  }
  size_t index = program.num_collectives + job.feeds.size();
  for (const Move &move : job.moves) {
    json.beginObject();
    json.member("vertex", program.inputs[move.input].name);
    json.member("kind", "move");
    bytes(index, move.predictedBytes, "counted_bytes", move.predictedKept);
    time(index++, 1);
    json.endObject();
  }
  json.endArray();
}

static void writeCopies(JSONWriter &json, const Job &job,
                        const std::vector<RankReport> &ranks) {
  const TapestryProgram &program = job.program;
  int64_t all = 0;
  for (int32_t i = 0; i < program.num_collectives; ++i)
    all += keptBytes(ranks, i);
  for (int64_t i = 0; i < program.num_copies; ++i)
    all += copiedBytes(ranks, i);
  json.member("copied_bytes", all);
  json.key("copies");
  json.beginArray(/*lines=*/true);
  for (int64_t i = 0; i < program.num_copies; ++i) {
    const TapestryCopy &copy = program.copies[i];
    json.beginObject();
    json.member("vertex", copy.vertex);
    int64_t times = copiedTimes(ranks, i);
    if (times != 1)
      json.member("times", times);
    if (copy.predicted_bytes >= 0)
      json.member("predicted_bytes", times * copy.predicted_bytes);
    json.member("counted_bytes", copiedBytes(ranks, i));
    json.endObject();
  }
  json.endArray();
}

/// What the ranks of a process hold together.
static void writeTogether(JSONWriter &json, const Job &job,
                          const std::vector<RankReport> &ranks) {
  const TapestryProgram &program = job.program;
  // Of ranks that are processes each has its own.
  int64_t together = 0;
  for (int64_t device = 0; device < program.devices; ++device) {
    int64_t own = ranks[device].peakBytes - job.bytesBorrowed(device);
    together =
        job.backend() == "local" ? together + own : std::max(together, own);
  }
  json.member("process_peak_bytes", together);
}

/// The largest peak, and every rank's; beside each what the compiler expected.
static void writePeaks(JSONWriter &json, const Job &job,
                       const std::vector<RankReport> &ranks) {
  const TapestryProgram &program = job.program;
  const int64_t *predicted = job.predictedPeaks();
  json.member("peak_bytes_per_device",
              largest(ranks, [](const RankReport &r) { return r.peakBytes; }));
  if (predicted)
    json.member("predicted_peak_bytes_per_device",
                *std::max_element(predicted, predicted + program.devices));
  json.key("peak_bytes");
  json.beginArray();
  for (const RankReport &rank : ranks)
    json.value(rank.peakBytes);
  json.endArray();
  if (!predicted)
    return;
  json.key("predicted_peak_bytes");
  json.beginArray();
  for (int64_t device = 0; device < program.devices; ++device)
    json.value(predicted[device]);
  json.endArray();
}

std::string tapestry::rt::reportText(const Job &job,
                                     const std::vector<RankReport> &ranks,
                                     std::vector<int64_t> runTimes) {
  const TapestryProgram &program = job.program;
  JSONWriter json;
  json.beginObject();
  json.member("tapestry_report", 1);
  json.member("program", program.name ? program.name : "");
  json.member("devices", program.devices);
  json.member("threads", job.threads());
  json.member("backend", job.backend());
  json.member("seconds", seconds(largest(ranks, [](const RankReport &rank) {
                return rank.runTime;
              })));
  json.member("compile_seconds", job.options.compileSeconds);
  json.member("read_seconds",
              seconds(largest(ranks, [](const RankReport &rank) {
                return rank.readTime;
              })));
  json.member("write_seconds",
              seconds(largest(ranks, [](const RankReport &rank) {
                return rank.writeTime;
              })));
  json.member("repeat", job.options.repeat);
  std::sort(runTimes.begin(), runTimes.end());
  json.key("run_seconds");
  json.beginObject();
  json.member("min", seconds(runTimes.front()));
  json.member("median", seconds(runTimes[runTimes.size() / 2]));
  json.member("max", seconds(runTimes.back()));
  json.endObject();
  writePeaks(json, job, ranks);
  writeTogether(json, job, ranks);
  if (job.held) {
    json.key("held_bytes");
    json.beginArray();
    for (int64_t device = 0; device < program.devices; ++device)
      json.value(job.bytesBeside(device));
    json.endArray();
  }
  writeCollectives(json, job, ranks);
  writeCopies(json, job, ranks);
  json.key("vertices");
  json.beginArray(/*lines=*/true);
  for (int32_t i = 0; i < program.num_vertices; ++i) {
    json.beginObject();
    json.member("name", program.vertices[i].name);
    json.member("seconds", seconds(largest(ranks,
                                           [&](const RankReport &rank) {
                                             return rank.vertexTime[i];
                                           })) /
                               static_cast<double>(job.options.repeat));
    json.member("flops", program.vertices[i].flops);
    json.endObject();
  }
  json.endArray();
  json.endObject();
  return json.text() + "\n";
}

std::string
tapestry::rt::contractBreaches(const Job &job,
                               const std::vector<RankReport> &ranks) {
  std::string text;
  for (int32_t i = 0; i < job.program.num_collectives; ++i) {
    const TapestryCollective &collective = job.program.collectives[i];
    int64_t counted = countedBytes(ranks, i);
    int64_t predicted = timesOf(ranks, i) * collective.predicted_bytes;
    if (counted != predicted && !isPayload(ranks, i))
      text += format("warning: collective %d (%s of '%s'): %s "
                     "predicted, %lld sent\n",
                     i, collectiveName(collective.kind), collective.vertex,
                     countOf(predicted, "byte").c_str(),
                     static_cast<long long>(counted));
    int64_t kept = keptBytes(ranks, i);
    int64_t own = timesOf(ranks, i) * collective.predicted_copied_bytes;
    if (own >= 0 && kept != own && !isPayload(ranks, i))
      text +=
          format("warning: collective %d (%s of '%s'): %s "
                 "predicted to be copied, %lld copied\n",
                 i, collectiveName(collective.kind), collective.vertex,
                 countOf(own, "byte").c_str(), static_cast<long long>(kept));
  }
  for (int64_t i = 0; i < job.program.num_copies; ++i) {
    const TapestryCopy &copy = job.program.copies[i];
    int64_t counted = copiedBytes(ranks, i);
    int64_t predicted = copiedTimes(ranks, i) * copy.predicted_bytes;
    if (predicted >= 0 && counted != predicted)
      text += format("warning: copies of '%s': %s predicted, %lld written\n",
                     copy.vertex, countOf(predicted, "byte").c_str(),
                     static_cast<long long>(counted));
  }
  return text;
}

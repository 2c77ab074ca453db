//===- Trace.cpp - Where the time of a run went ---------------------------===//

#include "Run/Trace.h"
#include "Core/JSON.h"
#include "Run/Report.h"
#include <cstdio>

using namespace tapestry::rt;

std::string tapestry::rt::chromeTrace(const std::string &process,
                                      const std::vector<TraceTrack> &tracks) {
  JSONWriter json;
  json.beginObject();
  json.member("displayTimeUnit", "ms");
  json.key("traceEvents");
  json.beginArray(/*lines=*/true);
  auto header = [&](const char *name, int64_t tid, const std::string &label) {
    json.beginObject();
    json.member("name", name);
    json.member("ph", "M");
    json.member("pid", 0);
    json.member("tid", tid);
    json.key("args");
    json.beginObject();
    json.member("name", label);
    json.endObject();
    json.endObject();
  };
  header("process_name", 0, process);
  for (size_t track = 0; track < tracks.size(); ++track) {
    auto tid = static_cast<int64_t>(track);
    header("thread_name", tid, tracks[track].label);
    for (const TraceSpan &span : tracks[track].spans) {
      json.beginObject();
      json.member("name", span.name);
      json.member("cat", span.category);
      json.member("ph", "X");
      json.member("pid", 0);
      json.member("tid", tid);
      json.member("ts", static_cast<double>(span.begin) * 1e-3);
      json.member("dur", static_cast<double>(span.end - span.begin) * 1e-3);
      json.endObject();
    }
  }
  json.endArray();
  json.endObject();
  return json.text() + "\n";
}

void tapestry::rt::tellDropped(const std::string &tool, int64_t spans,
                               const std::string &path, const char *of) {
  if (spans > 0)
    fprintf(stderr,
            "%s: the last %lld spans of time are not in %s: it holds %zu of "
            "each %s\n",
            tool.c_str(), static_cast<long long>(spans),
            printable(path).c_str(), maxTraceSpans, of);
}

//===----------------------------------------------------------------------===//
// Ranks
//===----------------------------------------------------------------------===//

static std::string eventName(const Job &job, const TraceEvent &event) {
  const TapestryProgram &program = job.program;
  switch (event.kind) {
  case TraceEvent::Vertex:
    return program.vertices[event.index].name;
  case TraceEvent::Collective:
  case TraceEvent::Beside: {
    const TapestryCollective &collective = program.collectives[event.index];
    return std::string(collectiveName(collective.kind)) + " " +
           collective.vertex;
  }
  case TraceEvent::Wait:
    return std::string("wait for ") +
           eventName(job, {TraceEvent::Beside, event.index, 0, 0});
  case TraceEvent::Feed:
    return std::string("feed ") +
           program.outputs[job.feeds[event.index].output].name;
  case TraceEvent::Move:
    return std::string("move ") +
           program.inputs[job.moves[event.index].input].name;
  case TraceEvent::Read:
    return std::string("read ") + program.inputs[event.index].name;
  case TraceEvent::Write:
    return std::string("write ") + program.outputs[event.index].name;
  }
  return "";
}

static const char *eventCategory(TraceEvent::Kind kind) {
  switch (kind) {
  case TraceEvent::Vertex:
    return "vertex";
  case TraceEvent::Collective:
  case TraceEvent::Beside:
  case TraceEvent::Feed:
  case TraceEvent::Move:
    return "collective";
  case TraceEvent::Wait:
    return "wait";
  case TraceEvent::Read:
  case TraceEvent::Write:
    return "io";
  }
  return "";
}

std::string
tapestry::rt::traceText(const Job &job,
                        const std::vector<std::vector<TraceEvent>> &ranks) {
  std::vector<TraceTrack> tracks;
  for (size_t rank = 0; rank < ranks.size(); ++rank) {
    tracks.push_back({format("rank %zu", rank), {}});
    TraceTrack beside = {format("rank %zu, beside", rank), {}};
    for (const TraceEvent &event : ranks[rank])
      (event.kind == TraceEvent::Beside ? beside : tracks.back())
          .spans.push_back({eventName(job, event), eventCategory(event.kind),
                            event.begin, event.end});
    if (!beside.spans.empty())
      tracks.push_back(std::move(beside));
  }
  return chromeTrace(job.program.name ? job.program.name : "program", tracks);
}

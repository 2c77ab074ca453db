//===- TaskReport.cpp - What a greedy run measured ------------------------===//

#include "Tasks/TaskReport.h"
#include "Core/JSON.h"
#include <algorithm>

using namespace tapestry::rt;

static double seconds(int64_t nanoseconds) {
  return static_cast<double>(nanoseconds) * 1e-9;
}

std::string tapestry::rt::taskReportText(const Executor &executor,
                                         int64_t limitBytes,
                                         std::vector<int64_t> runTimes) {
  const Job &job = executor.job;
  const TaskSchedule &schedule = executor.schedule;
  const TaskCounts &counts = executor.counts;
  int64_t total = 0;
  for (int64_t time : runTimes)
    total += time;
  JSONWriter json;
  json.beginObject();
  json.member("tapestry_report", 1);
  json.member("program", job.program.name);
  json.member("devices", job.program.devices);
  json.member("backend", job.backend());
  json.member("executor", "greedy");
  json.member("workers", executor.workers());
  json.member("seconds", seconds(total));
  json.member("compile_seconds", job.options.compileSeconds);
  json.member("read_seconds", seconds(counts.readTime));
  json.member("write_seconds", seconds(counts.writeTime));
  json.member("repeat", job.options.repeat);
  std::sort(runTimes.begin(), runTimes.end());
  json.key("run_seconds");
  json.beginObject();
  json.member("min", seconds(runTimes.front()));
  json.member("median", seconds(runTimes[runTimes.size() / 2]));
  json.member("max", seconds(runTimes.back()));
  json.endObject();
  json.member("limit_bytes", limitBytes);
  json.member("peak_bytes_per_device", executor.held.peakBytes());
  json.member("predicted_peak_bytes_per_device", schedule.peakBytes);
  auto bytes = [&](const char *name, int64_t predicted, int64_t counted) {
    json.member(std::string("predicted_") + name, predicted);
    json.member(std::string("counted_") + name, counted);
  };
  bytes("spilled_bytes", schedule.spilledBytes, counts.spilledBytes);
  bytes("reloaded_bytes", schedule.reloadedBytes, counts.reloadedBytes);
  bytes("input_bytes", schedule.inputBytes, counts.inputBytes);
  bytes("copied_bytes", schedule.copiedBytes, counts.copiedBytes);
  json.member("shards",
              static_cast<int64_t>(executor.graph.program.shards.size()));
  json.key("collectives");
  json.beginArray();
  json.endArray();
  json.key("vertices");
  json.beginArray(/*lines=*/true);
  for (int32_t i = 0; i < job.program.num_vertices; ++i) {
    json.beginObject();
    json.member("name", job.program.vertices[i].name);
    json.member("seconds", seconds(executor.vertexTime[i]) /
                               static_cast<double>(job.options.repeat));
    json.member("flops", job.program.vertices[i].flops);
    json.endObject();
  }
  json.endArray();
  json.endObject();
  return json.text() + "\n";
}

static TraceSpan spanOf(const Executor &executor, const StepSpan &span) {
  const TaskProgram &program = executor.graph.program;
  const TaskStep &step = executor.schedule.steps[span.step];
  auto named = [&](const std::string &name, const char *category) {
    return TraceSpan{name, category, span.begin, span.end};
  };
  switch (step.kind) {
  case TaskStep::Run:
    return named(program.shards[step.index].name, "vertex");
  case TaskStep::Assemble:
    return named(format("view %d", step.index), "view");
  case TaskStep::Load:
    return named("load " + program.chunks[step.index].name, "io");
  case TaskStep::Spill:
    return named("spill " + program.chunks[step.index].name, "io");
  case TaskStep::Forget:
    return named("forget " + program.chunks[step.index].name, "io");
  case TaskStep::Write:
    return named("write " + program.sinks[step.index].name, "io");
  case TaskStep::HandOut:
    return named("hand out " + program.sinks[step.index].name, "io");
  case TaskStep::TakeIn:
    return named("take in " + program.inputs[step.index].name, "io");
  case TaskStep::DropView:
  case TaskStep::DropChunk:
    break;
  }
  return named("drop", "view");
}

std::string tapestry::rt::taskTraceText(const Executor &executor) {
  std::vector<TraceTrack> tracks;
  for (int thread = 0; thread < executor.threads(); ++thread) {
    int file = thread - executor.workers();
    tracks.push_back(
        {file < 0 ? format("worker %d", thread) : format("files %d", file),
         {}});
    for (const StepSpan &span : executor.spans[thread])
      tracks.back().spans.push_back(spanOf(executor, span));
  }
  return chromeTrace(executor.job.program.name, tracks);
}

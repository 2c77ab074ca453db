//===- Main.cpp - Times the runtime's collectives -------------------------===//
//
// A program of nothing but collectives of f32, 1 KiB to 64 MiB, with the usual
// command line of a program. Device 0 prints "kind bytes seconds", the least of
// some repetitions; utils/bench/collectives.py makes a table of it. The bytes
// are those of the larger of the two parts that a device holds before and
// after. BENCH_DEVICES says for how many devices, a power of two (2).
//
//===----------------------------------------------------------------------===//

#include "tapestry-rt/ABI.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {
/// The tables of all collectives.
struct Tables {
  explicit Tables(int64_t devices);
  void add(int32_t kind, int64_t bytes);

  int64_t devices;
  std::vector<int32_t> together;
  std::vector<std::vector<TapestryRange>> boxes;
  std::vector<TapestryCollective> collectives;
  std::vector<int64_t> bytes;
  TapestryProgram program = {};
};
} // namespace

static const Tables *tables;

static void addFloats(void *accumulator, const void *in, int64_t count) {
  auto *to = static_cast<float *>(accumulator);
  auto *from = static_cast<const float *>(in);
  for (int64_t i = 0; i < count; ++i)
    to[i] += from[i];
}

static double now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

static int64_t callsOf(int64_t bytes) {
  return std::clamp<int64_t>((int64_t(8) << 20) / bytes, 10, 1000);
}

/// Owns memory of the arena only: a call may not return.
static void runAll(TapestryRank *rank, const void *const *, void *const *) {
  static const char *const names[] = {"all_gather", "all_to_all", "all_reduce",
                                      "reduce_scatter"};
  for (size_t number = 0; number < tables->collectives.size(); ++number) {
    int64_t bytes = tables->bytes[number];
    void *source = tapestry_rt_allocate(rank, TAPESTRY_HOST, 64, bytes);
    void *target = tapestry_rt_allocate(rank, TAPESTRY_HOST, 64, bytes);
    memset(source, 0, bytes);
    memset(target, 0, bytes);
    double best = 1e9;
    for (int64_t call = callsOf(bytes); call > 0; --call) {
      double begin = now();
      tapestry_rt_collective(rank, static_cast<int64_t>(number), source,
                             target);
      best = std::min(best, now() - begin);
    }
    if (tapestry_rt_device(rank) == 0)
      printf("%s %lld %.9f\n", names[tables->collectives[number].kind],
             static_cast<long long>(bytes), best);
    tapestry_rt_free(rank, TAPESTRY_HOST, target);
    tapestry_rt_free(rank, TAPESTRY_HOST, source);
  }
  fflush(stdout);
}

void Tables::add(int32_t kind, int64_t size) {
  // A nearly square tensor, cut by rows before or after, or by both.
  int64_t elements = size / int64_t(sizeof(float));
  if (kind == TAPESTRY_ALL_TO_ALL)
    elements *= devices;
  int64_t columns = devices;
  while (columns * columns * 4 <= elements)
    columns *= 2;
  int64_t rows = elements / columns;
  auto table = [&](bool byRows, bool byColumns) {
    std::vector<TapestryRange> ranges;
    for (int64_t d = 0; d < devices; ++d) {
      int64_t r = rows / devices, c = columns / devices;
      ranges.push_back(byRows ? TapestryRange{d * r, (d + 1) * r}
                              : TapestryRange{0, rows});
      ranges.push_back(byColumns ? TapestryRange{d * c, (d + 1) * c}
                                 : TapestryRange{0, columns});
    }
    boxes.push_back(std::move(ranges));
    return boxes.back().data();
  };
  bool reduces = kind == TAPESTRY_ALL_REDUCE || kind == TAPESTRY_REDUCE_SCATTER;
  TapestryCollective collective = {};
  collective.vertex = "X";
  collective.kind = kind;
  collective.dtype = TAPESTRY_F32;
  collective.rank = 2;
  collective.group = static_cast<int32_t>(devices);
  collective.targets = 1;
  collective.monoid = reduces ? TAPESTRY_MONOID_ADD : TAPESTRY_MONOID_NONE;
  collective.group_of = collective.replica_of = together.data();
  collective.source = table(!reduces, false);
  collective.target =
      table(kind == TAPESTRY_REDUCE_SCATTER, kind == TAPESTRY_ALL_TO_ALL);
  collective.combine = reduces ? addFloats : nullptr;
  // The runtime counts what all calls send.
  collective.predicted_bytes = callsOf(size) * (devices - 1) * size *
                               (kind == TAPESTRY_ALL_REDUCE ? 2 : 1);
  collective.predicted_copied_bytes = -1;
  collectives.push_back(collective);
  bytes.push_back(size);
}

Tables::Tables(int64_t devices) : devices(devices), together(devices, 0) {
  for (int32_t kind : {TAPESTRY_ALL_REDUCE, TAPESTRY_REDUCE_SCATTER,
                       TAPESTRY_ALL_GATHER, TAPESTRY_ALL_TO_ALL})
    for (int64_t size = 1 << 10; size <= 64 << 20; size *= 4)
      add(kind, size);
  program.abi_version = TAPESTRY_ABI_VERSION;
  program.struct_size = sizeof(TapestryProgram);
  program.name = "collectives";
  program.devices = devices;
  program.num_collectives = static_cast<int32_t>(collectives.size());
  program.collectives = collectives.data();
  program.entry = runAll;
}

int main(int argc, char **argv) {
  const char *devices = getenv("BENCH_DEVICES");
  Tables all(devices ? atoll(devices) : 2);
  tables = &all;
  return tapestry_rt_main(argc, argv, &all.program);
}

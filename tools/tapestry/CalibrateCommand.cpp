//===- CalibrateCommand.cpp - tapestry calibrate --------------------------===//
//
// Measures the numbers of a machine file (docs/Machines.md) with what programs
// run on: matrix products and copies through the compiler, collectives through
// the runtime.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "tapestry-rt/Runtime.h"
#include "tapestry/Driver/Compilation.h"
#include "tapestry/Driver/InProcess.h"
#include "tapestry/Driver/Measure.h"
#include "tapestry/Driver/OutputFile.h"
#include "tapestry/Driver/Stage.h"
#include "tapestry/Planner/Cost/Seconds/SpmdCost.h"
#include "tapestry/Planner/Machine/LinkFit.h"
#include "tapestry/Planner/Machine/MachineFile.h"
#include "tapestry/Planner/Machine/Quantity.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Threading.h"
#include "llvm/TargetParser/Host.h"
#include <chrono>
#include <limits>

using namespace tapestry;
using namespace tapestry::cost::seconds;
using namespace tapestry::machine;
using namespace tapestry::driver;

constexpr int64_t elementBytes = 4;

//===----------------------------------------------------------------------===//
// One device's work
//===----------------------------------------------------------------------===//

/// Matrix products, one per device, large enough to run at their best.
static ExitStatus measurePeak(Measure &measure, int64_t devices,
                              llvm::StringRef type, double &flopsPerSecond) {
  constexpr int64_t n = 256;
  std::string text = llvm::formatv(R"(
input A : {0}[{1}, {2}, {2}]
input B : {0}[{1}, {2}, {2}]
C[b, i, k] = sum[j] A[b, i, j] * B[b, j, k]
output C
)",
                                   type, devices, n);
  double seconds = 0;
  ExitStatus status = measure.programSeconds(text, /*repeat=*/100, seconds);
  flopsPerSecond = 2.0 * n * n * n / seconds;
  return status;
}

/// What every device reads and writes of tensors that no cache holds, all at
/// once.
static ExitStatus measureMemory(Measure &measure, int64_t devices,
                                double &bytesPerSecond) {
  constexpr int64_t n = 8 << 20;
  std::string text = llvm::formatv(R"(
input A : f32[{0}, {1}]
C[b, i] = A[b, i] + 1.0
output C
)",
                                   devices, n);
  double seconds = 0;
  ExitStatus status = measure.programSeconds(text, /*repeat=*/30, seconds);
  bytesPerSecond = 2.0 * n * elementBytes / seconds;
  return status;
}

/// A vertex that does next to nothing: products of 2 x 2 matrices in a row.
static ExitStatus measureVertex(Measure &measure, int64_t devices,
                                double &vertexSeconds) {
  constexpr int vertices = 32;
  std::string text = llvm::formatv("input C0 : f32[{0}, 2, 2]\n", devices);
  for (int v = 1; v <= vertices; ++v)
    text += llvm::formatv("C{0}[b, i, k] = sum[j] C{1}[b, i, j] * "
                          "C{1}[b, j, k]\n",
                          v, v - 1);
  text += llvm::formatv("output C{0}\n", vertices);
  double seconds = 0;
  ExitStatus status = measure.programSeconds(text, /*repeat=*/400, seconds);
  vertexSeconds = seconds / vertices;
  return status;
}

//===----------------------------------------------------------------------===//
// The link
//===----------------------------------------------------------------------===//

/// Collectives of several kinds and sizes between all devices.
static std::vector<Measure::Move> movesOn(const DeviceGrid &grid) {
  int64_t devices = grid.numDevices();
  std::vector<Measure::Move> moves;
  auto add = [&](Layout from, Layout to) {
    Collective collective = planResharding(grid, from, to);
    moves.push_back({std::move(from), std::move(to), collective, 0});
  };
  const Cut whole, cut = {0};
  for (int64_t bytes : {1 << 8, 1 << 12, 1 << 15, 1 << 18, 1 << 21, 1 << 23}) {
    // Of the whole tensor on every device, a multiple of the devices squared.
    int64_t rows = devices;
    int64_t columns =
        std::max<int64_t>(bytes / elementBytes / rows / devices, 1) * devices;
    llvm::SmallVector<int64_t> shape = {rows, columns};
    Layout byRows = Layout::blocked(shape, {cut, whole});
    Layout byColumns = Layout::blocked(shape, {whole, cut});
    Layout everywhere = Layout::replicated(shape);
    Layout partial = everywhere;
    partial.partial = cut;
    add(byRows, everywhere);
    add(byRows, byColumns);
    add(partial, everywhere);
    add(partial, byRows);
  }
  return moves;
}

/// What the cost model would count for a collective on this link.
static double modelled(const Measure::Move &move, const DeviceGrid &grid,
                       Link link) {
  Machine machine;
  machine.otherLink = link;
  machine.memoryBandwidth = std::numeric_limits<double>::infinity();
  return collectiveSeconds(move.collective, grid, machine, elementBytes);
}

static ExitStatus measureLink(Measure &measure, const DeviceGrid &grid,
                              std::vector<Measure::Move> &moves, Link &link) {
  moves = movesOn(grid);
  if (ExitStatus status = measure.collectiveSeconds(grid, moves))
    return status;
  if (!measure.isFirst())
    return ExitDone;
  std::vector<LinkSample> samples;
  for (const Measure::Move &move : moves) {
    // But for an all_reduce, which takes the longer of a ring and a tree, the
    // model is linear: what one second of latency adds, and what one second per
    // byte does.
    LinkSample sample;
    sample.messages =
        modelled(move, grid, {std::numeric_limits<double>::infinity(), 1});
    sample.bytes = modelled(move, grid, {1, 0});
    sample.seconds = move.seconds;
    samples.push_back(sample);
  }
  auto fitted = fitLink(samples);
  if (!fitted) {
    printError(llvm::toString(fitted.takeError()));
    return ExitEnvironment;
  }
  link = *fitted;
  return ExitDone;
}

//===----------------------------------------------------------------------===//
// The command
//===----------------------------------------------------------------------===//

static void show(const Machine &machine, int64_t devices,
                 llvm::StringRef backend, double seconds) {
  llvm::outs() << llvm::formatv("{0}: {1} {2} ranks, measured in {3:F1} s\n",
                                machine.name, devices, backend, seconds);
  auto line = [](llvm::StringRef what, double value, Unit unit) {
    llvm::outs() << llvm::formatv("  {0,-22}{1}\n", what,
                                  formatQuantity(value, unit));
  };
  line("operations, f32", machine.flopsOf(4), Unit::FlopsPerSecond);
  line("operations, f64", machine.flopsOf(8), Unit::FlopsPerSecond);
  line("memory", machine.memoryBandwidth, Unit::BytesPerSecond);
  line("starting a vertex", machine.vertexLatency, Unit::Seconds);
  if (devices == 1)
    return;
  line("link, bandwidth", machine.otherLink.bandwidth, Unit::BytesPerSecond);
  line("link, latency", machine.otherLink.latency, Unit::Seconds);
}

/// How well one link tells of all collectives.
static void showMoves(llvm::ArrayRef<Measure::Move> moves,
                      const DeviceGrid &grid, const Link &link) {
  llvm::outs() << llvm::formatv("  {0,-16}{1,12}{2,12}{3,12}\n", "collective",
                                "bytes", "measured", "fitted");
  for (const Measure::Move &move : moves)
    llvm::outs() << llvm::formatv(
        "  {0,-16}{1,12}{2,12}{3,12}\n",
        stringifyCollective(move.collective.kind),
        volume(Layout::replicated(move.from.shape()).box(grid, 0)) *
            elementBytes,
        formatQuantity(move.seconds, Unit::Seconds),
        formatQuantity(modelled(move, grid, link), Unit::Seconds));
}

/// The numbers of one device.
static ExitStatus measureDevice(Measure &measure, const Options &options,
                                int64_t devices, Machine &machine) {
  {
    Stage stage(options, "measuring operations");
    double f64Peak = 0;
    if (ExitStatus status =
            measurePeak(measure, devices, "f32", machine.flopsPerSecond))
      return status;
    if (ExitStatus status = measurePeak(measure, devices, "f64", f64Peak))
      return status;
    machine.otherPeaks.push_back({8, f64Peak});
  }
  {
    Stage stage(options, "measuring memory");
    if (ExitStatus status =
            measureMemory(measure, devices, machine.memoryBandwidth))
      return status;
  }
  Stage stage(options, "measuring vertices");
  return measureVertex(measure, devices, machine.vertexLatency);
}

ExitStatus tapestry::driver::calibrateMachine(const Options &given) {
  // Of several processes one speaks.
  Options options = given;
  options.quiet |= rt::launchedAs().rank != 0;
  options.verbose &= rt::launchedAs().rank == 0;
  auto start = std::chrono::steady_clock::now();
  int64_t devices = options.planning.devices;
  int64_t threads = std::max<int64_t>(options.planning.threads, 1);
  if (devices == 0)
    devices = std::clamp<int64_t>(
        llvm::hardware_concurrency().compute_thread_count() / threads, 1,
        rt::maxLocalRanks);
  if (options.backend == "local")
    if (ExitStatus status = checkLocalRanks(devices))
      return status;
  Measure measure(devices, threads, options.backend, options.collectives);
  Machine machine;
  machine.threads = threads;
  machine.name =
      (llvm::sys::getHostCPUName() + "x" + llvm::Twine(devices)).str();
  if (ExitStatus status = measureDevice(measure, options, devices, machine))
    return status;
  DeviceGrid grid;
  grid.axes.push_back({"d", devices});
  std::vector<Measure::Move> moves;
  // One device has no link; a machine file needs one.
  machine.otherLink = builtInMachines().front().otherLink;
  if (devices > 1) {
    Stage stage(options, "measuring collectives");
    if (ExitStatus status =
            measureLink(measure, grid, moves, machine.otherLink))
      return status;
  }
  if (!measure.isFirst())
    return ExitDone;

  show(machine, devices, options.backend,
       std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
           .count());
  if (options.verbose)
    showMoves(moves, grid, machine.otherLink);
  if (options.machineFile.empty())
    return ExitDone;
  return writeOutputFile(options.machineFile, [&](llvm::raw_ostream &os) {
    writeMachine(os, machine);
  });
}

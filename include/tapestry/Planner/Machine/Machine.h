//===- Machine.h - What devices and their links can do ----------*- C++ -*-===//
//
// The numbers behind the cost model `spmd`: how fast a device computes and
// reads its memory, and what a link along each grid axis costs. All in bytes,
// seconds and operations per second, of one device.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_PLANNER_MACHINE_MACHINE_H
#define TAPESTRY_PLANNER_MACHINE_MACHINE_H

#include "tapestry/Support/Layout.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace tapestry::machine {

/// An alpha-beta link: a message of n bytes takes latency + n / bandwidth.
struct Link {
  /// Bytes per second that one device sends, and at the same time receives.
  double bandwidth = 0;
  /// Seconds per message.
  double latency = 0;
};

struct Machine {
  std::string name;
  /// Scalar operations per second of one device on f32.
  double flopsPerSecond = 0;
  /// The same on elements of other widths, where they differ from what
  /// flopsOf() assumes.
  struct Peak {
    int64_t elementBytes = 0;
    double flopsPerSecond = 0;
  };
  std::vector<Peak> otherPeaks;
  /// Bytes per second between a device and its own memory.
  double memoryBandwidth = 0;
  /// Seconds that starting a vertex costs beyond its work.
  double vertexLatency = 0;
  /// Threads of a device, of which all these numbers are: operations are
  /// shared out among them, the bandwidth is that of all together.
  int64_t threads = 1;
  /// From so many bytes of a device's partial result on a product is computed
  /// in parts, one of which is combined while the next is computed; 0: never.
  int64_t cutProducts = 0;
  /// Bytes of one device's memory; 0: not known.
  int64_t memoryBytes = 0;
  /// Devices that the machine has; 0: any number.
  int64_t devices = 0;
  /// The axes that the machine itself has, outermost first: "node", "gpu". A
  /// grid given by count alone is laid over them.
  struct Axis {
    std::string name;
    int64_t size = 0;
    Link link;
  };
  std::vector<Axis> axes;
  /// For grid axes that `axes` does not name.
  Link otherLink;

  /// Operations per second on elements of this many bytes: as stated; else of
  /// f32, halved for every doubling of the width beyond it.
  double flopsOf(int64_t elementBytes) const;

  /// The machine where a device has so many threads: the more of them, the more
  /// operations per second, and the same bandwidths and latencies.
  Machine withThreads(int64_t count) const;

  /// The link along the axis of this name; a prime factor "gpu.1" of an axis
  /// has its axis' link.
  Link linkOf(llvm::StringRef axisName) const;
  /// The slowest of several axes: least bandwidth, largest latency. Of no axes:
  /// a link that costs nothing.
  Link slowestLink(const DeviceGrid &grid, llvm::ArrayRef<unsigned> axes) const;
};

/// The machines that are built in: "cpu" (this project's reference CPU, ranks
/// are threads or processes of one host), "h100x8" (one host of 8 H100 GPUs),
/// "h100x256" (32 such hosts).
llvm::ArrayRef<Machine> builtInMachines();

/// A built-in machine's name, or the path of a machine file (docs/Machines.md).
/// The error names the file, the key and what is wrong with it.
llvm::Expected<Machine> machineNamed(llvm::StringRef nameOrPath);

/// A grid as users write it: "node=2,gpu=8", with links
/// "node=2:bw=25GB/s:lat=5us,gpu=8:bw=450GB/s". Links that it states become
/// those of `machine` along these axes, and what one of bw and lat leaves open
/// stays as the machine has it; where `machine` is null they are refused. Axis
/// names hold no dots, sizes are at least 1. A machine's own axis is not longer
/// than the machine has it unless the grid states its link. The error names the
/// entry.
llvm::Expected<DeviceGrid> parseGrid(llvm::StringRef text, Machine *machine);

/// A number of devices laid over the axes of a machine, innermost first: of
/// every axis as many as divide what is left, so that 16 devices of hosts of 8
/// are node=2, gpu=8. Axes of one device are left out. A machine without axes:
/// one axis "d". The error says how many devices fit.
llvm::Expected<DeviceGrid> gridOn(const Machine &machine, int64_t devices);

} // namespace tapestry::machine

#endif // TAPESTRY_PLANNER_MACHINE_MACHINE_H

//===- Measure.h - Times what runs in this process --------------*- C++ -*-===//
//
// Runs small programs on the ranks of the runtime and tells how long they take:
// generated ones through the whole compiler, collectives through tables made
// here. What `tapestry calibrate` is made of.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_DRIVER_MEASURE_H
#define TAPESTRY_DRIVER_MEASURE_H

#include "tapestry/Driver/TemporaryFolder.h"
#include "tapestry/Support/Resharding.h"
#include <string>
#include <vector>

namespace tapestry::driver {

class Measure {
public:
  /// A device is a rank of `backend`, "local" or "mpi", of so many threads; for
  /// `collectives` see rt::RunOptions.
  Measure(int64_t devices, int64_t threads, llvm::StringRef backend,
          llvm::StringRef collectives);

  /// Seconds of one run of the program `text` on all devices, the least of
  /// `repeat` runs of the slowest device. All inputs are 0. The planner must
  /// find a plan without collectives: the time is that of the local work.
  ExitStatus programSeconds(llvm::StringRef text, int64_t repeat,
                            double &seconds);

  /// From one layout of a tensor of 4-byte elements to another, on `grid`.
  struct Move {
    Layout from, to;
    Collective collective;
    double seconds = 0;
  };
  /// Seconds of each collective when many of its kind follow each other: the
  /// least of some batches, by the slowest device.
  ExitStatus collectiveSeconds(const DeviceGrid &grid,
                               std::vector<Move> &moves);

  /// Whether this process has run device 0. Others keep quiet.
  bool isFirst() const { return first; }

private:
  int64_t devices, threads;
  std::string backend, collectives;
  bool first = false;
  int programs = 0;
  TemporaryFolder folder;
};

} // namespace tapestry::driver

#endif // TAPESTRY_DRIVER_MEASURE_H

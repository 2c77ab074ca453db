//===- Measure.h - Times programs and collectives in this process -*- C++
//-*-===//
//
// Runs small programs on the ranks of the runtime and tells how long they take:
// generated ones through the whole compiler, collectives through tables made
// here. What `tapestry calibrate` is made of.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_DRIVER_MEASURE_H
#define TAPESTRY_DRIVER_MEASURE_H

#include "tapestry/Driver/Status.h"
#include "tapestry/Support/Resharding.h"
#include "llvm/ADT/SmallString.h"

namespace tapestry::driver {

class Measure {
public:
  /// A device is a rank of `backend`, "local" or "mpi"; for `collectives` see
  /// rt::RunOptions.
  Measure(int64_t devices, llvm::StringRef backend,
          llvm::StringRef collectives);
  /// Removes the files made for the programs.
  ~Measure();
  Measure(const Measure &) = delete;
  Measure &operator=(const Measure &) = delete;

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
  ExitStatus makeFolder();

  int64_t devices;
  std::string backend, collectives;
  bool first = false;
  int programs = 0;
  llvm::SmallString<128> folder;
};

} // namespace tapestry::driver

#endif // TAPESTRY_DRIVER_MEASURE_H

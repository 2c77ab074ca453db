//===- Machine.h - The limits of this machine, measured ---------*- C++ -*-===//
//
// Figures of the kernel benchmark are given against these, measured in the
// same run next to each figure: clocks and neighbours vary.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_UTILS_BENCH_KERNELS_MACHINE_H
#define TAPESTRY_UTILS_BENCH_KERNELS_MACHINE_H

#include <cstdint>
#include <functional>

namespace bench {

/// Seconds that this thread has run: others on the machine do not count.
double now();

/// The median of `runs` timings of `fn`, in seconds; short ones are repeated
/// to fill about 10 ms each.
double medianSeconds(int runs, const std::function<void()> &fn);

/// Single-precision operations per second of one core, an FMA being two; with
/// `narrow` by vectors of 256 bits at most.
double peakFlops(bool narrow = false);

/// Bytes per second of one core copying a block that no cache holds, read and
/// write counted once each.
double copyBytes();

} // namespace bench

#endif // TAPESTRY_UTILS_BENCH_KERNELS_MACHINE_H

//===- Streaming.h - Which tensors never exist as a whole -------*- C++ -*-===//
//
// Code generation computes results of contractions block by block where it can,
// and plans count on that: both take these limits for when it does.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_SUPPORT_STREAMING_H
#define TAPESTRY_SUPPORT_STREAMING_H

#include <cstdint>

namespace tapestry {

/// What the result takes on a device at least: less stays in a cache anyway.
constexpr int64_t leastStreamedBytes = 1 << 20;

/// Points of an operation per point of the result at most. With more, memory is
/// not what bounds it.
constexpr int64_t mostStreamedPoints = 512;

} // namespace tapestry

#endif // TAPESTRY_SUPPORT_STREAMING_H

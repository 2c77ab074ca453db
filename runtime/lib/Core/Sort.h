//===- Sort.h - Rows in order -----------------------------------*- C++ -*-===//
//
// Stable sorts and selections of rows of numbers, of which NaN is the largest
// and -0.0 equals 0.0. Integers whose order is that of the elements are sorted
// by their digits, so that the time of a row grows with its length alone.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_RT_LIB_CORE_SORT_H
#define TAPESTRY_RT_LIB_CORE_SORT_H

#include "tapestry-rt/ABI.h"

namespace tapestry::rt {

/// What tapestry_rt_sort is asked for; see there.
struct SortRequest {
  int32_t mode;
  int64_t rows, stride, length, run, first, count, offset;
  const void *source;
  void *result;
  void *scratch;

  bool has(TapestrySortMode flag) const { return (mode & flag) != 0; }
};

void sortRows(TapestryDType type, const SortRequest &request);

} // namespace tapestry::rt

#endif // TAPESTRY_RT_LIB_CORE_SORT_H

//===- Repeats.h - Where a sequence repeats itself --------------*- C++ -*-===//

#ifndef TAPESTRY_SUPPORT_REPEATS_H
#define TAPESTRY_SUPPORT_REPEATS_H

#include "llvm/ADT/ArrayRef.h"
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tapestry {

/// `count` equal pieces of `period` elements, one after the other.
struct Repeat {
  size_t begin;
  size_t period;
  size_t count;

  size_t end() const { return begin + period * count; }
  bool operator==(const Repeat &other) const {
    return begin == other.begin && period == other.period &&
           count == other.count;
  }
};

/// Disjoint repeats of at least `least` elements in all, in order: from the
/// left, each begins as early as it can. Its period is that at which as much as
/// 16 elements from there occur again; every stretch is looked at once for each
/// such period.
std::vector<Repeat> findRepeats(llvm::ArrayRef<uint64_t> sequence,
                                size_t least);

} // namespace tapestry

#endif // TAPESTRY_SUPPORT_REPEATS_H

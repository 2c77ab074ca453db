//===- Repeats.cpp - Where a sequence repeats itself ----------------------===//

#include "tapestry/Support/Repeats.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/Hashing.h"
#include <algorithm>

using namespace tapestry;

/// For every position the next one where the same window starts; its own where
/// there is none.
static std::vector<size_t> nextEqualWindow(llvm::ArrayRef<uint64_t> sequence,
                                           size_t window) {
  std::vector<size_t> next(sequence.size());
  llvm::DenseMap<uint64_t, size_t> seen;
  for (size_t at = sequence.size(); at-- > 0;) {
    next[at] = at;
    if (at + window > sequence.size())
      continue;
    llvm::ArrayRef<uint64_t> here = sequence.slice(at, window);
    uint64_t hash = llvm::hash_combine_range(here);
    // Two keys are the map's own.
    auto [known, isNew] = seen.try_emplace(hash >> 1, at);
    if (!isNew && sequence.slice(known->second, window) == here)
      next[at] = known->second;
    known->second = at;
  }
  return next;
}

std::vector<Repeat> tapestry::findRepeats(llvm::ArrayRef<uint64_t> sequence,
                                          size_t least) {
  constexpr size_t window = 16;
  std::vector<size_t> next = nextEqualWindow(sequence, window);
  std::vector<Repeat> found;
  // Per period, how far the sequence is known to equal itself that much later.
  llvm::DenseMap<size_t, size_t> equalTo;
  for (size_t at = 0; at < sequence.size();) {
    size_t period = next[at] - at;
    if (period == 0) {
      ++at;
      continue;
    }
    size_t &end = equalTo[period];
    if (end <= at)
      for (end = at; end + period < sequence.size() &&
                     sequence[end] == sequence[end + period];)
        ++end;
    Repeat repeat{at, period, 1 + (end - at) / period};
    if (repeat.count < 2 || repeat.period * repeat.count < least) {
      ++at;
      continue;
    }
    found.push_back(repeat);
    at = repeat.end();
  }
  return found;
}

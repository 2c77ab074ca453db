//===- Box.cpp - Parts of tensors and copies between them -----------------===//

#include "Core/Box.h"
#include "tapestry-rt/Status.h"
#include <algorithm>
#include <cstring>

using namespace tapestry::rt;

int64_t tapestry::rt::volume(BoxRef box) {
  int64_t points = 1;
  for (int dim = 0; dim < box.rank; ++dim)
    points *= extent(box[dim]);
  return points;
}

bool tapestry::rt::overlap(BoxRef a, BoxRef b) {
  for (int dim = 0; dim < a.rank; ++dim)
    if (std::max(a[dim].lo, b[dim].lo) >= std::min(a[dim].hi, b[dim].hi))
      return false;
  return true;
}

Box tapestry::rt::intersect(BoxRef a, BoxRef b) {
  Box result(a.rank);
  for (int dim = 0; dim < a.rank; ++dim) {
    result[dim].lo = std::max(a[dim].lo, b[dim].lo);
    result[dim].hi = std::max(result[dim].lo, std::min(a[dim].hi, b[dim].hi));
  }
  return result;
}

bool tapestry::rt::contains(BoxRef outer, BoxRef inner) {
  if (isEmpty(inner))
    return true;
  for (int dim = 0; dim < inner.rank; ++dim)
    if (inner[dim].lo < outer[dim].lo || inner[dim].hi > outer[dim].hi)
      return false;
  return true;
}

bool tapestry::rt::samePoints(BoxRef a, BoxRef b) {
  if (isEmpty(a) || isEmpty(b))
    return isEmpty(a) && isEmpty(b);
  return contains(a, b) && contains(b, a);
}

std::string tapestry::rt::boxText(BoxRef box) {
  if (box.rank == 0)
    return "[]";
  std::string text;
  for (int dim = 0; dim < box.rank; ++dim)
    text += format("%s[%lld, %lld)", dim ? " x " : "",
                   static_cast<long long>(box[dim].lo),
                   static_cast<long long>(box[dim].hi));
  return text;
}

int64_t tapestry::rt::offsetIn(BoxRef holder, BoxRef piece) {
  int64_t offset = 0;
  for (int dim = 0; dim < holder.rank; ++dim)
    offset = offset * extent(holder[dim]) + (piece[dim].lo - holder[dim].lo);
  return offset;
}

bool tapestry::rt::isContiguousIn(BoxRef holder, BoxRef piece) {
  int dim = 0;
  // Leading dimensions of one point, one dimension of any size, then full ones.
  while (dim < piece.rank && extent(piece[dim]) == 1)
    ++dim;
  for (++dim; dim < piece.rank; ++dim)
    if (extent(piece[dim]) != extent(holder[dim]))
      return false;
  return true;
}

namespace {
/// One loop of a copy: so many steps, so many bytes apart on each side.
struct CopyLoop {
  int64_t steps;
  int64_t targetStride;
  int64_t sourceStride;
};
} // namespace

template <size_t bytes>
static void copySteps(char *target, const char *source, const CopyLoop &loop) {
  for (int64_t step = 0; step < loop.steps; ++step)
    std::memcpy(target + step * loop.targetStride,
                source + step * loop.sourceStride, bytes);
}

/// The innermost loop: `loop.steps` stretches of `bytes` bytes. Single elements
/// are common (a cut of the last dimension), and a call for each is slow.
static void copyStretches(char *target, const char *source,
                          const CopyLoop &loop, int64_t bytes) {
  switch (bytes) {
  case 1:
    return copySteps<1>(target, source, loop);
  case 2:
    return copySteps<2>(target, source, loop);
  case 4:
    return copySteps<4>(target, source, loop);
  case 8:
    return copySteps<8>(target, source, loop);
  case 16:
    return copySteps<16>(target, source, loop);
  }
  for (int64_t step = 0; step < loop.steps; ++step)
    std::memcpy(target + step * loop.targetStride,
                source + step * loop.sourceStride, bytes);
}

void tapestry::rt::copyPiece(void *target, BoxRef to, const void *source,
                             BoxRef from, BoxRef piece, int64_t elementSize) {
  if (isEmpty(piece))
    return;
  char *out = static_cast<char *>(target) + offsetIn(to, piece) * elementSize;
  const char *in =
      static_cast<const char *>(source) + offsetIn(from, piece) * elementSize;

  // From the inside out: widen the stretch while it fills both memories, then
  // make loops, merging those that continue each other on both sides.
  int64_t bytes = elementSize;
  std::vector<CopyLoop> loops;
  int64_t outStride = elementSize;
  int64_t inStride = elementSize;
  for (int dim = piece.rank - 1; dim >= 0; --dim) {
    int64_t steps = extent(piece[dim]);
    if (loops.empty() && outStride == bytes && inStride == bytes) {
      bytes *= steps;
    } else if (steps != 1) {
      if (!loops.empty() &&
          loops.back().targetStride * loops.back().steps == outStride &&
          loops.back().sourceStride * loops.back().steps == inStride)
        loops.back().steps *= steps;
      else
        loops.push_back({steps, outStride, inStride});
    }
    outStride *= extent(to[dim]);
    inStride *= extent(from[dim]);
  }
  if (loops.empty())
    loops.push_back({1, 0, 0});

  std::vector<int64_t> at(loops.size(), 0);
  while (true) {
    copyStretches(out, in, loops[0], bytes);
    size_t level = 1;
    for (; level < loops.size(); ++level) {
      out += loops[level].targetStride;
      in += loops[level].sourceStride;
      if (++at[level] < loops[level].steps)
        break;
      out -= loops[level].targetStride * at[level];
      in -= loops[level].sourceStride * at[level];
      at[level] = 0;
    }
    if (level >= loops.size())
      return;
  }
}

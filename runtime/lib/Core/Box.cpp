//===- Box.cpp - Parts of tensors and copies between them -----------------===//

#include "Core/Box.h"
#include "tapestry-rt/Status.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace tapestry::rt;

using Numbers = std::vector<int64_t>;

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
/// One dimension of a copy; strides in bytes.
struct Loop {
  int64_t steps, target, source;
};
} // namespace

/// The dimensions from the outermost to the innermost, those of one point left
/// out and those that go on where the next one ends merged with it.
static std::vector<Loop> loopsOf(const StridedCopy &copy) {
  std::vector<Loop> loops;
  for (size_t dim = 0; dim < copy.sizes.size(); ++dim) {
    Loop loop = {copy.sizes[dim], copy.targetStrides[dim] * copy.elementSize,
                 copy.sourceStrides[dim] * copy.elementSize};
    if (loop.steps == 1)
      continue;
    if (!loops.empty() && loops.back().target == loop.target * loop.steps &&
        loops.back().source == loop.source * loop.steps)
      loops.back() = {loops.back().steps * loop.steps, loop.target,
                      loop.source};
    else
      loops.push_back(loop);
  }
  return loops;
}

template <size_t bytes>
static void copyRow(char *target, const char *source, const Loop &loop) {
  for (int64_t step = 0; step < loop.steps; ++step)
    std::memcpy(target + step * loop.target, source + step * loop.source,
                bytes);
}

/// `loop.steps` stretches of `bytes` bytes. Single elements are common, and a
/// call for each is slow.
static void copyRow(char *target, const char *source, const Loop &loop,
                    int64_t bytes) {
  switch (bytes) {
  case 1:
    return copyRow<1>(target, source, loop);
  case 2:
    return copyRow<2>(target, source, loop);
  case 4:
    return copyRow<4>(target, source, loop);
  case 8:
    return copyRow<8>(target, source, loop);
  case 16:
    return copyRow<16>(target, source, loop);
  default:
    for (int64_t step = 0; step < loop.steps; ++step)
      std::memcpy(target + step * loop.target, source + step * loop.source,
                  bytes);
  }
}

/// Two dimensions, in squares that keep the cache lines of both sides in use
/// where they are contiguous in different ones.
static void copyPlane(char *target, const char *source, const Loop &outer,
                      const Loop &inner, int64_t bytes) {
  bool turns =
      outer.steps > 1 && std::abs(outer.source) < std::abs(inner.source);
  int64_t square = turns ? 32 : std::max(inner.steps, outer.steps);
  for (int64_t row0 = 0; row0 < outer.steps; row0 += square)
    for (int64_t column0 = 0; column0 < inner.steps; column0 += square) {
      int64_t rowEnd = std::min(row0 + square, outer.steps);
      Loop part = inner;
      part.steps = std::min(square, inner.steps - column0);
      for (int64_t row = row0; row < rowEnd; ++row)
        copyRow(target + row * outer.target + column0 * inner.target,
                source + row * outer.source + column0 * inner.source, part,
                bytes);
    }
}

void tapestry::rt::copyStrided(void *target, const void *source,
                               const StridedCopy &copy) {
  if (std::find(copy.sizes.begin(), copy.sizes.end(), 0) != copy.sizes.end())
    return;
  std::vector<Loop> loops = loopsOf(copy);
  // What is contiguous on both sides is one long element.
  int64_t bytes = copy.elementSize;
  if (!loops.empty() && loops.back().target == bytes &&
      loops.back().source == bytes) {
    bytes *= loops.back().steps;
    loops.pop_back();
  }
  // What the source is contiguous in comes next to what the target is.
  if (loops.size() > 2) {
    auto inner = std::min_element(
        loops.begin(), loops.end() - 1, [](const Loop &a, const Loop &b) {
          return std::abs(a.source) < std::abs(b.source);
        });
    if (std::abs(inner->source) < std::abs(loops.back().source))
      std::iter_swap(inner, loops.end() - 2);
  }
  while (loops.size() < 2)
    loops.insert(loops.begin(), {1, 0, 0});
  auto *out = static_cast<char *>(target);
  const auto *in = static_cast<const char *>(source);
  size_t planes = loops.size() - 2;
  Numbers at(planes, 0);
  while (true) {
    copyPlane(out, in, loops[planes], loops[planes + 1], bytes);
    size_t dim = planes;
    while (dim-- > 0) {
      out += loops[dim].target;
      in += loops[dim].source;
      if (++at[dim] < loops[dim].steps)
        break;
      out -= loops[dim].target * at[dim];
      in -= loops[dim].source * at[dim];
      at[dim] = 0;
    }
    if (dim == size_t(-1))
      return;
  }
}

/// The copy of `piece` from its first element on.
static StridedCopy copyOf(BoxRef to, BoxRef from, BoxRef piece,
                          int64_t elementSize) {
  size_t rank = piece.rank;
  StridedCopy copy = {Numbers(rank), Numbers(rank), Numbers(rank), elementSize};
  int64_t targetStride = 1;
  int64_t sourceStride = 1;
  for (size_t dim = rank; dim-- > 0;) {
    auto number = static_cast<int>(dim);
    copy.sizes[dim] = extent(piece[number]);
    copy.targetStrides[dim] = targetStride;
    copy.sourceStrides[dim] = sourceStride;
    targetStride *= extent(to[number]);
    sourceStride *= extent(from[number]);
  }
  return copy;
}

void tapestry::rt::copyPiece(void *target, BoxRef to, const void *source,
                             BoxRef from, BoxRef piece, int64_t elementSize) {
  if (!isEmpty(piece))
    copyStrided(static_cast<char *>(target) + offsetIn(to, piece) * elementSize,
                static_cast<const char *>(source) +
                    offsetIn(from, piece) * elementSize,
                copyOf(to, from, piece, elementSize));
}

std::vector<StretchCopy> tapestry::rt::stretchCopies(void *target, BoxRef to,
                                                     const void *source,
                                                     BoxRef from, BoxRef piece,
                                                     int64_t elementSize) {
  if (isEmpty(piece))
    return {};
  std::vector<Loop> loops = loopsOf(copyOf(to, from, piece, elementSize));
  int64_t bytes = elementSize;
  if (!loops.empty() && loops.back().target == bytes &&
      loops.back().source == bytes) {
    bytes *= loops.back().steps;
    loops.pop_back();
  }
  while (loops.size() < 2)
    loops.insert(loops.begin(), {1, 0, 0});
  const Loop row = loops.back(), plane = loops[loops.size() - 2];
  loops.resize(loops.size() - 2);
  std::vector<StretchCopy> copies = {
      {static_cast<char *>(target) + offsetIn(to, piece) * elementSize,
       static_cast<const char *>(source) + offsetIn(from, piece) * elementSize,
       bytes, row.steps, plane.steps, row.target, plane.target, row.source,
       plane.source}};
  // What lies further out are more of them.
  for (const Loop &loop : loops) {
    std::vector<StretchCopy> before;
    before.swap(copies);
    for (const StretchCopy &copy : before)
      for (int64_t step = 0; step < loop.steps; ++step) {
        copies.push_back(copy);
        StretchCopy &next = copies.back();
        next.target = static_cast<char *>(copy.target) + step * loop.target;
        next.source =
            static_cast<const char *>(copy.source) + step * loop.source;
      }
  }
  return copies;
}

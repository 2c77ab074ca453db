//===- ZSpace.cpp - Ranges and boxes of integer points --------------------===//

#include "tapestry/Support/ZSpace.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cassert>

using namespace tapestry;

ZRange tapestry::intersect(const ZRange &a, const ZRange &b) {
  return {std::max(a.lo, b.lo), std::min(a.hi, b.hi)};
}

ZBox tapestry::boxOfShape(llvm::ArrayRef<int64_t> shape) {
  ZBox box;
  for (int64_t extent : shape)
    box.push_back({0, extent});
  return box;
}

int64_t tapestry::volume(llvm::ArrayRef<ZRange> box) {
  int64_t points = 1;
  for (const ZRange &range : box)
    points *= range.size();
  return points;
}

bool tapestry::isEmpty(llvm::ArrayRef<ZRange> box) {
  return llvm::any_of(box, [](const ZRange &r) { return r.empty(); });
}

bool tapestry::contains(llvm::ArrayRef<ZRange> outer,
                        llvm::ArrayRef<ZRange> inner) {
  assert(outer.size() == inner.size() && "boxes of different rank");
  if (isEmpty(inner))
    return true;
  return llvm::all_of(llvm::zip_equal(outer, inner), [](auto pair) {
    return std::get<0>(pair).contains(std::get<1>(pair));
  });
}

ZBox tapestry::intersect(llvm::ArrayRef<ZRange> a, llvm::ArrayRef<ZRange> b) {
  ZBox result;
  for (auto [x, y] : llvm::zip_equal(a, b))
    result.push_back(intersect(x, y));
  return result;
}

llvm::SmallVector<int64_t> tapestry::shapeOf(llvm::ArrayRef<ZRange> box) {
  llvm::SmallVector<int64_t> shape;
  for (const ZRange &range : box)
    shape.push_back(range.size());
  return shape;
}

/// Finds a fault within `space` by recursion over dimensions: the first
/// dimension is split at every boundary of a box, and between two boundaries
/// the same boxes hold, so one slice stands for all.
static std::optional<CoverageFault>
findFault(llvm::ArrayRef<ZRange> space, llvm::ArrayRef<const ZBox *> boxes,
          llvm::SmallVectorImpl<int64_t> &prefix) {
  unsigned dim = prefix.size();
  if (dim == space.size()) {
    if (boxes.size() == 1)
      return std::nullopt;
    return CoverageFault{
        llvm::SmallVector<int64_t>(prefix.begin(), prefix.end()),
        static_cast<int64_t>(boxes.size())};
  }
  llvm::SmallVector<int64_t> starts = {space[dim].lo};
  for (const ZBox *box : boxes)
    for (int64_t bound : {(*box)[dim].lo, (*box)[dim].hi})
      if (bound > space[dim].lo && bound < space[dim].hi)
        starts.push_back(bound);
  llvm::sort(starts);
  starts.erase(llvm::unique(starts), starts.end());

  // Boxes come and go in order, so that each start looks at those alone that
  // are there.
  llvm::SmallVector<const ZBox *> byStart(boxes), held;
  llvm::sort(byStart, [&](const ZBox *a, const ZBox *b) {
    return (*a)[dim].lo < (*b)[dim].lo;
  });
  auto *next = byStart.begin();
  for (int64_t start : starts) {
    llvm::erase_if(held,
                   [&](const ZBox *box) { return (*box)[dim].hi <= start; });
    while (next != byStart.end() && (**next)[dim].lo <= start)
      held.push_back(*next++);
    prefix.push_back(start);
    if (auto fault = findFault(space, held, prefix))
      return fault;
    prefix.pop_back();
  }
  return std::nullopt;
}

std::optional<CoverageFault>
tapestry::findCoverageFault(llvm::ArrayRef<ZRange> space,
                            llvm::ArrayRef<ZBox> boxes) {
  llvm::SmallVector<const ZBox *> held;
  for (const ZBox &box : boxes) {
    if (isEmpty(box))
      continue;
    if (!contains(space, box)) {
      // A corner of the box lies outside: say which.
      CoverageFault fault;
      for (auto [range, bound] : llvm::zip_equal(box, space))
        fault.point.push_back(range.lo < bound.lo ? range.lo : range.hi - 1);
      fault.times = 1;
      return fault;
    }
    held.push_back(&box);
  }
  if (isEmpty(space))
    return std::nullopt;
  llvm::SmallVector<int64_t> prefix;
  return findFault(space, held, prefix);
}

void tapestry::printBox(llvm::raw_ostream &os, llvm::ArrayRef<ZRange> box) {
  if (box.empty()) {
    os << "[]";
    return;
  }
  llvm::interleave(
      box, os,
      [&](const ZRange &r) { os << "[" << r.lo << ", " << r.hi << ")"; },
      " x ");
}

std::string tapestry::boxToString(llvm::ArrayRef<ZRange> box) {
  std::string text;
  llvm::raw_string_ostream os(text);
  printBox(os, box);
  return text;
}

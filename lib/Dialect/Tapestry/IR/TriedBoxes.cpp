//===- TriedBoxes.cpp - Where signatures are tried ------------------------===//

#include "TriedBoxes.h"
#include "tapestry/Support/ZTensor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include <algorithm>

using namespace tapestry;
using namespace tapestry::teg;

/// More corners than these are not all tried.
static constexpr unsigned mostCornerLabels = 4;

bool TriedBoxes::isOneBox() const {
  return llvm::none_of(llvm::seq<unsigned>(0, range.size()),
                       [&](unsigned label) { return isWide(label); });
}

ZBox TriedBoxes::anywhere() {
  ZBox box;
  for (auto [all, isCut] : llvm::zip_equal(range, cut)) {
    int64_t size = isCut ? 1 + below(ceilDiv(all.size(), 3)) : all.size();
    int64_t lo = all.lo + below(all.size() - size + 1);
    box.push_back({lo, lo + size});
  }
  return box;
}

ZRange TriedBoxes::atEnd(unsigned label, bool isLast, bool isPoint) {
  const ZRange &all = range[label];
  if (!isWide(label))
    return all;
  int64_t size = isPoint ? 1 : 1 + below(ceilDiv(all.size(), 3));
  return isLast ? ZRange{all.hi - size, all.hi} : ZRange{all.lo, all.lo + size};
}

std::vector<ZBox> TriedBoxes::corners() {
  llvm::SmallVector<unsigned> wide;
  for (unsigned label = 0; label < range.size(); ++label)
    if (isWide(label))
      wide.push_back(label);
  if (wide.empty())
    return {};
  // Per corner the ends of the wide labels.
  std::vector<uint64_t> corners;
  if (wide.size() <= mostCornerLabels)
    for (uint64_t ends = 0; ends < uint64_t(1) << wide.size(); ++ends)
      corners.push_back(ends);
  else
    for (unsigned number = 0; number < wide.size(); ++number)
      for (uint64_t last : {0, 1}) {
        uint64_t own = uint64_t(1) << (number % 64);
        corners.push_back((random() & ~own) | (last ? own : 0));
      }
  std::vector<ZBox> boxes;
  for (uint64_t ends : corners)
    for (bool isPoint : {true, false}) {
      ZBox box(range);
      for (auto [number, label] : llvm::enumerate(wide))
        box[label] = atEnd(label, ends >> (number % 64) & 1, isPoint);
      boxes.push_back(std::move(box));
    }
  return boxes;
}

bool TriedBoxes::hasMorePointsThan(int64_t most) const {
  double count = 1;
  for (unsigned label = 0; label < range.size(); ++label)
    if (isWide(label))
      count *= static_cast<double>(range[label].size());
  return count > static_cast<double>(most);
}

std::vector<ZBox> TriedBoxes::points(int64_t most) {
  std::vector<ZBox> boxes;
  // Labels that are not cut have one place.
  auto boxAt = [&](llvm::ArrayRef<int64_t> place) {
    ZBox box(range);
    for (auto [label, at] : llvm::enumerate(place))
      if (isWide(label))
        box[label] = {at, at + 1};
    return box;
  };
  if (hasMorePointsThan(most)) {
    for (int64_t point = 0; point < most; ++point)
      boxes.push_back(boxAt(llvm::map_to_vector(range, [&](const ZRange &all) {
        return all.lo + below(all.size());
      })));
    return boxes;
  }
  ZBox places(range);
  for (unsigned label = 0; label < range.size(); ++label)
    if (!isWide(label))
      places[label].hi = places[label].lo + 1;
  forEachPoint(places, [&](llvm::ArrayRef<int64_t> place) {
    boxes.push_back(boxAt(place));
  });
  return boxes;
}

std::vector<ZBox> TriedBoxes::slabs(int64_t parts) {
  std::vector<ZBox> boxes;
  for (unsigned label = 0; label < range.size(); ++label) {
    if (!isWide(label))
      continue;
    const ZRange &all = range[label];
    llvm::SmallVector<int64_t> borders = {all.lo, all.hi};
    for (int64_t part = 1; part < parts; ++part)
      borders.push_back(all.lo + 1 + below(all.size() - 1));
    llvm::sort(borders);
    borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
    for (size_t part = 1; part < borders.size(); ++part) {
      ZBox box(range);
      box[label] = {borders[part - 1], borders[part]};
      boxes.push_back(std::move(box));
    }
  }
  return boxes;
}

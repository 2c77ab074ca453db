//===- MoveMeter.cpp - Measures many moves on one grid --------------------===//

#include "tapestry/Planner/Layout/MoveMeter.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/bit.h"
#include <algorithm>

using namespace tapestry;

MoveMeter::MoveMeter(const DeviceGrid &grid)
    : grid(grid), devices(grid.numDevices()) {}

MoveMeter::Dims MoveMeter::dimsOf(const Layout &layout) {
  Dims result;
  for (const LayoutDim &dim : layout.dims) {
    llvm::SmallString<128> key;
    auto append = [&](int64_t number) {
      key.append(llvm::StringRef(reinterpret_cast<const char *>(&number),
                                 sizeof(number)));
    };
    append(dim.extent);
    append(dim.constant);
    append(dim.span);
    for (const LayoutTerm &term : dim.terms) {
      append(term.coefficient);
      append(term.extent);
      append(term.cut.size());
      for (unsigned axis : term.cut)
        append(axis);
    }
    auto [it, isNew] = numbers.try_emplace(key, dims.size());
    if (isNew) {
      auto entry = std::make_unique<Dim>();
      entry->dim = dim;
      for (int64_t device = 0; device < devices; ++device)
        entry->ranges.push_back(dim.range(grid, device));
      dims.push_back(std::move(entry));
    }
    result.push_back(it->second);
  }
  return result;
}

const MoveMeter::Pair &MoveMeter::pairOf(uint32_t from, uint32_t to) {
  std::unique_ptr<Pair> &known = pairs[uint64_t(from) << 32 | to];
  if (known)
    return *known;
  known = std::make_unique<Pair>();
  const Dim &source = *dims[from];
  const Dim &target = *dims[to];
  llvm::ArrayRef<unsigned> cut = source.dim.cut();
  int64_t block = ceilDiv(source.dim.extent, partsOf(grid, cut));
  for (int64_t device = 0; device < devices; ++device) {
    ZRange wanted = target.ranges[device];
    known->shared.push_back(intersect(source.ranges[device], wanted).size());
    known->isSame = known->isSame && source.ranges[device] == wanted;
    uint64_t moved = 0;
    if (!wanted.empty()) {
      // The parts that hold what is wanted, and each axis' digit in them: where
      // it changes between them some part's digit is not the device's.
      int64_t first = wanted.lo / block, last = (wanted.hi - 1) / block;
      int64_t stride = 1;
      for (unsigned axis : llvm::reverse(cut)) {
        int64_t size = grid.axes[axis].size;
        if (size > 1 &&
            (first / stride != last / stride ||
             first / stride % size != grid.coordinate(device, axis)))
          moved |= uint64_t(1) << axis;
        stride *= size;
      }
    }
    known->moved.push_back(moved);
  }
  return *known;
}

int64_t MoveMeter::largestPart(llvm::ArrayRef<uint32_t> layout) const {
  int64_t largest = 0;
  for (int64_t device = 0; device < devices; ++device) {
    int64_t elements = 1;
    for (uint32_t dim : layout)
      elements *= dims[dim]->ranges[device].size();
    largest = std::max(largest, elements);
  }
  return largest;
}

Collective MoveMeter::measure(llvm::ArrayRef<uint32_t> from,
                              llvm::ArrayRef<uint32_t> to) {
  Collective result;
  if (from == to)
    return result;
  llvm::SmallVector<const Pair *, 4> entries;
  bool sameBoxes = true;
  for (auto [source, target] : llvm::zip_equal(from, to)) {
    entries.push_back(&pairOf(source, target));
    sameBoxes = sameBoxes && entries.back()->isSame;
  }
  if (sameBoxes)
    return result;
  uint64_t axes = 0;
  int64_t mostCopied = 0;
  for (int64_t device = 0; device < devices; ++device) {
    int64_t wanted = 1, shared = 1;
    uint64_t moved = 0;
    for (unsigned d = 0; d < entries.size(); ++d) {
      wanted *= dims[to[d]]->ranges[device].size();
      shared *= entries[d]->shared[device];
      moved |= entries[d]->moved[device];
    }
    if (wanted > 0)
      axes |= moved;
    result.elements += wanted - shared;
    result.mostReceived = std::max(result.mostReceived, wanted - shared);
    mostCopied = std::max(mostCopied, wanted);
  }
  if (result.elements == 0) {
    result.kind = CollectiveKind::Slice;
    result.mostReceived = mostCopied;
    return result;
  }
  for (; axes; axes &= axes - 1)
    result.axes.push_back(llvm::countr_zero(axes));
  result.groupSize = partsOf(grid, result.axes);
  result.kind = CollectiveKind::AllToAll;
  return result;
}

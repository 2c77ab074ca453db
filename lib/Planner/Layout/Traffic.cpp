//===- Traffic.cpp - Prices of many layouts on one grid -------------------===//

#include "tapestry/Planner/Layout/Traffic.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"

using namespace tapestry;

Traffic::Traffic(const DeviceGrid &grid)
    : grid(grid), devices(grid.numDevices()) {}

/// Appends numbers as raw bytes: keys are compared, never read.
template <typename... Numbers>
static void append(llvm::SmallVectorImpl<char> &key, Numbers... numbers) {
  for (int64_t number : {static_cast<int64_t>(numbers)...}) {
    const char *bytes = reinterpret_cast<const char *>(&number);
    key.append(bytes, bytes + sizeof(number));
  }
}

static void append(llvm::SmallVectorImpl<char> &key, const LayoutDim &dim) {
  append(key, dim.extent, dim.constant, dim.span, dim.terms.size());
  for (const LayoutTerm &term : dim.terms) {
    append(key, term.coefficient, term.extent, term.cut.size());
    for (unsigned axis : term.cut)
      append(key, axis);
  }
}

const Traffic::Ranges *Traffic::rangesOf(const LayoutDim &dim) {
  llvm::SmallString<128> key;
  append(key, dim);
  std::unique_ptr<Ranges> &shared = ranges[key];
  if (!shared) {
    shared = std::make_unique<Ranges>();
    shared->reserve(devices);
    for (int64_t device = 0; device < devices; ++device)
      shared->push_back(dim.range(grid, device));
  }
  return shared.get();
}

int64_t Traffic::sharedElements(const Record &a, const Record &b) const {
  int64_t total = 0;
  for (int64_t device = 0; device < devices; ++device) {
    int64_t elements = 1;
    for (auto [x, y] : llvm::zip_equal(a.dims, b.dims))
      elements *= intersect((*x)[device], (*y)[device]).size();
    total += elements;
  }
  return total;
}

Traffic::Id Traffic::idOf(const Layout &layout) {
  llvm::SmallString<256> key;
  append(key, layout.dims.size());
  for (const LayoutDim &dim : layout.dims)
    append(key, dim);
  for (unsigned axis : layout.partial)
    append(key, axis);
  auto [it, isNew] = ids.try_emplace(key, records.size());
  Id id = it->second;
  if (!isNew)
    return id;
  records.push_back(std::make_unique<Record>());
  Record &record = *records.back();
  record.layout = layout;
  for (const LayoutDim &dim : layout.dims)
    record.dims.push_back(rangesOf(dim));
  record.held = sharedElements(record, record);
  record.group = partsOf(grid, layout.partial);
  record.whole = id;
  if (!layout.partial.empty()) {
    Layout whole = layout;
    whole.partial.clear();
    record.whole = idOf(whole);
  }
  return id;
}

int64_t Traffic::leastElements(Id result) const {
  const Record &record = *records[result];
  return (record.group - 1) * (record.held / record.group);
}

int64_t Traffic::elementsMoved(Id from, Id to) {
  if (from == to)
    return 0;
  const Record &source = *records[from];
  if (!source.layout.partial.empty())
    return (to == source.whole ? 2 : 1) * leastElements(from);
  auto [it, isNew] = moved.try_emplace({from, to}, 0);
  if (isNew)
    it->second = records[to]->held - sharedElements(source, *records[to]);
  return it->second;
}

bool Traffic::canScatter(Id from, Id to) {
  auto [it, isNew] = scatters.try_emplace({from, to}, false);
  if (!isNew)
    return it->second;
  const Record &source = *records[from];
  const Record &target = *records[to];
  // What a group holds is to be held once: a cheap test before the exact one.
  if (source.group > 1 && target.held * source.group == source.held &&
      sharedElements(source, target) == target.held)
    it->second = canReduceScatter(grid, source.layout, target.layout);
  return it->second;
}

int64_t Traffic::bytesHome(Id result, Id home, ElementBytes size) {
  const Record &made = *records[result];
  if (made.layout.partial.empty())
    return elementsMoved(result, home) * size.whole;
  if (home == made.whole || canScatter(result, home))
    return elementsMoved(result, home) * size.partial;
  return elementsMoved(result, made.whole) * size.partial +
         elementsMoved(made.whole, home) * size.whole;
}

Traffic::Home Traffic::priceOf(Id result, Id home, llvm::ArrayRef<Id> targets,
                               ElementBytes size) {
  Home price = {home, bytesHome(result, home, size)};
  for (Id target : targets)
    price.bytes += elementsMoved(home, target) * size.whole;
  return price;
}

Traffic::Home Traffic::bestHome(Id result, llvm::ArrayRef<Id> targets,
                                ElementBytes size, bool inPlace) {
  Home best = priceOf(result, records[result]->whole, targets, size);
  // A single reader of whole values fetches at the same price itself.
  if (inPlace ||
      (records[result]->layout.partial.empty() && targets.size() < 2))
    return best;
  for (unsigned t = 0; t < targets.size() && best.bytes > 0; ++t) {
    if (llvm::is_contained(targets.take_front(t), targets[t]) ||
        !records[targets[t]]->layout.isPlain())
      continue;
    Home home = priceOf(result, targets[t], targets, size);
    if (home.bytes < best.bytes)
      best = home;
  }
  return best;
}

//===- ReshardingTable.cpp - Prices between all layouts of a tensor -------===//

#include "ReshardingTable.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace tapestry;
using namespace tapestry::cost::seconds;
using namespace tapestry::machine;

ReshardingTable::ReshardingTable(const DeviceGrid &grid, const Machine &machine,
                                 ReshardingCostCache &costs,
                                 std::vector<Layout> layouts,
                                 int64_t elementBytes)
    : grid(grid), machine(machine), costs(costs), elementBytes(elementBytes),
      all(std::move(layouts)) {
  size_t n = all.size();
  for (const Layout &layout : all) {
    ids.push_back(costs.idOf(layout));
    numbers[ids.back()] = ids.size() - 1;
  }
  prices.resize(n * n);
  before.resize(n * n);
  for (size_t from = 0; from < n; ++from)
    for (size_t to = 0; to < n; ++to) {
      prices[from * n + to] = direct(ids[from], ids[to]);
      before[from * n + to] = from;
    }
  // A way over others must be cheaper by more than rounding.
  for (size_t over = 0; over < n; ++over)
    for (size_t from = 0; from < n; ++from) {
      double first = prices[from * n + over];
      const double *next = &prices[over * n];
      double *best = &prices[from * n];
      for (size_t to = 0; to < n; ++to)
        if (first + next[to] < best[to] * (1 - 1e-9)) {
          best[to] = first + next[to];
          before[from * n + to] = before[over * n + to];
        }
    }
}

double ReshardingTable::direct(LayoutId from, LayoutId to) {
  if (from == to)
    return 0;
  return collectiveSeconds(costs.measure(from, to), grid, machine,
                           elementBytes);
}

std::optional<unsigned> ReshardingTable::find(LayoutId layout) const {
  auto it = numbers.find(layout);
  if (it == numbers.end())
    return std::nullopt;
  return it->second;
}

void ReshardingTable::appendRoute(unsigned from, unsigned to,
                                  Route &route) const {
  size_t start = route.size();
  for (unsigned stop = before[size_t(from) * all.size() + to]; stop != from;
       stop = before[size_t(from) * all.size() + stop])
    route.push_back(all[stop]);
  std::reverse(route.begin() + start, route.end());
}

std::vector<ReshardingTable::Read> ReshardingTable::readsAs(LayoutId target) {
  std::vector<Read> reads(all.size());
  if (std::optional<unsigned> plain = find(target)) {
    for (unsigned from = 0; from < all.size(); ++from)
      reads[from] = {seconds(from, *plain), *plain};
    return reads;
  }
  std::vector<double> last(all.size());
  for (unsigned stop = 0; stop < all.size(); ++stop)
    last[stop] = direct(ids[stop], target);
  for (unsigned from = 0; from < all.size(); ++from) {
    reads[from] = {last[from], from};
    for (unsigned stop = 0; stop < all.size(); ++stop) {
      double price = seconds(from, stop) + last[stop];
      if (price < reads[from].seconds * (1 - 1e-9))
        reads[from] = {price, stop};
    }
  }
  return reads;
}

//===- HomePrice.cpp - What a tensor's home sends -------------------------===//

#include "tapestry/Planner/Layout/HomePrice.h"
#include "llvm/ADT/STLExtras.h"

using namespace tapestry;
using namespace tapestry::layout;

int64_t layout::bytesHome(ReshardingCostCache &costs, LayoutId result,
                          LayoutId home, ElementBytes size) {
  LayoutId whole = costs.wholeOf(result);
  if (whole == result)
    return costs.elementsMoved(result, home) * size.whole;
  if (home == whole || costs.canScatter(result, home))
    return costs.elementsMoved(result, home) * size.partial;
  return costs.elementsMoved(result, whole) * size.partial +
         costs.elementsMoved(whole, home) * size.whole;
}

HomePrice layout::priceOfHome(ReshardingCostCache &costs, LayoutId result,
                              LayoutId home, llvm::ArrayRef<LayoutId> targets,
                              ElementBytes size) {
  HomePrice price = {home, bytesHome(costs, result, home, size)};
  for (LayoutId target : targets)
    price.bytes += costs.elementsMoved(home, target) * size.whole;
  return price;
}

HomePrice layout::bestHome(ReshardingCostCache &costs, LayoutId result,
                           llvm::ArrayRef<LayoutId> targets, ElementBytes size,
                           bool inPlace) {
  LayoutId whole = costs.wholeOf(result);
  HomePrice best = priceOfHome(costs, result, whole, targets, size);
  // A single reader of whole values fetches at the same price itself.
  if (inPlace || (whole == result && targets.size() < 2))
    return best;
  for (unsigned t = 0; t < targets.size() && best.bytes > 0; ++t) {
    if (llvm::is_contained(targets.take_front(t), targets[t]) ||
        !costs.isPlain(targets[t]))
      continue;
    HomePrice home = priceOfHome(costs, result, targets[t], targets, size);
    if (home.bytes < best.bytes)
      best = home;
  }
  return best;
}

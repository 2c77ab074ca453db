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
                              LayoutId home, llvm::ArrayRef<HomeTarget> targets,
                              ElementBytes size) {
  HomePrice price = {home, bytesHome(costs, result, home, size)};
  for (const HomeTarget &target : targets)
    price.bytes +=
        costs.elementsMoved(home, target.layout) * size.whole * target.readers;
  return price;
}

HomePrice layout::bestHome(ReshardingCostCache &costs, LayoutId result,
                           llvm::ArrayRef<HomeTarget> targets,
                           ElementBytes size, bool inPlace) {
  LayoutId whole = costs.wholeOf(result);
  HomePrice best = priceOfHome(costs, result, whole, targets, size);
  // A single reader of whole values fetches at the same price itself.
  bool isShared =
      targets.size() > 1 || (targets.size() == 1 && targets[0].readers > 1);
  if (inPlace || (whole == result && !isShared))
    return best;
  for (const HomeTarget &target : targets) {
    if (best.bytes == 0)
      break;
    if (!costs.isPlain(target.layout))
      continue;
    HomePrice home = priceOfHome(costs, result, target.layout, targets, size);
    if (home.bytes < best.bytes)
      best = home;
  }
  return best;
}

void layout::addReader(llvm::SmallVectorImpl<HomeTarget> &targets,
                       LayoutId layout) {
  auto *known = llvm::find_if(targets, [&](const HomeTarget &target) {
    return target.layout == layout;
  });
  if (known == targets.end())
    targets.push_back({layout, 1});
  else
    ++known->readers;
}

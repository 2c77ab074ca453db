//===- HomePrice.h - What a tensor's home sends -----------------*- C++ -*-===//

#ifndef TAPESTRY_PLANNER_LAYOUT_HOMEPRICE_H
#define TAPESTRY_PLANNER_LAYOUT_HOMEPRICE_H

#include "tapestry/Support/ReshardingCostCache.h"

namespace tapestry::layout {

/// Bytes per element before and after partial values are combined.
struct ElementBytes {
  int64_t partial = 1;
  int64_t whole = 1;
};

/// A layout that readers fetch.
struct HomeTarget {
  LayoutId layout = 0;
  int64_t readers = 1;
};

struct HomePrice {
  LayoutId layout = 0;
  /// What combining partial values and serving every target sends.
  int64_t bytes = 0;
};

/// What bringing a result home sends: partial values by a reduce_scatter where
/// that leads there, else by an all_reduce and then as whole ones.
int64_t bytesHome(ReshardingCostCache &costs, LayoutId result, LayoutId home,
                  ElementBytes size);

/// Bringing a result home and serving every reader from there.
HomePrice priceOfHome(ReshardingCostCache &costs, LayoutId result,
                      LayoutId home, llvm::ArrayRef<HomeTarget> targets,
                      ElementBytes size);

/// The cheapest home for a result of which every reader fetches one of
/// `targets`: where the result itself lies, combined, or one of the targets
/// that are plain and not `inPlace`, the first of equals.
HomePrice bestHome(ReshardingCostCache &costs, LayoutId result,
                   llvm::ArrayRef<HomeTarget> targets, ElementBytes size,
                   bool inPlace = false);

/// Counts one more reader of a layout; targets are in the order of their first.
void addReader(llvm::SmallVectorImpl<HomeTarget> &targets, LayoutId layout);

} // namespace tapestry::layout

#endif // TAPESTRY_PLANNER_LAYOUT_HOMEPRICE_H

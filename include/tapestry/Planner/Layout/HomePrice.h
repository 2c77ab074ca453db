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
                      LayoutId home, llvm::ArrayRef<LayoutId> targets,
                      ElementBytes size);

/// The cheapest home for a result of which every reader fetches one of
/// `targets`, an entry per reader: where the result itself lies, combined, or
/// one of the targets that are plain and not `inPlace`.
HomePrice bestHome(ReshardingCostCache &costs, LayoutId result,
                   llvm::ArrayRef<LayoutId> targets, ElementBytes size,
                   bool inPlace = false);

} // namespace tapestry::layout

#endif // TAPESTRY_PLANNER_LAYOUT_HOMEPRICE_H

//===- AxisEnumerator.h - All axes that labels may be cut over --*- C++ -*-===//

#ifndef TAPESTRY_PLANNER_MODEL_AXISENUMERATOR_H
#define TAPESTRY_PLANNER_MODEL_AXISENUMERATOR_H

#include "tapestry/Support/Layout.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tapestry::model {

/// Enumerates the ways to give every label of one vertex an ordered list of
/// distinct axes whose sizes multiply to its parts, in lexicographic order.
class AxisEnumerator {
public:
  AxisEnumerator(const DeviceGrid &grid, llvm::ArrayRef<int64_t> parts)
      : grid(grid), parts(parts) {}

  /// Calls `visit` for every assignment in which the labels that `fixed` names
  /// (empty, or one entry per label) have those cuts, until it returns false.
  void forEach(llvm::ArrayRef<std::optional<Cut>> fixed,
               llvm::function_ref<bool(const Partition &)> visit);

private:
  bool extendLabel(unsigned label);
  bool extendCut(unsigned label, int64_t left);

  const DeviceGrid &grid;
  llvm::ArrayRef<int64_t> parts;
  llvm::ArrayRef<std::optional<Cut>> fixed;
  llvm::function_ref<bool(const Partition &)> visit;
  Partition current;
  llvm::SmallVector<bool, 16> used;
};

} // namespace tapestry::model

#endif // TAPESTRY_PLANNER_MODEL_AXISENUMERATOR_H

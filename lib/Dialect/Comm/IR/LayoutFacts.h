//===- LayoutFacts.h - What follows from layouts, found out once -*- C++
//-*-===//
//
// Verifiers run after every pass and ask the same of the same layouts, and an
// answer takes time in the number of devices. Layouts are unique in a context,
// so the dialect keeps the answers there.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_DIALECT_COMM_IR_LAYOUTFACTS_H
#define TAPESTRY_LIB_DIALECT_COMM_IR_LAYOUTFACTS_H

#include "tapestry/Dialect/Comm/IR/Comm.h"
#include <shared_mutex>

namespace tapestry::comm::detail {

/// How the boxes of two layouts of one grid and shape lie, device by device.
struct BoxRelation {
  /// All are the same.
  bool isSame = true;
  /// The first device whose box of the one does not contain that of the other.
  std::optional<int64_t> outside;
};

/// May be asked by several threads.
class LayoutFacts {
public:
  /// Those of the context's comm dialect, which has to be loaded.
  static LayoutFacts &of(index::LayoutAttr layout);

  Collective plan(index::LayoutAttr from, index::LayoutAttr to);
  bool canReduceScatter(index::LayoutAttr from, index::LayoutAttr to);
  BoxRelation compareBoxes(index::LayoutAttr from, index::LayoutAttr to);
  llvm::SmallVector<Layout, 2> rims(index::LayoutAttr from,
                                    index::LayoutAttr to);
  llvm::SmallVector<int64_t> partShape(index::LayoutAttr layout);

private:
  using Pair = std::pair<mlir::Attribute, mlir::Attribute>;

  std::shared_mutex mutex;
  llvm::DenseMap<Pair, Collective> plans;
  llvm::DenseMap<Pair, bool> scatters;
  llvm::DenseMap<Pair, BoxRelation> relations;
  llvm::DenseMap<Pair, llvm::SmallVector<Layout, 2>> knownRims;
  llvm::DenseMap<mlir::Attribute, llvm::SmallVector<int64_t>> shapes;
};

} // namespace tapestry::comm::detail

#endif // TAPESTRY_LIB_DIALECT_COMM_IR_LAYOUTFACTS_H

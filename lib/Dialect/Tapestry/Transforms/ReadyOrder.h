//===- ReadyOrder.h - What waits for what is behind it ----------*- C++ -*-===//
//
// Operations of a block that wait for others of which they read something; each
// is looked at again when the one leaves that it waits for, so that all take a
// time that grows as they do.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_READYORDER_H
#define TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_READYORDER_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include <functional>
#include <map>

namespace tapestry::teg {

class ReadyOrder {
public:
  using IsWaiting = llvm::function_ref<bool(mlir::Operation *)>;
  /// The first operation that an operation reads something of and that waits;
  /// null where there is none.
  using FindWaiting =
      std::function<mlir::Operation *(mlir::Operation *, IsWaiting)>;

  explicit ReadyOrder(FindWaiting find) : find(std::move(find)) {}

  /// Lets operations wait, which are given in their order, once.
  void start(llvm::ArrayRef<mlir::Operation *> ops);
  bool isEmpty() const { return waiting.empty(); }

  /// Those that wait for no other, in order, by their places from 0 on.
  const std::map<unsigned, mlir::Operation *> &ready() const { return free; }
  /// They wait no longer, and nothing waits for them.
  void leave(llvm::ArrayRef<mlir::Operation *> ops);

private:
  void wait(mlir::Operation *op);

  struct Waiting {
    unsigned place = 0;
    /// What waits for it.
    llvm::SmallVector<mlir::Operation *, 1> readers;
  };
  FindWaiting find;
  llvm::DenseMap<mlir::Operation *, Waiting> waiting;
  std::map<unsigned, mlir::Operation *> free;
};

} // namespace tapestry::teg

#endif // TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_READYORDER_H

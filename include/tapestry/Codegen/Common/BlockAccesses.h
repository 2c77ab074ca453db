//===- BlockAccesses.h - Who touches a buffer, by buffer --------*- C++ -*-===//
//
// Answers what a walk over a block would: which of the operations between two
// others touch a buffer. Those that do are looked up by the buffer's root, so
// that time does not grow with what else lies in between.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_CODEGEN_COMMON_BLOCKACCESSES_H
#define TAPESTRY_CODEGEN_COMMON_BLOCKACCESSES_H

#include "tapestry/Codegen/Common/Buffers.h"

namespace tapestry {

/// The accesses of a block as it was when this was made. Whoever changes an
/// operation says so. Frees of what was allocated here are left out: they may
/// wait, and stand behind all other uses.
class BlockAccesses {
public:
  explicit BlockAccesses(mlir::Block &block);

  /// The first operation after `op` that may touch `buffer`; a terminator may
  /// touch anything.
  mlir::Operation *firstTouchAfter(mlir::Operation *op,
                                   mlir::Value buffer) const;

  /// Whether one of the operations from `first` to the one before `end` may
  /// touch `buffer`.
  bool isTouched(mlir::Operation *first, mlir::Operation *end,
                 mlir::Value buffer) const;

  /// Whether one between `op` and `target` may write what `op` reads from a
  /// buffer.
  bool mayChangeInputs(mlir::linalg::LinalgOp op,
                       mlir::Operation *target) const;

  /// Whether `op` can be moved down to right before `target`. Frees in between
  /// do not count: the caller delays them.
  bool canSink(mlir::Operation *op, mlir::Operation *target) const;

  /// `made` has come to stand where `old` stood, which is about to be erased.
  void replace(mlir::Operation *old, mlir::Operation *made);
  /// `op` is about to be erased.
  void erase(mlir::Operation *op);
  /// What used `old` uses `made`.
  void replace(mlir::Value old, mlir::Value made);

private:
  using Slots = std::vector<unsigned>;
  /// The places of operations that read or write a buffer, in order. Those that
  /// have changed since may do so no more.
  struct Users {
    Slots all, writers;
  };
  using Condition = llvm::function_ref<bool(mlir::Operation *)>;

  static mlir::Value keyOf(mlir::Value root);
  void add(mlir::Operation *op, unsigned slot);
  mlir::Operation *firstOf(const Slots &slots, unsigned from, unsigned end,
                           Condition holds) const;
  mlir::Operation *find(mlir::Value buffer, bool onlyWriters, unsigned from,
                        unsigned end, Condition holds) const;
  unsigned slotOf(mlir::Operation *op) const { return slots.at(op); }

  /// Operations by place; null where one was erased.
  std::vector<mlir::Operation *> ops;
  llvm::DenseMap<mlir::Operation *, unsigned> slots;
  /// By root; those that may overlap others share the null key.
  llvm::DenseMap<mlir::Value, Users> users;
  /// What may touch anything.
  Slots unknown;
};

} // namespace tapestry

#endif // TAPESTRY_CODEGEN_COMMON_BLOCKACCESSES_H

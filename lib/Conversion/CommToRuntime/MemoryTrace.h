//===- MemoryTrace.h - What a device program allocates ----------*- C++ -*-===//
//
// Walks a program over buffers, just before it becomes LLVM IR, as one device
// would run it, and follows the bytes of the runtime's arena. Sizes are index
// arithmetic on the device's number, which is evaluated; nothing else is run.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_CONVERSION_COMMTORUNTIME_MEMORYTRACE_H
#define TAPESTRY_LIB_CONVERSION_COMMTORUNTIME_MEMORYTRACE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>

namespace tapestry {

class MemoryTrace {
public:
  /// Bytes that the runtime takes while collective number `index` runs, on top
  /// of its source and target.
  using Staging = llvm::function_ref<int64_t(int64_t index, int64_t device)>;

  MemoryTrace(mlir::ModuleOp module, Staging staging)
      : module(module), staging(staging) {}

  /// The most bytes that `device` holds at once while it runs `entry`, beyond
  /// the `held` that it has before and after; nothing where a size is not
  /// index arithmetic that this class knows.
  std::optional<int64_t> peakBytes(mlir::func::FuncOp entry, int64_t device,
                                   int64_t held);

private:
  /// The values of one call of a function.
  struct Frame {
    Frame *caller = nullptr;
    mlir::func::CallOp call;
    llvm::DenseMap<mlir::Value, int64_t> values;
  };

  bool run(mlir::Block &block, Frame &frame);
  bool runOp(mlir::Operation *op, Frame &frame);
  bool runCall(mlir::func::CallOp call, Frame &frame);
  bool runLoop(mlir::Operation *op, Frame &frame);
  bool allocate(mlir::memref::AllocOp alloc, Frame &frame);
  const std::vector<mlir::Operation *> &actionsOf(mlir::Block &block);
  bool acts(mlir::Operation *op);

  std::optional<int64_t> evaluate(mlir::Value value, Frame &frame);
  std::optional<int64_t> evaluate(mlir::OpFoldResult value, Frame &frame);
  std::optional<int64_t> evaluateOp(mlir::Operation *op, mlir::Value value,
                                    Frame &frame);
  std::optional<int64_t> sizeOf(mlir::Value memref, unsigned dim, Frame &frame);
  /// The value outside that an argument of a function stands for.
  mlir::Value argumentOf(mlir::Value value, Frame &frame);

  mlir::ModuleOp module;
  Staging staging;
  int64_t device = 0;
  int64_t live = 0;
  int64_t peak = 0;
  /// Per block the operations that allocate, free or call.
  llvm::DenseMap<mlir::Block *, std::vector<mlir::Operation *>> actions;
  llvm::DenseMap<mlir::Operation *, bool> functionActs;
  /// Bytes of live allocations; those inside loops come and go.
  llvm::DenseMap<mlir::Value, int64_t> allocated;
};

} // namespace tapestry

#endif // TAPESTRY_LIB_CONVERSION_COMMTORUNTIME_MEMORYTRACE_H

//===- MemoryTrace.h - What a program allocates -----------------*- C++ -*-===//
//
// Walks a function over buffers, just before it becomes LLVM IR, as one device
// would run it, and follows the bytes that it allocates. Sizes are index
// arithmetic, which is evaluated; nothing else is run.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_CODEGEN_COMMON_MEMORYTRACE_H
#define TAPESTRY_CODEGEN_COMMON_MEMORYTRACE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "tapestry/Codegen/Common/MemoryUse.h"
#include "llvm/ADT/DenseMap.h"
#include <map>

namespace tapestry {

class MemoryTrace {
public:
  /// What a walk cannot see.
  struct Hooks {
    /// Allocations without an alignment of their own take multiples of it.
    int64_t alignment = 64;
    /// Bytes that the runtime takes while collective number `index` runs, or
    /// from its start to its wait, on top of its source and target.
    std::function<int64_t(int64_t index, int64_t device)> staging;
    /// Hears of what copies number `index` write in one pass; nothing where
    /// that is no index arithmetic that this class knows.
    std::function<void(int64_t index, std::optional<int64_t> bytes)> copied;
    /// What a function that is marked as a kernel takes.
    std::function<Temporaries(mlir::func::FuncOp kernel)> temporaries;
  };

  MemoryTrace(mlir::ModuleOp module, Hooks hooks)
      : module(module), hooks(std::move(hooks)) {}

  /// Whether calling `function` may allocate or free anything.
  bool acts(mlir::func::FuncOp function);

  /// What `device` holds at most while it runs `function`, and afterwards;
  /// nothing where a size is not index arithmetic that this class knows.
  std::optional<MemoryUse> trace(mlir::func::FuncOp function, int64_t device,
                                 ArgumentSizes &arguments);

  /// A buffer's size, or a number, in a function that is called with
  /// `arguments`; in a loop, in its first pass.
  std::optional<int64_t> sizeOn(int64_t device, mlir::Value memref,
                                unsigned dim, ArgumentSizes &arguments);
  std::optional<int64_t> valueOn(int64_t device, mlir::Value value,
                                 ArgumentSizes &arguments);

private:
  /// The values of one call of a function.
  struct Frame {
    explicit Frame(ArgumentSizes &arguments) : arguments(arguments) {}
    ArgumentSizes &arguments;
    llvm::DenseMap<mlir::Value, int64_t> values;
  };
  class CallSizes;

  bool run(mlir::Block &block, Frame &frame);
  bool runOp(mlir::Operation *op, Frame &frame);
  bool runCall(mlir::func::CallOp call, Frame &frame);
  std::vector<std::optional<int64_t>> numbersOf(mlir::func::CallOp call,
                                                Frame &caller);
  bool runLoop(mlir::Operation *op, Frame &frame);
  bool runPass(mlir::scf::WhileOp loop, Frame &frame);
  bool allocate(mlir::memref::AllocOp alloc, Frame &frame);
  const std::vector<mlir::Operation *> &actionsOf(mlir::Block &block);
  bool acts(mlir::Operation *op);
  const Temporaries &temporariesOf(mlir::func::FuncOp kernel);
  bool asksFor(mlir::func::FuncOp function) const;

  std::optional<int64_t> evaluate(mlir::Value value, Frame &frame);
  std::optional<int64_t> evaluate(mlir::OpFoldResult value, Frame &frame);
  std::optional<int64_t> evaluateOp(mlir::Operation *op, mlir::Value value,
                                    Frame &frame);
  std::optional<int64_t> sizeOf(mlir::Value memref, unsigned dim, Frame &frame);

  mlir::ModuleOp module;
  Hooks hooks;
  int64_t device = 0;
  int64_t live = 0;
  int64_t peak = 0;
  /// Per block the operations that allocate, free or call.
  llvm::DenseMap<mlir::Block *, std::vector<mlir::Operation *>> actions;
  llvm::DenseMap<mlir::Operation *, bool> functionActs;
  llvm::DenseMap<mlir::Operation *, Temporaries> temporaries;
  /// Bytes of live allocations; those inside loops come and go.
  llvm::DenseMap<mlir::Value, int64_t> allocated;
  /// What calls take, by callee and numbersOf().
  std::map<std::pair<mlir::Operation *, std::vector<std::optional<int64_t>>>,
           MemoryUse>
      calls;
  /// Functions whose end has not come yet.
  llvm::DenseSet<mlir::Operation *> running;
};

} // namespace tapestry

#endif // TAPESTRY_CODEGEN_COMMON_MEMORYTRACE_H

//===- KernelTable.h - The kernels of a task graph --------------*- C++ -*-===//

#ifndef TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_KERNELTABLE_H
#define TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_KERNELTABLE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OwningOpRef.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryShard.h"
#include "llvm/ADT/StringMap.h"
#include <map>
#include <unordered_map>

namespace tapestry::teg {

/// Makes kernels of operators, equal ones once.
class KernelTable {
public:
  explicit KernelTable(mlir::Location loc)
      : module(mlir::ModuleOp::create(mlir::UnknownLoc::get(loc.getContext()))),
        builder(loc.getContext()) {}

  /// The number of the kernel that computes `op` from tensors of the types of
  /// `inputs`.
  int32_t numberOf(mlir::Operation *op, llvm::ArrayRef<mlir::Value> inputs);
  mlir::OwningOpRef<mlir::ModuleOp> take() { return std::move(module); }

private:
  GraphOp makeGraph(mlir::Operation *op, llvm::ArrayRef<mlir::Value> inputs);
  mlir::Operation *cloneInto(mlir::Operation *op, mlir::IRMapping &mapping);

  struct HashOf {
    size_t operator()(const Computation &of) const { return of.hash(); }
  };
  struct IsOf {
    bool operator()(const Computation &a, const Computation &b) const {
      return a.isOf(b);
    }
  };

  void nameKernel(GraphOp graph) {
    graph.setSymName("kernel_" + std::to_string(count++));
  }

  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::OpBuilder builder;
  int32_t count = 0;
  /// Of what are no shards, by their text.
  llvm::StringMap<int32_t> texts;
  /// By what they are shards of, and by how.
  std::unordered_map<Computation, std::map<std::vector<int64_t>, int32_t>,
                     HashOf, IsOf>
      shards;
};

} // namespace tapestry::teg

#endif // TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_KERNELTABLE_H

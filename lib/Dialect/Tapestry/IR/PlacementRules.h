//===- PlacementRules.h - Rules of partition and home -----------*- C++ -*-===//
//
// The checks that sources and vertices share, and the homes of vertices with
// several results. Private to the dialect.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_DIALECT_TAPESTRY_IR_PLACEMENTRULES_H
#define TAPESTRY_LIB_DIALECT_TAPESTRY_IR_PLACEMENTRULES_H

#include "mlir/IR/Operation.h"
#include "tapestry/Dialect/Index/IR/IndexAttrs.h"

namespace tapestry::teg {

/// Checks that `partition`, where given, has one entry for each of the `rank`
/// index dimensions (called `what` in the error) and names axes of the graph's
/// grid.
[[nodiscard]] mlir::LogicalResult
verifyPartition(mlir::Operation *op, index::PartitionAttr partition,
                unsigned rank, llvm::StringRef what);

/// Checks that `home`, where given, is a layout of `shape` on the graph's grid
/// without partial axes.
[[nodiscard]] mlir::LogicalResult verifyHome(mlir::Operation *op,
                                             index::LayoutAttr home,
                                             llvm::ArrayRef<int64_t> shape);

/// Checks tapestry_c1 and tapestry_c2 of an operator that holds others, which
/// knows its labels only once these are checked.
[[nodiscard]] mlir::LogicalResult verifyAsked(mlir::Operation *op);

/// Checks that every entry of `route` is a plain layout of `shape`, and that
/// there is a `home` on the same grid. `what` names the route in errors.
[[nodiscard]] mlir::LogicalResult
verifyRoute(mlir::Operation *op, mlir::ArrayAttr route, index::LayoutAttr home,
            llvm::ArrayRef<int64_t> shape, const llvm::Twine &what);

/// Checks the route home of the only result, and that there is one route per
/// operand where there are any; each as `verifyRoute` does.
[[nodiscard]] mlir::LogicalResult verifyRoutes(mlir::Operation *op,
                                               mlir::ArrayAttr homeRoute,
                                               mlir::ArrayAttr operandRoutes,
                                               index::LayoutAttr home,
                                               mlir::ValueRange operands);

/// Checks the homes of all results, as `verifyHome` does, and that there is one
/// route per result and per tensor of `read` where there are any, each as
/// `verifyRoute` does.
[[nodiscard]] mlir::LogicalResult verifyPlacement(mlir::Operation *op,
                                                  mlir::ArrayAttr homes,
                                                  mlir::ArrayAttr homeRoutes,
                                                  mlir::ArrayAttr operandRoutes,
                                                  mlir::ValueRange read);

/// The home of `result` in those of all `count` results, changed. Before, all
/// had one or none had; where none had, all get it.
[[nodiscard]] mlir::ArrayAttr withHome(mlir::ArrayAttr homes, size_t count,
                                       unsigned result, index::LayoutAttr home);

} // namespace tapestry::teg

#endif // TAPESTRY_LIB_DIALECT_TAPESTRY_IR_PLACEMENTRULES_H

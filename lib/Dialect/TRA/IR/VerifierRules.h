//===- VerifierRules.h - What verifiers of tra ops share --------*- C++ -*-===//
//
// Private to this folder. Every rule reports its own errors at `op`.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_DIALECT_TRA_IR_VERIFIERRULES_H
#define TAPESTRY_LIB_DIALECT_TRA_IR_VERIFIERRULES_H

#include "tapestry/Dialect/TRA/IR/TRA.h"
#include "tapestry/Support/Access.h"

namespace tapestry::tra {

/// As in messages: [2, 3].
std::string listToString(llvm::ArrayRef<int64_t> values);

/// Distinct identifiers with one extent each, at least 0 and below 2^62.
mlir::LogicalResult verifyLabels(mlir::Operation *op, mlir::ArrayAttr labels,
                                 llvm::ArrayRef<int64_t> extents);

/// What points of these extents read or write by `projection` of the relation
/// `what` stays below 2^62.
mlir::LogicalResult verifyReach(mlir::Operation *op, const llvm::Twine &what,
                                const Projection &projection,
                                llvm::ArrayRef<int64_t> extents);

/// One pad per operand, `unit` or a value of its element type; operands without
/// one are read within their bounds. `accessOf` says where an operand is read,
/// by which points.
mlir::LogicalResult verifyReads(mlir::Operation *op, mlir::ArrayAttr pads,
                                mlir::ValueRange inputs,
                                llvm::ArrayRef<int64_t> extents,
                                llvm::function_ref<Access(unsigned)> accessOf);

mlir::LogicalResult verifySameGrid(mlir::Operation *op, RelationType source,
                                   RelationType result);

/// `region` has one block that takes values of `arguments` and yields one of
/// `result`; `what` names it in messages.
mlir::LogicalResult verifyScalarRegion(mlir::Operation *op,
                                       llvm::StringRef what,
                                       mlir::Region &region,
                                       llvm::ArrayRef<mlir::Type> arguments,
                                       mlir::Type result);

/// An identity and a combine region belong to a custom monoid only.
mlir::LogicalResult verifyCustom(mlir::Operation *op, Monoid monoid,
                                 mlir::TypedAttr identity,
                                 mlir::Region &combine, mlir::Type elementType);

/// Whether the built-in monoid is defined on the element type.
mlir::LogicalResult verifyMonoidType(mlir::Operation *op, Monoid monoid,
                                     mlir::Type elementType);

/// The partition in axis numbers of `grid`: one cut per label.
mlir::FailureOr<Partition> verifyPartition(mlir::Operation *op,
                                           index::PartitionAttr partition,
                                           size_t numLabels,
                                           const DeviceGrid &grid);

/// The relation `what` lies as the partition makes it lie.
mlir::LogicalResult verifyLayout(mlir::Operation *op, const llvm::Twine &what,
                                 RelationType type,
                                 index::PartitionAttr partition,
                                 const Layout &expected);

} // namespace tapestry::tra

#endif // TAPESTRY_LIB_DIALECT_TRA_IR_VERIFIERRULES_H

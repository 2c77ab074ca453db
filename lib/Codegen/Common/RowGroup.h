//===- RowGroup.h - Operations that can run row by row ----------*- C++ -*-===//
//
// Decides which linalg operations share a loop over rows. FormRowKernels builds
// that loop.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_CODEGEN_COMMON_ROWGROUP_H
#define TAPESTRY_LIB_CODEGEN_COMMON_ROWGROUP_H

#include "tapestry/Codegen/Common/Buffers.h"

namespace tapestry {

/// Whether `op` sets a buffer to one value.
bool isFill(mlir::linalg::GenericOp op);

/// How an operand's subscripts relate to the rows of its operation.
enum class RowAccess {
  /// The leading subscripts are the rows.
  Rows,
  /// No subscript depends on a row.
  Whole,
  /// Some subscripts are rows, in other places.
  Part,
  /// A subscript is computed from a row.
  Other,
};

/// The loops of `op` that may be rows: the leading plain, parallel subscripts
/// that all its results have in common.
llvm::SmallVector<unsigned> rowLoopsOf(mlir::linalg::GenericOp op);

/// How `operand` is accessed with the first `rank` of `rows` as rows.
RowAccess accessOf(mlir::OpOperand &operand, llvm::ArrayRef<unsigned> rows,
                   unsigned rank);

/// Operations of one block, in order, that can run one after the other for one
/// row (a point of `rank` loops) at a time.
class RowGroup {
public:
  /// With `leavesOutProducts` no operation may read less than it computes.
  explicit RowGroup(bool leavesOutProducts = false)
      : leavesOutProducts(leavesOutProducts) {}

  /// Adds `op`, with the fills before it, if the group stays legal, and the
  /// operation has data in common with the group. The first always joins.
  bool join(llvm::ArrayRef<mlir::linalg::GenericOp> fills,
            mlir::linalg::GenericOp op);

  /// Whether a loop over the group's rows is worth having.
  bool worthwhile() const { return numWorking > 1 && finalRank() > 0; }
  /// Whether something of a row is reduced.
  bool reduces() const;
  /// The number of row dimensions.
  unsigned finalRank() const;
  llvm::ArrayRef<mlir::linalg::GenericOp> getOps() const { return ops; }
  /// Frees between the group's operations; they belong after the last.
  llvm::SmallVector<mlir::Operation *> framedFrees() const;

private:
  bool legal() const;
  bool sharesData(mlir::linalg::GenericOp op, unsigned rank) const;
  bool canMoveTo(mlir::linalg::GenericOp last) const;

  llvm::SmallVector<mlir::linalg::GenericOp> ops;
  bool leavesOutProducts;
  unsigned rank = 0;
  unsigned numWorking = 0;
  /// Some operation has loops besides its row loops.
  bool strict = false;
};

} // namespace tapestry

#endif // TAPESTRY_LIB_CODEGEN_COMMON_ROWGROUP_H

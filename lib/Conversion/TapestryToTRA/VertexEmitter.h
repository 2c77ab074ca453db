//===- VertexEmitter.h - A block operator over relations --------*- C++ -*-===//
//
// Private to this folder. Emits what one operator computes, knowing only its
// interface.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_CONVERSION_TAPESTRYTOTRA_VERTEXEMITTER_H
#define TAPESTRY_LIB_CONVERSION_TAPESTRYTOTRA_VERTEXEMITTER_H

#include "tapestry/Dialect/TRA/IR/TRA.h"
#include "tapestry/Interfaces/BlockOpInterface.h"
#include "tapestry/Interfaces/ScanInterface.h"
#include "tapestry/Support/BlockCount.h"

namespace tapestry {

/// Emits the relations of one planned operator.
class VertexEmitter {
public:
  VertexEmitter(mlir::OpBuilder &builder, index::GridAttr grid,
                BlockOpInterface op, const Partition &partition)
      : b(builder), grid(grid), op(op), partition(partition),
        pieces(op.getReads()), loc(op->getLoc()) {}

  /// What the op reads.
  llvm::ArrayRef<std::pair<unsigned, Access>> getPieces() const {
    return pieces;
  }

  /// What the partition makes the op write of operands that lie where it reads
  /// them, one relation per result. Partial values are of the accumulator's
  /// type.
  mlir::FailureOr<llvm::SmallVector<mlir::Value>>
  emitWritten(mlir::ValueRange operands);
  /// Partial values of a result, combined right into the layout `to`.
  mlir::Value emitAggregate(unsigned result, mlir::Value partial,
                            const Layout &to);
  /// An accumulated relation of a result, rounded to its element type.
  mlir::Value emitRounding(unsigned result, mlir::Value wide);

private:
  mlir::Value emitJoin(mlir::ValueRange operands,
                       llvm::ArrayRef<Projection> reads);
  /// What an op without a scalar region computes: a block of these results on
  /// blocks of `cut`, whose body `lower` fills from windows and bounds. The
  /// last `more` operands are no pieces.
  using LowerFn =
      llvm::function_ref<mlir::FailureOr<llvm::SmallVector<mlir::Value>>(
          const LocalBlock &)>;
  mlir::FailureOr<tra::BlockOp> emitBlock(const Partition &cut,
                                          mlir::ValueRange operands,
                                          llvm::ArrayRef<Projection> reads,
                                          size_t more, mlir::TypeRange results,
                                          llvm::ArrayRef<Projection> writes,
                                          LowerFn lower);
  mlir::FailureOr<llvm::SmallVector<mlir::Value>>
  emitOwnBlock(mlir::ValueRange operands, llvm::ArrayRef<Projection> reads);
  /// The totals of a scan's blocks where every block has all of them.
  mlir::FailureOr<mlir::Value> emitTotals(ScanInterface scan, unsigned label,
                                          const TotalsShape &totals,
                                          mlir::ValueRange operands,
                                          llvm::ArrayRef<Projection> reads);
  /// What a block of a scan makes of what it reads, if that, and all totals.
  mlir::FailureOr<llvm::SmallVector<mlir::Value>>
  emitBehind(ScanInterface scan, unsigned label, const TotalsShape &totals,
             mlir::ValueRange operands, llvm::ArrayRef<Projection> reads);
  /// The relations that blocks of `cut` write.
  llvm::SmallVector<mlir::Type> writtenTypes(const Partition &cut);
  void cloneScalarRegion(mlir::Region &kernel, mlir::Type yielded);
  void fillCombine(unsigned result, mlir::Region &combine);

  mlir::RankedTensorType tensorType(unsigned result) {
    return mlir::cast<mlir::RankedTensorType>(op->getResult(result).getType());
  }
  mlir::Type accumulatorType(unsigned result);
  /// Of a custom monoid; null of others.
  mlir::TypedAttr customIdentity(unsigned result);
  tra::RelationType relationType(mlir::Type elementType, const Layout &layout) {
    return tra::RelationType::get(
        elementType, index::LayoutAttr::get(b.getContext(), grid, layout));
  }
  /// Of the pieces, and of `more` operands behind them.
  mlir::ArrayAttr padAttrs(bool ofPieces = true, size_t more = 0);
  mlir::ArrayAttr guardAttrs(size_t more);
  mlir::ArrayAttr labelAttrs();

  mlir::OpBuilder &b;
  index::GridAttr grid;
  BlockOpInterface op;
  const Partition &partition;
  std::vector<std::pair<unsigned, Access>> pieces;
  mlir::Location loc;
};

} // namespace tapestry

#endif // TAPESTRY_LIB_CONVERSION_TAPESTRYTOTRA_VERTEXEMITTER_H

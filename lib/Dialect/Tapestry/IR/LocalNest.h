//===- LocalNest.h - One device's loop nest over points ---------*- C++ -*-===//
//
// Private to the dialect.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_DIALECT_TAPESTRY_IR_LOCALNEST_H
#define TAPESTRY_LIB_DIALECT_TAPESTRY_IR_LOCALNEST_H

#include "tapestry/Interfaces/BlockOpInterface.h"

namespace tapestry::teg {

/// An element of an operand that every point is given.
struct NestRead {
  unsigned operand = 0;
  /// From where the point's region begins.
  llvm::SmallVector<int64_t> offset;
};

/// A nest over the points of a device's block of an operator that reads every
/// operand in one piece and writes its results by elements: all that it reads
/// lies in windows, shifted. Booleans lie in bytes.
class LocalNest {
public:
  LocalNest(BlockOpInterface op, mlir::OpBuilder &builder, mlir::Location loc,
            const LocalBlock &block);

  /// Emits what a point is worth from its elements, of the operands' types, and
  /// what gives a label's value.
  using LabelFn = llvm::function_ref<mlir::Value(unsigned label)>;
  using PointFn = llvm::function_ref<mlir::Value(
      mlir::OpBuilder &body, mlir::ValueRange elements, LabelFn label)>;
  /// The nest that makes a result, combined where labels are.
  mlir::Value emit(unsigned result, llvm::ArrayRef<NestRead> reads,
                   PointFn point);

private:
  unsigned numLabels() { return sizes.size(); }
  const Projection &projectionOf(const NestRead &read) {
    return accesses[read.operand].projection;
  }
  mlir::Value emitInit(unsigned result);
  bool isFound(const NestRead &read);
  mlir::OpFoldResult sizeOf(unsigned label);
  mlir::Value windowOf(const NestRead &read, mlir::AffineMap &map);
  mlir::Value emitElement(mlir::OpBuilder &body, const NestRead &read,
                          mlir::ValueRange points);
  mlir::Value emitBackwards(mlir::OpBuilder &body, const NestRead &read,
                            mlir::ValueRange points);
  mlir::Value emitPoint(mlir::OpBuilder &body, mlir::ValueRange elements,
                        unsigned result, llvm::ArrayRef<NestRead> reads,
                        PointFn point);
  mlir::Value load(mlir::OpBuilder &body, mlir::Value stored, mlir::Type type);
  mlir::Value store(mlir::OpBuilder &body, mlir::Value value,
                    mlir::Type stored);

  BlockOpInterface op;
  mlir::OpBuilder &b;
  mlir::Location loc;
  const LocalBlock &block;
  llvm::SmallVector<mlir::Value> tensors;
  /// The only piece of each operand.
  std::vector<Access> accesses;
  std::vector<Projection> writes;
  /// Points of the block along each label.
  llvm::SmallVector<mlir::Value> sizes;
  /// Per operand where its window begins, if that was asked for.
  llvm::SmallVector<llvm::SmallVector<mlir::Value>> corners;
};

/// What a device computes of an operator that reads every operand in one piece,
/// has no guards and writes by elements: by its scalar region, or as it says
/// itself.
mlir::FailureOr<llvm::SmallVector<mlir::Value>>
lowerLocally(BlockOpInterface op, mlir::OpBuilder &builder, mlir::Location loc,
             const LocalBlock &block);

} // namespace tapestry::teg

#endif // TAPESTRY_LIB_DIALECT_TAPESTRY_IR_LOCALNEST_H

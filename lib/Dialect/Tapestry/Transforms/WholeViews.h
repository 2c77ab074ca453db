//===- WholeViews.h - What tensors are of what is put together --*- C++ -*-===//
//
// The tensors of a graph seen through shards that have become one operation.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_WHOLEVIEWS_H
#define TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_WHOLEVIEWS_H

#include "GraphViews.h"
#include <memory>

namespace tapestry::teg {

class WholeViews : public GraphViews {
public:
  /// Says of a tensor, of which nobody has said so, that it has been put
  /// together with others: of what it is a view.
  void setWhole(unsigned number, TensorView view) {
    wholes[number] = std::move(view);
  }

  /// What a tensor is, seen through what has been put together; valid until
  /// more is.
  const TensorView &resolve(mlir::Value value);
  /// The same, up to what joins several.
  TensorView resolveToJoin(mlir::Value value);
  /// The number of a tensor that is read as it is, whatever it is made of.
  unsigned numberOf(mlir::Value tensor);

  llvm::ArrayRef<int64_t> shapeOf(unsigned number) const {
    return mlir::cast<mlir::RankedTensorType>(tensor(number).getType())
        .getShape();
  }

private:
  llvm::DenseMap<unsigned, TensorView> wholes;
  /// What tensors were when so many of them had been put together.
  struct Resolved {
    size_t numWholes = 0;
    TensorView view;
  };
  llvm::DenseMap<mlir::Value, std::unique_ptr<Resolved>> resolved;
  /// The numbers of joins that are read as tensors.
  llvm::DenseMap<mlir::Value, unsigned> joins;
};

} // namespace tapestry::teg

#endif // TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_WHOLEVIEWS_H

//===- JoinedReads.h - What slices of a tensor are slices of ----*- C++ -*-===//

#ifndef TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_JOINEDREADS_H
#define TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_JOINEDREADS_H

#include "FreshNames.h"
#include "tapestry/Support/TensorView.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace tapestry::teg {

/// A box of a tensor, and what is read there.
struct ReadPart {
  ZBox box;
  TensorView view;
};

/// The tensor of a shape that has every part at its box; nothing where two say
/// otherwise of a cell, or none says anything.
std::optional<TensorView> joinParts(llvm::ArrayRef<int64_t> shape,
                                    llvm::ArrayRef<ReadPart> parts);

/// Whether tensors are made of what operations of a block give, also by way of
/// what `becomes` says that others become.
bool areMadeOf(
    llvm::ArrayRef<mlir::Value> tensors,
    const llvm::SmallPtrSetImpl<mlir::Operation *> &operations,
    mlir::Block &block,
    const llvm::DenseMap<mlir::Operation *, mlir::Operation *> &becomes);

using TensorOfNumber = llvm::function_ref<mlir::Value(unsigned)>;

/// Whether concatenations of tensors, each of them as it lies and whole or,
/// with `slices`, cut, make a view.
bool isConcatenation(const TensorView &view, TensorOfNumber tensorOf,
                     bool slices = false);
/// Those concatenations, and slices.
mlir::Value createConcatenation(mlir::OpBuilder &builder, mlir::Location loc,
                                FreshNames &names, const llvm::Twine &stem,
                                const TensorView &view,
                                TensorOfNumber tensorOf);

} // namespace tapestry::teg

#endif // TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_JOINEDREADS_H

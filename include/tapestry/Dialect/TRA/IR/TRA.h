//===- TRA.h - Tensor-relational algebra ------------------------*- C++ -*-===//
//
// The tra dialect: relations, the algebra on them, and the layouts in which a
// join of a given partition reads its operands and writes its result.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_DIALECT_TRA_IR_TRA_H
#define TAPESTRY_DIALECT_TRA_IR_TRA_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tapestry/Dialect/Index/IR/IndexAttrs.h"
#include "tapestry/Dialect/Index/IR/IndexDialect.h"

#include "tapestry/Dialect/TRA/IR/TRADialect.h.inc"

#define GET_TYPEDEF_CLASSES
#include "tapestry/Dialect/TRA/IR/TRATypes.h.inc"

namespace tapestry::tra {

/// The number of parts of every dimension: the product of the sizes of the axes
/// that cut it.
llvm::SmallVector<int64_t> partsOf(const DeviceGrid &grid,
                                   const Layout &layout);

/// The pad of an input of a join whose next input is another piece of it.
mlir::Attribute getElse(mlir::MLIRContext *context);
bool isElse(mlir::Attribute pad);

/// The layout in which a join writes its result: the blocks of the labels that
/// `map` names, partial over the axes, ascending, that cut the other labels.
/// `map` is a projected permutation.
Layout writtenLayout(mlir::AffineMap map, llvm::ArrayRef<int64_t> extents,
                     const Partition &partition);

/// The same of a join whose operands may be partial: values that are partial
/// over axes which cut no label make partial ones.
Layout withPartialOf(mlir::ValueRange operands, const Partition &partition,
                     Layout written);

/// The layout in which a block writes a result of this shape: what the
/// projection's labels make of it, one point per block of those that are
/// divided, partial over the axes, ascending, that cut the other labels.
Layout writtenLayout(const Projection &projection,
                     llvm::ArrayRef<int64_t> extents,
                     const Partition &partition, llvm::ArrayRef<int64_t> shape);

/// The window that a device has of an operand which lies as `layout` says:
/// with a pad all that it reads, without one what is inside the tensor.
mlir::RankedTensorType windowType(index::LayoutAttr layout,
                                  mlir::Type elementType, bool isPadded);

/// The arguments of a block's body and the parts that it yields.
llvm::SmallVector<mlir::Type> bodyArguments(mlir::TypeRange operands,
                                            mlir::ArrayAttr pads,
                                            unsigned numLabels);
llvm::SmallVector<mlir::Type> bodyResults(mlir::TypeRange results);

} // namespace tapestry::tra

#define GET_OP_CLASSES
#include "tapestry/Dialect/TRA/IR/TRAOps.h.inc"

#endif // TAPESTRY_DIALECT_TRA_IR_TRA_H

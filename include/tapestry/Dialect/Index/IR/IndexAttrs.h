//===- IndexAttrs.h - Attributes of tapestry_index --------------*- C++ -*-===//
//
// Attributes that wrap the plain structs of tapestry/Support: GridAttr
// (DeviceGrid), RangeAttr (ZBox), ProjectionAttr (Projection), PartitionAttr
// (Partition, by axis name) and LayoutAttr (Layout with its grid). Each is
// built from the struct (`LayoutAttr::get(context, grid, layout)`) and gives it
// back (`layoutAttr.getLayout()`). MonoidAttr holds a Monoid.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_DIALECT_INDEX_IR_INDEXATTRS_H
#define TAPESTRY_DIALECT_INDEX_IR_INDEXATTRS_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "tapestry/Interfaces/Monoid.h"
#include "tapestry/Support/Layout.h"

namespace tapestry {

// Found by argument-dependent lookup when an attribute is uniqued.
llvm::hash_code hash_value(const DeviceGrid &grid);
llvm::hash_code hash_value(const Projection &projection);
llvm::hash_code hash_value(const Layout &layout);

} // namespace tapestry

#define GET_ATTRDEF_CLASSES
#include "tapestry/Dialect/Index/IR/IndexAttrs.h.inc"

namespace tapestry {

using index::MonoidAttr;

/// Parse and print a monoid as a bare word: `custom<Monoid>` of an op's format.
mlir::ParseResult parseMonoid(mlir::AsmParser &parser, MonoidAttr &monoid);
void printMonoid(mlir::AsmPrinter &printer, mlir::Operation *op,
                 MonoidAttr monoid);

} // namespace tapestry

#endif // TAPESTRY_DIALECT_INDEX_IR_INDEXATTRS_H

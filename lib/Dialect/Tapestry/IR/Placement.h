//===- Placement.h - Text form of partition and home ------------*- C++ -*-===//
//
// (`partition` attr)? (`home` attr)?, as sources and einsums write it. No colon
// may follow: an attribute's parser would take it for its own type's. Private
// to the dialect.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_DIALECT_TAPESTRY_IR_PLACEMENT_H
#define TAPESTRY_LIB_DIALECT_TAPESTRY_IR_PLACEMENT_H

#include "mlir/IR/OpImplementation.h"
#include "tapestry/Dialect/Index/IR/IndexAttrs.h"

namespace tapestry::teg {

inline mlir::ParseResult parsePlacement(mlir::OpAsmParser &parser,
                                        index::PartitionAttr &partition,
                                        index::LayoutAttr &home) {
  if (succeeded(parser.parseOptionalKeyword("partition")) &&
      parser.parseAttribute(partition))
    return mlir::failure();
  if (succeeded(parser.parseOptionalKeyword("home")))
    return parser.parseAttribute(home);
  return mlir::success();
}

inline void printPlacement(mlir::OpAsmPrinter &printer, mlir::Operation *,
                           index::PartitionAttr partition,
                           index::LayoutAttr home) {
  if (partition)
    printer << " partition " << partition;
  if (home)
    printer << " home " << home;
}

} // namespace tapestry::teg

#endif // TAPESTRY_LIB_DIALECT_TAPESTRY_IR_PLACEMENT_H

//===- IndexOps.td - Operations of tapestry_index ----------*- tablegen -*-===//

#ifndef TAPESTRY_DIALECT_INDEX_IR_INDEXOPS_TD
#define TAPESTRY_DIALECT_INDEX_IR_INDEXOPS_TD

include "mlir/IR/OpBase.td"
include "tapestry/Dialect/Index/IR/IndexAttrs.td"

#endif // TAPESTRY_DIALECT_INDEX_IR_INDEXOPS_TD

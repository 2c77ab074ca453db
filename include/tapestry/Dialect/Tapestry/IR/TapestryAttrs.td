//===- TapestryAttrs.td - Attributes of tapestry -----------*- tablegen -*-===//

#ifndef TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYATTRS_TD
#define TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "tapestry/Dialect/Tapestry/IR/TapestryDialect.td"
include "tapestry/Dialect/Tapestry/IR/TapestryEnums.td"

def Tapestry_MonoidAttr : EnumAttr<Tapestry_Dialect, Tapestry_Monoid, "monoid"> {
  let assemblyFormat = "`<` $value `>`";
}

#endif // TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYATTRS_TD

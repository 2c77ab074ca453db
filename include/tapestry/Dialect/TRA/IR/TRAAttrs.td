//===- TRAAttrs.td - Attributes of the tra dialect ---------*- tablegen -*-===//
//
// The enumerations as attributes.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_DIALECT_TRA_TRAATTRS_TD
#define TAPESTRY_DIALECT_TRA_TRAATTRS_TD

include "tapestry/Dialect/TRA/IR/TRADialect.td"
include "tapestry/Dialect/TRA/IR/TRAEnums.td"

def TRA_MonoidAttr : EnumAttr<TRA_Dialect, TRA_Monoid, "monoid"> {
  let assemblyFormat = "$value";
}

#endif // TAPESTRY_DIALECT_TRA_TRAATTRS_TD

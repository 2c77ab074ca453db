//===- CommAttrs.td - Attributes of the comm dialect -------*- tablegen -*-===//
//
// The enumerations as attributes.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_DIALECT_COMM_COMMATTRS_TD
#define TAPESTRY_DIALECT_COMM_COMMATTRS_TD

include "tapestry/Dialect/Comm/IR/CommDialect.td"
include "tapestry/Dialect/Comm/IR/CommEnums.td"

def Comm_MonoidAttr : EnumAttr<Comm_Dialect, Comm_Monoid, "monoid"> {
  let assemblyFormat = "$value";
}

#endif // TAPESTRY_DIALECT_COMM_COMMATTRS_TD

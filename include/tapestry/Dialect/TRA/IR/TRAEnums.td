//===- TRAEnums.td - Enumerations of the tra dialect -------*- tablegen -*-===//
//
// How values along reduced labels are combined.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_DIALECT_TRA_TRAENUMS_TD
#define TAPESTRY_DIALECT_TRA_TRAENUMS_TD

include "mlir/IR/EnumAttr.td"

def TRA_Monoid : I32Enum<
    "Monoid", "the operation that combines the values along reduced labels", [
      I32EnumCase<"None", 0, "none">,
      I32EnumCase<"Add", 1, "add">,
      I32EnumCase<"Mul", 2, "mul">,
      I32EnumCase<"Max", 3, "max">,
      I32EnumCase<"Min", 4, "min">,
      I32EnumCase<"And", 5, "and">,
      I32EnumCase<"Or", 6, "or">,
      I32EnumCase<"Xor", 7, "xor">,
      I32EnumCase<"Custom", 8, "custom">
    ]> {
  let cppNamespace = "::tapestry::tra";
}

#endif // TAPESTRY_DIALECT_TRA_TRAENUMS_TD

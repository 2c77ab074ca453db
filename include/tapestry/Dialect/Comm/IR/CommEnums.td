//===- CommEnums.td - Enumerations of the comm dialect -----*- tablegen -*-===//
//
// How partial values are combined.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_DIALECT_COMM_COMMENUMS_TD
#define TAPESTRY_DIALECT_COMM_COMMENUMS_TD

include "mlir/IR/EnumAttr.td"

def Comm_Monoid : I32Enum<
    "Monoid", "the operation that combines partial values", [
      I32EnumCase<"Add", 0, "add">,
      I32EnumCase<"Mul", 1, "mul">,
      I32EnumCase<"Max", 2, "max">,
      I32EnumCase<"Min", 3, "min">,
      I32EnumCase<"And", 4, "and">,
      I32EnumCase<"Or", 5, "or">,
      I32EnumCase<"Xor", 6, "xor">,
      I32EnumCase<"Custom", 7, "custom">
    ]> {
  let cppNamespace = "::tapestry::comm";
}

#endif // TAPESTRY_DIALECT_COMM_COMMENUMS_TD

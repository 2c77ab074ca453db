//===- Monoid.td - How reduced values are combined ---------*- tablegen -*-===//
//
// The one enumeration of monoids. Its numbers are those of the runtime's ABI
// (TapestryMonoid); its attribute is `#tapestry_index.monoid`.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_INTERFACES_MONOID_TD
#define TAPESTRY_INTERFACES_MONOID_TD

include "mlir/IR/EnumAttr.td"

def Tapestry_Monoid : I32Enum<"Monoid", "how values are combined", [
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
  let cppNamespace = "::tapestry";
}

#endif // TAPESTRY_INTERFACES_MONOID_TD

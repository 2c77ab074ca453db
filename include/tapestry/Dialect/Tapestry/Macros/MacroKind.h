//===- MacroKind.h - Names of macros and roles of labels --------*- C++ -*-===//
//
// Plain enums, for front ends whose analysis does not know MLIR.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_DIALECT_TAPESTRY_MACROS_MACROKIND_H
#define TAPESTRY_DIALECT_TAPESTRY_MACROS_MACROKIND_H

namespace tapestry {

enum class MacroKind {
  Softmax,  ///< exp(x - max x) / sum exp(x - max x)
  RMSNorm,  ///< x * rsqrt(mean x^2 + epsilon)
  LayerNorm ///< (x - mean x) * rsqrt(mean (x - mean x)^2 + epsilon)
};

/// How the operand of a macro uses a label.
enum class LabelRole {
  Outer, ///< each value is normalised for itself
  Inner, ///< all values are normalised together
  Unused ///< the operand does not depend on it: no read, no use in the body
};

} // namespace tapestry

#endif // TAPESTRY_DIALECT_TAPESTRY_MACROS_MACROKIND_H

//===- MacroKind.h - Names of macros and roles of labels --------*- C++ -*-===//
//
// Plain enums, for front ends whose analysis does not know MLIR.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_DIALECT_TAPESTRY_MACROS_MACROKIND_H
#define TAPESTRY_DIALECT_TAPESTRY_MACROS_MACROKIND_H

namespace tapestry {

enum class MacroKind {
  Softmax,   ///< exp(x - max x) / sum exp(x - max x)
  RMSNorm,   ///< x * rsqrt(mean x^2 + epsilon)
  LayerNorm, ///< (x - mean x) * rsqrt(mean (x - mean x)^2 + epsilon)
  Mean,      ///< sum x / n
  LogSumExp, ///< log(sum exp x), without overflow
  ArgMax,    ///< the place of the first NaN, else of the first largest x
  ArgMin     ///< the place of the first NaN, else of the first least x
};

/// Whether a macro gives places, integers, of values of any type of numbers.
constexpr bool givesPlaces(MacroKind kind) {
  return kind == MacroKind::ArgMax || kind == MacroKind::ArgMin;
}

/// Whether the result of a macro lacks the inner labels.
constexpr bool reducesLabels(MacroKind kind) {
  return kind == MacroKind::Mean || kind == MacroKind::LogSumExp ||
         givesPlaces(kind);
}

/// How the operand of a macro uses a label.
enum class LabelRole {
  Outer, ///< each value is normalised for itself
  Inner, ///< all values are normalised or reduced together
  Unused ///< the operand does not depend on it: no read, no use in the body
};

} // namespace tapestry

#endif // TAPESTRY_DIALECT_TAPESTRY_MACROS_MACROKIND_H

//===- BodyEmitter.h - Nodes of a vertex as arith and math ops --*- C++ -*-===//
//
// Private to this folder.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_IMPORT_EIN_BODYEMITTER_H
#define TAPESTRY_LIB_IMPORT_EIN_BODYEMITTER_H

#include "tapestry/Dialect/Index/IR/IndexRandom.h"
#include "tapestry/Dialect/Tapestry/Macros/ScalarBuilder.h"
#include "tapestry/Import/Ein/Graph.h"

namespace tapestry::ein {

/// The type of a stored element: bool is i1.
mlir::Type storedType(ElementType type, mlir::MLIRContext *context);

/// A constant of a stored element.
mlir::TypedAttr constantAttr(const Constant &constant, ElementType type,
                             mlir::MLIRContext *context);

/// Emits an expression into the body of an einsum. Floats narrower than f32 are
/// extended where they are read, and the result is left in f32: the einsum
/// rounds it once.
class BodyEmitter {
public:
  /// `isResult`: the value is what the einsum stores, with no reduction.
  BodyEmitter(teg::ScalarBuilder &builder, const Expression &expression,
              llvm::ArrayRef<VertexLabel> labels, mlir::ValueRange operands,
              bool isResult)
      : builder(builder), expression(expression), labels(labels),
        operands(operands), isResult(isResult) {}

  /// The value of the last node.
  mlir::Value emit();

private:
  template <typename Op, typename... Args> mlir::Value create(Args &&...args) {
    return builder.create<Op>(std::forward<Args>(args)...);
  }
  template <typename FloatOp, typename IntegerOp, typename... Args>
  mlir::Value createEither(bool isFloat, Args &&...args) {
    return isFloat ? create<FloatOp>(args...) : create<IntegerOp>(args...);
  }
  mlir::Value emitNode(const Node &node);
  mlir::Value emitArithmetic(const Node &node);
  // EmitComplex.cpp.
  bool isReal(unsigned number) const;
  mlir::Value emitComplex(const Node &node);
  mlir::Value emitEquality(mlir::Value x, mlir::Value y, bool isEqual);
  mlir::Value emitExponential(mlir::Value re, mlir::Value im);
  mlir::Value emitQuotient(mlir::Value x, mlir::Value y);
  mlir::Value emitRoot(mlir::Value z);
  mlir::Value emitComplexCast(mlir::Value value, ElementType from,
                              ElementType to);
  mlir::Value re(mlir::Value value);
  mlir::Value im(mlir::Value value);
  mlir::Value makeComplex(mlir::Value re, mlir::Value im);
  /// The same of the real parts and of the imaginary ones.
  template <typename Op, typename... Values> mlir::Value onParts(Values... of) {
    mlir::Value real = create<Op>(re(of)...);
    return makeComplex(real, create<Op>(im(of)...));
  }
  /// Both parts with a real number.
  template <typename Op> mlir::Value scaled(mlir::Value z, mlir::Value by) {
    mlir::Value real = create<Op>(re(z), by);
    return makeComplex(real, create<Op>(im(z), by));
  }
  mlir::Value emitDivision(const Node &node);
  mlir::Value emitUnsignedDivision(const Node &node);
  mlir::Value emitModulo(const Node &node);
  mlir::Value emitFloatFloor(const Node &node);
  mlir::Value emitShift(const Node &node);
  // EmitFunctions.cpp.
  mlir::Value emitFunction(const Node &node);
  mlir::Value emitSign(const Node &node);
  mlir::Value emitHypot(mlir::Value x, mlir::Value y);
  mlir::Value emitHypotOfDoubles(mlir::Value large, mlir::Value small);

  mlir::Value emitCompare(const Node &node);
  mlir::Value emitIndexCompare(const Node &node);
  mlir::Value emitLabel(const Node &node);
  mlir::Value emitRandom(const Node &node, tapestry::index::RandomKind kind);
  mlir::Value emitForm(const LinearForm &form);

  mlir::Value emitCast(mlir::Value value, ElementType from, ElementType to);
  mlir::Value emitIntToFloat(mlir::Value value, ElementType from,
                             ElementType to);
  mlir::Value emitFloatToInt(mlir::Value value, ElementType to);
  mlir::Value emitFloatToFloat(mlir::Value value, ElementType to);
  mlir::Value roundToNarrow(mlir::Value value, ElementType to);

  /// The type that values of an element type are computed in.
  mlir::Type computeType(ElementType type);
  mlir::Value constant(ElementType type, int64_t integer);
  mlir::Value constant(mlir::Type type, double real);
  mlir::Value arg(const Node &node, unsigned position) {
    return values[node.args[position]];
  }

  teg::ScalarBuilder &builder;
  const Expression &expression;
  llvm::ArrayRef<VertexLabel> labels;
  mlir::ValueRange operands;
  bool isResult;
  llvm::SmallVector<mlir::Value> values;
};

} // namespace tapestry::ein

#endif // TAPESTRY_LIB_IMPORT_EIN_BODYEMITTER_H

//===- ScalarBuilder.h - The operations of an einsum's body -----*- C++ -*-===//

#ifndef TAPESTRY_DIALECT_TAPESTRY_MACROS_SCALARBUILDER_H
#define TAPESTRY_DIALECT_TAPESTRY_MACROS_SCALARBUILDER_H

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace tapestry::teg {

/// Creates the operations of one body: folds what can be folded, and makes each
/// constant, label and widened value once.
class ScalarBuilder {
public:
  ScalarBuilder(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  /// Creates an op, or the constant that it folds to.
  template <typename Op, typename... Args> mlir::Value create(Args &&...args) {
    return builder.createOrFold<Op>(loc, std::forward<Args>(args)...);
  }
  mlir::Value constant(mlir::TypedAttr value);
  mlir::Value constant(mlir::FloatType type, double value) {
    return constant(mlir::FloatAttr::get(type, value));
  }
  /// The value of an einsum's label, of type index.
  mlir::Value label(llvm::StringRef name);
  /// A float narrower than f32 as f32, in which such are computed; any other
  /// value itself.
  mlir::Value widen(mlir::Value value);
  /// A float, or both parts of a complex number, divided by a float.
  mlir::Value quotient(mlir::Value dividend, mlir::Value divisor);

  mlir::MLIRContext *getContext() { return builder.getContext(); }
  mlir::OpBuilder &getBuilder() { return builder; }
  mlir::Location getLoc() const { return loc; }

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
  llvm::DenseMap<mlir::Attribute, mlir::Value> constants;
  llvm::StringMap<mlir::Value> labels;
  llvm::DenseMap<mlir::Value, mlir::Value> widened;
};

} // namespace tapestry::teg

#endif // TAPESTRY_DIALECT_TAPESTRY_MACROS_SCALARBUILDER_H

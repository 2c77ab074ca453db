//===- Interpreter.h - linalg on buffers, point by point --------*- C++ -*-===//
//
// The oracle of the code generation tests: runs a function of linalg.generic
// and linalg.fill operations one point at a time, floats in double precision
// (rounded where the program rounds to a narrower type), integers exactly.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_UNITTESTS_CODEGEN_INTERPRETER_H
#define TAPESTRY_UNITTESTS_CODEGEN_INTERPRETER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <cstdint>
#include <string>
#include <vector>

namespace tapestry::test {

/// A value of any element type; `integer` is sign-extended.
struct Scalar {
  double real = 0;
  int64_t integer = 0;
};

/// A strided view of typed elements in memory.
struct View {
  char *base = nullptr;
  mlir::Type type;
  int64_t offset = 0;
  std::vector<int64_t> shape, strides;

  Scalar load(llvm::ArrayRef<int64_t> index) const;
  void store(llvm::ArrayRef<int64_t> index, Scalar value) const;
  char *address(llvm::ArrayRef<int64_t> index) const;
};

/// Bytes of one element as it is stored.
unsigned bytesOf(mlir::Type type);
/// `value` as an element of `type` would hold it.
Scalar roundTo(mlir::Type type, Scalar value);

/// Runs `function` on views of its memref arguments. Returns the first
/// operation that it does not know, empty when all went well.
std::string interpret(mlir::func::FuncOp function, std::vector<View> arguments);

} // namespace tapestry::test

#endif // TAPESTRY_UNITTESTS_CODEGEN_INTERPRETER_H

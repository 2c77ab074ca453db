//===- Runner.h - Compile and call functions over buffers -------*- C++ -*-===//
//
// Takes the text of a module through the code phase into this process.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_UNITTESTS_CODEGEN_RUNNER_H
#define TAPESTRY_UNITTESTS_CODEGEN_RUNNER_H

#include "Interpreter.h"
#include "mlir/IR/MLIRContext.h"
#include "tapestry/Object/JitProgram.h"
#include <memory>
#include <string>

namespace tapestry::test {

/// The context of all tests, with the code phase's dialects.
mlir::MLIRContext &context();

/// How many groups of random programs to try: TAPESTRY_TEST_SEEDS if set.
unsigned numSeeds();

/// Marks all functions of `module` as device code.
void markFunctions(mlir::ModuleOp module);

class Program {
public:
  /// Compiles `text`, whose function `main` takes buffers only and has
  /// llvm.emit_c_interface. Null, with a test failure, when that fails.
  static std::unique_ptr<Program> compile(const std::string &text,
                                          unsigned vectorBits = 0,
                                          const std::string &cpu = "native");

  void call(const std::vector<View> &arguments);
  /// Runs the program that was compiled point by point instead.
  std::string interpret(const std::vector<View> &arguments);

private:
  mlir::OwningOpRef<mlir::ModuleOp> source;
  std::unique_ptr<JitProgram> program;
  void *entry = nullptr;
};

} // namespace tapestry::test

#endif // TAPESTRY_UNITTESTS_CODEGEN_RUNNER_H

//===- Translation.cpp - tapestry-translate --mlir-to-object --------------===//

#include "tapestry/Codegen/Translation.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "tapestry/Codegen/Pipeline.h"
#include "llvm/Support/CommandLine.h"

using namespace mlir;

void tapestry::registerMLIRToObjectTranslation(
    void (*registerMarks)(DialectRegistry &)) {
  static llvm::cl::opt<std::string> name(
      "target", llvm::cl::desc("What --mlir-to-object generates for"),
      llvm::cl::init("cpu"));
  static llvm::cl::opt<std::string> cpu(
      "cpu", llvm::cl::desc("Processor that --mlir-to-object generates for"),
      llvm::cl::init("native"));
  static TranslateFromMLIRRegistration registration(
      "mlir-to-object",
      "Compile a module of the LLVM dialect to an object file",
      [](Operation *op, raw_ostream &output) -> LogicalResult {
        auto module = dyn_cast<ModuleOp>(op);
        if (!module)
          return op->emitError("expected a module");
        auto target = createTarget({name, cpu});
        if (!target)
          return op->emitError(llvm::toString(target.takeError()));
        FailureOr<std::unique_ptr<llvm::MemoryBuffer>> object =
            (*target)->emitObject(module);
        if (failed(object))
          return failure();
        output << (*object)->getBuffer();
        return success();
      },
      [registerMarks](DialectRegistry &registry) {
        // A message names the place; of a module all would be printed. This is
        // the one that is called before the file is read.
        registry.addExtension(+[](MLIRContext *context, BuiltinDialect *) {
          context->printOpOnDiagnostic(false);
        });
        registerCodegenDialects(registry);
        registerMarks(registry);
      });
}

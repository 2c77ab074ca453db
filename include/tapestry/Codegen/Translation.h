//===- Translation.h - tapestry-translate --mlir-to-object ------*- C++ -*-===//

#ifndef TAPESTRY_CODEGEN_TRANSLATION_H
#define TAPESTRY_CODEGEN_TRANSLATION_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace tapestry {

/// Registers --mlir-to-object: a module of the LLVM dialect to an object file
/// for the target and the processor that --target and --cpu name. What marks it
/// is of the dialects that `registerMarks` registers, which verify it.
void registerMLIRToObjectTranslation(
    void (*registerMarks)(mlir::DialectRegistry &));

} // namespace tapestry

#endif // TAPESTRY_CODEGEN_TRANSLATION_H

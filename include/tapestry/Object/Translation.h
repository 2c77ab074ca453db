//===- Translation.h - tapestry-translate --mlir-to-object ------*- C++ -*-===//

#ifndef TAPESTRY_OBJECT_TRANSLATION_H
#define TAPESTRY_OBJECT_TRANSLATION_H

namespace tapestry {

/// Registers --mlir-to-object: a module of the LLVM dialect to an object file,
/// optimised for the processor that --mcpu names.
void registerMLIRToObjectTranslation();

} // namespace tapestry

#endif // TAPESTRY_OBJECT_TRANSLATION_H

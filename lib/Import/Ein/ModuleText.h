//===- ModuleText.h - Where the text of a module lies -----------*- C++ -*-===//
//
// Private to this folder.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_IMPORT_EIN_MODULETEXT_H
#define TAPESTRY_LIB_IMPORT_EIN_MODULETEXT_H

#include "llvm/Support/Error.h"
#include "llvm/Support/SourceMgr.h"

namespace tapestry::ein {

/// The text of a module: of a file beside the program, or of the library.
llvm::Expected<llvm::StringRef> loadModule(llvm::SourceMgr &sources,
                                           llvm::StringRef name);

} // namespace tapestry::ein

#endif // TAPESTRY_LIB_IMPORT_EIN_MODULETEXT_H

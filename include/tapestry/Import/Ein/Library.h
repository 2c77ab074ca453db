//===- Library.h - The modules that ship with .ein --------------*- C++ -*-===//

#ifndef TAPESTRY_IMPORT_EIN_LIBRARY_H
#define TAPESTRY_IMPORT_EIN_LIBRARY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace tapestry::ein {

struct LibraryModule {
  llvm::StringLiteral name;
  llvm::StringLiteral text;
};

/// By name.
llvm::ArrayRef<LibraryModule> libraryModules();

} // namespace tapestry::ein

#endif // TAPESTRY_IMPORT_EIN_LIBRARY_H

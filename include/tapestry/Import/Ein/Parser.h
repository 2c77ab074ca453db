//===- Parser.h - From .ein text to its syntax tree -------------*- C++ -*-===//

#ifndef TAPESTRY_IMPORT_EIN_PARSER_H
#define TAPESTRY_IMPORT_EIN_PARSER_H

#include "tapestry/Import/Ein/AST.h"
#include "tapestry/Import/Ein/Diagnostics.h"

namespace tapestry::ein {

/// Parses a whole file. Never fails: what is wrong is reported to
/// `diagnostics`, and parsing goes on with the next statement; a wrong
/// statement that names what it defines becomes an ast::InvalidStmt. The tree
/// refers to `buffer` and lives as long as `context`.
/// The macros of a module, which are known by its prefix only, may be called as
/// those of the language are.
ast::Program parseProgram(llvm::StringRef buffer, ast::Context &context,
                          DiagnosticEngine &diagnostics, bool isModule = false);

} // namespace tapestry::ein

#endif // TAPESTRY_IMPORT_EIN_PARSER_H

//===- Sema.h - From a syntax tree to a checked graph -----------*- C++ -*-===//

#ifndef TAPESTRY_IMPORT_EIN_SEMA_H
#define TAPESTRY_IMPORT_EIN_SEMA_H

#include "tapestry/Import/Ein/AST.h"
#include "tapestry/Import/Ein/Diagnostics.h"
#include "tapestry/Import/Ein/Graph.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include <functional>

namespace tapestry::ein {

struct EinOptions {
  /// Values for params that replace those of the file.
  llvm::StringMap<Number> params;
  /// The shape of the file that an input comes from, for params without a
  /// value; nothing where none is named, `file` being the one that the program
  /// names or empty. Messages start with the file's name.
  std::function<llvm::Expected<std::optional<std::vector<int64_t>>>(
      llvm::StringRef input, llvm::StringRef file)>
      shapeOfInput;
  /// Says why an input has no shape, where one that has none is a mistake.
  std::function<std::string(llvm::StringRef input)> whyNoShape;
  /// Options that name inputs, and the names: {"--like", "X"}.
  std::vector<std::pair<std::string, std::string>> namedInputs;
  /// The text of a module, which lives as long as the graph is made; or why
  /// there is none.
  std::function<llvm::Expected<llvm::StringRef>(llvm::StringRef name)>
      loadModule;
  /// The name of the graph; empty: the file's name without its ending.
  std::string graphName;
};

/// Adds "n=1024" or "lr=0.1", the argument of -D, to `options`. Fails on text
/// of another form and on a param that is set twice to different values.
llvm::Error addParamDefinition(llvm::StringRef text, EinOptions &options);

/// "the program has no input 'Q'; its inputs are X, Y".
std::string unknownInput(llvm::StringRef name,
                         llvm::ArrayRef<llvm::StringRef> known);

/// Resolves names, infers extents and types, and runs the bodies of the users'
/// macros. Reports to `diagnostics` and returns nothing when the program is
/// wrong; goes on after an error as long as it makes sense.
std::optional<Graph> analyze(const ast::Program &program,
                             const EinOptions &options,
                             DiagnosticEngine &diagnostics);

/// Parses and analyses a buffer.
std::optional<Graph> parseAndAnalyze(llvm::StringRef buffer,
                                     const EinOptions &options,
                                     DiagnosticEngine &diagnostics);

/// The most vertices a program may have after macro expansion.
constexpr unsigned maxVertices = 100000;

} // namespace tapestry::ein

#endif // TAPESTRY_IMPORT_EIN_SEMA_H

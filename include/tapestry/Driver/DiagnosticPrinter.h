//===- DiagnosticPrinter.h - What MLIR reports, for people ------*- C++ -*-===//

#ifndef TAPESTRY_DRIVER_DIAGNOSTICPRINTER_H
#define TAPESTRY_DRIVER_DIAGNOSTICPRINTER_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace tapestry::driver {

/// Prints the diagnostics of a context: place, message, and of the text that is
/// being read the line with a caret. What a terminal cannot show is escaped,
/// and what is long is cut.
class DiagnosticPrinter {
public:
  /// `program` stands for places that are in no file.
  DiagnosticPrinter(mlir::MLIRContext *context, std::string program);
  ~DiagnosticPrinter();
  DiagnosticPrinter(const DiagnosticPrinter &) = delete;
  DiagnosticPrinter &operator=(const DiagnosticPrinter &) = delete;

  /// The program's text while it is read; empty: no longer.
  void setText(llvm::StringRef newText) { text = newText; }
  /// Whether all errors so far lie in the command line's options.
  bool onlyOptionsWrong() const { return optionErrors > 0 && otherErrors == 0; }

private:
  void print(const mlir::Diagnostic &diagnostic);
  void printOne(const mlir::Diagnostic &message);

  mlir::MLIRContext *context;
  mlir::DiagnosticEngine::HandlerID handler;
  std::string program;
  llvm::StringRef text;
  unsigned optionErrors = 0;
  unsigned otherErrors = 0;
};

/// A line of a text with a caret below its byte number `column` (from 0): two
/// lines. Of a long line only what is near the caret.
std::string lineWithCaret(llvm::StringRef line, size_t column);

} // namespace tapestry::driver

#endif // TAPESTRY_DRIVER_DIAGNOSTICPRINTER_H

//===- Diagnostics.h - Errors and warnings of the .ein front end *- C++ -*-===//
//
// Collects what lexer, parser and analysis have to say and hands it to a sink,
// so that the same errors reach a terminal (through llvm::SourceMgr), MLIR's
// diagnostic engine or a test. Knows no MLIR.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_IMPORT_EIN_DIAGNOSTICS_H
#define TAPESTRY_IMPORT_EIN_DIAGNOSTICS_H

#include "tapestry/Support/Counted.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/SMLoc.h"
#include <functional>
#include <set>
#include <string>

namespace llvm {
class SourceMgr;
} // namespace llvm

namespace tapestry::ein {

/// One error or warning with the other places that explain it.
struct Diagnostic {
  struct Note {
    /// Invalid for a note without a place.
    llvm::SMRange range;
    std::string message;
  };
  /// Invalid for an error that lies in the options, not in the source.
  llvm::SMRange range;
  std::string message;
  llvm::SmallVector<Note, 2> notes;
  bool isWarning = false;
};

class DiagnosticEngine;

/// An error under construction; it is reported when it goes out of scope.
class InFlightError {
public:
  InFlightError(DiagnosticEngine &engine, Diagnostic diagnostic)
      : engine(&engine), diagnostic(std::move(diagnostic)) {}
  InFlightError(InFlightError &&other)
      : engine(other.engine), diagnostic(std::move(other.diagnostic)) {
    other.engine = nullptr;
  }
  InFlightError(const InFlightError &) = delete;
  InFlightError &operator=(const InFlightError &) = delete;
  InFlightError &operator=(InFlightError &&) = delete;
  ~InFlightError();

  /// Adds a note at another place.
  InFlightError &note(llvm::SMRange range, const llvm::Twine &message);
  /// Adds a note without a place.
  InFlightError &note(const llvm::Twine &message);

private:
  DiagnosticEngine *engine;
  Diagnostic diagnostic;
};

/// Reports every error and warning once, and at most `maxErrors` errors.
class DiagnosticEngine {
public:
  using Sink = std::function<void(const Diagnostic &)>;
  static constexpr unsigned defaultMaxErrors = 20;

  explicit DiagnosticEngine(Sink sink, unsigned maxErrors = defaultMaxErrors)
      : sink(std::move(sink)), maxErrors(maxErrors) {}

  InFlightError error(llvm::SMRange range, const llvm::Twine &message);
  /// Of what has a meaning, but hardly the one that is meant.
  InFlightError warning(llvm::SMRange range, const llvm::Twine &message);

  unsigned errorCount() const { return numErrors; }
  /// Whether so many errors were reported that going on is pointless.
  bool limitReached() const { return numErrors >= maxErrors; }

  /// While it lives, every error gets a note at `call` that names the macro,
  /// or what else `kind` says it is.
  class InstantiationScope {
  public:
    InstantiationScope(DiagnosticEngine &engine, llvm::SMRange call,
                       llvm::StringRef macro, llvm::StringRef kind = "macro");
    ~InstantiationScope() { engine.instantiations.pop_back(); }
    InstantiationScope(const InstantiationScope &) = delete;
    InstantiationScope &operator=(const InstantiationScope &) = delete;

  private:
    DiagnosticEngine &engine;
  };

private:
  friend class InFlightError;
  void report(Diagnostic diagnostic);

  Sink sink;
  unsigned maxErrors;
  unsigned numErrors = 0;
  llvm::SmallVector<Diagnostic::Note, 2> instantiations;
  /// Place and text of what was reported: a macro that is used often repeats
  /// its errors.
  std::set<std::pair<const char *, std::string>> reported;
};

} // namespace tapestry::ein

#endif // TAPESTRY_IMPORT_EIN_DIAGNOSTICS_H

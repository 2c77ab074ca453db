//===- Diagnostics.cpp - Errors of the .ein front end ---------------------===//

#include "tapestry/Import/Ein/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace tapestry::ein;

InFlightError::~InFlightError() {
  if (engine)
    engine->report(std::move(diagnostic));
}

InFlightError &InFlightError::note(llvm::SMRange range,
                                   const llvm::Twine &message) {
  diagnostic.notes.push_back({range, message.str()});
  return *this;
}

InFlightError &InFlightError::note(const llvm::Twine &message) {
  return note(llvm::SMRange(), message);
}

InFlightError DiagnosticEngine::error(llvm::SMRange range,
                                      const llvm::Twine &message) {
  return InFlightError(
      *this, Diagnostic{range, message.str(), {}, /*isWarning=*/false});
}

InFlightError DiagnosticEngine::warning(llvm::SMRange range,
                                        const llvm::Twine &message) {
  return InFlightError(
      *this, Diagnostic{range, message.str(), {}, /*isWarning=*/true});
}

void DiagnosticEngine::report(Diagnostic diagnostic) {
  if (limitReached())
    return;
  if (!reported.emplace(diagnostic.range.Start.getPointer(), diagnostic.message)
           .second)
    return;
  numErrors += !diagnostic.isWarning;
  // Of deeply nested macros the innermost uses and the outermost.
  constexpr size_t mostAtEachEnd = 2;
  size_t depth = instantiations.size();
  for (auto [level, call] : llvm::enumerate(llvm::reverse(instantiations))) {
    if (depth <= 2 * mostAtEachEnd || level < mostAtEachEnd ||
        level >= depth - mostAtEachEnd)
      diagnostic.notes.push_back(call);
    else if (level == mostAtEachEnd)
      diagnostic.notes.push_back(
          {{},
           "and " + countOf(depth - 2 * mostAtEachEnd, "use") +
               " of macros between"});
  }
  if (limitReached())
    diagnostic.notes.push_back({{},
                                "this is error number " +
                                    std::to_string(maxErrors) +
                                    "; the rest is not shown"});
  sink(diagnostic);
}

DiagnosticEngine::InstantiationScope::InstantiationScope(
    DiagnosticEngine &engine, llvm::SMRange call, llvm::StringRef macro,
    llvm::StringRef kind)
    : engine(engine) {
  engine.instantiations.push_back(
      {call, ("in this use of " + kind + " '" + macro + "'").str()});
}

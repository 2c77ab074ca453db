//===- EinFuzzer.cpp - Any text as a program ------------------------------===//

#include "tapestry/Import/Ein/Sema.h"
#include <cstdlib>

using namespace tapestry::ein;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  bool refused = false;
  DiagnosticEngine diagnostics([&](const Diagnostic &) { refused = true; });
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  // A graph or a message, and not both.
  if (parseAndAnalyze(text, {}, diagnostics).has_value() == refused)
    abort();
  return 0;
}

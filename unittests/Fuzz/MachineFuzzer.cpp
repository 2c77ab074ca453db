//===- MachineFuzzer.cpp - Any text as a machine file ---------------------===//

#include "tapestry/Planner/Machine/MachineFile.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

using namespace tapestry::machine;

static std::string textOf(const Machine &machine) {
  std::string text;
  llvm::raw_string_ostream os(text);
  writeMachine(os, machine);
  return text;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  llvm::Expected<Machine> machine = parseMachine(text, "m.json");
  if (!machine) {
    if (llvm::toString(machine.takeError()).empty())
      abort();
    return 0;
  }
  // What is accepted can be written, and is then the same machine.
  std::string written = textOf(*machine);
  if (textOf(llvm::cantFail(parseMachine(written, "m.json"))) != written)
    abort();
  return 0;
}

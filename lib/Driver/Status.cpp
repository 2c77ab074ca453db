//===- Status.cpp - What a command ends with ------------------------------===//

#include "tapestry/Driver/Status.h"
#include "tapestry-rt/Crash.h"
#include "tapestry-rt/Status.h"

using namespace tapestry;
using namespace tapestry::driver;

static std::string prefix;

MessagePlace::MessagePlace(const llvm::Twine &place) {
  prefix = rt::printable(place.str()) + ": ";
  rt::setCrashPlace(prefix);
}
MessagePlace::~MessagePlace() {
  prefix.clear();
  rt::setCrashPlace("");
}

void tapestry::driver::printMessage(const llvm::Twine &message) {
  llvm::errs() << (prefix + message + "\n").str();
}

void tapestry::driver::printError(const llvm::Twine &text) {
  printMessage((prefix.empty() ? "tapestry: error: " : "error: ") +
               rt::printableLines(text.str()));
}

void tapestry::driver::printError(llvm::StringRef place,
                                  const llvm::Twine &text) {
  printMessage(rt::printable(place.str()) +
               ": error: " + rt::printableLines(text.str()));
}

void tapestry::driver::printText(llvm::StringRef text) {
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    llvm::outs() << rt::printable(line.str(), /*most=*/line.size() * 4);
    if (line.size() < text.size())
      llvm::outs() << '\n';
    text = rest;
  }
}

ExitStatus tapestry::driver::report(llvm::Error error) {
  ErrorFacts facts = factsOf(std::move(error));
  if (facts.place.empty() && !facts.text.empty())
    printError(facts.text);
  else if (!facts.text.empty())
    printError(facts.place, facts.text);
  return static_cast<ExitStatus>(facts.fault);
}

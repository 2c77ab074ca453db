//===- OutputFile.cpp - Files that appear whole or not at all -------------===//

#include "tapestry/Driver/OutputFile.h"
#include "tapestry-rt/Files.h"

using namespace tapestry;
using namespace tapestry::driver;

ExitStatus tapestry::driver::report(const rt::Status &status) {
  if (status.failed())
    printMessage(status.message());
  return status.exitStatus();
}

ExitStatus tapestry::driver::writeOutputFile(
    llvm::StringRef path, llvm::function_ref<void(llvm::raw_ostream &)> write) {
  std::string text;
  llvm::raw_string_ostream os(text);
  write(os);
  return report(rt::putFile(path.str(), text));
}

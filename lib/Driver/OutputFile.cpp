//===- OutputFile.cpp - Files that appear whole or not at all -------------===//

#include "tapestry/Driver/OutputFile.h"
#include "llvm/Support/FileSystem.h"

using namespace tapestry;
using namespace tapestry::driver;

static llvm::Error
writeFile(llvm::StringRef path,
          llvm::function_ref<void(llvm::raw_ostream &)> write) {
  llvm::SmallString<128> target(path);
  if (llvm::sys::fs::exists(path)) {
    if (!llvm::sys::fs::is_regular_file(path)) {
      std::error_code code;
      llvm::raw_fd_ostream os(path, code);
      if (code)
        return llvm::errorCodeToError(code);
      write(os);
      return llvm::Error::success();
    }
    (void)llvm::sys::fs::real_path(path, target);
  }
  return llvm::writeToOutput(target, [&](llvm::raw_ostream &os) {
    write(os);
    return llvm::Error::success();
  });
}

ExitStatus tapestry::driver::writeOutputFile(
    llvm::StringRef path, llvm::function_ref<void(llvm::raw_ostream &)> write) {
  if (llvm::Error error = writeFile(path, write)) {
    printError(path, "cannot write: " + llvm::toString(std::move(error)));
    return ExitBadInput;
  }
  return ExitDone;
}

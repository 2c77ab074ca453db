//===- TemporaryFolder.cpp - Files of this process alone ------------------===//

#include "tapestry/Driver/TemporaryFolder.h"
#include "tapestry-rt/Files.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace tapestry;
using namespace tapestry::driver;

TemporaryFolder::~TemporaryFolder() {
  for (const std::string &path : llvm::reverse(noted))
    rt::removeTemporary(path);
}

void TemporaryFolder::note(const std::string &path) {
  if (llvm::is_contained(noted, path))
    return;
  rt::noteTemporary(path);
  noted.push_back(path);
}

ExitStatus TemporaryFolder::make() {
  if (!folder.empty())
    return ExitDone;
  if (std::error_code error =
          llvm::sys::fs::createUniqueDirectory("tapestry", folder)) {
    printError("no folder for temporary files: " + error.message());
    return ExitEnvironment;
  }
  note(std::string(folder));
  return ExitDone;
}

std::string TemporaryFolder::file(const llvm::Twine &name) {
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, name);
  note(std::string(path));
  return std::string(path);
}

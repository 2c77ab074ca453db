//===- TemporaryFolder.h - Files of this process alone ----------*- C++ -*-===//

#ifndef TAPESTRY_DRIVER_TEMPORARYFOLDER_H
#define TAPESTRY_DRIVER_TEMPORARYFOLDER_H

#include "tapestry/Driver/Status.h"
#include "llvm/ADT/SmallString.h"
#include <string>
#include <vector>

namespace tapestry::driver {

/// A folder whose files go with it, at the end or when a signal comes.
class TemporaryFolder {
public:
  TemporaryFolder() = default;
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;

  /// Makes it, unless that is done. A failure is printed.
  ExitStatus make();
  /// The path of a file in it.
  std::string file(const llvm::Twine &name);

private:
  void note(const std::string &path);

  llvm::SmallString<128> folder;
  /// It and what is in it, in the order in which they were named.
  std::vector<std::string> noted;
};

} // namespace tapestry::driver

#endif // TAPESTRY_DRIVER_TEMPORARYFOLDER_H

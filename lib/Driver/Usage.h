//===- Usage.h - Values of options, and what is wrong with them -*- C++ -*-===//

#ifndef TAPESTRY_LIB_DRIVER_USAGE_H
#define TAPESTRY_LIB_DRIVER_USAGE_H

#include "tapestry/Driver/Options.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/CommandLine.h"

namespace tapestry::driver {

/// Prints a usage error and remembers that there was one. Each takes the value
/// of an option, or what an option means that is not given.
class Usage {
public:
  using Text = llvm::cl::opt<std::string>;

  /// The first is printed.
  void error(const llvm::Twine &message);
  bool good = true;

  int64_t number(const Text &given, int64_t fallback, int64_t least,
                 int64_t most = std::numeric_limits<int64_t>::max());
  /// At least 0.
  double real(const Text &given, double fallback);
  int64_t bytes(const Text &given, int64_t fallback);
  /// A number of bytes, or -1 for "none".
  int64_t bytesOrNone(const Text &given, int64_t fallback);
  Bindings bindings(const llvm::cl::list<std::string> &list,
                    llvm::StringRef option, llvm::StringRef example);
};

} // namespace tapestry::driver

#endif // TAPESTRY_LIB_DRIVER_USAGE_H

//===- OptionWords.h - Wrong words of a command line ------------*- C++ -*-===//

#ifndef TAPESTRY_LIB_DRIVER_OPTIONWORDS_H
#define TAPESTRY_LIB_DRIVER_OPTIONWORDS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/CommandLine.h"
#include <string>

namespace tapestry::driver {

/// "-o", "--json".
std::string dashed(llvm::StringRef option);

/// What is wrong with the values of options: one is not there, or is empty (a
/// variable of a shell that is not set), or begins like an option, whose own
/// value it would swallow; or a word is none. Empty where nothing is.
std::string valueProblem(int argc, char **argv);

/// What LLVM's parser says, as one of our messages.
std::string wordProblem(llvm::StringRef said, int argc, char **argv);

} // namespace tapestry::driver

#endif // TAPESTRY_LIB_DRIVER_OPTIONWORDS_H

//===- Error.h - Errors of the planner and the driver -----------*- C++ -*-===//

#ifndef TAPESTRY_SUPPORT_ERROR_H
#define TAPESTRY_SUPPORT_ERROR_H

#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace tapestry {

/// An error whose message is made of `parts`, with the program's fault as code.
template <typename... Parts> llvm::Error planError(const Parts &...parts) {
  std::string text;
  llvm::raw_string_ostream os(text);
  (os << ... << parts);
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

} // namespace tapestry

#endif // TAPESTRY_SUPPORT_ERROR_H

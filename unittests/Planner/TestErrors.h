//===- TestErrors.h - Expecting llvm::Errors --------------------*- C++ -*-===//

#ifndef TAPESTRY_UNITTESTS_PLANNER_TESTERRORS_H
#define TAPESTRY_UNITTESTS_PLANNER_TESTERRORS_H

#include "llvm/Support/Error.h"
#include <gtest/gtest.h>

namespace tapestry::test {

/// Expects success and prints the message otherwise.
inline void expectSuccess(llvm::Error error) {
  EXPECT_EQ(llvm::toString(std::move(error)), "");
}

/// Expects an error that contains every one of `parts`.
inline void expectError(llvm::Error error, std::vector<std::string> parts) {
  std::string message = llvm::toString(std::move(error));
  EXPECT_NE(message, "") << "expected an error about " << parts.front();
  for (const std::string &part : parts)
    EXPECT_NE(message.find(part), std::string::npos)
        << "'" << part << "' is not in: " << message;
}

template <typename T>
void expectError(llvm::Expected<T> value, std::vector<std::string> parts) {
  expectError(value.takeError(), std::move(parts));
}

/// The value; a test that has none ends here with the message.
template <typename T> T valueOf(llvm::Expected<T> value) {
  if (!value) {
    ADD_FAILURE() << llvm::toString(value.takeError());
    abort();
  }
  return std::move(*value);
}

} // namespace tapestry::test

#endif // TAPESTRY_UNITTESTS_PLANNER_TESTERRORS_H

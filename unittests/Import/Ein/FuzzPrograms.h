//===- FuzzPrograms.h - A program and ways to spoil it ----------*- C++ -*-===//

#ifndef TAPESTRY_UNITTESTS_TARGET_EIN_FUZZPROGRAMS_H
#define TAPESTRY_UNITTESTS_TARGET_EIN_FUZZPROGRAMS_H

#include "llvm/ADT/StringRef.h"
#include <random>
#include <string>

namespace tapestry::ein {

/// Uses every construct of the language once.
extern const llvm::StringLiteral validProgram;

/// Replaces, inserts or removes a few bytes.
std::string changeBytes(llvm::StringRef text, std::mt19937 &random);

/// Lets words and signs change places: mostly still well formed.
std::string swapWords(llvm::StringRef text, std::mt19937 &random);

} // namespace tapestry::ein

#endif // TAPESTRY_UNITTESTS_TARGET_EIN_FUZZPROGRAMS_H

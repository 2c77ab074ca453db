//===- Words.h - The words that .ein gives a meaning ------------*- C++ -*-===//
//
// One table of reserved words, so that lexer, parser, analysis and "did you
// mean" agree on them.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_IMPORT_EIN_WORDS_H
#define TAPESTRY_IMPORT_EIN_WORDS_H

#include "tapestry/Support/Projection.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace tapestry::ein {

enum class WordClass {
  Statement, ///< param, input, output, def
  Reduction, ///< sum, ...; max and min are functions as well
  Function,  ///< abs, exp, select, pad, ...
  Type,      ///< f32, ...
  Macro,     ///< softmax, rmsnorm, layernorm
  View,      ///< concat, ...
  Generator, ///< zeros, ones, full; random, before a point
  Literal    ///< true, false, inf, nan
};

/// What names of generators of random numbers begin with.
constexpr llvm::StringLiteral randomPrefix = "random.";

/// What a reserved word is; nothing for words that users may define.
std::optional<WordClass> classifyWord(llvm::StringRef word);
/// What `edge(X)[...]` and its like do at the ends of X, unless the program
/// defines the name.
std::optional<Fold> foldNamed(llvm::StringRef word);
/// How a message names such a word: "a function", "a reduction", ...
llvm::StringRef describe(WordClass wordClass);

/// The candidate that `word` is most likely a misspelling of, or "" when none
/// is near. Ties go to the first.
llvm::StringRef nearestWord(llvm::StringRef word,
                            llvm::ArrayRef<llvm::StringRef> candidates);
/// How what NumPy, PyTorch, Python or C call `word` (a name or an operator) is
/// written in .ein, as the text of a note; "" where it has no other form.
llvm::StringRef adviceFor(llvm::StringRef word);
/// All words that may stand before "(".
llvm::ArrayRef<llvm::StringRef> callableWords();

} // namespace tapestry::ein

#endif // TAPESTRY_IMPORT_EIN_WORDS_H

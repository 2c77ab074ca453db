//===- Words.cpp - The words that .ein gives a meaning --------------------===//

#include "tapestry/Import/Ein/Words.h"
#include "tapestry/Import/Ein/Types.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/ErrorHandling.h"
#include <algorithm>

using namespace tapestry::ein;

namespace {
struct WordRow {
  llvm::StringLiteral word;
  WordClass wordClass;
};
constexpr WordRow wordTable[] = {
    {"param", WordClass::Statement},  {"input", WordClass::Statement},
    {"output", WordClass::Statement}, {"def", WordClass::Statement},
    {"sum", WordClass::Reduction},    {"prod", WordClass::Reduction},
    {"max", WordClass::Reduction},    {"min", WordClass::Reduction},
    {"all", WordClass::Reduction},    {"any", WordClass::Reduction},
    {"xor", WordClass::Reduction},    {"select", WordClass::Function},
    {"abs", WordClass::Function},     {"exp", WordClass::Function},
    {"log", WordClass::Function},     {"sqrt", WordClass::Function},
    {"rsqrt", WordClass::Function},   {"sin", WordClass::Function},
    {"cos", WordClass::Function},     {"tanh", WordClass::Function},
    {"erf", WordClass::Function},     {"sigmoid", WordClass::Function},
    {"floor", WordClass::Function},   {"ceil", WordClass::Function},
    {"pad", WordClass::Function},     {"f64", WordClass::Type},
    {"f32", WordClass::Type},         {"f16", WordClass::Type},
    {"bf16", WordClass::Type},        {"i8", WordClass::Type},
    {"i16", WordClass::Type},         {"i32", WordClass::Type},
    {"i64", WordClass::Type},         {"bool", WordClass::Type},
    {"softmax", WordClass::Macro},    {"rmsnorm", WordClass::Macro},
    {"layernorm", WordClass::Macro},  {"concat", WordClass::View},
    {"transpose", WordClass::View},   {"reverse", WordClass::View},
    {"repeat", WordClass::View},      {"interleave", WordClass::View},
    {"zeros", WordClass::Generator},  {"ones", WordClass::Generator},
    {"full", WordClass::Generator},   {"iota", WordClass::Generator},
    {"random", WordClass::Generator}, {"true", WordClass::Literal},
    {"false", WordClass::Literal},    {"inf", WordClass::Literal},
    {"nan", WordClass::Literal},
};
} // namespace

std::optional<WordClass> tapestry::ein::classifyWord(llvm::StringRef word) {
  static const llvm::StringMap<WordClass> words = [] {
    llvm::StringMap<WordClass> map;
    for (const WordRow &row : wordTable)
      map[row.word] = row.wordClass;
    return map;
  }();
  auto it = words.find(word);
  if (it == words.end())
    return std::nullopt;
  return it->second;
}

std::optional<tapestry::Fold> tapestry::ein::foldNamed(llvm::StringRef word) {
  return word == "wrap"  ? Fold::Wrap
         : word == "mod" ? std::nullopt
                         : symbolizeFold(word);
}

llvm::StringRef tapestry::ein::describe(WordClass wordClass) {
  switch (wordClass) {
  case WordClass::Statement:
    return "a statement keyword";
  case WordClass::Reduction:
    return "a reduction";
  case WordClass::Function:
    return "a function";
  case WordClass::Type:
    return "a type";
  case WordClass::Macro:
    return "a macro";
  case WordClass::View:
    return "a view";
  case WordClass::Generator:
    return "a generator";
  case WordClass::Literal:
    return "a literal";
  }
  llvm_unreachable("all classes are named");
}

llvm::StringRef
tapestry::ein::nearestWord(llvm::StringRef word,
                           llvm::ArrayRef<llvm::StringRef> candidates) {
  // A third of the letters and one more may differ, but no more than half of
  // them; names of one letter only in case.
  unsigned limit = std::min(word.size() / 3 + 1, word.size() / 2);
  llvm::StringRef best;
  unsigned bestDistance = limit + 1;
  for (llvm::StringRef candidate : candidates) {
    unsigned distance =
        candidate.equals_insensitive(word)
            ? 0
            : word.edit_distance(candidate, /*AllowReplacements=*/true,
                                 bestDistance);
    // Replacing every letter makes no misspelling.
    if (distance < bestDistance &&
        distance < std::max<size_t>(word.size(), candidate.size())) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

llvm::ArrayRef<llvm::StringRef> tapestry::ein::callableWords() {
  static const std::vector<llvm::StringRef> words = [] {
    std::vector<llvm::StringRef> list;
    for (const WordRow &row : wordTable)
      if (row.wordClass == WordClass::Function ||
          row.wordClass == WordClass::Type ||
          row.wordClass == WordClass::Macro || row.word == "max" ||
          row.word == "min")
        list.push_back(row.word);
    return list;
  }();
  return words;
}

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

namespace {
struct AdviceRow {
  llvm::StringLiteral word;
  llvm::StringLiteral advice;
};
// Each is imported as it stands by a test.
constexpr llvm::StringLiteral product =
    "a matrix product is C[i, k] = sum[j] A[i, j] * B[j, k]";
constexpr llvm::StringLiteral mean = "a mean is M[n] = sum[c] X[n, c] / c'";
constexpr llvm::StringLiteral loop =
    "--repeat K --feed OUT=IN on the command line runs a program K times";
constexpr llvm::StringLiteral index =
    "indices as results are not supported yet";
constexpr llvm::StringLiteral order = "sorting is not supported yet";
constexpr AdviceRow adviceTable[] = {
    {"where", "where(c, x, y) is select(c, x, y)"},
    {"if", "x if c else y is select(c, x, y)"},
    {"relu", "relu(x) is max(x, 0)"},
    {"maximum", "maximum(x, y) is max(x, y)"},
    {"minimum", "minimum(x, y) is min(x, y)"},
    {"clamp", "clamp(x, lo, hi) is min(max(x, lo), hi)"},
    {"clip", "clip(x, lo, hi) is min(max(x, lo), hi)"},
    {"sign", "sign(x) is f32(x > 0) - f32(x < 0)"},
    {"square", "square(x) is x ** 2"},
    {"power", "power(x, y) is x ** y"},
    {"pow", "pow(x, y) is x ** y"},
    {"exp2", "exp2(x) is 2.0 ** x"},
    {"log2", "log2(x) is log(x) / log(2.0)"},
    {"log10", "log10(x) is log(x) / log(10.0)"},
    {"log1p", "log1p(x) is log(1 + x), but near 0"},
    {"expm1", "expm1(x) is exp(x) - 1, but near 0"},
    {"reciprocal", "reciprocal(x) is 1 / x"},
    {"absolute", "absolute(x) is abs(x)"},
    {"fabs", "fabs(x) is abs(x)"},
    {"isnan", "isnan(x) is x != x"},
    {"round", "round(x) is floor(x + 0.5), but for ties"},
    {"trunc", "trunc(x) is select(x < 0, ceil(x), floor(x))"},
    {"tan", "tan(x) is sin(x) / cos(x)"},
    {"silu", "silu(x) is x * sigmoid(x)"},
    {"swish", "swish(x) is x * sigmoid(x)"},
    {"gelu", "gelu(x) is 0.5 * x * (1 + erf(x / sqrt(2.0)))"},
    {"softplus", "softplus(x) is max(x, 0) + log(1 + exp(0 - abs(x)))"},
    {"float64", "float64(x) is f64(x)"},
    {"float32", "float32(x) is f32(x)"},
    {"float16", "float16(x) is f16(x)"},
    {"int64", "int64(x) is i64(x)"},
    {"int32", "int32(x) is i32(x)"},
    {"float", "float(x) is f32(x) or f64(x)"},
    {"int", "int(x) is i32(x) or i64(x)"},
    {"matmul", product},
    {"dot", product},
    {"einsum", product},
    {"mean", mean},
    {"avg", mean},
    {"average", mean},
    {"count", "a count is N[n] = sum[c] i64(X[n, c] > 0)"},
    {"norm", "a norm is two statements: Q = sum[i] X[i] ** 2 and N = sqrt(Q)"},
    {"logsumexp", "logsumexp is three statements: M[n] = max[c] X[n, c], "
                  "S[n] = sum[c] exp(X[n, c] - M[n]) and L[n] = M[n] + "
                  "log(S[n])"},
    {"cumsum", "a running sum is C[i] = sum[j] X[j] * f32([j <= i]) over "
               "i:8, in time that grows with the square"},
    {"argmax", index},
    {"argmin", index},
    {"sort", order},
    {"argsort", order},
    {"topk", order},
    {"transpose", "a transpose is T[j, i] = A[i, j]"},
    {"reverse", "backwards is R[i] = X[7 - i] for 8 elements"},
    {"zeros", "zeros are Z[i:8] = f32(0)"},
    {"ones", "ones are Z[i:8] = f32(1)"},
    {"full", "a constant is Z[i:8] = f32(2.5)"},
    {"for", loop},
    {"while", loop},
    {"import", "a program is one file"},
};
} // namespace

llvm::StringRef tapestry::ein::adviceFor(llvm::StringRef word) {
  for (const AdviceRow &row : adviceTable)
    if (row.word == word)
      return row.advice;
  return "";
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

//===- Advice.cpp - What other languages call what .ein has ---------------===//

#include "tapestry/Import/Ein/Library.h"
#include "tapestry/Import/Ein/Words.h"
#include "llvm/ADT/StringMap.h"

using namespace tapestry::ein;

namespace {
struct AdviceRow {
  llvm::StringLiteral word;
  llvm::StringLiteral advice;
};
// Each is imported as it stands by a test.
constexpr llvm::StringLiteral product =
    "a matrix product is C[i, k] = sum[j] A[i, j] * B[j, k]; of whole matrices "
    "C = A @ B";
constexpr llvm::StringLiteral mean = "a mean is M[n] = mean[c] X[n, c]";
constexpr llvm::StringLiteral loop =
    "a loop is repeat t:100 (X = X0) { next X[i] = ... } until E < 1e-6";
constexpr llvm::StringLiteral inLoop =
    "it stands in the body of a loop: repeat t:100 (X = X0) { collect H[t, i] "
    "= X[i] next X[i] = ... }";
constexpr llvm::StringLiteral numbers =
    "the numbers 0, 1, ... are N[i:8] = i32(i)";
constexpr llvm::StringLiteral scan =
    "a running sum is C[i] = cumsum[i] X[i]; there are cumprod, cummax and "
    "cummin, too, and of any monoid scan NAME[i]";
constexpr llvm::StringLiteral order =
    "values in order are S[r] = sort[i] X[i], their indices are "
    "P[r] = argsort[i] X[i], the largest five are V[r:5] = topk[i] X[i]";
constexpr llvm::StringLiteral chance =
    "random numbers of the seed 7 are R[i:8] = random.normal[f32](7); there "
    "are "
    "also random.uniform, random.bits and random.bernoulli";
constexpr llvm::StringLiteral gradient = "gradients are not supported yet";
constexpr llvm::StringLiteral variance =
    "a variance is V = mean[i] (X[i] - mean[k](X[k])) ** 2; a standard "
    "deviation is sqrt(V)";
constexpr llvm::StringLiteral modulo = "x modulo y is x % y";
constexpr llvm::StringLiteral shape = "another shape is reshape[4, 2](X)";
constexpr llvm::StringLiteral join = "one behind the other are concat[0](X, Y)";
constexpr llvm::StringLiteral repetition =
    "a tensor several times is tile[2](X), each element several times "
    "repeat[0, 2](X)";
constexpr llvm::StringLiteral folded =
    "edge, wrap, reflect and symmetric stand around a tensor that has "
    "subscripts: Y[i:8] = edge(X)[i - 1]";
constexpr llvm::StringLiteral number =
    "a number is param lr = 0.5, which -D lr=0.1 replaces";
constexpr llvm::StringLiteral once =
    "a tensor is defined once, by one statement";
constexpr llvm::StringLiteral ofParts =
    "the parts of a complex number are re(x) and im(x)";
constexpr llvm::StringLiteral constant =
    "constants have their shape written: Z : f32[8] = zeros; there are ones "
    "and "
    "full(2.5), too";
constexpr llvm::StringLiteral known =
    "shapes are known before the run: a mask is M[i] = X[i] != 0, a count "
    "N = sum[i] X[i] != 0";
constexpr llvm::StringLiteral counts =
    "a count per value is C[A[i]:8] = sum[i] 1";
constexpr llvm::StringLiteral gathered =
    "elements at places that data name are G[i] = X[A[i]]";
constexpr llvm::StringLiteral covariance =
    "of the columns they are stats.covariance(X) and stats.correlation(X), of "
    "import stats";
constexpr AdviceRow adviceTable[] = {
    {"where", "where(c, x, y) is select(c, x, y)"},
    {"if", "x if c else y is select(c, x, y)"},
    {"maximum", "maximum(x, y) is max(x, y)"},
    {"minimum", "minimum(x, y) is min(x, y)"},
    {"clip", "clip(x, lo, hi) is clamp(x, lo, hi)"},
    {"square", "square(x) is x ** 2"},
    {"power", "power(x, y) is x ** y"},
    {"pow", "pow(x, y) is x ** y"},
    {"reciprocal", "reciprocal(x) is 1 / x"},
    {"absolute", "absolute(x) is abs(x)"},
    {"leaky_relu", "leaky_relu(x) is select(x > 0, x, 0.01 * x)"},
    {"layernorm",
     "layernorm is L[n, c] = layernorm[c](M[n, c], 1e-5); with scale and "
     "shift nn.layernorm(M, Scale, Shift), of import nn"},
    {"rmsnorm", "rmsnorm is R[n, c] = rmsnorm[c](M[n, c], 1e-5); with a scale "
                "nn.rmsnorm(M, Scale), of import nn"},
    {"softmax", "softmax is P[n, c] = softmax[c](M[n, c])"},
    {"fabs", "fabs(x) is abs(x)"},
    {"silu", "silu(x) is x * sigmoid(x)"},
    {"swish", "swish(x) is x * sigmoid(x)"},
    {"gelu", "gelu(x) is 0.5 * x * (1 + erf(x / sqrt(2.0)))"},
    {"softplus", "softplus(x) is max(x, 0) + log1p(exp(0 - abs(x)))"},
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
    {"count", "a count is N[n] = sum[c] X[n, c] > 0"},
    {"norm", "a norm is N = sqrt(sum[i](X[i] ** 2))"},
    {"logsumexp", "a logsumexp is L[n] = logsumexp[c] X[n, c]"},
    {"cumsum", scan},
    {"cumprod", scan},
    {"scan", scan},
    {"accumulate", scan},
    {"argmax", "an argmax is I[n] = argmax[c] X[n, c]"},
    {"argmin", "an argmin is I[n] = argmin[c] X[n, c]"},
    {"sort", order},
    {"argsort", order},
    {"topk", order},
    {"median", order},
    {"percentile", order},
    {"quantile", order},
    {"transpose", "a transpose is transpose(A) or T[j, i] = A[i, j]"},
    {"reverse", "backwards is flip[0](X)"},
    {"swapaxes", "dimensions are exchanged by transpose[1, 0](A)"},
    {"permute", "dimensions are exchanged by transpose[1, 0](A)"},
    {"for", loop},
    {"while", loop},
    {"next", inLoop},
    {"collect", inLoop},
    {"count", "the passes that a loop t has done are t.count behind it; in "
              "its body t is the number of the pass"},
    {"import", "a module is import nn, its macros are nn.gelu(X), ..."},
    {"let", number},
    {"const", number},
    {"var", variance},
    {"variance", variance},
    {"std", variance},
    {"isfinite", "isfinite(x) is abs(x) < inf"},
    {"rint", "rint(x) is round(x)"},
    {"arcsin", "arcsin(x) is asin(x)"},
    {"arccos", "arccos(x) is acos(x)"},
    {"arctan", "arctan(x) is atan(x)"},
    {"arctan2", "arctan2(y, x) is atan2(y, x)"},
    {"mod", modulo},
    {"remainder", modulo},
    {"fmod", "fmod(x, y) is x % y but for the sign, which is that of x"},
    {"floor_divide", "floor_divide(x, y) is x // y"},
    {"outer", "an outer product is P[i, j] = X[i] * Y[j]"},
    {"eye", "a unit matrix is E[i:8, j:8] = f32([i == j])"},
    {"gather", gathered},
    {"take", gathered},
    {"scatter", counts},
    {"diag", "a matrix with a diagonal is linalg.diag(X), of import linalg; "
             "the diagonal of one D[i] = M[i, i]"},
    {"len", "the extent of label i is i'"},
    {"size", "the extent of label i is i'"},
    {"onehot", "a row of each is H[i, k:8] = f32(A[i] == k)"},
    {"one_hot", "a row of each is H[i, k:8] = f32(A[i] == k)"},
    {"triu", "the upper triangle is U[i, j] = select([j >= i], M[i, j], 0)"},
    {"tril", "the lower triangle is L[i, j] = select([j <= i], M[i, j], 0)"},
    {"linspace", "8 numbers from 0 to 1 are L[i:8] = f32(i) / 7"},
    {"zeros_like", constant},
    {"ones_like", constant},
    {"full_like", constant},
    {"empty", constant},
    {"nonzero", known},
    {"argwhere", known},
    {"unique", "shapes are known before the run: which of the values 0 to 7 "
               "occur is U[k:8] = any[i] A[i] == k"},
    {"bincount", counts},
    {"histogram", counts},
    {"cov", covariance},
    {"corrcoef", covariance},
    {"iota", numbers},
    {"arange", numbers},
    {"random", chance},
    {"rand", chance},
    {"randn", chance},
    {"normal", chance},
    {"bernoulli", chance},
    {"dropout",
     "dropout is D[i] = select(random.bernoulli(7, 0.1), 0, X[i] / 0.9)"},
    {"grad", gradient},
    {"gradient", gradient},
    {"concat", join},
    {"concatenate", join},
    {"hstack", join},
    {"vstack", join},
    {"stack", "a new dimension is stack[0](X, Y)"},
    {"split", "a part is P[i:4] = X[i + 4]"},
    {"reshape", shape},
    {"flatten", shape},
    {"flip", "backwards is flip[0](X)"},
    {"tile", repetition},
    {"interleave", "elements in turns are interleave[0](X, Y)"},
    {"edge", folded},
    {"wrap", folded},
    {"reflect", folded},
    {"symmetric", folded},
    {"roll", "roll(X, 1)[i] is X[(i - 1) % 8] for 8 elements"},
    {"repeat", "a loop is repeat t:100 (X = X0) { ... }; each element several "
               "times is repeat[0, 2](X)"},
    {"uint8", "uint8(x) is u8(x)"},
    {"uint16", "uint16(x) is u16(x)"},
    {"uint32", "uint32(x) is u32(x)"},
    {"uint64", "uint64(x) is u64(x)"},
    {"complex64", "complex64(x) is c64(x)"},
    {"complex128", "complex128(x) is c128(x)"},
    {"real", ofParts},
    {"imag", ofParts},
    {"conjugate", "conjugate(x) is conj(x)"},
    {"angle", "angle(x) is arg(x)"},
    {"phase", "phase(x) is arg(x)"},
    // Operators and punctuation.
    {"and", "a and b is a && b"},
    {"or", "a or b is a || b"},
    {"not", "not a is !a"},
    {"&", "&, | and ^ bind tighter than comparisons: (a < b) & (c < d)"},
    {"^", "a power is x ** y"},
    {"~", "~a is !a for bools and a ^ -1 for integers"},
    {"?", "c ? x : y is select(c, x, y); an extent is a number or a param, "
          "which -D n=... sets"},
    {"+=", once},
    {"-=", once},
    {"*=", once},
    {"/=", once},
    {";", "a statement ends with its line"},
    {"\\", "inside brackets a statement goes on in the next line"},
    {".",
     "there are no methods, and no prefixes but those of imported modules: "
     "f(x) for np.f(x) and x.f()"},
    {".T", "a transpose is transpose(A) or T[j, i] = A[i, j]"},
    {".astype", "x.astype(f64) is f64(x)"},
    {".shape", "the extent of label i is i'"},
    // What is no single word.
    {"comment", "a comment starts with '#'"},
    {"whole",
     "of all elements it is sum(X); along labels S[n] = sum[i] X[n, i], "
     "inside an expression 1 / sum[i](X[i])"},
    {"until",
     "behind 'until' a name is what the pass has made of it; beside the "
     "value before it stands in the body: Y[i] = 2 * X[i], "
     "E = max(abs(Y - X)), next X = Y"},
    {"slice", "what lies outside has labels: Y[i:8] = pad(X, 0)[i - 1]"},
    {"place", "the element of one place is a statement: T = X[3]; in a larger "
              "result Y[i:8] = select([i == 3], X[i], 0)"},
    {"nested", "more than a sum, divided and wrapped around once, is a "
               "statement in between: T[t] = X[7 - t], then T[i % 8]"},
    {"literal", "a constant tensor has a type: K : f32[3] = [1, 2.5, 3]"},
    {"param", "param n = 8 makes one, which -D n=16 on the command line sets"},
};

/// How each macro of the library is used, by its name, unless that is a word of
/// ours, and with its prefix; by that and a point how they become known.
llvm::StringMap<std::string> readLibrary() {
  llvm::StringMap<std::string> uses;
  for (const LibraryModule &module : libraryModules()) {
    uses.try_emplace(
        (module.name + ".").str(),
        ("import " + module.name + " makes the macros of that module known")
            .str());
    llvm::SmallVector<llvm::StringRef> lines;
    module.text.split(lines, '\n');
    for (llvm::StringRef line : lines) {
      if (!line.consume_front("def "))
        continue;
      llvm::StringRef name = line.split('(').first;
      std::string use = (name + " is " + module.name + "." +
                         line.split(" ->").first + ", of import " + module.name)
                            .str();
      uses.try_emplace((module.name + "." + name).str(), use);
      if (!classifyWord(name))
        uses.try_emplace(name, use);
    }
  }
  return uses;
}
} // namespace

llvm::StringRef tapestry::ein::adviceFor(llvm::StringRef word) {
  for (const AdviceRow &row : adviceTable)
    if (row.word == word)
      return row.advice;
  static const llvm::StringMap<std::string> library = readLibrary();
  auto use = library.find(word);
  return use == library.end() ? "" : llvm::StringRef(use->second);
}

//===- FuzzPrograms.cpp - A program and ways to spoil it ------------------===//

#include "FuzzPrograms.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace tapestry::ein;

const llvm::StringLiteral tapestry::ein::validProgram =
    R"(param n = 6   # a comment
param m = n / 2 + 1
input A : f32[n, m]
input H : f16[n, m]
input I : i32[n, m]
input M : bool[n, m]
input X : f32[2, 3, 10, 9]
input W : f32[4, 3, 3, 3]
input s : f32
E[i] = sum[k] A[i, k]
G[i, k:8] = E[i] * s + k'
T = sum[i] A[i, m - 1] ** 2
C[b, o, y, x] = sum[c, r, q] X[b, c, 2*y + r, x + q] * W[o, c, r, q]
D[b, o, y:10, x:9] = sum[c, r, q] pad(X, -inf)[b, c, y + r - 1,
    x + q - 1] * W[o, c, r, q]
F[i, j] = select(A[i, j] > 0 && !M[i, j], A[i, j], [i <= j] * 0.5)
K[i, j] = I[i, j] / 3 // n % 5 & 6 ^ 1 << 2 | max(I[i, j], i32(A[i, j])) - 2 ** 3
N[i, j] = rmsnorm[j](H[i, j], 1e-5)
def attention(Q[s, d], K[t, d], scale) -> O[s, d] {
  T[s, t] = sum[d] Q[s, d] * K[t, d] * scale / sqrt(f32(d'))
  P[s, t] = softmax[t] T[s, t]
  O[s, d] = sum[t] P[s, t] * K[t, d]
}
O = attention(A, A, 0.5)
U[x, y] = attention(A[x, y], A, s)
output G, T, C
output D
output F, K, N, O, U
)";

std::string tapestry::ein::changeBytes(llvm::StringRef text,
                                       std::mt19937 &random) {
  constexpr llvm::StringLiteral likely = "[](){},:'=<>+-*/%^&|!.#\n 019aijXe_";
  std::string changed = text.str();
  for (unsigned change = random() % 6 + 1; change > 0; --change) {
    size_t at = random() % changed.size();
    char c = likely[random() % likely.size()];
    switch (random() % 3) {
    case 0:
      changed[at] = c;
      break;
    case 1:
      changed.insert(at, 1, c);
      break;
    case 2:
      changed.erase(at, random() % 8);
      break;
    }
  }
  return changed;
}

std::string tapestry::ein::swapWords(llvm::StringRef text,
                                     std::mt19937 &random) {
  llvm::SmallVector<llvm::StringRef> pieces;
  while (!text.empty()) {
    size_t size = text.find_if_not([](char c) { return llvm::isAlnum(c); });
    size = std::min(std::max<size_t>(size, 1), text.size());
    pieces.push_back(text.take_front(size));
    text = text.drop_front(size);
  }
  for (unsigned swap = random() % 3 + 1; swap > 0; --swap)
    std::swap(pieces[random() % pieces.size()],
              pieces[random() % pieces.size()]);
  return llvm::join(pieces, "");
}

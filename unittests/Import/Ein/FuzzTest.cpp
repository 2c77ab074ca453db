//===- FuzzTest.cpp - No text makes the front end crash -------------------===//
//
// Random bytes, random words of the language, and valid programs that were cut
// or changed. What is checked: the front end ends, and either gives a graph or
// says why not. Run it in a build with TAPESTRY_SANITIZE to see more.
//
//===----------------------------------------------------------------------===//

#include "FuzzPrograms.h"
#include "Testing.h"
#include "gtest/gtest.h"
#include <random>

using namespace tapestry::ein;

namespace {

void run(llvm::StringRef text) {
  Analysis analysis = analyzeText(text);
  EXPECT_NE(analysis.graph.has_value(), !analysis.messages.empty())
      << text.str();
  EXPECT_LE(analysis.messages.size(), 400u);
}

TEST(EinFuzz, TheProgramItselfIsValid) {
  Analysis analysis = analyzeText(validProgram);
  EXPECT_TRUE(analysis.graph) << llvm::join(analysis.messages, "\n");
}

TEST(EinFuzz, EveryPrefixAndSuffix) {
  for (size_t size = 0; size < validProgram.size(); ++size) {
    run(validProgram.take_front(size));
    run(validProgram.drop_front(size));
  }
}

TEST(EinFuzz, RandomBytes) {
  std::mt19937 random(1);
  for (unsigned round = 0; round < 2000; ++round) {
    std::string text(random() % 300, '\0');
    for (char &c : text)
      c = static_cast<char>(random());
    run(text);
  }
}

TEST(EinFuzz, ChangedBytes) {
  std::mt19937 random(2);
  for (unsigned round = 0; round < 4000; ++round)
    run(changeBytes(validProgram, random));
}

TEST(EinFuzz, RandomWords) {
  constexpr llvm::StringLiteral words[] = {
      "param",   "input",    "output",
      "def",     "sum",      "max",
      "softmax", "select",   "pad",
      "exp",     "f32",      "i8",
      "bool",    "true",     "inf",
      "rmsnorm", "concat",   "iota",
      "A",       "B",        "i",
      "j",       "n",        "0",
      "1",       "7",        "0.5",
      "1e30",    "(",        ")",
      "[",       "]",        "{",
      "}",       ",",        ":",
      "'",       "->",       "=",
      "==",      "<",        "&&",
      "!",       "+",        "-",
      "*",       "**",       "/",
      "\n",      "\n",       "9223372036854775808",
      "A[i]",    "[i <= j]", "f(A)"};
  std::mt19937 random(3);
  for (unsigned round = 0; round < 5000; ++round) {
    std::string text = "param n = 4\ninput A : f32[n]\n"
                       "def f(X[i]) -> Y[i] { Y[i] = X[i] }\nB[i] = ";
    for (unsigned count = random() % 40; count > 0; --count)
      text += (words[random() % std::size(words)] + " ").str();
    run(text);
  }
}

TEST(EinFuzz, SwappedWords) {
  std::mt19937 random(4);
  for (unsigned round = 0; round < 4000; ++round)
    run(swapWords(validProgram, random));
}

} // namespace

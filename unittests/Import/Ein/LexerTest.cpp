//===- LexerTest.cpp - Tokens of .ein files -------------------------------===//

#include "tapestry/Import/Ein/Lexer.h"
#include "tapestry/Import/Ein/Types.h"
#include "tapestry/Import/Ein/Words.h"
#include "gtest/gtest.h"

using namespace tapestry::ein;

namespace {

/// The tokens of a text, separated by blanks; "~" for a newline, "!" for what
/// was reported.
std::string tokens(llvm::StringRef text, unsigned *errors = nullptr) {
  DiagnosticEngine diagnostics([](const Diagnostic &) {});
  Lexer lexer(text, diagnostics);
  std::string result;
  for (Token token = lexer.lex(); !token.is(TokenKind::EndOfFile);
       token = lexer.lex()) {
    if (!result.empty())
      result += ' ';
    result += token.is(TokenKind::Newline) ? "~"
              : token.is(TokenKind::Error) ? "!"
                                           : token.spelling.str();
  }
  if (errors)
    *errors = diagnostics.errorCount();
  return result;
}

TEST(EinLexer, SplitsLongestFirst) {
  EXPECT_EQ(tokens("a**b*c->d-e<=f<g==h=i!=!j&&k||l'"),
            "a ** b * c -> d - e <= f < g == h = i != ! j && k || l '");
  EXPECT_EQ(tokens("a//b/c%d<<e<f>>=g>h&i&&j|k||l^m"),
            "a // b / c % d << e < f >> = g > h & i && j | k || l ^ m");
}

TEST(EinLexer, Numbers) {
  EXPECT_EQ(tokens("1 2.5 .5 1. 1e5 1.5e-3 2E+7 0"),
            "1 2.5 .5 1. 1e5 1.5e-3 2E+7 0");
  unsigned errors = 0;
  EXPECT_EQ(tokens("2x 1.2.3 1e 3_000", &errors), "! ! ! !");
  EXPECT_EQ(errors, 4u);
}

TEST(EinLexer, OpenBracketsContinueTheLine) {
  EXPECT_EQ(tokens("a[i,\n j]\nb(\n# comment ]\n)\n"), "a [ i , j ] ~ b ( ) ~");
  // Braces do not, and a closing bracket too many does no harm.
  EXPECT_EQ(tokens("{\n}\n)\n]\nx"), "{ ~ } ~ ) ~ ] ~ x");
}

TEST(EinLexer, CommentsAndBlanks) {
  EXPECT_EQ(tokens("\xef\xbb\xbf# \xce\xa9 all this\r\n\ta\f b\r\n#end"),
            "~ a b ~");
}

TEST(EinLexer, UnknownBytesAreReportedWhole) {
  unsigned errors = 0;
  EXPECT_EQ(tokens("a \xe2\x82\xac b", &errors), "a ! b");
  EXPECT_EQ(errors, 1u);
  llvm::StringRef binary("\0\x80\xff", 3);
  EXPECT_EQ(tokens(binary, &errors), "! ! !");
  EXPECT_EQ(errors, 3u);
}

TEST(EinTypes, Integers) {
  EXPECT_TRUE(fitsInteger(127, ElementType::I8));
  EXPECT_FALSE(fitsInteger(128, ElementType::I8));
  EXPECT_TRUE(fitsInteger(-128, ElementType::I8));
  EXPECT_FALSE(fitsInteger(-129, ElementType::I8));
  EXPECT_TRUE(fitsInteger(255, ElementType::U8));
  EXPECT_FALSE(fitsInteger(256, ElementType::U8));
  EXPECT_FALSE(fitsInteger(-1, ElementType::U64));
  EXPECT_TRUE(fitsInteger((WideInt(1) << 64) - 1, ElementType::U64));
  WideInt big = WideInt(1) << 63;
  EXPECT_FALSE(fitsInteger(big, ElementType::I64));
  EXPECT_TRUE(fitsInteger(-big, ElementType::I64));
  EXPECT_EQ(toString(-big), "-9223372036854775808");
  EXPECT_EQ(toString(0), "0");
  EXPECT_EQ(toString(big * 10 + 7), "92233720368547758087");
}

TEST(EinWords, NearestWord) {
  llvm::StringRef names[] = {"Wq0", "Wk0", "attention", "A"};
  EXPECT_EQ(nearestWord("Wq1", names), "Wq0");
  EXPECT_EQ(nearestWord("atention", names), "attention");
  EXPECT_EQ(nearestWord("a", names), "A");
  EXPECT_EQ(nearestWord("B", names), "");
  EXPECT_EQ(nearestWord("completely", names), "");
}

} // namespace

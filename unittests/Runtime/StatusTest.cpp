//===- StatusTest.cpp - Tests of texts for messages -----------------------===//

#include "tapestry-rt/Status.h"
#include "gtest/gtest.h"

using namespace tapestry::rt;

TEST(Printable, KeepsWhatATerminalShows) {
  for (const char *text :
       {"", "a b\tc", "Größe", "\u20ac \U0001f600", "\\x1b is four characters"})
    EXPECT_EQ(printable(text), text);
}

TEST(Printable, EscapesControlsAndBytesThatAreNoCharacters) {
  EXPECT_EQ(printable("\x1b[31m\r\n\x7f"), "\\x1b[31m\\x0d\\x0a\\x7f");
  EXPECT_EQ(printable(std::string("a\0b", 3)), "a\\x00b");
  // A lone continuation, a start without one, a long form of '/', a surrogate,
  // a code point beyond the last.
  EXPECT_EQ(printable("\x80"), "\\x80");
  EXPECT_EQ(printable("\xc3"), "\\xc3");
  EXPECT_EQ(printable("\xc3("), "\\xc3(");
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
  // Controls of ISO 6429, and turning the direction of writing.
  EXPECT_EQ(printable("\u009b2J"), "\\xc2\\x9b2J");
  EXPECT_EQ(printable({char(0xe2), char(0x80), char(0xae)}), "\\xe2\\x80\\xae");
}

TEST(Printable, CutsTheMiddle) {
  std::string text = std::string(5000, 'a') + std::string(5000, 'b');
  std::string shown = printable(text);
  EXPECT_LT(shown.size(), 320u);
  EXPECT_EQ(shown.find_first_not_of('a'), shown.find(" ... b"));
  EXPECT_EQ(printable("abcdefghi", 9), "abcdefghi");
  EXPECT_EQ(printable("abcdefghij", 9), "abcdef ... hij");
}

TEST(Printable, LinesStayLines) {
  EXPECT_EQ(printableLines("a\x1b\nb\n"), "a\\x1b\nb\n");
  EXPECT_EQ(printableLines(""), "");
}

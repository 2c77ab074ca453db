//===- SessionScriptTest.cpp - The commands of a session ------------------===//

#include "tapestry/Driver/SessionScript.h"
#include "tapestry/Support/Error.h"
#include "gtest/gtest.h"

using namespace tapestry;
using namespace tapestry::driver;
using Verb = SessionCommand::Verb;
using Words = std::vector<std::string>;

static Words wordsOf(llvm::StringRef line) {
  auto words = splitWords(line);
  if (words)
    return *words;
  return {"error", llvm::toString(words.takeError())};
}

TEST(SessionScript, WordsAreThoseOfAShell) {
  EXPECT_EQ(wordsOf(""), Words());
  EXPECT_EQ(wordsOf(" \t\r\n"), Words());
  EXPECT_EQ(wordsOf("load  X\tx.npy\n"), Words({"load", "X", "x.npy"}));
  EXPECT_EQ(wordsOf("a 'b c'\"d  e\"f\\ g"), Words({"a", "b cd  ef g"}));
  EXPECT_EQ(wordsOf("'' \"\""), Words({"", ""}));
  EXPECT_EQ(wordsOf("a#b #c d"), Words({"a#b"}));
  EXPECT_EQ(wordsOf("'#' \\# \"#\""), Words({"#", "#", "#"}));
  EXPECT_EQ(wordsOf(R"("a\"b\\c\d" 'a\b' \a)"),
            Words({R"(a"b\c\d)", R"(a\b)", "a"}));
}

TEST(SessionScript, WordsThatDoNotEnd) {
  EXPECT_EQ(wordsOf("load 'X"),
            Words({"error", "nothing ends the ' before column 7"}));
  EXPECT_EQ(wordsOf("\"\\"),
            Words({"error", "nothing ends the \" before column 2"}));
  EXPECT_EQ(wordsOf("a\\"), Words({"error", "a backslash ends the line"}));
}

static std::string errorOf(llvm::StringRef line) {
  auto command = parseSessionCommand(line);
  if (command)
    return "none";
  return llvm::toString(command.takeError());
}

TEST(SessionScript, Commands) {
  auto none = parseSessionCommand("  # nothing");
  ASSERT_TRUE(static_cast<bool>(none));
  EXPECT_FALSE(none->has_value());

  auto load = llvm::cantFail(parseSessionCommand("load 'X 1' x.npy bf16"));
  ASSERT_TRUE(load);
  EXPECT_EQ(load->verb, Verb::Load);
  EXPECT_EQ(load->name, "X 1");
  EXPECT_EQ(load->path, "x.npy");
  EXPECT_EQ(load->type, "bf16");

  auto drop = llvm::cantFail(parseSessionCommand("drop X"));
  EXPECT_EQ(drop->verb, Verb::Drop);
  EXPECT_EQ(drop->name, "X");
}

TEST(SessionScript, Checkpoints) {
  auto write = llvm::cantFail(parseSessionCommand("checkpoint 'a b'"));
  EXPECT_EQ(write->verb, Verb::Checkpoint);
  EXPECT_EQ(write->path, "a b");
  EXPECT_EQ(llvm::cantFail(parseSessionCommand("restore c"))->verb,
            Verb::Restore);
  EXPECT_EQ(errorOf("restore"), "restore takes 1 word, not 0: restore FOLDER");
}

TEST(SessionScript, Apply) {
  auto apply = llvm::cantFail(parseSessionCommand(
      "apply -Dn=4 p.ein A=X -D m=0.5 'Y=P=1' --report=r.json --graph g"));
  ASSERT_TRUE(apply);
  EXPECT_EQ(apply->verb, Verb::Apply);
  EXPECT_EQ(apply->path, "p.ein");
  EXPECT_EQ(apply->params.lookup("n"), ein::Number::ofInteger(4));
  EXPECT_EQ(apply->params.lookup("m"), ein::Number::ofReal(0.5));
  EXPECT_EQ(apply->bindings, Bindings({{"A", "X"}, {"Y", "P=1"}}));
  EXPECT_EQ(apply->reportFile, "r.json");
  EXPECT_EQ(apply->graph, "g");

  EXPECT_EQ(errorOf("apply p.ein -D n=1 -Dn=2"), "-D names 'n' twice");
  EXPECT_EQ(errorOf("apply p.ein --report"), "--report needs a value");
  EXPECT_EQ(errorOf("apply p.txt"),
            "apply takes PROG.ein or PROG.mlir, not 'p.txt'");
}

TEST(SessionScript, WrongCommands) {
  EXPECT_EQ(errorOf("lod X x.npy"),
            "there is no command 'lod'; did you mean 'load'?");
  EXPECT_EQ(errorOf("drop X Y"), "drop takes 1 word, not 2: drop NAME");
  EXPECT_EQ(errorOf(llvm::StringRef("drop X\0Y", 8)),
            "the line has a byte of value 0");
}

//===- Lexer.h - Tokens of a .ein file --------------------------*- C++ -*-===//

#ifndef TAPESTRY_IMPORT_EIN_LEXER_H
#define TAPESTRY_IMPORT_EIN_LEXER_H

#include "tapestry/Import/Ein/Diagnostics.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/SMLoc.h"

namespace tapestry::ein {

enum class TokenKind {
  EndOfFile,
  Newline,
  /// Text that was reported already.
  Error,
  Identifier,
  Integer,
  Float,
  Imaginary,
  /// A path in double quotes.
  String,
  LParen,
  RParen,
  LSquare,
  RSquare,
  LBrace,
  RBrace,
  Comma,
  Colon,
  Prime,
  Arrow,
  Ellipsis,
  Equal,
  EqualEqual,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  Plus,
  Minus,
  Star,
  StarStar,
  Slash,
  SlashSlash,
  Percent,
  Amp,
  Pipe,
  Caret,
  LessLess,
  GreaterGreater,
  AmpAmp,
  PipePipe,
  Not,
  At,
  AtQuestion
};

struct Token {
  TokenKind kind = TokenKind::EndOfFile;
  llvm::StringRef spelling;

  bool is(TokenKind k) const { return kind == k; }
  llvm::SMRange range() const {
    return {llvm::SMLoc::getFromPointer(spelling.begin()),
            llvm::SMLoc::getFromPointer(spelling.end())};
  }
};

/// How a message names a token of this kind: "'('", "a name", "the end of the
/// line".
llvm::StringRef describe(TokenKind kind);

/// Splits a buffer into tokens. Newlines inside ( ) and [ ] are skipped, so an
/// open bracket continues its line. Any bytes are accepted; those that form no
/// token are reported and become one Error token.
class Lexer {
public:
  Lexer(llvm::StringRef buffer, DiagnosticEngine &diagnostics);

  Token lex();

  /// Names that form one token with a '.' and the name behind it.
  void setPrefixes(const llvm::StringSet<> *names) { prefixes = names; }

  /// Goes back or ahead to `position` inside the buffer, outside all brackets.
  void restartAt(const char *position);
  /// The end of the line that holds `position` (its newline, or the buffer's
  /// end).
  const char *endOfLine(const char *position) const;
  /// Whether only blanks stand before `position` in its line.
  bool isFirstInLine(const char *position) const;
  llvm::StringRef text() const { return buffer; }

private:
  Token make(TokenKind kind, const char *start);
  Token lexIdentifier();
  Token lexNumber();
  Token lexString();
  Token lexPunctuation();
  Token lexUnknown();
  void skipBlanks();
  char peek(size_t ahead = 0) const {
    return static_cast<size_t>(end - current) > ahead ? current[ahead] : '\0';
  }

  llvm::StringRef buffer;
  DiagnosticEngine &diagnostics;
  const char *current;
  const char *end;
  unsigned openBrackets = 0;
  const llvm::StringSet<> *prefixes = nullptr;
};

} // namespace tapestry::ein

#endif // TAPESTRY_IMPORT_EIN_LEXER_H

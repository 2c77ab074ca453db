//===- ParserTokens.cpp - Tokens of a .ein file, right and wrong ----------===//

#include "ParserImpl.h"
#include "llvm/ADT/STLExtras.h"

using namespace tapestry::ein;

void Parser::advance() {
  previousEnd = token.spelling.end();
  token = lexer.lex();
}

Token Parser::peekNext() const { return Lexer(lexer).lex(); }

bool Parser::consumeIf(TokenKind kind) {
  if (!token.is(kind))
    return false;
  advance();
  return true;
}

std::string Parser::describeToken() const {
  switch (token.kind) {
  case TokenKind::Identifier:
  case TokenKind::Integer:
  case TokenKind::Float:
  case TokenKind::Imaginary:
  case TokenKind::String:
    return "'" + token.spelling.str() + "'";
  default:
    return describe(token.kind).str();
  }
}

bool Parser::isForeignOperator(llvm::StringRef word) {
  return llvm::is_contained({"if", "and", "or", "not"}, word);
}

/// What to write for what may be of another language.
llvm::StringRef Parser::adviceAtToken() const {
  if (token.is(TokenKind::Identifier))
    return isForeignOperator(token.spelling) ? adviceFor(token.spelling) : "";
  // An operator whose characters are several of ours ("+=").
  auto isPart = [](char c) {
    return llvm::StringRef("+-*/<>=@%&|^").contains(c);
  };
  const char *first = token.spelling.begin(), *last = token.spelling.end();
  while (first != lexer.text().begin() && isPart(first[-1]))
    --first;
  while (last != lexer.text().end() && isPart(*last))
    ++last;
  return adviceFor(llvm::StringRef(first, last - first));
}

InFlightError Parser::errorAtToken(const llvm::Twine &expected) {
  return diagnostics.error(token.range(),
                           "expected " + expected + ", got " + describeToken());
}

bool Parser::unexpected(const llvm::Twine &expected) {
  // The lexer has reported an Error token already.
  if (token.is(TokenKind::Error))
    return false;
  auto error = errorAtToken(expected);
  if (llvm::StringRef advice = adviceAtToken(); !advice.empty())
    error.note(advice);
  return false;
}

bool Parser::expect(TokenKind kind, const llvm::Twine &where) {
  if (consumeIf(kind))
    return true;
  return unexpected(describe(kind) + where);
}

bool Parser::expectClosing(TokenKind kind, const Token &open) {
  if (consumeIf(kind))
    return true;
  return unclosed(describe(TokenKind::Comma) + " or " + describe(kind), open);
}

bool Parser::unclosed(const llvm::Twine &expected, const Token &open) {
  if (token.is(TokenKind::Error))
    return false;
  auto error = errorAtToken(expected);
  error.note(open.range(), "to match this '" + open.spelling + "'");
  if (llvm::StringRef advice = adviceAtToken(); !advice.empty())
    error.note(advice);
  return false;
}

bool Parser::Nesting::tooDeep() const {
  if (parser.nesting <= maxNesting)
    return false;
  parser.diagnostics.error(parser.token.range(),
                           "expression is nested more than " +
                               llvm::Twine(maxNesting) + " levels deep");
  return true;
}

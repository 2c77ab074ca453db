//===- ParseMonoid.cpp - Reductions that a .ein file defines --------------===//
//
// `monoid absmax(a, b) = max(abs(a), abs(b)) identity 0`. The words `monoid`
// and `identity` are names everywhere else.
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace tapestry::ein;
using namespace tapestry::ein::ast;

bool Parser::atMonoid() const {
  return token.is(TokenKind::Identifier) && token.spelling == "monoid" &&
         peekNext().is(TokenKind::Identifier);
}

bool Parser::parseMonoid() {
  Token keyword = token;
  advance();
  Token name;
  if (!parseName(name, "the monoid's name"))
    return false;
  define(name);
  auto *stmt = context.create<MonoidStmt>();
  stmt->name = name.spelling;
  stmt->nameRange = name.range();
  bool parsed;
  {
    // The two values are known in it only.
    llvm::SaveAndRestore restore(defined, defined);
    llvm::SaveAndRestore restoreMonoids(monoids, monoids);
    parsed = parseMonoidRest(*stmt);
  }
  stmt->range = since(keyword.range().Start);
  // What is wrong is reported: uses of it say nothing more.
  monoids[stmt->name] = stmt;
  if (parsed && expectEndOfStatement()) {
    statements.push_back(stmt);
    return true;
  }
  addInvalid(name);
  return false;
}

/// What stands behind the name.
bool Parser::parseMonoidRest(MonoidStmt &stmt) {
  if (!expect(TokenKind::LParen, " and two values after the monoid's name"))
    return false;
  Formal formals[2];
  for (Formal &formal : formals) {
    Token name;
    if (&formal != formals && !expect(TokenKind::Comma, " and a second value"))
      return false;
    if (!parseName(name, "the name of a value"))
      return false;
    define(name);
    formal.name = name.spelling;
    formal.range = name.range();
  }
  stmt.formals = context.copy<Formal>(formals);
  if (!expect(TokenKind::RParen, " after the two values") ||
      !expect(TokenKind::Equal, " and what the two values become") ||
      !(stmt.expr = parseExpr()))
    return false;
  if (!token.is(TokenKind::Identifier) || token.spelling != "identity")
    return unexpected("an operator or 'identity' and the value that changes no "
                      "other");
  advance();
  stmt.identity = parseExpr();
  return stmt.identity != nullptr;
}

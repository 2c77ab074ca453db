//===- ParsePoint.cpp - Sequence points of a .ein file --------------------===//
//
//   point ::= `point` name `after` awaited (`,` awaited)*
//   awaited ::= `output`? name
//   after ::= `after` name, behind a statement, an input or an output
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"

using namespace tapestry::ein;
using namespace tapestry::ein::ast;

/// The words stay names for everything else.
bool Parser::atPoint() const {
  return token.is(TokenKind::Identifier) && token.spelling == "point" &&
         peekNext().is(TokenKind::Identifier);
}

bool Parser::atAfter() const {
  return token.is(TokenKind::Identifier) && token.spelling == "after";
}

const PointStmt *Parser::parsePoint() {
  Token keyword = token;
  advance();
  Token name;
  if (!parseName(name, "the point's name"))
    return nullptr;
  define(name);
  auto *stmt = context.create<PointStmt>();
  stmt->name = name.spelling;
  stmt->nameRange = name.range();
  if (!atAfter()) {
    errorAtToken("'after' and what the point waits for")
        .note("as in point " + name.spelling +
              " after X, Y; what follows it says so: Z = 2 * W after " +
              name.spelling);
    return nullptr;
  }
  advance();
  llvm::SmallVector<NameRef> awaited, outputs;
  do {
    Token each;
    bool isOutput = token.is(TokenKind::Identifier) &&
                    token.spelling == "output" &&
                    peekNext().is(TokenKind::Identifier);
    if (isOutput)
      advance();
    if (!parseName(each, "the name of a tensor or a point"))
      return nullptr;
    (isOutput ? outputs : awaited).push_back({each.spelling, each.range()});
  } while (consumeIf(TokenKind::Comma));
  stmt->awaited = context.copy<NameRef>(awaited);
  stmt->outputs = context.copy<NameRef>(outputs);
  stmt->range = since(keyword.range().Start);
  return expectEndOfStatement() ? stmt : nullptr;
}

bool Parser::parseAfter(NameRef &point) {
  if (!atAfter())
    return true;
  advance();
  Token name;
  if (!parseName(name, "the name of a point"))
    return false;
  point = {name.spelling, name.range()};
  return true;
}

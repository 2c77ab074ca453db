//===- ParseConstraint.cpp - Pins, preferences and layout groups
//-------------===//
//
//   constraints ::= (`@` cuts | `@?` number? cuts | `@` `group` name)*
//   cuts     ::= `{` (entry (`,` entry)*)? `}`
//   entry    ::= (name | number) `:` (expr | axis | `[` axis (`,` axis)* `]`)
//              | `*` `:` `1`
//   axis     ::= name (`.` number)?
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"
#include "llvm/ADT/StringExtras.h"

using namespace tapestry::ein;
using namespace tapestry::ein::ast;

bool Parser::parseConstraints(llvm::SmallVectorImpl<Constraint> &constraints) {
  while (token.is(TokenKind::At) || token.is(TokenKind::AtQuestion))
    if (!parseConstraint(constraints.emplace_back()))
      return false;
  return true;
}

/// Whether `token` is the ".0" that follows an axis' name.
static bool isAxisPart(const Token &token, const char *end) {
  return token.is(TokenKind::Float) && token.spelling.begin() == end &&
         token.spelling.size() > 1 && token.spelling.front() == '.' &&
         llvm::all_of(token.spelling.drop_front(), llvm::isDigit);
}

bool Parser::parseAxis(AxisName &axis) {
  if (!token.is(TokenKind::Identifier))
    return unexpected("the name of a grid axis");
  llvm::SMLoc start = token.range().Start;
  const char *begin = token.spelling.begin();
  advance();
  if (isAxisPart(token, previousEnd))
    advance();
  axis.name = llvm::StringRef(begin, previousEnd - begin);
  axis.range = since(start);
  return true;
}

bool Parser::parseCutEntry(CutEntry &entry) {
  if (token.is(TokenKind::Integer)) {
    entry.label = token.spelling;
    entry.labelRange = token.range();
    advance();
  } else {
    Token name;
    if (!parseName(name, "a label or the number of a dimension"))
      return false;
    entry.label = name.spelling;
    entry.labelRange = name.range();
  }
  if (!expect(TokenKind::Colon, " and a number of parts or axes"))
    return false;
  llvm::SmallVector<AxisName> axes;
  if (token.is(TokenKind::LSquare)) {
    Token open = token;
    advance();
    do {
      if (!parseAxis(axes.emplace_back()))
        return false;
    } while (consumeIf(TokenKind::Comma));
    entry.axes = context.copy<AxisName>(axes);
    return expectClosing(TokenKind::RSquare, open);
  }
  Token next = peekNext();
  bool isBare = next.is(TokenKind::Comma) || next.is(TokenKind::RBrace);
  if (token.is(TokenKind::Identifier) &&
      (isBare || isAxisPart(next, token.spelling.end()))) {
    // A param or an axis: analysis knows.
    if (isBare)
      entry.parts = context.create<NameExpr>(token.range(), token.spelling);
    if (!parseAxis(axes.emplace_back()))
      return false;
    entry.axes = context.copy<AxisName>(axes);
    return true;
  }
  return (entry.parts = parseExpr()) != nullptr;
}

bool Parser::parseConstraint(Constraint &constraint) {
  llvm::SMLoc start = token.range().Start;
  constraint.isPreference = token.is(TokenKind::AtQuestion);
  advance();
  if (!constraint.isPreference && token.is(TokenKind::Identifier) &&
      token.spelling == "group") {
    advance();
    Token name;
    if (!parseName(name, "the name of a layout group"))
      return false;
    constraint.group = name.spelling;
    constraint.range = since(start);
    return true;
  }
  if (constraint.isPreference &&
      (token.is(TokenKind::Integer) || token.is(TokenKind::Float)) &&
      !(constraint.weight = parseNumber()))
    return false;
  Token open = token;
  if (!expect(TokenKind::LBrace, constraint.isPreference
                                     ? " and what is preferred"
                                     : " or 'group' after '@'"))
    return false;
  llvm::SmallVector<CutEntry> entries;
  if (!token.is(TokenKind::RBrace)) {
    do {
      if (!token.is(TokenKind::Star)) {
        if (!parseCutEntry(entries.emplace_back()))
          return false;
        continue;
      }
      advance();
      if (!expect(TokenKind::Colon, " and 1 after '*'"))
        return false;
      if (!token.is(TokenKind::Integer) || token.spelling != "1") {
        diagnostics.error(token.range(),
                          "'*' can only be 1: labels that are not named are "
                          "then not cut");
        return false;
      }
      advance();
      constraint.isClosed = true;
    } while (consumeIf(TokenKind::Comma));
  }
  constraint.entries = context.copy<CutEntry>(entries);
  if (!expectClosing(TokenKind::RBrace, open))
    return false;
  constraint.range = since(start);
  return true;
}

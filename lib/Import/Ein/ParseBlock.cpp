//===- ParseBlock.cpp - Blocks that an object file brings -----------------===//
//
//   block ::= `extern` `block` name labels? `(` formals `)` `->` results
//             `idempotent`? cost?
//   formal ::= (name | `pad` `(` name `,` number `)`) `[` ranges `]` `:` type
//            | name `:` type (`=` number)?
//   result ::= reduction? name `[` ranges `]` `:` type
//   cost ::= `cost` resource (`[` label `]`)? `=` number (`,` ...)*
//
// The words `extern`, `block`, `idempotent` and `cost` are names everywhere
// else.
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"

using namespace tapestry::ein;
using namespace tapestry::ein::ast;

bool Parser::atBlock() const {
  return token.is(TokenKind::Identifier) && token.spelling == "extern" &&
         peekNext().is(TokenKind::Identifier);
}

bool Parser::parseBlock() {
  Token keyword = token, name;
  advance();
  if (token.spelling != "block")
    return unexpected("'block'");
  advance();
  if (!parseName(name, "the block's name"))
    return false;
  define(name);
  macros.insert(name.spelling);
  auto *stmt = context.create<BlockStmt>();
  stmt->name = name.spelling;
  stmt->nameRange = name.range();
  if (parseBlockRest(*stmt) && expectEndOfStatement()) {
    stmt->range = since(keyword.range().Start);
    statements.push_back(stmt);
    return true;
  }
  addInvalid(name);
  return false;
}

bool Parser::parseBlockRest(BlockStmt &stmt) {
  if (token.is(TokenKind::LSquare) && !parseLabels(stmt.labels))
    return false;
  Token open = token;
  if (!expect(TokenKind::LParen, " after the block's name and labels"))
    return false;
  llvm::SmallVector<BlockFormal> formals, results;
  if (!token.is(TokenKind::RParen)) {
    do {
      if (!parseBlockFormal(formals.emplace_back(), /*isResult=*/false))
        return false;
    } while (consumeIf(TokenKind::Comma));
  }
  stmt.formals = context.copy<BlockFormal>(formals);
  if (!expectClosing(TokenKind::RParen, open) ||
      !expect(TokenKind::Arrow, " and the block's result"))
    return false;
  do {
    if (!parseBlockFormal(results.emplace_back(), /*isResult=*/true))
      return false;
  } while (consumeIf(TokenKind::Comma));
  stmt.results = context.copy<BlockFormal>(results);
  auto consumeWord = [&](llvm::StringRef word) {
    bool isThere = token.is(TokenKind::Identifier) && token.spelling == word;
    if (isThere)
      advance();
    return isThere;
  };
  stmt.isIdempotent = consumeWord("idempotent");
  if (!consumeWord("cost"))
    return true;
  llvm::SmallVector<BlockCost> costs;
  do {
    if (!parseBlockCost(costs.emplace_back()))
      return false;
  } while (consumeIf(TokenKind::Comma));
  stmt.costs = context.copy<BlockCost>(costs);
  return true;
}

bool Parser::parseBlockFormal(BlockFormal &formal, bool isResult) {
  Token name;
  if (isResult && peekNext().is(TokenKind::Identifier)) {
    formal.custom = monoids.lookup(token.spelling);
    auto monoid = formal.custom ? Monoid::Custom
                                : tapestry::ein::parseMonoid(token.spelling);
    if (monoid) {
      formal.monoid = *monoid;
      advance();
    }
  }
  bool isPadded = !isResult && token.is(TokenKind::Identifier) &&
                  token.spelling == "pad" && peekNext().is(TokenKind::LParen);
  Token open;
  if (isPadded) {
    advance();
    open = token;
    advance();
  }
  if (!parseName(name, isResult ? "the name of a result"
                                : "the name of a tensor or parameter"))
    return false;
  if (isPadded &&
      (!expect(TokenKind::Comma,
               " and the value outside '" + name.spelling + "'") ||
       !(formal.pad = parseExpr()) || !expectClosing(TokenKind::RParen, open)))
    return false;
  formal.name = name.spelling;
  formal.isParam = !isPadded && !token.is(TokenKind::LSquare);
  if (formal.isParam && isResult)
    return unexpected("'[' and what an index point writes");
  if (isPadded && !token.is(TokenKind::LSquare))
    return unexpected("'[' and what an index point reads");
  if (!formal.isParam) {
    llvm::ArrayRef<ExprPtr> subscripts;
    llvm::SmallVector<SliceRange> ranges;
    if (!parseSubscripts(subscripts, &ranges))
      return false;
    if (ranges.empty())
      for (ExprPtr subscript : subscripts) {
        SliceRange &range = ranges.emplace_back();
        range.range = subscript->range;
        range.first = subscript;
        range.isElement = true;
      }
    formal.ranges = context.copy<SliceRange>(ranges);
  }
  formal.range = since(name.range().Start);
  if (!expect(TokenKind::Colon, " and a type"))
    return false;
  Token type = token;
  llvm::ArrayRef<ExprPtr> shape;
  if (!parseType(formal.type, shape))
    return false;
  if (!shape.empty()) {
    diagnostics.error(type.range(), "the shape of '" + formal.name +
                                        "' follows from its subscripts");
    return false;
  }
  if (!formal.isParam || !consumeIf(TokenKind::Equal))
    return true;
  formal.defaultValue = parseExpr();
  return formal.defaultValue != nullptr;
}

bool Parser::parseBlockCost(BlockCost &cost) {
  Token resource = token;
  if (!token.is(TokenKind::Identifier))
    return unexpected("a resource, such as flops or ram");
  advance();
  cost.resource = resource.spelling;
  Token open = token;
  if (consumeIf(TokenKind::LSquare)) {
    Token label;
    if (!parseName(label, "a label") ||
        !expectClosing(TokenKind::RSquare, open))
      return false;
    cost.label = label.spelling;
  }
  cost.range = since(resource.range().Start);
  if (!expect(TokenKind::Equal, " and how much of it"))
    return false;
  cost.amount = parsePrimary();
  return cost.amount != nullptr;
}

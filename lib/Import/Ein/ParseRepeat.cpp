//===- ParseRepeat.cpp - Loops of a .ein file -----------------------------===//

#include "ParserImpl.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace tapestry::ein;
using namespace tapestry::ein::ast;

/// The word is a view, too, which has brackets.
bool Parser::atRepeat() const {
  return token.is(TokenKind::Identifier) && token.spelling == "repeat" &&
         peekNext().is(TokenKind::Identifier);
}

/// `(X = X0, n[i] = 2 * m[i], W : f32[8] = zeros)`
bool Parser::parseCarried(RepeatStmt &stmt) {
  Token open = token;
  if (!expect(TokenKind::LParen, " and what the loop carries, as in (X = X0)"))
    return false;
  llvm::SmallVector<const EquationStmt *> carried;
  do {
    Token name;
    auto *init = context.create<EquationStmt>();
    if (!parseName(name, "the name of a tensor"))
      return false;
    bool parsed = parseLeftSide(name, *init);
    if (parsed && token.is(TokenKind::Colon) && !init->hasLabels)
      parsed = parseTyped(name, *init);
    else if (parsed)
      parsed = expect(TokenKind::Equal, " and what it begins with") &&
               parseRightSide(*init);
    init->range = since(name.range().Start);
    parsed = parsed && parseAfter(init->after);
    carried.push_back(init);
    stmt.carried = context.copy<const EquationStmt *>(carried);
    if (!parsed)
      return false;
  } while (consumeIf(TokenKind::Comma));
  return expectClosing(TokenKind::RParen, open);
}

/// One statement of the body; false once reported.
bool Parser::parseStep(llvm::SmallVectorImpl<Step> &steps) {
  auto wordClass = classifyWord(token.spelling);
  if (token.is(TokenKind::Identifier) && wordClass == WordClass::Statement) {
    diagnostics.error(token.range(), "'" + token.spelling +
                                         "' cannot stand in the body of a "
                                         "loop, which holds only equations, "
                                         "loops and points");
    return false;
  }
  if (atRepeat()) {
    const RepeatStmt *inner = parseRepeat();
    if (inner)
      steps.push_back({Step::Kind::Plain, inner});
    return inner && !inner->isInvalid;
  }
  if (!token.is(TokenKind::Identifier))
    return unexpected("a statement or '}'");
  if (atPoint()) {
    const PointStmt *point = parsePoint();
    if (point)
      steps.push_back({Step::Kind::Plain, point});
    return point != nullptr;
  }
  Step::Kind kind = Step::Kind::Plain;
  if (peekNext().is(TokenKind::Identifier) &&
      (token.spelling == "next" || token.spelling == "collect")) {
    kind = token.spelling == "next" ? Step::Kind::Next : Step::Kind::Collect;
    advance();
  }
  Token name;
  const EquationStmt *equation = parseEquation(name);
  if (equation)
    steps.push_back({kind, equation});
  else if (!name.spelling.empty())
    steps.push_back({kind, invalid(name)});
  return equation != nullptr;
}

bool Parser::parseSteps(RepeatStmt &stmt) {
  Token open = token;
  advance();
  llvm::SaveAndRestore inside(insideDef, true);
  llvm::SmallVector<Step> steps;
  while (!token.is(TokenKind::RBrace) && !diagnostics.limitReached()) {
    if (token.is(TokenKind::EndOfFile)) {
      diagnostics
          .error(stmt.nameRange,
                 "the body of loop '" + stmt.name + "' is not closed by '}'")
          .note(open.range(), "it begins here");
      return false;
    }
    if (consumeIf(TokenKind::Newline))
      continue;
    const char *start = token.spelling.begin();
    size_t before = steps.size();
    if (parseStep(steps))
      continue;
    stmt.isInvalid |= steps.size() == before;
    recover(start);
  }
  stmt.body = context.copy<Step>(steps);
  return consumeIf(TokenKind::RBrace);
}

/// Up to the body's '{'.
bool Parser::parseRepeatHeader(RepeatStmt &stmt) {
  Token name;
  if (!parseName(name, "the name of the loop's counter"))
    return false;
  define(name);
  stmt.name = name.spelling;
  stmt.nameRange = name.range();
  if (!expect(TokenKind::Colon, " and how many passes there are at most"))
    return false;
  {
    llvm::SaveAndRestore passes(insidePasses, true);
    stmt.passes = parseExpr();
  }
  if (!stmt.passes || !parseCarried(stmt))
    return false;
  return token.is(TokenKind::LBrace) ||
         unexpected("'{' and the statements of a pass");
}

/// The condition behind the body, if there is one; false once reported.
bool Parser::parseUntil(RepeatStmt &stmt) {
  if (!token.is(TokenKind::Identifier) || token.spelling != "until")
    return true;
  auto *until = context.create<EquationStmt>();
  until->name = token.spelling;
  until->nameRange = token.range();
  advance();
  if (!(until->expr = parseExpr()))
    return false;
  until->range = until->expr->range;
  stmt.until = until;
  return true;
}

const RepeatStmt *Parser::parseRepeat() {
  Nesting level(*this);
  if (level.tooDeep())
    return nullptr;
  Token keyword = token;
  advance();
  auto *stmt = context.create<RepeatStmt>();
  {
    // What the body defines is known in it only.
    llvm::SaveAndRestore restore(defined, defined);
    bool hasHeader = parseRepeatHeader(*stmt);
    if (!hasHeader)
      skipDefBody(keyword.spelling.begin());
    if (stmt->name.empty())
      return nullptr;
    if (!hasHeader || !parseSteps(*stmt) || !parseUntil(*stmt))
      stmt->isInvalid = true;
  }
  stmt->range = since(keyword.range().Start);
  for (const EquationStmt *init : stmt->carried)
    defined.insert(init->name);
  for (const Step &step : stmt->body)
    if (step.kind == Step::Kind::Collect)
      defined.insert(step.stmt->name);
  // Behind the loop `t.count` is a name.
  imports.insert(stmt->name);
  if (!stmt->isInvalid && !expectEndOfStatement())
    stmt->isInvalid = true;
  return stmt;
}

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

std::optional<Reduction> Parser::reductionNamed(llvm::StringRef name) const {
  if (const MonoidStmt *monoid = monoids.lookup(name))
    return Reduction{Monoid::Custom, std::nullopt, /*scans=*/false, monoid};
  return defined.contains(name) ? std::nullopt : parseReduction(name);
}

bool Parser::atScan() const {
  return token.is(TokenKind::Identifier) && token.spelling == "scan" &&
         peekNext().is(TokenKind::Identifier);
}

std::optional<Reduction> Parser::parseReductionName(Token &word) {
  bool scans = atScan();
  if (scans)
    advance();
  word = token;
  advance();
  std::optional<Reduction> reduction = reductionNamed(word.spelling);
  if (!scans)
    return reduction ? reduction
                     : Reduction{Monoid::None, parseMacro(word.spelling)};
  if (reduction && !reduction->macro && !reduction->scans) {
    reduction->scans = true;
    return reduction;
  }
  auto error = diagnostics.error(
      word.range(), "'scan' takes sum, prod, max, min, all, any, xor or a "
                    "monoid of the program, not '" +
                        word.spelling + "'");
  if (!reduction)
    noteMonoid(error, word.spelling, meantBy(word.spelling, {}));
  return std::nullopt;
}

llvm::StringRef
Parser::meantBy(llvm::StringRef name,
                llvm::SmallVector<llvm::StringRef> words) const {
  size_t numWords = words.size();
  llvm::append_range(words, monoids.keys());
  // Sorted, so that the suggestion does not depend on hashing.
  llvm::sort(llvm::MutableArrayRef(words).drop_front(numWords));
  return nearestWord(name, words);
}

void Parser::noteMonoid(InFlightError &error, llvm::StringRef name,
                        llvm::StringRef meant) {
  if (!meant.empty())
    error.note("did you mean '" + meant + "'?");
  else
    error.note("the program's own stand before their uses: monoid " + name +
               "(a, b) = max(abs(a), abs(b)) identity 0");
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

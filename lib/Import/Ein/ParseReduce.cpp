//===- ParseReduce.cpp - Reductions of a .ein file ------------------------===//
//
// `sum[k](...)`, which ends at its bracket, and what stands before it: `sum` of
// all elements, `scan absmax[k](...)`, names that are none.
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"

using namespace tapestry::ein;
using namespace tapestry::ein::ast;

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

bool Parser::atReduction() const {
  return atScan() ||
         (token.is(TokenKind::Identifier) && reductionNamed(token.spelling) &&
          peekNext().is(TokenKind::LSquare));
}

/// `mean(X)` is of all elements where the program does not define `mean`.
bool Parser::atWholeReduction() const {
  return reductionNamed(token.spelling) && !classifyWord(token.spelling) &&
         peekNext().is(TokenKind::LParen) && !macros.contains(token.spelling);
}

/// `sum[k](expression)`, which ends at its bracket, or `sum(X)` of all
/// elements.
Parser::ExprPtr Parser::parseReduce() {
  llvm::SMLoc start = token.range().Start;
  Token word;
  std::optional<Reduction> reduction = parseReductionName(word);
  if (!reduction)
    return nullptr;
  llvm::ArrayRef<Label> labels;
  bool isWhole = token.is(TokenKind::LParen);
  if (!isWhole && !token.is(TokenKind::LSquare)) {
    if (!token.is(TokenKind::Error))
      errorAtToken("'[' and the labels of '" + word.spelling + "'")
          .note(adviceFor("whole"));
    return nullptr;
  }
  if (!isWhole && !parseReduceLabels(word, labels))
    return nullptr;
  Token open = token;
  if (!consumeIf(TokenKind::LParen)) {
    if (!token.is(TokenKind::Error))
      errorAtToken("'('").note("a reduction inside an expression has brackets, "
                               "which say where it ends: " +
                               asWritten(*reduction) + "[k](...)");
    return nullptr;
  }
  ExprPtr operand = parseExpr();
  if (!operand)
    return nullptr;
  if (!token.is(TokenKind::RParen))
    return unclosed("an operator or ')'", open), nullptr;
  advance();
  return checkDepth(
      context.create<ReduceExpr>(since(start), *reduction, labels, operand));
}

/// `gelu[c] X[n, c]`: what reads like a tensor, and an operand after it.
bool Parser::reportUnknownReduction(const Expr &expr, const Token &head) {
  bool operandFollows =
      (token.is(TokenKind::Identifier) && !atAfter() &&
       !isForeignOperator(token.spelling)) ||
      token.is(TokenKind::LParen) || token.is(TokenKind::Integer) ||
      token.is(TokenKind::Float) || token.is(TokenKind::Imaginary);
  llvm::StringRef advice = adviceFor(head.spelling);
  llvm::StringRef meant =
      meantBy(head.spelling,
              {"sum", "prod", "max", "min", "mean", "logsumexp", "argmax",
               "argmin", "all", "any", "xor", "cumsum", "cumprod", "cummax",
               "cummin", "sort", "argsort", "topk"});
  bool isTensor = defined.contains(head.spelling);
  if (expr.kind != Expr::Kind::Access || !operandFollows ||
      (isTensor && advice.empty() && meant.empty()))
    return false;
  auto error = diagnostics.error(
      head.range(), "there is no reduction named '" + head.spelling +
                        "'; there are sum, prod, max, min, mean, logsumexp, "
                        "argmax, argmin, all, any and xor");
  if (!advice.empty())
    error.note(advice);
  else
    noteMonoid(error, head.spelling, meant);
  return true;
}

bool Parser::parseReduceLabels(const Token &word,
                               llvm::ArrayRef<Label> &labels) {
  if (!token.is(TokenKind::LSquare)) {
    // The lexer has reported an Error token already.
    if (!token.is(TokenKind::Error)) {
      auto error =
          errorAtToken("'[' and the labels of '" + word.spelling + "'");
      if (llvm::StringRef advice = adviceFor(word.spelling); !advice.empty())
        error.note(advice);
    }
    return false;
  }
  bool isRest = peekNext().is(TokenKind::Ellipsis);
  if (!parseLabels(labels))
    return false;
  if (isRest && labels.size() == numRest)
    reducedRest = word.range();
  if (isRest)
    return true;
  if (labels.empty())
    diagnostics.error(word.range(),
                      "'" + word.spelling + "' needs at least one label");
  return !labels.empty();
}

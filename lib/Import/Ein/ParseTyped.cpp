//===- ParseTyped.cpp - Types, and constant tensors in brackets -----------===//
//
//   typed ::= name `:` type shape? constraints `=` brackets
//   brackets ::= `[` (brackets (`,` brackets)* | expr (`,` expr)*) `]`
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"
#include "llvm/ADT/StringExtras.h"

using namespace tapestry::ein;
using namespace tapestry::ein::ast;

bool Parser::parseType(ElementType &type, llvm::ArrayRef<ExprPtr> &shape) {
  if (!token.is(TokenKind::Identifier))
    return unexpected("a type");
  std::optional<ElementType> parsed = parseElementType(token.spelling);
  if (!parsed) {
    auto error = diagnostics.error(
        token.range(), "unknown type '" + token.spelling +
                           "'; the types are f64, f32, f16, bf16, i8, i16, "
                           "i32, i64 and bool");
    if (auto meant = suggestElementType(token.spelling))
      error.note("did you mean '" + *meant + "'?");
    else if (auto advice = adviceFor(token.spelling); !advice.empty())
      error.note(advice);
    return false;
  }
  type = *parsed;
  advance();
  return !token.is(TokenKind::LSquare) || parseSubscripts(shape);
}

/// What is wrong with a type that no brackets follow.
bool Parser::reportTyped(const Token &name) {
  Token colon = token;
  llvm::StringRef right = rightOfEqual();
  llvm::StringRef word =
      right.take_while([](char c) { return c == '_' || llvm::isAlnum(c); });
  if (classifyWord(word) == WordClass::Generator) {
    llvm::SMRange range = {llvm::SMLoc::getFromPointer(word.begin()),
                           llvm::SMLoc::getFromPointer(word.end())};
    diagnostics.error(range, "generator '" + word + "' is not supported yet")
        .note(adviceFor(word));
    return false;
  }
  auto error = diagnostics.error(
      colon.range(), "a type is declared for inputs, constants in brackets and "
                     "generators only; the type of a statement is that of its "
                     "expression");
  if (right.empty())
    error.note("did you mean 'input " + name.spelling + " : ...'?");
  return false;
}

/// The rest of the line behind its '=', without a comment.
llvm::StringRef Parser::rightOfEqual() const {
  const char *end = lexer.endOfLine(token.spelling.end());
  llvm::StringRef line(token.spelling.end(), end - token.spelling.end());
  return line.take_until([](char c) { return c == '#'; })
      .split('=')
      .second.trim();
}

bool Parser::parseTyped(const Token &name, EquationStmt &stmt) {
  if (!rightOfEqual().starts_with("["))
    return reportTyped(name);
  advance();
  auto *literal = context.create<TensorLiteral>();
  llvm::SmallVector<Constraint> constraints;
  if (!parseType(literal->type, literal->shape) ||
      !parseConstraints(constraints) ||
      !expect(TokenKind::Equal, " after the type"))
    return false;
  stmt.constraints = context.copy<Constraint>(constraints);
  llvm::SMLoc start = token.range().Start;
  llvm::SmallVector<int64_t> counts;
  llvm::SmallVector<ExprPtr> values;
  if (!parseBrackets(/*level=*/0, counts, values))
    return false;
  literal->counts = context.copy<int64_t>(counts);
  literal->values = context.copy<ExprPtr>(values);
  literal->range = since(start);
  stmt.literal = literal;
  stmt.range = since(name.range().Start);
  return expectEndOfStatement();
}

/// `counts` gets the number of elements of each level where it is not known.
bool Parser::parseBrackets(unsigned level,
                           llvm::SmallVectorImpl<int64_t> &counts,
                           llvm::SmallVectorImpl<ExprPtr> &values) {
  Nesting guard(*this);
  if (guard.tooDeep())
    return false;
  Token open = token;
  advance();
  bool isFirst = level == counts.size();
  if (isFirst)
    counts.push_back(-1);
  int64_t count = 0;
  if (!token.is(TokenKind::RSquare)) {
    do {
      bool isRow = token.is(TokenKind::LSquare);
      // The first element decides how deep the brackets are.
      bool rowsWanted = values.empty() ? isRow : level + 1 < counts.size();
      if (isRow != rowsWanted) {
        diagnostics.error(token.range(),
                          isRow ? "a row in brackets stands among numbers"
                                : "a number stands among rows in brackets");
        return false;
      }
      if (isRow) {
        if (!parseBrackets(level + 1, counts, values))
          return false;
      } else if (ExprPtr value = parseExpr()) {
        values.push_back(value);
      } else {
        return false;
      }
      ++count;
    } while (consumeIf(TokenKind::Comma));
  }
  if (!expectClosing(TokenKind::RSquare, open))
    return false;
  if (counts[level] < 0)
    counts[level] = count;
  if (counts[level] == count && count > 0)
    return true;
  diagnostics.error(since(open.range().Start),
                    count == 0 ? "a constant tensor has no empty brackets"
                               : "this row has " + countOf(count, "element") +
                                     ", but the first has " +
                                     std::to_string(counts[level]));
  return false;
}

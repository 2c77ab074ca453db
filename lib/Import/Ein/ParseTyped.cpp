//===- ParseTyped.cpp - Types, constant tensors and generators ------------===//
//
//   typed ::= name `:` type shape? constraints `=` (brackets | expr)
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
                           "i32, i64, u8, u16, u32, u64, c64, c128 and "
                           "bool");
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

/// Whether a word of the text makes values from nothing.
static bool mentionsGenerator(llvm::StringRef text) {
  auto isPart = [](char c) { return c == '_' || llvm::isAlnum(c); };
  while (!text.empty()) {
    llvm::StringRef word = text.take_while(isPart);
    if (classifyWord(word) == WordClass::Generator)
      return true;
    text = text.drop_front(word.size()).drop_until(isPart);
  }
  return false;
}

/// What is wrong with a type that no brackets and no generators follow.
bool Parser::reportTyped(const Token &name) {
  auto error = diagnostics.error(
      token.range(), "a type is declared for inputs, constants in brackets and "
                     "generators only; the type of a statement is that of its "
                     "expression");
  if (rightOfEqual().empty())
    error.note("did you mean 'input " + name.spelling + " : ...'?");
  return false;
}

/// `[f32]` behind a generator, if it is there.
bool Parser::parseGeneratedType(const Token &word,
                                std::optional<ElementType> &type) {
  Token open = token;
  if (!consumeIf(TokenKind::LSquare))
    return true;
  llvm::ArrayRef<ExprPtr> shape;
  Token name = token;
  ElementType parsed;
  if (!parseType(parsed, shape) || !expectClosing(TokenKind::RSquare, open))
    return false;
  type = parsed;
  if (shape.empty())
    return true;
  diagnostics
      .error(name.range(), "'" + word.spelling + "' has a type here, no shape")
      .note("a tensor of generated values is W : " + name.spelling +
            "[8, 8] = ...");
  return false;
}

/// `zeros`, `ones` and `full(v)` are numbers, which may have a type:
/// zeros[f32].
Parser::ExprPtr Parser::parseGenerator() {
  Token word = token;
  bool isFull = word.spelling == "full";
  if (!isFull && word.spelling != "zeros" && word.spelling != "ones") {
    diagnostics
        .error(word.range(),
               "'" + word.spelling + "' is no generator by itself")
        .note(adviceFor(word.spelling));
    return nullptr;
  }
  advance();
  std::optional<ElementType> type;
  Token typeName = token.is(TokenKind::LSquare) ? peekNext() : token;
  if (!parseGeneratedType(word, type))
    return nullptr;
  ExprPtr value = nullptr;
  if (!isFull)
    value = context.create<IntLiteral>(word.range(), word.spelling == "ones");
  else if (token.is(TokenKind::LParen))
    value = parseParenthesised();
  else
    unexpected("'(' and the value of 'full'");
  if (!value || !type)
    return value;
  return checkDepth(context.create<CallExpr>(
      since(word.range().Start), value->depth + 1, typeName.spelling,
      typeName.range(), context.copy<ExprPtr>(value)));
}

/// `random.normal(seed)`, `random.normal[f32](seed)`; the name has been read.
Parser::ExprPtr Parser::parseRandom(const Token &name) {
  std::optional<ElementType> type;
  if (!parseGeneratedType(name, type))
    return nullptr;
  if (!token.is(TokenKind::LParen)) {
    unexpected("'(' and the seed of '" + name.spelling + "'");
    return nullptr;
  }
  return parseCall(name, type);
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
  bool isConstant = rightOfEqual().starts_with("[");
  if (!isConstant && !mentionsGenerator(rightOfEqual()))
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
  if (isConstant) {
    llvm::SmallVector<int64_t> counts;
    llvm::SmallVector<ExprPtr> values;
    if (!parseBrackets(/*level=*/0, counts, values))
      return false;
    literal->counts = context.copy<int64_t>(counts);
    literal->values = context.copy<ExprPtr>(values);
  } else if (!(stmt.expr = parseExpr())) {
    return false;
  }
  literal->range = since(start);
  stmt.literal = literal;
  stmt.range = since(name.range().Start);
  return true;
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

//===- ParseExpr.cpp - Expressions of a .ein file -------------------------===//
//
// From the loosest to the tightest: ||, &&, comparisons (which do not chain),
// |,
// ^, &, << >>, + -, * / // % @, prefix - and !, ** (to the right).
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"
#include <cmath>
#include <limits>

using namespace tapestry::ein;
using namespace tapestry::ein::ast;

namespace {
struct OperatorRow {
  TokenKind token;
  BinaryOp op;
  unsigned level;
};
constexpr unsigned comparisonLevel = 2;
constexpr unsigned lastLevel = 8;
constexpr OperatorRow operators[] = {
    {TokenKind::PipePipe, BinaryOp::Or, 0},
    {TokenKind::AmpAmp, BinaryOp::And, 1},
    {TokenKind::EqualEqual, BinaryOp::Eq, comparisonLevel},
    {TokenKind::NotEqual, BinaryOp::Ne, comparisonLevel},
    {TokenKind::Less, BinaryOp::Lt, comparisonLevel},
    {TokenKind::LessEqual, BinaryOp::Le, comparisonLevel},
    {TokenKind::Greater, BinaryOp::Gt, comparisonLevel},
    {TokenKind::GreaterEqual, BinaryOp::Ge, comparisonLevel},
    {TokenKind::Pipe, BinaryOp::BitOr, 3},
    {TokenKind::Caret, BinaryOp::BitXor, 4},
    {TokenKind::Amp, BinaryOp::BitAnd, 5},
    {TokenKind::LessLess, BinaryOp::Shl, 6},
    {TokenKind::GreaterGreater, BinaryOp::Shr, 6},
    {TokenKind::Plus, BinaryOp::Add, 7},
    {TokenKind::Minus, BinaryOp::Sub, 7},
    {TokenKind::Star, BinaryOp::Mul, lastLevel},
    {TokenKind::Slash, BinaryOp::Div, lastLevel},
    {TokenKind::SlashSlash, BinaryOp::FloorDiv, lastLevel},
    {TokenKind::Percent, BinaryOp::Mod, lastLevel},
};

const OperatorRow *operatorOf(TokenKind kind, unsigned level) {
  for (const OperatorRow &row : operators)
    if (row.token == kind && row.level == level)
      return &row;
  return nullptr;
}
} // namespace

Parser::ExprPtr Parser::checkDepth(ExprPtr expr) {
  if (expr && expr->depth > Context::maxDepth) {
    diagnostics.error(expr->range, "expression is nested more than " +
                                       llvm::Twine(Context::maxDepth) +
                                       " levels deep; split the statement");
    return nullptr;
  }
  return expr;
}

Parser::ExprPtr Parser::parseBinary(unsigned level) {
  if (level > lastLevel)
    return parseUnary();
  llvm::SMLoc start = token.range().Start;
  ExprPtr lhs = parseBinary(level + 1);
  while (lhs) {
    const OperatorRow *row = operatorOf(token.kind, level);
    bool isMatMul = level == lastLevel && token.is(TokenKind::At);
    if (!row && !isMatMul)
      return lhs;
    Token op = token;
    advance();
    ExprPtr rhs = parseBinary(level + 1);
    if (!rhs)
      return nullptr;
    if (isMatMul) {
      lhs = checkDepth(
          context.create<MatMulExpr>(since(start), op.range(), lhs, rhs));
      continue;
    }
    lhs = checkDepth(context.create<BinaryExpr>(since(start), row->op,
                                                op.range(), lhs, rhs));
    if (level == comparisonLevel && operatorOf(token.kind, level)) {
      auto error = diagnostics.error(token.range(), "comparisons do not chain");
      auto *between = llvm::dyn_cast<BinaryExpr>(rhs);
      if (between && isBitwise(between->op))
        error.note(adviceFor("&"));
      else
        error.note("write 'a " + op.spelling + " b && b " + token.spelling +
                   " c'");
      return nullptr;
    }
  }
  return nullptr;
}

Parser::ExprPtr Parser::parseUnary() {
  if (!token.is(TokenKind::Minus) && !token.is(TokenKind::Not))
    return parsePower();
  Nesting guard(*this);
  if (guard.tooDeep())
    return nullptr;
  Token op = token;
  advance();
  ExprPtr operand = parseUnary();
  if (!operand)
    return nullptr;
  return checkDepth(context.create<UnaryExpr>(
      since(op.range().Start),
      op.is(TokenKind::Minus) ? UnaryOp::Neg : UnaryOp::Not, operand));
}

Parser::ExprPtr Parser::parsePower() {
  llvm::SMLoc start = token.range().Start;
  ExprPtr base = parsePrimary();
  if (!base || !token.is(TokenKind::StarStar))
    return base;
  Nesting guard(*this);
  if (guard.tooDeep())
    return nullptr;
  Token op = token;
  advance();
  ExprPtr exponent = parseUnary();
  if (!exponent)
    return nullptr;
  return checkDepth(context.create<BinaryExpr>(since(start), BinaryOp::Pow,
                                               op.range(), base, exponent));
}

Parser::ExprPtr Parser::parsePrimary() {
  Nesting guard(*this);
  if (guard.tooDeep())
    return nullptr;
  switch (token.kind) {
  case TokenKind::Integer:
  case TokenKind::Float:
  case TokenKind::Imaginary:
    return parseNumber();
  case TokenKind::LParen:
    return parseParenthesised();
  case TokenKind::LSquare:
    return parseIverson();
  case TokenKind::Identifier:
    if (atReduction() || atWholeReduction())
      return parseReduce();
    if (atSort()) {
      diagnostics.error(token.range(),
                        "'" + token.spelling +
                            "' can only stand right after '='; give it a "
                            "statement of its own");
      return nullptr;
    }
    if (atView())
      return parseView();
    if (auto wordClass = classifyWord(token.spelling))
      return parseWord(*wordClass);
    // A tensor may have that name, but nothing stands side by side with one.
    if (token.spelling == "next" && peekNext().is(TokenKind::Identifier)) {
      diagnostics
          .error(token.range(), "'next' stands on left sides in the body of a "
                                "loop, not in an expression")
          .note(adviceFor("until"));
      return nullptr;
    }
    if (token.spelling != "not" || !peekNext().is(TokenKind::Identifier))
      return parseReference();
    [[fallthrough]];
  default:
    unexpected("an expression");
    return nullptr;
  }
}

Parser::ExprPtr Parser::parseNumber() {
  Token number = token;
  llvm::SMRange range = number.range();
  advance();
  if (!number.is(TokenKind::Integer)) {
    double value = 0;
    bool isImaginary = number.spelling.consume_back("i");
    if (number.spelling.getAsDouble(value) || std::isinf(value)) {
      diagnostics.error(number.range(), "number is too large for f64");
      return nullptr;
    }
    return context.create<FloatLiteral>(range, value, isImaginary);
  }
  uint64_t value = 0;
  // A leading zero makes no octal number.
  bool isDecimal = llvm::all_of(number.spelling, llvm::isDigit);
  if (number.spelling.getAsInteger(isDecimal ? 10 : 0, value)) {
    diagnostics.error(number.range(),
                      "integer is too large: it must fit in 64 bits");
    return nullptr;
  }
  return context.create<IntLiteral>(number.range(), value);
}

Parser::ExprPtr Parser::parseParenthesised() {
  Token open = token;
  advance();
  ExprPtr inner = parseExpr();
  if (!inner)
    return nullptr;
  if (token.is(TokenKind::RParen)) {
    advance();
    return inner;
  }
  return unclosed("an operator or ')'", open), nullptr;
}

Parser::ExprPtr Parser::parseIverson() {
  Token open = token;
  advance();
  ExprPtr condition = parseExpr();
  if (!condition)
    return nullptr;
  if (token.is(TokenKind::Comma)) {
    errorAtToken("an operator or ']'").note(adviceFor("literal"));
    return nullptr;
  }
  if (!token.is(TokenKind::RSquare))
    return unclosed("an operator or ']'", open), nullptr;
  advance();
  return checkDepth(
      context.create<IversonExpr>(since(open.range().Start), condition));
}

/// A primary that begins with a word of the language.
Parser::ExprPtr Parser::parseWord(WordClass wordClass) {
  Token word = token;
  auto fail = [&](const llvm::Twine &message) -> ExprPtr {
    diagnostics.error(word.range(), message);
    return nullptr;
  };
  switch (wordClass) {
  case WordClass::Statement:
    return unexpected("an expression"), nullptr;
  case WordClass::Generator:
    return parseGenerator();
  case WordClass::View: {
    auto error = diagnostics.error(
        word.range(),
        "'" + word.spelling +
            (tapestry::ein::parseView(word.spelling)
                 ? "' is a view of the tensors behind it in brackets"
                 : "' is not supported yet"));
    if (llvm::StringRef advice = adviceFor(word.spelling); !advice.empty())
      error.note(advice);
    return nullptr;
  }
  case WordClass::Macro:
    return fail("macro '" + word.spelling +
                "' can only stand right after '='; give it a statement of its "
                "own");
  case WordClass::Literal:
    advance();
    if (word.spelling == "true" || word.spelling == "false")
      return context.create<BoolLiteral>(word.range(), word.spelling == "true");
    return context.create<FloatLiteral>(
        word.range(), word.spelling == "inf"
                          ? std::numeric_limits<double>::infinity()
                          : std::numeric_limits<double>::quiet_NaN());
  case WordClass::Reduction:
    if (!peekNext().is(TokenKind::LParen) ||
        (word.spelling != "max" && word.spelling != "min"))
      return parseReduce();
    break;
  case WordClass::Function:
  case WordClass::Type:
    break;
  }
  advance();
  if (!token.is(TokenKind::LParen)) {
    unexpected("'(' after '" + word.spelling + "'");
    return nullptr;
  }
  if (word.spelling == "pad")
    return parsePad();
  ExprPtr expr = parseCall(word);
  auto *call = llvm::dyn_cast_or_null<CallExpr>(expr);
  if (wordClass != WordClass::Reduction || !call || call->args.size() != 1)
    return expr;
  // max(X), not max(X, Y).
  return checkDepth(
      context.create<ReduceExpr>(call->range, *parseReduction(word.spelling),
                                 llvm::ArrayRef<Label>(), call->args.front()));
}

bool Parser::atSort() const {
  return token.is(TokenKind::Identifier) && parseSort(token.spelling) &&
         peekNext().is(TokenKind::LSquare) && !defined.contains(token.spelling);
}

Parser::ExprPtr Parser::parseReference() {
  Token name = token;
  advance();
  if (name.spelling.starts_with(randomPrefix))
    return parseRandom(name);
  if (consumeIf(TokenKind::Prime))
    return context.create<ExtentExpr>(since(name.range().Start), name.spelling);
  if (token.is(TokenKind::LParen) && !insidePasses)
    return parseCall(name);
  if (!token.is(TokenKind::LSquare))
    return context.create<NameExpr>(name.range(), name.spelling);
  ExprPtr access = parseAccess(
      name.range().Start, context.create<NameExpr>(name.range(), name.spelling),
      /*pad=*/nullptr, std::nullopt);
  if (access && token.is(TokenKind::LParen) &&
      reportUnknownReduction(*access, name))
    return nullptr;
  return access;
}

Parser::ExprPtr Parser::parseAccess(llvm::SMLoc start, ExprPtr base,
                                    ExprPtr pad, std::optional<Fold> fold) {
  llvm::ArrayRef<ExprPtr> subscripts;
  llvm::SmallVector<SliceRange> slices;
  if (!parseSubscripts(subscripts, &slices))
    return nullptr;
  if (!slices.empty() && (pad || fold)) {
    diagnostics
        .error(since(start), "a slice lies inside of a tensor, so that "
                             "nothing around it is read")
        .note(adviceFor("slice"));
    return nullptr;
  }
  if (!slices.empty())
    return makeSlice(start, base, slices);
  unsigned depth = std::max(base->depth, pad ? pad->depth : 0);
  for (ExprPtr subscript : subscripts)
    depth = std::max(depth, subscript->depth);
  auto *name = llvm::dyn_cast<NameExpr>(base);
  auto *access = context.create<AccessExpr>(since(start), depth + 1,
                                            name ? name->name : "", base->range,
                                            subscripts, pad, fold);
  access->view = llvm::dyn_cast<ViewExpr>(base);
  return checkDepth(access);
}

Parser::ExprPtr Parser::makeSlice(llvm::SMLoc start, ExprPtr base,
                                  llvm::ArrayRef<SliceRange> slices) {
  unsigned depth = base->depth;
  for (const SliceRange &slice : slices)
    for (ExprPtr part : {slice.first, slice.end, slice.step})
      depth = std::max(depth, part ? part->depth : 0);
  auto *view = context.create<ViewExpr>(
      since(start), depth + 1, ViewKind::Slice, llvm::ArrayRef<ExprPtr>(),
      context.copy<ExprPtr>(base));
  view->slices = context.copy<SliceRange>(slices);
  if (!checkDepth(view) || !token.is(TokenKind::LSquare))
    return checkDepth(view);
  Nesting guard(*this);
  return guard.tooDeep()
             ? nullptr
             : parseAccess(start, view, /*pad=*/nullptr, std::nullopt);
}

/// `edge(X)[subscripts]`; the current token is the '['.
Parser::ExprPtr Parser::parseFolded(const Token &word, Fold fold,
                                    llvm::ArrayRef<ExprPtr> args) {
  if (args.size() == 1 && llvm::isa<NameExpr, ViewExpr>(args[0]))
    return parseAccess(word.range().Start, args[0], /*pad=*/nullptr, fold);
  diagnostics.error(since(word.range().Start),
                    "'" + word.spelling +
                        "(...)[...]' takes the name of a tensor or a view");
  return nullptr;
}

bool Parser::atView() const {
  if (!token.is(TokenKind::Identifier) ||
      !tapestry::ein::parseView(token.spelling) ||
      defined.contains(token.spelling))
    return false;
  // Without brackets, a word that a program may define is a macro of its own.
  return peekNext().is(TokenKind::LSquare) ||
         (peekNext().is(TokenKind::LParen) && classifyWord(token.spelling));
}

/// `concat[0](X, Y)`, which subscripts may follow.
Parser::ExprPtr Parser::parseView() {
  Token word = token;
  advance();
  llvm::ArrayRef<ExprPtr> numbers;
  if (token.is(TokenKind::LSquare) && !parseSubscripts(numbers))
    return nullptr;
  Token open = token;
  if (!consumeIf(TokenKind::LParen)) {
    unexpected("'(' and the tensors of '" + word.spelling + "'");
    return nullptr;
  }
  llvm::SmallVector<ExprPtr> operands;
  unsigned depth = 0;
  do {
    ExprPtr operand = parseExpr();
    if (!operand)
      return nullptr;
    depth = std::max(depth, operand->depth);
    operands.push_back(operand);
  } while (consumeIf(TokenKind::Comma));
  if (!expectClosing(TokenKind::RParen, open))
    return nullptr;
  for (ExprPtr number : numbers)
    depth = std::max(depth, number->depth);
  ExprPtr view = checkDepth(
      context.create<ViewExpr>(since(word.range().Start), depth + 1,
                               *tapestry::ein::parseView(word.spelling),
                               numbers, context.copy<ExprPtr>(operands)));
  if (!view || !token.is(TokenKind::LSquare))
    return view;
  return parseAccess(word.range().Start, view, /*pad=*/nullptr, std::nullopt);
}

/// `pad(X, v)[subscripts]`; the current token is the '(' after 'pad'.
Parser::ExprPtr Parser::parsePad() {
  llvm::SMLoc start =
      llvm::SMLoc::getFromPointer(previousEnd - llvm::StringRef("pad").size());
  Token open = token;
  advance();
  ExprPtr base;
  llvm::StringRef what = "the view";
  if (atView() || peekNext().is(TokenKind::LSquare)) {
    base = atView() ? parseView() : parseReference();
    if (!base)
      return nullptr;
    if (!llvm::isa<ViewExpr>(base)) {
      diagnostics.error(base->range, "'pad' takes a view without subscripts");
      return nullptr;
    }
  } else {
    Token name;
    if (!parseName(name, "the name of the tensor to pad"))
      return nullptr;
    base = context.create<NameExpr>(name.range(), name.spelling);
    what = name.spelling;
  }
  if (!expect(TokenKind::Comma, " and the value outside '" + what + "'"))
    return nullptr;
  ExprPtr value = parseExpr();
  if (!value || !expectClosing(TokenKind::RParen, open))
    return nullptr;
  if (!token.is(TokenKind::LSquare)) {
    unexpected("'[' and subscripts after 'pad(...)'");
    return nullptr;
  }
  return parseAccess(start, base, value, std::nullopt);
}

/// One subscript, or a range of them.
bool Parser::parseRange(SliceRange &slice) {
  llvm::SMLoc start = token.range().Start;
  auto parsePart = [&](ExprPtr &part) {
    bool isThere = !token.is(TokenKind::Colon) && !token.is(TokenKind::Comma) &&
                   !token.is(TokenKind::RSquare);
    part = isThere ? parseExpr() : nullptr;
    return !isThere || part;
  };
  slice.isElement = !token.is(TokenKind::Colon);
  if (slice.isElement && !(slice.first = parseExpr()))
    return false;
  if (consumeIf(TokenKind::Colon)) {
    slice.isElement = false;
    if (!parsePart(slice.end) ||
        (consumeIf(TokenKind::Colon) && !parsePart(slice.step)))
      return false;
  }
  slice.range = since(start);
  return true;
}

bool Parser::parseSubscripts(llvm::ArrayRef<ExprPtr> &subscripts,
                             llvm::SmallVectorImpl<SliceRange> *slices) {
  Token open = token;
  advance();
  llvm::SmallVector<SliceRange> list;
  bool isRest = false;
  if (!token.is(TokenKind::RSquare)) {
    do {
      if (token.is(TokenKind::Ellipsis)) {
        bool parsed =
            parseRest(isRest, [&](llvm::StringRef name, llvm::SMRange range) {
              list.push_back({range, context.create<NameExpr>(range, name)});
              list.back().isElement = true;
            });
        if (!parsed)
          return false;
        continue;
      }
      if (!parseRange(list.emplace_back()))
        return false;
      if (!slices && !list.back().isElement) {
        diagnostics.error(list.back().range, "expected a number, got a range");
        return false;
      }
    } while (consumeIf(TokenKind::Comma));
  }
  if (slices && llvm::any_of(list, [](const SliceRange &slice) {
        return !slice.isElement;
      }))
    slices->assign(list.begin(), list.end());
  llvm::SmallVector<ExprPtr> elements;
  for (const SliceRange &slice : list)
    elements.push_back(slice.first);
  subscripts = context.copy<ExprPtr>(elements);
  return expectClosing(TokenKind::RSquare, open);
}

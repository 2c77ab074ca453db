//===- ParseDef.cpp - Macros of a .ein file -------------------------------===//
//
// `def f(X[..., c])` takes tensors of any rank: a macro with `...` is read once
// for each number of labels that this may stand for, and a use takes the one
// that fits its arguments.
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace tapestry::ein;
using namespace tapestry::ein::ast;

bool Parser::parseFormal(Formal &formal, bool isParameter) {
  Token name;
  if (!parseName(name, "a parameter's name"))
    return false;
  define(name);
  formal.name = name.spelling;
  if (token.is(TokenKind::LSquare) &&
      !parseLabels(formal.labels,
                   "a macro's labels have no extents: they follow from each "
                   "use of the macro"))
    return false;
  formal.range = since(name.range().Start);
  if (!isParameter || !consumeIf(TokenKind::Equal))
    return true;
  formal.defaultValue = parseExpr();
  return formal.defaultValue != nullptr;
}

bool Parser::parseDef() {
  Token keyword = token, name;
  hasRest = false;
  DefStmt *def;
  {
    // What the macro defines is known in it only.
    llvm::SaveAndRestore restore(defined, defined);
    llvm::SaveAndRestore restoreMonoids(monoids, monoids);
    def = parseDefOnce(name);
    if (def && hasRest && !def->bodyInvalid)
      parseDefByRest(keyword, *def);
  }
  macros.insert(name.spelling);
  hasRest = false;
  if (def)
    statements.push_back(def);
  else if (!name.spelling.empty())
    addInvalid(name);
  return def && expectEndOfStatement();
}

DefStmt *Parser::parseDefOnce(Token &name) {
  Token keyword = token;
  advance();
  if (isModule && classifyWord(token.spelling) == WordClass::Macro) {
    name = token;
    advance();
  } else if (!parseName(name, "the macro's name")) {
    skipDefBody(keyword.spelling.begin());
    return nullptr;
  }
  auto *def = context.create<DefStmt>();
  def->name = name.spelling;
  def->nameRange = name.range();
  insideHeader = true;
  reducedRest = {};
  bool parsed = parseDefHeader(*def);
  insideHeader = false;
  if (!parsed) {
    // Everything but the brace has reported itself.
    if (!def->results.empty())
      unexpected("'{' and the macro's statements");
    skipDefBody(keyword.spelling.begin());
    return nullptr;
  }
  def->range = since(keyword.range().Start);
  insideDef = true;
  if (!parseDefBody(*def))
    def->bodyInvalid = true;
  insideDef = false;
  def->reducedRest = reducedRest;
  return def;
}

bool Parser::parseDefHeader(DefStmt &def) {
  Token open = token;
  if (!expect(TokenKind::LParen, " after the macro's name"))
    return false;
  llvm::SmallVector<Formal> formals;
  if (!token.is(TokenKind::RParen)) {
    do {
      if (!parseFormal(formals.emplace_back(), /*isParameter=*/true))
        return false;
    } while (consumeIf(TokenKind::Comma));
  }
  def.formals = context.copy<Formal>(formals);
  if (!expectClosing(TokenKind::RParen, open) ||
      !expect(TokenKind::Arrow, " and the macro's result"))
    return false;
  llvm::SmallVector<Formal> results;
  do {
    if (!parseFormal(results.emplace_back(), /*isParameter=*/false))
      return false;
  } while (consumeIf(TokenKind::Comma));
  def.results = context.copy<Formal>(results);
  return token.is(TokenKind::LBrace);
}

bool Parser::parseDefBody(DefStmt &def) {
  Token open = token;
  advance();
  llvm::SmallVector<const Stmt *> body;
  while (!token.is(TokenKind::RBrace) && !diagnostics.limitReached()) {
    if (token.is(TokenKind::EndOfFile)) {
      diagnostics
          .error(def.nameRange,
                 "the body of macro '" + def.name + "' is not closed by '}'")
          .note(open.range(), "it begins here");
      def.bodyInvalid = true;
      return false;
    }
    if (consumeIf(TokenKind::Newline))
      continue;
    const char *start = token.spelling.begin();
    auto wordClass = classifyWord(token.spelling);
    Token name;
    if (atRepeat()) {
      unsigned errors = diagnostics.errorCount();
      const RepeatStmt *loop = parseRepeat();
      if (loop)
        body.push_back(loop);
      if (errors == diagnostics.errorCount())
        continue;
    } else if (token.is(TokenKind::Identifier) &&
               wordClass == WordClass::Statement)
      diagnostics.error(
          token.range(),
          "'" + token.spelling +
              "' cannot stand in the body of a macro, which "
              "holds only loops, points and statements of the form "
              "NAME[...] = ...");
    else if (atPoint()) {
      const PointStmt *point = parsePoint();
      if (point) {
        body.push_back(point);
        continue;
      }
    } else if (!token.is(TokenKind::Identifier))
      unexpected("a statement or '}'");
    else if (const EquationStmt *equation = parseEquation(name)) {
      body.push_back(equation);
      continue;
    }
    def.bodyInvalid = true;
    recover(start);
  }
  def.body = context.copy<const Stmt *>(body);
  return consumeIf(TokenKind::RBrace);
}

/// Where the brace that opens at `brace` is closed, or the end of the text.
static const char *closingBrace(const char *brace, llvm::StringRef text) {
  unsigned depth = 0;
  bool inComment = false;
  for (const char *position = brace; position != text.end(); ++position) {
    inComment = *position != '\n' && (inComment || *position == '#');
    if (inComment)
      continue;
    depth += (*position == '{') - (*position == '}');
    if (depth == 0)
      return position + 1;
  }
  return text.end();
}

/// A header may have several lines; one that ends in '{' is its last.
void Parser::skipDefBody(const char *headerStart) {
  const char *position = lexer.endOfLine(token.spelling.begin());
  llvm::StringRef rest(headerStart, lexer.text().end() - headerStart);
  while (!rest.empty()) {
    auto [line, after] = rest.split('\n');
    llvm::StringRef code =
        line.take_until([](char c) { return c == '#'; }).rtrim();
    if (code.ends_with("{")) {
      position = closingBrace(code.end() - 1, lexer.text());
      break;
    }
    bool goesOn = code.ends_with(",") || code.ends_with("(") || code.empty();
    if (code.contains('{') || (!goesOn && line.end() >= position))
      break;
    rest = after;
  }
  lexer.restartAt(position);
  token = lexer.lex();
}

//===----------------------------------------------------------------------===//
// Dimensions that a macro leaves open
//===----------------------------------------------------------------------===//

/// What `...` stands for; as many as a tensor of a program may well have.
static constexpr llvm::StringLiteral restLabels[] = {"r0", "r1", "r2", "r3",
                                                     "r4", "r5", "r6", "r7"};

bool Parser::parseRest(
    bool &isThere,
    llvm::function_ref<void(llvm::StringRef, llvm::SMRange)> addLabel) {
  if (insideHeader)
    hasRest = true;
  if (!hasRest) {
    diagnostics.error(token.range(),
                      "'...' stands for labels of a macro whose header has it, "
                      "as in def f(X[..., c]) -> Y[..., c]");
    return false;
  }
  if (isThere) {
    diagnostics.error(token.range(), "'...' stands only once in a list");
    return false;
  }
  isThere = true;
  for (llvm::StringRef label : llvm::ArrayRef(restLabels).take_front(numRest))
    addLabel(label, token.range());
  advance();
  return true;
}

void Parser::parseDefByRest(const Token &keyword, DefStmt &def) {
  llvm::SaveAndRestore restoreCount(numRest, size_t(0));
  llvm::SmallVector<const DefStmt *> byRest;
  for (; numRest <= std::size(restLabels); ++numRest) {
    if (numRest == 1) {
      byRest.push_back(&def);
      continue;
    }
    lexer.restartAt(keyword.spelling.begin());
    token = lexer.lex();
    Token name;
    byRest.push_back(parseDefOnce(name));
  }
  def.byRest = context.copy<const DefStmt *>(byRest);
}

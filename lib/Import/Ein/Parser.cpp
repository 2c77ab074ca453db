//===- Parser.cpp - Statements of a .ein file -----------------------------===//

#include "tapestry/Import/Ein/Parser.h"
#include "ParserImpl.h"
#include "llvm/ADT/StringExtras.h"

using namespace tapestry::ein;
using namespace tapestry::ein::ast;

Program tapestry::ein::parseProgram(llvm::StringRef buffer, Context &context,
                                    DiagnosticEngine &diagnostics,
                                    bool isModule) {
  return Parser(buffer, context, diagnostics, isModule).parseProgram();
}

Parser::Parser(llvm::StringRef buffer, Context &context,
               DiagnosticEngine &diagnostics, bool isModule)
    : context(context), diagnostics(diagnostics), lexer(buffer, diagnostics),
      previousEnd(buffer.begin()), isModule(isModule) {
  imports.insert(randomPrefix.drop_back());
  lexer.setPrefixes(&imports);
  token = lexer.lex();
}

//===----------------------------------------------------------------------===//
// Programs and recovery
//===----------------------------------------------------------------------===//

Program Parser::parseProgram() {
  while (!token.is(TokenKind::EndOfFile) && !diagnostics.limitReached()) {
    if (!consumeIf(TokenKind::Newline))
      parseStatement();
  }
  return Program{std::move(statements), token.range()};
}

void Parser::recover(const char *statementStart) {
  if (token.is(TokenKind::EndOfFile) || token.is(TokenKind::Newline))
    return;
  const char *position = token.spelling.begin();
  // A bracket that was left open swallowed the line's end: the token may well
  // start the next statement.
  bool startsLine = position > statementStart &&
                    lexer.isFirstInLine(position) &&
                    token.is(TokenKind::Identifier);
  if (!startsLine) {
    const char *lineEnd = lexer.endOfLine(position);
    llvm::StringRef rest(position, lineEnd - position);
    size_t brace = insideDef ? rest.find_first_of("#}") : llvm::StringRef::npos;
    bool closesDef = brace != llvm::StringRef::npos && rest[brace] == '}';
    position = closesDef ? position + brace : lineEnd;
  }
  lexer.restartAt(position);
  token = lexer.lex();
}

const InvalidStmt *Parser::invalid(const Token &name) {
  auto *stmt = context.create<InvalidStmt>();
  stmt->name = name.spelling;
  stmt->nameRange = stmt->range = name.range();
  return stmt;
}

void Parser::addInvalid(const Token &name) {
  statements.push_back(invalid(name));
}

bool Parser::expectEndOfStatement() {
  if (token.is(TokenKind::EndOfFile) || consumeIf(TokenKind::Newline) ||
      (insideDef && token.is(TokenKind::RBrace)))
    return true;
  if (token.is(TokenKind::Equal)) {
    diagnostics.error(token.range(), "expected the end of the line, got '='")
        .note("to compare two values, write '=='");
    return false;
  }
  return unexpected("an operator or the end of the line");
}

void Parser::parseStatement() {
  const char *start = token.spelling.begin();
  if (!token.is(TokenKind::Identifier)) {
    if (token.is(TokenKind::Slash) || token.is(TokenKind::SlashSlash))
      errorAtToken("a statement").note(adviceFor("comment"));
    else if (token.kind >= TokenKind::EqualEqual &&
             token.kind <= TokenKind::PipePipe)
      errorAtToken("a statement")
          .note("a statement ends with its line, but not inside brackets: "
                "Y[i] = (X[i] + ...)");
    else
      unexpected("a statement");
    // Step over what no statement begins with, so that each round advances.
    recover(start);
    return;
  }
  bool parsed = false;
  Token name;
  if (token.spelling == "param") {
    parsed = parseParam();
  } else if (token.spelling == "import" &&
             peekNext().is(TokenKind::Identifier)) {
    parsed = parseImport();
  } else if (token.spelling == "input") {
    parsed = parseInput();
  } else if (token.spelling == "output") {
    parsed = parseOutput();
  } else if (token.spelling == "def") {
    parsed = parseDef();
  } else if (atMonoid()) {
    parsed = parseMonoid();
  } else if (atBlock()) {
    parsed = parseBlock();
  } else if (atRepeat()) {
    const RepeatStmt *repeat = parseRepeat();
    if (repeat)
      statements.push_back(repeat);
    parsed = repeat && !repeat->isInvalid;
  } else if (atPoint()) {
    const PointStmt *point = parsePoint();
    if (point)
      statements.push_back(point);
    parsed = point != nullptr;
  } else if (const EquationStmt *equation = parseEquation(name)) {
    statements.push_back(equation);
    parsed = true;
  } else if (!name.spelling.empty()) {
    addInvalid(name);
  }
  if (!parsed)
    recover(start);
}

bool Parser::parseName(Token &name, llvm::StringRef what) {
  if (!token.is(TokenKind::Identifier))
    return unexpected(what);
  if (auto wordClass = classifyWord(token.spelling)) {
    diagnostics.error(token.range(), "'" + token.spelling + "' is " +
                                         describe(*wordClass) +
                                         " of the language, not " + what);
    return false;
  }
  if (token.spelling.contains('.')) {
    diagnostics.error(token.range(),
                      "'" + token.spelling +
                          "' is of an imported module, and not " + what);
    return false;
  }
  name = token;
  advance();
  return true;
}

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

/// Why labels have no extents there.
static constexpr llvm::StringLiteral onlyNames =
    "the labels of an input or output only name its dimensions";

bool Parser::parseParam() {
  Token keyword = token;
  advance();
  Token name;
  if (!parseName(name, "the param's name"))
    return false;
  define(name);
  auto *stmt = context.create<ParamStmt>();
  stmt->name = name.spelling;
  stmt->nameRange = name.range();
  bool isOpen = token.is(TokenKind::Newline) || token.is(TokenKind::EndOfFile);
  if (consumeIf(TokenKind::Equal))
    stmt->value = parseExpr();
  else if (!isOpen && !token.is(TokenKind::Error))
    errorAtToken("'=' after the param's name").note(adviceFor("param"));
  stmt->range = since(keyword.range().Start);
  if ((!stmt->value && !isOpen) || !expectEndOfStatement()) {
    addInvalid(name);
    return false;
  }
  statements.push_back(stmt);
  return true;
}

bool Parser::parseImport() {
  Token keyword = token;
  advance();
  Token name;
  if (!parseName(name, "the module's name"))
    return false;
  auto *stmt = context.create<ImportStmt>();
  stmt->name = name.spelling;
  stmt->nameRange = name.range();
  stmt->range = since(keyword.range().Start);
  imports.insert(name.spelling);
  statements.push_back(stmt);
  return expectEndOfStatement();
}

bool Parser::parseInput() {
  Token keyword = token;
  advance();
  Token name;
  if (!parseName(name, "the input's name"))
    return false;
  define(name);
  auto *stmt = context.create<InputStmt>();
  stmt->name = name.spelling;
  stmt->nameRange = name.range();
  auto parseRest = [&] {
    llvm::SmallVector<Constraint> constraints;
    // A shape that was put here is not taken for labels.
    if (token.is(TokenKind::LSquare) && peekNext().is(TokenKind::Identifier)) {
      stmt->hasLabels = true;
      if (!parseLabels(stmt->labels, onlyNames))
        return false;
    }
    if (!parseConstraints(constraints) ||
        !expect(TokenKind::Colon, " and a type after the input's name"))
      return false;
    if (!parseType(stmt->type, stmt->shape))
      return false;
    if (!parseBorder("from", stmt->border) || !parseAfter(stmt->after) ||
        !parseConstraints(constraints))
      return false;
    stmt->constraints = context.copy<Constraint>(constraints);
    stmt->range = since(keyword.range().Start);
    return expectEndOfStatement();
  };
  if (!parseRest()) {
    addInvalid(name);
    return false;
  }
  statements.push_back(stmt);
  return true;
}

bool Parser::parseBorder(llvm::StringRef word, Border &border) {
  while (token.is(TokenKind::Identifier)) {
    bool isFile = token.spelling == word && border.file.path.empty();
    if (!isFile && (token.spelling != "on" || border.device))
      return true;
    if (isFile && !parseFile(word, border.file))
      return false;
    if (isFile)
      continue;
    advance();
    if (!token.is(TokenKind::Identifier) || token.spelling != "device") {
      errorAtToken("'device' after 'on'")
          .note("on device 0: that one alone has the tensor, whole");
      return false;
    }
    advance();
    if (!(border.device = parsePrimary()))
      return false;
  }
  return true;
}

bool Parser::parseFile(llvm::StringRef word, FileName &file) {
  advance();
  // The lexer has reported what is not closed.
  if (token.is(TokenKind::Error))
    return false;
  if (!token.is(TokenKind::String)) {
    errorAtToken("a path in quotes after '" + word + "'")
        .note(word + " \"x.npy\" is a file of NumPy's format");
    return false;
  }
  file = {token.spelling.drop_front().drop_back(), token.range()};
  if (file.path.empty() || file.path.contains('\0')) {
    diagnostics.error(file.range, file.path.empty()
                                      ? "the path of a file is empty"
                                      : "a path has no byte of value 0");
    return false;
  }
  advance();
  return true;
}

bool Parser::parseOutput() {
  advance();
  do {
    Token name;
    if (token.is(TokenKind::Identifier) && token.spelling.contains('.')) {
      errorAtToken("the name of a tensor")
          .note("a value of another name gets one: output passes = " +
                token.spelling);
      return false;
    }
    if (!parseName(name, "the name of a tensor"))
      return false;
    auto *stmt = context.create<OutputStmt>();
    stmt->name = name.spelling;
    stmt->nameRange = name.range();
    auto *equation = context.create<EquationStmt>();
    if (!parseLeftSide(name, *equation) || !parseBorder("to", stmt->border))
      return false;
    if (token.is(TokenKind::Equal) || token.is(TokenKind::Colon)) {
      bool parsed = parseDefinition(name, *equation);
      if (parsed)
        statements.push_back(equation);
      else
        addInvalid(name);
      statements.push_back(stmt);
      return parsed;
    }
    stmt->hasLabels = equation->hasLabels;
    stmt->labels = equation->labels;
    stmt->constraints = equation->constraints;
    for (const Label &label : stmt->labels)
      if (label.extent || label.place) {
        diagnostics.error(label.extent ? label.extent->range : label.range,
                          onlyNames);
        return false;
      }
    if (!parseAfter(stmt->after))
      return false;
    stmt->range = since(name.range().Start);
    statements.push_back(stmt);
  } while (consumeIf(TokenKind::Comma));
  return expectEndOfStatement();
}

//===----------------------------------------------------------------------===//
// Equations
//===----------------------------------------------------------------------===//

/// A name, or what is more than that.
bool Parser::parseLabel(Label &label, bool allowPlaces) {
  Token next = peekNext();
  bool isAlone = next.is(TokenKind::Comma) || next.is(TokenKind::Colon) ||
                 next.is(TokenKind::RSquare);
  if (token.is(TokenKind::Integer) && (isAlone || !allowPlaces)) {
    errorAtToken("a label").note(adviceFor("place"));
    return false;
  }
  bool isPlace = token.is(TokenKind::Identifier) ||
                 token.is(TokenKind::Integer) || token.is(TokenKind::LParen) ||
                 token.is(TokenKind::Minus);
  if (!allowPlaces || isAlone || !isPlace) {
    Token name;
    if (!parseName(name, "a label"))
      return false;
    label = {name.spelling, name.range()};
    return true;
  }
  const Expr *place = parseExpr();
  if (!place)
    return false;
  if (auto *name = llvm::dyn_cast<NameExpr>(place))
    label = {name->name, name->range};
  else
    label = {"", place->range, nullptr, place};
  return true;
}

bool Parser::parseLabels(llvm::ArrayRef<Label> &labels,
                         llvm::StringRef noExtents, bool allowPlaces) {
  Token open = token;
  if (!expect(TokenKind::LSquare, " and labels"))
    return false;
  llvm::SmallVector<Label> list;
  bool isRest = false;
  if (!token.is(TokenKind::RSquare)) {
    do {
      if (token.is(TokenKind::Ellipsis)) {
        bool parsed =
            parseRest(isRest, [&](llvm::StringRef name, llvm::SMRange range) {
              list.push_back({name, range, nullptr});
            });
        if (!parsed)
          return false;
        continue;
      }
      Label label;
      if (!parseLabel(label, allowPlaces))
        return false;
      if (token.is(TokenKind::Colon) && !noExtents.empty()) {
        diagnostics.error(token.range(), noExtents);
        return false;
      }
      if (consumeIf(TokenKind::Colon)) {
        label.extent = parseExpr();
        if (!label.extent)
          return false;
      }
      list.push_back(label);
    } while (consumeIf(TokenKind::Comma));
  }
  labels = context.copy<Label>(list);
  return expectClosing(TokenKind::RSquare, open);
}

const EquationStmt *Parser::parseEquation(Token &defined) {
  Token name = token;
  Token next = peekNext();
  if (next.is(TokenKind::Identifier)) {
    auto error = diagnostics.error(
        name.range(), atMonoid() ? llvm::Twine("'monoid' stands in no body: it "
                                               "is seen in the whole file")
                                 : "unknown statement '" + name.spelling + "'");
    llvm::StringRef advice = adviceFor(name.spelling);
    llvm::StringRef meant = nearestWord(
        name.spelling, {"param", "input", "output", "def", "monoid"});
    if (!advice.empty())
      error.note(advice);
    else if (!meant.empty() && meant != name.spelling)
      error.note("did you mean '" + meant + "'?");
    advance();
    // What it would have defined is not undefined as well.
    if (!classifyWord(token.spelling))
      defined = token;
    return nullptr;
  }
  if (!parseName(name, "the name of a tensor"))
    return nullptr;
  defined = name;
  auto *stmt = context.create<EquationStmt>();
  if (!parseLeftSide(name, *stmt))
    return nullptr;
  llvm::SmallVector<const EquationStmt *> more;
  while (consumeIf(TokenKind::Comma)) {
    Token other;
    auto *side = context.create<EquationStmt>();
    if (!parseName(other, "the name of a tensor") ||
        !parseLeftSide(other, *side))
      return nullptr;
    side->range = since(other.range().Start);
    more.push_back(side);
  }
  stmt->more = context.copy<const EquationStmt *>(more);
  return parseDefinition(name, *stmt) ? stmt : nullptr;
}

/// What stands behind the name, up to '='.
bool Parser::parseLeftSide(const Token &name, EquationStmt &stmt) {
  stmt.name = name.spelling;
  stmt.nameRange = name.range();
  define(name);
  if (token.is(TokenKind::LSquare)) {
    stmt.hasLabels = true;
    if (!parseLabels(stmt.labels, /*noExtents=*/"", /*allowPlaces=*/true))
      return false;
  }
  llvm::SmallVector<Constraint> constraints;
  if (!parseConstraints(constraints))
    return false;
  stmt.constraints = context.copy<Constraint>(constraints);
  return true;
}

/// `= right side`, or `: type = brackets`.
bool Parser::parseDefinition(const Token &name, EquationStmt &stmt) {
  if (token.is(TokenKind::Colon) && !stmt.hasLabels && stmt.constraints.empty())
    return parseTyped(name, stmt) && parseAfter(stmt.after) &&
           expectEndOfStatement();
  if (!expect(TokenKind::Equal, stmt.hasLabels || !stmt.constraints.empty()
                                    ? " after the left side"
                                    : " or '[' after the tensor's name") ||
      !parseRightSide(stmt) || !parseAfter(stmt.after))
    return false;
  stmt.range = since(name.range().Start);
  return expectEndOfStatement();
}

bool Parser::parseRightSide(EquationStmt &stmt) {
  auto wordClass = token.is(TokenKind::Identifier)
                       ? classifyWord(token.spelling)
                       : std::nullopt;
  if (atSort()) {
    Token word = token;
    stmt.sort = parseSort(word.spelling);
    stmt.reduceRange = word.range();
    advance();
    if (parseReduceLabels(word, stmt.reduceLabels))
      stmt.expr = parseExpr();
    return stmt.expr != nullptr;
  }
  bool isReduction = atReduction() || (wordClass == WordClass::Reduction &&
                                       !peekNext().is(TokenKind::LParen));
  if (!isReduction && wordClass != WordClass::Macro) {
    Token head = token;
    stmt.expr = parseExpr();
    return stmt.expr && !reportUnknownReduction(*stmt.expr, head);
  }
  llvm::SMLoc start = token.range().Start;
  Token word;
  std::optional<Reduction> named = parseReductionName(word);
  if (!named)
    return false;
  Reduction reduction = *named;
  stmt.reduceRange = word.range();
  if (reduction.scans) {
    // No label is gone: an expression like others. It has one, or analysis
    // says so.
    llvm::ArrayRef<Label> labels;
    bool isWhole = token.is(TokenKind::LParen);
    ExprPtr operand =
        isWhole || parseReduceLabels(word, labels) ? parseExpr() : nullptr;
    if (operand)
      stmt.expr = checkDepth(
          context.create<ReduceExpr>(since(start), reduction, labels, operand));
    return stmt.expr != nullptr;
  }
  if (!parseReduceLabels(word, stmt.reduceLabels))
    return false;
  stmt.monoid = reduction.monoid;
  stmt.macro = reduction.macro;
  stmt.custom = reduction.custom;
  if (stmt.macro == MacroKind::RMSNorm || stmt.macro == MacroKind::LayerNorm)
    return parseNorm(stmt);
  stmt.expr = parseExpr();
  return stmt.expr != nullptr;
}

bool Parser::parseNorm(EquationStmt &stmt) {
  Token open = token;
  if (!expect(TokenKind::LParen, " and two arguments, X and eps"))
    return false;
  if (!(stmt.expr = parseExpr()))
    return false;
  if (token.is(TokenKind::RParen)) {
    errorAtToken("',' and eps, what is added to the variance")
        .note(adviceFor(stringify(*stmt.macro)));
    return false;
  }
  return expect(TokenKind::Comma, " and eps, what is added to the variance") &&
         (stmt.epsilon = parseExpr()) && expectClosing(TokenKind::RParen, open);
}

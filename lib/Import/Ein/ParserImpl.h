//===- ParserImpl.h - The recursive descent parser of .ein ------*- C++ -*-===//
//
// Private to this folder: Parser.cpp holds the statements, ParseExpr.cpp the
// expressions, ParseReduce.cpp the reductions, ParserTokens.cpp what all are
// made of.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_IMPORT_EIN_PARSERIMPL_H
#define TAPESTRY_LIB_IMPORT_EIN_PARSERIMPL_H

#include "tapestry/Import/Ein/AST.h"
#include "tapestry/Import/Ein/Lexer.h"
#include "tapestry/Import/Ein/Words.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace tapestry::ein {

/// One token of lookahead. Functions that return a pointer return null, those
/// that return bool return false, once an error was reported; the statement is
/// then given up and parsing goes on at the next line.
class Parser {
public:
  Parser(llvm::StringRef buffer, ast::Context &context,
         DiagnosticEngine &diagnostics, bool isModule);

  ast::Program parseProgram();

private:
  using ExprPtr = const ast::Expr *;

  // Statements.
  void parseStatement();
  bool parseParam();
  bool parseImport();
  // Loops (ParseRepeat.cpp).
  bool atRepeat() const;
  /// Null once reported.
  const ast::RepeatStmt *parseRepeat();
  bool parseRepeatHeader(ast::RepeatStmt &stmt);
  bool parseUntil(ast::RepeatStmt &stmt);
  bool parseCarried(ast::RepeatStmt &stmt);
  bool parseSteps(ast::RepeatStmt &stmt);
  bool parseStep(llvm::SmallVectorImpl<ast::Step> &steps);
  // Sequence points (ParsePoint.cpp).
  bool atPoint() const;
  bool atAfter() const;
  /// Null once reported.
  const ast::PointStmt *parsePoint();
  /// `after` and a point, if they are there.
  bool parseAfter(ast::NameRef &point);
  bool parseInput();
  bool parseOutput();
  /// `from` or `to`, `word`, and a path.
  bool parseFile(llvm::StringRef word, ast::FileName &file);
  /// That and a device, in any order.
  bool parseBorder(llvm::StringRef word, ast::Border &border);
  bool parseDef();
  // ParseMonoid.cpp.
  bool atMonoid() const;
  bool parseMonoid();
  bool parseMonoidRest(ast::MonoidStmt &stmt);
  // ParseBlock.cpp.
  bool atBlock() const;
  bool parseBlock();
  bool parseBlockRest(ast::BlockStmt &stmt);
  bool parseBlockFormal(ast::BlockFormal &formal, bool isResult);
  bool parseBlockCost(ast::BlockCost &cost);
  /// `name` is set where the macro has one; null once reported.
  ast::DefStmt *parseDefOnce(Token &name);
  bool parseDefHeader(ast::DefStmt &def);
  /// Reads the macro that begins with `keyword` again, for each number of
  /// labels that `...` may stand for.
  void parseDefByRest(const Token &keyword, ast::DefStmt &def);
  bool parseDefBody(ast::DefStmt &def);
  void skipDefBody(const char *headerStart);
  /// Null once reported; `defined` gets the name token if there was one.
  const ast::EquationStmt *parseEquation(Token &defined);
  bool parseLeftSide(const Token &name, ast::EquationStmt &stmt);
  bool parseDefinition(const Token &name, ast::EquationStmt &stmt);
  bool reportUnknownReduction(const ast::Expr &expr, const Token &head);
  bool parseRightSide(ast::EquationStmt &stmt);
  bool parseNorm(ast::EquationStmt &stmt);
  // Types (ParseTyped.cpp).
  bool parseType(ElementType &type, llvm::ArrayRef<ExprPtr> &shape);
  bool parseTyped(const Token &name, ast::EquationStmt &stmt);
  bool parseBrackets(unsigned level, llvm::SmallVectorImpl<int64_t> &counts,
                     llvm::SmallVectorImpl<ExprPtr> &values);
  bool reportTyped(const Token &name);
  bool parseGeneratedType(const Token &word, std::optional<ElementType> &type);
  ExprPtr parseGenerator();
  ExprPtr parseRandom(const Token &name);
  llvm::StringRef rightOfEqual() const;
  bool parseFormal(ast::Formal &formal, bool isParameter);
  /// `noExtents` says why labels have none here; empty where they may. Places
  /// stand on left sides only.
  bool parseLabels(llvm::ArrayRef<ast::Label> &labels,
                   llvm::StringRef noExtents = "", bool allowPlaces = false);
  bool parseLabel(ast::Label &label, bool allowPlaces);
  /// Adds what `...` stands for in a macro, where it stands once in a list.
  bool
  parseRest(bool &isThere,
            llvm::function_ref<void(llvm::StringRef, llvm::SMRange)> addLabel);
  /// The labels of the reduction or macro `word`, of which it needs one.
  bool parseReduceLabels(const Token &word, llvm::ArrayRef<ast::Label> &labels);
  bool parseName(Token &name, llvm::StringRef what);
  // Constraints (ParseConstraint.cpp).
  bool parseConstraints(llvm::SmallVectorImpl<ast::Constraint> &constraints);
  bool parseConstraint(ast::Constraint &constraint);
  bool parseCutEntry(ast::CutEntry &entry);
  bool parseAxis(ast::AxisName &axis);
  bool expectEndOfStatement();
  /// What stands for a statement that defines `name` and is wrong.
  const ast::InvalidStmt *invalid(const Token &name);
  void addInvalid(const Token &name);
  void define(const Token &name) {
    defined.insert(name.spelling);
    monoids.erase(name.spelling);
  }
  /// The reduction or scan of that name: one that the program defines, or one
  /// of the language that no name of the program hides.
  std::optional<Reduction> reductionNamed(llvm::StringRef name) const;
  void recover(const char *statementStart);

  // Expressions.
  ExprPtr parseExpr() { return parseBinary(0); }
  /// Operators of at least this level bind here; 0 is '||'.
  ExprPtr parseBinary(unsigned level);
  ExprPtr parseUnary();
  ExprPtr parsePower();
  ExprPtr parsePrimary();
  ExprPtr parseNumber();
  ExprPtr parseWord(WordClass wordClass);
  ExprPtr parseReference();
  bool parseArguments(llvm::SmallVectorImpl<ExprPtr> &args,
                      llvm::SmallVectorImpl<ast::ArgumentName> &names);
  ExprPtr parseCall(const Token &callee,
                    std::optional<ElementType> type = std::nullopt);
  ExprPtr parsePad();
  ExprPtr parseFolded(const Token &word, Fold fold,
                      llvm::ArrayRef<ExprPtr> args);
  ExprPtr parseView();
  /// Subscripts of a tensor with a name or of a view, at the token '[', or
  /// slices, which others may follow.
  ExprPtr parseAccess(llvm::SMLoc start, ExprPtr base, ExprPtr pad,
                      std::optional<Fold> fold);
  ExprPtr makeSlice(llvm::SMLoc start, ExprPtr base,
                    llvm::ArrayRef<ast::SliceRange> slices);
  bool atView() const;
  ExprPtr parseIverson();
  ExprPtr parseReduce();
  /// Whether the current word begins a reduction with labels: one of the newer
  /// words does where no name of the program hides it.
  bool atReduction() const;
  /// Whether it is `scan` before a name, which follows no tensor.
  bool atScan() const;
  /// What that name, or the current word, is; nothing once reported.
  std::optional<Reduction> parseReductionName(Token &word);
  /// What may be meant by a name that is none of `words` and of the program's
  /// monoids; empty where none is near.
  llvm::StringRef meantBy(llvm::StringRef name,
                          llvm::SmallVector<llvm::StringRef> words) const;
  /// Says so or, where none is, how the program defines one.
  static void noteMonoid(InFlightError &error, llvm::StringRef name,
                         llvm::StringRef meant);
  bool atWholeReduction() const;
  bool atSort() const;
  ExprPtr parseParenthesised();
  /// Numbers alone where `slices` is null; else it has ranges if any subscript
  /// is one, and `subscripts` none.
  bool
  parseSubscripts(llvm::ArrayRef<ExprPtr> &subscripts,
                  llvm::SmallVectorImpl<ast::SliceRange> *slices = nullptr);
  bool parseRange(ast::SliceRange &slice);
  ExprPtr checkDepth(ExprPtr expr);

  // Tokens.
  void advance();
  Token peekNext() const;
  bool consumeIf(TokenKind kind);
  bool expect(TokenKind kind, const llvm::Twine &where);
  /// Expects the bracket that closes `open`.
  bool expectClosing(TokenKind kind, const Token &open);
  /// Reports the current token, `open` having been left open; always false.
  bool unclosed(const llvm::Twine &expected, const Token &open);
  /// Reports the current token; always false.
  bool unexpected(const llvm::Twine &expected);
  /// The same for a note to follow. The lexer has reported Error tokens.
  InFlightError errorAtToken(const llvm::Twine &expected);
  llvm::StringRef adviceAtToken() const;
  /// Words that other languages have for operators.
  static bool isForeignOperator(llvm::StringRef word);
  llvm::SMRange since(llvm::SMLoc start) const {
    return {start, llvm::SMLoc::getFromPointer(previousEnd)};
  }
  std::string describeToken() const;

  /// Counts the recursion that brackets and prefix operators cause.
  class Nesting {
  public:
    explicit Nesting(Parser &parser) : parser(parser) { ++parser.nesting; }
    ~Nesting() { --parser.nesting; }
    Nesting(const Nesting &) = delete;
    Nesting &operator=(const Nesting &) = delete;
    /// Reports and returns true when there is too much of it.
    bool tooDeep() const;

  private:
    Parser &parser;
  };
  static constexpr unsigned maxNesting = 200;

  ast::Context &context;
  DiagnosticEngine &diagnostics;
  Lexer lexer;
  Token token;
  const char *previousEnd;
  bool isModule;
  unsigned nesting = 0;
  /// Whether '}' ends a statement.
  bool insideDef = false;
  /// Whether '(' follows a number of passes and makes no call of a name.
  bool insidePasses = false;
  bool insideHeader = false;
  /// How many labels `...` stands for, and whether the macro's header has it.
  size_t numRest = 1;
  bool hasRest = false;
  /// Where the macro's body reduces over `...` alone.
  llvm::SMRange reducedRest;
  /// What the program has defined so far: such a name wins over a newer word.
  llvm::StringSet<> defined;
  /// The macros so far: a newer word before '(' is one of them.
  llvm::StringSet<> macros;
  /// The reductions that the program defines, unless a later name hides them.
  llvm::StringMap<const ast::MonoidStmt *> monoids;
  /// The modules that are imported so far.
  llvm::StringSet<> imports;
  std::vector<const ast::Stmt *> statements;
};

} // namespace tapestry::ein

#endif // TAPESTRY_LIB_IMPORT_EIN_PARSERIMPL_H

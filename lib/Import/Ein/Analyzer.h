//===- Analyzer.h - Statements of a .ein program in order -------*- C++ -*-===//
//
// Private to this folder. Sema.cpp handles declarations and equations,
// Macros.cpp the macros of the user.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_IMPORT_EIN_ANALYZER_H
#define TAPESTRY_LIB_IMPORT_EIN_ANALYZER_H

#include "Scope.h"
#include "StatementAnalyzer.h"
#include "tapestry/Import/Ein/Sema.h"
#include "llvm/ADT/StringSet.h"
#include <deque>

namespace tapestry::ein {

class Analyzer {
public:
  Analyzer(const EinOptions &options, DiagnosticEngine &diagnostics)
      : options(options), diagnostics(diagnostics) {}

  std::optional<Graph> run(const ast::Program &program);

private:
  friend class Parts;

  // Declarations.
  void visit(const ast::Stmt &stmt);
  void visitParam(const ast::ParamStmt &stmt);
  void warnOfQuotient(const ast::ParamStmt &stmt, const Number &value);
  void visitInput(const ast::InputStmt &stmt);
  void visitOutput(const ast::OutputStmt &stmt);
  void visitDef(Scope &scope, const ast::DefStmt &stmt);
  void visitImport(const ast::ImportStmt &stmt);
  // Monoids.cpp.
  void visitMonoid(Scope &scope, const ast::MonoidStmt &stmt);
  bool checkCombine(const Scope &scope, const ast::MonoidStmt &stmt,
                    const ast::Expr *expr);
  // Blocks.cpp.
  void visitBlock(Scope &scope, const ast::BlockStmt &stmt);
  bool checkBlockSides(const ast::EquationStmt &stmt,
                       const ast::BlockStmt &block);
  /// One tensor per left side.
  std::vector<std::optional<unsigned>> addBlock(const Scope &scope,
                                                const ast::EquationStmt &stmt,
                                                const ast::CallExpr &call,
                                                const ast::BlockStmt &declared);
  std::optional<unsigned> blockArgument(const Scope &scope,
                                        const ast::EquationStmt &stmt,
                                        const ast::Expr *arg,
                                        const ast::BlockFormal &formal);
  // Loops.cpp.
  void visitRepeat(Scope &scope, const ast::RepeatStmt &stmt);
  bool beginCarried(const Scope &scope, const ast::RepeatStmt &stmt,
                    Loop &loop);
  std::optional<unsigned> addNumber(const Scope &scope,
                                    const ast::RepeatStmt &stmt,
                                    std::string name,
                                    std::optional<unsigned> before);
  void addArguments(Scope &body, const ast::RepeatStmt &stmt, Loop &loop);
  bool visitSteps(Scope &body, const ast::RepeatStmt &stmt, Loop &loop);
  bool visitNext(Scope &body, const ast::RepeatStmt &stmt,
                 const ast::EquationStmt &next, Loop &loop);
  /// Says that the names of what a loop leaves are defined by it.
  static void announceResults(Scope &scope, const ast::RepeatStmt &stmt);
  bool visitCollect(Scope &body, const ast::RepeatStmt &stmt,
                    const ast::EquationStmt &collect, Loop &loop);
  void warnOfEqual(const ast::RepeatStmt &stmt);
  bool visitUntil(const Scope &body, const ast::RepeatStmt &stmt, Loop &loop);
  void defineResults(Scope &scope, const ast::RepeatStmt &stmt, Loop loop,
                     unsigned position);
  std::optional<Number> replaceParam(llvm::StringRef name, const Number &value,
                                     const Number &given);
  // Points.cpp.
  void visitPoint(Scope &scope, const ast::PointStmt &stmt);
  const Binding *findAwaited(const Scope &scope, const ast::NameRef &name,
                             bool isPoint);
  /// The output of that name, for a point; nothing once reported.
  std::optional<unsigned> findOutput(const Scope &scope,
                                     const ast::NameRef &name);
  /// The point of that name; nothing once reported.
  std::optional<unsigned> findPoint(const Scope &scope,
                                    const ast::NameRef &name);
  /// Whether what a statement has become reads something that can wait.
  // Sizes.cpp: params without a value.
  void takeParams(const ast::Program &program);
  void checkNamedInputs(const ast::Program &program);
  void takeParams(const ast::InputStmt &input,
                  llvm::ArrayRef<llvm::StringRef> open);
  std::optional<Number> takenParam(const ast::ParamStmt &stmt);

  void checkParamOptions(const ast::Program &program);
  /// Whether `name` is free; reports it where not.
  bool checkNew(const Scope &scope, llvm::StringRef name, llvm::SMRange range);

  // Equations. All return the tensor that the statement defines, or nothing
  // once reported.
  void visitEquation(Scope &scope, const ast::EquationStmt &stmt);
  std::vector<std::optional<unsigned>> expand(const Scope &scope,
                                              const ast::EquationStmt &stmt);
  /// Of a statement whose parts have names.
  std::vector<std::optional<unsigned>>
  expandNamed(const Scope &scope, const ast::EquationStmt &stmt);
  /// The macro of the user that a statement is a use of, or null.
  static const Binding *macroUsedBy(const Scope &scope,
                                    const ast::EquationStmt &stmt);
  std::optional<unsigned> addVertex(const Scope &scope,
                                    const ast::EquationStmt &stmt);
  // Sorts.cpp: one tensor per left side.
  std::vector<std::optional<unsigned>> addSorted(const Scope &scope,
                                                 const ast::EquationStmt &stmt);
  bool checkSides(const ast::EquationStmt &stmt);
  std::optional<unsigned> addTensor(const Scope &scope,
                                    const ast::EquationStmt &stmt,
                                    std::string name, ElementType type,
                                    llvm::SmallVector<int64_t, 4> shape,
                                    Vertex vertex);

  std::optional<int64_t> deviceOf(const ast::Border &border);

  // Literals.cpp. `name` is what messages call the tensor.
  std::optional<llvm::SmallVector<int64_t, 4>>
  evaluateShape(const Scope &scope, llvm::StringRef name,
                llvm::ArrayRef<const ast::Expr *> shape);
  std::optional<unsigned> addLiteral(const Scope &scope,
                                     const ast::EquationStmt &stmt);
  /// A statement of whole tensors with a type.
  std::optional<unsigned> addGenerated(const Scope &scope,
                                       const ast::EquationStmt &stmt);

  bool checkSize(llvm::StringRef name, llvm::SMRange range, ElementType type,
                 llvm::ArrayRef<int64_t> shape);
  bool checkSize(llvm::StringRef name, llvm::SMRange range, ElementType type,
                 llvm::ArrayRef<int64_t> shape, const Vertex &vertex);
  /// Adds what a statement becomes to the count; reports the limit once.
  bool countVertices(const ast::EquationStmt &stmt, unsigned count);
  void nameLabels(const Scope &scope, Vertex &vertex);

  // Constraints.cpp.

  /// A label or dimension that constraints may name.
  struct CutTarget {
    /// As the statement calls it, and as the planner does.
    std::string written, planned;
    int64_t extent;
  };
  /// The dimensions of a tensor by the names in brackets, or by number.
  std::optional<std::vector<CutTarget>>
  dimensionTargets(const Tensor &tensor, bool hasLabels,
                   llvm::ArrayRef<ast::Label> labels, llvm::SMRange where);
  /// The labels of the vertex that a statement ends in, or one of its left
  /// sides.
  std::vector<CutTarget> labelTargets(const Scope &scope, const Tensor &tensor,
                                      const ast::EquationStmt &stmt,
                                      const ast::EquationStmt &side);
  /// Adds what constraints ask for to `into`, reporting what they cannot.
  void addConstraints(const Scope &scope,
                      llvm::ArrayRef<ast::Constraint> constraints,
                      llvm::ArrayRef<CutTarget> targets, llvm::StringRef name,
                      std::vector<ShardingConstraint> &into,
                      std::string *layoutGroup);
  bool addEntry(const Scope &scope, const ast::CutEntry &entry,
                llvm::ArrayRef<CutTarget> targets, llvm::StringRef name,
                ShardingConstraint &constraint);

  // Macros.cpp.
  static const ast::EquationStmt *leftSide(const ast::EquationStmt &stmt,
                                           size_t position) {
    return position == 0 ? &stmt : stmt.more[position - 1];
  }
  /// One tensor per left side.
  std::vector<std::optional<unsigned>> expandUse(const Scope &scope,
                                                 const ast::EquationStmt &stmt,
                                                 const ast::CallExpr &call,
                                                 const Binding &macro);
  /// The macro with as many labels for `...` as the first argument that has
  /// some asks for.
  const ast::DefStmt *fitRest(const Scope &scope,
                              llvm::ArrayRef<const ast::Expr *> args,
                              const ast::DefStmt &def);
  bool checkDefaults(const ast::DefStmt &stmt);
  /// What takes arguments, for messages that say so.
  struct Callee {
    Callee(const ast::DefStmt &def);
    Callee(const ast::BlockStmt &block);
    llvm::StringRef kind, name;
    llvm::SMRange range;
    struct Parameter {
      llvm::StringRef name;
      bool hasDefault;
    };
    llvm::SmallVector<Parameter> parameters;
  };
  bool checkArguments(const ast::CallExpr &call, const Callee &callee);
  bool checkResults(const ast::EquationStmt &stmt, const Callee &callee,
                    size_t numResults);
  /// The number of the parameter that an argument names.
  std::optional<size_t> findFormal(const ast::ArgumentName &name,
                                   const Callee &callee);
  /// The arguments of a use, one per parameter; null where a default stands.
  std::optional<llvm::SmallVector<const ast::Expr *>>
  arrange(const ast::CallExpr &call, const Callee &callee);
  /// `home` is what defaults see.
  bool bindUse(const Scope &scope, const Scope &home, Scope &use,
               const ast::EquationStmt &stmt,
               llvm::ArrayRef<const ast::Expr *> args, const ast::DefStmt &def);
  bool bindArgument(const Scope &scope, Scope &use, const ast::Expr *arg,
                    const ast::Formal &formal, const ast::DefStmt &def);
  bool bindTensor(const Scope &scope, Scope &use, const ast::Expr *arg,
                  llvm::StringRef name, llvm::SMRange range,
                  const ast::Formal &formal, const ast::DefStmt &def);
  bool bindConstant(const Scope &scope, Scope &use, const ast::Expr *arg,
                    const ast::Formal &formal, const ast::DefStmt &def);
  bool bindLabelName(const Scope &scope, Scope &use, llvm::StringRef formal,
                     llvm::StringRef actual, llvm::SMRange range);
  bool bindResultLabels(const Scope &scope, Scope &use,
                        const ast::EquationStmt &stmt, const ast::DefStmt &def,
                        const ast::Formal &result);
  std::optional<unsigned> addCopy(const Scope &use,
                                  const ast::EquationStmt &stmt,
                                  const ast::Formal &formal, unsigned number);
  std::optional<unsigned> takeResult(const Scope &use,
                                     const ast::EquationStmt &stmt,
                                     const ast::Formal &formal);

  const EinOptions &options;
  DiagnosticEngine &diagnostics;
  /// The values that params take from the shapes of inputs.
  struct TakenParam {
    int64_t value;
    /// The dimension that says so.
    llvm::SMRange where;
    llvm::StringRef input;
  };
  llvm::StringMap<TakenParam> taken;
  /// The first input without a shape that would decide a param.
  llvm::StringMap<const ast::InputStmt *> undecided;
  /// What imported modules define.
  std::deque<Scope> modules;
  llvm::StringSet<> imported;
  Graph graph;
  /// Holds what statements stand for that are written in another way.
  ast::Context context;
  /// What uses of macros are given that is a view.
  std::deque<Views> givenViews;
  /// How many parts of vertices are named, by `Y.arg.`.
  llvm::StringMap<unsigned> numParts;
  /// The names of parts that are being computed, one inside the other.
  llvm::SmallVector<llvm::StringRef> openParts;
  Scope file;
  /// The points that the current statement follows, with those of the uses of
  /// macros around it.
  llvm::SmallVector<unsigned, 1> after;
  /// The uses of macros around the current statement, outermost first.
  llvm::SmallVector<llvm::SMLoc> calls;
  /// The macros whose bodies are being expanded, outermost first.
  llvm::SmallVector<const ast::DefStmt *, 4> expanding;
  /// After expansion of the language's macros.
  unsigned numVertices = 0;
  bool limitReported = false;
};

} // namespace tapestry::ein

#endif // TAPESTRY_LIB_IMPORT_EIN_ANALYZER_H

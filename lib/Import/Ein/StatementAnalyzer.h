//===- StatementAnalyzer.h - One statement becomes one vertex ---*- C++ -*-===//
//
// Private to this folder. Statement.cpp collects labels and reads, Nested.cpp
// makes vertices of inner reductions, Gathers.cpp of reads at places that data
// name, Scatters.cpp of places on the left side, Sorts.cpp of sorts,
// Compose.cpp puts views into subscripts, Random.cpp draws random numbers,
// Norms.cpp checks uses of the language's macros, Monoids.cpp those of the
// program's monoids, Extents.cpp infers extents
// and checks bounds, ExprTypes.cpp infers types, Body.cpp builds the nodes.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_IMPORT_EIN_STATEMENTANALYZER_H
#define TAPESTRY_LIB_IMPORT_EIN_STATEMENTANALYZER_H

#include "Views.h"
#include "tapestry/Import/Ein/Graph.h"
#include "llvm/ADT/DenseMap.h"
#include <deque>

namespace tapestry::ein {

/// A function's operand and result types.
struct FunctionInfo {
  llvm::StringLiteral name;
  NodeKind kind;
  unsigned arity;
  /// Whether it works on integers as well as on floats.
  bool onIntegers;
};
/// Nothing for casts, `pad` and what is no function.
const FunctionInfo *findFunction(llvm::StringRef name);
std::vector<llvm::StringRef> functionNames();
/// Whether a function draws random numbers.
bool isRandom(llvm::StringRef name);

/// The type of an expression before its context is known.
struct ExprType {
  enum class Kind {
    Typed,
    Literal, ///< made of numbers: takes the type of its context
    Iverson  ///< bool, or 0 and 1 of the type of its context
  };
  Kind kind = Kind::Typed;
  ElementType type = ElementType::F32;
  /// A literal that only a float type can hold.
  bool isFloat = false;
  /// A literal without brackets and functions: folded to one constant.
  bool isConstant = false;
  /// A literal in which labels stand.
  bool hasLabel = false;
  /// A literal in which an imaginary number stands.
  bool isImaginary = false;

  static ExprType typed(ElementType type) { return {Kind::Typed, type}; }
  static ExprType literal(bool isFloat, bool isConstant,
                          bool hasLabel = false) {
    return {Kind::Literal, ElementType::F32, isFloat, isConstant, hasLabel};
  }
  static ExprType iverson() { return {Kind::Iverson, ElementType::Bool}; }
  bool isTyped() const { return kind == Kind::Typed; }
  bool isComplex() const {
    return isTyped() ? ein::isComplex(type) : isImaginary;
  }
  bool isBool() const {
    return kind == Kind::Iverson || (isTyped() && type == ElementType::Bool);
  }
};

std::string describeType(ExprType type);
/// A cast as a message proposes it: "f32(X[i])".
std::string castHint(const ast::Expr *expr, ElementType type);
/// Whether a function takes complex numbers and nothing else.
bool takesComplex(NodeKind kind);

class StatementAnalyzer {
public:
  StatementAnalyzer(const Scope &scope, const Graph &graph,
                    DiagnosticEngine &diagnostics, ast::Context &context,
                    const ast::EquationStmt &equation)
      : scope(scope), graph(graph), diagnostics(diagnostics), context(context),
        equation(equation), views(scope, graph, diagnostics) {}

  /// A vertex that a part of the expression becomes.
  struct Inner {
    Vertex vertex;
    ElementType type;
    llvm::SmallVector<int64_t, 4> shape;
    /// "sum.1": its name after that of the statement.
    std::string suffix;
  };
  struct Result {
    Vertex vertex;
    ElementType type;
    llvm::SmallVector<int64_t, 4> shape;
    /// In order of evaluation; their tensors follow those of the graph.
    std::vector<Inner> inners;
  };
  /// Nothing once reported.
  std::optional<Result> run();

  // Monoids.cpp.
  /// A monoid of the program for values of a type; nothing once reported.
  std::optional<CustomMonoid> instantiate(const ast::MonoidStmt &monoid,
                                          ElementType type, llvm::SMRange use);

private:
  /// A linear form over labels and extents whose values may not be known yet.
  struct SymbolicSum {
    llvm::SmallVector<LinearForm::Term, 2> terms;
    llvm::SmallVector<LinearForm::Term, 1> extentTerms;
    WideInt constant = 0;
  };
  /// A division by `by`, which has no labels, or what it leaves.
  struct Step {
    bool isMod;
    SymbolicSum by;
    llvm::SMRange range;
  };
  /// A sum, divided and wrapped around step by step.
  struct SymbolicForm : SymbolicSum {
    llvm::SmallVector<Step, 0> steps;

    bool isLinear() const { return steps.empty(); }
    bool isConstant() const { return terms.empty() && isOfExtents(); }
    bool isOfExtents() const { return extentTerms.empty() && isLinear(); }
    int64_t coefficientOf(unsigned label) const {
      for (LinearForm::Term term : terms)
        if (term.label == label)
          return term.coefficient;
      return 0;
    }
    bool isPlainLabel() const {
      return terms.size() == 1 && terms[0].coefficient == 1 && isOfExtents() &&
             constant == 0;
    }
  };
  /// A part of the expression, a reduction or an index, while its vertex is
  /// built, with labels as positions in `labels`.
  struct Nested {
    /// The part around it; null right in the statement.
    Nested *outer = nullptr;
    /// What an index is once it is folded.
    const ast::Expr *index = nullptr;
    Vertex vertex;
  };
  struct LabelState {
    llvm::StringRef name;
    llvm::SMRange range;
    /// The inner reduction that it is a label of.
    const Nested *owner = nullptr;
    bool reduced = false;
    /// Neither on the left nor reduced: reported, kept to find more errors.
    bool undeclared = false;
    const ast::Expr *givenExtent = nullptr;
    bool used = false;
    /// Whether a place on the left side depends on it.
    bool inPlace = false;
    LabelRole role = LabelRole::Outer;
    std::optional<int64_t> extent;
    /// What decided the extent, for messages: "in 'A[i, j]'" and where.
    std::string origin;
    llvm::SMRange originRange;
  };
  struct Access {
    const ast::Expr *expr;
    unsigned tensor;
    const ast::Expr *pad;
    std::optional<Fold> fold;
    /// What is read; null for a tensor of the graph.
    const View *view = nullptr;
    llvm::SmallVector<SymbolicForm, 4> subscripts;
    llvm::SmallVector<llvm::SMRange, 4> ranges;
    /// Per subscript the index that it is; null where it is a form.
    llvm::SmallVector<Nested *, 4> indices;
    /// What reads, and the position in its operands.
    Expression *reader;
    Nested *nested;
    unsigned operand = 0;

    /// Whether its subscripts may leave the tensor.
    bool leaves() const { return pad || (fold && !isGather()); }
    bool isGather() const {
      return llvm::any_of(indices, [](Nested *index) { return index; });
    }
  };

  /// A use of a generator of random numbers.
  struct RandomCall {
    /// Among those of the statement, in the order of the text.
    unsigned number;
    /// The labels of the points that it draws for.
    llvm::SmallVector<unsigned, 4> labels;
    /// Reads of the counters of the loops around.
    llvm::SmallVector<const ast::NameExpr *, 2> passes;
  };

  struct Bounds {
    WideInt lo, hi;
  };

  using Subscripts = llvm::SmallVector<LinearForm, 4>;
  /// What is read outside of a view.
  struct Outside {
    std::optional<Constant> pad;
    std::optional<Fold> fold;
    /// Whatever is there: the body does not choose it.
    bool isUnread = false;
  };
  /// One of two reads, by how a form compares with a number.
  struct ViewChoice {
    LinearForm form;
    Predicate predicate;
    int64_t bound;
    unsigned then, otherwise;
  };
  /// What stands for the read of a view: a read, or a choice of earlier ones.
  struct ViewRead {
    Operand read;
    std::optional<ViewChoice> choice;
  };
  using Reads = llvm::SmallVector<ViewRead, 0>;

  // Statement.cpp: labels and reads.
  bool declareLabels();
  bool declareLabel(const ast::Label &label, bool reduced);
  bool collect(const ast::Expr *expr);
  bool collectName(const ast::NameExpr &expr);
  void readScalar(const ast::NameExpr &expr, unsigned tensor);
  /// Whether it is pi or e, and nothing that the program defines.
  bool namesNumber(const ast::NameExpr &expr) const;
  bool collectAccess(const ast::AccessExpr &expr);
  bool collectCall(const ast::CallExpr &expr);
  bool collectCondition(const ast::Expr *expr);
  bool collectComparison(const ast::BinaryExpr &expr);
  /// Finds which labels what was collected so far uses.
  void markUses();
  bool checkLabelUse();
  std::optional<unsigned> findLabel(llvm::StringRef name) const;
  unsigned useLabel(llvm::StringRef name, llvm::SMRange range);
  std::optional<unsigned> resolveTensor(llvm::StringRef name,
                                        llvm::SMRange range);

  // Nested.cpp: reductions inside the expression.
  bool isVisible(const LabelState &label) const;
  /// A label of that name of any inner reduction, visible or not.
  const LabelState *findInnerLabel(llvm::StringRef name) const;
  std::string freshLabel(llvm::StringRef name) const;
  bool collectReduce(const ast::ReduceExpr &expr);
  bool checkScan(const ast::ReduceExpr &expr);
  bool collectScan(const ast::ReduceExpr &expr);
  std::optional<ExprType> inferReduce(const ast::ReduceExpr &expr);
  std::optional<unsigned> buildReduce(const ast::ReduceExpr &expr,
                                      ElementType type);
  /// `scanned` is one that `inner` needs, whether it is read with it or not.
  llvm::SmallVector<unsigned, 4>
  placeLabels(const Nested &own, Vertex &inner,
              std::optional<unsigned> scanned = std::nullopt) const;
  unsigned internInner(Vertex inner, ElementType type);
  /// How the labels `around` read the inner vertex at `position`.
  Operand readOfInner(unsigned position, llvm::ArrayRef<unsigned> around) const;
  unsigned addRead(Operand read, ElementType type);

  // Gathers.cpp: reads at places that data name.
  /// A subscript beside data is a sum, not divided or wrapped around.
  bool namesData(const ast::Expr *subscript) const;
  bool collectIndex(const ast::Expr *subscript, Access &access);
  /// An index into a dimension of this extent, folded into it.
  const ast::Expr *foldIndex(const ast::Expr *index, int64_t extent, Fold fold);
  /// Collects what becomes a vertex of its own.
  bool collectPart(const ast::Expr *expr, Nested &own);
  std::optional<unsigned> buildGather(const ast::AccessExpr &expr,
                                      ElementType type);
  std::optional<Operand> buildIndex(const ast::Expr *subscript, Nested &own);
  std::optional<ElementType> indexType(const ast::Expr *subscript);
  /// Whether a tensor is read as a whole, by distinct plain labels.
  bool isWhole(const Operand &operand) const;
  bool reportMask(llvm::SMRange range);
  llvm::ArrayRef<int64_t> shapeOf(unsigned tensor) const;
  /// Makes a statement that is one gather, or one scan, that vertex.
  void adoptInner(Result &result);

  // Scatters.cpp: places on the left side.
  /// Whether the left side has more than labels.
  bool scatters() const;
  std::optional<Result> runScatter();
  bool checkPlaces();
  bool collectPlaces();
  bool decidePlaces();
  void takeOwnLabels(Nested &value);
  std::optional<Operand> buildValue(Nested &value, ElementType type);
  Result makeScatter(const Nested &value, ElementType type);

  // Sorts.cpp.
  std::optional<Result> runSort();
  std::optional<unsigned> findRank() const;
  bool decideRanks(unsigned rank, unsigned sorted);
  bool buildSorted(Nested &value, llvm::ArrayRef<unsigned> order,
                   ElementType type);

  // Compose.cpp: reads of views.
  LinearForm simplified(LinearForm form) const;
  Subscripts simplified(const Subscripts &at) const;
  std::optional<LinearForm> flatForm(llvm::ArrayRef<LinearForm> at,
                                     llvm::ArrayRef<int64_t> shape) const;
  bool staysInside(llvm::ArrayRef<LinearForm> at,
                   llvm::ArrayRef<int64_t> shape) const;
  unsigned compose(const View &view, const Subscripts &at, Outside outside,
                   Reads &reads);
  std::optional<Subscripts> composeOne(const View &view,
                                       const Subscripts &at) const;
  std::optional<unsigned> composeJoined(const View &view, const Subscripts &at,
                                        const Outside &outside, Reads &reads);
  std::optional<unsigned> composeConcat(const View &view, const Subscripts &at,
                                        const Outside &outside, Reads &reads);
  unsigned composeChoice(const View &view, const LinearForm &which,
                         const Subscripts &at, const Outside &outside,
                         Reads &reads);
  unsigned addChoice(Reads &reads, const LinearForm &form, Predicate predicate,
                     int64_t bound, unsigned then, unsigned otherwise);
  unsigned emitReads(const Reads &reads, unsigned position, ElementType type);
  unsigned reify(const View &view);
  std::optional<unsigned> buildView(const Access &access, ElementType type);

  // LabelValues.cpp.
  /// `binding`: what else has the label's name.
  bool collectLabelValue(const ast::NameExpr &expr, const Binding *binding);
  /// Of a label or a loop's counter that stands as a number, the largest value;
  /// nothing of other expressions.
  std::optional<int64_t> largestValue(const ast::Expr *expr) const;
  /// Whether `expr` is the counter of a loop.
  bool isCounter(const ast::Expr *expr) const;
  /// Whether the type has all values of the labels that take it.
  bool checkLabelValues(const ast::Expr *expr, ElementType type);
  std::optional<Bounds> narrowBounds(const ast::Expr *expr);
  /// In which labels and integers alone are computed.
  ElementType integerTypeOf(const ast::Expr *expr);
  /// Whether it is a linear form of labels, or made of integers only.
  bool isForm(const ast::Expr *expr, bool isConstant = false) const;

  // Random.cpp.
  bool collectRandom(const ast::CallExpr &expr);
  std::optional<ExprType> inferRandom(const ast::CallExpr &expr);
  std::optional<unsigned> buildRandom(const ast::CallExpr &expr,
                                      ElementType type);
  /// The probability of `random.bernoulli`, in f64.
  std::optional<unsigned> buildProbability(const ast::Expr *expr);
  /// The seed of a pass of the loops around.
  unsigned seedOfPass(const ast::CallExpr &expr, unsigned seed);
  unsigned addDraw(const ast::CallExpr &expr, NodeKind kind, ElementType type,
                   unsigned seed);

  // Norms.cpp: macros of the language. True where the statement is none.
  /// Whether the statement is softmax or a norm, whose result has all labels.
  bool normalises() const {
    return equation.macro && !reducesLabels(*equation.macro);
  }
  bool checkMacroLabels();
  /// Finds how the operand uses the labels, and collects epsilon.
  bool checkMacroOperand();
  bool buildEpsilon(ElementType type);

  // Forms.cpp: subscripts and conditions on labels.
  std::optional<SymbolicForm> toForm(const ast::Expr *expr);
  std::optional<SymbolicForm> nameToForm(const ast::NameExpr &expr);
  std::optional<SymbolicForm> combine(const ast::BinaryExpr &expr);
  std::optional<SymbolicForm> divide(const ast::BinaryExpr &expr,
                                     SymbolicForm lhs, const SymbolicForm &rhs);
  std::optional<SymbolicForm> scale(const SymbolicForm &form, WideInt factor,
                                    llvm::SMRange range);
  std::optional<SymbolicForm> add(const SymbolicForm &lhs,
                                  const SymbolicForm &rhs, int64_t sign,
                                  llvm::SMRange range);
  /// + - and * of two forms of which one is divided.
  std::optional<SymbolicForm> combineQuotients(const ast::BinaryExpr &expr,
                                               SymbolicForm lhs,
                                               SymbolicForm rhs);
  /// What the form is divided by, 1 where by nothing; nothing where it is
  /// wrapped around or that is not known.
  std::optional<WideInt> quotientOf(const SymbolicForm &form) const;
  /// `isLinear`: nothing in it is divided.
  std::nullopt_t reportForm(const ast::BinaryExpr &expr, bool isLinear);
  std::nullopt_t reportDivisor(const Step &step, WideInt number);
  std::optional<SymbolicForm> checkSize(SymbolicForm form, llvm::SMRange range);
  /// Reports a step by what is not positive, and one that a form has no place
  /// for.
  bool checkSteps(const SymbolicForm &form);
  std::optional<WideInt> resolveSum(const SymbolicSum &sum) const;
  std::optional<int64_t> knownExtent(const ast::ExtentExpr &expr) const;
  /// Whether the label is one that has an extent; reports it where not.
  bool checkExtent(const ast::ExtentExpr &expr);
  /// Null when an extent that the form mentions is not decided.
  std::optional<LinearForm> resolve(const SymbolicForm &form) const;

  // Extents.cpp.
  /// `ofUsed`: labels that nothing uses so far need no extent yet.
  bool inferExtents(bool ofUsed = false);
  /// Of labels from `first` on.
  bool decideGivenExtents(size_t first);
  void decideCarried();
  bool decidePlain(bool leaving);
  /// `of` is what has the extent.
  std::optional<int64_t> givenExtent(const ast::Expr *given,
                                     const llvm::Twine &of);
  bool setExtent(unsigned label, int64_t extent, llvm::SMRange range,
                 const llvm::Twine &origin, const Access *access);
  bool decideWindows();
  void decideLeaving();
  /// The largest extent of `label` that keeps the subscript in bounds; nothing
  /// while other labels of it are undecided.
  std::optional<int64_t> windowExtent(const SymbolicForm &form, unsigned label,
                                      int64_t dimension) const;
  bool reportUndecided(bool ofUsed);
  std::optional<int64_t> fittingExtent(unsigned label) const;
  bool staysInside(unsigned label, int64_t extent) const;
  std::string statementWith(const LabelState &label, int64_t extent) const;
  std::string adviceOnBounds(const Access &access, const SymbolicForm &form,
                             int64_t dimension) const;
  bool checkBounds();
  bool checkFold(const Access &access);
  Bounds boundsOf(const LinearForm &form) const;
  std::string describeAccess(const Access &access) const;

  // Nested.cpp.
  void warnOfRest() const;

  // ExprTypes.cpp.
  /// The float type that casts are proposed to: the first that the statement
  /// reads, else that the program has.
  ElementType floatBeside() const;
  ElementType proposedType(const ast::Expr *expr, ExprType type) const;
  std::optional<ExprType> infer(const ast::Expr *expr);
  std::optional<ExprType> inferUncached(const ast::Expr *expr);
  std::optional<ExprType> inferName(const ast::NameExpr &expr);
  std::optional<ExprType> inferCondition(const ast::Expr *expr);
  std::optional<ExprType> inferUnary(const ast::UnaryExpr &expr);
  std::optional<ExprType> inferBinary(const ast::BinaryExpr &expr);
  std::optional<ExprType> inferLogical(const ast::BinaryExpr &expr);
  std::optional<ExprType> inferBitwise(const ast::BinaryExpr &expr);
  std::optional<ExprType> inferPower(const ast::BinaryExpr &expr);
  std::optional<ExprType> inferCall(const ast::CallExpr &expr);
  std::optional<ExprType> inferComplexCall(const ast::CallExpr &expr,
                                           const FunctionInfo &info,
                                           const ast::Expr *first,
                                           ExprType type);
  std::optional<ExprType> inferSelect(const ast::CallExpr &expr);
  /// The common type of two operands of `what`; reports a mismatch at `range`.
  std::optional<ExprType> unify(llvm::SMRange range, llvm::StringRef what,
                                const ast::Expr *lhs, const ast::Expr *rhs);
  std::optional<ExprType> arithmetic(llvm::SMRange range, llvm::StringRef what,
                                     const ast::Expr *lhs,
                                     const ast::Expr *rhs);
  bool requireNumber(const ast::Expr *expr, ExprType type,
                     llvm::StringRef what);
  /// `what` names what must be bool; `comparison` would make `expr` so.
  /// Reports a complex type where values are compared, or their parts asked for
  /// one by one.
  bool requireOrder(llvm::SMRange range, ExprType type, llvm::StringRef what);
  bool requireReal(llvm::SMRange range, ExprType type, llvm::StringRef what);
  /// Reports what a macro of the language does not take.
  bool requireOperand(MacroKind macro, const ast::Expr *expr, ExprType type);
  bool requireBool(const ast::Expr *expr, ExprType type,
                   const llvm::Twine &what, llvm::StringRef comparison);
  /// `shifts`: bools have no bits to move.
  bool requireBits(const ast::Expr *expr, ExprType type, llvm::StringRef what,
                   bool shifts);
  /// `name` is the function or macro that asks.
  bool requireFloat(const ast::Expr *expr, ExprType type, llvm::StringRef name);
  /// What a statement gives that has a type behind ':'.
  std::optional<ElementType> checkDeclared(ExprType type);
  /// What reducing `expr` of this type gives; without a reduction, its type.
  std::optional<ElementType>
  checkReduction(Reduction reduction, const ast::Expr *expr, ExprType type);
  /// Of what a reduction with results of a type reduces.
  ElementType reducedType(Reduction reduction, const ast::Expr *expr,
                          ElementType result);

  // Monoids.cpp.
  /// What a vertex with an operand of a type ends in.
  bool setReduction(Vertex &into, Reduction reduction, ElementType operand,
                    llvm::SMRange use);

  // Body.cpp. `type` is what the context asks for; inference has agreed.
  std::optional<unsigned> build(const ast::Expr *expr, ElementType type);
  /// The operand of a reduction with results of `type`.
  bool buildReduced(Reduction reduction, const ast::Expr *expr,
                    ElementType type);
  std::optional<unsigned> buildConstant(const ast::Expr *expr,
                                        ElementType type);
  std::optional<unsigned> buildUnary(const ast::UnaryExpr &expr,
                                     ElementType type);
  std::optional<unsigned> buildBinary(const ast::BinaryExpr &expr,
                                      ElementType type);
  std::optional<unsigned> buildPower(const ast::BinaryExpr &expr,
                                     ElementType type);
  std::optional<unsigned> buildIntegerPower(const ast::Expr *base,
                                            WideInt exponent, ElementType type);
  std::optional<unsigned> buildCall(const ast::CallExpr &expr,
                                    ElementType type);
  /// The operand as a value of `type`.
  std::optional<unsigned> buildCast(const ast::Expr *operand, ElementType type);
  std::optional<unsigned> buildCondition(const ast::Expr *expr);
  /// `what` names the constant in messages.
  std::optional<Constant> toConstant(const ast::Expr *expr, ElementType type,
                                     llvm::StringRef what);
  unsigned addNode(NodeKind kind, ElementType type,
                   llvm::ArrayRef<unsigned> args = {});
  /// Moves the reads into the expressions, equal ones once.
  bool buildOperands();
  /// What the access reads outside of its tensor: nothing is wrong where it has
  /// no pad.
  bool buildPad(const Access &access, std::optional<Constant> &pad);
  /// Folds what leaves a tensor of this shape.
  void foldOperand(std::optional<Fold> fold, llvm::ArrayRef<int64_t> shape,
                   Operand &operand) const;
  /// What is read, a tensor or a view.
  const Tensor &infoOf(const Access &access) const {
    return access.view ? access.view->info : graph.tensors[access.tensor];
  }

  const Scope &scope;
  const Graph &graph;
  DiagnosticEngine &diagnostics;
  ast::Context &context;
  const ast::EquationStmt &equation;

  /// A place on the left side.
  struct Place {
    const ast::Label *label;
    /// The dimension of the result.
    unsigned dim;
    Nested *part;
    /// What the place is where no data name it.
    std::optional<SymbolicForm> form = {};
    std::optional<int64_t> extent = {};
  };
  llvm::SmallVector<Place, 2> places;
  llvm::SmallVector<LabelState, 6> labels;
  std::vector<Access> accesses;
  /// Reads by their expression: AccessExpr, or NameExpr of a scalar.
  llvm::DenseMap<const ast::Expr *, unsigned> accessOf;
  /// Labels that stand as numbers.
  llvm::DenseMap<const ast::Expr *, unsigned> labelValues;
  llvm::DenseMap<const ast::CallExpr *, RandomCall> randomCalls;
  std::deque<ast::NameExpr> passReads;
  /// Inside brackets a label hides a tensor of its name.
  bool insideBrackets = false;
  /// The two sides of each comparison of linear forms inside brackets.
  llvm::DenseMap<const ast::Expr *, std::pair<SymbolicForm, SymbolicForm>>
      conditions;
  llvm::DenseMap<const ast::Expr *, std::optional<ExprType>> types;
  Vertex vertex;
  /// What is collected and built: the vertex's expression, its epsilon or the
  /// operand of an inner reduction.
  Expression *current = &vertex;
  /// The inner reduction in which that stands.
  Nested *nested = nullptr;
  std::deque<Nested> nestedReductions;
  llvm::DenseMap<const ast::ReduceExpr *, Nested *> nestedOf;
  std::vector<Inner> inners;
  /// Whether a type is wrong or missing, which is reported, and the one that
  /// the message proposes is taken.
  bool isGuessed = false;
  Views views;
  /// The inner vertices that views are computed by.
  llvm::DenseMap<const View *, unsigned> reified;
};

/// Replaces labels by their positions in a vertex.
void renumber(Expression &expression, llvm::ArrayRef<unsigned> positions);

/// The name of a label whose points a tensor names: "Tok", or "Tok_1" where a
/// label has that name; "index" of what has no name.
std::string selectedLabel(llvm::StringRef tensor,
                          llvm::ArrayRef<VertexLabel> labels);

/// The largest integer up to which a type has all.
WideInt largestExact(ElementType type);

/// Where sums are kept that an expression goes on with: f32 for narrower
/// floats.
ElementType wideType(ElementType type);

} // namespace tapestry::ein

#endif // TAPESTRY_LIB_IMPORT_EIN_STATEMENTANALYZER_H

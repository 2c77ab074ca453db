//===- AST.h - Syntax tree of a .ein file -----------------------*- C++ -*-===//
//
// What the parser builds: statements and expressions as they were written, with
// their places. Nodes live in an ast::Context and are never freed one by one,
// so a tree of any depth is destroyed without recursion. Names are slices of
// the source buffer.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_IMPORT_EIN_AST_H
#define TAPESTRY_IMPORT_EIN_AST_H

#include "tapestry/Import/Ein/Types.h"
#include "tapestry/Support/Projection.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/Casting.h"
#include "llvm/Support/SMLoc.h"
#include <vector>

namespace tapestry::ein::ast {

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

/// The base of all expressions. `depth` is 1 for a leaf; the parser refuses
/// trees deeper than Context::maxDepth, so visitors may recurse.
struct Expr {
  enum class Kind {
    IntLiteral,
    FloatLiteral,
    BoolLiteral,
    Name,
    Extent,
    Access,
    Unary,
    Binary,
    Call,
    Iverson,
    Reduce,
    MatMul,
    View
  };
  Kind kind;
  llvm::SMRange range;
  unsigned depth = 1;

protected:
  Expr(Kind kind, llvm::SMRange range, unsigned depth = 1)
      : kind(kind), range(range), depth(depth) {}
};

struct IntLiteral : Expr {
  uint64_t value;
  IntLiteral(llvm::SMRange range, uint64_t value)
      : Expr(Kind::IntLiteral, range), value(value) {}
  static bool classof(const Expr *e) { return e->kind == Kind::IntLiteral; }
};

/// Also `inf` and `nan`, and `2.5i`.
struct FloatLiteral : Expr {
  double value;
  bool isImaginary;
  FloatLiteral(llvm::SMRange range, double value, bool isImaginary = false)
      : Expr(Kind::FloatLiteral, range), value(value),
        isImaginary(isImaginary) {}
  static bool classof(const Expr *e) { return e->kind == Kind::FloatLiteral; }
};

struct BoolLiteral : Expr {
  bool value;
  BoolLiteral(llvm::SMRange range, bool value)
      : Expr(Kind::BoolLiteral, range), value(value) {}
  static bool classof(const Expr *e) { return e->kind == Kind::BoolLiteral; }
};

/// A bare name: a param, a scalar tensor or, in subscripts and brackets, a
/// label.
struct NameExpr : Expr {
  llvm::StringRef name;
  NameExpr(llvm::SMRange range, llvm::StringRef name)
      : Expr(Kind::Name, range), name(name) {}
  static bool classof(const Expr *e) { return e->kind == Kind::Name; }
};

/// `d'`: the extent of label d.
struct ExtentExpr : Expr {
  llvm::StringRef label;
  ExtentExpr(llvm::SMRange range, llvm::StringRef label)
      : Expr(Kind::Extent, range), label(label) {}
  static bool classof(const Expr *e) { return e->kind == Kind::Extent; }
};

/// `X[i, 2*y + r]` or, with a padding value, `pad(X, v)[...]`, or with what
/// leaves the tensor folded back into it, `edge(X)[...]`. Instead of X there
/// may be a view.
struct ViewExpr;
struct AccessExpr : Expr {
  llvm::StringRef tensor;
  llvm::SMRange tensorRange;
  llvm::ArrayRef<const Expr *> subscripts;
  /// The value outside the tensor's bounds; null without padding.
  const Expr *pad;
  std::optional<Fold> fold;
  /// What is read; null for a tensor with a name.
  const ViewExpr *view = nullptr;
  AccessExpr(llvm::SMRange range, unsigned depth, llvm::StringRef tensor,
             llvm::SMRange tensorRange, llvm::ArrayRef<const Expr *> subscripts,
             const Expr *pad, std::optional<Fold> fold = std::nullopt)
      : Expr(Kind::Access, range, depth), tensor(tensor),
        tensorRange(tensorRange), subscripts(subscripts), pad(pad), fold(fold) {
  }
  static bool classof(const Expr *e) { return e->kind == Kind::Access; }
};

/// `1:-1`, `::2` or `:` of a dimension, or one element of it.
struct SliceRange {
  llvm::SMRange range;
  /// Null where nothing is written; of one element only `first` is there.
  const Expr *first = nullptr;
  const Expr *end = nullptr;
  const Expr *step = nullptr;
  bool isElement = false;
};

/// `concat[0](X, Y)` or `X[2:5, :]`: names of tensors, or views.
struct ViewExpr : Expr {
  ViewKind view;
  llvm::ArrayRef<const Expr *> numbers;
  llvm::ArrayRef<const Expr *> operands;
  /// Those of a slice, one per dimension.
  llvm::ArrayRef<SliceRange> slices;
  ViewExpr(llvm::SMRange range, unsigned depth, ViewKind view,
           llvm::ArrayRef<const Expr *> numbers,
           llvm::ArrayRef<const Expr *> operands)
      : Expr(Kind::View, range, depth), view(view), numbers(numbers),
        operands(operands) {}
  static bool classof(const Expr *e) { return e->kind == Kind::View; }
};

enum class UnaryOp { Neg, Not };

struct UnaryExpr : Expr {
  UnaryOp op;
  const Expr *operand;
  UnaryExpr(llvm::SMRange range, UnaryOp op, const Expr *operand)
      : Expr(Kind::Unary, range, operand->depth + 1), op(op), operand(operand) {
  }
  static bool classof(const Expr *e) { return e->kind == Kind::Unary; }
};

enum class BinaryOp {
  Add,
  Sub,
  Mul,
  Div,
  FloorDiv,
  Mod,
  Shl,
  Shr,
  BitAnd,
  BitXor,
  BitOr,
  Pow,
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  And,
  Or
};
/// The operator as it is written.
llvm::StringRef spelling(BinaryOp op);
bool isComparison(BinaryOp op);
/// << >> & ^ and |.
bool isBitwise(BinaryOp op);

struct BinaryExpr : Expr {
  BinaryOp op;
  llvm::SMRange opRange;
  const Expr *lhs;
  const Expr *rhs;
  BinaryExpr(llvm::SMRange range, BinaryOp op, llvm::SMRange opRange,
             const Expr *lhs, const Expr *rhs)
      : Expr(Kind::Binary, range, std::max(lhs->depth, rhs->depth) + 1), op(op),
        opRange(opRange), lhs(lhs), rhs(rhs) {}
  static bool classof(const Expr *e) { return e->kind == Kind::Binary; }
};

/// `A @ B` of whole tensors.
struct MatMulExpr : Expr {
  llvm::SMRange opRange;
  const Expr *lhs;
  const Expr *rhs;
  MatMulExpr(llvm::SMRange range, llvm::SMRange opRange, const Expr *lhs,
             const Expr *rhs)
      : Expr(Kind::MatMul, range, std::max(lhs->depth, rhs->depth) + 1),
        opRange(opRange), lhs(lhs), rhs(rhs) {}
  static bool classof(const Expr *e) { return e->kind == Kind::MatMul; }
};

/// The parameter that an argument is for, `stride` of `f(X, stride = 2)`; empty
/// where its position says it.
struct ArgumentName {
  llvm::StringRef name;
  llvm::SMRange range;
};

/// A function, a cast or (only as the whole right side) a user's macro.
struct CallExpr : Expr {
  llvm::StringRef callee;
  llvm::SMRange calleeRange;
  llvm::ArrayRef<const Expr *> args;
  /// One per argument, or none where no argument has a name.
  llvm::ArrayRef<ArgumentName> names;
  /// That of `random.normal[f32](7)`.
  std::optional<ElementType> type;
  CallExpr(llvm::SMRange range, unsigned depth, llvm::StringRef callee,
           llvm::SMRange calleeRange, llvm::ArrayRef<const Expr *> args,
           std::optional<ElementType> type = std::nullopt)
      : Expr(Kind::Call, range, depth), callee(callee),
        calleeRange(calleeRange), args(args), type(type) {}
  static bool classof(const Expr *e) { return e->kind == Kind::Call; }
};

/// `[i <= j]`: 1 where the condition on labels holds, else 0.
struct IversonExpr : Expr {
  const Expr *condition;
  IversonExpr(llvm::SMRange range, const Expr *condition)
      : Expr(Kind::Iverson, range, condition->depth + 1), condition(condition) {
  }
  static bool classof(const Expr *e) { return e->kind == Kind::Iverson; }
};

/// A label on the left side, after a reduction or in a macro's header.
struct Label {
  llvm::StringRef name;
  llvm::SMRange range;
  /// `k:8`; null where the extent follows from subscripts.
  const Expr *extent = nullptr;
  /// On the left side: `A[n]` or `2*y + p`, a place instead of a label, which
  /// has no name.
  const Expr *place = nullptr;
};

/// `sum[k](X[n, k])` inside an expression; without a reduction, what is
/// computed for the whole tensor before it is read.
struct ReduceExpr : Expr {
  Reduction reduction;
  llvm::ArrayRef<Label> labels;
  const Expr *operand;
  ReduceExpr(llvm::SMRange range, Reduction reduction,
             llvm::ArrayRef<Label> labels, const Expr *operand)
      : Expr(Kind::Reduce, range, operand->depth + 1), reduction(reduction),
        labels(labels), operand(operand) {}
  static bool classof(const Expr *e) { return e->kind == Kind::Reduce; }
};

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

/// The name of a grid axis, "node" or "gpu.0".
struct AxisName {
  llvm::StringRef name;
  llvm::SMRange range;
};

/// `i: 2`, `k: gpu.0` or `k: [node, gpu.0]` in a constraint.
struct CutEntry {
  /// A label or the number of a dimension.
  llvm::StringRef label;
  llvm::SMRange labelRange;
  /// The number of parts; null where axes are named. A bare name may be either:
  /// then both are there.
  const Expr *parts = nullptr;
  llvm::ArrayRef<AxisName> axes;
};

/// `@ {i: 2}`, `@? 1.5 {i: 2, *: 1}` or `@ group g`.
struct Constraint {
  llvm::SMRange range;
  bool isPreference = false;
  /// Null: 1.
  const Expr *weight = nullptr;
  llvm::ArrayRef<CutEntry> entries;
  /// `*: 1`.
  bool isClosed = false;
  /// The name of a layout group; empty for a constraint on a cut.
  llvm::StringRef group;
};

struct Stmt {
  enum class Kind {
    Param,
    Import,
    Input,
    Output,
    Equation,
    Repeat,
    Point,
    Def,
    Monoid,
    Block,
    Invalid
  };
  Kind kind;
  llvm::SMRange range;
  /// What the statement defines (for Output: names) and where.
  llvm::StringRef name;
  llvm::SMRange nameRange;

protected:
  Stmt(Kind kind) : kind(kind) {}
};

/// `param n = 4096`, or `param n` where the value comes from elsewhere.
struct ParamStmt : Stmt {
  const Expr *value = nullptr;
  ParamStmt() : Stmt(Kind::Param) {}
  static bool classof(const Stmt *s) { return s->kind == Kind::Param; }
};

/// `import nn`; the name is the module's.
struct ImportStmt : Stmt {
  ImportStmt() : Stmt(Kind::Import) {}
  static bool classof(const Stmt *s) { return s->kind == Kind::Import; }
};

/// `from "a.npy"` or `to "y.npy"`, without the quotes; empty: the caller's
/// memory.
struct FileName {
  llvm::StringRef path;
  llvm::SMRange range;
};

/// What stands behind an input or an output: a file, and `on device 0`, null
/// where it is kept as the plan has it.
struct Border {
  FileName file;
  const Expr *device = nullptr;
};

/// A name that is used; empty: none.
struct NameRef {
  llvm::StringRef name;
  llvm::SMRange range;
};

/// `input A : f32[n, n]`
struct InputStmt : Stmt {
  ElementType type = ElementType::F32;
  llvm::ArrayRef<const Expr *> shape;
  /// What constraints call the dimensions, as in `input A[i, j] : f32[8, 8]`.
  bool hasLabels = false;
  llvm::ArrayRef<Label> labels;
  llvm::ArrayRef<Constraint> constraints;
  Border border;
  /// The point that it follows.
  NameRef after;
  InputStmt() : Stmt(Kind::Input) {}
  static bool classof(const Stmt *s) { return s->kind == Kind::Input; }
};

/// `point p after A, output B`
struct PointStmt : Stmt {
  /// Tensors and points.
  llvm::ArrayRef<NameRef> awaited;
  /// Tensors that must have been handed out.
  llvm::ArrayRef<NameRef> outputs;
  PointStmt() : Stmt(Kind::Point) {}
  static bool classof(const Stmt *s) { return s->kind == Kind::Point; }
};

/// `output F`; one statement per name.
struct OutputStmt : Stmt {
  /// What constraints call the dimensions, as in `output F[i, k]`.
  bool hasLabels = false;
  llvm::ArrayRef<Label> labels;
  llvm::ArrayRef<Constraint> constraints;
  Border border;
  /// The point that it follows.
  NameRef after;
  OutputStmt() : Stmt(Kind::Output) {}
  static bool classof(const Stmt *s) { return s->kind == Kind::Output; }
};

/// `f32[2, 3] = [[...], [...]]`, behind `K :`, or without its brackets the type
/// of a statement with generators.
struct TensorLiteral {
  llvm::SMRange range;
  ElementType type = ElementType::F32;
  llvm::ArrayRef<const Expr *> shape;
  /// How many elements the brackets of each level hold.
  llvm::ArrayRef<int64_t> counts;
  /// In row-major order.
  llvm::ArrayRef<const Expr *> values;
};

/// `NAME[labels] = right side`, or `NAME : type = brackets or right side`. A
/// use of a macro, and `topk`, may define several tensors: `NAME[labels],
/// NAME[labels] = right side`.
struct EquationStmt : Stmt {
  /// Whether the left side has brackets (`T[]` has, `T` has not).
  bool hasLabels = false;
  llvm::ArrayRef<Label> labels;
  /// At most one of a reduction and a macro of the language, with the labels
  /// after its name.
  ein::Monoid monoid = ein::Monoid::None;
  std::optional<MacroKind> macro;
  /// What defines it where the program does.
  const MonoidStmt *custom = nullptr;
  llvm::ArrayRef<Label> reduceLabels;
  /// Instead of these; the label after its name is then no longer there.
  std::optional<SortKind> sort;
  /// The name of the reduction, macro or sort.
  llvm::SMRange reduceRange;
  /// Null for a constant tensor.
  const Expr *expr = nullptr;
  /// What stands behind ':'.
  const TensorLiteral *literal = nullptr;
  /// The second argument of a norm.
  const Expr *epsilon = nullptr;
  llvm::ArrayRef<Constraint> constraints;
  /// Of `next X[i]` the shape of X: the extents of labels on the left that no
  /// subscript alone decides.
  llvm::ArrayRef<int64_t> carriedShape;
  /// The point that it follows.
  NameRef after;
  /// Of a macro's argument that is made of numbers: the type beside it.
  std::optional<ElementType> typeBeside;
  /// The left sides after the first; of the rest of these statements only that
  /// is set.
  llvm::ArrayRef<const EquationStmt *> more;
  EquationStmt() : Stmt(Kind::Equation) {}
  Reduction reduction() const {
    return {monoid, macro, /*scans=*/false, custom};
  }
  static bool classof(const Stmt *s) { return s->kind == Kind::Equation; }
};

/// A statement in the body of a loop.
struct Step {
  enum class Kind {
    Plain,  ///< an equation, a loop or a point
    Next,   ///< `next X[i] = ...`: what X is in the next pass
    Collect ///< `collect H[t, i] = ...`: row t of H
  };
  Kind kind;
  /// An InvalidStmt of that name where it could not be parsed.
  const Stmt *stmt;
};

/// `repeat NAME:passes (carried) { body } until condition`; the name is the
/// counter's.
struct RepeatStmt : Stmt {
  const Expr *passes = nullptr;
  /// What is carried from one pass to the next, and with what it begins.
  llvm::ArrayRef<const EquationStmt *> carried;
  llvm::ArrayRef<Step> body;
  /// Null: all passes run.
  const EquationStmt *until = nullptr;
  /// Something other than a step of the body could not be parsed.
  bool isInvalid = false;
  RepeatStmt() : Stmt(Kind::Repeat) {}
  static bool classof(const Stmt *s) { return s->kind == Kind::Repeat; }
};

/// A parameter or the result of a macro. Without brackets: a scalar.
struct Formal {
  llvm::StringRef name;
  llvm::SMRange range;
  llvm::ArrayRef<Label> labels;
  /// `eps = 1e-5`: what stands for an argument that is left out.
  const Expr *defaultValue = nullptr;
};

/// `def NAME(formals) -> results { body }`
struct DefStmt : Stmt {
  llvm::ArrayRef<Formal> formals;
  llvm::ArrayRef<Formal> results;
  /// Equations, loops and points.
  llvm::ArrayRef<const Stmt *> body;
  /// Whether a statement of the body was wrong: a call then says nothing more.
  bool bodyInvalid = false;
  /// Of a macro with `...` in its header what it is where that stands for no
  /// label, for one, ...; this one is where it stands for one.
  llvm::ArrayRef<const DefStmt *> byRest;
  /// Where the body reduces over `...` alone, which then needs a label.
  llvm::SMRange reducedRest;
  DefStmt() : Stmt(Kind::Def) {}
  static bool classof(const Stmt *s) { return s->kind == Kind::Def; }
};

/// `monoid NAME(a, b) = expr identity constant`
struct MonoidStmt : Stmt {
  /// The two values.
  llvm::ArrayRef<Formal> formals;
  const Expr *expr = nullptr;
  const Expr *identity = nullptr;
  MonoidStmt() : Stmt(Kind::Monoid) {}
  static bool classof(const Stmt *s) { return s->kind == Kind::Monoid; }
};

/// A tensor that a block reads or writes, or a parameter, which has no
/// brackets.
struct BlockFormal {
  llvm::StringRef name;
  llvm::SMRange range;
  ElementType type = ElementType::F32;
  bool isParam = false;
  /// What an index point reads or writes: `x:x + 3`, `2*i` or `:`.
  llvm::ArrayRef<SliceRange> ranges;
  /// How a result combines what labels contribute that it lacks.
  ein::Monoid monoid = ein::Monoid::None;
  /// Of Monoid::Custom.
  const MonoidStmt *custom = nullptr;
  /// What is read outside of the tensor, or null.
  const Expr *pad = nullptr;
  /// Of a parameter.
  const Expr *defaultValue = nullptr;
};

/// `flops = 6` or, of a step along a label, `flops[b] = 2`.
struct BlockCost {
  llvm::StringRef resource;
  llvm::StringRef label;
  llvm::SMRange range;
  const Expr *amount = nullptr;
};

/// `extern block NAME[labels](formals) -> results idempotent cost costs`
struct BlockStmt : Stmt {
  llvm::ArrayRef<Label> labels;
  llvm::ArrayRef<BlockFormal> formals;
  llvm::ArrayRef<BlockFormal> results;
  bool isIdempotent = false;
  llvm::ArrayRef<BlockCost> costs;
  BlockStmt() : Stmt(Kind::Block) {}
  static bool classof(const Stmt *s) { return s->kind == Kind::Block; }
};

/// A statement that was reported already. It still defines its name, so that
/// uses of it are not reported as well.
struct InvalidStmt : Stmt {
  InvalidStmt() : Stmt(Kind::Invalid) {}
  static bool classof(const Stmt *s) { return s->kind == Kind::Invalid; }
};

//===----------------------------------------------------------------------===//
// Ownership
//===----------------------------------------------------------------------===//

/// Owns the nodes of a program.
class Context {
public:
  /// The deepest expression that is accepted, in levels.
  static constexpr unsigned maxDepth = 1000;

  template <typename T, typename... Args> T *create(Args &&...args) {
    static_assert(std::is_trivially_destructible_v<T>,
                  "nodes are never destroyed");
    return new (allocator.Allocate<T>()) T(std::forward<Args>(args)...);
  }
  template <typename T> llvm::ArrayRef<T> copy(llvm::ArrayRef<T> items) {
    T *memory = allocator.Allocate<T>(items.size());
    std::uninitialized_copy(items.begin(), items.end(), memory);
    return llvm::ArrayRef<T>(memory, items.size());
  }

  /// A text that lives as long as the nodes.
  llvm::StringRef save(llvm::StringRef text) {
    llvm::ArrayRef<char> saved =
        copy(llvm::ArrayRef<char>(text.data(), text.size()));
    return {saved.data(), saved.size()};
  }

private:
  llvm::BumpPtrAllocator allocator;
};

struct Program {
  std::vector<const Stmt *> statements;
  /// The end of the file, for errors about what is missing.
  llvm::SMRange end;
};

/// The source text of an expression for use in a message, shortened to "..."
/// where it is long.
std::string excerpt(llvm::SMRange range);

} // namespace tapestry::ein::ast

#endif // TAPESTRY_IMPORT_EIN_AST_H

//===- Scope.h - What the names of a .ein file stand for --------*- C++ -*-===//
//
// Private to this folder.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_IMPORT_EIN_SCOPE_H
#define TAPESTRY_LIB_IMPORT_EIN_SCOPE_H

#include "tapestry/Import/Ein/AST.h"
#include "tapestry/Import/Ein/Diagnostics.h"
#include "tapestry/Import/Ein/Graph.h"
#include "llvm/ADT/StringMap.h"

namespace tapestry::ein {

/// What a name stands for.
struct Binding {
  enum class Kind {
    Poison,   ///< its definition was wrong; uses fail without a word
    Constant, ///< a param or a number given to a macro
    Tensor,
    View, ///< what a use of a macro gives for a tensor
    Macro,
    Monoid,
    Point
  };
  Kind kind = Kind::Poison;
  llvm::SMRange defined;
  Number constant;
  unsigned tensor = 0;
  /// A position in Graph::points.
  unsigned point = 0;
  const struct View *view = nullptr;
  const ast::DefStmt *macro = nullptr;
  /// Of a macro that is a block.
  const ast::BlockStmt *block = nullptr;
  const ast::MonoidStmt *monoid = nullptr;
  /// What the body of an imported macro sees; null: its own file.
  const class Scope *home = nullptr;

  /// What it stands for, of the graph or seen otherwise; null for no tensor.
  const Tensor *tensorIn(const Graph &graph) const;
};

/// The names of a file, or of one use of a macro.
class Scope {
public:
  Scope() = default;
  /// The scope of a use of a macro. Of the file it sees params and macros.
  Scope(const Scope &file, std::string vertexName)
      : file(&file), vertexName(std::move(vertexName)) {}

  /// The scope of the body of a loop, which sees all that `around` does.
  static Scope ofBody(const Scope &around, llvm::StringRef counter);
  /// The same scope with room for other meanings of its names.
  static Scope ofLast(const Scope &body);

  /// Nothing for an unknown name and for the file's tensors inside a macro.
  const Binding *lookup(llvm::StringRef name) const;
  /// A param or another number; nothing for everything else.
  std::optional<Number> lookupConstant(llvm::StringRef name) const;
  /// Whether the program gives `name` a meaning, here or in a later statement.
  bool defines(llvm::StringRef name) const {
    return lookup(name) || announced.contains(name) ||
           (around && around->defines(name)) || (file && file->defines(name));
  }
  /// pi and e, where the program does not define them.
  std::optional<double> lookupNumber(llvm::StringRef name) const;
  void define(llvm::StringRef name, const Binding &binding) {
    names[name] = binding;
  }
  /// The binding that a new definition of `name` would collide with.
  const Binding *findOwn(llvm::StringRef name) const;
  /// Says that a later statement defines `name`, to tell "unknown" from "too
  /// early".
  void announce(llvm::StringRef name, llvm::SMRange where) {
    announced.try_emplace(name, where);
  }
  /// Says that a loop collects `name`, which its body does not see.
  void hide(llvm::StringRef name, llvm::SMRange where) {
    collected.try_emplace(name, where);
  }

  /// Where a loop around does.
  std::optional<llvm::SMRange> collectedAt(llvm::StringRef name) const;

  /// Reports a name that `lookup` does not find. `wanted` tells what it should
  /// have been: "tensor", "macro", ...
  void reportUnknown(DiagnosticEngine &diagnostics, llvm::StringRef name,
                     llvm::SMRange range, llvm::StringRef wanted) const;

  bool isMacroUse() const {
    return around ? around->isMacroUse() : file != nullptr;
  }
  const Scope &fileScope() const {
    return around ? around->fileScope() : file ? *file : *this;
  }

  /// The name of the vertex that a statement which defines `name` makes: the
  /// name itself in a file, "O.T" for T in a use of a macro that defines O,
  /// "t.T" in the body of the loop t.
  std::string vertexNameFor(llvm::StringRef name) const;

  /// The counters of the loops around, outermost first: positions in
  /// Graph::tensors.
  llvm::SmallVector<unsigned, 2> counters;

  /// The names of the vertices of statements that have others than
  /// theirs: the results of a use of a macro, the parts of a statement.
  llvm::StringMap<std::string> resultNames;

  // Macro uses only.

  /// What the labels of the macro's header are called outside.
  llvm::StringMap<std::string> labelNames;
  /// An extent that the use gives to a label of the header.
  struct BoundExtent {
    int64_t extent;
    llvm::SMRange where;
  };
  llvm::StringMap<BoundExtent> extents;
  /// The extent that the use gives to a label, reporting one that it does not.
  std::optional<int64_t> extentOf(const ast::ExtentExpr &expr,
                                  DiagnosticEngine &diagnostics) const;

private:
  const Scope *file = nullptr;
  /// Of the body of a loop.
  const Scope *around = nullptr;
  std::string vertexName;
  llvm::StringMap<Binding> names;
  llvm::StringMap<llvm::SMRange> announced, collected;
};

/// Evaluates what is made of numbers, params and, where `extentOf` is set,
/// extents. Integers are exact.
class ConstantEvaluator {
public:
  /// The extent of a label; reports and returns nothing when there is none.
  using ExtentLookup =
      llvm::function_ref<std::optional<int64_t>(const ast::ExtentExpr &)>;

  ConstantEvaluator(const Scope &scope, DiagnosticEngine &diagnostics,
                    llvm::StringRef what)
      : scope(scope), diagnostics(diagnostics), what(what) {}

  /// With `asReal`, `1 / 2` is 0.5; without, division truncates and numbers
  /// with a fraction are reported. Nothing once reported.
  std::optional<Number> evaluate(const ast::Expr *expr, bool asReal,
                                 ExtentLookup extentOf = nullptr);
  /// An integer that fits in 64 bits, or a float where one is written; the
  /// quotient of integers truncates.
  std::optional<Number> evaluateParam(const ast::Expr *expr);
  /// A value of `type`, rounded; reports integers that do not fit.
  std::optional<Constant> evaluateAs(const ast::Expr *expr, ElementType type,
                                     ExtentLookup extentOf = nullptr);
  /// An integer that fits in 64 bits.
  std::optional<int64_t> evaluateInt(const ast::Expr *expr,
                                     ExtentLookup extentOf = nullptr);

private:
  std::optional<Number> visit(const ast::Expr *expr);
  std::optional<Number> visitBinary(const ast::BinaryExpr &expr);
  std::optional<Number> complexResult(const ast::BinaryExpr &expr, Number lhs,
                                      Number rhs);
  std::optional<Number> visitCall(const ast::CallExpr &expr);
  std::optional<Number> bits(const ast::BinaryExpr &expr, Number lhs,
                             Number rhs);
  std::optional<Number> power(const ast::BinaryExpr &expr, Number base,
                              Number exponent);
  std::optional<Number> fail(llvm::SMRange range, const llvm::Twine &message);

  const Scope &scope;
  DiagnosticEngine &diagnostics;
  /// What is evaluated, for messages: "a param", "an extent".
  llvm::StringRef what;
  bool real = false;
  /// Whether numbers with a fraction are allowed, and imaginary ones.
  bool takesFloats = false, takesComplex = false;
  ExtentLookup extents = nullptr;
};

/// Rounds to the values that a float type has.
double roundToType(double value, ElementType type);

} // namespace tapestry::ein

#endif // TAPESTRY_LIB_IMPORT_EIN_SCOPE_H

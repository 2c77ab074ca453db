//===- WholeTensors.h - Statements of whole tensors -------------*- C++ -*-===//
//
// Private to this folder. `Z = X + 2 * Y @ W` becomes the statement with
// subscripts that it stands for; analysis knows only those.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_IMPORT_EIN_WHOLETENSORS_H
#define TAPESTRY_LIB_IMPORT_EIN_WHOLETENSORS_H

#include "Views.h"
#include "llvm/ADT/DenseMap.h"

namespace tapestry::ein {

/// What the labels of dimensions are called that the program gives no names.
std::string dimensionLabel(size_t dim);

/// The operands of an expression, nested reductions having none that count.
llvm::SmallVector<const ast::Expr *, 4> partsOf(const ast::Expr *expr);
/// Whether a name stands in an expression, of a label, a tensor or a number, of
/// which `isIt` holds.
bool mentionsName(const ast::Expr *expr,
                  llvm::function_ref<bool(llvm::StringRef)> isIt);
/// Whether there is a tensor, of any rank, that is read.
bool readsTensor(const ast::Expr *expr, const Scope &scope);
/// Whether a subscript depends on more than labels, or is computed by a
/// function, a comparison or an operation on bits, as in `W[i64(i * k) % n]`.
/// `isTensor` is asked of names.
bool namesData(const ast::Expr *subscript,
               llvm::function_ref<bool(const ast::NameExpr &)> isTensor);
/// Whether it is `X[t, :]` or `Table[Tok, :]`, which no view is.
bool slicesByData(const ast::Expr *expr, const Scope &scope);
/// A name that nothing has, so that it means a label; null where there is none.
const ast::NameExpr *findLabel(const ast::Expr *expr, const Scope &scope);

class WholeTensors {
public:
  WholeTensors(const Scope &scope, const Graph &graph,
               DiagnosticEngine &diagnostics, ast::Context &context)
      : scope(scope), graph(graph), diagnostics(diagnostics), context(context),
        views(scope, graph, diagnostics) {}

  /// Whether tensors of rank > 0 stand in the statement without subscripts, and
  /// nothing gives the elements a name.
  bool concerns(const ast::EquationStmt &stmt) const;
  /// The statement with subscripts; null once reported. `declared` is the shape
  /// behind ':'.
  const ast::EquationStmt *
  rewrite(const ast::EquationStmt &stmt,
          std::optional<llvm::ArrayRef<int64_t>> declared = std::nullopt);

  /// `sum(X)` with labels and subscripts; null once reported. `newLabel` makes
  /// names that nothing around it has.
  const ast::ReduceExpr *
  labelled(const ast::ReduceExpr &expr,
           llvm::function_ref<llvm::StringRef()> newLabel);

private:
  using Shape = llvm::SmallVector<int64_t, 4>;
  using Labels = llvm::ArrayRef<llvm::StringRef>;

  /// The tensor of rank > 0 that an expression names; null for others.
  const Tensor *wholeTensor(const ast::Expr *expr) const;
  bool mentionsWhole(const ast::Expr *expr) const;

  std::optional<Shape> shapeOf(const ast::Expr *expr);
  std::optional<Shape> combinedShape(const ast::Expr *expr,
                                     llvm::ArrayRef<const ast::Expr *> parts);
  std::optional<Shape> productShape(const ast::MatMulExpr &expr);
  /// Of X[2, -1], of X[t, :] or of Table[Tok, :].
  std::optional<Shape> elementsShape(const ast::Expr *expr);
  /// What is read there; null once reported.
  const Tensor *readTensor(const ast::Expr *expr);

  const ast::Expr *subscript(const ast::Expr *expr, Labels labels);
  const ast::Expr *subscriptElements(const ast::Expr *expr, Labels labels);
  const ast::Expr *product(const ast::MatMulExpr &expr, Labels labels,
                           llvm::StringRef contracted);
  /// As an operand of a product: what is computed is a vertex, not computed
  /// again for each element of the product.
  const ast::Expr *factor(const ast::Expr *expr, Labels labels);
  const ast::Expr *reduce(const ast::Expr *at, Reduction reduction,
                          llvm::ArrayRef<ast::Label> labels,
                          const ast::Expr *operand);
  ast::Label labelOf(llvm::StringRef name, llvm::SMRange range, int64_t extent);
  llvm::StringRef newContracted();

  const Scope &scope;
  const Graph &graph;
  DiagnosticEngine &diagnostics;
  ast::Context &context;
  llvm::DenseMap<const ast::Expr *, Shape> shapes;
  Views views;
  unsigned numContracted = 0;
};

} // namespace tapestry::ein

#endif // TAPESTRY_LIB_IMPORT_EIN_WHOLETENSORS_H

//===- Views.h - Whole tensors seen otherwise -------------------*- C++ -*-===//
//
// Private to this folder. Views of tensors, such as transpose(X) and
// concat[0](A, B), with their shapes. They are never computed: Compose.cpp puts
// them into the subscripts of what reads them.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_IMPORT_EIN_VIEWS_H
#define TAPESTRY_LIB_IMPORT_EIN_VIEWS_H

#include "Scope.h"
#include "tapestry/Import/Ein/Graph.h"
#include "llvm/ADT/DenseMap.h"
#include <deque>

namespace tapestry::ein {

struct View {
  /// Nothing for a tensor as it is.
  std::optional<ViewKind> kind;
  /// Of such a tensor its position in Graph::tensors.
  unsigned tensor = 0;
  /// Per dimension the one of the operand (transpose) or the number of times
  /// (tile); the dimensions (flip); the dimension (concat, stack, interleave),
  /// and the number of times (repeat).
  llvm::SmallVector<int64_t, 4> numbers;
  /// Of a slice, per dimension of the operand.
  struct Range {
    int64_t first, step, count;
    /// Whether the result lacks the dimension.
    bool isElement;
  };
  llvm::SmallVector<Range, 4> ranges;
  llvm::SmallVector<const View *, 2> operands;
  /// As if it were computed: its text, type and shape.
  Tensor info;
};

class Views {
public:
  Views(const Scope &scope, const Graph &graph, DiagnosticEngine &diagnostics)
      : scope(scope), graph(graph), diagnostics(diagnostics) {}

  /// The view that an expression is, or the tensor that it names; null once
  /// reported.
  const View *find(const ast::Expr *expr);

  /// What a slice takes of a dimension of this extent; nothing once reported.
  std::optional<View::Range> rangeOf(const ast::SliceRange &slice, size_t dim,
                                     int64_t extent);

private:
  using Shape = llvm::SmallVector<int64_t, 4>;

  const View *build(const ast::ViewExpr &expr);
  bool evaluateNumbers(const ast::ViewExpr &expr, View &view);
  bool checkOperands(const ast::ViewExpr &expr, const View &view);
  std::optional<Shape> shapeOf(const ast::ViewExpr &expr, View &view);
  std::optional<Shape> joinedShape(const ast::ViewExpr &expr, View &view);
  std::optional<Shape> slicedShape(const ast::ViewExpr &expr, View &view);
  std::optional<int64_t> numberOf(const ast::Expr *number,
                                  llvm::StringRef what);
  bool checkCount(const ast::ViewExpr &expr, size_t count,
                  const llvm::Twine &what);
  bool checkDimension(const ast::ViewExpr &expr, unsigned number, size_t rank,
                      const View &view);
  std::nullopt_t fail(const ast::ViewExpr &expr, const llvm::Twine &message);

  const Scope &scope;
  const Graph &graph;
  DiagnosticEngine &diagnostics;
  std::deque<View> views;
  llvm::DenseMap<const ast::Expr *, const View *> known;
};

} // namespace tapestry::ein

#endif // TAPESTRY_LIB_IMPORT_EIN_VIEWS_H

//===- Literals.cpp - Constant tensors, and generators with a type --------===//

#include "Analyzer.h"
#include "WholeTensors.h"

using namespace tapestry::ein;
using namespace tapestry::ein::ast;

/// More are data, which come in as an input.
static constexpr size_t mostElements = 65536;

static std::string shapeToString(llvm::ArrayRef<int64_t> shape) {
  std::string text;
  for (int64_t extent : shape)
    text += (text.empty() ? "[" : ", ") + std::to_string(extent);
  return text + "]";
}

std::optional<llvm::SmallVector<int64_t, 4>>
Analyzer::evaluateShape(const Scope &scope, llvm::StringRef name,
                        llvm::ArrayRef<const Expr *> shape) {
  bool ok = true;
  llvm::SmallVector<int64_t, 4> extents;
  for (const Expr *expr : shape) {
    std::optional<int64_t> extent =
        ConstantEvaluator(scope, diagnostics, "an extent")
            .evaluateInt(expr, [&](const ExtentExpr &label) {
              return scope.extentOf(label, diagnostics);
            });
    if (extent && *extent < 1) {
      diagnostics.error(expr->range, "the extents of " + name +
                                         " must be at least 1, got " +
                                         llvm::Twine(*extent));
      extent.reset();
    }
    ok &= extent.has_value();
    extents.push_back(extent.value_or(1));
  }
  if (!ok)
    return std::nullopt;
  return extents;
}

std::optional<unsigned> Analyzer::addGenerated(const Scope &scope,
                                               const EquationStmt &stmt) {
  auto shape =
      evaluateShape(scope, ("'" + stmt.name + "'").str(), stmt.literal->shape);
  if (!shape)
    return std::nullopt;
  const EquationStmt *elements =
      WholeTensors(scope, graph, diagnostics, context)
          .rewrite(stmt, llvm::ArrayRef(*shape));
  return elements ? addVertex(scope, *elements) : std::nullopt;
}

std::optional<unsigned> Analyzer::addLiteral(const Scope &scope,
                                             const EquationStmt &stmt) {
  const TensorLiteral &literal = *stmt.literal;
  auto shape =
      evaluateShape(scope, ("'" + stmt.name + "'").str(), literal.shape);
  if (!shape || !countVertices(stmt, 1))
    return std::nullopt;
  if (llvm::ArrayRef<int64_t>(*shape) != literal.counts) {
    diagnostics.error(literal.range, "'" + stmt.name + "' is " +
                                         typeToString(literal.type, *shape) +
                                         ", but its brackets hold " +
                                         shapeToString(literal.counts) +
                                         " elements");
    return std::nullopt;
  }
  if (literal.values.size() > mostElements) {
    diagnostics.error(literal.range, "a constant tensor has at most " +
                                         llvm::Twine(mostElements) +
                                         " elements, this one " +
                                         llvm::Twine(literal.values.size()) +
                                         "; more come in as an input");
    return std::nullopt;
  }
  Vertex vertex;
  bool ok = true;
  for (const Expr *expr : literal.values) {
    if (literal.type == ElementType::Bool && !llvm::isa<BoolLiteral>(expr)) {
      diagnostics.error(expr->range, "an element of a bool tensor is true or "
                                     "false");
      ok = false;
      continue;
    }
    std::optional<Constant> value =
        ConstantEvaluator(scope, diagnostics, "an element")
            .evaluateAs(expr, literal.type, [&](const ExtentExpr &label) {
              return scope.extentOf(label, diagnostics);
            });
    ok &= value.has_value();
    vertex.literal.push_back(value.value_or(Constant()));
  }
  if (!ok)
    return std::nullopt;
  for (auto [dim, extent] : llvm::enumerate(*shape))
    vertex.labels.push_back({dimensionLabel(dim), extent});
  vertex.numParallel = shape->size();
  return addTensor(scope, stmt, scope.vertexNameFor(stmt.name), literal.type,
                   std::move(*shape), std::move(vertex));
}

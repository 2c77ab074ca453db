//===- Norms.cpp - softmax, rmsnorm and layernorm -------------------------===//
//
// The macros of the language expand to statements, as the EinDecomp paper
// (section 3) writes softmax: maximum, exponential of the difference, sum,
// quotient. Sums of types narrower than f32 are kept in f32, since a sum of
// squares soon leaves the range of f16.
//
//===----------------------------------------------------------------------===//

#include "Analyzer.h"

using namespace tapestry::ein;
using namespace tapestry::ein::ast;

namespace {
/// Makes expressions that stand where the macro is used.
struct Maker {
  Context &context;
  llvm::SMRange range;

  const Expr *access(llvm::StringRef name, llvm::ArrayRef<Label> labels) const {
    llvm::SmallVector<const Expr *> subscripts;
    for (const Label &label : labels)
      subscripts.push_back(context.create<NameExpr>(label.range, label.name));
    if (subscripts.empty())
      return context.create<NameExpr>(range, name);
    return context.create<AccessExpr>(range, 2u, name, range,
                                      context.copy<const Expr *>(subscripts),
                                      nullptr);
  }
  const Expr *binary(BinaryOp op, const Expr *lhs, const Expr *rhs) const {
    return context.create<BinaryExpr>(range, op, range, lhs, rhs);
  }
  const Expr *call(llvm::StringRef callee, const Expr *arg) const {
    return context.create<CallExpr>(range, arg->depth + 1, callee, range,
                                    context.copy<const Expr *>(arg));
  }
  const Expr *integer(uint64_t value) const {
    return context.create<IntLiteral>(range, value);
  }
  /// A cast, where it changes anything.
  const Expr *cast(ElementType from, ElementType to, const Expr *expr) const {
    return from == to ? expr : call(stringify(to), expr);
  }
};
} // namespace

/// "Y.max": no user can write it, so it collides with nothing.
static std::string helperName(const EquationStmt &stmt,
                              llvm::StringRef suffix) {
  return (stmt.name + "." + suffix).str();
}

std::optional<Analyzer::Group>
Analyzer::analyzeGroup(Scope &scope, const EquationStmt &stmt) {
  llvm::StringRef macro(stmt.reduceRange.Start.getPointer(),
                        stmt.reduceRange.End.getPointer() -
                            stmt.reduceRange.Start.getPointer());
  for (const Label &label : stmt.reduceLabels) {
    if (llvm::none_of(stmt.labels,
                      [&](const Label &l) { return l.name == label.name; })) {
      diagnostics.error(label.range, "label '" + label.name + "' of '" + macro +
                                         "' must also be on the left side");
      return std::nullopt;
    }
    if (label.extent) {
      diagnostics.error(label.extent->range, "the extent of a label of '" +
                                                 macro +
                                                 "' is given on the left side");
      return std::nullopt;
    }
  }
  Equation probe;
  probe.nameRange = stmt.nameRange;
  probe.labels = stmt.labels;
  probe.expr = stmt.expr;
  StatementAnalyzer analyzer(scope, graph, diagnostics, probe);
  std::optional<ExprType> type = analyzer.typeOfExpr();
  if (!type)
    return std::nullopt;
  if (!type->isTyped() || !isFloat(type->type)) {
    diagnostics.error(
        stmt.expr->range,
        "'" + macro + "' needs a float type, but this is " +
            (type->isTyped() ? stringify(type->type)
                             : llvm::StringRef("made of numbers only")) +
            "; cast it, e.g. f32(" + excerpt(stmt.expr->range) + ")");
    return std::nullopt;
  }
  Group group;
  group.type = type->type;
  group.wide =
      type->type == ElementType::F64 ? ElementType::F64 : ElementType::F32;
  llvm::SmallVector<llvm::StringRef> used = analyzer.usedLabels();
  for (const Label &label : stmt.labels) {
    auto it = llvm::find_if(stmt.reduceLabels, [&](const Label &l) {
      return l.name == label.name;
    });
    bool inner = it != stmt.reduceLabels.end();
    if (!llvm::is_contained(used, label.name)) {
      if (!inner)
        continue;
      diagnostics.error(it->range, "'" + macro + "' runs over label '" +
                                       label.name +
                                       "', but its operand does not use it");
      return std::nullopt;
    }
    group.all.push_back(label);
    (inner ? group.inner : group.outer).push_back(label);
  }
  return group;
}

bool Analyzer::addHelper(Scope &scope, const EquationStmt &stmt,
                         llvm::StringRef suffix, llvm::ArrayRef<Label> labels,
                         Monoid monoid, llvm::ArrayRef<Label> reduced,
                         const Expr *expr) {
  Equation equation;
  equation.nameRange = stmt.nameRange;
  equation.labels = labels;
  equation.monoid = monoid;
  equation.reduceRange = stmt.reduceRange;
  equation.reduceLabels = reduced;
  equation.expr = expr;
  std::optional<unsigned> tensor = addVertex(
      scope, scope.vertexNameFor(stmt.name) + "." + suffix.str(), equation);
  Binding binding;
  binding.defined = stmt.nameRange;
  if (tensor) {
    binding.kind = Binding::Kind::Tensor;
    binding.tensor = *tensor;
  }
  scope.define(helperName(stmt, suffix), binding);
  return tensor.has_value();
}

std::optional<unsigned>
Analyzer::addLast(Scope &scope, const EquationStmt &stmt, const Expr *expr) {
  Equation equation;
  equation.nameRange = stmt.nameRange;
  equation.labels = stmt.labels;
  equation.expr = expr;
  return addVertex(scope, scope.vertexNameFor(stmt.name), equation);
}

std::optional<unsigned> Analyzer::expandSoftmax(Scope &scope,
                                                const EquationStmt &stmt) {
  std::optional<Group> group = analyzeGroup(scope, stmt);
  if (!group)
    return std::nullopt;
  Maker make{context, stmt.expr->range};
  auto helper = [&](llvm::StringRef suffix, llvm::ArrayRef<Label> labels) {
    return make.access(context.copy(helperName(stmt, suffix)), labels);
  };
  auto widen = [&](const Expr *expr) {
    return make.cast(group->type, group->wide, expr);
  };

  if (!addHelper(scope, stmt, "max", group->outer, Monoid::Max, group->inner,
                 stmt.expr))
    return std::nullopt;
  const Expr *difference =
      make.binary(BinaryOp::Sub, stmt.expr, helper("max", group->outer));
  if (!addHelper(scope, stmt, "exp", group->all, Monoid::None, {},
                 make.call("exp", difference)))
    return std::nullopt;
  const Expr *exponential = widen(helper("exp", group->all));
  if (!addHelper(scope, stmt, "sum", group->outer, Monoid::Sum, group->inner,
                 exponential))
    return std::nullopt;
  const Expr *quotient =
      make.binary(BinaryOp::Div, exponential, helper("sum", group->outer));
  return addLast(scope, stmt, make.cast(group->wide, group->type, quotient));
}

/// The number of values that the last vertex reduces into one.
static uint64_t reducedCount(const Vertex &vertex) {
  uint64_t count = 1;
  for (const VertexLabel &label :
       llvm::drop_begin(vertex.labels, vertex.numParallel))
    count *= label.extent;
  return count;
}

std::optional<unsigned> Analyzer::expandRMSNorm(Scope &scope,
                                                const EquationStmt &stmt) {
  std::optional<Group> group = analyzeGroup(scope, stmt);
  if (!group)
    return std::nullopt;
  Maker make{context, stmt.expr->range};
  const Expr *x = make.cast(group->type, group->wide, stmt.expr);
  if (!addHelper(scope, stmt, "sq", group->outer, Monoid::Sum, group->inner,
                 make.binary(BinaryOp::Pow, x, make.integer(2))))
    return std::nullopt;
  const Expr *mean = make.binary(
      BinaryOp::Div,
      make.access(context.copy(helperName(stmt, "sq")), group->outer),
      make.integer(reducedCount(graph.vertices.back())));
  const Expr *epsilon = make.cast(group->type, group->wide, stmt.epsilon);
  const Expr *scale =
      make.call("rsqrt", make.binary(BinaryOp::Add, mean, epsilon));
  return addLast(scope, stmt,
                 make.cast(group->wide, group->type,
                           make.binary(BinaryOp::Mul, x, scale)));
}

std::optional<unsigned> Analyzer::expandLayerNorm(Scope &scope,
                                                  const EquationStmt &stmt) {
  std::optional<Group> group = analyzeGroup(scope, stmt);
  if (!group)
    return std::nullopt;
  Maker make{context, stmt.expr->range};
  auto helper = [&](llvm::StringRef suffix) {
    return make.access(context.copy(helperName(stmt, suffix)), group->outer);
  };
  const Expr *x = make.cast(group->type, group->wide, stmt.expr);
  if (!addHelper(scope, stmt, "sum", group->outer, Monoid::Sum, group->inner,
                 x))
    return std::nullopt;
  const Expr *count = make.integer(reducedCount(graph.vertices.back()));
  if (!addHelper(scope, stmt, "mean", group->outer, Monoid::None, {},
                 make.binary(BinaryOp::Div, helper("sum"), count)))
    return std::nullopt;
  const Expr *difference = make.binary(BinaryOp::Sub, x, helper("mean"));
  if (!addHelper(scope, stmt, "sq", group->outer, Monoid::Sum, group->inner,
                 make.binary(BinaryOp::Pow, difference, make.integer(2))))
    return std::nullopt;
  const Expr *variance = make.binary(BinaryOp::Div, helper("sq"), count);
  const Expr *epsilon = make.cast(group->type, group->wide, stmt.epsilon);
  const Expr *scale =
      make.call("rsqrt", make.binary(BinaryOp::Add, variance, epsilon));
  return addLast(scope, stmt,
                 make.cast(group->wide, group->type,
                           make.binary(BinaryOp::Mul, difference, scale)));
}

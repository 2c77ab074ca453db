//===- Monoids.cpp - Reductions that a .ein file defines ------------------===//
//
// The expression of a monoid is checked for the type of each use, as a
// statement of its own that reads two scalars of that type.
//
//===----------------------------------------------------------------------===//

#include "Analyzer.h"
#include "WholeTensors.h"

using namespace tapestry::ein;
using namespace tapestry::ein::ast;

void Analyzer::visitMonoid(Scope &scope, const MonoidStmt &stmt) {
  if (!checkNew(scope, stmt.name, stmt.nameRange))
    return;
  Binding binding;
  binding.defined = stmt.nameRange;
  binding.monoid = &stmt;
  bool ok = checkCombine(scope, stmt, stmt.expr);
  if (stmt.formals[0].name == stmt.formals[1].name) {
    diagnostics
        .error(stmt.formals[1].range, "monoid '" + stmt.name +
                                          "' has two values named '" +
                                          stmt.formals[1].name + "'")
        .note(stmt.formals[0].range, "the first is here");
    ok = false;
  }
  if (ok)
    binding.kind = Binding::Kind::Monoid;
  scope.define(stmt.name, binding);
}

/// Whether nothing stands in `expr` but the two values and constants.
bool Analyzer::checkCombine(const Scope &scope, const MonoidStmt &stmt,
                            const Expr *expr) {
  auto fail = [&](const llvm::Twine &what) {
    return diagnostics.error(
        expr->range, "monoid '" + stmt.name + "' is made of '" +
                         stmt.formals[0].name + "', '" + stmt.formals[1].name +
                         "', numbers and params; " + what);
  };
  switch (expr->kind) {
  case Expr::Kind::Access:
  case Expr::Kind::View:
  case Expr::Kind::MatMul:
    return fail("it reads no tensors"), false;
  case Expr::Kind::Extent:
    return fail("it has no labels"), false;
  case Expr::Kind::Reduce:
    return fail("reductions do not stand in it"), false;
  case Expr::Kind::Iverson:
    return checkCombine(scope, stmt, llvm::cast<IversonExpr>(expr)->condition);
  case Expr::Kind::Name: {
    llvm::StringRef name = llvm::cast<NameExpr>(expr)->name;
    const Binding *binding = scope.lookup(name);
    if (llvm::is_contained({stmt.formals[0].name, stmt.formals[1].name},
                           name) ||
        scope.lookupNumber(name) ||
        (binding && binding->kind == Binding::Kind::Constant))
      return true;
    if (!binding)
      scope.reportUnknown(diagnostics, name, expr->range, "value or param");
    else if (binding->kind != Binding::Kind::Poison)
      fail("'" + name + "' is none of them")
          .note(binding->defined, "it is defined here");
    return false;
  }
  case Expr::Kind::Call:
    if (isRandom(llvm::cast<CallExpr>(expr)->callee))
      return fail("it draws no random numbers"), false;
    break;
  default:
    break;
  }
  return llvm::all_of(partsOf(expr), [&](const Expr *part) {
    return checkCombine(scope, stmt, part);
  });
}

bool StatementAnalyzer::setReduction(Vertex &into, Reduction reduction,
                                     ElementType operand, llvm::SMRange use) {
  into.monoid = reduction.monoid;
  into.macro = reduction.macro;
  into.macroType = operand;
  if (reduction.custom)
    into.custom = instantiate(*reduction.custom, operand, use);
  return !reduction.custom || into.custom;
}

std::optional<CustomMonoid>
StatementAnalyzer::instantiate(const MonoidStmt &monoid, ElementType type,
                               llvm::SMRange use) {
  const Scope &home = scope.fileScope();
  const Binding *known = home.findOwn(monoid.name);
  // Any other is wrong, which is reported.
  if (!known || known->kind != Binding::Kind::Monoid ||
      known->monoid != &monoid)
    return std::nullopt;
  DiagnosticEngine::InstantiationScope note(diagnostics, use, monoid.name,
                                            "monoid");
  Graph values;
  Scope inside(home, monoid.name.str());
  for (const Formal &formal : monoid.formals) {
    Binding binding;
    binding.kind = Binding::Kind::Tensor;
    binding.defined = formal.range;
    binding.tensor = values.tensors.size();
    inside.define(formal.name, binding);
    Tensor &value = values.tensors.emplace_back();
    value.name = formal.name.str();
    value.type = type;
    value.loc = formal.range.Start;
  }
  EquationStmt combine;
  combine.name = monoid.name;
  combine.nameRange = combine.range = monoid.nameRange;
  combine.hasLabels = true;
  combine.expr = monoid.expr;
  combine.typeBeside = type;
  std::optional<Result> result =
      StatementAnalyzer(inside, values, diagnostics, context, combine).run();
  if (result && result->type != type) {
    diagnostics.error(monoid.expr->range,
                      "monoid '" + monoid.name + "' makes " +
                          stringify(result->type) + " of two values of type " +
                          stringify(type));
    return std::nullopt;
  }
  std::optional<Constant> identity =
      ConstantEvaluator(home, diagnostics, "an identity")
          .evaluateAs(monoid.identity, type);
  if (!result || !identity)
    return std::nullopt;
  return CustomMonoid{monoid.name.str(), wideType(type),
                      std::move(result->vertex), *identity};
}

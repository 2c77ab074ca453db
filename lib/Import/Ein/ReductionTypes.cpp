//===- ReductionTypes.cpp - Types of reductions ---------------------------===//

#include "StatementAnalyzer.h"
#include "WholeTensors.h"

using namespace tapestry::ein;
using namespace tapestry::ein::ast;

ElementType StatementAnalyzer::reducedType(Reduction reduction,
                                           const Expr *expr,
                                           ElementType result) {
  bool givesPlaces = reduction.macro && tapestry::givesPlaces(*reduction.macro);
  return givesPlaces ? infer(expr)->type : result;
}

bool StatementAnalyzer::requireOperand(MacroKind macro, const Expr *expr,
                                       ExprType type) {
  llvm::StringRef name = stringify(macro);
  if (tapestry::givesPlaces(macro))
    return requireOrder(expr->range, type, ("'" + name + "'").str());
  return (macro == MacroKind::Mean && type.isComplex() && type.isTyped()) ||
         requireFloat(expr, type, name);
}

/// Whether there is a quotient, which integers would truncate.
static bool divides(const Expr *expr) {
  auto *binary = llvm::dyn_cast<BinaryExpr>(expr);
  return (binary && binary->op == BinaryOp::Div) ||
         llvm::any_of(partsOf(expr), divides);
}

/// What a statement that is made of numbers only is best cast to; of integers
/// the type that it reads, or that of counts and places.
ElementType StatementAnalyzer::proposedType(const Expr *expr,
                                            ExprType type) const {
  if (type.isImaginary)
    return complexType(floatBeside()).value_or(ElementType::C64);
  if (type.isFloat || divides(expr))
    return floatBeside();
  for (const Access &access : accesses)
    if (ElementType read = infoOf(access).type; isInteger(read))
      return read;
  return ElementType::I64;
}

std::optional<ElementType>
StatementAnalyzer::checkReduction(Reduction reduction, const Expr *expr,
                                  ExprType type) {
  std::string name = asWritten(reduction);
  bool givesPlaces = reduction.macro && tapestry::givesPlaces(*reduction.macro);
  std::string what = "'" + name + "'";
  if (reduction.macro && !requireOperand(*reduction.macro, expr, type))
    return std::nullopt;
  bool isOrdered =
      reduction.monoid == Monoid::Max || reduction.monoid == Monoid::Min;
  if (isOrdered && !requireOrder(expr->range, type, what))
    return std::nullopt;
  if (type.kind == ExprType::Kind::Literal) {
    if (equation.typeBeside && (isFloat(*equation.typeBeside) || !type.isFloat))
      return equation.typeBeside;
    ElementType proposed = proposedType(expr, type);
    diagnostics.error(expr->range,
                      "the type of this expression is not known: it is made of "
                      "numbers only; cast it, e.g. " +
                          castHint(expr, proposed));
    // Inside an expression it may meet another one.
    if (expr != equation.expr)
      return std::nullopt;
    isGuessed = true;
    return proposed;
  }
  if (givesPlaces) {
    if (!requireNumber(expr, type, what))
      return std::nullopt;
    return ElementType::I64;
  }
  switch (reduction.monoid) {
  case Monoid::None:
  case Monoid::Custom:
    break;
  case Monoid::Sum:
    // It counts.
    if (type.type == ElementType::Bool)
      return ElementType::I64;
    break;
  case Monoid::Prod:
  case Monoid::Max:
  case Monoid::Min:
    if (type.type != ElementType::Bool)
      break;
    diagnostics.error(
        expr->range,
        "'" + name + "' needs numbers, but this is bool; " +
            (reduction.scans ? "cast it, e.g. i64(" + excerpt(expr->range) + ")"
                             : "use 'all' or 'any'"));
    return std::nullopt;
  case Monoid::All:
  case Monoid::Any:
    if (!requireBool(expr, type, "'" + name + "' needs", "!= 0"))
      return std::nullopt;
    break;
  case Monoid::Xor:
    if (!isFloat(partType(type.type)))
      break;
    diagnostics.error(expr->range, what +
                                       " needs an integer type or bool, but "
                                       "this is " +
                                       stringify(type.type));
    return std::nullopt;
  }
  return type.type;
}

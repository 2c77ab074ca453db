//===- LabelValues.cpp - Labels as numbers --------------------------------===//
//
// A label in an expression is an integer that takes the type beside it, as a
// literal does, and so is the counter of a loop. What is made of labels and
// integers alone is computed in integers that hold it, and converted once.
//
//===----------------------------------------------------------------------===//

#include "StatementAnalyzer.h"

using namespace tapestry::ein;
using namespace tapestry::ein::ast;

bool StatementAnalyzer::collectLabelValue(const NameExpr &expr,
                                          const Binding *binding) {
  if (binding && binding->tensorIn(graph)) {
    diagnostics
        .error(expr.range, "'" + expr.name +
                               "' is a label of this statement and a tensor; "
                               "give one of them another name")
        .note(labels[*findLabel(expr.name)].range, "the label is here")
        .note(binding->defined, "the tensor is defined here");
    return false;
  }
  labelValues[&expr] = *findLabel(expr.name);
  return true;
}

WideInt tapestry::ein::largestExact(ElementType type) {
  switch (type) {
  case ElementType::F64:
  case ElementType::C128:
    return WideInt(1) << 53;
  case ElementType::F32:
  case ElementType::C64:
    return WideInt(1) << 24;
  case ElementType::F16:
    return WideInt(1) << 11;
  case ElementType::BF16:
    return WideInt(1) << 8;
  default:
    return largestInteger(type);
  }
}

bool StatementAnalyzer::isCounter(const Expr *expr) const {
  auto read = accessOf.find(expr);
  return read != accessOf.end() && llvm::isa<NameExpr>(expr) &&
         graph.tensors[accesses[read->second].tensor].passes;
}

std::optional<int64_t> StatementAnalyzer::largestValue(const Expr *expr) const {
  if (auto label = labelValues.find(expr); label != labelValues.end())
    return *labels[label->second].extent - 1;
  if (isCounter(expr))
    return *graph.tensors[accesses[accessOf.lookup(expr)].tensor].passes - 1;
  return std::nullopt;
}

bool StatementAnalyzer::checkLabelValues(const Expr *expr, ElementType type) {
  switch (expr->kind) {
  case Expr::Kind::Name: {
    std::optional<int64_t> largest = largestValue(expr);
    if (!largest || *largest <= largestExact(type))
      return true;
    llvm::StringRef name = llvm::cast<NameExpr>(expr)->name;
    auto label = labelValues.find(expr);
    bool isLabel = label != labelValues.end();
    diagnostics
        .error(expr->range,
               (isLabel ? "label '" : "counter '") + name + "' runs to " +
                   llvm::Twine(*largest) + ", but " + stringify(type) +
                   " has all integers only up to " +
                   toString(largestExact(type)) + "; cast it, " +
                   stringify(type) + "(" + name + "), or what stands beside it")
        .note(isLabel ? labels[label->second].range
                      : scope.lookup(name)->defined,
              isLabel ? "the label is here" : "the loop is here");
    return false;
  }
  case Expr::Kind::Unary:
    return checkLabelValues(llvm::cast<UnaryExpr>(expr)->operand, type);
  case Expr::Kind::Binary: {
    auto *binary = llvm::cast<BinaryExpr>(expr);
    return checkLabelValues(binary->lhs, type) &&
           checkLabelValues(binary->rhs, type);
  }
  case Expr::Kind::Call: {
    auto *call = llvm::cast<CallExpr>(expr);
    // Seeds are integers of 64 bits.
    return isRandom(call->callee) ||
           llvm::all_of(call->args, [&](const Expr *arg) {
             ExprType own = *infer(arg);
             return own.isTyped() || checkLabelValues(arg, type);
           });
  }
  default:
    return true;
  }
}

/// The values that an expression of labels and integers takes, where 32 bits
/// hold them and all that they are made of.
std::optional<StatementAnalyzer::Bounds>
StatementAnalyzer::narrowBounds(const Expr *expr) {
  auto checked = [](Bounds bounds) -> std::optional<Bounds> {
    if (fitsInteger(bounds.lo, ElementType::I32) &&
        fitsInteger(bounds.hi, ElementType::I32))
      return bounds;
    return std::nullopt;
  };
  if (std::optional<int64_t> largest = largestValue(expr))
    return checked({0, *largest});
  if (infer(expr)->isConstant) {
    ConstantEvaluator evaluator(scope, diagnostics, "a number");
    std::optional<Number> number = evaluator.evaluate(
        expr, /*asReal=*/false,
        [&](const ExtentExpr &extent) { return knownExtent(extent); });
    return number ? checked({number->integer, number->integer}) : std::nullopt;
  }
  if (auto *unary = llvm::dyn_cast<UnaryExpr>(expr)) {
    std::optional<Bounds> operand = narrowBounds(unary->operand);
    return operand ? checked({-operand->hi, -operand->lo}) : std::nullopt;
  }
  auto *binary = llvm::dyn_cast<BinaryExpr>(expr);
  if (!binary)
    return std::nullopt;
  std::optional<Bounds> a = narrowBounds(binary->lhs);
  std::optional<Bounds> b = a ? narrowBounds(binary->rhs) : std::nullopt;
  if (!b)
    return std::nullopt;
  switch (binary->op) {
  case BinaryOp::Add:
    return checked({a->lo + b->lo, a->hi + b->hi});
  case BinaryOp::Sub:
    return checked({a->lo - b->hi, a->hi - b->lo});
  case BinaryOp::Mul: {
    auto [lo, hi] = std::minmax(
        {a->lo * b->lo, a->lo * b->hi, a->hi * b->lo, a->hi * b->hi});
    return checked({lo, hi});
  }
  case BinaryOp::FloorDiv:
  case BinaryOp::Mod:
    // No quotient and no rest is farther from 0 than both operands.
    return checked({std::min({-a->hi, a->lo, b->lo, WideInt(0)}),
                    std::max({-a->lo, a->hi, b->hi, WideInt(0)})});
  default:
    return std::nullopt;
  }
}

ElementType StatementAnalyzer::integerTypeOf(const Expr *expr) {
  return narrowBounds(expr) ? ElementType::I32 : ElementType::I64;
}

bool StatementAnalyzer::isForm(const Expr *expr, bool isConstant) const {
  switch (expr->kind) {
  case Expr::Kind::IntLiteral:
  case Expr::Kind::Extent:
    return true;
  case Expr::Kind::Name: {
    llvm::StringRef name = llvm::cast<NameExpr>(expr)->name;
    const Binding *binding = scope.lookup(name);
    if (findLabel(name) || !binding)
      return !isConstant && !namesNumber(*llvm::cast<NameExpr>(expr));
    return !binding->tensorIn(graph) &&
           !(binding->kind == Binding::Kind::Constant &&
             binding->constant.isFloat);
  }
  case Expr::Kind::Unary: {
    auto *unary = llvm::cast<UnaryExpr>(expr);
    return unary->op == UnaryOp::Neg && isForm(unary->operand, isConstant);
  }
  case Expr::Kind::Binary: {
    auto *binary = llvm::cast<BinaryExpr>(expr);
    bool isSum = binary->op == BinaryOp::Add || binary->op == BinaryOp::Sub;
    bool isProduct = binary->op == BinaryOp::Mul;
    bool isQuotient = binary->op == BinaryOp::Div;
    if (!isSum && !isProduct && !isQuotient)
      return false;
    bool lhs = isForm(binary->lhs, isConstant || isQuotient);
    bool rhs = isForm(binary->rhs, isConstant || isQuotient);
    return lhs && rhs &&
           (!isProduct || isConstant || isForm(binary->lhs, true) ||
            isForm(binary->rhs, true));
  }
  default:
    return false;
  }
}

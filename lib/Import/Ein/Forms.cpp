//===- Forms.cpp - Linear forms of labels ---------------------------------===//
//
// Subscripts and the sides of comparisons in brackets: sums of labels, times
// integers, plus integers and extents.
//
//===----------------------------------------------------------------------===//

#include "StatementAnalyzer.h"
#include "tapestry/Import/Ein/Words.h"

using namespace tapestry::ein;
using namespace tapestry::ein::ast;

/// Coefficients and constants below this bound times extents below 2^62 add up
/// in 128 bits without overflow, as deep as trees may be.
static constexpr WideInt largestCoefficient = WideInt(1) << 48;

/// terms += factor * more, kept ascending and without zeros.
static void addTerms(llvm::SmallVectorImpl<LinearForm::Term> &terms,
                     llvm::ArrayRef<LinearForm::Term> more, int64_t factor) {
  for (LinearForm::Term term : more) {
    auto *it = llvm::lower_bound(terms, term.label,
                                 [](const LinearForm::Term &t, unsigned label) {
                                   return t.label < label;
                                 });
    if (it == terms.end() || it->label != term.label)
      it = terms.insert(it, {term.label, 0});
    it->coefficient += factor * term.coefficient;
    if (it->coefficient == 0)
      terms.erase(it);
  }
}

std::optional<StatementAnalyzer::SymbolicForm>
StatementAnalyzer::checkSize(SymbolicForm form, llvm::SMRange range) {
  auto tooLarge = [](WideInt value) {
    return value > largestCoefficient || value < -largestCoefficient;
  };
  bool bad = tooLarge(form.constant);
  for (const auto &terms :
       {llvm::ArrayRef(form.terms), llvm::ArrayRef(form.extentTerms)})
    for (LinearForm::Term term : terms)
      bad |= tooLarge(term.coefficient);
  if (!bad)
    return form;
  diagnostics.error(range, "integer is too large for a subscript: the limit "
                           "is 2^48");
  return std::nullopt;
}

std::optional<StatementAnalyzer::SymbolicForm>
StatementAnalyzer::toForm(const Expr *expr) {
  SymbolicForm form;
  switch (expr->kind) {
  case Expr::Kind::IntLiteral:
    form.constant = llvm::cast<IntLiteral>(expr)->value;
    return checkSize(std::move(form), expr->range);
  case Expr::Kind::Name:
    return nameToForm(*llvm::cast<NameExpr>(expr));
  case Expr::Kind::Extent: {
    auto *extent = llvm::cast<ExtentExpr>(expr);
    if (std::optional<int64_t> known = knownExtent(*extent)) {
      form.constant = *known;
      return checkSize(std::move(form), expr->range);
    }
    if (!checkExtent(*extent))
      return std::nullopt;
    form.extentTerms.push_back({*findLabel(extent->label), 1});
    return form;
  }
  case Expr::Kind::Unary: {
    auto *unary = llvm::cast<UnaryExpr>(expr);
    if (unary->op != UnaryOp::Neg)
      break;
    std::optional<SymbolicForm> operand = toForm(unary->operand);
    if (!operand)
      return std::nullopt;
    addTerms(form.terms, operand->terms, -1);
    addTerms(form.extentTerms, operand->extentTerms, -1);
    form.constant = -operand->constant;
    return form;
  }
  case Expr::Kind::Binary:
    return combine(*llvm::cast<BinaryExpr>(expr));
  default:
    break;
  }
  diagnostics.error(expr->range, "'" + excerpt(expr->range) +
                                     "' is not made of labels and integers "
                                     "with + - and *");
  return std::nullopt;
}

std::optional<StatementAnalyzer::SymbolicForm>
StatementAnalyzer::nameToForm(const NameExpr &expr) {
  SymbolicForm form;
  const Binding *binding = scope.lookup(expr.name);
  // A label of this statement hides a tensor of the same name.
  if (findLabel(expr.name) || !binding) {
    form.terms.push_back({useLabel(expr.name, expr.range), 1});
    return form;
  }
  switch (binding->kind) {
  case Binding::Kind::Poison:
    return std::nullopt;
  case Binding::Kind::Constant:
    if (binding->constant.isFloat) {
      diagnostics.error(expr.range, "'" + expr.name + "' is not an integer");
      return std::nullopt;
    }
    form.constant = binding->constant.integer;
    return checkSize(std::move(form), expr.range);
  case Binding::Kind::Tensor:
    diagnostics
        .error(expr.range, "'" + expr.name + "' is a tensor, not a label")
        .note(binding->defined, "tensor '" + expr.name + "' is defined here");
    return std::nullopt;
  case Binding::Kind::Macro:
    diagnostics.error(expr.range, "'" + expr.name + "' is a macro, not a label")
        .note(binding->defined, "it is defined here");
    return std::nullopt;
  }
  llvm_unreachable("all bindings are handled");
}

std::optional<StatementAnalyzer::SymbolicForm>
StatementAnalyzer::combine(const BinaryExpr &expr) {
  std::optional<SymbolicForm> lhs = toForm(expr.lhs);
  std::optional<SymbolicForm> rhs = toForm(expr.rhs);
  if (!lhs || !rhs)
    return std::nullopt;
  switch (expr.op) {
  case BinaryOp::Add:
  case BinaryOp::Sub: {
    int64_t sign = expr.op == BinaryOp::Add ? 1 : -1;
    addTerms(lhs->terms, rhs->terms, sign);
    addTerms(lhs->extentTerms, rhs->extentTerms, sign);
    lhs->constant += sign * rhs->constant;
    return checkSize(std::move(*lhs), expr.range);
  }
  case BinaryOp::Mul: {
    if (!lhs->isConstant())
      std::swap(lhs, rhs);
    if (!lhs->isConstant())
      break;
    SymbolicForm form;
    WideInt largest = 0;
    for (const auto &terms :
         {llvm::ArrayRef(rhs->terms), llvm::ArrayRef(rhs->extentTerms)})
      for (LinearForm::Term term : terms)
        largest = std::max(
            {largest, WideInt(term.coefficient), -WideInt(term.coefficient)});
    form.constant = rhs->constant * lhs->constant;
    // Checked before it is stored in 64 bits.
    SymbolicForm product;
    product.constant = largest * lhs->constant;
    if (!checkSize(std::move(product), expr.range))
      return std::nullopt;
    auto factor = static_cast<int64_t>(lhs->constant);
    addTerms(form.terms, rhs->terms, factor);
    addTerms(form.extentTerms, rhs->extentTerms, factor);
    return checkSize(std::move(form), expr.range);
  }
  case BinaryOp::Div:
    if (!lhs->isConstant() || !rhs->isConstant())
      break;
    if (rhs->constant == 0) {
      diagnostics.error(expr.range, "division by zero");
      return std::nullopt;
    }
    lhs->constant /= rhs->constant;
    return lhs;
  default:
    break;
  }
  auto error =
      diagnostics.error(expr.opRange, "'" + excerpt(expr.range) +
                                          "' is not linear in the labels");
  if (expr.op == BinaryOp::Mod || expr.op == BinaryOp::FloorDiv)
    error.note(adviceFor(expr.op == BinaryOp::Mod ? "around" : "reshape"));
  return std::nullopt;
}

std::optional<int64_t>
StatementAnalyzer::knownExtent(const ExtentExpr &expr) const {
  if (std::optional<unsigned> label = findLabel(expr.label))
    if (labels[*label].extent)
      return labels[*label].extent;
  auto bound = scope.extents.find(expr.label);
  if (bound != scope.extents.end())
    return bound->second.extent;
  return std::nullopt;
}

bool StatementAnalyzer::checkExtent(const ExtentExpr &expr) {
  if (findLabel(expr.label) || scope.extents.contains(expr.label))
    return true;
  auto error = diagnostics.error(expr.range, "'" + expr.label +
                                                 "' is no label of this "
                                                 "statement, so it has no "
                                                 "extent");
  if (const LabelState *inner = findInnerLabel(expr.label))
    error.note(inner->range, "it is a label only inside the brackets of this "
                             "reduction");
  return false;
}

std::optional<LinearForm>
StatementAnalyzer::resolve(const SymbolicForm &form) const {
  LinearForm result;
  result.terms.assign(form.terms.begin(), form.terms.end());
  WideInt constant = form.constant;
  for (LinearForm::Term term : form.extentTerms) {
    const std::optional<int64_t> &extent = labels[term.label].extent;
    if (!extent)
      return std::nullopt;
    constant += WideInt(term.coefficient) * *extent;
  }
  // Whatever is so far outside is outside every tensor.
  constexpr WideInt limit = WideInt(1) << 62;
  result.constant =
      static_cast<int64_t>(std::clamp<WideInt>(constant, -limit, limit));
  return result;
}

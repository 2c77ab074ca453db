//===- Forms.cpp - Linear forms of labels ---------------------------------===//
//
// Subscripts and the sides of comparisons in brackets: sums of labels, times
// integers, plus integers and extents; subscripts are such a sum // and %
// positive numbers, too.
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
    std::optional<WideInt> quotient = quotientOf(*operand);
    if (!quotient)
      break;
    // -(x // d) is (d - 1 - x) // d.
    form.constant = *quotient - 1;
    std::optional<SymbolicForm> negated =
        add(form, *operand, /*sign=*/-1, expr->range);
    if (negated)
      negated->steps = std::move(operand->steps);
    return negated;
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
  case Binding::Kind::View:
    diagnostics
        .error(expr.range, "'" + expr.name + "' is a tensor, not a label")
        .note(binding->defined, "tensor '" + expr.name + "' is defined here");
    return std::nullopt;
  case Binding::Kind::Macro:
    diagnostics.error(expr.range, "'" + expr.name + "' is a macro, not a label")
        .note(binding->defined, "it is defined here");
    return std::nullopt;
  case Binding::Kind::Monoid:
  case Binding::Kind::Point:
    diagnostics
        .error(
            expr.range,
            "'" + expr.name + "' is a " +
                (binding->kind == Binding::Kind::Point ? "point" : "monoid") +
                ", not a label")
        .note(binding->defined, "it is defined here");
    return std::nullopt;
  }
  llvm_unreachable("all bindings are handled");
}

std::optional<StatementAnalyzer::SymbolicForm>
StatementAnalyzer::scale(const SymbolicForm &form, WideInt factor,
                         llvm::SMRange range) {
  WideInt largest = 0;
  for (const auto &terms :
       {llvm::ArrayRef(form.terms), llvm::ArrayRef(form.extentTerms)})
    for (LinearForm::Term term : terms)
      largest = std::max(
          {largest, WideInt(term.coefficient), -WideInt(term.coefficient)});
  // Checked before it is stored in 64 bits.
  SymbolicForm product;
  product.constant = largest * factor;
  if (!checkSize(std::move(product), range))
    return std::nullopt;
  SymbolicForm scaled;
  scaled.constant = form.constant * factor;
  addTerms(scaled.terms, form.terms, static_cast<int64_t>(factor));
  addTerms(scaled.extentTerms, form.extentTerms, static_cast<int64_t>(factor));
  return checkSize(std::move(scaled), range);
}

std::optional<StatementAnalyzer::SymbolicForm>
StatementAnalyzer::add(const SymbolicForm &lhs, const SymbolicForm &rhs,
                       int64_t sign, llvm::SMRange range) {
  SymbolicForm sum = lhs;
  addTerms(sum.terms, rhs.terms, sign);
  addTerms(sum.extentTerms, rhs.extentTerms, sign);
  sum.constant += sign * rhs.constant;
  return checkSize(std::move(sum), range);
}

std::optional<WideInt>
StatementAnalyzer::quotientOf(const SymbolicForm &form) const {
  if (form.isLinear())
    return 1;
  const Step &step = form.steps.front();
  if (form.steps.size() > 1 || step.isMod || !step.by.extentTerms.empty())
    return std::nullopt;
  return step.by.constant;
}

std::optional<StatementAnalyzer::SymbolicForm>
StatementAnalyzer::combineQuotients(const BinaryExpr &expr, SymbolicForm lhs,
                                    SymbolicForm rhs) {
  std::optional<WideInt> left = quotientOf(lhs), right = quotientOf(rhs);
  if (!left || !right || (!lhs.isLinear() && !rhs.isLinear()))
    return reportForm(expr, /*isLinear=*/false);
  if (expr.op == BinaryOp::Mul) {
    const SymbolicForm &factor = lhs.isLinear() ? lhs : rhs;
    if (!factor.isConstant() || factor.constant != 1)
      return reportForm(expr, /*isLinear=*/false);
    return lhs.isLinear() ? rhs : lhs;
  }
  int64_t sign = expr.op == BinaryOp::Sub ? -1 : 1;
  if (!lhs.isLinear()) {
    // x // d + y is (x + y d) // d.
    std::optional<SymbolicForm> scaled = scale(rhs, *left, expr.range);
    return scaled ? add(lhs, *scaled, sign, expr.range) : std::nullopt;
  }
  std::optional<SymbolicForm> sum = scale(lhs, *right, expr.range);
  if (!sum)
    return std::nullopt;
  // -(x // d) is (d - 1 - x) // d.
  if (sign < 0)
    sum->constant += *right - 1;
  sum = add(*sum, rhs, sign, expr.range);
  if (sum)
    sum->steps = std::move(rhs.steps);
  return sum;
}

std::optional<StatementAnalyzer::SymbolicForm>
StatementAnalyzer::divide(const BinaryExpr &expr, SymbolicForm lhs,
                          const SymbolicForm &rhs) {
  bool isMod = expr.op == BinaryOp::Mod;
  if (lhs.isConstant() && rhs.isConstant()) {
    WideInt a = lhs.constant, b = rhs.constant;
    // As everywhere: nothing is left of a division by 0.
    WideInt quotient =
        b == 0 ? 0 : a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
    lhs.constant = b == 0 ? 0 : isMod ? a - quotient * b : quotient;
    return lhs;
  }
  if (!rhs.terms.empty() || !rhs.isLinear())
    return reportForm(expr, rhs.isLinear());
  Step step{isMod, rhs, expr.rhs->range};
  if (step.by.extentTerms.empty() && step.by.constant < 1)
    return reportDivisor(step, step.by.constant);
  lhs.steps.push_back(std::move(step));
  return lhs;
}

std::nullopt_t StatementAnalyzer::reportDivisor(const Step &step,
                                                WideInt number) {
  diagnostics.error(step.range, "a subscript is divided by positive numbers, "
                                "not by " +
                                    toString(number));
  return std::nullopt;
}

std::nullopt_t StatementAnalyzer::reportForm(const BinaryExpr &expr,
                                             bool isLinear) {
  std::string way =
      expr.op == BinaryOp::Div ? "; '//' divides and rounds down" : "";
  auto error = diagnostics.error(expr.opRange,
                                 "'" + excerpt(expr.range) +
                                     "' is not linear in the labels" + way);
  if (!isLinear)
    error.note(adviceFor("nested"));
  else if (expr.op == BinaryOp::Mul)
    error.note("a place that is computed has a cast: i64(" +
               excerpt(expr.range) + ")");
  return std::nullopt;
}

std::optional<StatementAnalyzer::SymbolicForm>
StatementAnalyzer::combine(const BinaryExpr &expr) {
  std::optional<SymbolicForm> lhs = toForm(expr.lhs);
  std::optional<SymbolicForm> rhs = toForm(expr.rhs);
  if (!lhs || !rhs)
    return std::nullopt;
  bool isLinear = lhs->isLinear() && rhs->isLinear();
  switch (expr.op) {
  case BinaryOp::Add:
  case BinaryOp::Sub:
    if (!isLinear)
      return combineQuotients(expr, std::move(*lhs), std::move(*rhs));
    return add(*lhs, *rhs, expr.op == BinaryOp::Add ? 1 : -1, expr.range);
  case BinaryOp::Mul:
    if (!isLinear)
      return combineQuotients(expr, std::move(*lhs), std::move(*rhs));
    if (!lhs->isConstant())
      std::swap(lhs, rhs);
    if (!lhs->isConstant())
      return reportForm(expr, isLinear);
    return scale(*rhs, lhs->constant, expr.range);
  case BinaryOp::FloorDiv:
  case BinaryOp::Mod:
    return divide(expr, std::move(*lhs), *rhs);
  case BinaryOp::Div:
    if (!lhs->isConstant() || !rhs->isConstant())
      return reportForm(expr, isLinear);
    if (rhs->constant == 0) {
      diagnostics.error(expr.range, "division by zero");
      return std::nullopt;
    }
    lhs->constant /= rhs->constant;
    return lhs;
  default:
    return reportForm(expr, isLinear);
  }
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

std::optional<WideInt>
StatementAnalyzer::resolveSum(const SymbolicSum &sum) const {
  WideInt constant = sum.constant;
  for (LinearForm::Term term : sum.extentTerms) {
    const std::optional<int64_t> &extent = labels[term.label].extent;
    if (!extent)
      return std::nullopt;
    constant += WideInt(term.coefficient) * *extent;
  }
  // Whatever is so far outside is outside every tensor.
  constexpr WideInt limit = WideInt(1) << 62;
  return std::clamp<WideInt>(constant, -limit, limit);
}

/// Divides what `form` is by `number`, or takes what that leaves. False where
/// that cannot be said: (x % 4) // 3.
static bool applyStep(LinearForm &form, bool isMod, WideInt number) {
  auto by = static_cast<int64_t>(number);
  if (form.mod % by != 0)
    return false;
  if (isMod) {
    form.mod = by;
    return true;
  }
  form.mod /= by;
  // By more than there are values, 0 and -1 are left.
  constexpr WideInt largest = (WideInt(1) << 62) - 1;
  form.floordiv = static_cast<int64_t>(
      std::min<WideInt>(WideInt(form.floordiv) * by, largest));
  return true;
}

std::optional<LinearForm>
StatementAnalyzer::resolve(const SymbolicForm &form) const {
  std::optional<WideInt> constant = resolveSum(form);
  if (!constant)
    return std::nullopt;
  LinearForm result;
  result.terms.assign(form.terms.begin(), form.terms.end());
  result.constant = static_cast<int64_t>(*constant);
  for (const Step &step : form.steps) {
    std::optional<WideInt> number = resolveSum(step.by);
    if (!number)
      return std::nullopt;
    // `checkSteps` reports what cannot be done.
    if (*number >= 1)
      applyStep(result, step.isMod, *number);
  }
  return result;
}

bool StatementAnalyzer::checkSteps(const SymbolicForm &form) {
  LinearForm result;
  for (const Step &step : form.steps) {
    std::optional<WideInt> number = resolveSum(step.by);
    if (!number)
      return true;
    if (*number < 1) {
      reportDivisor(step, *number);
      return false;
    }
    if (applyStep(result, step.isMod, *number))
      continue;
    diagnostics
        .error(step.range, "what % " + llvm::Twine(result.mod) +
                               " leaves is divided by " + toString(*number) +
                               ", which does not divide " +
                               llvm::Twine(result.mod))
        .note(adviceFor("nested"));
    return false;
  }
  return true;
}

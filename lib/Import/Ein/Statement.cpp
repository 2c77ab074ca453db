//===- Statement.cpp - Labels and reads of one statement ------------------===//

#include "StatementAnalyzer.h"
#include "tapestry/Import/Ein/Words.h"

using namespace tapestry::ein;
using namespace tapestry::ein::ast;

std::optional<StatementAnalyzer::Result> StatementAnalyzer::run() {
  if (scatters())
    return runScatter();
  if (equation.sort)
    return runSort();
  // Each step relies on the one before it.
  if (!checkMacroLabels() || !declareLabels() || !collect(equation.expr) ||
      // With a read left out, a label may look unused that is not.
      !checkLabelUse() || !checkMacroOperand())
    return std::nullopt;
  if (!inferExtents()) {
    // Types do not depend on extents: what is wrong with them is said, too.
    infer(equation.expr);
    return std::nullopt;
  }
  if (!buildOperands())
    return std::nullopt;
  warnOfRest();
  current = &vertex;
  Reduction reduction = equation.reduction();
  std::optional<ExprType> exprType = infer(equation.expr);
  if (!exprType)
    return std::nullopt;
  std::optional<ElementType> type =
      equation.literal && !exprType->isTyped()
          ? checkDeclared(*exprType)
          : checkReduction(reduction, equation.expr, *exprType);
  if (equation.literal && type && !checkDeclared(ExprType::typed(*type)))
    return std::nullopt;
  if (!type)
    return std::nullopt;
  ElementType operand = reducedType(reduction, equation.expr, *type);
  // What is only guessed serves those that read it, to be checked at once.
  if (!isGuessed && (!buildReduced(reduction, equation.expr, operand) ||
                     !buildEpsilon(operand)))
    return std::nullopt;

  Result result;
  result.type = *type;
  for (const LabelState &label : labels) {
    if (label.owner)
      continue;
    vertex.labels.push_back({label.name.str(), *label.extent, label.role});
    if (label.reduced)
      continue;
    ++vertex.numParallel;
    result.shape.push_back(*label.extent);
  }
  if (!setReduction(vertex, reduction, operand, equation.reduceRange))
    return std::nullopt;
  result.vertex = std::move(vertex);
  result.inners = std::move(inners);
  adoptInner(result);
  return result;
}

//===----------------------------------------------------------------------===//
// Labels
//===----------------------------------------------------------------------===//

std::optional<unsigned>
StatementAnalyzer::findLabel(llvm::StringRef name) const {
  for (auto [position, label] : llvm::enumerate(labels))
    if (label.name == name && isVisible(label))
      return position;
  return std::nullopt;
}

bool StatementAnalyzer::declareLabels() {
  bool ok = true;
  for (const Label &label : equation.labels)
    ok &= label.place || declareLabel(label, /*reduced=*/false);
  if (!normalises())
    for (const Label &label : equation.reduceLabels)
      ok &= declareLabel(label, /*reduced=*/true);
  return ok && decideGivenExtents(/*first=*/0);
}

bool StatementAnalyzer::declareLabel(const Label &label, bool reduced) {
  if (std::optional<unsigned> earlier = findLabel(label.name)) {
    const LabelState &first = labels[*earlier];
    if (reduced && !first.reduced)
      diagnostics
          .error(label.range, "label '" + label.name +
                                  "' is on the left side and cannot be "
                                  "reduced over")
          .note(first.range, "it is on the left side here");
    else
      diagnostics
          .error(label.range, "label '" + label.name + "' is repeated " +
                                  (reduced ? "among the reduced labels"
                                           : "on the left side"))
          .note(first.range, "it occurs here first");
    return false;
  }
  if (scope.lookupConstant(label.name)) {
    diagnostics
        .error(label.range, "'" + label.name +
                                "' cannot be a label: it is the name of a "
                                "param")
        .note(scope.lookup(label.name)->defined, "the param is defined here");
    return false;
  }
  if (const Binding *binding = scope.lookup(label.name);
      binding && binding->kind == Binding::Kind::Tensor &&
      graph.tensors[binding->tensor].passes) {
    diagnostics
        .error(label.range, "'" + label.name +
                                "' counts the passes of a loop and is no "
                                "dimension; give the label another name")
        .note(binding->defined, "the loop is here");
    return false;
  }
  LabelState state;
  state.name = label.name;
  state.range = label.range;
  state.owner = nested;
  state.reduced = reduced;
  state.givenExtent = label.extent;
  labels.push_back(std::move(state));
  return true;
}

unsigned StatementAnalyzer::useLabel(llvm::StringRef name,
                                     llvm::SMRange range) {
  if (std::optional<unsigned> known = findLabel(name))
    return *known;
  // `checkLabelUse` reports it.
  LabelState state;
  state.name = name;
  state.range = range;
  state.undeclared = true;
  labels.push_back(std::move(state));
  return labels.size() - 1;
}

void StatementAnalyzer::markUses() {
  // `j - j` and `j <= j` do not use j: what counts is what is left.
  for (LabelState &label : labels)
    label.used = false;
  auto use = [&](const SymbolicForm &form) {
    for (LinearForm::Term term : form.terms)
      labels[term.label].used = true;
  };
  for (const Access &access : accesses)
    llvm::for_each(access.subscripts, use);
  for (const auto &[expr, sides] : conditions) {
    const auto &[lhs, rhs] = sides;
    for (auto [position, label] : llvm::enumerate(labels))
      if (lhs.coefficientOf(position) != rhs.coefficientOf(position))
        label.used = true;
  }
  for (const auto &[expr, label] : labelValues)
    labels[label].used = true;
  for (const auto &[expr, call] : randomCalls)
    for (unsigned label : call.labels)
      labels[label].used = true;
}

bool StatementAnalyzer::checkLabelUse() {
  markUses();
  bool ok = true;
  for (const LabelState &label : labels) {
    if (label.undeclared) {
      if (const LabelState *inner = findInnerLabel(label.name))
        diagnostics
            .error(label.range, "label '" + label.name +
                                    "' is not known here: it is reduced over "
                                    "inside other brackets")
            .note(inner->range, "that '" + label.name + "' is this one");
      else if (equation.reduceLabels.empty() || normalises())
        diagnostics.error(label.range,
                          "label '" + label.name +
                              "' is not on the left side; add it there or "
                              "reduce over it, e.g. sum[" +
                              label.name + "]");
      else
        diagnostics
            .error(label.range, "label '" + label.name +
                                    "' is neither on the left side nor "
                                    "reduced over")
            .note(equation.reduceRange, "add it to the labels of this '" +
                                            stringify(equation.reduction()) +
                                            "', or to the left side");
      ok = false;
    } else if (label.reduced && !label.used) {
      diagnostics.error(label.range,
                        "label '" + label.name +
                            "' is reduced over, but the expression does not "
                            "use it");
      ok = false;
    }
  }
  return ok;
}

//===----------------------------------------------------------------------===//
// Reads
//===----------------------------------------------------------------------===//

bool StatementAnalyzer::collect(const Expr *expr) {
  switch (expr->kind) {
  case Expr::Kind::IntLiteral:
  case Expr::Kind::FloatLiteral:
  case Expr::Kind::BoolLiteral:
    return true;
  case Expr::Kind::Name:
    return collectName(*llvm::cast<NameExpr>(expr));
  case Expr::Kind::Access:
    return collectAccess(*llvm::cast<AccessExpr>(expr));
  case Expr::Kind::Call:
    return collectCall(*llvm::cast<CallExpr>(expr));
  case Expr::Kind::Iverson:
    return collectCondition(llvm::cast<IversonExpr>(expr)->condition);
  case Expr::Kind::Unary:
    return collect(llvm::cast<UnaryExpr>(expr)->operand);
  case Expr::Kind::Binary: {
    auto *binary = llvm::cast<BinaryExpr>(expr);
    bool lhs = collect(binary->lhs);
    return collect(binary->rhs) && lhs;
  }
  case Expr::Kind::Extent:
    return checkExtent(*llvm::cast<ExtentExpr>(expr));
  case Expr::Kind::Reduce:
    return collectReduce(*llvm::cast<ReduceExpr>(expr));
  case Expr::Kind::View: {
    // Its own errors come first.
    const View *view = views.find(expr);
    if (view)
      diagnostics
          .error(expr->range,
                 "'" + view->info.name + "' has " +
                     countOf(view->info.shape.size(), "dimension") +
                     " and is read without subscripts")
          .note("with labels each element is meant: Z[i, j] = X[i, j] of a "
                "matrix X; without any, whole tensors: Z = 2 * X");
    return false;
  }
  case Expr::Kind::MatMul:
    diagnostics
        .error(llvm::cast<MatMulExpr>(expr)->opRange,
               "'@' multiplies whole tensors, in a statement without labels: "
               "C = A @ B")
        .note(adviceFor("matmul"));
    return false;
  }
  llvm_unreachable("all expressions are visited");
}

std::optional<unsigned> StatementAnalyzer::resolveTensor(llvm::StringRef name,
                                                         llvm::SMRange range) {
  const Binding *binding = scope.lookup(name);
  if (!binding) {
    scope.reportUnknown(diagnostics, name, range, "tensor");
    return std::nullopt;
  }
  switch (binding->kind) {
  case Binding::Kind::Tensor:
    return binding->tensor;
  case Binding::Kind::View:
  case Binding::Kind::Poison:
    return std::nullopt;
  case Binding::Kind::Constant:
  case Binding::Kind::Macro:
  case Binding::Kind::Monoid:
  case Binding::Kind::Point:
    diagnostics
        .error(range, "'" + name + "' is a " +
                          (binding->kind == Binding::Kind::Macro    ? "macro"
                           : binding->kind == Binding::Kind::Monoid ? "monoid"
                           : binding->kind == Binding::Kind::Point  ? "point"
                                                                    : "param") +
                          ", not a tensor")
        .note(binding->defined, "it is defined here");
    return std::nullopt;
  }
  llvm_unreachable("all bindings are handled");
}

bool StatementAnalyzer::namesNumber(const NameExpr &expr) const {
  return !findLabel(expr.name) && scope.lookupNumber(expr.name);
}

bool StatementAnalyzer::collectName(const NameExpr &expr) {
  const Binding *binding = scope.lookup(expr.name);
  if (binding && binding->kind == Binding::Kind::Constant)
    return true;
  bool isScalar = binding && binding->kind == Binding::Kind::Tensor &&
                  graph.tensors[binding->tensor].shape.empty();
  if (findLabel(expr.name) && (insideBrackets || !isScalar))
    return collectLabelValue(expr, binding);
  if (namesNumber(expr))
    return true;
  const Tensor *info = binding ? binding->tensorIn(graph) : nullptr;
  if (size_t rank = info ? info->shape.size() : 0) {
    std::string labels;
    if (equation.labels.size() == rank)
      for (const Label &label : equation.labels)
        labels += (labels.empty() ? "" : ", ") + label.name.str();
    auto error =
        diagnostics.error(expr.range, "tensor '" + expr.name + "' has " +
                                          countOf(rank, "dimension") +
                                          " and is read without subscripts");
    error.note(binding->defined, "it is defined here as " +
                                     typeToString(info->type, info->shape));
    if (labels.empty())
      error.note("with labels each element is meant: Z[i, j] = X[i, j] of a "
                 "matrix X; without any, whole tensors: Z = 2 * X");
    else
      error.note("with labels each element is meant: " + expr.name + "[" +
                 labels + "]; without any, whole tensors: Z = 2 * X");
    return false;
  }
  std::optional<unsigned> tensor = resolveTensor(expr.name, expr.range);
  if (!tensor)
    return false;
  readScalar(expr, *tensor);
  return true;
}

void StatementAnalyzer::readScalar(const NameExpr &expr, unsigned tensor) {
  Access access;
  access.expr = &expr;
  access.reader = current;
  access.nested = nested;
  access.tensor = tensor;
  access.pad = nullptr;
  accessOf[&expr] = accesses.size();
  accesses.push_back(std::move(access));
}

bool StatementAnalyzer::collectAccess(const AccessExpr &expr) {
  Access access;
  access.expr = &expr;
  access.reader = current;
  access.nested = nested;
  access.pad = expr.pad;
  access.fold = expr.fold;
  access.tensor = 0;
  bool isKnown;
  const Binding *binding = expr.view ? nullptr : scope.lookup(expr.tensor);
  if (expr.view) {
    access.view = views.find(expr.view);
    isKnown = access.view;
  } else if (binding && binding->kind == Binding::Kind::View) {
    access.view = binding->view;
    isKnown = true;
  } else {
    std::optional<unsigned> tensor =
        resolveTensor(expr.tensor, expr.tensorRange);
    access.tensor = tensor.value_or(0);
    isKnown = tensor.has_value();
  }
  // Of what is not known there is no extent to fold by.
  if (!isKnown)
    access.fold = std::nullopt;
  bool ok = isKnown;
  bool isByData = llvm::any_of(expr.subscripts, [&](const Expr *subscript) {
    return namesData(subscript);
  });
  for (const Expr *subscript : expr.subscripts) {
    std::optional<SymbolicForm> form;
    if (!namesData(subscript)) {
      form = toForm(subscript);
      ok &= form.has_value();
      if (!form)
        continue;
    }
    // Beside data what is divided, wrapped around or folded is computed like
    // them.
    bool isFolded = form && access.fold && !form->isPlainLabel();
    if (!form || (isByData && (isFolded || !form->isLinear()))) {
      ok &= collectIndex(subscript, access);
      continue;
    }
    access.subscripts.push_back(std::move(*form));
    access.ranges.push_back(subscript->range);
    access.indices.push_back(nullptr);
  }
  if (!isKnown)
    return false;
  const Tensor &info = infoOf(access);
  if (info.shape.size() != expr.subscripts.size()) {
    diagnostics
        .error(expr.range,
               (expr.view ? "'" + info.name : "tensor '" + expr.tensor.str()) +
                   "' has " + countOf(info.shape.size(), "dimension") +
                   " but is read with " +
                   countOf(expr.subscripts.size(), "subscript"))
        .note(expr.view ? expr.view->range : scope.lookup(expr.tensor)->defined,
              "it is defined here as " + typeToString(info.type, info.shape));
    return false;
  }
  if (!ok)
    return false;
  accessOf[&expr] = accesses.size();
  accesses.push_back(std::move(access));
  return true;
}

bool StatementAnalyzer::collectCall(const CallExpr &expr) {
  unsigned arity = 1;
  const FunctionInfo *info = findFunction(expr.callee);
  if (info && !scope.defines(expr.callee)) {
    arity = info->arity;
  } else if (!parseElementType(expr.callee)) {
    const Binding *binding = scope.lookup(expr.callee);
    if (!binding)
      scope.reportUnknown(diagnostics, expr.callee, expr.calleeRange,
                          "function or macro");
    else if (binding->kind == Binding::Kind::Macro)
      diagnostics
          .error(expr.calleeRange,
                 "macro '" + expr.callee +
                     "' stands among elements, but takes whole tensors; "
                     "give it a statement of its own")
          .note(binding->defined, "it is defined here");
    else if (binding->kind != Binding::Kind::Poison)
      diagnostics
          .error(expr.calleeRange,
                 "'" + expr.callee + "' is neither a function nor a macro")
          .note(binding->defined, "it is defined here");
    return false;
  }
  if (expr.args.size() != arity) {
    diagnostics.error(expr.range, "'" + expr.callee + "' takes " +
                                      countOf(arity, "argument") + ", got " +
                                      llvm::Twine(expr.args.size()));
    return false;
  }
  bool ok = true;
  for (const Expr *arg : expr.args)
    ok &= collect(arg);
  return isRandom(expr.callee) ? collectRandom(expr) && ok : ok;
}

/// The inside of brackets: comparisons under && || and !.
bool StatementAnalyzer::collectCondition(const Expr *expr) {
  if (auto *unary = llvm::dyn_cast<UnaryExpr>(expr);
      unary && unary->op == UnaryOp::Not)
    return collectCondition(unary->operand);
  auto *binary = llvm::dyn_cast<BinaryExpr>(expr);
  if (binary && (binary->op == BinaryOp::And || binary->op == BinaryOp::Or)) {
    bool lhs = collectCondition(binary->lhs);
    return collectCondition(binary->rhs) && lhs;
  }
  if (!binary || !isComparison(binary->op)) {
    diagnostics.error(expr->range, "expected a comparison of labels, such as "
                                   "i <= j, in the brackets");
    return false;
  }
  return collectComparison(*binary);
}

/// Linear forms stay what they are; all else is an expression.
bool StatementAnalyzer::collectComparison(const BinaryExpr &expr) {
  if (!isForm(expr.lhs) || !isForm(expr.rhs)) {
    bool outside = std::exchange(insideBrackets, true);
    bool lhs = collect(expr.lhs), rhs = collect(expr.rhs);
    insideBrackets = outside;
    return lhs && rhs;
  }
  std::optional<SymbolicForm> lhs = toForm(expr.lhs);
  std::optional<SymbolicForm> rhs = toForm(expr.rhs);
  if (!lhs || !rhs)
    return false;
  conditions[&expr] = {std::move(*lhs), std::move(*rhs)};
  return true;
}

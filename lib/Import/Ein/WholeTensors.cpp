//===- WholeTensors.cpp - Statements of whole tensors ---------------------===//

#include "WholeTensors.h"
#include "StatementAnalyzer.h"
#include "tapestry/Import/Ein/Words.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringExtras.h"

using namespace tapestry::ein;
using namespace tapestry::ein::ast;

std::string tapestry::ein::dimensionLabel(size_t dim) {
  return "d" + std::to_string(dim);
}

llvm::SmallVector<const Expr *, 4> tapestry::ein::partsOf(const Expr *expr) {
  if (auto *unary = llvm::dyn_cast<UnaryExpr>(expr))
    return {unary->operand};
  if (auto *binary = llvm::dyn_cast<BinaryExpr>(expr))
    return {binary->lhs, binary->rhs};
  if (auto *product = llvm::dyn_cast<MatMulExpr>(expr))
    return {product->lhs, product->rhs};
  if (auto *call = llvm::dyn_cast<CallExpr>(expr))
    return llvm::SmallVector<const Expr *, 4>(call->args);
  return {};
}

const Tensor *WholeTensors::wholeTensor(const Expr *expr) const {
  auto *name = llvm::dyn_cast<NameExpr>(expr);
  const Binding *binding = name ? scope.lookup(name->name) : nullptr;
  const Tensor *tensor = binding ? binding->tensorIn(graph) : nullptr;
  return !tensor || tensor->shape.empty() ? nullptr : tensor;
}

/// `-1`, which counts from the end.
static bool isFromEnd(const Expr *subscript) {
  auto *unary = llvm::dyn_cast<UnaryExpr>(subscript);
  return unary && unary->op == UnaryOp::Neg;
}

bool WholeTensors::mentionsWhole(const Expr *expr) const {
  auto mentions = [&](const Expr *part) { return mentionsWhole(part); };
  if (auto *access = llvm::dyn_cast<AccessExpr>(expr))
    return llvm::any_of(access->subscripts, [&](const Expr *subscript) {
      return isFromEnd(subscript) || mentionsWhole(subscript);
    });
  return llvm::isa<MatMulExpr, ViewExpr>(expr) || wholeTensor(expr) ||
         llvm::any_of(partsOf(expr), mentions);
}

bool tapestry::ein::mentionsName(
    const Expr *expr, llvm::function_ref<bool(llvm::StringRef)> isIt) {
  auto inPart = [&](const Expr *part) { return mentionsName(part, isIt); };
  if (auto *name = llvm::dyn_cast<NameExpr>(expr))
    return isIt(name->name);
  if (auto *access = llvm::dyn_cast<AccessExpr>(expr))
    return (access->view ? inPart(access->view) : isIt(access->tensor)) ||
           llvm::any_of(access->subscripts, inPart);
  if (auto *view = llvm::dyn_cast<ViewExpr>(expr))
    return llvm::any_of(view->operands, inPart);
  if (auto *reduce = llvm::dyn_cast<ReduceExpr>(expr))
    return inPart(reduce->operand);
  if (auto *bracket = llvm::dyn_cast<IversonExpr>(expr))
    return inPart(bracket->condition);
  return llvm::any_of(partsOf(expr), inPart);
}

bool tapestry::ein::readsTensor(const Expr *expr, const Scope &scope) {
  if (auto *name = llvm::dyn_cast<NameExpr>(expr)) {
    const Binding *binding = scope.lookup(name->name);
    // What was to be one and is wrong has been reported.
    return binding && (binding->kind == Binding::Kind::Tensor ||
                       binding->kind == Binding::Kind::Poison ||
                       binding->kind == Binding::Kind::View);
  }
  return llvm::isa<AccessExpr, ReduceExpr, MatMulExpr, ViewExpr>(expr) ||
         llvm::any_of(partsOf(expr), [&](const Expr *part) {
           return readsTensor(part, scope);
         });
}

bool tapestry::ein::namesData(
    const Expr *subscript,
    llvm::function_ref<bool(const NameExpr &)> isTensor) {
  if (auto *name = llvm::dyn_cast<NameExpr>(subscript))
    return isTensor(*name);
  auto *binary = llvm::dyn_cast<BinaryExpr>(subscript);
  return llvm::isa<AccessExpr, ReduceExpr, CallExpr, IversonExpr>(subscript) ||
         (binary && (isBitwise(binary->op) || isComparison(binary->op))) ||
         llvm::any_of(partsOf(subscript), [&](const Expr *part) {
           return namesData(part, isTensor);
         });
}

bool tapestry::ein::slicesByData(const Expr *expr, const Scope &scope) {
  auto *view = llvm::dyn_cast<ViewExpr>(expr);
  return view && llvm::any_of(view->slices, [&](const SliceRange &slice) {
           return slice.isElement && readsTensor(slice.first, scope);
         });
}

const NameExpr *tapestry::ein::findLabel(const Expr *expr, const Scope &scope) {
  auto *name = llvm::dyn_cast<NameExpr>(expr);
  if (name && !scope.lookup(name->name) && !scope.lookupNumber(name->name))
    return name;
  llvm::SmallVector<const Expr *, 4> parts = partsOf(expr);
  if (auto *access = llvm::dyn_cast<AccessExpr>(expr))
    llvm::append_range(parts, access->subscripts);
  for (const Expr *part : parts)
    if (const NameExpr *label = findLabel(part, scope))
      return label;
  return nullptr;
}

/// Whether there is a call of what is no function, which has its own errors.
static bool callsUnknown(const Expr *expr) {
  auto *call = llvm::dyn_cast<CallExpr>(expr);
  if (call && !findFunction(call->callee) && !parseElementType(call->callee))
    return true;
  return llvm::any_of(partsOf(expr), callsUnknown);
}

bool WholeTensors::concerns(const EquationStmt &stmt) const {
  return !stmt.hasLabels && stmt.reduceLabels.empty() &&
         mentionsWhole(stmt.expr) && !callsUnknown(stmt.expr);
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

static std::string shapeToString(llvm::ArrayRef<int64_t> shape) {
  return "[" +
         llvm::join(llvm::map_range(
                        shape, [](int64_t n) { return std::to_string(n); }),
                    ", ") +
         "]";
}

std::optional<WholeTensors::Shape>
WholeTensors::combinedShape(const Expr *expr,
                            llvm::ArrayRef<const Expr *> parts) {
  const Expr *first = nullptr;
  Shape common;
  for (const Expr *part : parts) {
    std::optional<Shape> shape = shapeOf(part);
    if (!shape)
      return std::nullopt;
    if (shape->empty() || (first && *shape == common))
      continue;
    if (first) {
      diagnostics
          .error(expr->range, "whole tensors combine where their shapes are "
                              "equal, but '" +
                                  excerpt(first->range) + "' is " +
                                  shapeToString(common) + " and '" +
                                  excerpt(part->range) + "' is " +
                                  shapeToString(*shape))
          .note("which elements meet is said by labels, as in "
                "Z[i, j] = X[i, j] + B[j]");
      return std::nullopt;
    }
    first = part;
    common = std::move(*shape);
  }
  return common;
}

std::optional<WholeTensors::Shape>
WholeTensors::productShape(const MatMulExpr &expr) {
  std::optional<Shape> lhs = shapeOf(expr.lhs), rhs = shapeOf(expr.rhs);
  if (!lhs || !rhs)
    return std::nullopt;
  auto fail = [&](const llvm::Twine &wanted) {
    diagnostics
        .error(expr.opRange,
               "'@' needs " + wanted + ", but '" + excerpt(expr.lhs->range) +
                   "' is " + shapeToString(*lhs) + " and '" +
                   excerpt(expr.rhs->range) + "' is " + shapeToString(*rhs))
        .note("other products have labels, as in Y[i] = sum[j] A[i, j] * X[j]");
    return std::nullopt;
  };
  bool hasVector = lhs->size() == 1 || rhs->size() == 1;
  if (lhs->empty() || rhs->empty() ||
      (!hasVector && lhs->size() != rhs->size()))
    return fail("two tensors of one rank, or a vector");
  auto leading = [](const Shape &shape) {
    return llvm::ArrayRef(shape).drop_back(std::min<size_t>(shape.size(), 2));
  };
  if (!hasVector && leading(*lhs) != leading(*rhs))
    return fail("equal extents before the last two dimensions");
  size_t row = rhs->size() == 1 ? 0 : rhs->size() - 2;
  if (lhs->back() != (*rhs)[row])
    return fail("as many columns on the left as rows on the right");
  // As in NumPy: of a vector nothing is left.
  Shape shape(lhs->size() == 1 ? leading(*rhs)
                               : llvm::ArrayRef(*lhs).drop_back());
  if (rhs->size() > 1)
    shape.push_back(rhs->back());
  return shape;
}

const Tensor *WholeTensors::readTensor(const Expr *expr) {
  auto *access = llvm::dyn_cast<AccessExpr>(expr);
  if (auto *view = llvm::dyn_cast<ViewExpr>(expr)) {
    const View *base = views.find(view->operands.front());
    return base ? &base->info : nullptr;
  }
  if (access->view) {
    const View *base = views.find(access->view);
    return base ? &base->info : nullptr;
  }
  auto *name = context.create<NameExpr>(access->tensorRange, access->tensor);
  const View *base = views.find(name);
  return base ? &base->info : nullptr;
}

/// The subscripts of an element, or of a slice that data name.
static llvm::SmallVector<SliceRange, 4> rangesOf(const Expr *expr) {
  if (auto *view = llvm::dyn_cast<ViewExpr>(expr))
    return llvm::SmallVector<SliceRange, 4>(view->slices);
  llvm::SmallVector<SliceRange, 4> ranges;
  for (const Expr *subscript : llvm::cast<AccessExpr>(expr)->subscripts) {
    ranges.push_back({subscript->range, subscript});
    ranges.back().isElement = true;
  }
  return ranges;
}

std::optional<WholeTensors::Shape>
WholeTensors::elementsShape(const Expr *expr) {
  llvm::SmallVector<SliceRange, 4> ranges = rangesOf(expr);
  for (const SliceRange &range : ranges)
    if (range.isElement && findLabel(range.first, scope)) {
      diagnostics
          .error(expr->range, "'" + excerpt(expr->range) +
                                  "' is an element, but other tensors of this "
                                  "statement are whole")
          .note("either all of them have subscripts or none");
      return std::nullopt;
    }
  const Tensor *tensor = readTensor(expr);
  if (!tensor)
    return std::nullopt;
  if (tensor->shape.size() != ranges.size()) {
    diagnostics.error(expr->range,
                      "'" + tensor->name + "' has " +
                          countOf(tensor->shape.size(), "dimension") +
                          " but is read with " +
                          countOf(ranges.size(), "subscript") +
                          "; all of a dimension is ':'");
    return std::nullopt;
  }
  Shape shape;
  bool hasIndices = false;
  for (auto [dim, range] : llvm::enumerate(ranges)) {
    if (!range.isElement) {
      auto taken = views.rangeOf(range, dim, tensor->shape[dim]);
      if (!taken)
        return std::nullopt;
      shape.push_back(taken->count);
      continue;
    }
    std::optional<Shape> indices = shapeOf(range.first);
    if (!indices)
      return std::nullopt;
    if (hasIndices && !indices->empty()) {
      diagnostics
          .error(range.range,
                 "several tensors name places of '" + tensor->name + "'")
          .note("which of them meet is said by labels, as in "
                "Z[n] = X[A[n], B[n]]");
      return std::nullopt;
    }
    hasIndices |= !indices->empty();
    shape.append(*indices);
  }
  return shape;
}

std::optional<WholeTensors::Shape> WholeTensors::shapeOf(const Expr *expr) {
  std::optional<Shape> shape = Shape();
  auto *name = llvm::dyn_cast<NameExpr>(expr);
  const Binding *binding = name ? scope.lookup(name->name) : nullptr;
  if (binding && binding->kind == Binding::Kind::Poison)
    return std::nullopt;
  if (const Tensor *tensor = wholeTensor(expr)) {
    shape->assign(tensor->shape.begin(), tensor->shape.end());
  } else if (auto *access = llvm::dyn_cast<AccessExpr>(expr);
             (access && !access->subscripts.empty()) ||
             slicesByData(expr, scope)) {
    shape = elementsShape(expr);
  } else if (auto *product = llvm::dyn_cast<MatMulExpr>(expr)) {
    shape = productShape(*product);
  } else if (llvm::isa<ViewExpr>(expr)) {
    const View *view = views.find(expr);
    shape = view ? std::optional<Shape>(view->info.shape) : std::nullopt;
  } else {
    shape = combinedShape(expr, partsOf(expr));
  }
  if (shape)
    shapes[expr] = *shape;
  return shape;
}

//===----------------------------------------------------------------------===//
// Subscripts
//===----------------------------------------------------------------------===//

llvm::StringRef WholeTensors::newContracted() {
  for (;;) {
    std::string name = "k" + std::to_string(numContracted++);
    if (!scope.lookup(name))
      return context.save(name);
  }
}

/// A label and its extent, which no subscript has to tell.
Label WholeTensors::labelOf(llvm::StringRef name, llvm::SMRange range,
                            int64_t extent) {
  return {name, range, context.create<IntLiteral>(range, extent)};
}

const Expr *WholeTensors::reduce(const Expr *at, Reduction reduction,
                                 llvm::ArrayRef<Label> labels,
                                 const Expr *operand) {
  return context.create<ReduceExpr>(at->range, reduction, context.copy(labels),
                                    operand);
}

const Expr *WholeTensors::factor(const Expr *expr, Labels labels) {
  const Expr *element = subscript(expr, labels);
  bool isRead = llvm::isa<AccessExpr, ReduceExpr>(element);
  return isRead ? element : reduce(expr, Reduction(), {}, element);
}

/// The product of two elements, to be summed over `contracted`.
const Expr *WholeTensors::product(const MatMulExpr &expr, Labels labels,
                                  llvm::StringRef contracted) {
  // The result's labels are those of rows, if any, and of columns, if any.
  bool hasRows = shapes.lookup(expr.lhs).size() > 1;
  bool hasColumns = shapes.lookup(expr.rhs).size() > 1;
  llvm::SmallVector<llvm::StringRef> left, right;
  if (hasRows)
    left.assign(hasColumns ? labels.drop_back() : labels);
  left.push_back(contracted);
  if (hasColumns) {
    right.assign(hasRows ? labels.drop_back(2) : labels.drop_back());
    right.push_back(contracted);
    right.push_back(labels.back());
  } else {
    right.push_back(contracted);
  }
  return context.create<BinaryExpr>(expr.range, BinaryOp::Mul, expr.opRange,
                                    factor(expr.lhs, left),
                                    factor(expr.rhs, right));
}

/// `Table[Tok, 1:]` as `Table[Tok[d0], d1 + 1]`.
const Expr *WholeTensors::subscriptElements(const Expr *expr, Labels labels) {
  llvm::ArrayRef<int64_t> extents = readTensor(expr)->shape;
  llvm::SMRange at = expr->range;
  auto number = [&](int64_t value) {
    auto *literal =
        context.create<IntLiteral>(at, static_cast<uint64_t>(std::abs(value)));
    return value < 0 ? static_cast<const Expr *>(
                           context.create<UnaryExpr>(at, UnaryOp::Neg, literal))
                     : literal;
  };
  auto apply = [&](BinaryOp op, const Expr *lhs,
                   const Expr *rhs) -> const Expr * {
    return context.create<BinaryExpr>(lhs->range, op, lhs->range, lhs, rhs);
  };
  llvm::SmallVector<const Expr *> subscripts;
  for (auto [dim, range] : llvm::enumerate(rangesOf(expr))) {
    size_t rank = range.isElement ? shapes.lookup(range.first).size() : 1;
    Labels own = labels.take_front(rank);
    labels = labels.drop_front(rank);
    if (!range.isElement) {
      View::Range taken = *views.rangeOf(range, dim, extents[dim]);
      const Expr *label = context.create<NameExpr>(range.range, own.front());
      if (taken.step != 1)
        label = apply(BinaryOp::Mul, label, number(taken.step));
      subscripts.push_back(
          taken.first == 0 ? label
                           : apply(BinaryOp::Add, label, number(taken.first)));
      continue;
    }
    const Expr *element = subscript(range.first, own);
    if (isFromEnd(range.first) && !readsTensor(range.first, scope))
      element = apply(BinaryOp::Add, element, number(extents[dim]));
    subscripts.push_back(element);
  }
  auto *access = llvm::dyn_cast<AccessExpr>(expr);
  const Expr *base =
      access ? access->view : llvm::cast<ViewExpr>(expr)->operands.front();
  auto *name = llvm::dyn_cast_or_null<NameExpr>(base);
  auto *result = context.create<AccessExpr>(
      at, expr->depth,
      access ? access->tensor
      : name ? name->name
             : "",
      at, context.copy<const Expr *>(subscripts),
      access ? access->pad : nullptr, access ? access->fold : std::nullopt);
  result->view = llvm::dyn_cast_or_null<ViewExpr>(base);
  return result;
}

const Expr *WholeTensors::subscript(const Expr *expr, Labels labels) {
  auto *element = llvm::dyn_cast<AccessExpr>(expr);
  if ((element && !element->subscripts.empty()) || slicesByData(expr, scope))
    return subscriptElements(expr, labels);
  // What has no dimensions stays as it is.
  if (shapes.lookup(expr).empty()) {
    if (!mentionsWhole(expr))
      return expr;
    labels = {};
  }
  auto *name = llvm::dyn_cast<NameExpr>(expr);
  auto *view = llvm::dyn_cast<ViewExpr>(expr);
  if (name || view) {
    llvm::SmallVector<const Expr *> subscripts;
    for (llvm::StringRef label : labels)
      subscripts.push_back(context.create<NameExpr>(expr->range, label));
    auto *access = context.create<AccessExpr>(
        expr->range, expr->depth + 1, name ? name->name : "", expr->range,
        context.copy<const Expr *>(subscripts), /*pad=*/nullptr);
    access->view = view;
    return access;
  }
  if (auto *matmul = llvm::dyn_cast<MatMulExpr>(expr)) {
    llvm::StringRef contracted = newContracted();
    Label over =
        labelOf(contracted, expr->range, shapes.lookup(matmul->lhs).back());
    return reduce(expr, {Monoid::Sum, std::nullopt}, over,
                  product(*matmul, labels, contracted));
  }
  if (auto *unary = llvm::dyn_cast<UnaryExpr>(expr))
    return context.create<UnaryExpr>(expr->range, unary->op,
                                     subscript(unary->operand, labels));
  if (auto *binary = llvm::dyn_cast<BinaryExpr>(expr))
    return context.create<BinaryExpr>(expr->range, binary->op, binary->opRange,
                                      subscript(binary->lhs, labels),
                                      subscript(binary->rhs, labels));
  auto *call = llvm::cast<CallExpr>(expr);
  llvm::SmallVector<const Expr *> args;
  for (const Expr *arg : call->args)
    args.push_back(subscript(arg, labels));
  return context.create<CallExpr>(expr->range, expr->depth + 1, call->callee,
                                  call->calleeRange,
                                  context.copy<const Expr *>(args), call->type);
}

const ReduceExpr *
WholeTensors::labelled(const ReduceExpr &expr,
                       llvm::function_ref<llvm::StringRef()> newLabel) {
  std::string word = asWritten(expr.reduction);
  auto fail = [&](const llvm::Twine &message) {
    llvm::StringRef own = adviceFor(expr.reduction.scans ? "scan" : word);
    diagnostics.error(expr.range, message)
        .note(own.empty() ? adviceFor("whole") : own);
    return nullptr;
  };
  if (expr.reduction.scans)
    return fail("'" + word + "' runs along a label: " + word + "[i](...)");
  if (findLabel(expr.operand, scope))
    return fail("'" + word + "' without labels is of whole tensors, but '" +
                excerpt(expr.operand->range) + "' has some");
  std::optional<Shape> shape = shapeOf(expr.operand);
  if (!shape)
    return nullptr;
  if (shape->empty())
    return fail("'" + word + "' without labels is of whole tensors, but '" +
                excerpt(expr.operand->range) + "' is one number");
  llvm::SmallVector<llvm::StringRef> names;
  llvm::SmallVector<Label> labels;
  for (int64_t extent : *shape) {
    names.push_back(newLabel());
    labels.push_back(labelOf(names.back(), expr.range, extent));
  }
  return llvm::cast<ReduceExpr>(
      reduce(&expr, expr.reduction, labels, subscript(expr.operand, names)));
}

const EquationStmt *
WholeTensors::rewrite(const EquationStmt &stmt,
                      std::optional<llvm::ArrayRef<int64_t>> declared) {
  std::optional<Shape> shape = shapeOf(stmt.expr);
  if (!shape)
    return nullptr;
  if (declared && !shape->empty() && *declared != llvm::ArrayRef(*shape)) {
    diagnostics.error(stmt.nameRange, "'" + stmt.name + "' is declared as " +
                                          shapeToString(*declared) +
                                          ", but its expression is " +
                                          shapeToString(*shape));
    return nullptr;
  }
  if (declared)
    shape->assign(declared->begin(), declared->end());
  auto *result = context.create<EquationStmt>(stmt);
  llvm::SmallVector<llvm::StringRef> names;
  llvm::SmallVector<Label> labels;
  // A scalar of such a name is no label.
  std::string prefix;
  auto isTaken = [&](size_t dim) {
    return scope.lookup(prefix + dimensionLabel(dim)) != nullptr;
  };
  while (llvm::any_of(llvm::seq<size_t>(0, shape->size()), isTaken))
    prefix += "_";
  for (size_t dim = 0; dim < shape->size(); ++dim) {
    names.push_back(context.save(prefix + dimensionLabel(dim)));
    labels.push_back(labelOf(names.back(), stmt.nameRange, (*shape)[dim]));
  }
  result->hasLabels = true;
  result->labels = context.copy<Label>(labels);
  auto *matmul = llvm::dyn_cast<MatMulExpr>(stmt.expr);
  if (!matmul) {
    result->expr = subscript(stmt.expr, names);
    return result;
  }
  llvm::StringRef contracted = newContracted();
  result->monoid = Monoid::Sum;
  result->reduceRange = matmul->opRange;
  result->reduceLabels = context.copy<Label>(
      labelOf(contracted, matmul->opRange, shapes.lookup(matmul->lhs).back()));
  result->expr = product(*matmul, names, contracted);
  return result;
}

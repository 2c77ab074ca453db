//===- Parts.cpp - Parts of a statement that are computed before it -------===//
//
// Views, and arguments of macros, are of tensors with a name. What else stands
// there becomes a statement of its own, `Y.arg.1` of Y, as does a use of a
// macro inside an expression of whole tensors, `Y.relu.1`.
//
//===----------------------------------------------------------------------===//

#include "Analyzer.h"
#include "Quotients.h"
#include "WholeTensors.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace tapestry::ein;
using namespace tapestry::ein::ast;

namespace tapestry::ein {

class Parts {
public:
  Parts(Analyzer &analyzer, const Scope &around, const EquationStmt &stmt)
      : analyzer(analyzer), around(around), stmt(stmt) {}

  /// The statement with names for its parts; null once reported.
  const EquationStmt *run();
  /// What sees these names.
  const Scope &scope() const { return own ? *own : around; }

private:
  const Expr *visit(const Expr *expr, bool isWhole);
  const Expr *visitCall(const CallExpr &call, bool isWhole);
  bool isCopy(const Expr *expr) const;
  const Expr *visitCopy(const CallExpr &call, bool isWhole);
  const Expr *takeCopy(const Expr *operand);
  const Expr *visitView(const ViewExpr &view);
  const Expr *visitAccess(const AccessExpr &access);
  const AccessExpr *sliceAccess(const AccessExpr &access);
  const Expr *visitUse(const CallExpr &call);
  bool visitAll(llvm::ArrayRef<const Expr *> &exprs,
                llvm::function_ref<const Expr *(const Expr *)> visitOne);
  const Expr *nameArgument(const Expr *arg,
                           std::optional<ElementType> typeBeside);
  const Expr *nameOperand(const Expr *operand);
  const Expr *nameTable(const Expr *operand);
  /// A name for what is bound, or about to be.
  llvm::StringRef newName(const Expr *expr);
  const Expr *bind(const Expr *expr, llvm::StringRef name, Binding binding);
  const Expr *takeOut(const Expr *expr, llvm::StringRef word,
                      std::optional<ElementType> typeBeside = std::nullopt);
  bool isMacro(const Expr *expr) const;
  bool namesData(const Expr *subscript) const;
  bool peel(const View &view, AccessExpr &access);
  const ReduceExpr *visitWhole(const ReduceExpr &reduce);
  void findLabels(const Expr *expr);

  Analyzer &analyzer;
  const Scope &around;
  const EquationStmt &stmt;
  std::optional<Scope> own;
  /// The labels of the statement, once one more is wanted.
  llvm::StringSet<> labels;
};

} // namespace tapestry::ein

bool Parts::isMacro(const Expr *expr) const {
  auto *call = llvm::dyn_cast<CallExpr>(expr);
  const Binding *callee = call ? scope().lookup(call->callee) : nullptr;
  return callee && callee->kind == Binding::Kind::Macro;
}

llvm::StringRef Parts::newName(const Expr *expr) {
  if (!own) {
    own.emplace(Scope::ofLast(around));
    own->resultNames[stmt.name] = around.vertexNameFor(stmt.name);
    for (const EquationStmt *side : stmt.more)
      own->resultNames[side->name] = around.vertexNameFor(side->name);
  }
  // Messages call it what the text does, which is cut where it is long.
  std::string name = excerpt(expr->range);
  while (own->lookup(name) || llvm::is_contained(analyzer.openParts, name))
    name += "'";
  return analyzer.context.save(name);
}

const Expr *Parts::bind(const Expr *expr, llvm::StringRef name,
                        Binding binding) {
  binding.defined = expr->range;
  own->define(name, binding);
  return analyzer.context.create<NameExpr>(expr->range, name);
}

/// A statement of its own for `expr`, which has no labels.
const Expr *Parts::takeOut(const Expr *expr, llvm::StringRef word,
                           std::optional<ElementType> typeBeside) {
  auto *part = analyzer.context.create<EquationStmt>();
  part->name = newName(expr);
  part->nameRange = part->range = expr->range;
  part->expr = expr;
  part->typeBeside = typeBeside;
  // Counted by the vertex: a macro's result has parts of its own besides those
  // of the statement that uses it.
  std::string name = own->vertexNameFor(stmt.name) + "." + word.str() + ".";
  own->resultNames[part->name] =
      name + std::to_string(++analyzer.numParts[name]);
  analyzer.openParts.push_back(part->name);
  std::optional<unsigned> tensor = analyzer.expand(*own, *part).front();
  analyzer.openParts.pop_back();
  if (!tensor)
    return nullptr;
  Binding binding;
  binding.kind = Binding::Kind::Tensor;
  binding.tensor = *tensor;
  return bind(expr, part->name, binding);
}

bool Parts::visitAll(llvm::ArrayRef<const Expr *> &exprs,
                     llvm::function_ref<const Expr *(const Expr *)> visitOne) {
  llvm::SmallVector<const Expr *> visited;
  for (const Expr *expr : exprs) {
    visited.push_back(visitOne(expr));
    if (!visited.back())
      return false;
  }
  if (exprs != llvm::ArrayRef(visited))
    exprs = analyzer.context.copy<const Expr *>(visited);
  return true;
}

/// Of a macro: a tensor with a name, its labels, a view, numbers, or a part.
const Expr *Parts::nameArgument(const Expr *arg,
                                std::optional<ElementType> typeBeside) {
  bool isNamed = llvm::isa<NameExpr>(arg) || !readsTensor(arg, scope());
  if (isNamed || findLabel(arg, scope()))
    return arg;
  auto *view = llvm::dyn_cast<ViewExpr>(arg);
  if (!view || slicesByData(arg, scope()))
    return takeOut(arg, "arg", typeBeside);
  const Expr *named = visitView(*view);
  if (!named)
    return nullptr;
  llvm::StringRef name = newName(arg);
  Binding binding;
  binding.kind = Binding::Kind::View;
  binding.view =
      analyzer.givenViews
          .emplace_back(scope(), analyzer.graph, analyzer.diagnostics)
          .find(named);
  return binding.view ? bind(arg, name, binding) : nullptr;
}

/// Of a view: a tensor with a name, a view, or a part.
const Expr *Parts::nameOperand(const Expr *operand) {
  if (llvm::isa<NameExpr>(operand) || findLabel(operand, scope()))
    return operand;
  auto *view = llvm::dyn_cast<ViewExpr>(operand);
  return view && !slicesByData(operand, scope()) ? visitView(*view)
                                                 : takeOut(operand, "arg");
}

/// Of a slice that data name: a tensor with a name.
const Expr *Parts::nameTable(const Expr *operand) {
  auto *name = llvm::dyn_cast<NameExpr>(operand);
  const Binding *binding = name ? scope().lookup(name->name) : nullptr;
  bool isTensor = name && (!binding || binding->kind != Binding::Kind::View);
  return isTensor || findLabel(operand, scope()) ? operand
                                                 : takeOut(operand, "arg");
}

const Expr *Parts::visitView(const ViewExpr &view) {
  bool isTable = slicesByData(&view, scope());
  llvm::ArrayRef<const Expr *> operands = view.operands;
  if (!visitAll(operands, [&](const Expr *operand) {
        return isTable ? nameTable(operand) : nameOperand(operand);
      }))
    return nullptr;
  if (operands == view.operands)
    return &view;
  auto *result = analyzer.context.create<ViewExpr>(view);
  result->operands = operands;
  return result;
}

/// The use of a macro that is all of a statement, or of a part.
const Expr *Parts::visitUse(const CallExpr &call) {
  llvm::ArrayRef<const Expr *> args = call.args;
  // Numbers take the type of the first tensor among the arguments.
  std::optional<ElementType> beside;
  for (const Expr *arg : args) {
    auto *name = llvm::dyn_cast<NameExpr>(arg);
    const Binding *binding = name ? scope().lookup(name->name) : nullptr;
    const Tensor *tensor =
        binding ? binding->tensorIn(analyzer.graph) : nullptr;
    if (!beside && tensor && tensor->type != ElementType::Bool)
      beside = tensor->type;
  }
  if (!visitAll(args,
                [&](const Expr *arg) { return nameArgument(arg, beside); }))
    return nullptr;
  if (args == call.args)
    return &call;
  auto *result = analyzer.context.create<CallExpr>(call);
  result->args = args;
  return result;
}

bool Parts::isCopy(const Expr *expr) const {
  auto *call = llvm::dyn_cast<CallExpr>(expr);
  return call && call->callee == "copy" && call->args.size() == 1 &&
         !scope().lookup("copy");
}

/// A statement of its own for `operand`, even where that is a view alone.
const Expr *Parts::takeCopy(const Expr *operand) {
  const Expr *part = takeOut(operand, "copy");
  if (!part)
    return nullptr;
  const Binding *binding = own->lookup(llvm::cast<NameExpr>(part)->name);
  if (const Tensor *tensor = binding->tensorIn(analyzer.graph); tensor->vertex)
    analyzer.graph.vertices[*tensor->vertex].isMade = true;
  return part;
}

/// `copy(X)`: a tensor of its own with these values, whatever views lie
/// between.
const Expr *Parts::visitCopy(const CallExpr &call, bool isWhole) {
  const Expr *operand = visit(call.args.front(), isWhole);
  if (!operand)
    return nullptr;
  if (isWhole && !findLabel(operand, scope()) && readsTensor(operand, scope()))
    return takeCopy(operand);
  return analyzer.context.create<ReduceExpr>(call.range, Reduction(),
                                             llvm::ArrayRef<Label>(), operand);
}

const Expr *Parts::visitCall(const CallExpr &call, bool isWhole) {
  if (isCopy(&call))
    return visitCopy(call, isWhole);
  if (isMacro(&call))
    return isWhole && !findLabel(&call, scope())
               ? takeOut(&call, call.callee.rsplit('.').second.empty()
                                    ? call.callee
                                    : call.callee.rsplit('.').second)
               : &call;
  if (!call.names.empty()) {
    analyzer.diagnostics.error(call.names.back().range,
                               "only macros take arguments by name, but '" +
                                   call.callee + "' is none");
    return nullptr;
  }
  llvm::ArrayRef<const Expr *> args = call.args;
  if (!visitAll(args, [&](const Expr *arg) { return visit(arg, isWhole); }))
    return nullptr;
  if (args == call.args)
    return &call;
  auto *result = analyzer.context.create<CallExpr>(call);
  result->args = args;
  return result;
}

bool Parts::namesData(const Expr *subscript) const {
  return ein::namesData(subscript, [&](const NameExpr &expr) {
    auto isIt = [&](const Label &label) { return label.name == expr.name; };
    return readsTensor(&expr, scope()) && llvm::none_of(stmt.labels, isIt) &&
           llvm::none_of(stmt.reduceLabels, isIt);
  });
}

/// Puts the outermost view into the subscripts, where it only permutes them or
/// leaves those as they are that data name.
bool Parts::peel(const View &view, AccessExpr &access) {
  llvm::SmallVector<const Expr *> inner;
  if (*view.kind == ViewKind::Transpose) {
    inner.resize(access.subscripts.size());
    for (auto [dim, source] : llvm::enumerate(view.numbers))
      inner[source] = access.subscripts[dim];
  } else {
    if (*view.kind != ViewKind::Slice || access.pad || access.fold)
      return false;
    const Expr *const *next = access.subscripts.begin();
    const Tensor &operand = view.operands.front()->info;
    for (auto [range, extent] : llvm::zip_equal(view.ranges, operand.shape)) {
      bool isAll = range.count == extent && range.step == 1;
      if (!range.isElement && !isAll)
        return false;
      inner.push_back(range.isElement ? analyzer.context.create<IntLiteral>(
                                            access.range, range.first)
                                      : *next++);
    }
  }
  access.subscripts = analyzer.context.copy<const Expr *>(inner);
  const Expr *base = access.view->operands.front();
  access.view = llvm::dyn_cast<ViewExpr>(base);
  if (auto *name = llvm::dyn_cast<NameExpr>(base))
    access.tensor = name->name;
  return true;
}

const AccessExpr *Parts::sliceAccess(const AccessExpr &access) {
  Views views(scope(), analyzer.graph, analyzer.diagnostics);
  auto shapeOf = [&]() -> llvm::ArrayRef<int64_t> {
    if (llvm::any_of(access.subscripts, [&](const Expr *subscript) {
          return namesData(subscript);
        }))
      return {};
    if (const View *view = access.view ? views.find(access.view) : nullptr)
      return view->info.shape;
    const Binding *binding = scope().lookup(access.tensor);
    const Tensor *tensor =
        binding ? binding->tensorIn(analyzer.graph) : nullptr;
    return tensor ? llvm::ArrayRef<int64_t>(tensor->shape)
                  : llvm::ArrayRef<int64_t>();
  };
  return sliceQuotients(access, shapeOf, scope(), analyzer.context);
}

/// What data name lies in a tensor with a name.
const Expr *Parts::visitAccess(const AccessExpr &access) {
  llvm::ArrayRef<const Expr *> subscripts = access.subscripts;
  if (!visitAll(subscripts, [&](const Expr *subscript) {
        return visit(subscript, /*isWhole=*/false);
      }))
    return nullptr;
  bool isTable = access.view && slicesByData(access.view, scope());
  const Expr *view = isTable       ? takeOut(access.view, "arg")
                     : access.view ? visitView(*access.view)
                                   : nullptr;
  if (access.view && !view)
    return nullptr;
  if (isTable) {
    auto *result = analyzer.context.create<AccessExpr>(access);
    result->tensor = llvm::cast<NameExpr>(view)->name;
    result->view = nullptr;
    return visitAccess(*result);
  }
  const Binding *given = scope().lookup(access.tensor);
  bool isGiven = !view && given && given->kind == Binding::Kind::View;
  bool byData =
      (view || isGiven) && llvm::any_of(subscripts, [&](const Expr *subscript) {
        return namesData(subscript);
      });
  if (!byData && subscripts == access.subscripts && view == access.view)
    return sliceAccess(access);
  auto *result = analyzer.context.create<AccessExpr>(access);
  result->subscripts = subscripts;
  result->view = llvm::cast_or_null<ViewExpr>(view);
  if (byData && isGiven) {
    // Data name places of tensors.
    const Expr *part = takeOut(
        analyzer.context.create<NameExpr>(access.tensorRange, access.tensor),
        "arg");
    if (!part)
      return nullptr;
    result->tensor = llvm::cast<NameExpr>(part)->name;
    return result;
  }
  Views views(scope(), analyzer.graph, analyzer.diagnostics);
  while (byData && result->view) {
    const View *read = views.find(result->view);
    // Where the number of subscripts is wrong, that is reported later.
    if (!read || read->info.shape.size() != result->subscripts.size())
      return read ? result : nullptr;
    if (peel(*read, *result))
      continue;
    const Expr *part = takeOut(result->view, "arg");
    if (!part)
      return nullptr;
    result->tensor = llvm::cast<NameExpr>(part)->name;
    result->view = nullptr;
  }
  return result;
}

void Parts::findLabels(const Expr *expr) {
  if (auto *reduce = llvm::dyn_cast<ReduceExpr>(expr)) {
    for (const Label &label : reduce->labels)
      labels.insert(label.name);
    findLabels(reduce->operand);
  }
  for (const Expr *part : partsOf(expr))
    findLabels(part);
}

/// `sum(X)`: labels for all dimensions.
const ReduceExpr *Parts::visitWhole(const ReduceExpr &reduce) {
  const Expr *operand = visit(reduce.operand, /*isWhole=*/true);
  if (!operand)
    return nullptr;
  if (labels.empty()) {
    for (const Label &label : stmt.labels)
      labels.insert(label.name);
    for (const Label &label : stmt.reduceLabels)
      labels.insert(label.name);
    findLabels(stmt.expr);
  }
  auto newLabel = [&] {
    for (unsigned number = 0;; ++number) {
      std::string name = "n" + std::to_string(number);
      if (!scope().lookup(name) && labels.insert(name).second)
        return analyzer.context.save(name);
    }
  };
  ReduceExpr inner = reduce;
  inner.operand = operand;
  return WholeTensors(scope(), analyzer.graph, analyzer.diagnostics,
                      analyzer.context)
      .labelled(inner, newLabel);
}

static bool isWholeReduction(const Expr *expr) {
  auto *reduce = llvm::dyn_cast<ReduceExpr>(expr);
  return reduce && reduce->labels.empty() &&
         !(reduce->reduction == Reduction());
}

/// `isWhole`: among whole tensors, not elements.
const Expr *Parts::visit(const Expr *expr, bool isWhole) {
  auto part = [&](const Expr *inner) { return visit(inner, isWhole); };
  if (auto *call = llvm::dyn_cast<CallExpr>(expr))
    return visitCall(*call, isWhole);
  if (auto *view = llvm::dyn_cast<ViewExpr>(expr))
    return visitView(*view);
  if (auto *access = llvm::dyn_cast<AccessExpr>(expr))
    return visitAccess(*access);
  if (auto *unary = llvm::dyn_cast<UnaryExpr>(expr)) {
    const Expr *operand = part(unary->operand);
    return operand == unary->operand ? expr
           : operand ? analyzer.context.create<UnaryExpr>(expr->range,
                                                          unary->op, operand)
                     : nullptr;
  }
  auto rebuildPair = [&](const auto &pair) -> const Expr * {
    const Expr *lhs = part(pair.lhs);
    const Expr *rhs = lhs ? part(pair.rhs) : nullptr;
    if (!rhs || (lhs == pair.lhs && rhs == pair.rhs))
      return rhs ? &pair : nullptr;
    auto *result = analyzer.context.create<std::decay_t<decltype(pair)>>(pair);
    result->lhs = lhs;
    result->rhs = rhs;
    return result;
  };
  if (auto *binary = llvm::dyn_cast<BinaryExpr>(expr))
    return rebuildPair(*binary);
  if (auto *product = llvm::dyn_cast<MatMulExpr>(expr))
    return rebuildPair(*product);
  if (auto *reduce = llvm::dyn_cast<ReduceExpr>(expr)) {
    if (isWholeReduction(reduce))
      return visitWhole(*reduce);
    const Expr *operand = visit(reduce->operand, /*isWhole=*/false);
    if (!operand || operand == reduce->operand)
      return operand ? expr : nullptr;
    auto *result = analyzer.context.create<ReduceExpr>(*reduce);
    result->operand = operand;
    return result;
  }
  return expr;
}

const EquationStmt *Parts::run() {
  bool isUse = stmt.reduceLabels.empty() && isMacro(stmt.expr);
  bool isWhole = !stmt.hasLabels && stmt.reduceLabels.empty();
  // The tensor of the statement is a copy itself.
  const Expr *all = isWhole && isCopy(stmt.expr)
                        ? llvm::cast<CallExpr>(stmt.expr)->args.front()
                        : stmt.expr;
  const Expr *expr =
      isUse ? visitUse(*llvm::cast<CallExpr>(all)) : visit(all, isWhole);
  if (!expr || expr == stmt.expr)
    return expr ? &stmt : nullptr;
  auto *result = analyzer.context.create<EquationStmt>(stmt);
  result->expr = expr;
  if (!isWhole || stmt.literal || !isWholeReduction(stmt.expr))
    return result;
  // The head of the statement.
  auto *reduce = llvm::cast<ReduceExpr>(expr);
  result->monoid = reduce->reduction.monoid;
  result->macro = reduce->reduction.macro;
  result->custom = reduce->reduction.custom;
  result->reduceLabels = reduce->labels;
  result->reduceRange = reduce->range;
  result->expr = reduce->operand;
  return result;
}

std::vector<std::optional<unsigned>>
Analyzer::expand(const Scope &scope, const EquationStmt &stmt) {
  std::vector<std::optional<unsigned>> tensors(1 + stmt.more.size());
  llvm::SaveAndRestore restore(after, after);
  if (!stmt.after.name.empty()) {
    std::optional<unsigned> point = findPoint(scope, stmt.after);
    if (!point)
      return tensors;
    if (!llvm::is_contained(after, *point))
      after.push_back(*point);
  }
  if (!stmt.expr) {
    tensors.front() = addLiteral(scope, stmt);
    return tensors;
  }
  Parts parts(*this, scope, stmt);
  const EquationStmt *named = parts.run();
  return named ? expandNamed(parts.scope(), *named) : tensors;
}

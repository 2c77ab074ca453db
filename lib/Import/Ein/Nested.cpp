//===- Nested.cpp - Reductions inside an expression -----------------------===//
//
// Each becomes a vertex over its own labels and those around it that it uses;
// what stands around it reads that vertex. Extents are inferred of all labels
// of the statement together. Equal reductions are one vertex.
//
//===----------------------------------------------------------------------===//

#include "StatementAnalyzer.h"
#include "WholeTensors.h"

using namespace tapestry::ein;
using namespace tapestry::ein::ast;

ElementType tapestry::ein::wideType(ElementType type) {
  bool isNarrow = type == ElementType::F16 || type == ElementType::BF16;
  return isNarrow ? ElementType::F32 : type;
}

bool StatementAnalyzer::isVisible(const LabelState &label) const {
  for (const Nested *scope = nested; scope; scope = scope->outer)
    if (label.owner == scope)
      return true;
  return !label.owner;
}

const StatementAnalyzer::LabelState *
StatementAnalyzer::findInnerLabel(llvm::StringRef name) const {
  const auto *found = llvm::find_if(labels, [&](const LabelState &label) {
    return label.owner && label.name == name;
  });
  return found == labels.end() ? nullptr : found;
}

/// What stands behind the brackets that open behind the labels of a reduction's
/// name, as `+ g` of `sum[k](X[k]) + g`; empty where none open and close.
static llvm::StringRef behindBrackets(llvm::SMLoc word, const Expr *operand) {
  const char *end = operand->range.End.getPointer();
  llvm::StringRef rest(word.getPointer(), end - word.getPointer());
  // `mean[k] (X[k] - m) ** 2` is written as a term.
  rest = rest.split(']').second;
  if (!rest.consume_front("("))
    return {};
  unsigned depth = 1;
  for (auto [position, c] : llvm::enumerate(rest)) {
    depth += (c == '(') - (c == ')');
    if (depth == 0)
      return rest.drop_front(position + 1).ltrim();
  }
  return {};
}

/// Whether one of the labels stands in `expr`.
static bool mentions(const Expr *expr, llvm::ArrayRef<Label> labels) {
  return mentionsName(expr, [&](llvm::StringRef name) {
    return llvm::any_of(labels,
                        [&](const Label &label) { return label.name == name; });
  });
}

/// A name for an inner label that nothing around it has.
std::string StatementAnalyzer::freshLabel(llvm::StringRef name) const {
  for (unsigned number = 1;; ++number) {
    std::string fresh = name.str() + std::to_string(number);
    if (!findLabel(fresh) && !scope.lookup(fresh))
      return fresh;
  }
}

/// The label of a scan is one of those around it.
bool StatementAnalyzer::checkScan(const ReduceExpr &expr) {
  std::string name = asWritten(expr.reduction);
  if (expr.labels.size() != 1) {
    diagnostics.error(expr.labels[1].range,
                      "'" + name + "' runs along one label, not " +
                          llvm::Twine(expr.labels.size()));
    return false;
  }
  const Label &label = expr.labels.front();
  if (label.extent) {
    diagnostics.error(label.extent->range, "the extent of a label of '" + name +
                                               "' is given on the left side");
    return false;
  }
  if (findLabel(label.name))
    return true;
  diagnostics
      .error(label.range, "label '" + label.name + "' of '" + name +
                              "' must also be on the left side")
      .note("a running value keeps its label: C[i] = " + name +
            "[i] X[i]; only the last one is a reduction");
  return false;
}

bool StatementAnalyzer::collectScan(const ReduceExpr &expr) {
  if (!checkScan(expr))
    return false;
  Nested &own = nestedReductions.emplace_back();
  own.outer = std::exchange(nested, &own);
  nestedOf[&expr] = &own;
  Expression *around = std::exchange(current, &own.vertex);
  bool ok = collect(expr.operand);
  current = around;
  nested = own.outer;
  return ok;
}

bool StatementAnalyzer::collectReduce(const ReduceExpr &expr) {
  if (expr.reduction.scans)
    return collectScan(expr);
  Nested &own = nestedReductions.emplace_back();
  own.outer = nested;
  nestedOf[&expr] = &own;
  size_t firstLabel = labels.size();
  bool ok = true;
  for (const Label &label : expr.labels) {
    std::optional<unsigned> outside = findLabel(label.name);
    if (outside && *outside < firstLabel) {
      const LabelState &other = labels[*outside];
      std::string what = ("label '" + label.name + "' of this '" +
                          stringify(expr.reduction) + "' is also ")
                             .str();
      llvm::StringRef rest =
          other.reduced && !other.owner
              ? behindBrackets(equation.reduceRange.Start, equation.expr)
              : "";
      if (rest.empty()) {
        diagnostics
            .error(label.range,
                   what + "used outside of it; give it another name, e.g. '" +
                       freshLabel(label.name) + "'")
            .note(other.range, "it is used outside here");
      } else {
        std::string head = stringify(equation.reduction()).str() + "[" +
                           label.name.str() + "]";
        diagnostics
            .error(label.range,
                   what + "that of '" + head +
                       "' at the head, which takes all of the "
                       "statement; in brackets it ends at them: (" +
                       head + "(...)) " + rest.take_front(1) + " ...")
            .note(other.range, "that is here");
      }
      ok = false;
      continue;
    }
    nested = &own;
    ok &= declareLabel(label, /*reduced=*/true);
    nested = own.outer;
  }
  nested = &own;
  Expression *around = std::exchange(current, &own.vertex);
  ok = ok && decideGivenExtents(firstLabel) && collect(expr.operand);
  current = around;
  nested = own.outer;
  return ok;
}

std::optional<ExprType> StatementAnalyzer::inferReduce(const ReduceExpr &expr) {
  std::optional<ExprType> operand = infer(expr.operand);
  if (!operand)
    return std::nullopt;
  std::optional<ElementType> type =
      checkReduction(expr.reduction, expr.operand, *operand);
  if (!type)
    return std::nullopt;
  return ExprType::typed(*type);
}

void tapestry::ein::renumber(Expression &expression,
                             llvm::ArrayRef<unsigned> positions) {
  auto replace = [&](LinearForm &form) {
    for (LinearForm::Term &term : form.terms)
      term.label = positions[term.label];
    llvm::sort(form.terms, [](LinearForm::Term a, LinearForm::Term b) {
      return a.label < b.label;
    });
  };
  for (Operand &operand : expression.operands)
    llvm::for_each(operand.subscripts, replace);
  llvm::for_each(expression.forms, replace);
}

/// Gives the vertex its labels: those around it that it uses, in their order,
/// then its own. Returns the former.
llvm::SmallVector<unsigned, 4>
StatementAnalyzer::placeLabels(const Nested &own, Vertex &inner,
                               std::optional<unsigned> scanned) const {
  llvm::SmallVector<bool> used(labels.size(), false);
  if (scanned)
    used[*scanned] = true;
  auto use = [&](const LinearForm &form) {
    for (LinearForm::Term term : form.terms)
      used[term.label] = true;
  };
  for (const Operand &operand : inner.operands)
    llvm::for_each(operand.subscripts, use);
  llvm::for_each(inner.forms, use);
  llvm::SmallVector<unsigned, 4> around;
  llvm::SmallVector<unsigned> positions(labels.size(), 0);
  // Values that places share lie together.
  enum { OfPlaces, Others, Own };
  for (auto turn : {OfPlaces, Others, Own})
    for (auto [label, state] : llvm::enumerate(labels)) {
      bool isOwn = state.owner == &own;
      auto kind = isOwn ? Own : state.inPlace ? OfPlaces : Others;
      if (kind != turn || (!isOwn && !used[label]))
        continue;
      if (!isOwn)
        around.push_back(label);
      positions[label] = inner.labels.size();
      inner.labels.push_back(
          {state.name.str(), *state.extent,
           isOwn && inner.macro ? LabelRole::Inner : LabelRole::Outer});
    }
  inner.numParallel = around.size();
  renumber(inner, positions);
  return around;
}

static Reduction reductionOf(const Vertex &vertex) {
  return {vertex.monoid, vertex.macro, vertex.scanned.has_value()};
}

static bool haveEqualExtents(llvm::ArrayRef<VertexLabel> a,
                             llvm::ArrayRef<VertexLabel> b) {
  return llvm::equal(a, b, [](const VertexLabel &x, const VertexLabel &y) {
    return x.extent == y.extent;
  });
}

/// What its name ends in, but for the number.
static llvm::StringRef wordOf(const Vertex &inner) {
  if (inner.gather)
    return "gather";
  if (inner.custom)
    return inner.custom->name;
  bool reduces = inner.monoid != Monoid::None || inner.macro;
  return reduces ? stringify(reductionOf(inner)) : "part";
}

/// The position of a vertex that computes the same, or of a new one.
unsigned StatementAnalyzer::internInner(Vertex inner, ElementType type) {
  for (auto [position, known] : llvm::enumerate(inners))
    if (known.type == type && reductionOf(known.vertex) == reductionOf(inner) &&
        known.vertex.custom == inner.custom &&
        known.vertex.gather == inner.gather &&
        known.vertex.scanned == inner.scanned &&
        known.vertex.numParallel == inner.numParallel &&
        haveEqualExtents(known.vertex.labels, inner.labels) &&
        static_cast<const Expression &>(known.vertex) == inner)
      return position;
  llvm::StringRef word = wordOf(inner);
  unsigned number = 1 + llvm::count_if(inners, [&](const Inner &known) {
                      return wordOf(known.vertex) == word;
                    });
  Inner added;
  added.suffix = (word + "." + llvm::Twine(number)).str();
  added.type = type;
  for (const VertexLabel &label :
       llvm::ArrayRef(inner.labels).take_front(inner.numParallel))
    added.shape.push_back(label.extent);
  added.vertex = std::move(inner);
  // A copy that is asked for, or of what no subscript of the reader can say.
  added.vertex.isMade = true;
  inners.push_back(std::move(added));
  return inners.size() - 1;
}

std::optional<unsigned> StatementAnalyzer::buildReduce(const ReduceExpr &expr,
                                                       ElementType type) {
  Nested &own = *nestedOf.lookup(&expr);
  Nested *outer = std::exchange(nested, &own);
  Expression *around = std::exchange(current, &own.vertex);
  ElementType result = infer(&expr)->type;
  ElementType operand = reducedType(expr.reduction, expr.operand, result);
  bool ok = buildReduced(expr.reduction, expr.operand, operand);
  nested = outer;
  current = around;
  if (!ok)
    return std::nullopt;
  if (!setReduction(own.vertex, expr.reduction, operand, expr.range))
    return std::nullopt;
  std::optional<unsigned> scanned;
  if (expr.reduction.scans) {
    nested = &own;
    scanned = findLabel(expr.labels.front().name);
    nested = outer;
    // A view may have dropped it from what is read.
    if (!mentions(expr.operand, expr.labels)) {
      diagnostics.error(expr.labels.front().range,
                        "'" + asWritten(expr.reduction) +
                            "' runs over label '" + labels[*scanned].name +
                            "', but its operand does not use it");
      return std::nullopt;
    }
  }
  llvm::SmallVector<unsigned, 4> labelsAround =
      placeLabels(own, own.vertex, scanned);
  if (scanned)
    own.vertex.scanned =
        llvm::find(labelsAround, *scanned) - labelsAround.begin();
  // What only picks a value stays as narrow as that.
  bool adds = expr.reduction.macro || expr.reduction.custom ||
              expr.reduction.monoid == Monoid::Sum ||
              expr.reduction.monoid == Monoid::Prod;
  unsigned position =
      internInner(std::move(own.vertex), adds ? wideType(result) : result);
  return addRead(readOfInner(position, labelsAround), type);
}

Operand StatementAnalyzer::readOfInner(unsigned position,
                                       llvm::ArrayRef<unsigned> around) const {
  Operand read;
  read.tensor = graph.tensors.size() + position;
  for (unsigned label : around) {
    LinearForm form;
    form.terms.push_back({label, 1});
    read.subscripts.push_back(std::move(form));
  }
  return read;
}

/// The node of a read.
unsigned StatementAnalyzer::addRead(Operand read, ElementType type) {
  auto &operands = current->operands;
  auto *it = llvm::find(operands, read);
  unsigned index = it - operands.begin();
  if (it == operands.end())
    operands.push_back(std::move(read));
  unsigned node = addNode(NodeKind::Operand, type);
  current->nodes[node].index = index;
  return node;
}

//===----------------------------------------------------------------------===//
// What the reduction at the head of a statement takes
//===----------------------------------------------------------------------===//

/// The operator that `text` begins with, if it says something else of a
/// reduction than of its terms.
static llvm::StringRef operatorOfTerms(llvm::StringRef text, bool scans,
                                       bool adds) {
  for (llvm::StringRef shift : {"<<", ">>"})
    if (text.starts_with(shift))
      return {};
  for (llvm::StringRef op : {"==", "!=", "<=", ">=", "<", ">"})
    if (text.starts_with(op))
      return op;
  if (adds && text.starts_with("**"))
    return "**";
  for (llvm::StringRef op : {"+", "-"})
    if (scans && adds && text.starts_with(op))
      return op;
  return {};
}

/// A term of a sum (of a product: a factor) in which none of its labels stands,
/// behind others.
static const Expr *termOfAll(const Expr *expr, bool sums,
                             llvm::ArrayRef<Label> over) {
  while (auto *binary = llvm::dyn_cast<BinaryExpr>(expr)) {
    bool adds = binary->op == BinaryOp::Add || binary->op == BinaryOp::Sub;
    bool scales = binary->op == BinaryOp::Mul || binary->op == BinaryOp::Div;
    if ((sums ? adds : scales) && !mentions(binary->rhs, over))
      return binary->rhs;
    // A sum of quotients is a quotient of the sum.
    if (!scales && !(sums && adds))
      return nullptr;
    expr = binary->lhs;
  }
  return nullptr;
}

void StatementAnalyzer::warnOfRest() const {
  auto *scan = llvm::dyn_cast<ReduceExpr>(equation.expr);
  bool scans = scan && scan->reduction.scans;
  Reduction reduction = equation.reduction();
  llvm::ArrayRef<Label> over = equation.reduceLabels;
  llvm::SMLoc word = equation.reduceRange.Start;
  const Expr *operand = equation.expr;
  if (scans) {
    reduction = scan->reduction;
    over = scan->labels;
    word = scan->range.Start;
    operand = scan->operand;
  }
  if (over.empty() || (reduction.macro && !reducesLabels(*reduction.macro)))
    return;
  llvm::StringRef rest = behindBrackets(word, operand);
  if (rest.empty())
    return;
  std::string head = asWritten(reduction) + "[" + over.front().name.str() +
                     (over.size() > 1 ? ", ...]" : "]");
  auto warn = [&](llvm::SMRange range, const llvm::Twine &what,
                  const llvm::Twine &text) {
    diagnostics
        .warning(range, "'" + head + "' takes all of the statement: " + what)
        .note("in brackets it ends at them: (" + head + "(...)) " + text);
  };
  bool sums = reduction.monoid == Monoid::Sum;
  bool adds = sums || reduction.macro == MacroKind::Mean;
  llvm::StringRef op = operatorOfTerms(rest, scans, adds);
  // A quotient of the sums so far is none of sums of quotients.
  auto *binary = llvm::dyn_cast<BinaryExpr>(operand);
  bool scales =
      binary && (binary->op == BinaryOp::Mul || binary->op == BinaryOp::Div);
  if (scans && sums && scales && mentions(binary->rhs, over))
    op = spelling(binary->op);
  if (!op.empty()) {
    llvm::SMRange at(llvm::SMLoc::getFromPointer(rest.begin()),
                     llvm::SMLoc::getFromPointer(rest.begin() + op.size()));
    warn(at, "the '" + op + "' is done to each of its terms", rest);
    return;
  }
  if (!scans && !reduction.macro && (sums || reduction.monoid == Monoid::Prod))
    if (const Expr *term = termOfAll(operand, sums, over))
      warn(term->range,
           llvm::Twine("this is ") + (sums ? "added" : "multiplied") +
               " once for each of its terms",
           llvm::StringRef(rest));
}

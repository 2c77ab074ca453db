//===- Gathers.cpp - Reads at places that data name -----------------------===//
//
// Each becomes a vertex over the labels that it uses; what stands around it
// reads that vertex. A subscript that is more than a tensor of integers becomes
// a vertex before it.
//
//===----------------------------------------------------------------------===//

#include "StatementAnalyzer.h"
#include "WholeTensors.h"

using namespace tapestry::ein;
using namespace tapestry::ein::ast;

bool StatementAnalyzer::namesData(const Expr *subscript) const {
  return ein::namesData(subscript, [&](const NameExpr &expr) {
    // A label of this statement hides a tensor of the same name.
    const Binding *binding = scope.lookup(expr.name);
    return binding && binding->tensorIn(graph) && !findLabel(expr.name);
  });
}

bool StatementAnalyzer::reportMask(llvm::SMRange range) {
  diagnostics
      .error(range, "a mask of bools does not select elements: how many there "
                    "are would depend on the data")
      .note("select(M[i], X[i], 0) keeps the shape; topk takes a given number "
            "of elements");
  return false;
}

/// Of 64 bits, which hold the extent; x is read once.
const Expr *StatementAnalyzer::foldIndex(const Expr *index, int64_t extent,
                                         Fold fold) {
  llvm::SMRange range = index->range;
  auto number = [&](int64_t value) -> const Expr * {
    return context.create<IntLiteral>(range, static_cast<uint64_t>(value));
  };
  auto call = [&](llvm::StringRef callee, llvm::ArrayRef<const Expr *> args) {
    return context.create<CallExpr>(range, args[0]->depth + 1, callee, range,
                                    context.copy(args));
  };
  auto apply = [&](BinaryOp op, const Expr *lhs, int64_t rhs) -> const Expr * {
    return context.create<BinaryExpr>(range, op, range, lhs, number(rhs));
  };
  // No program defines the names of types, max and min.
  const Expr *x = call("i64", {index});
  if (fold == Fold::Wrap || extent == 1)
    return apply(BinaryOp::Mod, x, extent);
  if (fold == Fold::Edge)
    return call("max", {call("min", {x, number(extent - 1)}), number(0)});
  // Mirrored: up and down again as the distance from the middle of a period.
  bool isTwice = fold == Fold::Symmetric;
  int64_t half = isTwice ? 2 * extent : extent - 1;
  x = apply(BinaryOp::Mod, x, isTwice ? half : 2 * half);
  if (isTwice)
    x = apply(BinaryOp::Add, apply(BinaryOp::Mul, x, 2), 1);
  x = apply(BinaryOp::Mod, apply(BinaryOp::Add, x, half), 2 * half);
  x = call("abs", {apply(BinaryOp::Sub, x, half)});
  return isTwice ? apply(BinaryOp::FloorDiv, x, 2) : x;
}

bool StatementAnalyzer::collectIndex(const Expr *subscript, Access &access) {
  if (auto *name = llvm::dyn_cast<NameExpr>(subscript))
    if (scope.lookup(name->name)->tensorIn(graph)->type == ElementType::Bool)
      return reportMask(name->range);
  Nested &own = nestedReductions.emplace_back();
  const Expr *index = subscript;
  if (access.fold) {
    llvm::ArrayRef<int64_t> shape = infoOf(access).shape;
    size_t dim = access.subscripts.size();
    if (dim < shape.size())
      index = foldIndex(subscript, shape[dim], *access.fold);
  }
  bool ok = collectPart(index, own);
  access.subscripts.emplace_back();
  access.ranges.push_back(subscript->range);
  access.indices.push_back(&own);
  return ok;
}

bool StatementAnalyzer::collectPart(const Expr *expr, Nested &own) {
  own.index = expr;
  own.outer = std::exchange(nested, &own);
  Expression *around = std::exchange(current, &own.vertex);
  bool ok = collect(expr);
  current = around;
  nested = own.outer;
  return ok;
}

llvm::ArrayRef<int64_t> StatementAnalyzer::shapeOf(unsigned tensor) const {
  size_t known = graph.tensors.size();
  return tensor < known ? llvm::ArrayRef<int64_t>(graph.tensors[tensor].shape)
                        : inners[tensor - known].shape;
}

/// The type in which an index is computed.
std::optional<ElementType> StatementAnalyzer::indexType(const Expr *subscript) {
  if (isCounter(subscript))
    return ElementType::I64;
  std::optional<ExprType> type = infer(subscript);
  if (!type)
    return std::nullopt;
  if (type->isBool()) {
    reportMask(subscript->range);
    return std::nullopt;
  }
  if (type->kind == ExprType::Kind::Literal && !type->isFloat)
    return integerTypeOf(subscript);
  // Places are signed: what has no sign is extended.
  if (type->isTyped() && isInteger(type->type))
    return isUnsigned(type->type) ? ElementType::I64 : type->type;
  std::string text = excerpt(subscript->range);
  diagnostics.error(subscript->range, "an index is an integer, but '" + text +
                                          "' is " + stringify(type->type) +
                                          "; cast it, e.g. i64(" + text + ")");
  return std::nullopt;
}

bool StatementAnalyzer::isWhole(const Operand &operand) const {
  llvm::SmallVector<unsigned, 4> seen;
  for (auto [form, extent] :
       llvm::zip_equal(operand.subscripts, shapeOf(operand.tensor))) {
    if (form.constant != 0 || form.terms.size() != 1 ||
        form.terms[0].coefficient != 1 || form.floordiv != 1 || form.mod != 0 ||
        llvm::is_contained(seen, form.terms[0].label) ||
        *labels[form.terms[0].label].extent != extent)
      return false;
    seen.push_back(form.terms[0].label);
  }
  return !operand.pad;
}

/// How a message quotes an index: its first line.
static std::string quoteIndex(const Expr *index) {
  llvm::StringRef text(index->range.Start.getPointer(),
                       index->range.End.getPointer() -
                           index->range.Start.getPointer());
  llvm::StringRef line = text.take_until([](char c) { return c == '\n'; });
  return line.rtrim().str() + (line.size() == text.size() ? "" : " ...");
}

/// How an index is read: a tensor as a whole, by its plain labels.
std::optional<Operand> StatementAnalyzer::buildIndex(const Expr *subscript,
                                                     Nested &own) {
  nested = &own;
  Expression *around = std::exchange(current, &own.vertex);
  std::optional<ElementType> type = indexType(subscript);
  if (type && own.index != subscript)
    type = infer(own.index)->type;
  bool ok = type && (infer(own.index)->isTyped() ? buildCast(own.index, *type)
                                                 : build(own.index, *type))
                        .has_value();
  nested = own.outer;
  current = around;
  if (!ok)
    return std::nullopt;
  Vertex &vertex = own.vertex;
  vertex.text = quoteIndex(subscript);
  if (vertex.nodes.size() <= 2 && vertex.operands.size() == 1) {
    // Of what an inner gather or reduction gives, or a cast of it.
    unsigned read = vertex.operands.front().tensor;
    if (read >= graph.tensors.size())
      inners[read - graph.tensors.size()].vertex.text = vertex.text;
  }
  if (vertex.nodes.size() == 1 && vertex.operands.size() == 1 &&
      isWhole(vertex.operands.front()))
    return vertex.operands.front();
  llvm::SmallVector<unsigned, 4> labelsAround = placeLabels(own, vertex);
  unsigned position = internInner(std::move(vertex), *type);
  return readOfInner(position, labelsAround);
}

std::string tapestry::ein::selectedLabel(llvm::StringRef tensor,
                                         llvm::ArrayRef<VertexLabel> labels) {
  llvm::StringRef name = tensor.rsplit('.').second;
  if (name.empty())
    name = tensor;
  auto isTaken = [&](llvm::StringRef wanted) {
    return llvm::any_of(
        labels, [&](const VertexLabel &label) { return label.name == wanted; });
  };
  std::string label = name.str();
  for (unsigned number = 1; isTaken(label); ++number)
    label = name.str() + "_" + std::to_string(number);
  return label;
}

std::optional<unsigned> StatementAnalyzer::buildGather(const AccessExpr &expr,
                                                       ElementType type) {
  // Building an index may not change where the accesses lie.
  const Access &access = accesses[accessOf.lookup(&expr)];
  Vertex vertex;
  Gather gather;
  gather.table = access.tensor;
  if (!buildPad(access, gather.pad))
    return std::nullopt;
  for (auto [dim, index] : llvm::enumerate(access.indices)) {
    if (!index) {
      gather.subscripts.push_back(
          {false, static_cast<unsigned>(vertex.forms.size())});
      vertex.forms.push_back(*resolve(access.subscripts[dim]));
      continue;
    }
    std::optional<Operand> operand = buildIndex(expr.subscripts[dim], *index);
    if (!operand)
      return std::nullopt;
    gather.subscripts.push_back(
        {true, static_cast<unsigned>(vertex.operands.size())});
    vertex.operands.push_back(std::move(*operand));
  }
  llvm::SmallVector<unsigned, 4> labelsAround = placeLabels(Nested(), vertex);
  const Tensor &table = graph.tensors[gather.table];
  for (auto [dim, subscript] : llvm::enumerate(gather.subscripts)) {
    if (!subscript.isIndex)
      continue;
    unsigned index = vertex.operands[subscript.number].tensor;
    llvm::StringRef name = "index";
    if (index < graph.tensors.size())
      name = graph.tensors[index].name;
    vertex.labels.push_back(
        {selectedLabel(name, vertex.labels), table.shape[dim]});
  }
  vertex.gather = std::move(gather);
  unsigned position = internInner(std::move(vertex), table.type);
  return addRead(readOfInner(position, labelsAround), type);
}

void StatementAnalyzer::adoptInner(Result &result) {
  const Vertex &whole = result.vertex;
  if (whole.monoid != Monoid::None || whole.macro || whole.nodes.size() != 1 ||
      whole.operands.size() != 1 || result.inners.empty())
    return;
  Inner &last = result.inners.back();
  const Operand &read = whole.operands.front();
  if (read.tensor != graph.tensors.size() + result.inners.size() - 1 ||
      (!last.vertex.gather && !last.vertex.scanned) ||
      read.subscripts.size() != whole.labels.size())
    return;
  for (auto [label, form] : llvm::enumerate(read.subscripts))
    if (form.terms.front().label != label)
      return;
  result.vertex = std::move(last.vertex);
  result.inners.pop_back();
}

//===- Sorts.cpp - Statements that put values in order --------------------===//
//
// S[n, r] = sort[c] X[n, c]: the label in the brackets is gone, and one on the
// left side that the right side does not use, the rank, has its place. What is
// sorted is a tensor, read by the labels in the order of the left side. The
// values of topk beside their indices are read at these.
//
//===----------------------------------------------------------------------===//

#include "Analyzer.h"

using namespace tapestry::ein;
using namespace tapestry::ein::ast;

//===----------------------------------------------------------------------===//
// One statement
//===----------------------------------------------------------------------===//

/// The label on the left side that nothing on the right uses; nothing once
/// reported.
std::optional<unsigned> StatementAnalyzer::findRank() const {
  llvm::StringRef name = stringify(*equation.sort);
  std::optional<unsigned> rank;
  for (auto [position, label] : llvm::enumerate(labels)) {
    if (label.owner || label.reduced || label.undeclared || label.used)
      continue;
    if (rank) {
      diagnostics
          .error(label.range, "the left side of '" + name +
                                  "' has one label for the rank, but the "
                                  "right side uses neither '" +
                                  labels[*rank].name + "' nor '" + label.name +
                                  "'")
          .note(labels[*rank].range, "the other one is here");
      return std::nullopt;
    }
    rank = position;
  }
  if (!rank)
    diagnostics
        .error(equation.nameRange, "the left side of '" + name +
                                       "' needs a label for the rank, "
                                       "which the right side does not use")
        .note("S[n, r] = sort[c] X[n, c]: r is 0 for the least of the values "
              "along c");
  return rank;
}

/// Ranks are as many as values, or fewer where topk takes them.
bool StatementAnalyzer::decideRanks(unsigned rank, unsigned sorted) {
  llvm::StringRef name = stringify(*equation.sort);
  LabelState &ranks = labels[rank];
  int64_t length = *labels[sorted].extent;
  bool isTopK = equation.sort == SortKind::TopK;
  std::string has = ("'" + labels[sorted].name + "' has extent ").str() +
                    std::to_string(length);
  if (!ranks.extent && isTopK) {
    diagnostics.error(ranks.range, "'topk' needs the number of values that it "
                                   "takes, as the extent of the rank: " +
                                       ranks.name + ":5");
    return false;
  }
  if (!ranks.extent)
    ranks.extent = length;
  if (*ranks.extent == length || (isTopK && *ranks.extent < length))
    return true;
  auto error = diagnostics.error(
      ranks.givenExtent ? ranks.givenExtent->range : ranks.range,
      "'" + name + "' has " + llvm::Twine(*ranks.extent) + " ranks, but " +
          has);
  if (!isTopK && *ranks.extent < length)
    error.note("topk gives the largest few, topk of -X the least");
  return false;
}

/// Makes the vertex' operand: the values by these labels, in order.
bool StatementAnalyzer::buildSorted(Nested &value,
                                    llvm::ArrayRef<unsigned> order,
                                    ElementType type) {
  nested = &value;
  current = &value.vertex;
  bool ok = build(equation.expr, type).has_value();
  nested = nullptr;
  current = &vertex;
  if (!ok)
    return false;
  Vertex &own = value.vertex;
  auto isInOrder = [&](const Operand &operand) {
    return isWhole(operand) &&
           llvm::equal(operand.subscripts, order,
                       [](const LinearForm &form, unsigned label) {
                         return form.terms.front().label == label;
                       });
  };
  if (own.nodes.size() == 1 && own.operands.size() == 1 &&
      isInOrder(own.operands.front())) {
    vertex.operands.push_back(own.operands.front());
    return true;
  }
  llvm::SmallVector<unsigned> positions(labels.size(), 0);
  for (auto [position, label] : llvm::enumerate(order)) {
    positions[label] = position;
    own.labels.push_back({labels[label].name.str(), *labels[label].extent});
  }
  own.numParallel = order.size();
  renumber(own, positions);
  vertex.operands.push_back(
      readOfInner(internInner(std::move(own), type), order));
  return true;
}

std::optional<StatementAnalyzer::Result> StatementAnalyzer::runSort() {
  llvm::StringRef name = stringify(*equation.sort);
  Nested &value = nestedReductions.emplace_back();
  if (!declareLabels() || !collectPart(equation.expr, value) ||
      !checkLabelUse())
    return std::nullopt;
  std::optional<unsigned> rank = findRank();
  unsigned sorted = *findLabel(equation.reduceLabels.front().name);
  if (!rank || !inferExtents(/*ofUsed=*/true) || !decideRanks(*rank, sorted) ||
      !buildOperands())
    return std::nullopt;
  nested = &value;
  std::optional<ExprType> type = infer(equation.expr);
  nested = nullptr;
  if (!type ||
      !requireOrder(equation.expr->range, *type, ("'" + name + "'").str()))
    return std::nullopt;
  if (!type->isTyped() || type->isBool()) {
    diagnostics.error(equation.expr->range,
                      "'" + name +
                          "' needs numbers of a known type, but this "
                          "is " +
                          describeType(*type) + "; cast it, e.g. i32(" +
                          excerpt(equation.expr->range) + ")");
    return std::nullopt;
  }

  llvm::SmallVector<unsigned, 4> order;
  Result result;
  for (auto [position, label] : llvm::enumerate(labels)) {
    if (label.owner || label.reduced)
      continue;
    order.push_back(position == *rank ? sorted : position);
    result.shape.push_back(*label.extent);
  }
  if (!buildSorted(value, order, type->type))
    return std::nullopt;
  llvm::SmallVector<unsigned> positions(labels.size(), 0);
  for (auto [position, label] : llvm::enumerate(order)) {
    positions[label] = position;
    vertex.labels.push_back({labels[label].name.str(), *labels[label].extent});
  }
  vertex.numParallel = order.size();
  renumber(vertex, positions);
  bool givesIndices = equation.sort == SortKind::ArgSort;
  vertex.sort = {positions[sorted], *labels[*rank].extent,
                 equation.sort == SortKind::TopK, givesIndices};
  result.type = givesIndices ? ElementType::I64 : type->type;
  result.vertex = std::move(vertex);
  result.inners = std::move(inners);
  return result;
}

//===----------------------------------------------------------------------===//
// One or two results
//===----------------------------------------------------------------------===//

bool Analyzer::checkSides(const EquationStmt &stmt) {
  std::string name = ("'" + stringify(*stmt.sort) + "'").str();
  if (!stmt.hasLabels) {
    diagnostics.error(stmt.nameRange,
                      name + " needs labels on the left side, e.g. " +
                          stmt.name + "[n, r] = " + stringify(*stmt.sort) +
                          "[c] X[n, c]");
    return false;
  }
  if (stmt.reduceLabels.size() != 1) {
    diagnostics.error(stmt.reduceLabels[1].range,
                      name + " runs along one label, not " +
                          llvm::Twine(stmt.reduceLabels.size()));
    return false;
  }
  unsigned most = stmt.sort == SortKind::TopK ? 1 : 0;
  if (stmt.more.size() > most) {
    auto error =
        diagnostics.error(stmt.more[most]->nameRange,
                          name + " has " + countOf(1 + most, "result"));
    if (most == 0)
      error.note("topk gives values and indices: V[n, r:5], I[n, r] = topk[c] "
                 "X[n, c]");
    return false;
  }
  for (const EquationStmt *side : stmt.more) {
    bool isSame = llvm::equal(
        side->labels, stmt.labels, [](const Label &a, const Label &b) {
          return !a.place && a.name == b.name && (!a.extent || !b.extent);
        });
    if (isSame)
      continue;
    diagnostics
        .error(side->nameRange, "the results of " + name +
                                    " have the same labels; extents are given "
                                    "once")
        .note(stmt.nameRange, "the first one is here");
    return false;
  }
  for (const Label &label : stmt.labels)
    if (label.place) {
      diagnostics.error(label.range, name + " has labels on its left side, "
                                            "not places");
      return false;
    }
  return true;
}

/// The values at the indices that a sort gives.
static Vertex readAt(const Vertex &sort, unsigned indices) {
  Vertex vertex;
  Operand index;
  index.tensor = indices;
  Gather gather;
  gather.table = sort.operands.front().tensor;
  for (auto [position, label] : llvm::enumerate(sort.labels)) {
    LinearForm form;
    form.terms.push_back({static_cast<unsigned>(position), 1});
    index.subscripts.push_back(form);
    bool isSorted = position == sort.sort->label;
    vertex.labels.push_back({isSorted ? "" : label.name,
                             isSorted ? sort.sort->count : label.extent});
    if (isSorted) {
      gather.subscripts.push_back({/*isIndex=*/true, 0});
      continue;
    }
    gather.subscripts.push_back(
        {/*isIndex=*/false, static_cast<unsigned>(vertex.forms.size())});
    vertex.forms.push_back(form);
  }
  vertex.numParallel = vertex.labels.size();
  vertex.operands.push_back(std::move(index));
  vertex.gather = std::move(gather);
  return vertex;
}

std::vector<std::optional<unsigned>>
Analyzer::addSorted(const Scope &scope, const EquationStmt &stmt) {
  std::vector<std::optional<unsigned>> tensors(1 + stmt.more.size());
  if (!checkSides(stmt))
    return tensors;
  EquationStmt whole = stmt;
  llvm::SmallVector<Label> labels(stmt.labels);
  for (const EquationStmt *side : stmt.more)
    for (auto [label, other] : llvm::zip_equal(labels, side->labels))
      if (!label.extent)
        label.extent = other.extent;
  whole.labels = labels;
  auto result =
      StatementAnalyzer(scope, graph, diagnostics, context, whole).run();
  if (!result || !countVertices(stmt, tensors.size() + result->inners.size()))
    return tensors;
  std::string name = scope.vertexNameFor(stmt.name);
  for (StatementAnalyzer::Inner &inner : result->inners)
    if (!addTensor(scope, stmt, name + "." + inner.suffix, inner.type,
                   std::move(inner.shape), std::move(inner.vertex)))
      return tensors;
  if (stmt.more.empty()) {
    tensors[0] = addTensor(scope, stmt, std::move(name), result->type,
                           std::move(result->shape), std::move(result->vertex));
    return tensors;
  }
  const EquationStmt &second = *stmt.more.front();
  Vertex sort = std::move(result->vertex);
  sort.sort->givesIndices = true;
  tensors[1] = addTensor(scope, second, scope.vertexNameFor(second.name),
                         ElementType::I64, result->shape, sort);
  if (!tensors[1])
    return tensors;
  Vertex values = readAt(sort, *tensors[1]);
  // The rank has the name that the left side gives it, the index another.
  values.labels[sort.sort->label].name = labels[sort.sort->label].name.str();
  values.labels.push_back({selectedLabel(second.name, values.labels),
                           sort.labels[sort.sort->label].extent});
  tensors[0] = addTensor(scope, stmt, std::move(name), result->type,
                         std::move(result->shape), std::move(values));
  return tensors;
}

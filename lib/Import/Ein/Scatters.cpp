//===- Scatters.cpp - Places on the left side -----------------------------===//
//
// S[A[n]:8, d] = sum[n] X[n, d]: what falls on one place is combined. The right
// side becomes a vertex of its own, unless it is a tensor, which combines
// what falls together whatever the places are. Each place is a tensor of
// integers, read by plain labels.
//
//===----------------------------------------------------------------------===//

#include "StatementAnalyzer.h"

using namespace tapestry::ein;
using namespace tapestry::ein::ast;

bool StatementAnalyzer::scatters() const {
  return llvm::any_of(equation.labels,
                      [](const Label &label) { return label.place; });
}

bool StatementAnalyzer::checkPlaces() {
  const auto *first = llvm::find_if(
      equation.labels, [](const Label &label) { return label.place; });
  std::string text = "'" + excerpt(first->range) + "'";
  llvm::StringRef reduction = stringify(equation.reduction());
  if (reduction.empty()) {
    diagnostics.error(first->range,
                      text + " on the left side needs a reduction at the head "
                             "of the right side, which lists its labels and "
                             "says how values are combined that fall together");
    return false;
  }
  if (equation.macro && !reducesLabels(*equation.macro)) {
    diagnostics
        .error(equation.reduceRange, "'" + reduction +
                                         "' does not combine what falls "
                                         "together at places")
        .note(first->range, "this is one; with labels alone on the left side "
                            "it does");
    return false;
  }
  return true;
}

bool StatementAnalyzer::collectPlaces() {
  bool ok = true;
  for (auto [dim, label] : llvm::enumerate(equation.labels)) {
    if (!label.place)
      continue;
    Place place{&label, static_cast<unsigned>(dim),
                &nestedReductions.emplace_back()};
    ok &= collectPart(label.place, *place.part);
    std::string text = "'" + excerpt(label.range) + "'";
    if (label.extent) {
      place.extent = givenExtent(label.extent, "the dimension at " + text);
      ok &= place.extent.has_value();
    } else if (equation.carriedShape.size() == equation.labels.size()) {
      place.extent = equation.carriedShape[dim];
    } else if (namesData(label.place)) {
      diagnostics.error(label.range, "data name the place " + text +
                                         ": give the extent of the dimension, "
                                         "e.g. " +
                                         excerpt(label.range) + ":8");
      ok = false;
    }
    if (!namesData(label.place)) {
      place.form = toForm(label.place);
      ok &= place.form.has_value();
    }
    places.push_back(std::move(place));
  }
  return ok;
}

/// Extents that follow, and whether what is known of places lies inside.
bool StatementAnalyzer::decidePlaces() {
  bool ok = true;
  for (Place &place : places) {
    if (!place.form)
      continue;
    if (!checkSteps(*place.form)) {
      ok = false;
      continue;
    }
    Bounds bounds = boundsOf(*resolve(*place.form));
    std::string values = "'" + excerpt(place.label->range) +
                         "' on the left side runs from " + toString(bounds.lo) +
                         " to " + toString(bounds.hi);
    constexpr WideInt longest = WideInt(1) << 59;
    if (bounds.lo < 0 || bounds.hi >= longest) {
      diagnostics.error(place.label->range,
                        values + (bounds.lo < 0
                                      ? ", but the first place is 0"
                                      : ", but an extent is below 2^59"));
      ok = false;
      continue;
    }
    if (!place.extent)
      place.extent = static_cast<int64_t>(bounds.hi) + 1;
    if (bounds.hi < *place.extent)
      continue;
    diagnostics.error(place.label->range,
                      values +
                          ", but the dimension has only the indices 0 to " +
                          llvm::Twine(*place.extent - 1));
    ok = false;
  }
  return ok;
}

/// Labels that no place depends on are reduced with the values, unless no other
/// would be left, or the result is the number of a point.
void StatementAnalyzer::takeOwnLabels(Nested &value) {
  if (equation.macro && givesPlaces(*equation.macro))
    return;
  auto isPoint = [](const LabelState &label) {
    return label.reduced && !label.owner;
  };
  bool anyInPlace = llvm::any_of(labels, [&](const LabelState &label) {
    return isPoint(label) && label.inPlace;
  });
  for (LabelState &label : labels)
    if (anyInPlace && isPoint(label) && !label.inPlace)
      label.owner = &value;
}

/// How the values are read.
std::optional<Operand> StatementAnalyzer::buildValue(Nested &value,
                                                     ElementType type) {
  nested = &value;
  current = &value.vertex;
  Reduction reduction = equation.reduction();
  bool ok = buildReduced(reduction, equation.expr, type);
  nested = nullptr;
  current = &vertex;
  if (!ok)
    return std::nullopt;
  Vertex &own = value.vertex;
  bool reduces = llvm::any_of(
      labels, [&](const LabelState &label) { return label.owner == &value; });
  if (!reduces && own.nodes.size() == 1 && own.operands.size() == 1 &&
      isWhole(own.operands.front()))
    return own.operands.front();
  bool isMean = equation.macro == MacroKind::Mean;
  if (reduces && isMean)
    own.monoid = Monoid::Sum;
  else if (reduces && !setReduction(own, reduction, type, equation.reduceRange))
    return std::nullopt;
  llvm::SmallVector<unsigned, 4> around = placeLabels(value, own);
  bool adds = own.macro || isMean || vertex.custom ||
              vertex.monoid == Monoid::Sum || vertex.monoid == Monoid::Prod;
  return readOfInner(internInner(std::move(own), adds ? wideType(type) : type),
                     around);
}

/// The vertex of the result, whose operands are there.
StatementAnalyzer::Result StatementAnalyzer::makeScatter(const Nested &value,
                                                         ElementType type) {
  llvm::SmallVector<unsigned> positions(labels.size(), 0);
  Scatter scatter;
  for (const LabelState &label : labels)
    if (label.owner == &value)
      scatter.valueCount *= *label.extent;
  unsigned nextLabel = 0, nextPlace = 0;
  for (const Label &side : equation.labels) {
    if (!side.place) {
      const LabelState &label = labels[nextLabel];
      positions[nextLabel++] = vertex.labels.size();
      vertex.labels.push_back({label.name.str(), *label.extent});
      continue;
    }
    vertex.labels.push_back({"", *places[nextPlace++].extent});
  }
  vertex.numParallel = vertex.labels.size();
  for (auto [position, label] :
       llvm::drop_begin(llvm::enumerate(labels), nextLabel)) {
    if (label.owner)
      continue;
    positions[position] = vertex.labels.size();
    vertex.labels.push_back(
        {label.name.str(), *label.extent,
         equation.macro ? LabelRole::Inner : LabelRole::Outer});
    scatter.points.push_back(label.name.str());
  }
  for (auto [place, operand] :
       llvm::zip_equal(places, llvm::ArrayRef(vertex.operands).drop_front())) {
    llvm::StringRef name =
        operand.tensor < graph.tensors.size()
            ? llvm::StringRef(graph.tensors[operand.tensor].name)
            : "index";
    vertex.labels[place.dim].name = selectedLabel(name, vertex.labels);
    scatter.places.push_back({place.dim, place.form.has_value()});
  }
  renumber(vertex, positions);
  vertex.scatter = std::move(scatter);
  Result result;
  result.type = type;
  for (const VertexLabel &label :
       llvm::ArrayRef(vertex.labels).take_front(vertex.numParallel))
    result.shape.push_back(label.extent);
  result.vertex = std::move(vertex);
  result.inners = std::move(inners);
  return result;
}

std::optional<StatementAnalyzer::Result> StatementAnalyzer::runScatter() {
  Nested &value = nestedReductions.emplace_back();
  if (!checkPlaces() || !declareLabels() || !collectPlaces())
    return std::nullopt;
  markUses();
  for (LabelState &label : labels)
    label.inPlace = label.used;
  if (!collectPart(equation.expr, value) || !checkLabelUse() ||
      !inferExtents() || !decidePlaces() || !buildOperands())
    return std::nullopt;
  takeOwnLabels(value);
  std::optional<ExprType> exprType = infer(equation.expr);
  if (!exprType)
    return std::nullopt;
  // Numbers alone are counted, as bools are.
  if (equation.monoid == Monoid::Sum &&
      exprType->kind == ExprType::Kind::Literal && !exprType->isFloat)
    exprType = ExprType::typed(ElementType::I64);
  std::optional<ElementType> type =
      checkReduction(equation.reduction(), equation.expr, *exprType);
  if (!type)
    return std::nullopt;
  ElementType operand = reducedType(equation.reduction(), equation.expr, *type);
  if (!setReduction(vertex, equation.reduction(), operand,
                    equation.reduceRange))
    return std::nullopt;
  std::optional<Operand> values = buildValue(value, operand);
  if (!values)
    return std::nullopt;
  vertex.operands.push_back(std::move(*values));
  for (const Place &place : places) {
    std::optional<Operand> index = buildIndex(place.label->place, *place.part);
    if (!index)
      return std::nullopt;
    vertex.operands.push_back(std::move(*index));
  }
  return makeScatter(value, *type);
}

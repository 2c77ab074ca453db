//===- Scatters.cpp - Scatters with the checks of their places ------------===//

#include "tapestry/Dialect/Tapestry/Macros/Scatters.h"
#include "IndexCheck.h"
#include "Reductions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryScatter.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;
using tapestry::Monoid;

namespace {

/// The scatters of a use, and what stands between them.
class ScatterBuilder {
public:
  ScatterBuilder(OpBuilder &builder, Location loc, const ScatterUse &use,
                 ValueRange checks)
      : b(builder), loc(loc), use(use), checks(checks),
        valueType(elementOf(use.values)) {}

  Operation *build();

private:
  Operation *mean();
  Operation *logSumExp();
  Operation *argExtreme(bool isMax);

  static Type elementOf(Value tensor) {
    return cast<RankedTensorType>(tensor.getType()).getElementType();
  }
  std::string named(StringRef suffix) {
    return (use.name + "." + suffix).str();
  }
  bool isPlace(unsigned label) {
    return llvm::any_of(use.places, [&](const ScatterPlace &place) {
      return place.dim == label;
    });
  }
  bool isOfPlaces(unsigned label) {
    return llvm::any_of(use.places, [&](const ScatterPlace &place) {
      return place.map.isFunctionOfDim(label);
    });
  }
  /// All labels but those of the places. What a place shares lies together.
  SmallVector<unsigned> besidePlaces() {
    SmallVector<unsigned> labels;
    for (bool ofPlaces : {true, false})
      for (unsigned label = 0; label < use.labels.size(); ++label)
        if (!isPlace(label) && isOfPlaces(label) == ofPlaces)
          labels.push_back(label);
    return labels;
  }
  AffineMap mapTo(ArrayRef<unsigned> labels) {
    return AffineMap::getMultiDimMapWithTargets(use.labels.size(), labels,
                                                b.getContext());
  }
  /// A map from those labels alone of which `kept` has the numbers.
  AffineMap keptOf(AffineMap map, ArrayRef<unsigned> kept);
  ScatterOp scatter(StringRef name, ArrayRef<bool> isUsed, Monoid monoid,
                    Value values, AffineMap map, Type elementType);
  /// Over all labels.
  ScatterOp scatter(StringRef name, Monoid monoid, Value values, AffineMap map,
                    Type elementType) {
    return scatter(name, SmallVector<bool>(use.labels.size(), true), monoid,
                   values, map, elementType);
  }
  /// What lies at the place of each point, as the points read it.
  ScalarRead readBack(StringRef name, Value table);
  /// The vertex of a value of each point that is scattered next, and how it is
  /// read then.
  std::pair<Value, AffineMap> ofPoints(StringRef name, Type elementType,
                                       ScalarExpr expr);
  /// The vertex of the result, of tensors by its labels.
  EinsumOp result(ArrayRef<Value> tensors,
                  std::function<Value(ScalarBuilder &, ValueRange)> body);
  Type wideType() {
    return valueType.isF16() || valueType.isBF16() ? b.getF32Type() : valueType;
  }

  OpBuilder &b;
  Location loc;
  const ScatterUse &use;
  ValueRange checks;
  Type valueType;
};

} // namespace

AffineMap ScatterBuilder::keptOf(AffineMap map, ArrayRef<unsigned> kept) {
  SmallVector<AffineExpr> positions(use.labels.size(),
                                    b.getAffineConstantExpr(0));
  for (auto [position, label] : llvm::enumerate(kept))
    positions[label] = b.getAffineDimExpr(position);
  return map.replaceDimsAndSymbols(positions, {}, kept.size(), 0);
}

ScatterOp ScatterBuilder::scatter(StringRef name, ArrayRef<bool> isUsed,
                                  Monoid monoid, Value values, AffineMap map,
                                  Type elementType) {
  SmallVector<StringRef> names;
  SmallVector<int64_t> extents, shape, into;
  SmallVector<unsigned> kept;
  for (auto [label, info] : llvm::enumerate(use.labels)) {
    if (!isUsed[label])
      continue;
    kept.push_back(label);
    names.push_back(info.name);
    extents.push_back(info.extent);
    if (label < use.rank)
      shape.push_back(info.extent);
  }
  SmallVector<Value> indices;
  SmallVector<AffineMap> maps = {keptOf(map, kept)};
  for (const ScatterPlace &place : use.places) {
    indices.push_back(place.tensor);
    maps.push_back(keptOf(place.map, kept));
    into.push_back(llvm::find(kept, place.dim) - kept.begin());
  }
  return ScatterOp::create(b, loc, name, names, extents, monoid, values,
                           indices, into, maps, checks,
                           RankedTensorType::get(shape, elementType));
}

ScalarRead ScatterBuilder::readBack(StringRef name, Value table) {
  GatherUse gather;
  std::string vertex = named(name);
  gather.name = vertex;
  gather.table = table;
  SmallVector<unsigned> kept = besidePlaces();
  llvm::erase_if(kept, [&](unsigned label) {
    return label >= use.rank && !isOfPlaces(label);
  });
  for (unsigned label : kept)
    gather.labels.push_back(use.labels[label]);
  // One label more per place.
  unsigned numLabels = kept.size() + use.places.size();
  auto fromAll = [&](AffineMap map) {
    return AffineMap::get(numLabels, 0, keptOf(map, kept).getResults(),
                          b.getContext());
  };
  SmallVector<AffineExpr> subscripts(use.rank);
  for (unsigned label = 0; label < use.rank; ++label)
    if (!isPlace(label))
      subscripts[label] =
          b.getAffineDimExpr(llvm::find(kept, label) - kept.begin());
  for (auto [number, place] : llvm::enumerate(use.places)) {
    subscripts[place.dim] = b.getAffineDimExpr(kept.size() + number);
    gather.indices.push_back(
        {place.tensor, fromAll(place.map), use.labels[place.dim].name});
  }
  gather.map = AffineMap::get(numLabels, 0, subscripts, b.getContext());
  // What lies outside has ended the run.
  IndexChecks none;
  GatherOp found = buildGather(b, loc, gather, none);
  found.getChecksMutable().assign(checks);
  return {found, mapTo(kept)};
}

std::pair<Value, AffineMap>
ScatterBuilder::ofPoints(StringRef name, Type elementType, ScalarExpr expr) {
  SmallVector<unsigned> kept = besidePlaces();
  SmallVector<ScalarLabel> labels;
  for (unsigned label : kept)
    labels.push_back(use.labels[label]);
  for (ScalarRead &read : expr.reads)
    read.map = keptOf(read.map, kept);
  EinsumOp vertex = buildEinsum(b, loc, named(name), labels, labels.size(),
                                Monoid::None, elementType, expr);
  return {vertex, mapTo(kept)};
}

EinsumOp
ScatterBuilder::result(ArrayRef<Value> tensors,
                       std::function<Value(ScalarBuilder &, ValueRange)> body) {
  ScalarExpr expr;
  expr.body = std::move(body);
  for (Value tensor : tensors)
    expr.reads.push_back({tensor, b.getMultiDimIdentityMap(use.rank)});
  return buildEinsum(b, loc, use.name,
                     ArrayRef(use.labels).take_front(use.rank), use.rank,
                     Monoid::None, use.elementType, expr);
}

/// Sums over how many values they have: 0 / 0 where there are none.
Operation *ScatterBuilder::mean() {
  auto complex = dyn_cast<ComplexType>(use.elementType);
  Type real = complex ? complex.getElementType() : use.elementType;
  Type wide = real.isF64() ? real : Type(b.getF32Type());
  // How many there are depends on the labels of the places alone.
  SmallVector<bool> counted(use.labels.size(), true);
  SmallVector<unsigned> whole, part;
  for (unsigned label = 0; label < use.rank; ++label) {
    counted[label] = isPlace(label) || isOfPlaces(label);
    whole.push_back(label);
    if (counted[label])
      part.push_back(label);
  }
  ScatterOp sum = scatter(named("sum"), Monoid::Add, use.values, use.map,
                          complex ? complex : wide);
  EinsumOp one = buildEinsum(b, loc, named("one"), {}, /*numParallel=*/0,
                             Monoid::None, wide,
                             ScalarExpr::constant(FloatAttr::get(
                                 wide, static_cast<double>(use.valueCount))));
  ScatterOp count =
      scatter(named("count"), counted, Monoid::Add, one, mapTo({}), wide);
  auto fromResult = [&](ArrayRef<unsigned> labels) {
    return AffineMap::getMultiDimMapWithTargets(use.rank, labels,
                                                b.getContext());
  };
  return buildEinsum(b, loc, use.name,
                     ArrayRef(use.labels).take_front(use.rank), use.rank,
                     Monoid::None, use.elementType,
                     {{{sum, fromResult(whole)}, {count, fromResult(part)}},
                      [](ScalarBuilder &body, ValueRange read) -> Value {
                        return body.quotient(read[0], read[1]);
                      }});
}

/// Where there are no values it is log 0.
Operation *ScatterBuilder::logSumExp() {
  ScatterOp max =
      scatter(named("max"), Monoid::Max, use.values, use.map, valueType);
  ScalarExpr expr{{{use.values, use.map}, readBack("shift", max)},
                  [](ScalarBuilder &body, ValueRange read) -> Value {
                    Value term = body.widen(read[0]);
                    return body.create<math::ExpOp>(body.create<arith::SubFOp>(
                        term, finiteOrZero(body, body.widen(read[1]))));
                  }};
  auto [terms, map] = ofPoints("exp", wideType(), std::move(expr));
  ScatterOp sum = scatter(named("sum"), Monoid::Add, terms, map, wideType());
  return result({max, sum}, [](ScalarBuilder &body, ValueRange read) -> Value {
    return body.create<arith::AddFOp>(
        finiteOrZero(body, body.widen(read[0])),
        body.create<math::LogOp>(body.widen(read[1])));
  });
}

Operation *ScatterBuilder::argExtreme(bool isMax) {
  ScatterOp best =
      scatter(named(isMax ? "max" : "min"), isMax ? Monoid::Max : Monoid::Min,
              use.values, use.map, valueType);
  if (use.isUnsigned)
    compareUnsigned(b, best, isMax);
  ArrayRef<ScalarLabel> points = ArrayRef(use.labels).drop_front(use.rank);
  IntegerType type = placeType(b, points);
  TypedAttr none = monoidIdentity(Monoid::Min, type);
  ScalarExpr expr{{{use.values, use.map}, readBack("best", best)},
                  [=](ScalarBuilder &body, ValueRange read) -> Value {
                    Value isBest = isExtreme(body, read[0], read[1]);
                    return body.create<arith::SelectOp>(
                        isBest, placeOfPoint(body, type, points),
                        body.constant(none));
                  }};
  auto [numbers, map] = ofPoints("point", type, std::move(expr));
  ScatterOp first = scatter(named("place"), Monoid::Min, numbers, map, type);
  return result(
      ArrayRef<Value>(first), [=](ScalarBuilder &body, ValueRange read) {
        Value isNone = body.create<arith::CmpIOp>(arith::CmpIPredicate::eq,
                                                  read[0], body.constant(none));
        Value place = body.create<arith::SelectOp>(
            isNone, body.constant(IntegerAttr::get(type, -1)), read[0]);
        return type.isInteger(64)
                   ? place
                   : body.create<arith::ExtSIOp>(
                         IntegerType::get(type.getContext(), 64), place);
      });
}

Operation *ScatterBuilder::build() {
  if (!use.macro)
    return scatter(use.name, use.monoid, use.values, use.map, use.elementType);
  switch (*use.macro) {
  case MacroKind::Mean:
    return mean();
  case MacroKind::LogSumExp:
    return logSumExp();
  case MacroKind::ArgMax:
  case MacroKind::ArgMin:
    return argExtreme(*use.macro == MacroKind::ArgMax);
  default:
    llvm_unreachable("others keep their labels");
  }
}

Operation *teg::buildScatter(OpBuilder &builder, Location loc,
                             const ScatterUse &use, IndexChecks &checks) {
  SmallVector<Value> needed;
  for (const ScatterPlace &place : use.places) {
    if (!place.checked)
      continue;
    const ScalarLabel &label = use.labels[place.dim];
    Value check = checkIndex(
        builder, loc, *place.checked, label.extent,
        {(use.name + "." + label.name).str(), use.name, place.dim}, checks);
    if (!llvm::is_contained(needed, check))
      needed.push_back(check);
  }
  return ScatterBuilder(builder, loc, use, needed).build();
}

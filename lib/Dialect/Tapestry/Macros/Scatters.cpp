//===- Scatters.cpp - Scatters with the checks of their places ------------===//

#include "tapestry/Dialect/Tapestry/Macros/Scatters.h"
#include "IndexCheck.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryScatter.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

/// The scatter over the labels that `isUsed` has, which all maps keep to.
static ScatterOp buildPart(OpBuilder &builder, Location loc, StringRef name,
                           const ScatterUse &use, ArrayRef<bool> isUsed,
                           Value values, AffineMap valuesMap, Type elementType,
                           ValueRange checks) {
  SmallVector<StringRef> names;
  SmallVector<int64_t> extents, shape, into;
  SmallVector<AffineExpr> positions;
  for (auto [label, info] : llvm::enumerate(use.labels)) {
    positions.push_back(builder.getAffineDimExpr(names.size()));
    if (!isUsed[label])
      continue;
    names.push_back(info.name);
    extents.push_back(info.extent);
    if (label < use.rank)
      shape.push_back(info.extent);
  }
  auto renumber = [&](AffineMap map) {
    return map.replaceDimsAndSymbols(positions, {}, names.size(), 0);
  };
  SmallVector<Value> indices;
  SmallVector<AffineMap> maps = {renumber(valuesMap)};
  for (const ScatterPlace &place : use.places) {
    indices.push_back(place.tensor);
    maps.push_back(renumber(place.map));
    into.push_back(cast<AffineDimExpr>(positions[place.dim]).getPosition());
  }
  return ScatterOp::create(builder, loc, name, names, extents, use.monoid,
                           values, indices, into, maps, checks,
                           RankedTensorType::get(shape, elementType));
}

/// Sums over how many values they have: 0 / 0 where there are none.
static EinsumOp buildMean(OpBuilder &builder, Location loc,
                          const ScatterUse &use, ValueRange checks) {
  auto complex = dyn_cast<ComplexType>(use.elementType);
  Type real = complex ? complex.getElementType() : use.elementType;
  Type wide = real.isF64() ? real : Type(builder.getF32Type());
  SmallVector<bool> all(use.labels.size(), true), counted = all;
  // How many there are depends on the labels of the places alone.
  for (unsigned label = 0; label < use.rank; ++label)
    counted[label] = llvm::any_of(use.places, [&](const ScatterPlace &place) {
      return place.dim == label || place.map.isFunctionOfDim(label);
    });
  std::string name = use.name.str();
  ScatterOp sum = buildPart(builder, loc, name + ".sum", use, all, use.values,
                            use.map, complex ? complex : wide, checks);
  EinsumOp one = buildEinsum(builder, loc, name + ".one", {}, /*numParallel=*/0,
                             Monoid::None, wide,
                             ScalarExpr::constant(FloatAttr::get(
                                 wide, static_cast<double>(use.valueCount))));
  ScatterOp count = buildPart(
      builder, loc, name + ".count", use, counted, one,
      AffineMap::get(use.labels.size(), 0, builder.getContext()), wide, checks);
  SmallVector<unsigned> whole, part;
  for (unsigned label = 0; label < use.rank; ++label) {
    whole.push_back(label);
    if (counted[label])
      part.push_back(label);
  }
  auto mapTo = [&](ArrayRef<unsigned> labels) {
    return AffineMap::getMultiDimMapWithTargets(use.rank, labels,
                                                builder.getContext());
  };
  return buildEinsum(builder, loc, name,
                     ArrayRef(use.labels).take_front(use.rank), use.rank,
                     Monoid::None, use.elementType,
                     {{{sum, mapTo(whole)}, {count, mapTo(part)}},
                      [](ScalarBuilder &b, ValueRange read) -> Value {
                        return b.quotient(read[0], read[1]);
                      }});
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
  if (use.isMean)
    return buildMean(builder, loc, use, needed);
  SmallVector<bool> all(use.labels.size(), true);
  return buildPart(builder, loc, use.name, use, all, use.values, use.map,
                   use.elementType, needed);
}

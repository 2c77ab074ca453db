//===- GatherLowering.cpp - What one device finds of a table --------------===//
//
// A loop over the result whose body takes the table's element. Of what lies in
// the parts of other devices it makes what adds nothing.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "tapestry/Dialect/Index/IR/AffineForm.h"
#include "tapestry/Dialect/Index/IR/IndexOps.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"
#include "tapestry/Interfaces/ElementType.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

namespace {

class GatherLowering {
public:
  GatherLowering(GatherOp op, OpBuilder &builder, Location loc,
                 const LocalBlock &block);
  Value lower();

private:
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  Value compare(arith::CmpIPredicate how, Value a, Value with) {
    return arith::CmpIOp::create(b, loc, how, a, with);
  }
  Value both(Value a, Value with) {
    return a ? arith::AndIOp::create(b, loc, a, with) : with;
  }
  /// The nearest number from 0 to `last`.
  Value clamp(Value value, Value last) {
    value = arith::MaxSIOp::create(b, loc, value, constant(0));
    return arith::MinSIOp::create(b, loc, value, last);
  }
  Value elementConstant(TypedAttr value);
  Value sizeOf(unsigned dim) {
    return b.createOrFold<tensor::DimOp>(loc, table, dim);
  }
  /// Whether the device may have no points along a dimension that data index:
  /// then there is nothing to clamp an index to.
  Value emptiness();
  Value emitLoop(Value into, ArrayRef<Value> indices);
  Value emitElement(ValueRange indices, ArrayRef<Value> tableStarts);

  GatherOp op;
  OpBuilder &b;
  Location loc;
  const LocalBlock &block;
  Value table;
  RankedTensorType tableType;
  Type elementType;
  SmallVector<std::optional<unsigned>> indexOfDim;
  Projection forms;
};

} // namespace

GatherLowering::GatherLowering(GatherOp op, OpBuilder &builder, Location loc,
                               const LocalBlock &block)
    : op(op), b(builder), loc(loc), block(block), table(block.windows.front()),
      tableType(cast<RankedTensorType>(table.getType())),
      elementType(tableType.getElementType()), indexOfDim(op.getIndexOfDims()),
      forms(*index::getLinearForms(op.getMap(0))) {}

/// Booleans lie in bytes.
Value GatherLowering::elementConstant(TypedAttr value) {
  if (auto integer = dyn_cast<IntegerAttr>(value);
      integer && integer.getType() != elementType)
    value = IntegerAttr::get(
        elementType,
        integer.getValue().zext(elementType.getIntOrFloatBitWidth()));
  return emitConstant(b, loc, value);
}

Value GatherLowering::emptiness() {
  Value isEmpty;
  for (auto [dim, index] : llvm::enumerate(indexOfDim)) {
    if (!index || !tableType.isDynamicDim(dim))
      continue;
    Value one = compare(arith::CmpIPredicate::eq, sizeOf(dim), constant(0));
    isEmpty = isEmpty ? Value(arith::OrIOp::create(b, loc, isEmpty, one)) : one;
  }
  return isEmpty;
}

Value GatherLowering::emitElement(ValueRange indices,
                                  ArrayRef<Value> tableStarts) {
  unsigned rank = op.getResultType().getRank();
  Value isInside, isHere;
  SmallVector<Value> place;
  for (auto [dim, form] : llvm::enumerate(forms.dims)) {
    if (!indexOfDim[dim]) {
      Value at = arith::SubIOp::create(b, loc, constant(form.constant),
                                       tableStarts[dim]);
      for (const AffineTerm &term : form.terms) {
        Value label = arith::AddIOp::create(
            b, loc, linalg::IndexOp::create(b, loc, term.dim),
            block.starts[term.dim]);
        if (term.coefficient != 1)
          label =
              arith::MulIOp::create(b, loc, label, constant(term.coefficient));
        at = arith::AddIOp::create(b, loc, label, at);
      }
      place.push_back(at);
      continue;
    }
    unsigned index = *indexOfDim[dim];
    int64_t extent = op.getExtents()[rank + index];
    Value named =
        arith::IndexCastOp::create(b, loc, b.getIndexType(), indices[index]);
    Value nearest = clamp(named, constant(extent - 1));
    if (op.getPadAttr())
      isInside =
          both(isInside, compare(arith::CmpIPredicate::eq, named, nearest));
    if (tableType.getDimSize(dim) != extent) {
      nearest = arith::SubIOp::create(b, loc, nearest, tableStarts[dim]);
      Value last = arith::SubIOp::create(b, loc, sizeOf(dim), constant(1));
      Value local = clamp(nearest, last);
      isHere = both(isHere, compare(arith::CmpIPredicate::eq, nearest, local));
      nearest = local;
    }
    place.push_back(nearest);
  }
  Value element = tensor::ExtractOp::create(b, loc, table, place);
  if (isInside)
    element = arith::SelectOp::create(b, loc, isInside, element,
                                      elementConstant(op.getPadAttr()));
  if (isHere)
    element = arith::SelectOp::create(b, loc, isHere, element,
                                      elementConstant(op.getMonoidIdentity(0)));
  return element;
}

/// Fills `into`, which has all points of the block but, of the first label,
/// maybe only some.
Value GatherLowering::emitLoop(Value into, ArrayRef<Value> indices) {
  unsigned loops = cast<RankedTensorType>(into.getType()).getRank();
  SmallVector<AffineMap> maps;
  for (unsigned number = 0; number < indices.size(); ++number) {
    AffineMap map = op.getMap(1 + number);
    SmallVector<AffineExpr> labels(map.getResults());
    maps.push_back(AffineMap::get(loops, 0, labels, b.getContext()));
  }
  maps.push_back(b.getMultiDimIdentityMap(loops));
  SmallVector<Value> tableStarts = index::emitWindowStarts(
      b, loc, op.getAccesses(0).front(), block.starts, block.ends);
  auto generic = linalg::GenericOp::create(
      b, loc, into.getType(), indices, into, maps,
      SmallVector<utils::IteratorType>(loops, utils::IteratorType::parallel),
      [&](OpBuilder &, Location, ValueRange values) {
        Value element =
            emitElement(values.take_front(indices.size()), tableStarts);
        linalg::YieldOp::create(b, loc, element);
      });
  return generic.getResult(0);
}

Value GatherLowering::lower() {
  auto type = cast<RankedTensorType>(block.results.front());
  SmallVector<OpFoldResult> sizes;
  for (auto [dim, size] : llvm::enumerate(type.getShape()))
    sizes.push_back(ShapedType::isDynamic(size)
                        ? OpFoldResult(Value(arith::SubIOp::create(
                              b, loc, block.ends[dim], block.starts[dim])))
                        : OpFoldResult(b.getIndexAttr(size)));
  SmallVector<Value> indices(block.windows.slice(1, op.getIndices().size()));
  bool isScalar = sizes.empty();
  Value isEmpty = emptiness();
  if (!isEmpty)
    return emitLoop(tensor::EmptyOp::create(b, loc, sizes, elementType),
                    indices);

  // All points, or none: the others find nothing.
  if (isScalar)
    sizes.push_back(b.getIndexAttr(1));
  Value count = getValueOrCreateConstantIndexOp(b, loc, sizes.front());
  Value found = arith::SelectOp::create(b, loc, isEmpty, constant(0), count);
  Value others = arith::SubIOp::create(b, loc, count, found);
  Value whole = tensor::EmptyOp::create(b, loc, sizes, elementType);
  SmallVector<OpFoldResult> zeros(sizes.size(), b.getIndexAttr(0));
  SmallVector<OpFoldResult> ones(sizes.size(), b.getIndexAttr(1));
  auto fillPart = [&](OpFoldResult from, Value size,
                      llvm::function_ref<Value(Value)> fill) {
    SmallVector<OpFoldResult> offsets = zeros, partSizes = sizes;
    offsets.front() = from;
    partSizes.front() = size;
    Value part =
        tensor::ExtractSliceOp::create(b, loc, whole, offsets, partSizes, ones);
    whole = tensor::InsertSliceOp::create(b, loc, fill(part), whole, offsets,
                                          partSizes, ones);
  };
  fillPart(found, others, [&](Value part) {
    Value nothing = elementConstant(op.getMonoidIdentity(0));
    return linalg::FillOp::create(b, loc, nothing, part).getResult(0);
  });
  fillPart(b.getIndexAttr(0), found, [&](Value part) {
    // The loop reads as many points of an index tensor as it has itself.
    SmallVector<Value> parts;
    for (auto [number, index] : llvm::enumerate(indices)) {
      AffineMap map = op.getMap(1 + number);
      SmallVector<OpFoldResult> offsets(map.getNumResults(), b.getIndexAttr(0)),
          strides(map.getNumResults(), b.getIndexAttr(1)),
          lengths = tensor::getMixedSizes(b, loc, index);
      for (auto [dim, expr] : llvm::enumerate(map.getResults()))
        if (cast<AffineDimExpr>(expr).getPosition() == 0)
          lengths[dim] = found;
      parts.push_back(tensor::ExtractSliceOp::create(b, loc, index, offsets,
                                                     lengths, strides));
    }
    return emitLoop(part, parts);
  });
  if (!isScalar)
    return whole;
  return tensor::ExtractSliceOp::create(b, loc, type, whole, zeros, sizes,
                                        ones);
}

FailureOr<SmallVector<Value>> GatherOp::lowerLocal(OpBuilder &b, Location loc,
                                                   const LocalBlock &block) {
  return SmallVector<Value>{GatherLowering(*this, b, loc, block).lower()};
}

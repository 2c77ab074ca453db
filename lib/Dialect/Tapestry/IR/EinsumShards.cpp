//===- EinsumShards.cpp - Blocks of an einsum as einsums ------------------===//
//
// ShardInterface for tapestry.einsum, and the range that a shard says.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"
#include "tapestry/Dialect/Index/IR/AffineForm.h"
#include "tapestry/Dialect/Index/IR/BytecodeVersion.h"
#include "tapestry/Dialect/Tapestry/IR/EinsumLabels.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"
#include "tapestry/Support/Access.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

//===----------------------------------------------------------------------===//
// The range
//===----------------------------------------------------------------------===//

int64_t EinsumOp::getLabelStart(unsigned label) {
  index::RangeAttr range = getRangeAttr();
  return range ? range.getBounds()[2 * label] : 0;
}

bool EinsumOp::readsShiftedLabels() {
  return getRangeAttr() &&
         llvm::any_of(getBody().getOps<LabelOp>(), [&](LabelOp use) {
           return getLabelStart(*getLabelIndex(use.getLabel())) != 0;
         });
}

LogicalResult EinsumOp::readProperties(DialectBytecodeReader &reader,
                                       OperationState &state) {
  auto &p = state.getOrAddProperties<Properties>();
  if (failed(reader.readOptionalAttribute(p.custom_identity)) ||
      failed(reader.readAttribute(p.extents)) ||
      failed(reader.readOptionalAttribute(p.home)) ||
      failed(reader.readOptionalAttribute(p.home_route)) ||
      failed(reader.readAttribute(p.indexing_maps)) ||
      failed(reader.readAttribute(p.labels)) ||
      failed(reader.readAttribute(p.monoid)) ||
      failed(reader.readAttribute(p.name)) ||
      failed(reader.readOptionalAttribute(p.operand_routes)) ||
      failed(reader.readAttribute(p.pads)) ||
      failed(reader.readOptionalAttribute(p.partition)))
    return failure();
  return index::BytecodeVersion::isRead(reader,
                                        TapestryDialect::getDialectNamespace(),
                                        index::BytecodeVersion::firstRanged)
             ? reader.readOptionalAttribute(p.range)
             : success();
}

void EinsumOp::writeProperties(DialectBytecodeWriter &writer) {
  auto &p = getProperties();
  writer.writeOptionalAttribute(p.custom_identity);
  writer.writeAttribute(p.extents);
  writer.writeOptionalAttribute(p.home);
  writer.writeOptionalAttribute(p.home_route);
  writer.writeAttribute(p.indexing_maps);
  writer.writeAttribute(p.labels);
  writer.writeAttribute(p.monoid);
  writer.writeAttribute(p.name);
  writer.writeOptionalAttribute(p.operand_routes);
  writer.writeAttribute(p.pads);
  writer.writeOptionalAttribute(p.partition);
  if (index::BytecodeVersion::isWritten(writer,
                                        TapestryDialect::getDialectNamespace(),
                                        index::BytecodeVersion::firstRanged))
    writer.writeOptionalAttribute(p.range);
}

//===----------------------------------------------------------------------===//
// ShardInterface
//===----------------------------------------------------------------------===//

std::optional<ZBox> EinsumOp::getShardRange() {
  if (index::RangeAttr range = getRangeAttr())
    return range.getBox();
  return std::nullopt;
}

bool EinsumOp::readsPlaceAlong(unsigned label) {
  return llvm::any_of(getBody().getOps<LabelOp>(), [&](LabelOp use) {
    return getLabelIndex(use.getLabel()) == label;
  });
}

Projection EinsumOp::getSubscripts(unsigned operand) {
  Projection projection = *index::getSubscripts(getOperandMap(operand));
  if (std::optional<Fold> fold = getFold(operand))
    foldInto(projection, getExtents(), getInputType(operand).getShape(), *fold);
  return projection;
}

void teg::keepLabels(EinsumOp op, OpBuilder &builder) {
  llvm::SmallBitVector used = findUsedLabels(op);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&op.getBody().front());
  for (auto [number, label] : llvm::enumerate(op.getLabels()))
    if (!used.test(number))
      LabelOp::create(builder, op.getLoc(), builder.getIndexType(),
                      cast<StringAttr>(label));
}

Operation *EinsumOp::createBlock(OpBuilder &builder,
                                 const ShardedBlock &block) {
  llvm::SmallVector<int64_t> extents = shapeOf(block.range), shape;
  for (AffineExpr label : getResultMap().getResults())
    shape.push_back(extents[cast<AffineDimExpr>(label).getPosition()]);
  llvm::SmallVector<AffineMap> maps;
  for (const Projection &projection : block.projections)
    maps.push_back(
        index::getStartMap(projection, extents.size(), getContext()));
  maps.push_back(getResultMap());
  auto op = EinsumOp::create(
      builder, getLoc(), block.name,
      llvm::to_vector(getLabels().getAsValueRange<StringAttr>()), extents,
      block.operands, maps, /*pads=*/{}, getMonoid(),
      RankedTensorType::get(shape, block.elementType));
  op.setPadsAttr(getPadsAttr());
  if (block.isShard)
    op.setRangeAttr(index::RangeAttr::get(getContext(), block.range));
  op.setCustomIdentityAttr(getCustomIdentityAttr());
  IRMapping mapping;
  getBody().cloneInto(&op.getBody(), mapping);
  getCombiner().cloneInto(&op.getCombiner(), mapping);
  keepLabels(op, builder);
  return op;
}

Value EinsumOp::getReducedStack() {
  if (getInputs().size() != 1 || getMonoid() == Monoid::None ||
      getRangeAttr() || getPad(0) || getFold(0))
    return {};
  AffineMap read = getOperandMap(0);
  if (read.getNumResults() != getExtents().size() || !read.isPermutation() ||
      read.dropResult(0) != getResultMap())
    return {};
  Block &body = getBody().front();
  auto yield = cast<YieldOp>(body.getTerminator());
  return yield.getValue() == body.getArgument(0) ? getInputs()[0] : Value();
}

/// Whether two straight lines of scalar operations are equal; labels by place.
static bool areEqual(EinsumOp a, Region &of, EinsumOp b, Region &with) {
  if (of.empty() || with.empty())
    return of.empty() == with.empty();
  Block &left = of.front(), &right = with.front();
  if (left.getArgumentTypes() != right.getArgumentTypes() ||
      left.getOperations().size() != right.getOperations().size())
    return false;
  IRMapping same;
  same.map(left.getArguments(), right.getArguments());
  return llvm::all_of(llvm::zip_equal(left, right), [&](auto pair) {
    auto &[x, y] = pair;
    if (x.getName() != y.getName() ||
        x.getResultTypes() != y.getResultTypes() ||
        x.getNumOperands() != y.getNumOperands())
      return false;
    if (auto label = dyn_cast<LabelOp>(x)) {
      if (a.getLabelIndex(label.getLabel()) !=
          b.getLabelIndex(cast<LabelOp>(y).getLabel()))
        return false;
    } else if (x.getAttrDictionary() != y.getAttrDictionary()) {
      return false;
    }
    for (auto [p, q] : llvm::zip_equal(x.getOperands(), y.getOperands()))
      if (same.lookupOrNull(p) != q)
        return false;
    same.map(x.getResults(), y.getResults());
    return true;
  });
}

bool EinsumOp::computesAs(Operation *other) {
  auto op = dyn_cast<EinsumOp>(other);
  return op && op.getResultMap() == getResultMap() &&
         op.getPads() == getPads() && op.getMonoid() == getMonoid() &&
         op.getCustomIdentityAttr() == getCustomIdentityAttr() &&
         areEqual(*this, getCombiner(), op, op.getCombiner()) &&
         areEqual(*this, getBody(), op, op.getBody());
}

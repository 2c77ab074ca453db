//===- EinsumReads.cpp - What an einsum reads, and its bytecode -----------===//

#include "tapestry/Dialect/Index/IR/AffineForm.h"
#include "tapestry/Dialect/Index/IR/BytecodeVersion.h"
#include "tapestry/Dialect/Tapestry/IR/EinsumLabels.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"
#include "tapestry/Support/Access.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

//===----------------------------------------------------------------------===//
// Bytecode
//===----------------------------------------------------------------------===//

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
  index::RangeAttr range;
  if (index::BytecodeVersion::isRead(reader,
                                     TapestryDialect::getDialectNamespace(),
                                     index::BytecodeVersion::firstRanged) &&
      failed(reader.readOptionalAttribute(range)))
    return failure();
  if (range)
    return reader.emitError() << "the einsum " << p.name << " has the range "
                              << range << ": shards are tapestry.shard since";
  return success();
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
    writer.writeOptionalAttribute(index::RangeAttr());
}

//===----------------------------------------------------------------------===//
// Reads
//===----------------------------------------------------------------------===//

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

Value EinsumOp::getReducedStack() {
  if (getInputs().size() != 1 || getMonoid() == Monoid::None || getPad(0) ||
      getFold(0))
    return {};
  AffineMap read = getOperandMap(0);
  if (read.getNumResults() != getExtents().size() || !read.isPermutation() ||
      read.dropResult(0) != getResultMap())
    return {};
  Block &body = getBody().front();
  auto yield = cast<YieldOp>(body.getTerminator());
  return yield.getValue() == body.getArgument(0) ? getInputs()[0] : Value();
}

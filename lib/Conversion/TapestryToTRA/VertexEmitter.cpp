//===- VertexEmitter.cpp - A block operator over relations ----------------===//
//
// An operator with a scalar region becomes a join; any other a block, whose
// body it fills itself.
//
//===----------------------------------------------------------------------===//

#include "VertexEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"
#include "tapestry/Dialect/Index/IR/AffineForm.h"

using namespace mlir;
using namespace tapestry;

Type VertexEmitter::accumulatorType(unsigned result) {
  TypedAttr identity = op.getMonoidIdentity(result);
  return identity ? getElementTypeOrSelf(identity)
                  : tensorType(result).getElementType();
}

TypedAttr VertexEmitter::customIdentity(unsigned result) {
  return op.getResultMonoid(result) == Monoid::Custom
             ? op.getMonoidIdentity(result)
             : TypedAttr();
}

ArrayAttr VertexEmitter::padAttrs(bool ofPieces, size_t more) {
  SmallVector<Attribute> pads;
  std::optional<unsigned> last;
  for (auto &[operand, access] : pieces) {
    if (!ofPieces)
      break;
    if (op.getScalarRegion() && last == operand)
      pads.back() = tra::getElse(b.getContext());
    last = operand;
    Attribute pad = b.getUnitAttr();
    if (access.fallback == AccessFallback::Pad)
      pad = op.getPad(operand);
    // What a block reads has its folds at hand.
    for (const ProjectionDim &dim : access.projection.dims)
      if (op.getScalarRegion() && dim.fold != Fold::Wrap)
        pad = b.getStringAttr(stringifyFold(dim.fold));
    pads.push_back(pad);
  }
  pads.append(more, b.getUnitAttr());
  return b.getArrayAttr(pads);
}

ArrayAttr VertexEmitter::labelAttrs() {
  return b.getArrayAttr(
      llvm::map_to_vector(op.getLabelNames(), [&](StringRef name) -> Attribute {
        return b.getStringAttr(name);
      }));
}

/// Null where all index points read every operand.
ArrayAttr VertexEmitter::guardAttrs(size_t more) {
  SmallVector<Attribute> guards;
  bool isGuarded = false;
  for (auto &[operand, access] : pieces) {
    isGuarded |= !access.guard.empty();
    guards.push_back(access.guard.empty()
                         ? Attribute(b.getUnitAttr())
                         : index::RangeAttr::get(b.getContext(), access.guard));
  }
  guards.append(more, b.getUnitAttr());
  return isGuarded ? b.getArrayAttr(guards) : ArrayAttr();
}

FailureOr<SmallVector<Value>> VertexEmitter::emitWritten(ValueRange operands) {
  SmallVector<Projection> reads;
  for (auto &[operand, access] : pieces) {
    reads.push_back(access.projection);
    if (!op.getScalarRegion() && access.fallback == AccessFallback::Other)
      return op.emitError("'")
             << op.getVertexName() << "' reads operand " << operand
             << " in pieces that leave it, which only an operator with a "
                "scalar region can";
  }
  if (!op.getScalarRegion())
    return emitOwnBlock(operands, reads);
  return SmallVector<Value>{emitJoin(operands, reads)};
}

//===----------------------------------------------------------------------===//
// Joins
//===----------------------------------------------------------------------===//

/// Copies the scalar region. Where nothing is reduced, a body that yields the
/// accumulator of a narrow float type rounds in place.
void VertexEmitter::cloneScalarRegion(Region &kernel, Type yielded) {
  OpBuilder::InsertionGuard guard(b);
  IRMapping mapping;
  Region &from = *op.getScalarRegion();
  Block &source = from.front();
  SmallVector<Location> locations(source.getNumArguments(), from.getLoc());
  Block *target =
      b.createBlock(&kernel, {}, source.getArgumentTypes(), locations);
  mapping.map(source.getArguments(), target->getArguments());
  SmallVector<std::string> labels = op.getLabelNames();
  for (Operation &inner : source.without_terminator()) {
    if (std::optional<unsigned> label = op.getLabelReadBy(&inner)) {
      Value value = tra::LabelOp::create(b, inner.getLoc(), b.getIndexType(),
                                         labels[*label])
                        .getValue();
      if (int64_t start = op.getLabelStart(*label))
        value = arith::AddIOp::create(
            b, inner.getLoc(), value,
            arith::ConstantIndexOp::create(b, inner.getLoc(), start));
      mapping.map(inner.getResult(0), value);
    } else {
      b.clone(inner, mapping);
    }
  }
  Operation *end = source.getTerminator();
  Value value = mapping.lookupOrDefault(end->getOperand(0));
  if (value.getType() != yielded)
    value = arith::TruncFOp::create(b, end->getLoc(), yielded, value);
  tra::YieldOp::create(b, end->getLoc(), value);
}

/// Lets the op emit its combination of two accumulators.
void VertexEmitter::fillCombine(unsigned result, Region &combine) {
  OpBuilder::InsertionGuard guard(b);
  Type type = accumulatorType(result);
  Block *block = b.createBlock(&combine, {}, {type, type}, {loc, loc});
  Value combined = op.emitCombine(result, b, loc, block->getArgument(0),
                                  block->getArgument(1));
  tra::YieldOp::create(b, loc, combined);
}

Value VertexEmitter::emitJoin(ValueRange operands, ArrayRef<Projection> reads) {
  MLIRContext *context = b.getContext();
  SmallVector<int64_t> extents = op.getLabelExtents();
  Projection output = op.getResultProjections().front();
  SmallVector<AffineMap> maps;
  for (const Projection &projection : reads)
    maps.push_back(index::getStartMap(projection, extents.size(), context));
  AffineMap resultMap = index::getStartMap(output, extents.size(), context);
  maps.push_back(resultMap);
  Type elementType = accumulatorType(0);
  auto join = tra::JoinOp::create(
      b, loc,
      relationType(elementType,
                   tra::writtenLayout(resultMap, extents, partition)),
      b.getStringAttr(op.getVertexName()), labelAttrs(),
      b.getDenseI64ArrayAttr(extents),
      index::PartitionAttr::get(context, grid.getDeviceGrid(), partition),
      operands, b.getAffineMapArrayAttr(maps), padAttrs(),
      index::MonoidAttr::get(context, op.getResultMonoid(0)),
      customIdentity(0));
  cloneScalarRegion(join.getKernel(), elementType);
  if (customIdentity(0))
    fillCombine(0, join.getCombine());
  return join.getResult();
}

/// A join of its own that keeps its operand where it lies.
Value VertexEmitter::emitRounding(unsigned result, Value wide) {
  auto type = cast<tra::RelationType>(wide.getType());
  const Layout &layout = type.getLayout().getLayout();
  Type narrow = tensorType(result).getElementType();
  ArrayAttr allLabels = labelAttrs();
  SmallVector<Attribute> labels;
  Projection output = op.getResultProjections()[result];
  for (const ProjectionDim &dim : output.dims)
    labels.push_back(allLabels[dim.terms.front().dim]);
  Partition own;
  for (const LayoutDim &dim : layout.dims)
    own.cuts.push_back(Cut(dim.cut()));
  auto identity = AffineMapAttr::get(b.getMultiDimIdentityMap(type.getRank()));
  auto join = tra::JoinOp::create(
      b, loc, relationType(narrow, layout),
      b.getStringAttr(op.getResultName(result)), b.getArrayAttr(labels),
      b.getDenseI64ArrayAttr(type.getShape()),
      index::PartitionAttr::get(b.getContext(), grid.getDeviceGrid(), own),
      ValueRange{wide}, b.getArrayAttr({identity, identity}),
      b.getArrayAttr(b.getUnitAttr()),
      index::MonoidAttr::get(b.getContext(), Monoid::None), TypedAttr());
  OpBuilder::InsertionGuard guard(b);
  Block *body =
      b.createBlock(&join.getKernel(), {}, {type.getElementType()}, {loc});
  tra::YieldOp::create(
      b, loc, arith::TruncFOp::create(b, loc, narrow, body->getArgument(0)));
  return join.getResult();
}

Value VertexEmitter::emitAggregate(unsigned result, Value partial,
                                   const Layout &to) {
  auto aggregate = tra::AggregateOp::create(
      b, loc, relationType(accumulatorType(result), to),
      b.getStringAttr(op.getResultName(result)),
      index::MonoidAttr::get(b.getContext(), op.getResultMonoid(result)),
      partial, customIdentity(result));
  if (customIdentity(result))
    fillCombine(result, aggregate.getCombine());
  return aggregate.getResult();
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

FailureOr<tra::BlockOp> VertexEmitter::emitBlock(const Partition &cut,
                                                 ValueRange operands,
                                                 ArrayRef<Projection> reads,
                                                 size_t more, TypeRange results,
                                                 ArrayRef<Projection> writes,
                                                 LowerFn lower) {
  MLIRContext *context = b.getContext();
  SmallVector<int64_t> extents = op.getLabelExtents();
  auto attrsOf = [&](ArrayRef<Projection> projections) {
    return b.getArrayAttr(llvm::map_to_vector(
        projections, [&](const Projection &projection) -> Attribute {
          return index::ProjectionAttr::get(context, extents.size(),
                                            projection);
        }));
  };
  bool readsPieces = operands.size() > more;
  auto block = tra::BlockOp::create(
      b, loc, results, b.getStringAttr(op.getVertexName()), labelAttrs(),
      b.getDenseI64ArrayAttr(extents),
      index::PartitionAttr::get(context, grid.getDeviceGrid(), cut), operands,
      attrsOf(reads), readsPieces ? guardAttrs(more) : ArrayAttr(),
      padAttrs(readsPieces, more), attrsOf(writes));

  OpBuilder::InsertionGuard guard(b);
  SmallVector<Type> arguments =
      tra::bodyArguments(operands.getTypes(), block.getPads(), extents.size());
  SmallVector<Type> parts = tra::bodyResults(results);
  Block *body = b.createBlock(&block.getBody(), {}, arguments,
                              SmallVector<Location>(arguments.size(), loc));
  ValueRange values = body->getArguments();
  SmallVector<Value> starts, ends;
  for (size_t at = operands.size(); at < values.size(); at += 2) {
    starts.push_back(values[at]);
    ends.push_back(values[at + 1]);
  }
  FailureOr<SmallVector<Value>> computed =
      lower({values.take_front(operands.size()), starts, ends, parts});
  if (failed(computed))
    return failure();
  b.setInsertionPointToEnd(body);
  tra::BlockYieldOp::create(b, loc, *computed);
  return block;
}

SmallVector<Type> VertexEmitter::writtenTypes(const Partition &cut) {
  SmallVector<int64_t> extents = op.getLabelExtents();
  SmallVector<Type> results;
  for (auto [number, projection] : llvm::enumerate(op.getResultProjections()))
    results.push_back(
        relationType(accumulatorType(number),
                     tra::writtenLayout(projection, extents, cut,
                                        tensorType(number).getShape())));
  return results;
}

FailureOr<SmallVector<Value>>
VertexEmitter::emitOwnBlock(ValueRange operands, ArrayRef<Projection> reads) {
  auto scan = dyn_cast<ScanInterface>(*op);
  if (std::optional<unsigned> label =
          scan ? scan.getScannedLabel() : std::nullopt) {
    TotalsShape totals(op.getLabelExtents(), *label,
                       partsOf(grid.getDeviceGrid(), partition.cuts[*label]),
                       scan.getTotalCount());
    if (totals.numBlocks > 1)
      return emitBehind(scan, *label, totals, operands, reads);
  }
  FailureOr<tra::BlockOp> block =
      emitBlock(partition, operands, reads, /*more=*/0, writtenTypes(partition),
                op.getResultProjections(), [&](const LocalBlock &local) {
                  return op.lowerLocal(b, loc, local);
                });
  if (failed(block))
    return failure();
  return SmallVector<Value>(block->getResults());
}

/// The dimensions of totals: the labels, of which the scanned one is divided by
/// `step`, and what is behind them.
static Projection projectTotals(const TotalsShape &totals, size_t numLabels,
                                unsigned label, int64_t step) {
  Projection projection = Projection::identity(numLabels);
  projection.dims[label].floordiv = step;
  for (int64_t extent : ArrayRef(totals.shape).drop_front(numLabels))
    projection.dims.push_back({{}, 0, /*size=*/extent});
  return projection;
}

FailureOr<Value> VertexEmitter::emitTotals(ScanInterface scan, unsigned label,
                                           const TotalsShape &totals,
                                           ValueRange operands,
                                           ArrayRef<Projection> reads) {
  SmallVector<int64_t> extents = op.getLabelExtents();
  Projection write = projectTotals(totals, extents.size(), label,
                                   totals.isPerBlock ? totals.blockSize : 1);
  Type made =
      relationType(scan.getTotalType(),
                   tra::writtenLayout(write, extents, partition, totals.shape));
  FailureOr<tra::BlockOp> block =
      emitBlock(partition, operands, reads, /*more=*/0, made, write,
                [&](const LocalBlock &local) -> FailureOr<SmallVector<Value>> {
                  FailureOr<Value> given =
                      scan.lowerTotals(b, loc, local, totals.blockSize);
                  if (failed(given))
                    return failure();
                  return SmallVector<Value>{*given};
                });
  if (failed(block))
    return failure();
  SmallVector<Cut> cuts = llvm::to_vector(partition.cuts);
  cuts[label].clear();
  cuts.resize(totals.shape.size());
  return tra::RepartitionOp::create(
             b, loc,
             relationType(scan.getTotalType(),
                          Layout::blocked(totals.shape, cuts)),
             b.getStringAttr(op.getVertexName()), StringAttr(),
             block->getResult(0))
      .getResult();
}

FailureOr<SmallVector<Value>>
VertexEmitter::emitBehind(ScanInterface scan, unsigned label,
                          const TotalsShape &totals, ValueRange operands,
                          ArrayRef<Projection> reads) {
  FailureOr<Value> given = emitTotals(scan, label, totals, operands, reads);
  if (failed(given))
    return failure();
  SmallVector<Value> all;
  SmallVector<Projection> allReads;
  if (scan.readsBehindTotals()) {
    llvm::append_range(all, operands);
    llvm::append_range(allReads, reads);
  }
  all.push_back(*given);
  size_t numLabels = op.getIndexRank();
  allReads.push_back(projectTotals(totals, numLabels, label, /*step=*/1));
  allReads.back().dims[label] = {{}, 0, /*size=*/totals.shape[label]};
  // What has no part of a block is computed whole, from all totals.
  Partition cut = partition;
  std::vector<Projection> writes = op.getResultProjections();
  bool isWritten = llvm::any_of(writes.front().dims, [&](ProjectionDim &dim) {
    return dim.isPlainDim() && dim.terms.front().dim == label;
  });
  if (!isWritten)
    cut.cuts[label].clear();
  FailureOr<tra::BlockOp> block = emitBlock(
      cut, all, allReads, /*more=*/1, writtenTypes(cut), writes,
      [&](const LocalBlock &local) -> FailureOr<SmallVector<Value>> {
        Value size = arith::ConstantIndexOp::create(b, loc, totals.blockSize);
        Value part = arith::DivUIOp::create(b, loc, local.starts[label], size);
        LocalBlock own = local;
        own.windows = local.windows.drop_back();
        return scan.lowerBehind(b, loc, own, local.windows.back(), part,
                                totals.blockSize);
      });
  if (failed(block))
    return failure();
  return SmallVector<Value>(block->getResults());
}

//===- FormStreams.cpp - Loops over blocks of a tensor --------------------===//
//
// Builds the loops of a Stream.
//
//===----------------------------------------------------------------------===//

#include "BlockBuffers.h"
#include "RowGroup.h"
#include "Stream.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "tapestry/Codegen/Common/DeviceCode.h"
#include "tapestry/Codegen/Common/IndexBuilder.h"
#include "tapestry/Codegen/Common/NestProblem.h"
#include "tapestry/Codegen/Common/Passes.h"
#include "tapestry/Dialect/Index/IR/RelativeSums.h"

using namespace mlir;
using linalg::GenericOp;

namespace tapestry {

#define GEN_PASS_DEF_FORMSTREAMS
#include "tapestry/Codegen/Common/Passes.h.inc"

namespace {

/// Columns of a block: panels of so many rows of an operand stay in the
/// first-level cache.
constexpr int64_t mostColumns = 256;
/// Blocks begin at multiples of so many columns and rows.
constexpr int64_t wholeColumns = 16;
constexpr int64_t wholeRows = 8;
/// Where columns are not cut, rows of a block: with fewer, operands that all
/// blocks read would take longer than what they serve.
constexpr int64_t leastRows = 16;

/// Replaces a stream by its loops.
class StreamLoop {
public:
  StreamLoop(IndexBuilder &b, const Stream &stream, int64_t blockBytes)
      : b(b), stream(stream), tensor(stream.tensor), blockBytes(blockBytes),
        extents(tensor.getType().getRank()), blocks(extents.size()),
        starts(extents.size()), sizes(extents.size()) {}

  void build();
  bool cutsColumns() const { return cuts; }

private:
  using Body = llvm::function_ref<void(OpBuilder &, Location, ValueRange)>;

  void hoistFactor();
  void chooseBlocks();
  void makeLocals();
  Value makeLocal(ArrayRef<int> dims, MemRefType type, Value old);
  void emitRows(unsigned level);
  void emitBlock();
  void emitBefore();
  void emitInside();
  void emitAfter();
  void emitMember(const StreamMember &member);
  void emitShift();
  void emitLastShift();
  Value emitBound(OpBuilder &b, Value greatest);
  void scaleSum(const RelativeSum &sum);
  void applyFactors(const RelativeSum &sum);
  Value viewOf(Value buffer, ArrayRef<int> dims);
  Value viewOf(Value buffer) {
    return viewOf(buffer, stream.written.find(buffer)->second);
  }
  void generic(ArrayRef<Value> inputs, ArrayRef<Value> outputs,
               ArrayRef<SmallVector<int>> dims, Body body);
  std::pair<OpFoldResult, OpFoldResult> columnsOfRows();
  void loopOver(int label, OpFoldResult first, OpFoldResult last,
                llvm::function_ref<void()> emitBody);

  IndexBuilder &b;
  const Stream &stream;
  memref::AllocOp tensor;
  int64_t blockBytes;
  bool cuts = false;
  /// Per label: all its points, those of a block, and where the block that is
  /// being built starts and how many points it has.
  SmallVector<OpFoldResult> extents, blocks, starts, sizes;
  /// Buffers of the stream alone, and what replaces them.
  BlockBuffers locals;
  /// The greatest of a row before this block, the one that values are relative
  /// to, and what sums are multiplied by for that.
  Value last, reference, factor;
  llvm::SmallDenseMap<std::pair<Value, AffineMap>, Value> views;
  scf::ForOp outermost;
};

/// Blocks of even size, so that the last ones are not remnants.
void StreamLoop::chooseBlocks() {
  int64_t bytes = 0;
  for (auto &[buffer, dims] : stream.written)
    if (stream.hasColumn(buffer))
      bytes +=
          *storedBytes(cast<MemRefType>(buffer.getType()).getElementType());
  for (unsigned label = 0; label < extents.size(); ++label) {
    extents[label] = sizeOf(b, tensor, label);
    blocks[label] = b.index(1);
  }
  auto even = [&](OpFoldResult extent, int64_t most, int64_t whole) {
    extent = b.max(extent, b.index(1));
    OpFoldResult count = b.ceilDiv(extent, b.index(most));
    return b.min(b.alignUp(b.ceilDiv(extent, count), whole), extent);
  };
  OpFoldResult columns = extents[stream.column];
  int64_t points = std::max<int64_t>(blockBytes / bytes, 1);
  int64_t known = b.known(columns).value_or(mostColumns);
  cuts = stream.cutsColumns && known > 0 &&
         (!b.known(columns) || known > mostColumns);
  blocks[stream.column] =
      cuts ? even(columns, mostColumns, wholeColumns) : columns;
  known = b.known(blocks[stream.column]).value_or(mostColumns);
  int64_t rows = std::max(points / std::max<int64_t>(known, 1), leastRows);
  blocks[stream.rows.back()] =
      even(extents[stream.rows.back()], rows, wholeRows);
}

Value StreamLoop::makeLocal(ArrayRef<int> dims, MemRefType type, Value old) {
  SmallVector<OpFoldResult> sizesHere;
  for (auto [dim, label] : llvm::enumerate(dims))
    sizesHere.push_back(label >= 0 ? blocks[label] : sizeOf(b, old, dim));
  return allocateBlock(b, sizesHere, type.getElementType());
}

/// Buffers allocated in this block that only members (and a free) use.
void StreamLoop::makeLocals() {
  Block *home = tensor->getBlock();
  for (auto &[buffer, dims] : stream.written) {
    auto alloc = buffer.getDefiningOp<memref::AllocOp>();
    if (alloc && alloc->getBlock() == home &&
        llvm::all_of(alloc->getUsers(), [&](Operation *user) {
          return isa<memref::DeallocOp>(user) || stream.isMember(user);
        }))
      locals[buffer] = makeLocal(dims, alloc.getType(), buffer);
  }
  if (!cuts || !stream.greatest)
    return;
  ArrayRef<int> dims = stream.written.find(stream.greatest)->second;
  auto type = cast<MemRefType>(stream.greatest.getType());
  for (Value *made : {&last, &reference, &factor})
    *made = makeLocal(dims, type, stream.greatest);
}

/// The part of a buffer that belongs to the block; `dims` are the labels of its
/// dimensions.
Value StreamLoop::viewOf(Value buffer, ArrayRef<int> dims) {
  auto *local = locals.find(buffer);
  bool isLocal = local != locals.end() || buffer == last ||
                 buffer == reference || buffer == factor;
  SmallVector<AffineExpr> positions;
  SmallVector<OpFoldResult> offsets, sizesHere,
      strides(dims.size(), b.index(1));
  for (auto [dim, label] : llvm::enumerate(dims)) {
    offsets.push_back(label >= 0 && !isLocal ? starts[label] : b.index(0));
    sizesHere.push_back(label >= 0 ? sizes[label] : sizeOf(b, buffer, dim));
    positions.push_back(b.getAffineConstantExpr(label));
  }
  AffineMap key = AffineMap::get(0, 0, positions, b.getContext());
  Value &view = views[{buffer, key}];
  if (!view)
    view = memref::SubViewOp::create(
        b, local == locals.end() ? buffer : local->second, offsets, sizesHere,
        strides);
  return view;
}

void StreamLoop::emitMember(const StreamMember &member) {
  GenericOp op = member.op;
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    if (!isa<MemRefType>(value.getType())) {
      operands.push_back(value);
      continue;
    }
    SmallVector<int> dims;
    for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults()) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      dims.push_back(dim ? member.labels[dim.getPosition()] : -1);
    }
    // What has columns is relative to the greatest so far.
    if (cuts && value == stream.greatest && op.isDpsInput(&operand) &&
        member.phase == StreamPhase::Inside)
      value = reference;
    operands.push_back(viewOf(value, dims));
  }
  if (cuts && reference)
    for (Value output : op.getOutputs())
      if (const RelativeSum *sum = stream.findSum(output);
          sum && member.phase == StreamPhase::Inside)
        scaleSum(*sum);
  IRMapping mapping;
  auto made = cast<GenericOp>(b.clone(*op, mapping));
  made->setOperands(operands);
  // The reference is what is subtracted, and not what that is made of.
  if (cuts && stream.bound && stream.bound != stream.boundArgument &&
      stream.boundArgument.getOwner() == op.getBody())
    mapping.lookup(stream.bound)
        .replaceAllUsesWith(mapping.lookup(Value(stream.boundArgument)));
  // Indices count from the block's start.
  OpBuilder::InsertionGuard guard(b);
  for (auto index :
       llvm::to_vector(made.getBody()->getOps<linalg::IndexOp>())) {
    int label = member.labels[index.getDim()];
    if (label < 0)
      continue;
    b.setInsertionPointAfter(index);
    auto moved =
        arith::AddIOp::create(b, index.getResult(), b.value(starts[label]));
    index.getResult().replaceAllUsesExcept(moved, moved);
  }
}

/// An elementwise operation over the labels of the last output.
void StreamLoop::generic(ArrayRef<Value> inputs, ArrayRef<Value> outputs,
                         ArrayRef<SmallVector<int>> dims, Body body) {
  ArrayRef<int> loops = dims.back();
  SmallVector<AffineMap> maps;
  for (ArrayRef<int> places : dims) {
    SmallVector<AffineExpr> exprs;
    for (auto [dim, label] : llvm::enumerate(places)) {
      unsigned loop =
          label < 0 ? dim : llvm::find(loops, label) - loops.begin();
      exprs.push_back(b.getAffineDimExpr(loop));
    }
    maps.push_back(AffineMap::get(loops.size(), 0, exprs, b.getContext()));
  }
  SmallVector<utils::IteratorType> kinds(loops.size(),
                                         utils::IteratorType::parallel);
  GenericOp::create(b, b.getLoc(), inputs, outputs, maps, kinds, body);
}

/// `yes` where `value` is -inf, `no` elsewhere.
static Value selectLeast(OpBuilder &b, Location loc, Value value, Value yes,
                         Value no) {
  return arith::SelectOp::create(b, loc, index::emitIsLeast(b, loc, value), yes,
                                 no);
}

/// What the member subtracts where the greatest value is `greatest`.
Value StreamLoop::emitBound(OpBuilder &b, Value greatest) {
  IRMapping mapping;
  mapping.map(stream.boundArgument, greatest);
  Block *body = stream.boundArgument.getOwner();
  std::function<Value(Value)> emit = [&](Value value) -> Value {
    Operation *op = value.getDefiningOp();
    if (mapping.contains(value) || !op || op->getBlock() != body)
      return mapping.lookupOrDefault(value);
    for (Value operand : op->getOperands())
      emit(operand);
    return b.clone(*op, mapping)->getResult(0);
  };
  return emit(stream.bound);
}

/// -inf would give no numbers; whatever is subtracted instead, exp(-inf) is 0.
static Value finite(OpBuilder &b, Location loc, Value bound) {
  Value zero =
      arith::ConstantOp::create(b, loc, b.getFloatAttr(bound.getType(), 0.0));
  return selectLeast(b, loc, bound, zero, bound);
}

/// Behind the greatest of a block: what sums so far are to be multiplied by.
void StreamLoop::emitShift() {
  SmallVector<int> dims = stream.written.find(stream.greatest)->second;
  generic({viewOf(stream.greatest)},
          {viewOf(last, dims), viewOf(reference, dims), viewOf(factor, dims)},
          {dims, dims, dims, dims},
          [&](OpBuilder &b, Location loc, ValueRange arguments) {
            Value greatest = arguments[0];
            Value bound = finite(b, loc, emitBound(b, greatest));
            Value step = arith::SubFOp::create(b, loc, arguments[1], bound);
            Value scale = math::ExpOp::create(b, loc, step);
            // As long as there is nothing, there is nothing to scale.
            Value next = selectLeast(b, loc, greatest, greatest, bound);
            linalg::YieldOp::create(b, loc, ValueRange{next, bound, scale});
          });
}

/// Where what is to be subtracted in the end is infinite, sums have no value.
void StreamLoop::emitLastShift() {
  SmallVector<int> dims = stream.written.find(stream.greatest)->second;
  generic({viewOf(stream.greatest)}, {viewOf(factor, dims)}, {dims, dims},
          [&](OpBuilder &b, Location loc, ValueRange arguments) {
            Value bound = emitBound(b, arguments[0]);
            Value step =
                arith::SubFOp::create(b, loc, finite(b, loc, bound), bound);
            linalg::YieldOp::create(
                b, loc, ValueRange{math::ExpOp::create(b, loc, step)});
          });
}

void StreamLoop::scaleSum(const RelativeSum &sum) {
  SmallVector<int> dims = stream.written.find(stream.greatest)->second;
  generic({viewOf(factor, dims)}, {viewOf(sum.buffer)},
          {dims, stream.written.find(sum.buffer)->second},
          [](OpBuilder &b, Location loc, ValueRange arguments) {
            linalg::YieldOp::create(
                b, loc, index::emitWeighed(b, loc, arguments[1], arguments[0]));
          });
}

/// What members have left to be done with the sum.
void StreamLoop::applyFactors(const RelativeSum &sum) {
  for (GenericOp op : sum.factors) {
    unsigned by = stream.hasColumn(op.getInputs()[0]) ? 1 : 0;
    Value value = op.getInputs()[by];
    generic({viewOf(value)}, {viewOf(sum.buffer)},
            {stream.written.find(value)->second,
             stream.written.find(sum.buffer)->second},
            [&](OpBuilder &b, Location loc, ValueRange arguments) {
              IRMapping mapping;
              mapping.map(op.getBody()->getArgument(by), arguments[0]);
              mapping.map(op.getBody()->getArgument(1 - by), arguments[1]);
              Operation *made = b.clone(op.getBody()->front(), mapping);
              linalg::YieldOp::create(b, loc, made->getResults());
            });
  }
}

void StreamLoop::emitInside() {
  for (const StreamMember &member : stream.members) {
    if (member.deferred || member.phase != StreamPhase::Inside)
      continue;
    emitMember(member);
    GenericOp op = member.op;
    if (reference && !isFill(op) &&
        llvm::is_contained(op.getOutputs(), stream.greatest))
      emitShift();
  }
}

void StreamLoop::emitBefore() {
  for (const StreamMember &member : stream.members)
    if (member.phase == StreamPhase::Before)
      emitMember(member);
  if (!reference)
    return;
  SmallVector<int> dims = stream.written.find(stream.greatest)->second;
  generic({}, {viewOf(last, dims)}, {dims},
          [](OpBuilder &b, Location loc, ValueRange arguments) {
            Value least = index::emitLeast(b, loc, arguments[0].getType());
            linalg::YieldOp::create(b, loc, least);
          });
}

/// From where to where the columns of a block of rows are computed: whole
/// blocks, and at least one.
std::pair<OpFoldResult, OpFoldResult> StreamLoop::columnsOfRows() {
  int row = stream.rows.back();
  OpFoldResult columns = extents[stream.column], block = blocks[stream.column];
  OpFoldResult first, end;
  for (const StreamMask &mask : stream.masks) {
    // Of all rows of the block, one goes the farthest.
    OpFoldResult at = starts[row];
    if (mask.side > 0)
      at = b.add(b.add(at, sizes[row]), b.index(mask.constant));
    else
      at = b.sub(at, b.index(mask.constant));
    for (auto [factor, value] : mask.terms)
      at = b.add(at, b.mul(b.index(factor * mask.side), value));
    if (mask.side > 0)
      end = end ? b.max(end, at) : at;
    else
      first = first ? b.min(first, at) : at;
  }
  first = first ? b.max(first, b.index(0)) : b.index(0);
  // Of the last block at most.
  OpFoldResult begin = b.mul(
      b.div(b.min(first, b.max(b.sub(columns, b.index(1)), b.index(0))), block),
      block);
  end = end ? b.min(end, columns) : columns;
  return {begin, b.max(end, b.min(b.add(begin, b.index(1)), columns))};
}

/// In the order of members: those that run now read sums that are complete.
void StreamLoop::emitAfter() {
  if (reference)
    emitLastShift();
  for (const StreamMember &member : stream.members) {
    if (member.phase == StreamPhase::After)
      emitMember(member);
    if (member.phase != StreamPhase::Inside || isFill(member.op))
      continue;
    for (Value output : GenericOp(member.op).getOutputs())
      if (const RelativeSum *sum = stream.findSum(output)) {
        scaleSum(*sum);
        applyFactors(*sum);
      }
  }
}

void StreamLoop::loopOver(int label, OpFoldResult first, OpFoldResult last,
                          llvm::function_ref<void()> emitBody) {
  auto loop = scf::ForOp::create(b, b.value(first), b.value(last),
                                 b.value(blocks[label]));
  if (label != stream.column)
    loop->setAttr(parallelAttrName, b.getUnitAttr());
  if (!outermost)
    outermost = loop;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  starts[label] = loop.getInductionVar();
  auto all = b.known(extents[label]), block = b.known(blocks[label]);
  sizes[label] =
      all && block && *all % *block == 0
          ? blocks[label]
          : b.min(blocks[label], b.sub(extents[label], starts[label]));
  emitBody();
}

void StreamLoop::emitBlock() {
  views.clear();
  int column = stream.column;
  starts[column] = b.index(0);
  if (!cuts) {
    sizes[column] = extents[column];
    for (const StreamMember &member : stream.members)
      emitMember(member);
    return;
  }
  emitBefore();
  views.clear();
  auto [first, end] = columnsOfRows();
  loopOver(column, first, end, [&]() { emitInside(); });
  views.clear();
  emitAfter();
}

void StreamLoop::emitRows(unsigned level) {
  if (level == stream.rows.size())
    return emitBlock();
  int label = stream.rows[level];
  loopOver(label, b.index(0), extents[label], [&]() { emitRows(level + 1); });
}

/// What every term of the contraction is multiplied by is left to those who
/// read its result: they do it once, not for every term.
void StreamLoop::hoistFactor() {
  GenericOp producer;
  for (const StreamMember &member : stream.members)
    if (!producer && !isFill(member.op))
      producer = member.op;
  Block &body = *producer.getBody();
  auto sum = body.getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!sum || sum.getLhs() != body.getArguments().back() ||
      !stream.startsFromZero(tensor.getMemref()))
    return;
  auto product = sum.getRhs().getDefiningOp<arith::MulFOp>();
  if (!product || !product->hasOneUse())
    return;
  auto isOutside = [&](Value value) {
    return value.getParentBlock() != &body || matchPattern(value, m_Constant());
  };
  Value factor;
  for (unsigned side : {0, 1})
    if (isOutside(product->getOperand(side))) {
      factor = product->getOperand(side);
      sum.getRhsMutable().assign(product->getOperand(1 - side));
    }
  if (!factor)
    return;
  // As another user, it would keep the product of the terms from being fused
  // with their sum.
  product.erase();
  for (const StreamMember &member : stream.members) {
    GenericOp op = member.op;
    if (op == producer || isFill(op))
      continue;
    OpBuilder inside = OpBuilder::atBlockBegin(op.getBody());
    for (OpOperand *input : op.getDpsInputOperands()) {
      BlockArgument argument = op.getMatchingBlockArgument(input);
      if (input->get() != Value(tensor.getMemref()) || argument.use_empty())
        continue;
      Value scale = factor;
      if (Operation *constant = factor.getDefiningOp();
          constant && constant->getBlock() == &body)
        scale = inside.clone(*constant)->getResult(0);
      auto scaled = arith::MulFOp::create(inside, op.getLoc(), argument, scale);
      argument.replaceAllUsesExcept(scaled, scaled);
    }
    // From then on it holds something else.
    if (llvm::is_contained(op.getOutputs(), Value(tensor.getMemref())))
      return;
  }
}

void StreamLoop::build() {
  Operation *first = stream.members.front().op;
  Operation *end = stream.members.back().op;
  SmallVector<Operation *> frees;
  for (Operation *at = first; at != end; at = at->getNextNode())
    if (isLocalFree(at))
      frees.push_back(at);
  for (Operation *free : frees)
    free->moveAfter(end);
  b.setInsertionPoint(end);
  hoistFactor();
  chooseBlocks();
  makeLocals();
  emitRows(0);
  becomeKernel(b, outermost, end);
  for (auto &[old, made] : locals)
    memref::DeallocOp::create(b, made);
  for (Value made : {last, reference, factor})
    if (made)
      memref::DeallocOp::create(b, made);
  for (const StreamMember &member : llvm::reverse(stream.members))
    member.op->erase();
  eraseReplaced(locals);
}

struct FormStreams : public impl::FormStreamsBase<FormStreams> {
  using FormStreamsBase::FormStreamsBase;

  void runOnOperation() override {
    if (getOperation().isDeclaration() || !isDeviceCode(getOperation()) ||
        isKernel(getOperation()))
      return;
    for (Block &block : getOperation().getBody())
      runOnBlock(block);
  }

  void runOnBlock(Block &block) {
    StreamLimits limits{leastBytes, mostPoints};
    for (Operation *at = &block.front(); at;) {
      Operation *next = at->getNextNode();
      auto op = dyn_cast<GenericOp>(at);
      at = next;
      if (!op)
        continue;
      std::optional<Stream> stream = findStream(op, limits);
      if (!stream || !fits(*stream))
        continue;
      while (at && stream->isMember(at))
        at = at->getNextNode();
      IndexBuilder b(stream->members.back().op->getLoc(), getOperation());
      StreamLoop loop(b, *stream, blockBytes);
      loop.build();
      ++numStreams;
      numCut += loop.cutsColumns();
    }
  }

  /// Whether some rows of all columns are few enough, where columns cannot be
  /// cut.
  bool fits(const Stream &stream) {
    memref::AllocOp tensor = stream.tensor;
    MemRefType type = tensor.getType();
    return stream.cutsColumns || expectedExtent(tensor, stream.column) *
                                         *storedBytes(type.getElementType()) *
                                         leastRows <=
                                     4 * blockBytes;
  }
};

} // namespace
} // namespace tapestry

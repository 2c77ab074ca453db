//===- FormRowKernels.cpp - One loop over rows for several operations -----===//
//
// Builds the loop of a RowGroup: blocks of rows as subviews, and buffers that
// only the group uses shrunk to one block.
//
//===----------------------------------------------------------------------===//

#include "BlockBuffers.h"
#include "RowGroup.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tapestry/Codegen/Common/DeviceCode.h"
#include "tapestry/Codegen/Common/IndexBuilder.h"
#include "tapestry/Codegen/Common/Passes.h"

using namespace mlir;
using linalg::GenericOp;

namespace tapestry {

#define GEN_PASS_DEF_FORMROWKERNELS
#include "tapestry/Codegen/Common/Passes.h.inc"

namespace {

/// What `type` has per point of its first `rank` dimensions; nothing where that
/// is not known.
std::optional<int64_t> bytesOfRow(MemRefType type, unsigned rank) {
  ArrayRef<int64_t> shape = type.getShape().drop_front(rank);
  if (llvm::any_of(shape, ShapedType::isDynamic))
    return std::nullopt;
  int64_t bytes = *storedBytes(type.getElementType());
  for (int64_t extent : shape)
    bytes *= extent;
  return bytes;
}

/// Whether one row is enough to do for some threads. Where it is more than fits
/// near them, there are to be rows for many of those, too.
bool hasWorkInRows(const RowGroup &group) {
  constexpr int64_t leastBytes = 128, mostBytes = 1 << 18, manyRows = 64;
  unsigned rank = group.finalRank();
  int64_t longest = 0, rows = manyRows;
  for (GenericOp op : group.getOps()) {
    SmallVector<unsigned> loops = rowLoopsOf(op);
    for (OpOperand &operand : op->getOpOperands()) {
      auto type = dyn_cast<MemRefType>(operand.get().getType());
      if (!type || accessOf(operand, loops, rank) != RowAccess::Rows)
        continue;
      longest = std::max(longest, bytesOfRow(type, rank).value_or(leastBytes));
      rows = 1;
      for (int64_t extent : type.getShape().take_front(rank))
        rows *= ShapedType::isDynamic(extent) ? manyRows
                                              : std::min(extent, manyRows);
    }
  }
  return longest >= leastBytes && (longest <= mostBytes || rows >= manyRows);
}

/// Replaces one group by its loop.
class RowLoop {
public:
  RowLoop(IndexBuilder &b, const RowGroup &group, int64_t blockBytes,
          int64_t rowBytes)
      : b(b), group(group), rank(group.finalRank()), blockBytes(blockBytes),
        oneByOne(rowBytes != 0), room(rowBytes) {}

  /// Returns the number of buffers that became one block large.
  unsigned build();

private:
  void chooseBlock();
  void findLocals();
  bool takeRoom(MemRefType type);
  void emitLocals();
  void emitLoops(unsigned level);
  void emitBody();
  Value viewOf(OpOperand &operand, ArrayRef<unsigned> rows);
  GenericOp cloneOnBlock(GenericOp op);

  IndexBuilder &b;
  const RowGroup &group;
  unsigned rank;
  int64_t blockBytes;
  bool oneByOne;
  /// One by one: bytes that a row may still take.
  int64_t room;
  /// A buffer with one row per row of the group.
  Value rowBuffer;
  OpFoldResult block, blockRows;
  SmallVector<OpFoldResult> ivs;
  /// Buffers of the group alone, and what replaces them.
  BlockBuffers locals;
  llvm::SmallDenseMap<std::pair<Value, AffineMap>, Value> views;
  scf::ForOp outermost;
};

/// One row, or as many as fit into `blockBytes` with all the group's buffers.
void RowLoop::chooseBlock() {
  llvm::SmallSetVector<Value, 8> seen;
  OpFoldResult bytes = b.index(0);
  for (GenericOp op : group.getOps()) {
    SmallVector<unsigned> rows = rowLoopsOf(op);
    for (OpOperand &operand : op->getOpOperands()) {
      auto type = dyn_cast<MemRefType>(operand.get().getType());
      if (!type || accessOf(operand, rows, rank) != RowAccess::Rows ||
          !seen.insert(operand.get()))
        continue;
      if (!rowBuffer)
        rowBuffer = operand.get();
      if (oneByOne) {
        block = b.index(1);
        return;
      }
      OpFoldResult one = b.index(*storedBytes(type.getElementType()));
      for (unsigned dim = rank; dim < type.getRank(); ++dim)
        one = b.mul(one, sizeOf(b, operand.get(), dim));
      bytes = b.add(bytes, one);
    }
  }
  OpFoldResult rows = sizeOf(b, rowBuffer, rank - 1);
  block = b.div(b.index(blockBytes), b.max(bytes, b.index(1)));
  block = b.max(b.min(block, rows), b.index(1));
}

/// Buffers allocated in this block that only the group (and a free) uses.
void RowLoop::findLocals() {
  Block *home = group.getOps().front()->getBlock();
  for (GenericOp op : group.getOps())
    for (Value output : op.getOutputs()) {
      auto alloc = output.getDefiningOp<memref::AllocOp>();
      if (!alloc || alloc->getBlock() != home)
        continue;
      bool local = llvm::all_of(alloc->getUsers(), [&](Operation *user) {
        auto generic = dyn_cast<GenericOp>(user);
        return isa<memref::DeallocOp>(user) ||
               (generic && llvm::is_contained(group.getOps(), generic));
      });
      if (local && !locals.contains(output) && takeRoom(alloc.getType()))
        locals.insert({output, Value()});
    }
}

/// Takes room for a row of this type beside those before, if there is any.
bool RowLoop::takeRoom(MemRefType type) {
  if (!oneByOne)
    return true;
  std::optional<int64_t> bytes = bytesOfRow(type, rank);
  if (!bytes || *bytes > room || !type.getElementType().isIntOrFloat())
    return false;
  room -= *bytes;
  return true;
}

void RowLoop::emitLocals() {
  for (auto &[old, made] : locals) {
    auto type = cast<MemRefType>(old.getType());
    SmallVector<OpFoldResult> sizes;
    for (unsigned dim = 0; dim < type.getRank(); ++dim)
      sizes.push_back(dim + 1 < rank    ? b.index(1)
                      : dim + 1 == rank ? block
                                        : sizeOf(b, old, dim));
    made = allocateBlock(b, sizes, type.getElementType());
  }
}

/// The part of a buffer that a block of rows reads or writes.
Value RowLoop::viewOf(OpOperand &operand, ArrayRef<unsigned> rows) {
  auto op = cast<GenericOp>(operand.getOwner());
  Value buffer = operand.get();
  auto type = dyn_cast<MemRefType>(buffer.getType());
  if (!type || accessOf(operand, rows, rank) == RowAccess::Whole)
    return buffer;
  // Which of the group's rows each dimension is; equal views must be one value.
  SmallVector<AffineExpr> positions;
  SmallVector<OpFoldResult> offsets, sizes, strides(type.getRank(), b.index(1));
  auto *local = locals.find(buffer);
  for (auto [dim, expr] :
       llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults())) {
    auto plain = dyn_cast<AffineDimExpr>(expr);
    const auto *row =
        plain ? llvm::find(rows.take_front(rank), plain.getPosition())
              : rows.take_front(rank).end();
    if (row == rows.take_front(rank).end()) {
      offsets.push_back(b.index(0));
      sizes.push_back(sizeOf(b, buffer, dim));
      positions.push_back(b.getAffineConstantExpr(0));
      continue;
    }
    unsigned number = row - rows.begin();
    offsets.push_back(local == locals.end() ? ivs[number] : b.index(0));
    sizes.push_back(number + 1 == rank ? blockRows : b.index(1));
    positions.push_back(b.getAffineDimExpr(number));
  }
  AffineMap key = AffineMap::get(rank, 0, positions, b.getContext());
  Value &view = views[{buffer, key}];
  if (!view)
    view = memref::SubViewOp::create(
        b, local == locals.end() ? buffer : local->second, offsets, sizes,
        strides);
  return view;
}

GenericOp RowLoop::cloneOnBlock(GenericOp op) {
  SmallVector<unsigned> rows = rowLoopsOf(op);
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands())
    operands.push_back(viewOf(operand, rows));
  auto made = cast<GenericOp>(b.clone(*op));
  made->setOperands(operands);
  // Indices count from the block's start.
  OpBuilder::InsertionGuard guard(b);
  for (auto index :
       llvm::to_vector(made.getBody()->getOps<linalg::IndexOp>())) {
    const auto *row =
        llvm::find(ArrayRef(rows).take_front(rank), index.getDim());
    if (row == ArrayRef(rows).take_front(rank).end())
      continue;
    b.setInsertionPointAfter(index);
    auto moved = arith::AddIOp::create(b, index.getResult(),
                                       b.value(ivs[row - rows.begin()]));
    index.getResult().replaceAllUsesExcept(moved, moved);
  }
  return made;
}

void RowLoop::emitBody() {
  OpFoldResult left = b.sub(sizeOf(b, rowBuffer, rank - 1), ivs.back());
  auto rows = b.known(sizeOf(b, rowBuffer, rank - 1)), size = b.known(block);
  bool isWhole = size && (*size == 1 || (rows && *rows % *size == 0));
  blockRows = isWhole ? block : b.min(block, left);
  for (GenericOp op : group.getOps())
    cloneOnBlock(op);
}

void RowLoop::emitLoops(unsigned level) {
  if (level == rank)
    return emitBody();
  OpFoldResult step = level + 1 == rank ? block : b.index(1);
  auto loop = scf::ForOp::create(
      b, b.value(0), b.value(sizeOf(b, rowBuffer, level)), b.value(step));
  loop->setAttr(parallelAttrName, b.getUnitAttr());
  if (!outermost)
    outermost = loop;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  ivs.push_back(loop.getInductionVar());
  emitLoops(level + 1);
}

unsigned RowLoop::build() {
  GenericOp last = group.getOps().back();
  for (Operation *free : group.framedFrees())
    free->moveAfter(last);
  b.setInsertionPoint(last);
  chooseBlock();
  findLocals();
  emitLocals();
  emitLoops(0);
  becomeKernel(b, outermost, last);
  for (auto &[old, made] : locals)
    memref::DeallocOp::create(b, made);
  for (GenericOp op : llvm::reverse(group.getOps()))
    op.erase();
  eraseReplaced(locals);
  return locals.size();
}

struct FormRowKernels : public impl::FormRowKernelsBase<FormRowKernels> {
  using FormRowKernelsBase::FormRowKernelsBase;

  void runOnOperation() override {
    if (getOperation().isDeclaration() || !isDeviceCode(getOperation()) ||
        isKernel(getOperation()))
      return;
    SmallVector<RowGroup> groups;
    for (Block &block : getOperation().getBody())
      collect(block, groups);
    for (const RowGroup &group : groups) {
      IndexBuilder b(group.getOps().back()->getLoc(), getOperation());
      numContracted += RowLoop(b, group, blockBytes, rowBytes).build();
      ++numGroups;
    }
  }

  void collect(Block &block, SmallVectorImpl<RowGroup> &groups) {
    bool oneByOne = rowBytes != 0;
    RowGroup current(oneByOne);
    SmallVector<GenericOp> fills;
    auto close = [&]() {
      if (current.worthwhile() &&
          (!oneByOne || (current.reduces() && hasWorkInRows(current))))
        groups.push_back(current);
      current = RowGroup(oneByOne);
    };
    for (GenericOp op : block.getOps<GenericOp>()) {
      if (isFill(op)) {
        fills.push_back(op);
        continue;
      }
      if (!current.join(fills, op)) {
        close();
        current.join(fills, op);
      }
      fills.clear();
    }
    close();
  }
};

} // namespace
} // namespace tapestry

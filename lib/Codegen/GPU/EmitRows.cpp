//===- EmitRows.cpp - A block per row for operations that share rows ------===//
//
// FormRowKernels has made a loop over rows of them. A block takes a row: each
// operation is shared by its threads, which wait for each other behind it.
// What the group keeps of a row lies in the block's memory, and what several
// operations read of it is loaded once, where there is room.
//
//===----------------------------------------------------------------------===//

#include "PointLauncher.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tapestry/Codegen/Common/Buffers.h"
#include "tapestry/Codegen/Common/DeviceCode.h"
#include "tapestry/Codegen/Common/Generics.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using linalg::GenericOp;

namespace tapestry {
namespace {

/// What a block may have without being asked for more, but for what reductions
/// need.
constexpr int64_t sharedBytes = 44 << 10;

//===----------------------------------------------------------------------===//
// One operation
//===----------------------------------------------------------------------===//

/// One operation of a row, by all threads of its block.
class RowNest : public PointLauncher {
public:
  RowNest(IndexBuilder &b, Nest &nest, gpu::LaunchOp made, int64_t threads)
      : PointLauncher(b, nest), threads(threads) {
    launch = made;
    block = made.getBlockIds().x;
    thread = made.getThreadIds().x;
  }

  void emit();

private:
  bool isOneSum() const;

  int64_t threads;
};

/// Whether all threads add to the same results.
bool RowNest::isOneSum() const {
  const NestProblem &problem = nest.problem;
  if (!problem.lanesCombine || problem.keepsOrder || problem.isScan)
    return false;
  bool reduces = false;
  for (auto [loop, dim] : llvm::enumerate(problem.dims)) {
    reduces |= dim.reduction;
    if (!dim.reduction && IndexBuilder::known(nest.extents[loop]) != 1)
      return false;
  }
  SmallVector<unsigned> summed = summedOutputs();
  return reduces && llvm::all_of(summed, [&](unsigned output) {
           return nest.outputs[output].accumulates &&
                  nest.outputs[output].combine;
         });
}

void RowNest::emit() {
  if (isOneSum()) {
    sumUp(nest.origin(b), threads);
  } else {
    SmallVector<unsigned> parallel = loopsOf(/*reduction=*/false);
    VectorMap map(b, nest, parallel);
    computePoints(map, map.countVectors(product(extentsOf(parallel))), thread,
                  b.index(threads));
  }
  barrier();
}

//===----------------------------------------------------------------------===//
// All of a row
//===----------------------------------------------------------------------===//

/// The loops around the operations, the outermost first; none if `loop` does
/// anything else.
SmallVector<scf::ForOp> rowLoops(scf::ForOp loop) {
  SmallVector<scf::ForOp> loops;
  while (loop && loop->hasAttr(parallelAttrName) && loop.getNumResults() == 0 &&
         getConstantIntValue(loop.getLowerBound()) == 0 &&
         getConstantIntValue(loop.getStep()) == 1) {
    loops.push_back(loop);
    auto body = loop.getBody()->without_terminator();
    loop = llvm::hasSingleElement(body) ? dyn_cast<scf::ForOp>(*body.begin())
                                        : scf::ForOp();
    if (!loop && llvm::all_of(body, [](Operation &op) {
          return isa<linalg::LinalgOp>(op) ||
                 (op.getNumRegions() == 0 && isMemoryEffectFree(&op));
        }))
      return loops;
  }
  return {};
}

class RowsEmitter : public LaunchEmitter {
public:
  RowsEmitter(IndexBuilder &b, ArrayRef<scf::ForOp> loops)
      : LaunchEmitter(b), loops(loops) {}

  LogicalResult emit();

private:
  void chooseThreads();
  Value shareLike(MemRefType type);
  LogicalResult shareLocals();
  void stageInputs();
  LogicalResult lower(GenericOp op);
  bool hasRoom(MemRefType type);

  SmallVector<scf::ForOp> loops;
  SmallVector<GenericOp> ops;
  int64_t threads = blockThreads, room = sharedBytes;
  bool isOneRow = false;
  llvm::SmallPtrSet<Operation *, 4> folded;
};

/// About four elements of a row each.
void RowsEmitter::chooseThreads() {
  int64_t most = 0;
  for (GenericOp op : ops)
    for (Value operand : op->getOperands())
      if (auto type = dyn_cast<MemRefType>(operand.getType()))
        if (operand.getParentRegion() == &loops.back().getRegion())
          most = std::max(most, type.hasStaticShape() ? type.getNumElements()
                                                      : 4 * blockThreads);
  threads = std::clamp<int64_t>(
      static_cast<int64_t>(llvm::PowerOf2Ceil(uint64_t(most) / 4)), warpThreads,
      blockThreads);
}

bool RowsEmitter::hasRoom(MemRefType type) {
  std::optional<int64_t> bytes = storedBytes(type.getElementType());
  if (!bytes || !type.hasStaticShape() ||
      !type.getElementType().isIntOrFloat() ||
      *bytes * type.getNumElements() > room)
    return false;
  room -= llvm::alignTo(*bytes * type.getNumElements(), 16);
  return true;
}

/// A buffer of that shape in the block's memory.
Value RowsEmitter::shareLike(MemRefType type) {
  Value flat = share(type.getElementType(), type.getNumElements());
  auto space = cast<MemRefType>(flat.getType()).getMemorySpace();
  auto shaped = MemRefType::get(type.getShape(), type.getElementType(),
                                MemRefLayoutAttrInterface(), space);
  SmallVector<int64_t> strides;
  int64_t offset;
  (void)shaped.getStridesAndOffset(strides, offset);
  return memref::ReinterpretCastOp::create(b, shaped, flat, 0,
                                           shaped.getShape(), strides);
}

/// Buffers of the group alone.
LogicalResult RowsEmitter::shareLocals() {
  scf::ForOp outermost = loops.front();
  SmallVector<memref::AllocOp> allocs;
  for (Operation &op : *outermost->getBlock())
    if (auto alloc = dyn_cast<memref::AllocOp>(op))
      allocs.push_back(alloc);
  for (memref::AllocOp alloc : allocs) {
    SmallVector<Operation *> frees;
    bool isLocal = llvm::all_of(alloc->getUsers(), [&](Operation *user) {
      if (isa<memref::DeallocOp>(user))
        frees.push_back(user);
      return isa<memref::DeallocOp>(user) || launch->isAncestor(user);
    });
    // Others have a part for each row.
    if (!isLocal || alloc.getType().getRank() == 0 ||
        alloc.getType().getDimSize(0) != 1)
      continue;
    if (!hasRoom(alloc.getType())) {
      // The part of the only row.
      if (isOneRow)
        continue;
      // All blocks would have the same.
      return alloc.emitError("finds no room in the memory of a block");
    }
    Value shared = shareLike(alloc.getType());
    for (Operation *user : llvm::make_early_inc_range(alloc->getUsers())) {
      auto view = dyn_cast<memref::SubViewOp>(user);
      if (!view) {
        if (!isa<memref::DeallocOp>(user))
          user->replaceUsesOfWith(alloc, shared);
        continue;
      }
      // Its type says where it lies.
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPoint(view);
      Value made = memref::SubViewOp::create(b, shared, view.getMixedOffsets(),
                                             view.getMixedSizes(),
                                             view.getMixedStrides());
      view.replaceAllUsesWith(made);
      view.erase();
    }
    for (Operation *free : frees)
      free->erase();
    alloc.erase();
  }
  return success();
}

/// What more than one operation reads of memory, and none writes.
void RowsEmitter::stageInputs() {
  llvm::SmallMapVector<Value, llvm::SmallPtrSet<Operation *, 4>, 4> readers;
  llvm::SmallPtrSet<Value, 4> written;
  for (GenericOp op : ops) {
    for (Value output : op.getDpsInits())
      written.insert(rootOf(output));
    for (Value input : op.getDpsInputs())
      if (auto view = input.getDefiningOp<memref::SubViewOp>();
          view && !view.getType().getMemorySpace())
        readers[input].insert(op);
  }
  for (auto &entry : readers) {
    Value view = entry.first;
    const auto &users = entry.second;
    auto type = cast<MemRefType>(view.getType());
    if (users.size() < 2 || written.contains(rootOf(view)) || !hasRoom(type))
      continue;
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(
        *llvm::find_if(ops, [&](GenericOp op) { return users.contains(op); }));
    Value staged = shareLike(type);
    memref::CopyOp::create(b, view, staged);
    for (Operation *user : users)
      user->replaceUsesOfWith(view, staged);
  }
}

LogicalResult RowsEmitter::lower(GenericOp op) {
  FailureOr<Nest> nest = Nest::analyze(op);
  // Of one point, or with subscripts that are not linear.
  if (failed(nest)) {
    b.setInsertionPoint(op);
    if (failed(emitPlainIn(b, op, launch, threads)))
      return failure();
    barrier();
    op.erase();
    return success();
  }
  if (op.getNumReductionLoops() > 0)
    if (Operation *fill = foldFill(*nest))
      folded.insert(fill);
  b.setInsertionPoint(op);
  nest->materialize(b);
  RowNest(b, *nest, launch, threads).emit();
  op.erase();
  return success();
}

LogicalResult RowsEmitter::emit() {
  scf::ForOp outermost = loops.front();
  Block *body = loops.back().getBody();
  SmallVector<OpFoldResult> extents;
  OpFoldResult rows = b.index(1);
  for (scf::ForOp loop : loops) {
    extents.push_back(getAsOpFoldResult(loop.getUpperBound()));
    rows = b.mul(rows, extents.back());
  }
  isOneRow = b.known(rows) == 1;
  ops = collectGenerics(loops.back());
  chooseThreads();
  OpFoldResult blocks = b.min(rows, b.index(mostBlocks));
  begin(blocks, threads);
  loop(block, rows, blocks, [&](OpFoldResult number) {
    for (auto [loop, place] :
         llvm::zip_equal(loops, takeApart(number, extents)))
      loop.getInductionVar().replaceAllUsesWith(b.value(place));
    Block *here = b.getInsertionBlock();
    here->getOperations().splice(b.getInsertionPoint(), body->getOperations(),
                                 body->begin(), std::prev(body->end()));
  });
  b.setInsertionPointToStart(&launch.getBody().front());
  if (failed(shareLocals()))
    return failure();
  stageInputs();
  SmallVector<GenericOp> all = collectGenerics(launch);
  for (GenericOp op : llvm::reverse(all))
    if (!folded.contains(op) && failed(lower(op)))
      return failure();
  end();
  outermost.erase();
  return success();
}

} // namespace

bool isRowLoop(Operation *op) {
  auto loop = dyn_cast<scf::ForOp>(op);
  return loop && !rowLoops(loop).empty();
}

LogicalResult emitRows(IndexBuilder &b, Operation *op) {
  return RowsEmitter(b, rowLoops(cast<scf::ForOp>(op))).emit();
}

} // namespace tapestry

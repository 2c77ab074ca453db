//===- EmitScatter.cpp - Updates of places that data name -----------------===//
//
// A loop over updates, each of an element or a row of the destination. Every
// element has a thread that goes through all updates in order and makes those
// of its elements, so that results do not depend on who is first: a thread for
// each column of a row, several times where there are few of them, each for
// some of the rows.
//
//===----------------------------------------------------------------------===//

#include "LaunchEmitter.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tapestry/Codegen/Common/Buffers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using linalg::GenericOp;

namespace tapestry {
namespace {

/// Threads that are worth having.
constexpr int64_t manyThreads = 65536;

struct Scatter {
  scf::ForOp loop;
  scf::IfOp isInside;
  /// What is done at one place: an operation on a row, or a store.
  GenericOp row;
  memref::StoreOp store;
  /// A subscript of the destination that the update names, and the extent
  /// there.
  Value place;
  int64_t extent = ShapedType::kDynamic;
  /// Of a row.
  SmallVector<OpFoldResult> sizes;
};

bool isInLoop(const Scatter &scatter, Value value) {
  return scatter.loop->isAncestor(value.getParentRegion()->getParentOp());
}

/// Whether `place`, along a dimension of that extent, may choose the thread.
bool takePlace(Scatter &scatter, Value place, int64_t extent) {
  if (scatter.place)
    return true;
  if (place.getParentRegion() != &scatter.loop.getRegion())
    return false;
  scatter.place = place;
  scatter.extent = extent;
  return true;
}

bool readRow(Scatter &scatter) {
  GenericOp op = scatter.row;
  if (op.getNumLoops() != op.getNumParallelLoops() ||
      op.getNumDpsInits() != 1 || !op.hasPureBufferSemantics() ||
      !hasPureBody(op) ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity())
    return false;
  auto view = op.getDpsInits()[0].getDefiningOp<memref::SubViewOp>();
  if (!view || isInLoop(scatter, view.getSource()))
    return false;
  for (Value input : op.getDpsInputs())
    if (isa<MemRefType>(input.getType()) &&
        mayAlias(rootOf(input), rootOf(view)))
      return false;
  auto dropped = view.getDroppedDims();
  for (auto [dim, offset, size] :
       llvm::enumerate(view.getMixedOffsets(), view.getMixedSizes())) {
    if (auto value = dyn_cast<Value>(offset))
      if (getConstantIntValue(size) != 1 ||
          !takePlace(scatter, value, view.getSourceType().getDimSize(dim)))
        return false;
    if (dropped.test(dim))
      continue;
    if (auto value = dyn_cast<Value>(size); value && isInLoop(scatter, value))
      return false;
    scatter.sizes.push_back(size);
  }
  return bool(scatter.place);
}

bool readStore(Scatter &scatter) {
  memref::StoreOp store = scatter.store;
  MemRefType type = store.getMemRefType();
  for (auto [dim, index] : llvm::enumerate(store.getIndices()))
    if (isInLoop(scatter, index) &&
        !takePlace(scatter, index, type.getDimSize(dim)))
      return false;
  return scatter.place && !isInLoop(scatter, store.getMemRef());
}

/// Whether `load` reads what no thread writes, or the element of its update.
bool isOwn(const Scatter &scatter, memref::LoadOp load) {
  memref::StoreOp store = scatter.store;
  Value target =
      store ? store.getMemRef() : GenericOp(scatter.row).getDpsInits()[0];
  if (!mayAlias(rootOf(load.getMemRef()), rootOf(target)))
    return true;
  return store && load.getMemRef() == target &&
         load->getBlock() == store->getBlock() &&
         llvm::equal(load.getIndices(), store.getIndices());
}

std::optional<Scatter> readScatter(Operation *op) {
  Scatter scatter;
  scatter.loop = dyn_cast<scf::ForOp>(op);
  if (!scatter.loop || scatter.loop.getNumResults() != 0)
    return std::nullopt;
  SmallVector<memref::LoadOp> loads;
  auto isHarmless = [&](Operation &inner) {
    if (auto load = dyn_cast<memref::LoadOp>(inner))
      loads.push_back(load);
    else if (inner.getNumRegions() != 0 || !isMemoryEffectFree(&inner))
      return false;
    return true;
  };
  for (Operation &inner : scatter.loop.getBody()->without_terminator()) {
    auto branch = dyn_cast<scf::IfOp>(inner);
    if (branch && !scatter.isInside && branch.getNumResults() == 0 &&
        !branch.elseBlock())
      scatter.isInside = branch;
    else if (!isHarmless(inner))
      return std::nullopt;
  }
  if (!scatter.isInside)
    return std::nullopt;
  for (Operation &inner : scatter.isInside.thenBlock()->without_terminator()) {
    bool isFirst = !scatter.row && !scatter.store;
    if (auto row = dyn_cast<GenericOp>(inner); row && isFirst)
      scatter.row = row;
    else if (auto store = dyn_cast<memref::StoreOp>(inner); store && isFirst)
      scatter.store = store;
    else if (!isHarmless(inner))
      return std::nullopt;
  }
  if (!(scatter.row ? readRow(scatter) : scatter.store && readStore(scatter)) ||
      !llvm::all_of(loads,
                    [&](memref::LoadOp load) { return isOwn(scatter, load); }))
    return std::nullopt;
  return scatter;
}

class ScatterEmitter : public LaunchEmitter {
public:
  ScatterEmitter(IndexBuilder &b, const Scatter &scatter)
      : LaunchEmitter(b), scatter(scatter) {}

  void emit();

private:
  int64_t countGroups(OpFoldResult columns);
  void emitUpdates(OpFoldResult group, int64_t groups, OpFoldResult column);

  Scatter scatter;
};

/// A power of two.
int64_t ScatterEmitter::countGroups(OpFoldResult columns) {
  int64_t width = std::max<int64_t>(b.known(columns).value_or(256), 1);
  int64_t rows = ShapedType::isDynamic(scatter.extent)
                     ? 1024
                     : std::max<int64_t>(scatter.extent, 1);
  return static_cast<int64_t>(llvm::bit_floor(static_cast<uint64_t>(
      std::clamp<int64_t>(manyThreads / width, 1, rows))));
}

void ScatterEmitter::emitUpdates(OpFoldResult group, int64_t groups,
                                 OpFoldResult column) {
  scatter.loop->moveBefore(b.getInsertionBlock(), b.getInsertionPoint());
  OpBuilder::InsertionGuard guard(b);
  if (groups > 1) {
    b.setInsertionPoint(scatter.isInside);
    Value its = arith::AndIOp::create(b, scatter.place, b.value(groups - 1));
    Value isOwn =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, its, b.value(group));
    scatter.isInside.getConditionMutable().assign(
        arith::AndIOp::create(b, scatter.isInside.getCondition(), isOwn));
  }
  if (!scatter.row)
    return;
  b.setInsertionPoint(scatter.row);
  emitPlainAt(b, scatter.row, takeApart(column, scatter.sizes));
  scatter.row.erase();
}

void ScatterEmitter::emit() {
  OpFoldResult columns = b.index(1);
  for (OpFoldResult size : scatter.sizes)
    columns = b.mul(columns, size);
  int64_t groups = countGroups(columns);
  OpFoldResult all = b.mul(columns, b.index(groups));
  auto [own, step] = beginGrid(all);
  loop(own, all, step, [&](OpFoldResult number) {
    auto places = takeApart(number, {b.index(groups), columns});
    emitUpdates(places[0], groups, places[1]);
  });
  end();
}

} // namespace

bool emitScatter(IndexBuilder &b, Operation *op) {
  std::optional<Scatter> scatter = readScatter(op);
  if (scatter)
    ScatterEmitter(b, *scatter).emit();
  return scatter.has_value();
}

} // namespace tapestry

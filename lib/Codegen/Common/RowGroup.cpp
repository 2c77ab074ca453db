//===- RowGroup.cpp - Operations that can run row by row ------------------===//
//
// Legal when every buffer that the group writes is touched at the row point
// only, by the same view.
//
//===----------------------------------------------------------------------===//

#include "RowGroup.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using linalg::GenericOp;

namespace tapestry {

bool isFill(GenericOp op) {
  return op.hasPureBufferSemantics() && op.getOutputs().size() == 1 &&
         op.getNumParallelLoops() == op.getNumLoops() &&
         op.getBody()->getArguments().back().use_empty() &&
         llvm::none_of(
             op.getInputs(),
             [](Value input) { return isa<MemRefType>(input.getType()); }) &&
         hasPureBody(op);
}

SmallVector<unsigned> rowLoopsOf(GenericOp op) {
  SmallVector<unsigned> rows;
  auto kinds = op.getIteratorTypesArray();
  for (auto [number, operand] : llvm::enumerate(op.getDpsInitsMutable())) {
    SmallVector<unsigned> own;
    for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults()) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (!dim || kinds[dim.getPosition()] != utils::IteratorType::parallel ||
          llvm::is_contained(own, dim.getPosition()))
        break;
      own.push_back(dim.getPosition());
    }
    if (number == 0)
      rows = own;
    unsigned common = 0;
    while (common < std::min(rows.size(), own.size()) &&
           rows[common] == own[common])
      ++common;
    rows.truncate(common);
  }
  return rows;
}

RowAccess accessOf(OpOperand &operand, ArrayRef<unsigned> rows, unsigned rank) {
  auto op = cast<GenericOp>(operand.getOwner());
  AffineMap map = op.getMatchingIndexingMap(&operand);
  ArrayRef<unsigned> used = rows.take_front(rank);
  bool leading = map.getNumResults() >= rank, part = false;
  for (unsigned at = 0; at < map.getNumResults(); ++at) {
    AffineExpr expr = map.getResult(at);
    auto dim = dyn_cast<AffineDimExpr>(expr);
    bool involved = llvm::any_of(used, [&](unsigned row) {
      return dim ? dim.getPosition() == row : expr.isFunctionOfDim(row);
    });
    if (involved && !dim)
      return RowAccess::Other;
    part |= involved;
    bool wanted = at < rank;
    bool isRow = wanted && dim && dim.getPosition() == used[at];
    leading &= wanted ? isRow : !involved;
  }
  if (!part)
    return RowAccess::Whole;
  return leading ? RowAccess::Rows : RowAccess::Part;
}

static bool isBuffer(OpOperand &operand) {
  return isa<MemRefType>(operand.get().getType());
}

unsigned RowGroup::finalRank() const {
  if (strict)
    return rank;
  // Elementwise throughout: the last dimension is left to vector lanes.
  unsigned loops = 0;
  for (GenericOp op : ops)
    loops = std::max<unsigned>(loops, GenericOp(op).getNumLoops());
  return loops ? std::min(rank, loops - 1) : 0;
}

bool RowGroup::sharesData(GenericOp op, unsigned rank) const {
  SmallVector<unsigned> rows = rowLoopsOf(op);
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isBuffer(operand) || accessOf(operand, rows, rank) != RowAccess::Rows)
      continue;
    for (GenericOp member : ops) {
      SmallVector<unsigned> memberRows = rowLoopsOf(member);
      for (OpOperand &other : member->getOpOperands())
        if (other.get() == operand.get() &&
            accessOf(other, memberRows, rank) == RowAccess::Rows)
          return true;
    }
  }
  return false;
}

/// Whether what lies between the group and `last` may run before the group.
bool RowGroup::canMoveTo(GenericOp last) const {
  if (ops.front()->getBlock() != last->getBlock())
    return false;
  for (Operation *at = ops.front()->getNextNode(); at && at != last;
       at = at->getNextNode()) {
    auto generic = dyn_cast<GenericOp>(at);
    if ((generic && llvm::is_contained(ops, generic)) || isLocalFree(at))
      continue;
    for (GenericOp member : ops)
      if (conflict(member, at))
        return false;
  }
  return true;
}

/// Whether what lies between a fill and `last` may run before the fill.
static bool canMoveDown(GenericOp fill, GenericOp last) {
  for (Operation *at = fill->getNextNode(); at && at != last;
       at = at->getNextNode())
    if (conflict(fill, at))
      return false;
  return true;
}

/// Whether some input of `op` has a value per point of its loops, so that the
/// operation reads as much as it computes in whatever order it runs.
static bool streams(GenericOp op) {
  return llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *operand) {
    AffineMap map = op.getMatchingIndexingMap(operand);
    return llvm::all_of(llvm::seq(op.getNumLoops()), [&](unsigned loop) {
      return map.isFunctionOfDim(loop);
    });
  });
}

/// Whether rows read a matrix again that tiles of rows would keep in a cache; a
/// vector may be read again. In a contraction, that is an operand that an outer
/// row loop leaves as it is; elsewhere each row reads its own data anyway, but
/// for what blocks of the last row loop have in common.
static bool readsMatrixAgain(OpOperand &operand, ArrayRef<unsigned> rows) {
  if (rows.empty())
    return false;
  auto op = cast<GenericOp>(operand.getOwner());
  AffineMap map = op.getMatchingIndexingMap(&operand);
  ArrayRef<unsigned> fixed = rows;
  if (!streams(op)) {
    const auto *again = llvm::find_if(
        rows, [&](unsigned row) { return !map.isFunctionOfDim(row); });
    if (again == rows.end())
      return false;
    fixed = ArrayRef(rows.begin(), again);
  } else if (map.isFunctionOfDim(rows.back())) {
    return false;
  }
  return llvm::count_if(map.getResults(), [&](AffineExpr expr) {
           return !isa<AffineConstantExpr>(expr) &&
                  llvm::none_of(fixed, [&](unsigned row) {
                    return expr.isFunctionOfDim(row);
                  });
         }) > 1;
}

namespace {

/// The buffers that a group writes, each by one view.
class WrittenBuffers {
public:
  void add(Value view) {
    Value root = rootOf(view);
    views[root] = view;
    if (!isDistinct(root))
      shared.push_back(root);
  }

  /// Whether `operand` shows a buffer that is written, or may.
  bool mayShow(Value operand) const {
    Value root = rootOf(operand);
    if (views.contains(root))
      return true;
    auto overlaps = [&](Value other) { return mayAlias(root, other); };
    if (isDistinct(root))
      return llvm::any_of(shared, overlaps);
    return llvm::any_of(llvm::make_first_range(views), overlaps);
  }

  /// Whether it is the view through which its buffer is written, and surely the
  /// only one of that memory.
  bool isOnlyView(Value operand) const {
    Value root = rootOf(operand);
    return views.lookup(root) == operand &&
           (isDistinct(root) || views.size() == 1);
  }

private:
  llvm::SmallDenseMap<Value, Value> views;
  /// Those that another value may show as well.
  SmallVector<Value> shared;
};

} // namespace

bool RowGroup::legal() const {
  WrittenBuffers written;
  for (GenericOp op : ops)
    for (Value output : GenericOp(op).getOutputs())
      written.add(output);
  unsigned rank = finalRank();
  for (GenericOp member : ops) {
    GenericOp op = member;
    SmallVector<unsigned> rows = rowLoopsOf(op);
    if (rows.size() < rank || !op.hasPureBufferSemantics() || !hasPureBody(op))
      return false;
    if (leavesOutProducts && op.getNumReductionLoops() > 0 && !streams(op))
      return false;
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isBuffer(operand))
        continue;
      // Views of nothing do not verify, and there is nothing to gain.
      auto type = cast<MemRefType>(operand.get().getType());
      if (llvm::is_contained(type.getShape(), 0) ||
          !storedBytes(type.getElementType()))
        return false;
      RowAccess access = accessOf(operand, rows, rank);
      if (written.mayShow(operand.get()) &&
          (access != RowAccess::Rows || !written.isOnlyView(operand.get())))
        return false;
      if (access == RowAccess::Other)
        return false;
      if (access == RowAccess::Part && op.isDpsInit(&operand))
        return false;
      if (readsMatrixAgain(operand, ArrayRef(rows).take_front(rank)))
        return false;
    }
  }
  return true;
}

/// What a group may hold at most. What is gained by one more shrinks with each,
/// and longer programs of equal operations get equal kernels.
static constexpr unsigned mostWorking = 32;

bool RowGroup::join(ArrayRef<GenericOp> fills, GenericOp op) {
  if (numWorking == mostWorking)
    return false;
  unsigned rows = rowLoopsOf(op).size();
  bool opStrict = rows < op.getNumLoops();
  RowGroup next = *this;
  next.rank = ops.empty() ? rows : std::min(rank, rows);
  next.strict |= opStrict;
  if (!ops.empty()) {
    // Rows of a group with reductions must not grow.
    if ((strict && next.rank < rank) || next.rank == 0 || !canMoveTo(op) ||
        !sharesData(op, next.finalRank()))
      return false;
  }
  for (GenericOp fill : fills)
    if (llvm::any_of(op.getOutputs(),
                     [&](Value output) {
                       return mayAlias(output, fill.getOutputs()[0]);
                     }) &&
        canMoveDown(fill, op))
      next.ops.push_back(fill);
  next.ops.push_back(op);
  ++next.numWorking;
  if (!ops.empty() && !next.legal())
    return false;
  *this = std::move(next);
  return true;
}

bool RowGroup::reduces() const {
  return llvm::any_of(
      ops, [](GenericOp op) { return op.getNumReductionLoops() > 0; });
}

SmallVector<Operation *> RowGroup::framedFrees() const {
  SmallVector<Operation *> frees;
  for (Operation *at = ops.front(); at != ops.back(); at = at->getNextNode())
    if (isa<memref::DeallocOp>(at))
      frees.push_back(at);
  return frees;
}

} // namespace tapestry

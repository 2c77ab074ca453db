//===- VertexTable.cpp - Vertices by what they compute --------------------===//

#include "VertexTable.h"
#include "tapestry/Interfaces/SelectorInterface.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

/// The tensors that have cells of a view.
static llvm::SmallSet<unsigned, 4> tensorsOf(const TensorView &view) {
  llvm::SmallSet<unsigned, 4> tensors;
  for (const ViewPiece &piece : view.pieces)
    if (!isEmpty(piece.cells))
      tensors.insert(piece.tensor);
  return tensors;
}

bool teg::haveOneTensor(Value a, Value b, GraphViews &views) {
  auto tensors = tensorsOf(views.of(a));
  return llvm::any_of(tensorsOf(views.of(b)), [&](unsigned tensor) {
    return tensors.contains(tensor);
  });
}

bool VertexTable::computesAs(Operation *op, Operation *vertex) {
  const Computation &wanted = computationOf(vertex);
  return isa<ShardOp>(op) ? wanted.isOf(computationOf(op))
                          : wanted == computationOf(op);
}

llvm::ArrayRef<unsigned> VertexTable::likely(Operation *op, GraphViews &views) {
  size_t meaning = computationOf(op).hash();
  auto alike = byMeaning.find(meaning);
  if (alike == byMeaning.end())
    return {};
  ArrayRef<unsigned> fewest = alike->second;
  for (auto [number, operand] : llvm::enumerate(op->getOperands())) {
    if (!isa<RankedTensorType>(operand.getType()))
      continue;
    const TensorView &view = views.of(operand);
    auto piece = llvm::find_if(view.pieces, [](const ViewPiece &piece) {
      return !isEmpty(piece.cells);
    });
    if (piece == view.pieces.end())
      continue;
    auto readers =
        byTensor.find({meaning, static_cast<unsigned>(number), piece->tensor});
    if (readers == byTensor.end())
      return {};
    if (readers->second.size() < fewest.size())
      fewest = readers->second;
  }
  return fewest;
}

llvm::SmallVector<unsigned> VertexTable::readersOf(Operation *op,
                                                   GraphViews &views) {
  std::optional<SmallVector<unsigned>> fewest;
  for (Value operand : op->getOperands()) {
    if (!isa<RankedTensorType>(operand.getType()))
      continue;
    auto tensors = tensorsOf(views.of(operand));
    if (tensors.empty())
      continue;
    SmallVector<unsigned> readers;
    for (unsigned tensor : tensors)
      if (auto known = byRead.find(tensor); known != byRead.end())
        llvm::append_range(readers, known->second);
    if (!fewest || readers.size() < fewest->size())
      fewest = std::move(readers);
  }
  if (!fewest)
    return llvm::to_vector(llvm::seq<unsigned>(vertices.size()));
  llvm::sort(*fewest);
  fewest->erase(llvm::unique(*fewest), fewest->end());
  return std::move(*fewest);
}

/// Whether two vertices compute the same of equal operands.
bool VertexTable::areEqual(Operation *a, Operation *b, GraphViews &views) {
  if (!(computationOf(a) == computationOf(b)))
    return false;
  return llvm::all_of(
      llvm::zip_equal(a->getOperands(), b->getOperands()), [&](auto pair) {
        auto [x, y] = pair;
        if (!isa<RankedTensorType>(x.getType()) || x == y)
          return x.getType() == y.getType();
        TensorView wanted = views.of(x);
        const TensorView &view = views.of(y);
        return wanted.shape == view.shape && !findDifference(wanted, view);
      });
}

void VertexTable::add(Operation *op, GraphViews &views) {
  for (unsigned number : likely(op, views)) {
    TableVertex &known = vertices[number];
    if (!areEqual(known.op, op, views))
      continue;
    known.equals.push_back(op);
    for (auto [mine, its] :
         llvm::zip_equal(op->getResults(), known.op->getResults()))
      views.set(mine, views.of(its));
    return;
  }
  size_t meaning = computationOf(op).hash();
  byMeaning[meaning].push_back(vertices.size());
  for (auto [number, operand] : llvm::enumerate(op->getOperands()))
    if (isa<RankedTensorType>(operand.getType()))
      for (unsigned tensor : tensorsOf(views.of(operand))) {
        byTensor[{meaning, static_cast<unsigned>(number), tensor}].push_back(
            vertices.size());
        byRead[tensor].push_back(vertices.size());
      }
  vertices.push_back({op});
}

/// The operator that an operation is or is a shard of.
static BlockOpInterface kindOf(Operation *op) {
  auto shard = dyn_cast<ShardOp>(op);
  return shard ? shard.getWholeOp() : cast<BlockOpInterface>(op);
}

Operation *VertexTable::nearest(Operation *op, GraphViews &views) {
  BlockOpInterface kind = kindOf(op);
  StringRef name = cast<BlockOpInterface>(op).getVertexName();
  auto hasName = [&](StringRef other) {
    return other == name || other == name.rsplit('.').first ||
           other == kind.getVertexName();
  };
  auto readsAlike = [&](Operation *other) {
    return llvm::any_of(llvm::zip(other->getOperands(), op->getOperands()),
                        [&](auto pair) {
                          auto [theirs, own] = pair;
                          if (!isa<RankedTensorType>(theirs.getType()) ||
                              !isa<RankedTensorType>(own.getType()))
                            return false;
                          return haveOneTensor(theirs, own, views);
                        });
  };
  Operation *best = nullptr;
  unsigned most = 0;
  for (const TableVertex &vertex : vertices) {
    if (kindOf(vertex.op)->getName() != kind->getName() ||
        computationOf(vertex.op).isOf(computationOf(op)))
      continue;
    // A name says more than what is read.
    unsigned near =
        1 + readsAlike(vertex.op) +
        2 * hasName(cast<BlockOpInterface>(vertex.op).getVertexName());
    if (near > most)
      best = vertex.op;
    most = std::max(most, near);
  }
  return best;
}

/// Ranges of equal vertices, of each apart; what is too much is the last's.
static std::vector<std::vector<ZBox>> takeApart(ArrayRef<ZBox> ranges,
                                                unsigned times) {
  std::vector<std::vector<ZBox>> groups(times);
  for (const ZBox &range : ranges) {
    auto fits = llvm::find_if(groups, [&](const std::vector<ZBox> &group) {
      return llvm::none_of(group, [&](const ZBox &other) {
        return !isEmpty(intersect(other, range));
      });
    });
    (fits == groups.end() ? groups.back() : *fits).push_back(range);
  }
  return groups;
}

LogicalResult VertexTable::proveCoverage() {
  for (const TableVertex &vertex : vertices) {
    auto whole = cast<BlockOpInterface>(vertex.op);
    // What nobody observes need not be computed. A selector computes nothing.
    auto selector = dyn_cast<SelectorInterface>(vertex.op);
    bool isUnused = llvm::all_of(vertex.equals,
                                 [](Operation *op) { return op->use_empty(); });
    if ((vertex.ranges.empty() && isUnused) ||
        (selector && selector.isTransparent()))
      continue;
    std::vector<std::vector<ZBox>> groups = {vertex.ranges};
    if (vertex.equals.size() > 1)
      groups = takeApart(vertex.ranges, vertex.equals.size());
    for (const std::vector<ZBox> &ranges : groups)
      if (auto fault = findCoverageFault(whole.getIndexSpace(), ranges))
        return whole.emitError("index point ")
               << pointText(fault->point) << " of '" << whole.getVertexName()
               << "' is computed " << fault->times
               << " times in the sharded graph, expected 1";
  }
  return success();
}

ZBox teg::rangeIn(BlockOpInterface whole, BlockOpInterface op) {
  auto shard = dyn_cast<ShardOp>(op.getOperation());
  if (!shard)
    return whole.getIndexSpace();
  ZBox range = shard.getBox();
  if (auto outer = dyn_cast<ShardOp>(whole.getOperation()))
    for (auto [own, all] : llvm::zip_equal(range, outer.getBox()))
      own = {own.lo - all.lo, own.hi - all.lo};
  return range;
}

llvm::SmallVector<int64_t> teg::firstOutside(llvm::ArrayRef<ZRange> box,
                                             llvm::ArrayRef<ZRange> space) {
  llvm::SmallVector<int64_t> point;
  for (const ZRange &range : box)
    point.push_back(range.lo);
  for (auto [own, all] : llvm::zip_equal(box, space))
    if (own.lo < all.lo || own.lo >= all.hi)
      return point;
  for (size_t dim = box.size(); dim-- > 0;)
    if (box[dim].hi > space[dim].hi) {
      point[dim] = space[dim].hi;
      break;
    }
  return point;
}

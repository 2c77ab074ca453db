//===- PlainVertex.cpp - Blocks of vertices that are no shards ------------===//

#include "PlainVertex.h"
#include "PlainBlock.h"
#include "mlir/IR/TypeUtilities.h"
#include "tapestry/Support/Error.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

/// The first cell of a view that is this one; nothing where none is, or not by
/// single dimensions.
static std::optional<SmallVector<int64_t>> findCell(const TensorView &view,
                                                    const ViewCell &cell) {
  for (const ViewPiece &piece : view.pieces) {
    if (piece.tensor != cell.tensor || isEmpty(piece.cells))
      continue;
    SmallVector<int64_t> place;
    for (const ZRange &range : piece.cells)
      place.push_back(range.lo);
    for (auto [dim, at] : llvm::zip_equal(piece.projection.dims, cell.place))
      if (dim.isLinear() && dim.terms.size() == 1)
        place[dim.terms[0].dim] = llvm::divideFloorSigned(
            at - dim.constant, dim.terms[0].coefficient);
    if (view.at(place) == cell)
      return place;
  }
  return std::nullopt;
}

namespace {
/// Where an operator lies in a vertex.
class PlaceGuess {
public:
  PlaceGuess(BlockOpInterface op, BlockOpInterface vertex)
      : op(op), vertex(vertex), extents(vertex.getLabelExtents()),
        starts(extents.size()) {
    // What is not cut begins where the vertex does.
    for (auto [start, own, all] :
         llvm::zip_equal(starts, op.getLabelExtents(), extents))
      if (own == all)
        start = 0;
  }

  void read(GraphViews &views);
  std::optional<PlainBlock> block(std::string &reason);

private:
  bool takeDim(const ProjectionDim &own, const ProjectionDim &all,
               int64_t origin);

  BlockOpInterface op, vertex;
  SmallVector<int64_t> extents;
  /// Per label the block's first point, as far as it is known.
  SmallVector<std::optional<int64_t>> starts;
};
} // namespace

/// A dimension of an operand that begins at `origin` of the vertex' says where
/// the one label lies of which that is not known.
bool PlaceGuess::takeDim(const ProjectionDim &own, const ProjectionDim &all,
                         int64_t origin) {
  if (!own.isLinear() || !all.isLinear())
    return false;
  int64_t left = origin + own.constant - all.constant;
  const AffineTerm *open = nullptr;
  for (const AffineTerm &term : all.terms) {
    if (starts[term.dim])
      left -= term.coefficient * *starts[term.dim];
    else if (open)
      return false;
    else
      open = &term;
  }
  if (!open || left % open->coefficient != 0)
    return false;
  starts[open->dim] = left / open->coefficient;
  return true;
}

void PlaceGuess::read(GraphViews &views) {
  for (bool isMore = true; isMore;) {
    isMore = false;
    for (auto [number, operand] : llvm::enumerate(op->getOperands())) {
      std::optional<Projection> own = readOf(op, number),
                                all = readOf(vertex, number);
      SmallVector<int64_t> first(shapeOfTensor(operand).size(), 0);
      std::optional<ViewCell> cell = views.of(operand).at(first);
      if (!own || !all || !cell)
        continue;
      auto origin = findCell(views.of(vertex->getOperand(number)), *cell);
      for (unsigned dim = 0; origin && dim < own->rank(); ++dim)
        isMore |= takeDim(own->dims[dim], all->dims[dim], (*origin)[dim]);
    }
  }
}

/// The block at that place; its operands lie where it reads what the vertex
/// reads there.
std::optional<PlainBlock> PlaceGuess::block(std::string &reason) {
  PlainBlock made;
  made.extents = extents;
  for (auto [start, size] : llvm::zip_equal(starts, op.getLabelExtents()))
    made.range.push_back({start.value_or(0), start.value_or(0) + size});
  if (!contains(boxOfShape(extents), made.range)) {
    reason = joinedText("its range would be ", boxToString(made.range), " of ",
                        boxToString(boxOfShape(extents)));
    return std::nullopt;
  }
  for (auto [number, operand] : llvm::enumerate(op->getOperands())) {
    std::optional<Projection> own = readOf(op, number),
                              all = readOf(vertex, number);
    if (!own || !all || own->rank() != all->rank()) {
      reason = joinedText("operand ", number, " is not read in one piece");
      return std::nullopt;
    }
    WholeOperand whole;
    whole.shape = llvm::to_vector(shapeOfTensor(vertex->getOperand(number)));
    for (auto [mine, its, size, extent] : llvm::zip_equal(
             own->dims, all->dims, shapeOfTensor(operand), whole.shape)) {
      int64_t origin = 0;
      if (mine.isLinear() && its.isLinear()) {
        origin = its.constant - mine.constant;
        for (const AffineTerm &term : its.terms)
          origin += term.coefficient * made.range[term.dim].lo;
      }
      if (origin < 0 || origin + size > extent) {
        reason = joinedText("with the range ", boxToString(made.range),
                            " operand ", number, " would have [", origin, ", ",
                            origin + size, ") of [0, ", extent,
                            ") in dimension ", whole.origin.size());
        return std::nullopt;
      }
      whole.origin.push_back(origin);
    }
    made.operands.push_back(std::move(whole));
  }
  made.pads = dyn_cast_or_null<ArrayAttr>(
      vertex->getInherentAttr("pads").value_or(Attribute()));
  for (Type type : vertex->getResultTypes())
    made.elementTypes.push_back(getElementTypeOrSelf(type));
  return made;
}

/// Whether two tensors have a rank and an element type.
static bool isOfKind(Value own, Value its) {
  return shapeOfTensor(own).size() == shapeOfTensor(its).size() &&
         getElementTypeOrSelf(own) == getElementTypeOrSelf(its);
}

/// An operator as the shard of a vertex that it would be if it were a block of
/// that, before it; where that lies its operands say. Null, with the reason,
/// where it is none, whatever they are.
static ShardOp shardOfVertex(BlockOpInterface op, BlockOpInterface vertex,
                             GraphViews &views, FreshNames &names,
                             std::string &reason) {
  if (vertex->getName() != op->getName() ||
      vertex->getNumOperands() != op->getNumOperands() ||
      vertex->getNumResults() != op->getNumResults() ||
      vertex.getIndexRank() != op.getIndexRank() || !mayBeBlock(op) ||
      !mayBeBlock(vertex))
    return {};
  // Of a sum or a product the same, whichever comes first.
  auto einsum = dyn_cast<EinsumOp>(op.getOperation());
  SmallVector<unsigned> order;
  if (einsum && !hasPlan(op))
    order = orderLike(op->getNumOperands(), [&](unsigned own, unsigned its) {
      Value mine = op->getOperand(own), tensor = vertex->getOperand(its);
      return isOfKind(mine, tensor) && haveOneTensor(mine, tensor, views);
    });
  // As a whole it has been looked for.
  if (order.empty() && vertex.getLabelExtents() == op.getLabelExtents())
    return {};
  if (!order.empty())
    reorderOperands(einsum, order);
  ShardOp shard;
  if (llvm::all_of(llvm::zip_equal(op->getOperands(), vertex->getOperands()),
                   [&](auto pair) {
                     return isOfKind(std::get<0>(pair), std::get<1>(pair));
                   })) {
    PlaceGuess guess(op, vertex);
    guess.read(views);
    if (std::optional<PlainBlock> block = guess.block(reason))
      shard = createShard(op, *block, names, reason);
  }
  if (!order.empty())
    reorderOperands(einsum, inverseOrder(order));
  return shard;
}

/// Whether two operators of one kind have the same body, as most blocks do.
static bool haveOneBody(Operation *own, Operation *its) {
  return own->getName() == its->getName() &&
         llvm::all_of_zip(own->getRegions(), its->getRegions(),
                          [](Region &a, Region &b) {
                            return OperationEquivalence::isRegionEquivalentTo(
                                &a, &b, OperationEquivalence::IgnoreLocations);
                          });
}

/// Erases a shard that is not taken, of which nobody may know any more.
static void eraseTried(ShardOp shard, BlockOpInterface op, VertexTable &table,
                       GraphViews &views) {
  for (Operation *slice : slicesFor(shard, op))
    views.forget(slice);
  views.forget(shard);
  table.forget(shard);
  eraseShard(shard, op);
}

ShardOp
PlainVertices::replace(BlockOpInterface op, VertexTable &table,
                       GraphViews &views,
                       function_ref<bool(BlockOpInterface, ShardOp)> isRight,
                       bool onlyRight, std::string &noBlock) {
  if (isa<ShardOp>(op.getOperation()))
    return {};
  if (!names)
    names.emplace(op->getParentOfType<GraphOp>());
  ShardOp best;
  // 1: computes otherwise, 2: reads something else.
  constexpr unsigned right = 3;
  unsigned most = 0;
  auto tryVertex = [&](unsigned number) {
    auto whole = cast<BlockOpInterface>(table.vertices[number].op);
    std::string reason;
    ShardOp shard = shardOfVertex(op, whole, views, *names, reason);
    if (!shard) {
      if (noBlock.empty() && !reason.empty())
        noBlock = joinedText("'", whole.getVertexName(), "': ", reason);
      return;
    }
    unsigned fits =
        table.computesAs(shard, whole) ? 2 + isRight(whole, shard) : 1;
    if (fits > most)
      std::swap(best, shard);
    if (shard)
      eraseTried(shard, op, table, views);
    most = std::max(most, fits);
  };
  SmallVector<unsigned> readers = table.readersOf(op, views);
  for (bool alike : {true, false})
    for (unsigned number : readers)
      if (most != right && haveOneBody(op, table.vertices[number].op) == alike)
        tryVertex(number);
  // Others it reads wrongly at best, which is worth a message.
  for (unsigned number = 0; number < table.vertices.size() && !onlyRight;
       ++number)
    if (most != right && !llvm::binary_search(readers, number))
      tryVertex(number);
  if (best && onlyRight && most != right) {
    eraseTried(best, op, table, views);
    return {};
  }
  if (!best)
    return {};
  op->replaceAllUsesWith(best->getResults());
  views.forget(op);
  table.forget(op);
  op->erase();
  return best;
}

//===- EinsumViews.cpp - Einsums that compute nothing ---------------------===//
//
// A statement of its own that slices, transposes or concatenates is an einsum
// whose body yields what it has read. It is a view as a selector is.
//
//===----------------------------------------------------------------------===//

#include "EinsumViews.h"
#include "Inlining.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tapestry/Dialect/Index/IR/LabelRanges.h"
#include "tapestry/Dialect/Tapestry/IR/Constraints.h"
#include "tapestry/Dialect/Tapestry/IR/EinsumLabels.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryAttrs.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

static bool isReadByAlone(Value tensor, Operation *reader) {
  return llvm::all_of(tensor.getUsers(),
                      [&](Operation *user) { return user == reader; });
}

bool teg::isShifted(const Projection &read) {
  return llvm::all_of(read.dims, [](const ProjectionDim &dim) {
    return dim.isLinear() && dim.terms.size() <= 1 &&
           (dim.terms.empty() || dim.terms.front().coefficient == 1);
  });
}

/// Whether an einsum reads no element of a tensor twice.
static bool readsOnce(EinsumOp op, Value tensor) {
  std::vector<ZBox> boxes;
  for (unsigned operand = 0; operand < op.getInputs().size(); ++operand) {
    if (op.getInputs()[operand] != tensor)
      continue;
    Projection read = op.getSubscripts(operand);
    ZBox points = pointsThatSee(op, operand), box = read.image(points);
    if (!isShifted(read) || volume(box) != volume(points) ||
        llvm::any_of(boxes, [&](const ZBox &other) {
          return !isEmpty(intersect(box, other));
        }))
      return false;
    boxes.push_back(std::move(box));
  }
  return true;
}

bool teg::isReadInPlace(Value tensor, const TensorView &behind,
                        const GraphViews &views) {
  llvm::SetVector<Operation *> readers(tensor.user_begin(), tensor.user_end());
  if (readers.size() == 1)
    return true;
  return llvm::all_of(
             behind.pieces,
             [&](const ViewPiece &piece) {
               return views.tensor(piece.tensor).getDefiningOp<SourceOp>();
             }) &&
         llvm::all_of(readers, [&](Operation *reader) {
           auto einsum = dyn_cast<EinsumOp>(reader);
           return einsum && readsOnce(einsum, tensor);
         });
}

/// Of more boxes it is not asked which go on in each other.
static constexpr size_t mostBoxes = 64;

namespace {
/// Finds out which operand a body yields at which points.
class ViewReader {
public:
  ViewReader(EinsumOp op, GraphViews &views)
      : op(op), views(views), dims(op.getExtents().size()) {
    for (auto [dim, expr] : llvm::enumerate(op.getResultMap().getResults()))
      dims[cast<AffineDimExpr>(expr).getPosition()] = dim;
    view.shape = llvm::to_vector(op.getResultType().getShape());
  }

  bool take(Value value, const ZBox &points);

  TensorView view;

private:
  bool takeOperand(unsigned operand, const ZBox &points);

  EinsumOp op;
  GraphViews &views;
  /// Per label its dimension of the result.
  SmallVector<unsigned> dims;
};
} // namespace

bool ViewReader::takeOperand(unsigned operand, const ZBox &points) {
  Projection read = op.getSubscripts(operand);
  RankedTensorType type = op.getInputType(operand);
  if (op.getFold(operand) || !isShifted(read) ||
      !contains(boxOfShape(type.getShape()), read.image(points)))
    return false;
  SmallVector<bool> isUsed(dims.size(), false);
  for (ProjectionDim &dim : read.dims)
    for (AffineTerm &term : dim.terms) {
      if (std::exchange(isUsed[term.dim], true))
        return false;
      term.dim = dims[term.dim];
    }
  // What is repeated is more than what is behind it.
  for (auto [label, extent] : llvm::enumerate(op.getExtents()))
    if (!isUsed[label] && extent != 1)
      return false;
  ZBox cells(dims.size());
  for (auto [label, range] : llvm::enumerate(points))
    cells[dims[label]] = range;
  Value tensor = op.getInputs()[operand];
  // A copy: what is looked up may move others.
  TensorView behind = views.of(tensor);
  // What is put together for others, too, is read as that.
  if (behind.pieces.size() > 1 && !isReadInPlace(tensor, behind, views))
    behind = TensorView::of(views.addTensor(tensor), type.getShape());
  return view.add(behind, read, cells) && view.pieces.size() <= mostBoxes;
}

bool ViewReader::take(Value value, const ZBox &points) {
  if (isEmpty(points))
    return true;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return takeOperand(argument.getArgNumber(), points);
  auto choice = value.getDefiningOp<arith::SelectOp>();
  if (!choice)
    return false;
  auto where = [&](bool isTrue) {
    return index::pointsWhere(
        choice.getCondition(), isTrue, points,
        [&](Operation *inner) { return op.getLabelReadBy(inner); });
  };
  // Each holds all of its points, so that it has no others where both are no
  // more than there are.
  ZBox then = where(true), otherwise = where(false);
  return volume(then) + volume(otherwise) == volume(points) &&
         take(choice.getTrueValue(), then) &&
         take(choice.getFalseValue(), otherwise);
}

std::optional<TensorView> teg::viewOfEinsum(EinsumOp op, GraphViews &views,
                                            size_t most) {
  if (op.getMonoid() != Monoid::None || op.getResultType().getRank() == 0 ||
      isa_and_nonnull<BlockOpInterface>(op->getParentOp()))
    return std::nullopt;
  Value yielded = op.getBody().front().getTerminator()->getOperand(0);
  if (yielded.getType() != op.getResultType().getElementType())
    return std::nullopt;
  ViewReader reader(op, views);
  if (!reader.take(yielded, boxOfShape(op.getExtents())))
    return std::nullopt;
  reader.view.merge();
  if (reader.view.pieces.size() > most)
    return std::nullopt;
  // Selectors behind it may do more.
  if (!llvm::all_of(reader.view.pieces, [](const ViewPiece &piece) {
        return piece.steps.empty() && isShifted(piece.projection);
      }))
    return std::nullopt;
  return std::move(reader.view);
}

bool teg::isReadThrough(EinsumOp view, const TensorView &behind,
                        const GraphViews &views) {
  if (view.getPartitionAttr() || view->hasAttr(constraintsAttrName) ||
      view->hasAttr(layoutGroupAttrName) || view->hasAttr(madeAttrName) ||
      view->use_empty())
    return false;
  return llvm::all_of(view->getUsers(),
                      [&](Operation *reader) {
                        return isa<EinsumOp>(reader) &&
                               reader->getBlock() == view->getBlock();
                      }) &&
         isReadInPlace(view.getResult(), behind, views);
}

EinsumOp teg::computedInPlace(EinsumOp op, Value tensor) {
  auto producer = tensor.getDefiningOp<EinsumOp>();
  if (!producer || producer.getMonoid() != Monoid::None ||
      producer->getBlock() != op->getBlock() || producer.getPartitionAttr() ||
      !isReadByAlone(tensor, op) || !readsOnce(op, tensor))
    return {};
  if (llvm::Error asked = checkUnasked(producer)) {
    llvm::consumeError(std::move(asked));
    return {};
  }
  llvm::Expected<EinsumOp> made = inlineProducer(op, producer, Monoid::None);
  if (made)
    return *made;
  llvm::consumeError(made.takeError());
  return {};
}

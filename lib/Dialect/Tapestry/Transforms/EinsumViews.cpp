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
#include "tapestry/Interfaces/SelectorInterface.h"
#include <numeric>

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

static bool isReadByAlone(Value tensor, Operation *reader) {
  return llvm::all_of(tensor.getUsers(),
                      [&](Operation *user) { return user == reader; });
}

bool teg::isStepped(const Projection &read) {
  return llvm::all_of(read.dims, [](const ProjectionDim &dim) {
    return dim.isLinear() && dim.terms.size() <= 1;
  });
}

/// Whether two reads in steps share no place, of all that they read between
/// these.
static bool areApart(const Projection &a, const ZBox &ofA, const Projection &b,
                     const ZBox &ofB) {
  if (isEmpty(intersect(ofA, ofB)))
    return true;
  return llvm::any_of(llvm::zip_equal(a.dims, b.dims), [](const auto &pair) {
    const auto &[x, y] = pair;
    if (x.terms.empty() || y.terms.empty())
      return false;
    int64_t step =
        std::gcd(x.terms.front().coefficient, y.terms.front().coefficient);
    return (x.constant - y.constant) % step != 0;
  });
}

/// Whether no two points read one place in steps.
static bool isOneToOne(const Projection &read, const ZBox &points) {
  SmallVector<bool> isUsed(points.size(), false);
  for (const ProjectionDim &dim : read.dims)
    for (const AffineTerm &term : dim.terms)
      isUsed[term.dim] = true;
  return llvm::all_of(llvm::enumerate(points), [&](const auto &label) {
    return isUsed[label.index()] || label.value().size() == 1;
  });
}

/// Whether an einsum reads no element of a tensor twice.
static bool readsOnce(EinsumOp op, Value tensor) {
  std::vector<std::pair<Projection, ZBox>> reads;
  for (unsigned operand = 0; operand < op.getInputs().size(); ++operand) {
    if (op.getInputs()[operand] != tensor)
      continue;
    Projection read = op.getSubscripts(operand);
    ZBox points = pointsThatSee(op, operand), box = read.image(points);
    if (!isStepped(read) || !isOneToOne(read, points) ||
        llvm::any_of(reads, [&](const auto &other) {
          return !areApart(read, box, other.first, other.second);
        }))
      return false;
    reads.emplace_back(std::move(read), std::move(box));
  }
  return true;
}

/// Whether some subscript leaves elements out.
static bool hasStrides(const ViewPiece &piece) {
  return llvm::any_of(piece.projection.dims, [](const ProjectionDim &dim) {
    return llvm::any_of(dim.terms, [](const AffineTerm &term) {
      return std::abs(term.coefficient) != 1;
    });
  });
}

bool teg::isReadInPlace(Value tensor, const TensorView &behind,
                        const GraphViews &views) {
  llvm::SetVector<Operation *> readers(tensor.user_begin(), tensor.user_end());
  // Of a dense copy less would be sent again and again.
  bool isDense = llvm::none_of(behind.pieces, hasStrides);
  if (isDense && readers.size() == 1)
    return true;
  bool readsSources = llvm::all_of(behind.pieces, [&](const ViewPiece &piece) {
    return views.tensor(piece.tensor).getDefiningOp<SourceOp>();
  });
  return (readsSources || readers.size() == 1) &&
         llvm::all_of(readers, [&](Operation *reader) {
           auto einsum = dyn_cast<EinsumOp>(reader);
           return einsum && readsOnce(einsum, tensor);
         });
}

bool teg::isSeenInSteps(Value tensor, GraphViews &views) {
  auto isInSteps = [](const TensorView &view) {
    return llvm::any_of(view.pieces, [](const ViewPiece &piece) {
      return !piece.steps.empty();
    });
  };
  if (!isInSteps(views.of(tensor)))
    return false;
  // What is seen is asked by itself: nothing of it may be known before.
  GraphViews behind;
  llvm::SetVector<Value> seen;
  seen.insert(tensor);
  for (size_t next = 0; next < seen.size(); ++next)
    for (Operation *user : seen[next].getUsers()) {
      auto selector = dyn_cast<SelectorInterface>(user);
      if (selector && selector.isTransparent())
        seen.insert(user->getResult(0));
      else if (!isInSteps(behind.of(seen[next])))
        return false;
    }
  return seen.size() > 1;
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
  if (op.getFold(operand) || !isStepped(read) ||
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
        return piece.steps.empty() && isStepped(piece.projection);
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
      producer->hasAttr(madeAttrName) || !isReadByAlone(tensor, op) ||
      !readsOnce(op, tensor))
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

EinsumOp teg::readerOf(BlockOpInterface op, OpBuilder &builder) {
  Value result = op->getResult(0);
  auto type = cast<RankedTensorType>(result.getType());
  SmallVector<std::string> names = op.getLabelNames();
  std::vector<Projection> places = op.getResultProjections();
  SmallVector<StringRef> labels;
  for (const ProjectionDim &dim : places.front().dims)
    labels.push_back(names[dim.terms.front().dim]);
  AffineMap same = builder.getMultiDimIdentityMap(type.getRank());
  auto reader = EinsumOp::create(
      builder, op.getLoc(), op.getVertexName(), labels, type.getShape(), result,
      {same, same}, {}, Monoid::None, type,
      [](OpBuilder &, Location, ValueRange elements) { return elements[0]; });
  reader->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  return reader;
}

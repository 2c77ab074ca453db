//===- ComposeSelectors.cpp - Selectors in the subscripts of readers ------===//
//
// What reads a view reads the tensors behind it: by other subscripts where they
// lie in one tensor, else all of a few and the body chooses. Nothing is copied
// then.
//
//===----------------------------------------------------------------------===//

#include "tapestry/Dialect/Tapestry/Transforms/ComposeSelectors.h"
#include "EinsumViews.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "tapestry/Dialect/Index/IR/AffineForm.h"
#include "tapestry/Dialect/Tapestry/IR/Constraints.h"
#include "tapestry/Dialect/Tapestry/IR/EinsumLabels.h"
#include "tapestry/Dialect/Tapestry/IR/TapestrySelectors.h"
#include "tapestry/Dialect/Tapestry/Transforms/Passes.h"
#include "tapestry/Interfaces/ElementType.h"
#include "tapestry/Interfaces/GraphLoopInterface.h"

namespace tapestry::teg {
#define GEN_PASS_DEF_TAPESTRYCOMPOSESELECTORS
#include "tapestry/Dialect/Tapestry/Transforms/Passes.h.inc"
} // namespace tapestry::teg

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

/// Of more tensors a pattern has no body choose: every reader would read all.
static constexpr size_t mostPieces = 8;

//===----------------------------------------------------------------------===//
// Views of one tensor
//===----------------------------------------------------------------------===//

namespace {

/// How a reader may read an operand, as it does or behind selectors.
struct Reading {
  Value operand;
  Projection projection;
  bool isComposed = false;
};

/// Puts the selectors of the operands of one reader into its subscripts.
class Composer {
public:
  Composer(EinsumOp reader, GraphViews &views)
      : reader(reader), op(cast<BlockOpInterface>(reader.getOperation())),
        views(views) {}

  /// The einsum that takes the reader's place; null where it stays.
  EinsumOp compose(OpBuilder &builder);

private:
  Reading readingOf(unsigned operand);
  std::optional<Reading> readingInside(unsigned operand);
  EinsumOp create(OpBuilder &builder);
  bool readsTheSame(EinsumOp made, unsigned operand);
  OperandRead readBy(EinsumOp of, unsigned operand, Value tensor, bool asIs) {
    auto type = cast<RankedTensorType>(tensor.getType());
    return {of.getSubscripts(operand),
            asIs ? TensorView::of(*views.of(tensor).asTensor(), type.getShape())
                 : views.of(tensor)};
  }

  EinsumOp reader;
  BlockOpInterface op;
  GraphViews &views;
  SmallVector<Reading> readings;
};

} // namespace

/// How a reader that never leaves its operand reads the only tensor that it
/// meets behind it.
std::optional<Reading> Composer::readingInside(unsigned operand) {
  TensorView met;
  met.shape = op.getLabelExtents();
  if (!met.add(views.of(op.getTensorOperands()[operand]),
               reader.getSubscripts(operand), op.getIndexSpace()))
    return std::nullopt;
  met.merge();
  if (met.pieces.size() != 1 || !met.pieces[0].steps.empty() ||
      met.pieces[0].cells != op.getIndexSpace())
    return std::nullopt;
  return Reading{views.tensor(met.pieces[0].tensor),
                 std::move(met.pieces[0].projection), true};
}

Reading Composer::readingOf(unsigned operand) {
  Value tensor = op.getTensorOperands()[operand];
  Reading reading{tensor, reader.getSubscripts(operand)};
  auto slice =
      asSliceRead({reading.projection, views.of(tensor)}, op.getLabelExtents());
  if (!slice)
    return readingInside(operand).value_or(reading);
  if (views.tensor(slice->first) == tensor)
    return reading;
  Projection composed = std::move(slice->second.projection);
  for (auto [dim, box] : llvm::zip_equal(composed.dims, slice->second.slice)) {
    if (dim.mod != 0 && dim.fold == Fold::Wrap && box.lo != 0)
      return reading;
    dim.constant += box.lo * dim.floordiv;
  }
  return {views.tensor(slice->first), std::move(composed), true};
}

EinsumOp Composer::create(OpBuilder &builder) {
  auto made = cast<EinsumOp>(builder.clone(*reader));
  SmallVector<Attribute> maps,
      pads(made.getPads().begin(), made.getPads().end());
  for (auto [number, reading] : llvm::enumerate(readings)) {
    made->setOperand(number, reading.operand);
    maps.push_back(AffineMapAttr::get(index::getStartMap(
        reading.projection, reader.getExtents().size(), reader.getContext())));
    auto shape = cast<RankedTensorType>(reading.operand.getType()).getShape();
    if (reading.isComposed && made.getPad(number) &&
        contains(boxOfShape(shape),
                 reading.projection.image(boxOfShape(reader.getExtents()))))
      pads[number] = builder.getUnitAttr();
  }
  maps.push_back(AffineMapAttr::get(reader.getResultMap()));
  made.setIndexingMapsAttr(builder.getArrayAttr(maps));
  made.setPadsAttr(builder.getArrayAttr(pads));
  made.removeOperandRoutesAttr();
  keepLabels(made, builder);
  return made;
}

bool Composer::readsTheSame(EinsumOp made, unsigned operand) {
  OperandRead before = readBy(reader, operand, op.getTensorOperands()[operand],
                              /*asIs=*/false);
  ZBox points = pointsThatSee(reader, operand);
  for (ProjectionDim &dim : before.projection.dims)
    for (const AffineTerm &term : dim.terms)
      dim.constant += term.coefficient * points[term.dim].lo;
  return !findReadFault(
      readBy(made, operand, readings[operand].operand, /*asIs=*/true), before,
      points);
}

EinsumOp Composer::compose(OpBuilder &builder) {
  for (unsigned number = 0; number < op.getTensorOperands().size(); ++number)
    readings.push_back(readingOf(number));
  while (llvm::any_of(
      readings, [](const Reading &reading) { return reading.isComposed; })) {
    EinsumOp made = create(builder);
    // Beside a slice a pad is read, beside it in the tensor is an element.
    bool isSame = true;
    for (auto [number, reading] : llvm::enumerate(readings)) {
      if (!reading.isComposed || readsTheSame(made, number))
        continue;
      isSame = false;
      reading = {op.getTensorOperands()[number], reader.getSubscripts(number)};
    }
    if (isSame)
      return made;
    made->erase();
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Views of several tensors
//===----------------------------------------------------------------------===//

namespace {

/// Replaces an operand of an einsum by the tensors that it is put together of.
class Spreader {
public:
  Spreader(EinsumOp op, unsigned operand, GraphViews &views, size_t most,
           bool inPlace)
      : op(op), operand(operand), views(views), most(most), inPlace(inPlace),
        read(op.getSubscripts(operand)),
        view(views.of(op.getInputs()[operand])),
        image(read.image(pointsThatSee(op, operand))) {}

  /// The einsum that takes its place; null where it stays.
  EinsumOp spread(OpBuilder &builder);

private:
  bool isOnlyMap();
  bool isStackOfPartials();
  bool findPieces();
  void addOperands(OpBuilder &builder);
  void fillBody(OpBuilder &builder, EinsumOp made);
  std::optional<unsigned> findOrder();
  Value emitChoice(OpBuilder &b, Location loc, ValueRange elements);
  Value emitSubscript(OpBuilder &b, Location loc, const ProjectionDim &dim);

  EinsumOp op;
  unsigned operand;
  GraphViews &views;
  size_t most;
  bool inPlace;
  Projection read;
  TensorView view;
  ZBox image;
  /// Those that are read, with the subscripts by which.
  std::vector<std::pair<ViewPiece, Projection>> pieces;
  SmallVector<Value> operands;
  SmallVector<AffineMap> maps;
  SmallVector<TypedAttr> pads;
};

} // namespace

bool Spreader::findPieces() {
  if (inPlace && !isReadInPlace(op.getInputs()[operand], view, views))
    return false;
  // A body knows labels, and what is folded is not chosen by where it is.
  if (op.getFold(operand) ||
      llvm::any_of(read.dims,
                   [](const ProjectionDim &dim) { return !dim.isLinear(); }))
    return false;
  if (isStackOfPartials())
    return false;
  for (const ViewPiece &piece : view.pieces) {
    if (isEmpty(intersect(piece.cells, image)))
      continue;
    std::optional<Projection> composed = compose(piece.projection, read);
    if (!composed || pieces.size() == most ||
        (inPlace && !isStepped(*composed)) ||
        llvm::any_of(composed->dims, [](const ProjectionDim &dim) {
          return dim.fold != Fold::Wrap;
        }))
      return false;
    pieces.emplace_back(piece, std::move(*composed));
  }
  return pieces.size() > 1;
}

/// Whether the reader reduces over a dimension of which each piece is one
/// point: each of its points would read all pieces.
bool Spreader::isStackOfPartials() {
  for (auto [number, dim] : llvm::enumerate(read.dims))
    if (dim.terms.size() == 1 &&
        op.getLabelKinds()[dim.terms[0].dim] == LabelKind::Reduced &&
        llvm::all_of(view.pieces, [n = number](const ViewPiece &piece) {
          return piece.cells[n].size() == 1;
        }))
      return true;
  return false;
}

/// Adds the tensors of the pieces; beside one a value is read that is not
/// chosen.
void Spreader::addOperands(OpBuilder &builder) {
  Type element = op.getInputType(operand).getElementType();
  TypedAttr zero = zeroValue(element);
  for (auto &[piece, projection] : pieces) {
    Value tensor = views.tensor(piece.tensor);
    auto shape = cast<RankedTensorType>(tensor.getType()).getShape();
    bool isInside = contains(boxOfShape(shape),
                             projection.image(boxOfShape(op.getExtents())));
    operands.push_back(tensor);
    maps.push_back(index::getStartMap(projection, op.getExtents().size(),
                                      op.getContext()));
    pads.push_back(isInside ? TypedAttr() : zero);
  }
}

/// The value of a subscript at the index point.
Value Spreader::emitSubscript(OpBuilder &b, Location loc,
                              const ProjectionDim &dim) {
  Value sum;
  for (const AffineTerm &term : dim.terms) {
    Value label = LabelOp::create(b, loc, b.getIndexType(),
                                  cast<StringAttr>(op.getLabels()[term.dim]));
    if (term.coefficient != 1)
      label = arith::MulIOp::create(
          b, loc, label,
          arith::ConstantIndexOp::create(b, loc, term.coefficient));
    sum = sum ? arith::AddIOp::create(b, loc, sum, label) : label;
  }
  Value rest = arith::ConstantIndexOp::create(b, loc, dim.constant);
  return sum ? Value(arith::AddIOp::create(b, loc, sum, rest)) : rest;
}

/// The dimension along which the pieces follow each other, as they are listed;
/// nothing where they do not.
std::optional<unsigned> Spreader::findOrder() {
  std::optional<unsigned> along;
  for (size_t next = 1; next < pieces.size(); ++next) {
    const ViewPiece &a = pieces[next - 1].first, &b = pieces[next].first;
    for (auto [dim, cells] : llvm::enumerate(image)) {
      ZRange before = intersect(a.cells[dim], cells);
      ZRange behind = intersect(b.cells[dim], cells);
      if (before == behind)
        continue;
      if (along.value_or(dim) != dim || before.hi != behind.lo)
        return std::nullopt;
      along = dim;
    }
    if (!a.steps.empty() || !b.steps.empty())
      return std::nullopt;
  }
  return along;
}

/// The element of the piece that the index point reads, or the pad.
Value Spreader::emitChoice(OpBuilder &b, Location loc, ValueRange elements) {
  SmallVector<Value> places(read.dims.size());
  bool isPadded = !contains(boxOfShape(view.shape), image);
  std::optional<unsigned> along = isPadded ? std::nullopt : findOrder();
  auto within = [&](unsigned dim, const ZRange &cells, int64_t step,
                    bool isLast) {
    Value all;
    auto number = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(b, loc, value);
    };
    auto require = [&](Value what, arith::CmpIPredicate how, int64_t bound) {
      Value holds = arith::CmpIOp::create(b, loc, how, what, number(bound));
      all = all ? Value(arith::AndIOp::create(b, loc, all, holds)) : holds;
    };
    auto place = [&] {
      if (!places[dim])
        places[dim] = emitSubscript(b, loc, read.dims[dim]);
      return places[dim];
    };
    if (image[dim].lo < cells.lo)
      require(place(), arith::CmpIPredicate::sge, cells.lo);
    // Behind the last in steps lie other pieces, or the pad; what lies behind
    // pieces in order is chosen before.
    if (image[dim].hi > cells.hi + step - 1 && (isLast || along != dim))
      require(place(), arith::CmpIPredicate::slt, cells.hi);
    if (step != 1)
      require(arith::RemSIOp::create(b, loc, place(), number(step)),
              arith::CmpIPredicate::eq, cells.lo % step);
    return all;
  };
  Value chosen;
  if (isPadded)
    chosen = emitConstant(b, loc, op.getPad(operand));
  for (auto [number, element] : llvm::enumerate(elements)) {
    const ViewPiece &piece = pieces[number].first;
    if (!chosen) {
      chosen = element;
      continue;
    }
    Value all;
    for (auto [dim, cells] : llvm::enumerate(piece.cells))
      if (Value holds =
              within(dim, cells, piece.steps.empty() ? 1 : piece.steps[dim],
                     number + 1 == pieces.size()))
        all = all ? Value(arith::AndIOp::create(b, loc, all, holds)) : holds;
    chosen = arith::SelectOp::create(b, loc, all, element, chosen);
  }
  return chosen;
}

void Spreader::fillBody(OpBuilder &builder, EinsumOp made) {
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(&made.getBody());
  for (Value tensor : operands)
    block->addArgument(getElementTypeOrSelf(tensor), op.getLoc());
  IRMapping mapping;
  Block &body = op.getBody().front();
  unsigned next = 0;
  for (BlockArgument argument : body.getArguments()) {
    if (argument.getArgNumber() != operand) {
      mapping.map(argument, block->getArgument(next++));
      continue;
    }
    mapping.map(argument,
                emitChoice(builder, op.getLoc(),
                           block->getArguments().slice(next, pieces.size())));
    next += pieces.size();
  }
  for (Operation &inner : body)
    builder.clone(inner, mapping);
}

EinsumOp Spreader::spread(OpBuilder &builder) {
  if (!findPieces())
    return {};
  for (unsigned number = 0; number < op.getInputs().size(); ++number) {
    if (number == operand) {
      addOperands(builder);
      continue;
    }
    operands.push_back(op.getInputs()[number]);
    maps.push_back(op.getOperandMap(number));
    pads.push_back({});
  }
  maps.push_back(op.getResultMap());
  auto made = EinsumOp::create(
      builder, op.getLoc(), op.getName(),
      llvm::to_vector(op.getLabels().getAsValueRange<StringAttr>()),
      op.getExtents(), operands, maps, pads, op.getMonoid(),
      op.getResultType());
  // Those of the others may be folds.
  SmallVector<Attribute> entries(made.getPads().begin(), made.getPads().end());
  for (unsigned number = 0; number < op.getInputs().size(); ++number)
    if (number != operand)
      entries[number < operand ? number : number + pieces.size() - 1] =
          op.getPads()[number];
  made.setPadsAttr(builder.getArrayAttr(entries));
  made.setCustomIdentityAttr(op.getCustomIdentityAttr());
  made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  IRMapping mapping;
  op.getCombiner().cloneInto(&made.getCombiner(), mapping);
  fillBody(builder, made);
  keepLabels(made, builder);
  return made;
}

//===----------------------------------------------------------------------===//
// Readers
//===----------------------------------------------------------------------===//

/// What takes a reader's place; null where it stays.
static EinsumOp composeReader(EinsumOp reader, GraphViews &views,
                              OpBuilder &builder, size_t most, bool inPlace) {
  if (reader.getPartitionAttr())
    return {};
  if (EinsumOp made = Composer(reader, views).compose(builder))
    return made;
  for (unsigned operand = 0; operand < reader.getInputs().size(); ++operand)
    if (EinsumOp made =
            Spreader(reader, operand, views, most, inPlace).spread(builder))
      return made;
  return {};
}

namespace {

struct ComposeReader : public OpRewritePattern<EinsumOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(EinsumOp op,
                                PatternRewriter &rewriter) const override {
    GraphViews views;
    EinsumOp made =
        composeReader(op, views, rewriter, mostPieces, /*inPlace=*/false);
    if (!made)
      return rewriter.notifyMatchFailure(
          op, "no operand is a selector whose operands its subscripts reach");
    rewriter.replaceOp(op, made);
    return success();
  }
};

struct TapestryComposeSelectors
    : tapestry::teg::impl::TapestryComposeSelectorsBase<
          TapestryComposeSelectors> {
  using TapestryComposeSelectorsBase::TapestryComposeSelectorsBase;

  void runOnOperation() override {
    GraphOp graph = getOperation();
    // Views are looked up by values, so that nothing is erased before the end.
    GraphViews views;
    OpBuilder builder(&getContext());
    replaced.clear();
    SmallVector<Operation *> read;
    SmallVector<EinsumOp> handedOn;
    graph.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<SelectorInterface>(op)) {
        read.push_back(op);
        Value made = op->getResult(0);
        if (inPlace && isSeenInSteps(made, views))
          views.set(made, TensorView::of(views.addTensor(made),
                                         views.of(made).shape));
        forward(made, views);
      }
      auto einsum = dyn_cast<EinsumOp>(op);
      if (!einsum)
        return;
      builder.setInsertionPoint(op);
      std::optional<TensorView> view;
      if (inPlace)
        view = viewOfEinsum(einsum, views, mostTensors);
      EinsumOp last = view ? readBehind(einsum, *view, views, builder) : einsum;
      while (EinsumOp made =
                 composeReader(last, views, builder, mostTensors, inPlace))
        last = replace(last, made);
      if (view && isReadThrough(last, *view, views)) {
        views.set(last.getResult(), std::move(*view));
        read.push_back(last);
      } else if (view) {
        handedOn.push_back(last);
      }
    });
    if (inPlace)
      for (Operation *op : read)
        if (EinsumOp made = handOut(op, views, builder))
          handedOn.push_back(made);
    for (Operation *op : replaced)
      op->erase();
    for (Operation *op : llvm::reverse(read)) {
      auto selector = dyn_cast<SelectorInterface>(op);
      if (op->use_empty() && (!selector || selector.isTransparent())) {
        op->erase();
        ++numErased;
      }
    }
    for (EinsumOp op : handedOn)
      computeInPlace(op, builder);
    // What is made has been told from what is read through.
    if (inPlace)
      graph.walk([](Operation *op) { op->removeAttr(madeAttrName); });
  }

private:
  /// Computes what a view hands on where that goes.
  static void computeInPlace(EinsumOp view, OpBuilder &builder) {
    for (Value tensor :
         llvm::SetVector<Value>(llvm::from_range, view.getInputs())) {
      EinsumOp made = computedInPlace(view, tensor);
      if (!made)
        continue;
      builder.setInsertionPoint(view);
      builder.insert(made);
      view.getResult().replaceAllUsesWith(made.getResult());
      view->erase();
      tensor.getDefiningOp()->erase();
      view = made;
    }
  }

  EinsumOp replace(EinsumOp last, EinsumOp made) {
    last.getResult().replaceAllUsesWith(made.getResult());
    // It reads nothing any more.
    last->setOperands(ValueRange());
    replaced.push_back(last);
    ++numComposed;
    return made;
  }

  /// What takes the place of a view that reads views: it reads what is behind
  /// them.
  EinsumOp readBehind(EinsumOp op, const TensorView &view, GraphViews &views,
                      OpBuilder &builder) {
    if (llvm::all_of(view.pieces, [&](const ViewPiece &piece) {
          return llvm::is_contained(op.getInputs(), views.tensor(piece.tensor));
        }))
      return op;
    views.set(op.getResult(), view);
    EinsumOp reader =
        readerOf(cast<BlockOpInterface>(op.getOperation()), builder);
    EinsumOp made =
        composeReader(reader, views, builder, mostTensors, /*inPlace=*/false);
    reader->erase();
    return made ? replace(op, made) : op;
  }

  /// What takes the place of a selector of selectors, or of what is computed
  /// for it, that sinks alone read: it reads what is behind them.
  EinsumOp handOut(Operation *op, GraphViews &views, OpBuilder &builder) {
    auto selector = dyn_cast<SelectorInterface>(op);
    if (!selector || !selector.isTransparent() || op->use_empty() ||
        !op->getDiscardableAttrDictionary().empty() ||
        !llvm::all_of(op->getUsers(), llvm::IsaPred<SinkOp>))
      return {};
    bool readsSources = llvm::all_of(op->getOperands(), [](Value operand) {
      return operand.getDefiningOp<SourceOp>();
    });
    // Of what is interleaved blocks are put together anyway.
    bool isInSteps = llvm::all_of(
        views.of(op->getResult(0)).pieces, [](const ViewPiece &piece) {
          return piece.steps.empty() && isStepped(piece.projection);
        });
    if (readsSources || !isInSteps)
      return {};
    builder.setInsertionPoint(op);
    EinsumOp reader = readerOf(cast<BlockOpInterface>(op), builder);
    EinsumOp made =
        composeReader(reader, views, builder, mostTensors, /*inPlace=*/false);
    reader->erase();
    if (made)
      op->getResult(0).replaceAllUsesWith(made.getResult());
    return made;
  }

  /// A selector that is a tensor again gives way to that, but not to a loop:
  /// what is carried is an operator's result and another tensor than all else.
  void forward(Value result, GraphViews &views) {
    std::optional<unsigned> tensor = views.of(result).asTensor();
    if (!tensor)
      return;
    Value same = views.tensor(*tensor);
    if (same != result && same.getType() == result.getType())
      result.replaceUsesWithIf(same, [](OpOperand &use) {
        return !isa<GraphLoopInterface>(use.getOwner()) &&
               !use.getOwner()->hasTrait<OpTrait::IsTerminator>();
      });
  }

  /// Those that others have taken the place of.
  SmallVector<Operation *> replaced;
};

} // namespace

void teg::populateComposeSelectorsPatterns(RewritePatternSet &patterns) {
  patterns.add<ComposeReader>(patterns.getContext());
}

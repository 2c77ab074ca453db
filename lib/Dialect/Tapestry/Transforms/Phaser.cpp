//===- Phaser.cpp - An einsum with one label in phases --------------------===//

#include "Phaser.h"
#include "Inlining.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tapestry/Dialect/Index/IR/AffineForm.h"
#include "tapestry/Dialect/Tapestry/IR/Constraints.h"
#include "tapestry/Dialect/Tapestry/IR/EinsumLabels.h"
#include "tapestry/Dialect/Tapestry/Macros/ScalarBuilder.h"
#include "tapestry/Interfaces/ElementType.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::model;
using namespace tapestry::teg;

bool teg::isView(EinsumOp op) {
  if (op.getMonoid() != Monoid::None || op.getInputs().size() != 1)
    return false;
  Block &body = op.getBody().front();
  Value yielded = cast<YieldOp>(body.getTerminator()).getValue();
  // Widened in the body, rounded to the same when it is stored.
  if (auto wide = yielded.getDefiningOp<arith::ExtFOp>())
    yielded = wide.getIn();
  return yielded == body.getArgument(0) &&
         op.getInputType(0).getElementType() ==
             op.getResultType().getElementType();
}

//===----------------------------------------------------------------------===//
// What is to be made
//===----------------------------------------------------------------------===//

/// The same points of the tensor from an index space in phases.
Projection Phaser::substituted(const Projection &projection) {
  Projection made = projection;
  if (!isSplit)
    return made;
  for (ProjectionDim &dim : made.dims)
    for (AffineTerm &term : dim.terms)
      if (term.dim == label) {
        AffineTerm phase{static_cast<unsigned>(op.getLabels().size()),
                         term.coefficient};
        term.coefficient *= phases.count;
        dim.terms.push_back(phase);
        break;
      }
  return made;
}

Attribute Phaser::padOf(const Read &read, ArrayRef<int64_t> ofExtents) const {
  auto type = cast<RankedTensorType>(read.tensor.getType());
  Builder builder(type.getContext());
  if (contains(boxOfShape(type.getShape()),
               read.projection.image(boxOfShape(ofExtents))))
    return builder.getUnitAttr();
  if (!isa<UnitAttr>(read.pad))
    return read.pad;
  // What is read there is of points that are none of the label's.
  return zeroValue(type.getElementType());
}

/// Whether an einsum has every element of its operand once: dimensions as they
/// are, or two of them as one, at y floordiv m and y mod m.
static bool holdsAllOnce(EinsumOp op, const Projection &read) {
  ArrayRef<int64_t> shape = op.getInputType(0).getShape();
  SmallVector<int64_t> held(op.getExtents().size(), 1);
  SmallVector<bool> isSeen(held.size() * 2);
  for (auto [dim, extent] : llvm::zip_equal(read.dims, shape)) {
    if (dim.terms.size() != 1 || dim.terms[0].coefficient != 1 ||
        dim.constant != 0 || (dim.floordiv != 1 && dim.mod != 0) ||
        (dim.mod != 0 && dim.mod != extent))
      return false;
    unsigned label = dim.terms[0].dim;
    bool isLow = dim.mod != 0;
    if (std::exchange(isSeen[2 * label + isLow], true))
      return false;
    // The higher of two is divided by what the lower wraps around.
    if (dim.floordiv != 1 && dim.floordiv * extent != op.getExtents()[label])
      return false;
    held[label] *= extent;
  }
  return llvm::equal(held, op.getExtents());
}

/// Where the view is one of a tensor whose phases lie apart already, that is
/// read: what is interleaved and taken apart again is as it was.
void Phaser::readBehindView(PhasedOperand &operand) {
  View &view = *operand.view;
  auto inner = view.of.tensor.getDefiningOp<EinsumOp>();
  if (!inner || !isView(inner) || inner.getFold(0) || inner.getPad(0))
    return;
  FailureOr<Projection> subscripts =
      index::getSubscripts(inner.getOperandMap(0));
  if (failed(subscripts))
    return;
  // The view's cells as places of the inner view, then of its tensor.
  AffineMap outer = index::getStartMap(view.of.projection, view.shape.size(),
                                       op.getContext());
  SmallVector<AffineExpr> places(inner.getExtents().size());
  for (auto [dim, place] : llvm::enumerate(outer.getResults()))
    places[inner.getResultMap().getDimPosition(dim)] = place;
  FailureOr<Projection> composed =
      index::getSubscripts(inner.getOperandMap(0).replaceDimsAndSymbols(
          places, {}, view.shape.size(), 0));
  if (failed(composed))
    return;
  SmallVector<AffineExpr> behind;
  for (ProjectionDim &dim : composed->dims) {
    std::optional<ProjectionDim> linear = linearWithin(dim, view.shape);
    if (!linear || linear->terms.size() > 1 ||
        (linear->terms.size() == 1 && linear->terms[0].coefficient != 1))
      return;
    dim = *linear;
  }
  // Cells outside the inner view are read as its pad, those outside its tensor
  // would be; they are the same where the view has all of the tensor.
  bool isPadded = !isa<UnitAttr>(view.of.pad);
  if (isPadded &&
      (index::foldOf(view.of.pad) || !holdsAllOnce(inner, *subscripts)))
    return;
  AffineMap toView = index::getStartMap(operand.read.projection, extents.size(),
                                        op.getContext());
  AffineMap map =
      index::getStartMap(*composed, view.shape.size(), op.getContext())
          .compose(toView);
  FailureOr<Projection> read = index::getSubscripts(map);
  if (failed(read))
    return;
  operand.read = {inner.getInputs()[0], *read, view.of.pad};
  operand.view.reset();
}

llvm::Error Phaser::prepareOperand(unsigned number) {
  Value tensor = op.getInputs()[number];
  FailureOr<Projection> subscripts =
      index::getSubscripts(op.getOperandMap(number));
  if (failed(subscripts))
    return planError("the subscripts of operand ", number, " are too long");
  PhasedOperand operand;
  operand.read = {tensor, substituted(*subscripts), op.getPads()[number]};
  ArrayRef<int64_t> shape = op.getInputType(number).getShape();
  View view{{tensor, Projection::identity(shape.size()), op.getPads()[number]},
            llvm::to_vector(shape)};
  // The place of p in the view: behind the first j.
  std::optional<unsigned> place;
  SmallVector<std::optional<PhasedDim>> apart;
  for (auto [dim, subscript] : llvm::enumerate(subscripts->dims)) {
    apart.push_back(takeApart(subscript, phases, op.getExtents()));
    if (apart.back() && !place)
      place = dim + 1;
  }
  if (!place) {
    operands.push_back(std::move(operand));
    return llvm::Error::success();
  }
  auto moved = [&](unsigned dim) {
    return dim + (phases.count > 1 && dim >= *place ? 1 : 0);
  };
  for (auto [dim, part] : llvm::enumerate(apart)) {
    for (AffineTerm &term : view.of.projection.dims[dim].terms)
      term.dim = moved(dim);
    if (!part)
      continue;
    operand.read.projection.dims[dim] = part->read;
    view.shape[dim] = part->extent;
    view.of.projection.dims[dim] = part->view;
    for (AffineTerm &term : view.of.projection.dims[dim].terms)
      term.dim = term.dim == 0 ? moved(dim) : *place;
    llvm::sort(
        view.of.projection.dims[dim].terms,
        [](const AffineTerm &a, const AffineTerm &b) { return a.dim < b.dim; });
  }
  if (phases.count > 1) {
    ProjectionDim phase;
    phase.terms = {
        {isSplit ? static_cast<unsigned>(op.getLabels().size()) : label, 1}};
    auto &dims = operand.read.projection.dims;
    dims.insert(dims.begin() + *place, phase);
    view.shape.insert(view.shape.begin() + *place, phases.count);
  }
  double cells = 1;
  for (int64_t size : view.shape)
    cells *= size;
  if (cells >= 0x1p62)
    return planError("a view of operand ", number,
                     " would have 2^62 elements or more");
  operand.view = std::move(view);
  readBehindView(operand);
  operands.push_back(std::move(operand));
  return llvm::Error::success();
}

/// Whether the body may be computed for values that it never sees.
static bool isTotal(EinsumOp op) {
  return llvm::all_of(op.getBody().front(), [](Operation &inner) {
    return isSpeculatable(&inner) || isa<YieldOp>(inner);
  });
}

llvm::Error Phaser::prepare() {
  if (llvm::Error error = checkUnasked(op))
    return error;
  if (isView(op))
    return planError("it is a view itself");
  if (llvm::is_contained(op.getExtents(), 0))
    return planError("it has no index points");
  if (phases.surplus(extent) > 0 && !isTotal(op))
    return planError(phases.count, " phases of ", extent, " points of '",
                     op.getLabelNames()[label], "' have ",
                     phases.surplus(extent),
                     " points more, at which the body may not be computed");
  nameLabels();
  double points = 1;
  for (int64_t each : extents)
    points *= each;
  if (points >= 0x1p62)
    return planError("the index space would have 2^62 points or more");
  for (unsigned number = 0; number < op.getInputs().size(); ++number)
    if (llvm::Error error = prepareOperand(number))
      return error;
  auto isApart = [&](const PhasedOperand &operand) {
    return operand.view ||
           !llvm::is_contained(op.getInputs(), operand.read.tensor);
  };
  if (llvm::none_of(operands, isApart))
    return planError("no window is denser in ", phases.count, " phases of '",
                     op.getLabelNames()[label], "'");
  return llvm::Error::success();
}

void Phaser::nameLabels() {
  names = op.getLabelNames();
  extents = llvm::to_vector(op.getExtents());
  if (!isSplit)
    return;
  extents[label] = phases.steps;
  std::string stem = names[label] + "_phase", name = stem;
  for (unsigned number = 2; llvm::is_contained(names, name); ++number)
    name = stem + std::to_string(number);
  names.push_back(name);
  extents.push_back(phases.count);
}

//===----------------------------------------------------------------------===//
// Making it
//===----------------------------------------------------------------------===//

EinsumOp Phaser::createEinsum(OpBuilder &builder, StringRef name,
                              ArrayRef<std::string> ofNames,
                              ArrayRef<int64_t> ofExtents,
                              ArrayRef<Value> tensors, ArrayRef<AffineMap> maps,
                              ArrayRef<Attribute> pads, Monoid monoid,
                              RankedTensorType type) {
  SmallVector<StringRef> labels(ofNames.begin(), ofNames.end());
  auto made =
      EinsumOp::create(builder, op.getLoc(), name, labels, ofExtents, tensors,
                       maps, ArrayRef<TypedAttr>(), monoid, type);
  made.setPadsAttr(builder.getArrayAttr(pads));
  return made;
}

/// A tensor of the elements that a read names.
Value Phaser::emitCopy(OpBuilder &builder, StringRef name,
                       ArrayRef<std::string> ofNames, ArrayRef<int64_t> shape,
                       const Read &read) {
  Type element = getElementTypeOrSelf(read.tensor);
  AffineMap map =
      index::getStartMap(read.projection, shape.size(), op.getContext());
  EinsumOp made = createEinsum(
      builder, name, ofNames, shape, read.tensor,
      {map, builder.getMultiDimIdentityMap(shape.size())}, padOf(read, shape),
      Monoid::None, RankedTensorType::get(shape, element));
  // Its readers shall read it, not through it.
  made->setAttr(madeAttrName, builder.getUnitAttr());
  OpBuilder::InsertionGuard guard(builder);
  Block *body = builder.createBlock(&made.getBody());
  Value value = body->addArgument(element, op.getLoc());
  YieldOp::create(builder, op.getLoc(),
                  ScalarBuilder(builder, op.getLoc()).widen(value));
  keepLabels(made, builder);
  return made.getResult();
}

Value Phaser::emitView(OpBuilder &builder, StringRef name, const View &view) {
  SmallVector<std::string> dims;
  for (unsigned dim = 0; dim < view.shape.size(); ++dim)
    dims.push_back("d" + std::to_string(dim));
  return emitCopy(builder, name, dims, view.shape, view.of);
}

void Phaser::fillBody(OpBuilder &builder, EinsumOp made) {
  OpBuilder::InsertionGuard guard(builder);
  Location loc = op.getLoc();
  Block &old = op.getBody().front();
  Block *body = builder.createBlock(&made.getBody());
  IRMapping mapping;
  for (BlockArgument argument : old.getArguments())
    mapping.map(argument, body->addArgument(argument.getType(), loc));
  ScalarBuilder scalars(builder, loc);
  auto number = [&](int64_t value) {
    return scalars.constant(builder.getIndexAttr(value));
  };
  // m*q + p.
  Value point;
  auto emitPoint = [&] {
    if (point || !isSplit)
      return point ? point : scalars.label(names[label]);
    point = scalars.create<arith::MulIOp>(scalars.label(names[label]),
                                          number(phases.count));
    point = scalars.create<arith::AddIOp>(point, scalars.label(names.back()));
    return point;
  };
  for (Operation &inner : old.without_terminator()) {
    auto use = dyn_cast<LabelOp>(inner);
    if (use && *op.getLabelIndex(use.getLabel()) == label)
      mapping.map(use.getResult(), emitPoint());
    else
      builder.clone(inner, mapping);
  }
  Value value = mapping.lookup(cast<YieldOp>(old.getTerminator()).getValue());
  if (isReduced && phases.surplus(extent) > 0) {
    Value isPoint = scalars.create<arith::CmpIOp>(arith::CmpIPredicate::slt,
                                                  emitPoint(), number(extent));
    value = scalars.create<arith::SelectOp>(
        isPoint, value, emitConstant(builder, loc, op.getIdentity()));
  }
  YieldOp::create(builder, loc, value);
  keepLabels(made, builder);
}

EinsumOp Phaser::emitPhases(OpBuilder &builder, StringRef name) {
  SmallVector<Value> tensors;
  SmallVector<AffineMap> maps;
  SmallVector<Attribute> pads;
  for (PhasedOperand &operand : operands) {
    tensors.push_back(operand.read.tensor);
    maps.push_back(index::getStartMap(operand.read.projection, extents.size(),
                                      op.getContext()));
    pads.push_back(padOf(operand.read, extents));
  }
  SmallVector<AffineExpr> results;
  SmallVector<int64_t> shape;
  for (AffineExpr result : op.getResultMap().getResults()) {
    results.push_back(result);
    if (isSplit && cast<AffineDimExpr>(result).getPosition() == label)
      results.push_back(builder.getAffineDimExpr(names.size() - 1));
  }
  for (AffineExpr result : results)
    shape.push_back(extents[cast<AffineDimExpr>(result).getPosition()]);
  maps.push_back(
      AffineMap::get(extents.size(), 0, results, builder.getContext()));
  EinsumOp made = createEinsum(
      builder, name, names, extents, tensors, maps, pads, op.getMonoid(),
      RankedTensorType::get(shape, op.getResultType().getElementType()));
  made.setCustomIdentityAttr(op.getCustomIdentityAttr());
  IRMapping mapping;
  op.getCombiner().cloneInto(&made.getCombiner(), mapping);
  fillBody(builder, made);
  return made;
}

/// Y[y] = W[y floordiv m, y mod m], by the name of the einsum.
void Phaser::emitInterleaved(OpBuilder &builder, EinsumOp made) {
  AffineMap result = op.getResultMap();
  SmallVector<std::string> dims;
  Read read{made.getResult(), {}, builder.getUnitAttr()};
  for (unsigned dim = 0; dim < result.getNumResults(); ++dim) {
    unsigned of = result.getDimPosition(dim);
    dims.push_back(op.getLabelNames()[of]);
    ProjectionDim place;
    place.terms = {{dim, 1}};
    if (of == label)
      place.floordiv = phases.count;
    read.projection.dims.push_back(place);
    if (of == label) {
      place.floordiv = 1;
      place.mod = phases.count;
      read.projection.dims.push_back(place);
    }
  }
  Value whole = emitCopy(builder, op.getName(), dims,
                         op.getResultType().getShape(), read);
  op.getResult().replaceAllUsesWith(whole);
}

void Phaser::emit(RewrittenGraph &graph) {
  OpBuilder builder = graph.builder();
  builder.setInsertionPoint(op);
  for (PhasedOperand &operand : operands)
    if (operand.view)
      operand.read.tensor =
          emitView(builder, graph.freshName(op.getName()), *operand.view);
  bool isWhole = isReduced || !isSplit;
  EinsumOp made = emitPhases(builder, isWhole ? op.getName().str()
                                              : graph.freshName(op.getName()));
  if (isWhole)
    op.getResult().replaceAllUsesWith(made.getResult());
  else
    emitInterleaved(builder, made);
  graph.erase(op);
}

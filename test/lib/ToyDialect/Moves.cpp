//===- Moves.cpp - Operators that read or write in pieces -----------------===//
//
// A concatenation reads every operand by some of the points, a roll wraps
// around, a gather reads what data name, a weave writes regions. Index spaces
// and pieces alone: the planner and the lowering know nothing else of them.
//
//===----------------------------------------------------------------------===//

#include "Toy.h"

using namespace mlir;
using namespace tapestry;
using namespace toy;

static ArrayRef<int64_t> shapeOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getShape();
}

static LogicalResult verifyShape(Operation *op, ArrayRef<int64_t> expected) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (type.getShape() == expected)
    return success();
  return op->emitOpError("makes a matrix of ")
         << expected[0] << " by " << expected[1] << ", not " << type;
}

//===----------------------------------------------------------------------===//
// Concatenation: one piece per operand, with a guard
//===----------------------------------------------------------------------===//

LogicalResult ConcatOp::verify() {
  int64_t rows = -static_cast<int64_t>(getGap());
  for (Value input : getInputs())
    rows += shapeOf(input)[0] + getGap();
  return verifyShape(*this, {rows, shapeOf(getInputs().front())[1]});
}

SmallVector<Value> ConcatOp::getTensorOperands() {
  return llvm::to_vector(getInputs());
}

std::vector<Access> ConcatOp::getAccesses(unsigned operand) {
  int64_t first = 0;
  for (Value before : getInputs().take_front(operand))
    first += shapeOf(before)[0] + getGap();
  ArrayRef<int64_t> shape = shapeOf(getInputs()[operand]);
  Access piece{Projection::identity(2)};
  piece.projection.dims[0].constant = -first;
  piece.guard = {{first, first + shape[0]}, {0, shape[1]}};
  if (getGap() != 0)
    piece.fallback = AccessFallback::Pad;
  return {piece};
}

TypedAttr ConcatOp::getPad(unsigned) { return getFillAttr(); }

//===----------------------------------------------------------------------===//
// Roll: one piece that divides and wraps
//===----------------------------------------------------------------------===//

LogicalResult RollOp::verify() {
  ArrayRef<int64_t> shape = shapeOf(getInput());
  return verifyShape(*this,
                     {shape[0] * static_cast<int64_t>(getRepeat()), shape[1]});
}

SmallVector<Value> RollOp::getTensorOperands() { return {getInput()}; }

SmallVector<Value> RollOp::getAwaited() { return llvm::to_vector(getWaits()); }

std::optional<SmallVector<int64_t>> RollOp::getDeviceSet() {
  if (!getDevices())
    return std::nullopt;
  return llvm::to_vector(*getDevices());
}

std::vector<Access> RollOp::getAccesses(unsigned) {
  Access piece{Projection::identity(2)};
  ProjectionDim &row = piece.projection.dims[0];
  row.constant = getShift() * getRepeat();
  row.floordiv = getRepeat();
  row.mod = shapeOf(getInput())[0];
  return {piece};
}

//===----------------------------------------------------------------------===//
// What nobody says how to compute
//===----------------------------------------------------------------------===//

LogicalResult OpaqueOp::verify() {
  return verifyShape(*this, shapeOf(getInput()));
}

SmallVector<Value> OpaqueOp::getTensorOperands() { return {getInput()}; }

std::vector<Access> OpaqueOp::getAccesses(unsigned) {
  return {Access{Projection::identity(2)}};
}

//===----------------------------------------------------------------------===//
// Gather: a label that data select, or a range that data index
//===----------------------------------------------------------------------===//

LogicalResult GatherOp::verify() {
  return verifyShape(*this, {shapeOf(getRows())[0], shapeOf(getTable())[1]});
}

SmallVector<std::string> GatherOp::getLabelNames() {
  if (getWhole())
    return {"row", "column"};
  return {"row", "column", "entry"};
}

SmallVector<int64_t> GatherOp::getLabelExtents() {
  SmallVector<int64_t> extents = getResultShape();
  if (!getWhole())
    extents.push_back(shapeOf(getTable())[0]);
  return extents;
}

SmallVector<LabelKind> GatherOp::getLabelKinds() {
  SmallVector<LabelKind> kinds(2, LabelKind::Parallel);
  if (!getWhole())
    kinds.push_back(LabelKind::Selected);
  return kinds;
}

SmallVector<Value> GatherOp::getTensorOperands() {
  return {getTable(), getRows()};
}

std::vector<Access> GatherOp::getAccesses(unsigned operand) {
  Access piece{Projection::identity(1)};
  if (operand == 1)
    return {piece};
  ProjectionDim &entry = piece.projection.dims[0];
  if (getWhole()) {
    piece.kind = AccessKind::Indexed;
    entry.terms.clear();
    entry.size = shapeOf(getTable())[0];
  } else {
    entry.terms[0].dim = 2;
  }
  piece.projection.dims.push_back(Projection::identity(2).dims[1]);
  return {piece};
}

std::vector<Projection> GatherOp::getResultProjections() {
  return {Projection::identity(2)};
}

Monoid GatherOp::getResultMonoid(unsigned) {
  return getWhole() ? Monoid::None : Monoid::Add;
}

//===----------------------------------------------------------------------===//
// Weave: two pieces that are written, regions with an offset and a stride
//===----------------------------------------------------------------------===//

LogicalResult WeaveOp::verify() {
  ArrayRef<int64_t> shape = shapeOf(getFirst());
  for (int64_t value : {getCopies(), getStep(), getOffset(), getStride()})
    if (value < 1)
      return emitOpError("has a number that is not positive");
  if (shapeOf(getSecond()) != shape)
    return emitOpError("weaves matrices of one shape");
  // Which of these rows are written, and how often, is for others to prove.
  int64_t last = (shape[0] - 1) * static_cast<int64_t>(getStep()) +
                 getOffset() + (getCopies() - 1) * getStride();
  if (last >= getResultShape()[0])
    return emitOpError("writes row ")
           << last << " of " << getResult().getType();
  return verifyShape(*this, {getResultShape()[0], shape[1]});
}

SmallVector<Value> WeaveOp::getTensorOperands() {
  return {getFirst(), getSecond()};
}

SmallVector<std::string> WeaveOp::getLabelNames() { return {"row", "column"}; }

SmallVector<int64_t> WeaveOp::getLabelExtents() {
  return llvm::to_vector(shapeOf(getFirst()));
}

SmallVector<LabelKind> WeaveOp::getLabelKinds() {
  return {2, LabelKind::Parallel};
}

std::vector<Access> WeaveOp::getAccesses(unsigned) {
  return {Access{Projection::identity(2)}};
}

std::vector<Projection> WeaveOp::getResultProjections() {
  Projection columns = Projection::identity(2);
  columns.dims[0].terms.clear();
  columns.dims[0].size = getResultShape()[0];
  return {columns};
}

std::vector<Write> WeaveOp::getWrites(unsigned) {
  Write first{Projection::identity(2)};
  ProjectionDim &rows = first.projection.dims[0];
  rows.terms[0].coefficient = getStep();
  rows.size = getCopies();
  rows.stride = getStride();
  Write second = first;
  second.projection.dims[0].constant = getOffset();
  return {first, second};
}

Monoid WeaveOp::getResultMonoid(unsigned) { return Monoid::None; }

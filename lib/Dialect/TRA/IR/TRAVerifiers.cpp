//===- TRAVerifiers.cpp - Constraints of tra operations -------------------===//
//
// Checks stand in the order of the "Constraints:" lists in TRAOps.td and carry
// their labels.
//
//===----------------------------------------------------------------------===//

#include "VerifierRules.h"
#include "tapestry/Support/Counted.h"
#include "tapestry/Support/Resharding.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::tra;

//===----------------------------------------------------------------------===//
// What operations share
//===----------------------------------------------------------------------===//

/// Shape and element type of tensors and relations alike.
static LogicalResult verifySameTensor(Operation *op, ArrayRef<int64_t> shape,
                                      Type elementType,
                                      ArrayRef<int64_t> otherShape,
                                      Type otherElementType) {
  if (shape == otherShape && elementType == otherElementType)
    return success();
  return op->emitOpError("turns a tensor of shape ")
         << listToString(shape) << " and element type " << elementType
         << " into one of shape " << listToString(otherShape)
         << " and element type " << otherElementType;
}

static LogicalResult verifySameTensor(Operation *op, RelationType source,
                                      RelationType result) {
  return verifySameTensor(op, source.getShape(), source.getElementType(),
                          result.getShape(), result.getElementType());
}

/// `what` names the relation in the message.
static LogicalResult verifyNotPartial(Operation *op, StringRef what,
                                      RelationType relation) {
  if (!relation.isPartial())
    return success();
  return op->emitOpError(what)
         << " is partial over "
         << countOf(relation.getLayout().getLayout().partial.size(), "axis")
         << ", expected 0; aggregate it first";
}

/// Parts of `relation` are disjoint blocks that cover the tensor.
static LogicalResult verifyPlain(Operation *op, StringRef what,
                                 RelationType relation) {
  const Layout &layout = relation.getLayout().getLayout();
  size_t cuts = 0;
  for (auto [number, dim] : llvm::enumerate(layout.dims)) {
    if (!dim.isBlocked())
      return op->emitOpError("dimension ")
             << number << " of the " << what
             << " is not plain: its parts may overlap or leave gaps";
    for (const LayoutTerm &term : dim.terms)
      cuts += term.cut.size();
  }
  // A diagonal: devices hold only those parts whose keys agree.
  if (cuts != layout.usedAxes().size())
    return op->emitOpError("the ")
           << what << " is cut " << cuts << " times over "
           << countOf(layout.usedAxes().size(), "axis")
           << ", so that its parts leave gaps";
  return success();
}

//===----------------------------------------------------------------------===//
// Tensors and relations
//===----------------------------------------------------------------------===//

LogicalResult FromTensorOp::verify() {
  RankedTensorType tensor = getTensor().getType();
  RelationType relation = getType();
  // from_tensor_c1
  if (failed(verifySameTensor(*this, tensor.getShape(), tensor.getElementType(),
                              relation.getShape(), relation.getElementType())))
    return failure();
  // from_tensor_c2
  return verifyNotPartial(*this, "result", relation);
}

LogicalResult ToTensorOp::verify() {
  RankedTensorType tensor = getType();
  RelationType relation = getRelation().getType();
  // to_tensor_c1
  if (failed(verifySameTensor(*this, relation.getShape(),
                              relation.getElementType(), tensor.getShape(),
                              tensor.getElementType())))
    return failure();
  // to_tensor_c2
  if (failed(verifyNotPartial(*this, "relation", relation)))
    return failure();
  // to_tensor_c3
  return verifyPlain(*this, "relation", relation);
}

//===----------------------------------------------------------------------===//
// Aggregate and repartition
//===----------------------------------------------------------------------===//

/// aggregate_c4: the boxes stay, or are cut within each group.
static LogicalResult verifyTargets(AggregateOp op) {
  const DeviceGrid &grid = op.getType().getDeviceGrid();
  const Layout &from = op.getSource().getType().getLayout().getLayout();
  const Layout &to = op.getType().getLayout().getLayout();
  if (canReduceScatter(grid, from, to))
    return success();
  for (int64_t device = 0, e = grid.numDevices(); device < e; ++device) {
    ZBox held = from.box(grid, device), target = to.box(grid, device);
    if (held != target && !(isEmpty(held) && isEmpty(target)))
      return op.emitOpError("device ")
             << device << " holds partial values of " << boxToString(held)
             << " and would get " << boxToString(target)
             << ": neither that box nor a share of its group's";
  }
  return success();
}

LogicalResult AggregateOp::verify() {
  RelationType source = getSource().getType(), result = getType();
  // aggregate_c1
  if (failed(verifySameTensor(*this, source, result)))
    return failure();
  // aggregate_c2
  if (failed(verifySameGrid(*this, source, result)))
    return failure();
  // aggregate_c3
  if (!source.isPartial())
    return emitOpError("source is partial over 0 axes, expected at least 1");
  if (failed(verifyNotPartial(*this, "result", result)))
    return failure();
  // aggregate_c4
  if (failed(verifyTargets(*this)))
    return failure();
  // aggregate_c5
  if (getMonoid() == Monoid::None)
    return emitOpError("combines partial values by 'none'");
  // aggregate_c6
  Type elementType = result.getElementType();
  if (failed(verifyCustom(*this, getMonoid(), getIdentityAttr(), getCombine(),
                          elementType)))
    return failure();
  // aggregate_c7
  return verifyMonoidType(*this, getMonoid(), elementType);
}

LogicalResult AggregateOp::verifyRegions() {
  // aggregate_c8
  if (getCombine().empty())
    return success();
  Type elementType = getType().getElementType();
  return verifyScalarRegion(*this, "combine region", getCombine(),
                            {elementType, elementType}, elementType);
}

/// Whether every device has what it is to have.
static bool holdsAll(RelationType source, RelationType result) {
  const DeviceGrid &grid = source.getDeviceGrid();
  for (int64_t device = 0, e = grid.numDevices(); device < e; ++device)
    if (!contains(source.getLayout().getLayout().box(grid, device),
                  result.getLayout().getLayout().box(grid, device)))
      return false;
  return true;
}

LogicalResult RepartitionOp::verify() {
  RelationType source = getSource().getType(), result = getType();
  // repartition_c1
  if (failed(verifySameTensor(*this, source, result)))
    return failure();
  // repartition_c2
  if (failed(verifySameGrid(*this, source, result)))
    return failure();
  // repartition_c3
  if (failed(verifyNotPartial(*this, "source", source)) ||
      failed(verifyNotPartial(*this, "result", result)))
    return failure();
  // repartition_c4
  if (!source.getLayout().getLayout().isDisjoint() && holdsAll(source, result))
    return success();
  return verifyPlain(*this, "source", source);
}

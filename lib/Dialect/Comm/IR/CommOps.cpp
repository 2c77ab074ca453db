//===- CommOps.cpp - Building and simplifying comm operations -------------===//

#include "LayoutFacts.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "tapestry/Dialect/Comm/IR/CommPoint.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::comm;

#include "tapestry/Dialect/Comm/IR/CommInterfaces.cpp.inc"

#define GET_OP_CLASSES
#include "tapestry/Dialect/Comm/IR/CommOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

Collective comm::detail::planOf(index::LayoutAttr from, index::LayoutAttr to) {
  return LayoutFacts::of(from).plan(from, to);
}

ArrayAttr comm::detail::axisNames(index::LayoutAttr layout,
                                  ArrayRef<unsigned> axes) {
  Builder builder(layout.getContext());
  SmallVector<StringRef> names;
  for (unsigned axis : axes)
    names.push_back(layout.getDeviceGrid().axes[axis].name);
  return builder.getStrArrayAttr(names);
}

ArrayAttr comm::detail::groupAxes(index::LayoutAttr from,
                                  index::LayoutAttr to) {
  return axisNames(from, planOf(from, to).axes);
}

RankedTensorType comm::detail::resultType(Value source, index::LayoutAttr to) {
  return partType(to,
                  cast<RankedTensorType>(source.getType()).getElementType());
}

//===----------------------------------------------------------------------===//
// Simplifying
//===----------------------------------------------------------------------===//

LogicalResult comm::detail::eraseUnused(CollectiveOpInterface op,
                                        PatternRewriter &rewriter) {
  if (!llvm::all_of(op.getParts(), [](Value part) { return part.use_empty(); }))
    return rewriter.notifyMatchFailure(op, "a result is used");
  if (!llvm::all_of(
          op.getToken().getUsers(),
          llvm::IsaPred<CollectiveOpInterface, HandOutOp, PointOp, TakeInOp>))
    return rewriter.notifyMatchFailure(op,
                                       "something else than a collective, a "
                                       "point, a result or an argument "
                                       "uses the token");

  SmallPtrSet<Operation *, 4> users(op.getToken().getUsers().begin(),
                                    op.getToken().getUsers().end());
  for (Operation *user : users) {
    // Every operand that is a token is one that the user waits for.
    SmallVector<Value> operands;
    for (Value operand : user->getOperands()) {
      if (operand == op.getToken())
        llvm::append_range(operands, op.getAfter());
      else
        operands.push_back(operand);
    }
    rewriter.modifyOpInPlace(user, [&] { user->setOperands(operands); });
  }
  rewriter.eraseOp(op);
  return success();
}

LogicalResult AllGatherOp::canonicalize(AllGatherOp op,
                                        PatternRewriter &rewriter) {
  return detail::eraseUnused(op, rewriter);
}

LogicalResult AllToAllOp::canonicalize(AllToAllOp op,
                                       PatternRewriter &rewriter) {
  return detail::eraseUnused(op, rewriter);
}

LogicalResult CollectivePermuteOp::canonicalize(CollectivePermuteOp op,
                                                PatternRewriter &rewriter) {
  return detail::eraseUnused(op, rewriter);
}

LogicalResult HaloExchangeOp::canonicalize(HaloExchangeOp op,
                                           PatternRewriter &rewriter) {
  return detail::eraseUnused(op, rewriter);
}

LogicalResult AllReduceOp::canonicalize(AllReduceOp op,
                                        PatternRewriter &rewriter) {
  return detail::eraseUnused(op, rewriter);
}

LogicalResult ReduceScatterOp::canonicalize(ReduceScatterOp op,
                                            PatternRewriter &rewriter) {
  return detail::eraseUnused(op, rewriter);
}

OpFoldResult SliceOp::fold(FoldAdaptor) {
  // A slice of a slice is one slice of the first source.
  if (auto inner = getSource().getDefiningOp<SliceOp>();
      inner && inner.getTo() == getFrom()) {
    getSourceMutable().assign(inner.getSource());
    setFromAttr(inner.getFromAttr());
    return getResult();
  }
  bool isSame = detail::LayoutFacts::of(getFrom())
                    .compareBoxes(getFrom(), getTo())
                    .isSame;
  return isSame ? OpFoldResult(getSource()) : OpFoldResult();
}

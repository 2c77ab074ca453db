//===- BodyEmitter.cpp - Evaluate a linalg body on vectors ----------------===//
//
// A recursive walk from the yielded value, with one memo table per scope.
//
//===----------------------------------------------------------------------===//

#include "tapestry/Codegen/Common/BodyEmitter.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "tapestry/Codegen/Common/Nest.h"

using namespace mlir;

namespace tapestry {

Value broadcastTo(IndexBuilder &b, Value value, unsigned lanes) {
  if (isa<VectorType>(value.getType()))
    return value;
  auto type = VectorType::get({lanes}, value.getType());
  return vector::BroadcastOp::create(b, type, value);
}

/// Whether `op` adds to what an operation has accumulated so far.
static bool accumulates(Operation *op) {
  return isa<arith::AddFOp>(op) &&
         llvm::any_of(op->getOperands(), [](Value operand) {
           auto argument = dyn_cast<BlockArgument>(operand);
           auto generic = argument ? dyn_cast<linalg::GenericOp>(
                                         argument.getOwner()->getParentOp())
                                   : linalg::GenericOp();
           return generic &&
                  argument.getArgNumber() >=
                      static_cast<unsigned>(generic.getNumDpsInputs());
         });
}

/// Lets the products and the sums of a reduction form fused multiply-adds.
/// Everything else is rounded as it is written, so that values do not depend on
/// which operations were fused.
static void relaxFastMath(Operation *op, Operation *original) {
  bool isProduct = isa<arith::MulFOp>(original) && original->hasOneUse() &&
                   accumulates(*original->user_begin());
  if (!isProduct && !accumulates(original))
    return;
  auto flags = cast<arith::ArithFastMathInterface>(op);
  auto relaxed = arith::FastMathFlags::contract;
  if (arith::FastMathFlagsAttr old = flags.getFastMathFlagsAttr())
    relaxed = relaxed | old.getValue();
  op->setAttr(flags.getFastMathAttrName(),
              arith::FastMathFlagsAttr::get(op->getContext(), relaxed));
}

Value cloneOnVectors(IndexBuilder &b, Operation *op, ValueRange operands,
                     unsigned lanes) {
  bool isVector = llvm::any_of(operands.getTypes(), llvm::IsaPred<VectorType>);
  IRMapping mapping;
  for (auto [from, to] : llvm::zip_equal(op->getOperands(), operands))
    mapping.map(from, isVector ? broadcastTo(b, to, lanes) : to);
  // One value may stand in two operands; the mapping holds for both.
  Operation *clone = b.clone(*op, mapping);
  clone->setLoc(b.getLoc());
  if (isVector)
    clone->getResult(0).setType(
        VectorType::get({lanes}, op->getResult(0).getType()));
  relaxFastMath(clone, op);
  // Lanes add in another order, in which other sums overflow.
  if (auto flags = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(clone))
    clone->setAttr(flags.getIntegerOverflowAttrName(),
                   arith::IntegerOverflowFlagsAttr::get(
                       clone->getContext(), arith::IntegerOverflowFlags::none));
  return clone->getResult(0);
}

BodyEmitter::Variance BodyEmitter::varianceOf(Value value) {
  auto found = variances.find(value);
  if (found != variances.end())
    return found->second;
  Variance result;
  Operation *op = value.getDefiningOp();
  if (op && op->getBlock() == &body) {
    if (auto index = dyn_cast<linalg::IndexOp>(op))
      result = indexVariances.lookup(index.getDim());
    for (Value operand : op->getOperands()) {
      Variance one = varianceOf(operand);
      result.row |= one.row;
      result.column |= one.column;
    }
  }
  variances[value] = result;
  return result;
}

Value BodyEmitter::evaluate(Value value, Site site, ArgumentFn argument,
                            IndexFn index) {
  Operation *op = value.getDefiningOp();
  bool inside = op ? op->getBlock() == &body
                   : cast<BlockArgument>(value).getOwner() == &body;
  if (!inside)
    return value;
  Variance variance = varianceOf(value);
  Key key(value.getAsOpaquePointer(), variance.row ? int(site.row) : -1,
          variance.column ? int(site.column) : -1, 0);
  if (Value old = built.lookup(key))
    return old;

  Value result;
  if (!op) {
    result = argument(cast<BlockArgument>(value).getArgNumber(), site);
  } else if (auto indexOp = dyn_cast<linalg::IndexOp>(op)) {
    result = index(indexOp.getDim(), site);
  } else {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(evaluate(operand, site, argument, index));
    if (isa<memref::LoadOp>(op))
      return built[key] = load(op, ArrayRef(operands).drop_front());
    if (llvm::any_of(operands,
                     [](Value v) { return isa<VectorType>(v.getType()); }))
      for (auto [from, to] : llvm::zip(op->getOperands(), operands))
        to = evaluateVector(from, site, argument, index);
    // A panel may hold what a conversion makes of the argument.
    bool converted = widens(op) && getElementTypeOrSelf(operands.front()) ==
                                       op->getResult(0).getType();
    result =
        converted ? operands.front() : cloneOnVectors(b, op, operands, lanes);
  }
  built[key] = result;
  return result;
}

Value BodyEmitter::evaluateVector(Value value, Site site, ArgumentFn argument,
                                  IndexFn index) {
  Value result = evaluate(value, site, argument, index);
  if (isa<VectorType>(result.getType()))
    return result;
  Variance variance = varianceOf(value);
  Key key(value.getAsOpaquePointer(), variance.row ? int(site.row) : -1,
          variance.column ? int(site.column) : -1, 1);
  Value &wide = built[key];
  if (!wide)
    wide = broadcastTo(b, result, lanes);
  return wide;
}

} // namespace tapestry

//===- ComputeInPlace.cpp - Elementwise results over their inputs ---------===//
//
// An elementwise operation that is the last to read a local buffer of its
// result's shape needs no second one: the buffer's writers write into the
// result, and the operation works there in place.
//
//===----------------------------------------------------------------------===//

#include "tapestry/Codegen/Common/BlockAccesses.h"
#include "tapestry/Codegen/Common/DeviceCode.h"
#include "tapestry/Codegen/Common/Passes.h"

using namespace mlir;
using linalg::GenericOp;

namespace tapestry {

#define GEN_PASS_DEF_COMPUTEINPLACE
#include "tapestry/Codegen/Common/Passes.h.inc"

namespace {

/// The first operation that uses `buffer`, if all that use it are generics of
/// its own block, none after `last`, and frees; null otherwise.
Operation *firstUse(memref::AllocOp buffer, Operation *last) {
  Operation *first = last;
  for (Operation *user : buffer->getUsers()) {
    if (user->getBlock() != buffer->getBlock())
      return nullptr;
    if (isa<memref::DeallocOp>(user) || user == last)
      continue;
    if (!isa<GenericOp>(user) || !user->isBeforeInBlock(last))
      return nullptr;
    if (user->isBeforeInBlock(first))
      first = user;
  }
  return first == last ? nullptr : first;
}

/// Makes sure that `result` exists before `first`; false where it cannot.
bool provideBefore(Value result, Operation *first) {
  Operation *source = result.getDefiningOp();
  if (!source || source->getBlock() != first->getBlock() ||
      source->isBeforeInBlock(first))
    return true;
  if (!isa<memref::AllocOp>(source) || source->getNumOperands())
    return false;
  source->moveBefore(first);
  return true;
}

struct ComputeInPlace : public impl::ComputeInPlaceBase<ComputeInPlace> {
  using ComputeInPlaceBase::ComputeInPlaceBase;

  void runOnOperation() override {
    if (getOperation().isDeclaration() || !isDeviceCode(getOperation()) ||
        isKernel(getOperation()))
      return;
    for (Block &block : getOperation().getBody()) {
      BlockAccesses accesses(block);
      for (GenericOp op : llvm::to_vector(block.getOps<GenericOp>()))
        if (isElementwise(op))
          for (OpOperand *input : op.getDpsInputOperands())
            if (workOver(op, *input, accesses)) {
              ++numInPlace;
              break;
            }
    }
  }

  /// Replaces the buffer of `input` by the result of `op`, if that is possible.
  bool workOver(GenericOp op, OpOperand &input, BlockAccesses &accesses);
};

bool ComputeInPlace::workOver(GenericOp op, OpOperand &input,
                              BlockAccesses &accesses) {
  OpOperand &output = op.getDpsInitsMutable()[0];
  Value result = output.get();
  auto buffer = input.get().getDefiningOp<memref::AllocOp>();
  if (!buffer || buffer.getType() != result.getType() ||
      buffer->getBlock() != op->getBlock() || mayAlias(result, buffer))
    return false;
  // Equal types with run-time sizes are equal in size: both have a point per
  // point of the loops.
  AffineMap map = op.getMatchingIndexingMap(&output);
  for (OpOperand *other : op.getDpsInputOperands()) {
    if (mayAlias(other->get(), result) ||
        (mayAlias(other->get(), buffer) &&
         (other->get() != Value(buffer) ||
          op.getMatchingIndexingMap(other) != map)))
      return false;
  }
  Operation *first = firstUse(buffer, op);
  if (!first || accesses.isTouched(first, op, result) ||
      !provideBefore(result, first))
    return false;
  for (Operation *user : llvm::make_early_inc_range(buffer->getUsers()))
    if (isa<memref::DeallocOp>(user))
      user->erase();
  accesses.replace(buffer.getMemref(), result);
  buffer.replaceAllUsesWith(result);
  buffer.erase();
  return true;
}

} // namespace
} // namespace tapestry

//===- NestSymmetry.cpp - Nests whose results are symmetric ---------------===//
//
// A tensor that is combined with itself, such as A' A, gives the same results
// where two loops are exchanged: one of each two need not be computed.
//
//===----------------------------------------------------------------------===//

#include "tapestry/Codegen/Common/Nest.h"

using namespace mlir;

namespace tapestry {

/// Whether the first of two inputs, which are one buffer, is read along `loop`
/// as the second is along `other`, neither along both, and both as each other
/// along all the rest.
bool Nest::exchangesInputs(unsigned loop, unsigned other) const {
  bool moves = false;
  for (auto [first, second] : llvm::zip_equal(maps[0], maps[1])) {
    if (first.constant != second.constant)
      return false;
    for (auto [number, group] : llvm::enumerate(groups)) {
      int64_t a = first.coefficients[group.back()];
      int64_t b = second.coefficients[group.back()];
      if (number == other ? a != 0
          : number == loop
              ? b != 0 || a != second.coefficients[groups[other].back()]
              : a != b)
        return false;
      moves |= number == loop && a != 0;
    }
  }
  return moves;
}

void Nest::readSymmetry() {
  if (outputs.size() != 1 || numInputs() != 2 ||
      llvm::is_contained(indexed, true) ||
      op->getOperand(0) != op->getOperand(1) ||
      !isa<MemRefType>(op->getOperand(0).getType()) || !loadNumbers.empty())
    return;
  // The same is made of both, and it does not matter which is which.
  SmallVector<Value, 2> factors;
  for (unsigned number : {0, 1}) {
    BlockArgument argument = body().getArgument(number);
    Operation *conversion = conversionOf(number);
    factors.push_back(conversion ? conversion->getResult(0) : Value(argument));
    if (!argument.hasOneUse() || !factors.back().hasOneUse())
      return;
  }
  Operation *user = *factors[0].user_begin();
  if (factors[0].getType() != factors[1].getType() ||
      user != *factors[1].user_begin() ||
      !user->hasTrait<OpTrait::IsCommutative>())
    return;
  if (factors[0] != body().getArgument(0) &&
      factors[0].getDefiningOp()->getName() !=
          factors[1].getDefiningOp()->getName())
    return;
  for (unsigned loop = 0; loop < problem.dims.size(); ++loop)
    for (unsigned other = 0; other < problem.dims.size(); ++other) {
      const NestDim &a = problem.dims[loop], &b = problem.dims[other];
      if (loop != other && !a.reduction && !b.reduction && a.known && b.known &&
          a.extent == b.extent && exchangesInputs(loop, other)) {
        problem.symmetric = {loop, other};
        return;
      }
    }
}

} // namespace tapestry

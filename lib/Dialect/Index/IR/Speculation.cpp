//===- Speculation.cpp - Whether a body may run too often -----------------===//

#include "tapestry/Dialect/Index/IR/Speculation.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

/// Whether `op` may divide by 0, or the least number by -1, and MLIR says that
/// it may run anywhere.
static bool mayTrap(Operation &op) {
  if (!isa<arith::RemSIOp, arith::RemUIOp, arith::FloorDivSIOp>(op))
    return false;
  APInt divisor;
  return !matchPattern(op.getOperand(1), m_ConstantInt(&divisor)) ||
         divisor.isZero() || (divisor.isAllOnes() && !isa<arith::RemUIOp>(op));
}

Speculation::Speculatability tapestry::index::speculatabilityOf(Operation *op) {
  for (Region &region : op->getRegions())
    for (Operation &inner : region.getOps())
      if (!isSpeculatable(&inner) || mayTrap(inner))
        return Speculation::NotSpeculatable;
  return Speculation::Speculatable;
}

//===- RangeInterface.cpp - Blocks of an index space apart ----------------===//

#include "tapestry/Interfaces/RangeInterface.h"

using namespace tapestry;

#include "tapestry/Interfaces/RangeInterface.cpp.inc"

std::optional<ZBox> tapestry::getRangeOfShard(mlir::Operation *op) {
  auto ranged = llvm::dyn_cast<RangeInterface>(op);
  return ranged ? ranged.getShardRange() : std::nullopt;
}

//===- BlockFunctions.cpp - Functions that compute blocks -----------------===//

#include "tapestry/Dialect/Tapestry/IR/BlockFunctions.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryBlock.h"

using namespace tapestry;
using namespace tapestry::teg;

BlockFunctions &BlockFunctions::of(mlir::MLIRContext *context) {
  return *context->getOrLoadDialect<TapestryDialect>()
              ->getRegisteredInterface<BlockFunctions>();
}

std::vector<BlockUse> teg::findBlocks(mlir::Operation *graph) {
  std::vector<BlockUse> blocks;
  graph->walk([&](BlockOp block) {
    if (!block.getBody())
      blocks.push_back(
          {block.getName().str(), block.getSignature().symbol, block.getLoc()});
  });
  return blocks;
}

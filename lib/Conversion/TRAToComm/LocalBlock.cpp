//===- LocalBlock.cpp - One device's share of a block ---------------------===//
//
// The block's body, on the windows that the device has of its parts.
//
//===----------------------------------------------------------------------===//

#include "LocalJoin.h"
#include "LocalSpace.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tapestry/Dialect/Index/IR/IndexAssemble.h"
#include "tapestry/Dialect/Index/IR/IndexBlock.h"
#include "tapestry/Dialect/Index/IR/IndexSort.h"

using namespace mlir;
using namespace tapestry;

SmallVector<Value> tapestry::lowerLocalBlock(OpBuilder &builder,
                                             tra::BlockOp block,
                                             ValueRange operands,
                                             Value device) {
  Partition partition = block.getResolvedPartition();
  LocalSpace space(builder, block.getLoc(), block.getVertexAttr(), device,
                   block.getDeviceGrid(), partition, block.getExtents());
  Block &body = block.getBody().front();
  IRMapping mapping;
  for (auto [number, part] : llvm::enumerate(operands)) {
    auto type = cast<tra::RelationType>(block.getInputs()[number].getType());
    const Layout &layout = type.getLayout().getLayout();
    BlockArgument argument = body.getArgument(number);
    Value window = part;
    if (block.getPad(number) && !space.staysInside(layout))
      window = space.padWindow(
          part, layout, layout, block.getPad(number),
          SmallVector<SmallVector<AffineTerm, 1>>(layout.rank()),
          cast<RankedTensorType>(argument.getType()));
    mapping.map(argument, window);
  }
  mapping.map(body.getArguments().drop_front(operands.size()),
              space.getBounds());
  for (Operation &op : body.without_terminator()) {
    Operation *copy = builder.clone(op, mapping);
    if (isa<linalg::LinalgOp, LoopLikeOpInterface, index::AssembleOp,
            index::CallBlockOp, index::SortOp>(copy))
      copy->setAttr("tapestry.vertex", block.getVertexAttr());
  }
  return llvm::map_to_vector(
      body.getTerminator()->getOperands(),
      [&](Value part) { return mapping.lookupOrDefault(part); });
}

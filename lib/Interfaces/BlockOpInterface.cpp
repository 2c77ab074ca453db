//===- BlockOpInterface.cpp - Index space and projections -----------------===//

#include "tapestry/Interfaces/BlockOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "tapestry/Interfaces/Fetches.h"
#include "tapestry/Support/Fetch.h"

using namespace mlir;
using namespace tapestry;

#include "tapestry/Interfaces/BlockOpInterface.cpp.inc"

std::vector<Access> tapestry::fetchesOf(BlockOpInterface op) {
  SmallVector<Value> tensors = op.getTensorOperands();
  std::vector<TensorRead> reads;
  for (auto &[number, access] : op.getReads()) {
    unsigned tensor = llvm::find(tensors, tensors[number]) - tensors.begin();
    reads.push_back(
        {tensor, cast<RankedTensorType>(tensors[number].getType()).getShape(),
         access});
  }
  return planFetches(reads, op.getLabelExtents());
}

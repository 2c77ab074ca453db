//===- ScatterEvaluate.cpp - What tapestry.scatter means ------------------===//

#include "tapestry/Dialect/Index/Evaluate/HostFold.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryScatter.h"
#include "tapestry/Interfaces/ElementType.h"
#include "tapestry/Support/HostNumbers.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

/// The element of an operand that a point reads.
static int64_t placeIn(ScatterOp op, llvm::ArrayRef<unsigned> labels,
                       llvm::ArrayRef<int64_t> point) {
  int64_t at = 0;
  for (unsigned label : labels)
    at = at * op.getExtents()[label] + point[label];
  return at;
}

/// Takes up the values of all points, in their order.
static void takeAll(ScatterOp op, llvm::ArrayRef<const HostTensor *> operands,
                    reference::HostFold &fold) {
  // Per operand the label of each dimension.
  std::vector<llvm::SmallVector<unsigned>> labels;
  for (unsigned number = 0; number <= op.getIndices().size(); ++number)
    labels.push_back(op.getLabelsOf(number));
  // The labels that are not indexed by data.
  std::vector<unsigned> loops;
  int64_t numPoints = 1;
  for (auto [label, index] : llvm::enumerate(op.getIndexOfLabels()))
    if (!index) {
      loops.push_back(label);
      numPoints *= op.getExtents()[label];
    }
  std::vector<int64_t> point(op.getExtents().size());
  for (int64_t number = 0; number < numPoints; ++number) {
    int64_t rest = number;
    for (unsigned label : llvm::reverse(loops)) {
      point[label] = rest % op.getExtents()[label];
      rest /= op.getExtents()[label];
    }
    bool isInside = true;
    for (auto [index, dim] : llvm::enumerate(op.getInto())) {
      point[dim] = integerAt(*operands[1 + index],
                             placeIn(op, labels[1 + index], point));
      isInside &= point[dim] >= 0 && point[dim] < op.getExtents()[dim];
    }
    if (!isInside)
      continue;
    int64_t at = 0;
    for (auto [label, extent] : llvm::zip(point, op.getResultType().getShape()))
      at = at * extent + label;
    fold.take(at, *operands.front(), placeIn(op, labels.front(), point));
  }
}

llvm::Expected<std::vector<HostTensor>>
ScatterOp::evaluate(llvm::ArrayRef<const HostTensor *> operands) {
  llvm::Expected<HostTensor> result = HostTensor::create(
      *dtypeOf(getResultType().getElementType()), getResultType().getShape());
  if (!result)
    return result.takeError();
  llvm::Expected<reference::HostFold> fold = reference::HostFold::compile(
      *this, {getMonoid(), getMonoidIdentity(0),
              [this](OpBuilder &builder, Location loc, Value a, Value b) {
                return emitCombine(0, builder, loc, a, b);
              }});
  if (!fold)
    return fold.takeError();
  fold->reset(result->numElements());
  takeAll(*this, operands, *fold);
  for (int64_t at = 0, e = result->numElements(); at < e; ++at)
    fold->store(at, *result, at);
  std::vector<HostTensor> results;
  results.push_back(std::move(*result));
  return results;
}

//===- ScatterEvaluate.cpp - What tapestry.scatter means ------------------===//

#include "tapestry/Dialect/Index/Evaluate/HostFold.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryScatter.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryShard.h"
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

/// Takes up the values of the points of a box, in their order.
static void takeAll(ScatterOp op, llvm::ArrayRef<const HostTensor *> operands,
                    llvm::ArrayRef<ZRange> range, reference::HostFold &fold) {
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
      numPoints *= range[label].size();
    }
  std::vector<int64_t> point(op.getExtents().size());
  for (int64_t number = 0; number < numPoints; ++number) {
    int64_t rest = number;
    for (unsigned label : llvm::reverse(loops)) {
      point[label] = range[label].lo + rest % range[label].size();
      rest /= range[label].size();
    }
    bool isInside = true;
    for (auto [index, dim] : llvm::enumerate(op.getInto())) {
      point[dim] = integerAt(*operands[1 + index],
                             placeIn(op, labels[1 + index], point));
      isInside &= point[dim] >= range[dim].lo && point[dim] < range[dim].hi;
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
  return evaluateRange(operands, boxOfShape(getExtents()));
}

llvm::Expected<std::vector<HostTensor>>
ScatterOp::evaluateRange(llvm::ArrayRef<const HostTensor *> operands,
                         llvm::ArrayRef<ZRange> range) {
  Type element = getResultType().getElementType();
  if (!isComplete(*this, /*result=*/0, range))
    element = getAccumulatorType();
  llvm::Expected<HostTensor> result =
      HostTensor::create(*dtypeOf(element), getResultType().getShape());
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
  takeAll(*this, operands, range, *fold);
  for (int64_t at = 0, e = result->numElements(); at < e; ++at)
    fold->store(at, *result, at);
  std::vector<HostTensor> results;
  results.push_back(std::move(*result));
  return results;
}

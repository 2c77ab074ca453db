//===- ScatterEvaluate.cpp - What tapestry.scatter means ------------------===//

#include "HostNumbers.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryScatter.h"
#include "tapestry/Interfaces/ElementType.h"
#include "tapestry/Support/Extremes.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

namespace {

/// Integers wrap; the least and the greatest are of those of T.
template <typename T>
std::enable_if_t<std::is_integral_v<T>, T> combine(Monoid monoid, T a, T b) {
  switch (monoid) {
  case Monoid::Add:
    return uint64_t(a) + uint64_t(b);
  case Monoid::Mul:
    return uint64_t(a) * uint64_t(b);
  case Monoid::Max:
  case Monoid::Min:
    return extremeOf(monoid == Monoid::Max, a, b);
  case Monoid::And:
    return a & b;
  case Monoid::Or:
    return a | b;
  default:
    return a ^ b;
  }
}

double combine(Monoid monoid, double a, double b) {
  if (monoid == Monoid::Add)
    return a + b;
  if (monoid == Monoid::Mul)
    return a * b;
  return extremeOf(monoid == Monoid::Max, a, b);
}

std::complex<double> combine(Monoid monoid, std::complex<double> a,
                             std::complex<double> b) {
  return monoid == Monoid::Add ? a + b : productOf(a, b);
}

class ScatterEvaluator {
public:
  ScatterEvaluator(ScatterOp op, llvm::ArrayRef<const HostTensor *> operands);
  /// Combines `valueAt` of all points, from the identity on.
  template <typename T>
  void fill(HostTensor &result, T identity,
            llvm::function_ref<T(const HostTensor &, int64_t)> valueAt);

private:
  /// The element of an operand that a point reads.
  int64_t placeIn(unsigned operand, llvm::ArrayRef<int64_t> point);

  ScatterOp op;
  llvm::ArrayRef<const HostTensor *> operands;
  /// Per operand the label of each dimension.
  std::vector<llvm::SmallVector<unsigned>> labels;
  /// The labels that are not indexed by data.
  std::vector<unsigned> loops;
  int64_t numPoints = 1;
};

} // namespace

ScatterEvaluator::ScatterEvaluator(ScatterOp op,
                                   llvm::ArrayRef<const HostTensor *> operands)
    : op(op), operands(operands) {
  for (unsigned number = 0; number <= op.getIndices().size(); ++number)
    labels.push_back(op.getLabelsOf(number));
  for (auto [label, index] : llvm::enumerate(op.getIndexOfLabels()))
    if (!index) {
      loops.push_back(label);
      numPoints *= op.getExtents()[label];
    }
}

int64_t ScatterEvaluator::placeIn(unsigned operand,
                                  llvm::ArrayRef<int64_t> point) {
  int64_t at = 0;
  for (unsigned label : labels[operand])
    at = at * op.getExtents()[label] + point[label];
  return at;
}

template <typename T>
void ScatterEvaluator::fill(
    HostTensor &result, T identity,
    llvm::function_ref<T(const HostTensor &, int64_t)> valueAt) {
  std::vector<T> sums(result.numElements(), identity);
  std::vector<int64_t> point(op.getExtents().size());
  for (int64_t number = 0; number < numPoints; ++number) {
    int64_t rest = number;
    for (unsigned label : llvm::reverse(loops)) {
      point[label] = rest % op.getExtents()[label];
      rest /= op.getExtents()[label];
    }
    bool isInside = true;
    for (auto [index, dim] : llvm::enumerate(op.getInto())) {
      point[dim] = integerAt(*operands[1 + index], placeIn(1 + index, point));
      isInside &= point[dim] >= 0 && point[dim] < op.getExtents()[dim];
    }
    if (!isInside)
      continue;
    int64_t at = 0;
    for (auto [label, extent] : llvm::zip(point, op.getResultType().getShape()))
      at = at * extent + label;
    sums[at] = combine(op.getMonoid(), sums[at],
                       valueAt(*operands.front(), placeIn(0, point)));
  }
  for (auto [at, sum] : llvm::enumerate(sums))
    storeNumber(result, at, sum);
}

llvm::Expected<std::vector<HostTensor>>
ScatterOp::evaluate(llvm::ArrayRef<const HostTensor *> operands) {
  ScatterEvaluator evaluator(*this, operands);
  TypedAttr identity = getMonoidIdentity(0);
  llvm::Expected<HostTensor> result = HostTensor::create(
      *dtypeOf(getResultType().getElementType()), getResultType().getShape());
  if (!result)
    return result.takeError();
  if (auto dense = dyn_cast<DenseElementsAttr>(identity)) {
    auto number = dense.getSplatValue<std::complex<APFloat>>();
    evaluator.fill<std::complex<double>>(
        *result,
        {number.real().convertToDouble(), number.imag().convertToDouble()},
        complexAt);
  } else if (auto real = dyn_cast<FloatAttr>(identity))
    evaluator.fill<double>(*result, real.getValueAsDouble(),
                           [](const HostTensor &values, int64_t at) {
                             return values.asDouble(at);
                           });
  else if (getUnsignedElements())
    evaluator.fill<uint64_t>(
        *result, cast<IntegerAttr>(identity).getValue().getZExtValue(),
        unsignedAt);
  else
    evaluator.fill<int64_t>(
        *result,
        identity.getType().isInteger(1)
            ? cast<IntegerAttr>(identity).getValue().getZExtValue()
            : cast<IntegerAttr>(identity).getValue().getSExtValue(),
        integerAt);
  std::vector<HostTensor> results;
  results.push_back(std::move(*result));
  return results;
}

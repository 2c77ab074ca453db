//===- ToyEvaluate.cpp - Medians by definition ----------------------------===//

#include "Toy.h"
#include <algorithm>
#include <cmath>
#include <limits>

using namespace tapestry;
using namespace toy;

static void store(HostTensor &tensor, int64_t index, double value) {
  if (tensor.dtype == DType::F16)
    tensor.data<uint16_t>()[index] = encodeF16(value);
  else
    tensor.data<float>()[index] = static_cast<float>(value);
}

llvm::Expected<std::vector<HostTensor>>
MedianStatsOp::evaluate(llvm::ArrayRef<const HostTensor *> operands) {
  const HostTensor &input = *operands.front();
  int64_t rows = input.shape[0], columns = input.shape[1];
  auto at = [&](int64_t row, int64_t column) {
    return row < 0 || row >= rows ? 0.0
                                  : input.asDouble(row * columns + column);
  };
  std::vector<HostTensor> results;
  for (unsigned number = 0; number < 2; ++number) {
    llvm::Expected<HostTensor> result = HostTensor::create(input.dtype, {rows});
    if (!result)
      return result.takeError();
    results.push_back(std::move(*result));
  }
  for (int64_t row = 0; row < rows; ++row) {
    double squares = 0, largest = -std::numeric_limits<double>::infinity();
    for (int64_t column = 0; column < columns; ++column) {
      double window[] = {at(row - 1, column), at(row, column),
                         at(row + 1, column)};
      std::sort(std::begin(window), std::end(window));
      squares += window[1] * window[1];
      largest = std::max(largest, window[1]);
    }
    store(results[0], row, std::sqrt(squares));
    store(results[1], row, largest);
  }
  return results;
}

//===- ToyEvaluate.cpp - What the operators mean --------------------------===//

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
  return evaluateRange(operands, boxOfShape(operands.front()->shape));
}

// Of some columns the norm is that of the accumulator.
llvm::Expected<std::vector<HostTensor>>
MedianStatsOp::evaluateRange(llvm::ArrayRef<const HostTensor *> operands,
                             llvm::ArrayRef<ZRange> range) {
  const HostTensor &input = *operands.front();
  int64_t rows = input.shape[0], columns = input.shape[1];
  auto at = [&](int64_t row, int64_t column) {
    return row < 0 || row >= rows ? 0.0
                                  : input.asDouble(row * columns + column);
  };
  std::vector<HostTensor> results;
  for (unsigned number = 0; number < 2; ++number) {
    bool isWide = number == 0 && range[1] != ZRange{0, columns};
    llvm::Expected<HostTensor> result =
        HostTensor::create(isWide ? DType::F32 : input.dtype, {rows});
    if (!result)
      return result.takeError();
    results.push_back(std::move(*result));
  }
  for (int64_t row = range[0].lo; row < range[0].hi; ++row) {
    double squares = 0, largest = -std::numeric_limits<double>::infinity();
    for (int64_t column = range[1].lo; column < range[1].hi; ++column) {
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

/// A matrix of f32 whose rows are those that `rowOf` gives.
static llvm::Expected<std::vector<HostTensor>>
rowsFrom(llvm::ArrayRef<int64_t> shape,
         llvm::function_ref<const float *(int64_t row)> rowOf) {
  llvm::Expected<HostTensor> result = HostTensor::create(DType::F32, shape);
  if (!result)
    return result.takeError();
  for (int64_t row = 0; row < shape[0]; ++row)
    std::copy_n(rowOf(row), shape[1],
                result->data<float>().data() + row * shape[1]);
  std::vector<HostTensor> results;
  results.push_back(std::move(*result));
  return results;
}

llvm::Expected<std::vector<HostTensor>>
ConcatOp::evaluate(llvm::ArrayRef<const HostTensor *> operands) {
  llvm::SmallVector<int64_t> shape = getResultShape();
  std::vector<float> fill(shape[1], getFill().convertToFloat());
  return rowsFrom(shape, [&](int64_t row) {
    for (const HostTensor *operand : operands) {
      if (row < operand->shape[0])
        return operand->data<float>().data() + row * shape[1];
      row -= operand->shape[0];
      if (row < static_cast<int64_t>(getGap()))
        break;
      row -= getGap();
    }
    return static_cast<const float *>(fill.data());
  });
}

llvm::Expected<std::vector<HostTensor>>
RollOp::evaluate(llvm::ArrayRef<const HostTensor *> operands) {
  const HostTensor &input = *operands.front();
  return rowsFrom(getResultShape(), [&](int64_t row) {
    int64_t repeat = getRepeat(), shift = getShift();
    return input.data<float>().data() +
           (row / repeat + shift) % input.shape[0] * input.shape[1];
  });
}

llvm::Expected<std::vector<HostTensor>>
GatherOp::evaluate(llvm::ArrayRef<const HostTensor *> operands) {
  const HostTensor &table = *operands[0], &rows = *operands[1];
  return rowsFrom(getResultShape(), [&](int64_t row) {
    return table.data<float>().data() +
           rows.data<int32_t>()[row] * table.shape[1];
  });
}

llvm::Expected<std::vector<HostTensor>>
WeaveOp::evaluate(llvm::ArrayRef<const HostTensor *> operands) {
  std::vector<float> unwritten(getResultShape()[1]);
  return rowsFrom(getResultShape(), [&](int64_t row) {
    int64_t step = getStep();
    for (const HostTensor *operand : operands) {
      for (uint64_t copy = 0; copy < getCopies(); ++copy) {
        int64_t first = row - static_cast<int64_t>(copy * getStride());
        if (first >= 0 && first % step == 0 && first / step < operand->shape[0])
          return operand->data<float>().data() +
                 first / step * operand->shape[1];
      }
      row -= getOffset();
    }
    return static_cast<const float *>(unwritten.data());
  });
}

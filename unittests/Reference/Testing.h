//===- Testing.h - Helpers of the evaluator's unit tests --------*- C++ -*-===//

#ifndef TAPESTRY_UNITTESTS_TARGET_REFERENCE_TESTING_H
#define TAPESTRY_UNITTESTS_TARGET_REFERENCE_TESTING_H

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "tapestry/Reference/Reference.h"
#include "gtest/gtest.h"
#include <random>

namespace tapestry {

using Tensors = llvm::StringMap<HostTensor>;

/// Runs programs given as .ein or MLIR text.
class Evaluation : public testing::Test {
protected:
  Evaluation();

  /// The outputs; fails the test when there is an error.
  Tensors run(llvm::StringRef text, const Tensors &inputs,
              unsigned threads = 0);
  /// The error's message; "" when there is none.
  std::string errorOf(llvm::StringRef text, const Tensors &inputs);

  /// Random values in [low, high), of integers and floats of all widths.
  HostTensor random(DType dtype, llvm::ArrayRef<int64_t> shape, double low = -2,
                    double high = 2);

  std::mt19937 generator{42};

private:
  llvm::Expected<Tensors> evaluate(llvm::StringRef text, const Tensors &inputs,
                                   unsigned threads);

  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
};

/// A tensor of the given elements.
template <typename T>
HostTensor tensorOf(DType dtype, llvm::ArrayRef<int64_t> shape,
                    llvm::ArrayRef<T> elements) {
  HostTensor tensor = llvm::cantFail(HostTensor::create(dtype, shape));
  EXPECT_EQ(static_cast<size_t>(tensor.numElements()), elements.size());
  llvm::copy(elements, tensor.data<T>().begin());
  return tensor;
}

} // namespace tapestry

#endif // TAPESTRY_UNITTESTS_TARGET_REFERENCE_TESTING_H

//===- Closeness.h - How much elements are alike ----------------*- C++ -*-===//
//
// Private to the dialect.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_DIALECT_TAPESTRY_IR_CLOSENESS_H
#define TAPESTRY_LIB_DIALECT_TAPESTRY_IR_CLOSENESS_H

#include "tapestry/Support/HostTensor.h"

namespace tapestry::teg {

/// The largest absolute value of those elements that are finite.
double largestOf(const HostTensor &tensor);

/// How far values may lie apart that are rounded otherwise, of the largest; of
/// integers 0.
double tolerance(DType dtype);

/// Whether two elements differ by no more than rounding; `scale` is the largest
/// of their tensor.
bool isClose(const HostTensor &a, int64_t at, const HostTensor &b, int64_t bAt,
             double scale);

/// Whether an element is of the usual size, far larger, or infinite or NaN:
/// what poison changes even where values are random.
int sizeClass(const HostTensor &tensor, int64_t at, double scale);

} // namespace tapestry::teg

#endif // TAPESTRY_LIB_DIALECT_TAPESTRY_IR_CLOSENESS_H

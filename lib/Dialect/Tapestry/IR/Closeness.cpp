//===- Closeness.cpp - How much elements are alike ------------------------===//

#include "Closeness.h"
#include "tapestry/Support/HostNumbers.h"
#include <algorithm>
#include <cmath>

using namespace tapestry;
using namespace tapestry::teg;

static std::complex<double> valueAt(const HostTensor &tensor, int64_t at) {
  bool isComplex = tensor.dtype == DType::C64 || tensor.dtype == DType::C128;
  return isComplex ? complexAt(tensor, at) : tensor.asDouble(at);
}

double teg::largestOf(const HostTensor &tensor) {
  double largest = 0;
  for (int64_t at = 0, e = tensor.numElements(); at < e; ++at)
    if (double size = std::abs(valueAt(tensor, at)); size < INFINITY)
      largest = std::max(largest, size);
  return largest;
}

double teg::tolerance(DType dtype) {
  switch (dtype) {
  case DType::F64:
  case DType::C128:
    return 1e-9;
  case DType::F32:
  case DType::C64:
    return 1e-4;
  case DType::F16:
    return 2e-2;
  case DType::BF16:
    return 1e-1;
  default:
    return 0;
  }
}

bool teg::isClose(const HostTensor &a, int64_t at, const HostTensor &b,
                  int64_t bAt, double scale) {
  if (tolerance(a.dtype) == 0)
    return integerAt(a, at) == integerAt(b, bAt);
  std::complex<double> x = valueAt(a, at), y = valueAt(b, bAt);
  if (!(std::abs(x) < INFINITY) || !(std::abs(y) < INFINITY))
    return !(std::abs(x) < INFINITY) && !(std::abs(y) < INFINITY);
  return !(std::abs(x - y) > tolerance(a.dtype) * scale);
}

int teg::sizeClass(const HostTensor &tensor, int64_t at, double scale) {
  double size = std::abs(valueAt(tensor, at));
  if (!(size < INFINITY))
    return 2;
  return size > 1e6 * std::max(scale, 1.0);
}

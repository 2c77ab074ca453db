//===- HostNumbers.h - Elements in host memory ------------------*- C++ -*-===//

#ifndef TAPESTRY_SUPPORT_HOSTNUMBERS_H
#define TAPESTRY_SUPPORT_HOSTNUMBERS_H

#include "tapestry/Support/HostTensor.h"
#include <complex>
#include <cstring>

namespace tapestry {

/// Element `at` of a tensor of integers or bools.
inline int64_t integerAt(const HostTensor &tensor, int64_t at) {
  switch (tensor.dtype) {
  case DType::I8:
  case DType::Bool:
    return tensor.data<int8_t>()[at];
  case DType::I16:
    return tensor.data<int16_t>()[at];
  case DType::I32:
    return tensor.data<int32_t>()[at];
  default:
    return tensor.data<int64_t>()[at];
  }
}

/// Element `at` of a tensor of integers, without a sign.
inline uint64_t unsignedAt(const HostTensor &tensor, int64_t at) {
  uint64_t unused = 64 - 8 * byteSize(tensor.dtype);
  return uint64_t(integerAt(tensor, at)) << unused >> unused;
}

/// Element `at` of a tensor of complex numbers.
inline std::complex<double> complexAt(const HostTensor &tensor, int64_t at) {
  if (tensor.dtype == DType::C128)
    return tensor.data<std::complex<double>>()[at];
  return tensor.data<std::complex<float>>()[at];
}

/// The product by the plain formula, as programs compute it.
inline std::complex<double> productOf(std::complex<double> x,
                                      std::complex<double> y) {
  return {x.real() * y.real() - x.imag() * y.imag(),
          x.real() * y.imag() + x.imag() * y.real()};
}

/// The low bytes of `value`.
inline void storeInteger(HostTensor &tensor, int64_t at, uint64_t value) {
  std::memcpy(tensor.bytes.data() + at * byteSize(tensor.dtype), &value,
              byteSize(tensor.dtype));
}

inline void storeReal(HostTensor &tensor, int64_t at, double value) {
  switch (tensor.dtype) {
  case DType::F64:
    tensor.data<double>()[at] = value;
    break;
  case DType::F32:
    tensor.data<float>()[at] = static_cast<float>(value);
    break;
  case DType::F16:
    tensor.data<uint16_t>()[at] = encodeF16(value);
    break;
  default:
    tensor.data<uint16_t>()[at] = encodeBF16(value);
  }
}

inline void storeComplex(HostTensor &tensor, int64_t at,
                         std::complex<double> value) {
  if (tensor.dtype == DType::C128)
    tensor.data<std::complex<double>>()[at] = value;
  else
    tensor.data<std::complex<float>>()[at] = std::complex<float>(value);
}

/// A number of any of these kinds.
template <typename T>
void storeNumber(HostTensor &tensor, int64_t at, T value) {
  if constexpr (std::is_integral_v<T>)
    storeInteger(tensor, at, static_cast<uint64_t>(value));
  else if constexpr (std::is_floating_point_v<T>)
    storeReal(tensor, at, static_cast<double>(value));
  else
    storeComplex(tensor, at, value);
}

} // namespace tapestry

#endif // TAPESTRY_SUPPORT_HOSTNUMBERS_H

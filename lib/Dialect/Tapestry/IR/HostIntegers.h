//===- HostIntegers.h - Integers in host memory -----------------*- C++ -*-===//
//
// Private to the dialect.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_DIALECT_TAPESTRY_IR_HOSTINTEGERS_H
#define TAPESTRY_LIB_DIALECT_TAPESTRY_IR_HOSTINTEGERS_H

#include "tapestry/Support/HostTensor.h"

namespace tapestry::teg {

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

} // namespace tapestry::teg

#endif // TAPESTRY_LIB_DIALECT_TAPESTRY_IR_HOSTINTEGERS_H

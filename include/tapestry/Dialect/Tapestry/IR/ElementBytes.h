//===- ElementBytes.h - Constants in host memory ----------------*- C++ -*-===//
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_DIALECT_TAPESTRY_IR_ELEMENTBYTES_H
#define TAPESTRY_DIALECT_TAPESTRY_IR_ELEMENTBYTES_H

#include "mlir/IR/BuiltinAttributes.h"
#include <complex>
#include <cstring>

namespace tapestry::teg {

/// The bytes of a constant as an element of `size` bytes.
inline std::vector<uint8_t> bytesOf(mlir::TypedAttr value, int64_t size) {
  std::vector<uint8_t> bytes;
  auto append = [&](const llvm::APInt &bits, int64_t count) {
    uint64_t word = bits.getZExtValue();
    bytes.resize(bytes.size() + count);
    std::memcpy(bytes.data() + bytes.size() - count, &word, count);
  };
  if (auto dense = llvm::dyn_cast<mlir::DenseElementsAttr>(value)) {
    auto number = dense.getSplatValue<std::complex<llvm::APFloat>>();
    append(number.real().bitcastToAPInt(), size / 2);
    append(number.imag().bitcastToAPInt(), size / 2);
  } else if (auto real = llvm::dyn_cast<mlir::FloatAttr>(value)) {
    append(real.getValue().bitcastToAPInt(), size);
  } else {
    append(llvm::cast<mlir::IntegerAttr>(value).getValue(), size);
  }
  return bytes;
}

} // namespace tapestry::teg

#endif // TAPESTRY_DIALECT_TAPESTRY_IR_ELEMENTBYTES_H

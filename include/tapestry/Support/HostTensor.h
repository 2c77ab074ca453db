//===- HostTensor.h - A tensor in host memory -------------------*- C++ -*-===//

#ifndef TAPESTRY_SUPPORT_HOSTTENSOR_H
#define TAPESTRY_SUPPORT_HOSTTENSOR_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <vector>

namespace tapestry {

/// Element types as they are stored. The numbers are those of TapestryDType in
/// the runtime's ABI, which knows unsigned ones, too.
enum class DType : int32_t {
  F64 = 0,
  F32 = 1,
  F16 = 2,
  BF16 = 3,
  I8 = 4,
  I16 = 5,
  I32 = 6,
  I64 = 7,
  Bool = 8,
  C64 = 13,
  C128 = 14
};

/// "f64", ..., "c128".
llvm::StringRef stringify(DType dtype);
/// Bytes of a stored element; bool is one byte, 0 or 1.
int64_t byteSize(DType dtype);

/// A dense row-major tensor.
struct HostTensor {
  DType dtype = DType::F32;
  llvm::SmallVector<int64_t, 4> shape;
  std::vector<uint8_t> bytes;

  int64_t numElements() const;
  /// "f32[4, 8]".
  std::string describe() const;

  /// The elements as T, which must have the size of `dtype`.
  template <typename T> llvm::ArrayRef<T> data() const {
    assert(sizeof(T) == static_cast<size_t>(byteSize(dtype)));
    return llvm::ArrayRef<T>(reinterpret_cast<const T *>(bytes.data()),
                             bytes.size() / sizeof(T));
  }
  template <typename T> llvm::MutableArrayRef<T> data() {
    assert(sizeof(T) == static_cast<size_t>(byteSize(dtype)));
    return llvm::MutableArrayRef<T>(reinterpret_cast<T *>(bytes.data()),
                                    bytes.size() / sizeof(T));
  }

  /// Element number `index` as a double, whatever the type; the real part of a
  /// complex one.
  double asDouble(int64_t index) const;

  /// A tensor of zeros. Fails where the memory is not there.
  static llvm::Expected<HostTensor> create(DType dtype,
                                           llvm::ArrayRef<int64_t> shape);
};

/// Conversions of the 16-bit formats; to the nearest, ties to even.
double decodeF16(uint16_t bits);
double decodeBF16(uint16_t bits);
uint16_t encodeF16(double value);
uint16_t encodeBF16(double value);

} // namespace tapestry

#endif // TAPESTRY_SUPPORT_HOSTTENSOR_H

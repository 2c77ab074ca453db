//===- HostTensor.cpp - A tensor in host memory ---------------------------===//

#include "tapestry/Support/HostTensor.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <complex>
#include <cstdlib>

using namespace tapestry;

llvm::StringRef tapestry::stringify(DType dtype) {
  static constexpr llvm::StringLiteral names[] = {
      "f64",  "f32", "f16", "bf16", "i8",  "i16", "i32", "i64",
      "bool", "u8",  "u16", "u32",  "u64", "c64", "c128"};
  return names[static_cast<unsigned>(dtype)];
}

int64_t tapestry::byteSize(DType dtype) {
  static constexpr int64_t sizes[] = {8, 4, 2, 2, 1, 2, 4, 8,
                                      1, 1, 2, 4, 8, 8, 16};
  return sizes[static_cast<unsigned>(dtype)];
}

int64_t HostTensor::numElements() const {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

std::string HostTensor::describe() const {
  return (stringify(dtype) + "[" +
          llvm::join(llvm::map_range(
                         shape, [](int64_t n) { return std::to_string(n); }),
                     ", ") +
          "]")
      .str();
}

llvm::Expected<HostTensor> HostTensor::create(DType dtype,
                                              llvm::ArrayRef<int64_t> shape) {
  HostTensor tensor;
  tensor.dtype = dtype;
  tensor.shape.assign(shape.begin(), shape.end());
  int64_t bytes = byteSize(dtype);
  bool overflow = false;
  for (int64_t extent : shape)
    overflow |= llvm::MulOverflow(bytes, extent, bytes) != 0;
  // A vector cannot report that it gets no memory, so ask before.
  void *probe = overflow ? nullptr : std::malloc(std::max<int64_t>(bytes, 1));
  if (!probe)
    return llvm::createStringError("no memory for a tensor of type " +
                                   tensor.describe());
  std::free(probe);
  tensor.bytes.resize(bytes);
  return tensor;
}

double HostTensor::asDouble(int64_t index) const {
  switch (dtype) {
  case DType::F64:
    return data<double>()[index];
  case DType::F32:
    return data<float>()[index];
  case DType::F16:
    return decodeF16(data<uint16_t>()[index]);
  case DType::BF16:
    return decodeBF16(data<uint16_t>()[index]);
  case DType::I8:
    return data<int8_t>()[index];
  case DType::I16:
    return data<int16_t>()[index];
  case DType::I32:
    return data<int32_t>()[index];
  case DType::I64:
    return static_cast<double>(data<int64_t>()[index]);
  case DType::Bool:
    return data<uint8_t>()[index] != 0;
  case DType::C64:
    return data<std::complex<float>>()[index].real();
  case DType::C128:
    return data<std::complex<double>>()[index].real();
  }
  llvm_unreachable("all types are read");
}

//===----------------------------------------------------------------------===//
// 16-bit formats
//===----------------------------------------------------------------------===//

static uint16_t encode(double value, int mantissa) {
  int exponentBits = 15 - mantissa;
  int bias = (1 << (exponentBits - 1)) - 1;
  int special = (1 << exponentBits) - 1;
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value))
    return sign | special << mantissa | 1 << (mantissa - 1);
  double magnitude = std::fabs(value);
  if (magnitude == 0)
    return sign;
  if (std::isinf(magnitude))
    return sign | special << mantissa;
  // magnitude = m * 2^exponent with 1 <= m < 2, but for subnormals.
  int exponent = std::max(std::ilogb(magnitude), 1 - bias);
  // Scaling is exact; nearbyint rounds to the nearest, ties to even.
  auto scaled = static_cast<int64_t>(
      std::nearbyint(std::ldexp(magnitude, mantissa - exponent)));
  if (exponent > bias)
    return sign | special << mantissa;
  // A subnormal's exponent field is 0, and a carry out of the fraction raises
  // the field by one: adding does both.
  int64_t field = exponent + bias - 1;
  int64_t bits = (field << mantissa) + scaled;
  return sign | std::min<int64_t>(bits, int64_t(special) << mantissa);
}

double tapestry::decodeF16(uint16_t bits) {
  // As an f32 whose exponent is too small by 127 - 15; scaling is exact, for
  // subnormals too.
  double magnitude =
      llvm::bit_cast<float>(static_cast<uint32_t>(bits & 0x7fff) << 13) *
      0x1p112f;
  if ((bits & 0x7c00) == 0x7c00)
    magnitude = bits & 0x03ff ? std::nan("") : HUGE_VAL;
  return bits & 0x8000 ? -magnitude : magnitude;
}

double tapestry::decodeBF16(uint16_t bits) {
  return llvm::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

uint16_t tapestry::encodeF16(double value) { return encode(value, 10); }
uint16_t tapestry::encodeBF16(double value) { return encode(value, 7); }

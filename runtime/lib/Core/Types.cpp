//===- Types.cpp - Element types and tensors as text ----------------------===//

#include "Core/Types.h"
#include "tapestry-rt/Status.h"
#include <charconv>
#include <cmath>
#include <cstring>

using namespace tapestry::rt;

namespace {
struct DTypeInfo {
  const char *name;
  int64_t size;
};
} // namespace

// In the order of TapestryDType.
static constexpr DTypeInfo dtypes[] = {
    {"f64", 8}, {"f32", 4}, {"f16", 2}, {"bf16", 2}, {"i8", 1},
    {"i16", 2}, {"i32", 4}, {"i64", 8}, {"bool", 1}, {"u8", 1},
    {"u16", 2}, {"u32", 4}, {"u64", 8}, {"c64", 8},  {"c128", 16}};

bool tapestry::rt::isKnownDType(int32_t dtype) {
  return dtype >= TAPESTRY_F64 && dtype <= TAPESTRY_C128;
}

const char *tapestry::rt::dtypeName(int32_t dtype) {
  return isKnownDType(dtype) ? dtypes[dtype].name : "unknown";
}

int32_t tapestry::rt::dtypeNamed(const std::string &name) {
  for (int32_t dtype = 0; isKnownDType(dtype); ++dtype)
    if (name == dtypes[dtype].name)
      return dtype;
  return -1;
}

int64_t tapestry::rt::dtypeSize(int32_t dtype) {
  return isKnownDType(dtype) ? dtypes[dtype].size : 0;
}

bool tapestry::rt::isKnownMonoid(int32_t monoid) {
  return monoid >= TAPESTRY_MONOID_ADD && monoid <= TAPESTRY_MONOID_CUSTOM;
}

const char *tapestry::rt::collectiveName(int32_t kind) {
  switch (kind) {
  case TAPESTRY_ALL_GATHER:
    return "all_gather";
  case TAPESTRY_ALL_TO_ALL:
    return "all_to_all";
  case TAPESTRY_COLLECTIVE_PERMUTE:
    return "collective_permute";
  case TAPESTRY_HALO_EXCHANGE:
    return "halo_exchange";
  case TAPESTRY_ALL_REDUCE:
    return "all_reduce";
  case TAPESTRY_REDUCE_SCATTER:
    return "reduce_scatter";
  }
  return "unknown";
}

bool tapestry::rt::isReduction(int32_t kind) {
  return kind == TAPESTRY_ALL_REDUCE || kind == TAPESTRY_REDUCE_SCATTER;
}

std::string tapestry::rt::shapeText(const int64_t *shape, int rank) {
  std::string text = "[";
  for (int dim = 0; dim < rank; ++dim)
    text +=
        format("%s%lld", dim ? ", " : "", static_cast<long long>(shape[dim]));
  return text + "]";
}

std::string tapestry::rt::typeText(const TapestryTensor &tensor) {
  return dtypeName(tensor.dtype) + shapeText(tensor.shape, tensor.rank);
}

/// A half or brain float, exactly.
static float widened(int32_t dtype, uint16_t bits) {
  if (dtype == TAPESTRY_BF16) {
    uint32_t wide = static_cast<uint32_t>(bits) << 16;
    float value;
    std::memcpy(&value, &wide, sizeof(value));
    return value;
  }
  int exponent = bits >> 10 & 0x1f;
  float fraction = static_cast<float>(bits & 0x3ff);
  float value = exponent == 0x1f ? (fraction == 0 ? INFINITY : NAN)
                : exponent == 0  ? std::ldexp(fraction, -24)
                                 : std::ldexp(1024 + fraction, exponent - 25);
  return bits & 0x8000 ? -value : value;
}

template <typename T> static T readAs(const void *element) {
  T value;
  std::memcpy(&value, element, sizeof(value));
  return value;
}

template <typename T> static std::string shortest(T value) {
  char text[64];
  return std::string(text, std::to_chars(text, text + sizeof(text), value).ptr);
}

/// "1-2i".
template <typename T> static std::string complexText(const void *element) {
  const T *parts = static_cast<const T *>(element);
  T im = readAs<T>(parts + 1);
  return shortest(readAs<T>(parts)) + (std::signbit(im) ? "" : "+") +
         shortest(im) + "i";
}

std::string tapestry::rt::valueText(int32_t dtype, const void *element) {
  switch (dtype) {
  case TAPESTRY_F64:
    return shortest(readAs<double>(element));
  case TAPESTRY_F32:
    return shortest(readAs<float>(element));
  case TAPESTRY_F16:
  case TAPESTRY_BF16:
    return shortest(widened(dtype, readAs<uint16_t>(element)));
  case TAPESTRY_I8:
    return shortest(int(readAs<int8_t>(element)));
  case TAPESTRY_I16:
    return shortest(readAs<int16_t>(element));
  case TAPESTRY_I32:
    return shortest(readAs<int32_t>(element));
  case TAPESTRY_I64:
    return shortest(readAs<int64_t>(element));
  case TAPESTRY_BOOL:
    return readAs<uint8_t>(element) ? "true" : "false";
  case TAPESTRY_U8:
    return shortest(int(readAs<uint8_t>(element)));
  case TAPESTRY_U16:
    return shortest(readAs<uint16_t>(element));
  case TAPESTRY_U32:
    return shortest(readAs<uint32_t>(element));
  case TAPESTRY_U64:
    return shortest(readAs<uint64_t>(element));
  case TAPESTRY_C64:
    return complexText<float>(element);
  case TAPESTRY_C128:
    return complexText<double>(element);
  }
  return "unknown";
}

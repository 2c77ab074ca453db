//===- Combine.h - What the tests' NCCL combines by -------------*- C++ -*-===//

#ifndef TAPESTRY_STUB_COMBINE_H
#define TAPESTRY_STUB_COMBINE_H

#include "NCCL/NCCLAPI.h"
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace tapestry {
namespace stub {

/// Bytes of an element; 0: there is no such type.
inline size_t sizeOf(int type) {
  static const size_t sizes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};
  return type < 0 || type >= 10 ? 0 : sizes[type];
}

/// The upper half of a float, rounded to even.
struct Bfloat {
  uint16_t bits;

  explicit Bfloat(float value) {
    uint32_t all;
    memcpy(&all, &value, sizeof(all));
    bits = static_cast<uint16_t>((all + 0x7fff + ((all >> 16) & 1)) >> 16);
  }
  Bfloat() = default;
  operator float() const {
    uint32_t all = uint32_t(bits) << 16;
    float value;
    memcpy(&value, &all, sizeof(value));
    return value;
  }
};

/// `Wide` is what is computed in: of integers without a sign, which wraps.
template <typename Element, typename Wide>
void combineAs(int operation, char *into, const char *with, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    Element a, b;
    memcpy(&a, into + i * sizeof(a), sizeof(a));
    memcpy(&b, with + i * sizeof(b), sizeof(b));
    switch (operation) {
    case rt::nccl::Sum:
      a = Element(Wide(Wide(a) + Wide(b)));
      break;
    case rt::nccl::Product:
      a = Element(Wide(Wide(a) * Wide(b)));
      break;
    // As NCCL's, of which NaNs are lost.
    case rt::nccl::Max:
      a = b > a || a != a ? b : a;
      break;
    default:
      a = b < a || a != a ? b : a;
    }
    memcpy(into + i * sizeof(a), &a, sizeof(a));
  }
}

inline void combine(int type, int operation, char *into, const char *with,
                    size_t count) {
  using namespace rt::nccl;
  switch (type) {
  case Int8:
    return combineAs<int8_t, uint64_t>(operation, into, with, count);
  case Uint8:
    return combineAs<uint8_t, uint64_t>(operation, into, with, count);
  case Int32:
    return combineAs<int32_t, uint64_t>(operation, into, with, count);
  case Uint32:
    return combineAs<uint32_t, uint64_t>(operation, into, with, count);
  case Int64:
    return combineAs<int64_t, uint64_t>(operation, into, with, count);
  case Uint64:
    return combineAs<uint64_t, uint64_t>(operation, into, with, count);
  case Float16:
    return combineAs<_Float16, float>(operation, into, with, count);
  case Float32:
    return combineAs<float, float>(operation, into, with, count);
  case Float64:
    return combineAs<double, double>(operation, into, with, count);
  default:
    return combineAs<Bfloat, float>(operation, into, with, count);
  }
}

} // namespace stub
} // namespace tapestry

#endif // TAPESTRY_STUB_COMBINE_H

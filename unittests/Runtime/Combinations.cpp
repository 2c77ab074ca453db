//===- Combinations.cpp - Element types with their monoids ----------------===//

#include "RandomCollectives.h"
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

using namespace tapestry::rt;
using namespace tapestry::rt::testing;

namespace {

/// f16 as its bits: enough for maxima.
struct Half {
  uint16_t bits;
  bool isNaN() const { return (bits & 0x7fff) > 0x7c00; }
  int order() const {
    return bits & 0x8000 ? -int(bits & 0x7fff) : int(bits & 0x7fff);
  }
};

/// bf16 as its bits: the upper half of an f32.
struct Brain {
  uint16_t bits;
  float value() const {
    uint32_t wide = uint32_t(bits) << 16;
    float result;
    std::memcpy(&result, &wide, sizeof(result));
    return result;
  }
  static Brain of(float value) { // exact for small integers
    uint32_t wide;
    std::memcpy(&wide, &value, sizeof(wide));
    return {static_cast<uint16_t>(wide >> 16)};
  }
};

struct Bool {
  uint8_t value;
};

/// The built-in monoids as the compiler means them.
template <int32_t monoid> struct Combine {
  template <typename T> T operator()(T a, T b) const {
    using Wide [[maybe_unused]] =
        std::conditional_t<std::is_integral_v<T>, uint64_t, T>;
    if constexpr (monoid == TAPESTRY_MONOID_ADD)
      return static_cast<T>(Wide(a) + Wide(b));
    if constexpr (monoid == TAPESTRY_MONOID_MUL)
      return static_cast<T>(Wide(a) * Wide(b));
    if constexpr (monoid == TAPESTRY_MONOID_MAX)
      return a != a || a > b ? a : b;
    if constexpr (monoid == TAPESTRY_MONOID_MIN)
      return a != a || a < b ? a : b;
    if constexpr (monoid == TAPESTRY_MONOID_AND)
      return static_cast<T>(a & b);
    if constexpr (monoid == TAPESTRY_MONOID_OR)
      return static_cast<T>(a | b);
    if constexpr (monoid == TAPESTRY_MONOID_XOR)
      return static_cast<T>(a ^ b);
    if constexpr (monoid == TAPESTRY_MONOID_CUSTOM)
      return std::gcd(a, b);
  }
  Half operator()(Half a, Half b) const {
    bool keep = monoid == TAPESTRY_MONOID_MAX ? a.order() > b.order()
                                              : a.order() < b.order();
    return a.isNaN() || (!b.isNaN() && keep) ? a : b;
  }
  Brain operator()(Brain a, Brain b) const {
    return Brain::of((*this)(a.value(), b.value()));
  }
  Bool operator()(Bool a, Bool b) const { return {(*this)(a.value, b.value)}; }
};

template <typename T, int32_t monoid>
void combineAll(void *accumulator, const void *in, int64_t count) {
  auto *to = static_cast<T *>(accumulator);
  auto *from = static_cast<const T *>(in);
  for (int64_t i = 0; i < count; ++i)
    to[i] = Combine<monoid>()(to[i], from[i]);
}

/// Small numbers; now and then a NaN where maxima must keep it.
template <typename T, int32_t monoid> T randomValue(std::mt19937 &random) {
  constexpr bool orders =
      monoid == TAPESTRY_MONOID_MAX || monoid == TAPESTRY_MONOID_MIN;
  int small = int(random() % 15) - 7;
  bool isOdd = orders && random() % 50 == 0;
  // Neither zeros, whose signs have no order, nor infinities.
  if constexpr (std::is_same_v<T, Half>)
    return {isOdd ? uint16_t(0x7e00) : uint16_t((random() & 0xfbff) | 1)};
  else if constexpr (std::is_same_v<T, Brain>)
    return Brain::of(isOdd ? NAN : float(small));
  else if constexpr (std::is_same_v<T, Bool>)
    return {uint8_t(random() % 2)};
  else if constexpr (std::is_floating_point_v<T>)
    return isOdd                           ? T(NAN)
           : monoid == TAPESTRY_MONOID_MUL ? T(small % 2 ? small % 4 : 2)
                                           : T(small);
  else if constexpr (monoid == TAPESTRY_MONOID_CUSTOM)
    return static_cast<T>(60 * small);
  else // wraps where it is combined
    return static_cast<T>(random());
}

template <typename T, int32_t monoid>
void fillAll(void *values, int64_t count, std::mt19937 &random) {
  for (int64_t i = 0; i < count; ++i)
    static_cast<T *>(values)[i] = randomValue<T, monoid>(random);
}

template <typename T, int32_t... monoids>
void add(std::vector<Combination> &all, int32_t dtype,
         std::integer_sequence<int32_t, monoids...>) {
  (all.push_back({dtype, monoids, sizeof(T), combineAll<T, monoids>,
                  fillAll<T, monoids>}),
   ...);
}

} // namespace

const std::vector<Combination> &tapestry::rt::testing::allCombinations() {
  static const std::vector<Combination> all = [] {
    using Numbers =
        std::integer_sequence<int32_t, TAPESTRY_MONOID_ADD, TAPESTRY_MONOID_MUL,
                              TAPESTRY_MONOID_MAX, TAPESTRY_MONOID_MIN>;
    using Orders = std::integer_sequence<int32_t, TAPESTRY_MONOID_MAX,
                                         TAPESTRY_MONOID_MIN>;
    using Sums = std::integer_sequence<int32_t, TAPESTRY_MONOID_ADD,
                                       TAPESTRY_MONOID_MAX>;
    using Bits = std::integer_sequence<int32_t, TAPESTRY_MONOID_AND,
                                       TAPESTRY_MONOID_OR, TAPESTRY_MONOID_XOR>;
    using Custom = std::integer_sequence<int32_t, TAPESTRY_MONOID_CUSTOM>;
    std::vector<Combination> list;
    add<double>(list, TAPESTRY_F64, Numbers());
    add<float>(list, TAPESTRY_F32, Numbers());
    add<Half>(list, TAPESTRY_F16, Orders());
    add<Brain>(list, TAPESTRY_BF16, Sums());
    add<int8_t>(list, TAPESTRY_I8, Numbers());
    add<int8_t>(list, TAPESTRY_I8, Bits());
    add<int16_t>(list, TAPESTRY_I16, Numbers());
    add<int16_t>(list, TAPESTRY_I16, Bits());
    add<int32_t>(list, TAPESTRY_I32, Numbers());
    add<int32_t>(list, TAPESTRY_I32, Bits());
    add<int32_t>(list, TAPESTRY_I32, Custom());
    add<int64_t>(list, TAPESTRY_I64, Numbers());
    add<int64_t>(list, TAPESTRY_I64, Bits());
    add<int64_t>(list, TAPESTRY_I64, Custom());
    add<Bool>(list, TAPESTRY_BOOL, Bits());
    return list;
  }();
  return all;
}

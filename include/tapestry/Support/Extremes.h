//===- Extremes.h - The greater and the lesser of numbers -------*- C++ -*-===//

#ifndef TAPESTRY_SUPPORT_EXTREMES_H
#define TAPESTRY_SUPPORT_EXTREMES_H

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace tapestry {

/// The greater of two numbers, or the lesser. Of floats NaN wins, and -0.0 is
/// below 0.0, as for arith.maximumf.
template <typename T> T extremeOf(bool isMax, T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b))
      return std::numeric_limits<T>::quiet_NaN();
    if (a == b)
      return std::signbit(a) == isMax ? b : a;
  }
  return isMax ? std::max(a, b) : std::min(a, b);
}

} // namespace tapestry

#endif // TAPESTRY_SUPPORT_EXTREMES_H

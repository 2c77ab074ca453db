//===- Reach.h - How far images may reach -----------------------*- C++ -*-===//

#ifndef TAPESTRY_SUPPORT_REACH_H
#define TAPESTRY_SUPPORT_REACH_H

#include <cstdint>

namespace tapestry {

/// A sum of |a| * b, as extents and coefficients add up to what a subscript may
/// reach. Below its limit arithmetic on the parts does not overflow.
class Reach {
public:
  static constexpr int64_t limit = int64_t(1) << 62;

  explicit Reach(int64_t start) : sum(start) {}

  /// Adds |a| * b for b >= 0. What is beyond the limit stays there: one product
  /// more than the limit has room in the sum.
  void add(int64_t a, int64_t b = 1) {
    if (isWithin())
      sum += (a < 0 ? -static_cast<__int128>(a) : a) * b;
  }

  bool isWithin() const { return sum < limit; }

private:
  __int128 sum;
};

} // namespace tapestry

#endif // TAPESTRY_SUPPORT_REACH_H

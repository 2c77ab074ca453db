//===- ReachTest.cpp - Unit tests for Reach -------------------------------===//

#include "tapestry/Support/Reach.h"
#include "gtest/gtest.h"
#include <limits>

using tapestry::Reach;

TEST(ReachTest, CountsBothSigns) {
  Reach reach(1);
  reach.add(-(Reach::limit / 2));
  EXPECT_TRUE(reach.isWithin());
  reach.add(Reach::limit / 4 - 1, 2);
  EXPECT_FALSE(Reach(Reach::limit).isWithin());
  EXPECT_TRUE(reach.isWithin());
  reach.add(1);
  EXPECT_FALSE(reach.isWithin());
}

TEST(ReachTest, StaysBeyondTheLargestProducts) {
  using Number = std::numeric_limits<int64_t>;
  for (int64_t factor : {Number::min(), Number::max()}) {
    Reach reach(Reach::limit - 1);
    EXPECT_TRUE(reach.isWithin());
    for (int time = 0; time < 5; ++time) {
      reach.add(factor, Number::max());
      EXPECT_FALSE(reach.isWithin());
    }
  }
}

TEST(ReachTest, NothingReachesNowhere) {
  Reach reach(1);
  reach.add(std::numeric_limits<int64_t>::min(), 0);
  EXPECT_TRUE(reach.isWithin());
}

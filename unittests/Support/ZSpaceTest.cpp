//===- ZSpaceTest.cpp - Ranges, boxes, projections, coverage --------------===//

#include "tapestry/Support/ZSpace.h"
#include "tapestry/Support/Projection.h"
#include "gtest/gtest.h"
#include <random>

using namespace tapestry;

namespace {

TEST(ZRangeTest, Intersection) {
  EXPECT_EQ(intersect(ZRange{2, 7}, ZRange{5, 9}), (ZRange{5, 7}));
  EXPECT_TRUE(intersect(ZRange{2, 4}, ZRange{5, 9}).empty());
}

TEST(ZBoxTest, VolumeOfScalarSpaceIsOnePoint) {
  EXPECT_EQ(volume(ZBox{}), 1);
  EXPECT_EQ(volume(ZBox{{0, 3}, {2, 7}}), 15);
  EXPECT_EQ(volume(ZBox{{0, 3}, {7, 2}}), 0);
  EXPECT_EQ(boxToString(ZBox{{0, 3}, {2, 7}}), "[0, 3) x [2, 7)");
}

TEST(ProjectionTest, ImageOfAStridedDilatedWindow) {
  // 2 * y + 3 * r - 1 over y in [4, 8), r in [0, 3): 7 .. 2*7 + 6 - 1 = 19.
  ProjectionDim dim;
  dim.terms = {{0, 2}, {1, 3}};
  dim.constant = -1;
  EXPECT_EQ(imageOfDim(dim, ZBox{{4, 8}, {0, 3}}), (ZRange{7, 20}));
  // A block operator that reads 5 points, 2 apart, from every start.
  dim.size = 5;
  dim.stride = 2;
  EXPECT_EQ(imageOfDim(dim, ZBox{{4, 8}, {0, 3}}), (ZRange{7, 28}));
  // A reversed dimension.
  ProjectionDim reversed;
  reversed.terms = {{0, -1}};
  reversed.constant = 9;
  EXPECT_EQ(imageOfDim(reversed, ZBox{{2, 5}}), (ZRange{5, 8}));
  EXPECT_TRUE(imageOfDim(reversed, ZBox{{5, 5}}).empty());
}

TEST(CoverageTest, FindsGapsOverlapsAndStrays) {
  ZBox space = {{0, 4}, {0, 6}};
  EXPECT_FALSE(
      findCoverageFault(space, {ZBox{{0, 4}, {0, 2}}, ZBox{{0, 1}, {2, 6}},
                                ZBox{{1, 4}, {2, 6}}, ZBox{{2, 2}, {0, 9}}}));
  auto gap = findCoverageFault(space, {ZBox{{0, 4}, {0, 5}}});
  ASSERT_TRUE(gap);
  EXPECT_EQ(gap->times, 0);
  EXPECT_EQ(gap->point, (llvm::SmallVector<int64_t>{0, 5}));
  auto twice =
      findCoverageFault(space, {ZBox{{0, 4}, {0, 6}}, ZBox{{3, 4}, {2, 3}}});
  ASSERT_TRUE(twice);
  EXPECT_EQ(twice->times, 2);
  EXPECT_EQ(twice->point, (llvm::SmallVector<int64_t>{3, 2}));
  auto stray = findCoverageFault(space, {ZBox{{0, 4}, {0, 7}}});
  ASSERT_TRUE(stray);
  EXPECT_EQ(stray->point, (llvm::SmallVector<int64_t>{3, 6}));
}

/// Random boxes against a count per point.
TEST(CoverageTest, AgreesWithCountingPoints) {
  std::mt19937 random(7);
  int faults = 0;
  for (int round = 0; round < 2000; ++round) {
    ZBox space = {{0, 3}, {0, 4}};
    std::vector<ZBox> boxes;
    int64_t cut = random() % 5, row = random() % 4;
    boxes.push_back({{0, 3}, {0, cut}});
    boxes.push_back({{0, row}, {cut, 4}});
    boxes.push_back({{row, 3}, {cut, 4}});
    if (random() % 2) {
      auto &range = boxes[random() % 3][random() % 2];
      range.lo = random() % 3;
      range.hi = range.lo + random() % 2;
    }
    int64_t worst = 1;
    for (int64_t i = 0; i < 3; ++i)
      for (int64_t j = 0; j < 4; ++j) {
        int64_t times = 0;
        for (const ZBox &b : boxes)
          times += b[0].lo <= i && i < b[0].hi && b[1].lo <= j && j < b[1].hi;
        if (times != 1)
          worst = times;
      }
    auto fault = findCoverageFault(space, boxes);
    EXPECT_EQ(fault.has_value(), worst != 1);
    faults += fault.has_value();
  }
  EXPECT_GT(faults, 300);
}

} // namespace

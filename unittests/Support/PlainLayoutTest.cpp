//===- PlainLayoutTest.cpp - The cut that boxes come from -----------------===//

#include "tapestry/Support/PlainLayout.h"
#include "gtest/gtest.h"
#include <random>

using namespace tapestry;

static std::vector<ZBox> boxesOf(const DeviceGrid &grid, const Layout &layout) {
  std::vector<ZBox> boxes;
  for (int64_t device = 0; device < grid.numDevices(); ++device)
    boxes.push_back(layout.box(grid, device));
  return boxes;
}

/// Every plain layout is found again, or another with the same boxes.
TEST(PlainLayout, IsFoundFromItsBoxes) {
  std::mt19937 random(3);
  for (int64_t devices : {1, 2, 5, 6, 8, 12, 30, 36}) {
    DeviceGrid grid = DeviceGrid::ofPrimes(devices);
    for (int round = 0; round < 300; ++round) {
      llvm::SmallVector<int64_t> shape;
      for (unsigned rank = random() % 4; shape.size() < rank;)
        shape.push_back(1 + random() % 40);
      llvm::SmallVector<Cut> cuts(shape.size());
      llvm::SmallVector<unsigned> axes;
      for (unsigned axis = 0; axis < grid.axes.size(); ++axis)
        axes.push_back(axis);
      llvm::shuffle(axes.begin(), axes.end(), random);
      for (unsigned axis : axes)
        if (!shape.empty() && random() % 4 != 0) {
          unsigned dim = random() % shape.size();
          if (partsOf(grid, cuts[dim]) * grid.axes[axis].size <= shape[dim])
            cuts[dim].push_back(axis);
        }
      std::vector<ZBox> boxes = boxesOf(grid, Layout::blocked(shape, cuts));
      std::optional<Layout> found = findPlainLayout(grid, shape, boxes);
      ASSERT_TRUE(found);
      EXPECT_TRUE(found->isPlain());
      EXPECT_EQ(boxesOf(grid, *found), boxes);
    }
  }
}

TEST(PlainLayout, OtherBoxesAreOfNone) {
  DeviceGrid grid = DeviceGrid::ofPrimes(4);
  // Halos, gaps, blocks of other sizes, another number of devices.
  EXPECT_FALSE(
      findPlainLayout(grid, {8}, {{{0, 3}}, {{1, 5}}, {{3, 7}}, {{5, 8}}}));
  EXPECT_FALSE(
      findPlainLayout(grid, {8}, {{{0, 2}}, {{2, 4}}, {{4, 6}}, {{4, 6}}}));
  EXPECT_FALSE(
      findPlainLayout(grid, {8}, {{{0, 1}}, {{1, 4}}, {{4, 5}}, {{5, 8}}}));
  EXPECT_FALSE(findPlainLayout(grid, {8}, {{{0, 4}}, {{4, 8}}}));
}

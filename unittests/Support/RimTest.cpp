//===- RimTest.cpp - The strip beside a device's part
//-----------------------===//

#include "tapestry/Support/Rim.h"
#include "tapestry/Support/Resharding.h"
#include "gtest/gtest.h"
#include <random>

using namespace tapestry;

namespace {

/// Label number plus a constant, per dimension.
Projection shifted(llvm::ArrayRef<int64_t> constants) {
  Projection read;
  for (auto [label, constant] : llvm::enumerate(constants)) {
    ProjectionDim dim;
    dim.terms.push_back({static_cast<unsigned>(label), 1});
    dim.constant = constant;
    read.dims.push_back(dim);
  }
  return read;
}

TEST(RimTest, InFrontOfEachBlockOrBehind) {
  DeviceGrid three = DeviceGrid::ofPrimes(3);
  Partition rows{{Cut{0}, Cut{}}};
  Layout from = Layout::blocked({97, 5}, rows.cuts);
  auto rimOf = [&](llvm::ArrayRef<int64_t> constants, int64_t extent = 97) {
    return findRim(
        three, from,
        Layout::ofProjection(shifted(constants), {extent, 5}, rows, {97, 5}));
  };
  auto above = rimOf({-2, 1}), below = rimOf({3, 0});
  ASSERT_TRUE(above && below);
  EXPECT_TRUE(isEmpty(above->box(three, 0)));
  EXPECT_EQ(above->box(three, 1), (ZBox{{31, 33}, {1, 5}}));
  EXPECT_EQ(above->box(three, 2), (ZBox{{64, 66}, {1, 5}}));
  EXPECT_EQ(below->box(three, 1), (ZBox{{66, 69}, {0, 5}}));
  EXPECT_TRUE(isEmpty(below->box(three, 2)));
  // Everyone has it; nobody has any of it; others lack more; on both sides.
  EXPECT_FALSE(rimOf({0, 1}));
  EXPECT_FALSE(rimOf({40, 0}));
  EXPECT_FALSE(rimOf({1, 0}, 95));
  Projection around = shifted({-1, 0});
  around.dims.front().size = 3;
  EXPECT_FALSE(findRim(three, from,
                       Layout::ofProjection(around, {97, 5}, rows, {97, 5})));
}

TEST(RimTest, OfWhatIsFoldedBack) {
  DeviceGrid two = DeviceGrid::ofPrimes(2);
  Partition rows{{Cut{0}}};
  Layout from = Layout::blocked({10}, rows.cuts);
  Projection read = shifted({-1});
  read.dims.front().mod = 10;
  read.dims.front().fold = Fold::Reflect;
  auto rim = findRim(two, from, Layout::ofProjection(read, {10}, rows, {10}));
  ASSERT_TRUE(rim);
  EXPECT_TRUE(isEmpty(rim->box(two, 0)));
  EXPECT_EQ(rim->box(two, 1), (ZBox{{4, 5}}));
}

/// With what is held of a window the rim is the window, each point once, and as
/// much is sent as for the window.
TEST(RimTest, IsWhatIsLacking) {
  std::mt19937 random(11);
  int found = 0, cut = 0;
  for (int round = 0; round < 2000; ++round) {
    DeviceGrid grid = DeviceGrid::ofPrimes(1 + random() % 12);
    Partition partition{{Cut{}, Cut{}}};
    for (unsigned axis = 0; axis < grid.axes.size(); ++axis)
      partition.cuts[random() % 2].push_back(axis);
    llvm::SmallVector<int64_t> shape = {1 + int64_t(random() % 40),
                                        1 + int64_t(random() % 40)};
    Projection read =
        shifted({int64_t(random() % 5) - 2, int64_t(random() % 5) - 2});
    Layout from = Layout::blocked(shape, partition.cuts);
    Layout to = Layout::ofProjection(read, shape, partition, shape);
    std::optional<Layout> rim = findRim(grid, from, to);
    if (!rim)
      continue;
    ++found;
    cut += !partition.cuts[0].empty() && !partition.cuts[1].empty();
    EXPECT_EQ(planResharding(grid, from, *rim).elements,
              planResharding(grid, from, to).elements);
    EXPECT_EQ(planResharding(grid, from, *rim).axes,
              planResharding(grid, from, to).axes);
    for (int64_t device = 0; device < grid.numDevices(); ++device) {
      ZBox window = to.box(grid, device);
      EXPECT_FALSE(
          findCoverageFault(window, {intersect(window, from.box(grid, device)),
                                     rim->box(grid, device)}));
    }
  }
  EXPECT_GT(found, 200);
  EXPECT_GT(cut, 20);
}

} // namespace

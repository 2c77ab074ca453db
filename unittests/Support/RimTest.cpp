//===- RimTest.cpp - The strips beside a device's part --------------------===//

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
  auto rimsOf = [&](llvm::ArrayRef<int64_t> constants, int64_t extent = 97) {
    return findRims(
        three, from,
        Layout::ofProjection(shifted(constants), {extent, 5}, rows, {97, 5}));
  };
  auto above = rimsOf({-2, 1}), below = rimsOf({3, 0});
  ASSERT_EQ(above.size(), 1u);
  ASSERT_EQ(below.size(), 1u);
  EXPECT_TRUE(isEmpty(above[0].box(three, 0)));
  EXPECT_EQ(above[0].box(three, 1), (ZBox{{31, 33}, {1, 5}}));
  EXPECT_EQ(above[0].box(three, 2), (ZBox{{64, 66}, {1, 5}}));
  EXPECT_EQ(below[0].box(three, 1), (ZBox{{66, 69}, {0, 5}}));
  EXPECT_TRUE(isEmpty(below[0].box(three, 2)));
  // Everyone has it; nobody has any of it.
  EXPECT_TRUE(rimsOf({0, 1}).empty());
  EXPECT_TRUE(rimsOf({40, 0}).empty());
  // Blocks of 32 points and of 33: the third lacks another one, the first one
  // behind it.
  auto uneven = rimsOf({0, 0}, 95);
  ASSERT_EQ(uneven.size(), 2u);
  EXPECT_EQ(uneven[0].box(three, 2), (ZBox{{64, 65}, {0, 5}}));
  EXPECT_EQ(uneven[1].box(three, 1), (ZBox{{32, 33}, {0, 5}}));
  EXPECT_EQ(uneven[1].box(three, 2), (ZBox{{65, 66}, {0, 5}}));
}

TEST(RimTest, AroundEachBlock) {
  DeviceGrid four = DeviceGrid::ofPrimes(4);
  Partition grid{{Cut{0}, Cut{1}}};
  Layout from = Layout::blocked({10, 8}, grid.cuts);
  Projection around = shifted({-1, -2});
  around.dims[0].size = 3;
  around.dims[1].size = 3;
  auto rims = findRims(four, from,
                       Layout::ofProjection(around, {10, 8}, grid, {10, 8}));
  // Above and below with their corners, then in front; nothing behind.
  ASSERT_EQ(rims.size(), 3u);
  EXPECT_EQ(rims[0].box(four, 3), (ZBox{{4, 5}, {2, 8}}));
  EXPECT_TRUE(isEmpty(rims[1].box(four, 3)));
  EXPECT_EQ(rims[1].box(four, 1), (ZBox{{5, 6}, {2, 8}}));
  EXPECT_EQ(rims[2].box(four, 3), (ZBox{{5, 10}, {2, 4}}));
  EXPECT_TRUE(isEmpty(rims[2].box(four, 0)));
}

/// What is cut along another dimension lacks half of all.
TEST(RimTest, NotWhereAxesCutTwo) {
  DeviceGrid two = DeviceGrid::ofPrimes(2);
  Layout rows = Layout::blocked({4, 6}, {Cut{0}, Cut{}});
  Layout columns = Layout::blocked({4, 6}, {Cut{}, Cut{0}});
  EXPECT_TRUE(findRims(two, rows, columns).empty());
}

TEST(RimTest, OfWhatIsFoldedBack) {
  DeviceGrid two = DeviceGrid::ofPrimes(2);
  Partition rows{{Cut{0}}};
  Layout from = Layout::blocked({10}, rows.cuts);
  Projection read = shifted({-1});
  read.dims.front().mod = 10;
  read.dims.front().fold = Fold::Reflect;
  auto rims = findRims(two, from, Layout::ofProjection(read, {10}, rows, {10}));
  ASSERT_EQ(rims.size(), 1u);
  EXPECT_TRUE(isEmpty(rims[0].box(two, 0)));
  EXPECT_EQ(rims[0].box(two, 1), (ZBox{{4, 5}}));
}

/// With what is held of a window the rims are the window, each point once, and
/// as much is sent as for the window.
TEST(RimTest, AreWhatIsLacking) {
  std::mt19937 random(11);
  int found = 0, cut = 0, several = 0;
  for (int round = 0; round < 4000; ++round) {
    DeviceGrid grid = DeviceGrid::ofPrimes(1 + random() % 12);
    Partition partition{{Cut{}, Cut{}}};
    for (unsigned axis = 0; axis < grid.axes.size(); ++axis)
      partition.cuts[random() % 2].push_back(axis);
    llvm::SmallVector<int64_t> shape = {1 + int64_t(random() % 40),
                                        1 + int64_t(random() % 40)};
    Projection read =
        shifted({int64_t(random() % 5) - 2, int64_t(random() % 5) - 2});
    for (ProjectionDim &dim : read.dims)
      dim.size = 1 + random() % 4;
    Layout from = Layout::blocked(shape, partition.cuts);
    Layout to = Layout::ofProjection(read, shape, partition, shape);
    auto rims = findRims(grid, from, to);
    if (rims.empty())
      continue;
    ++found;
    several += rims.size() > 1;
    cut += !partition.cuts[0].empty() && !partition.cuts[1].empty();
    int64_t elements = 0;
    for (const Layout &rim : rims)
      elements += planResharding(grid, from, rim).elements;
    EXPECT_EQ(elements, planResharding(grid, from, to).elements);
    for (int64_t device = 0; device < grid.numDevices(); ++device) {
      ZBox window = to.box(grid, device);
      llvm::SmallVector<ZBox> boxes = {
          intersect(window, from.box(grid, device))};
      for (const Layout &rim : rims)
        boxes.push_back(rim.box(grid, device));
      EXPECT_FALSE(findCoverageFault(window, boxes));
    }
  }
  EXPECT_GT(found, 1000);
  EXPECT_GT(cut, 200);
  EXPECT_GT(several, 500);
}

} // namespace

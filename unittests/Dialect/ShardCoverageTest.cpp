//===- ShardCoverageTest.cpp - The shard verifier, right and wrong --------===//

#include "tapestry/Dialect/Tapestry/Transforms/ShardCoverage.h"
#include "gtest/gtest.h"
#include <random>

using namespace tapestry;
using namespace tapestry::teg;

namespace {

/// The matrix product C[i, k] = sum[j] ... seen from the result.
Write productResult() {
  Projection projection;
  projection.dims.resize(2);
  projection.dims[0].terms = {{0, 1}};
  projection.dims[1].terms = {{2, 1}};
  return {projection};
}

TEST(ShardCoverage, DevicesStandForTheirReplicas) {
  // 2 x 3 x 5: the middle axis has stride 5.
  DeviceGrid grid = DeviceGrid::ofPrimes(30);
  EXPECT_EQ(devicesOver(grid, {1}), (llvm::SmallVector<int64_t>{0, 5, 10}));
  EXPECT_EQ(devicesOver(grid, {}), (llvm::SmallVector<int64_t>{0}));
  EXPECT_EQ(devicesOver(grid, {0, 1, 2}).size(), 30u);
}

TEST(ShardCoverage, EveryPartitionOfAProductCovers) {
  std::mt19937 random(11);
  auto pick = [&](int64_t lo, int64_t hi) {
    return std::uniform_int_distribution<int64_t>(lo, hi)(random);
  };
  for (int round = 0; round < 100; ++round) {
    DeviceGrid grid = DeviceGrid::ofPrimes(pick(1, 24));
    llvm::SmallVector<int64_t> extents = {pick(1, 30), pick(1, 30),
                                          pick(1, 30)};
    Partition partition;
    partition.cuts.resize(3);
    for (unsigned axis = 0; axis < grid.axes.size(); ++axis)
      if (int64_t label = pick(0, 3); label < 3)
        partition.cuts[label].push_back(axis);
    EXPECT_FALSE(findBlockFault(grid, extents, partition));
    EXPECT_FALSE(findResultFault(grid, extents, partition, productResult(),
                                 {extents[0], extents[2]}));
  }
}

TEST(ShardCoverage, AnAxisUsedTwiceLeavesHoles) {
  DeviceGrid grid = DeviceGrid::ofPrimes(2);
  Partition partition;
  partition.cuts = {{0}, {}, {0}};
  // Only the diagonal blocks have a device: (0, 0, 4) has none.
  auto fault = findBlockFault(grid, {8, 3, 8}, partition);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->point, (llvm::SmallVector<int64_t>{0, 0, 4}));
  EXPECT_EQ(fault->times, 0);
  EXPECT_TRUE(
      findResultFault(grid, {8, 3, 8}, partition, productResult(), {8, 8}));
}

TEST(ShardCoverage, WrongProjectionsAreFound) {
  DeviceGrid grid = DeviceGrid::ofPrimes(2);
  Partition partition;
  partition.cuts = {{0}};
  Write write = {Projection::identity(1)};
  EXPECT_FALSE(findResultFault(grid, {8}, partition, write, {8}));
  // A region of two cells per point overlaps between the devices.
  write.projection.dims[0].size = 2;
  auto overlap = findResultFault(grid, {8}, partition, write, {9});
  ASSERT_TRUE(overlap);
  EXPECT_EQ(overlap->point, (llvm::SmallVector<int64_t>{4}));
  EXPECT_EQ(overlap->times, 2);
  // A result that is longer than what is written.
  write.projection.dims[0].size = 1;
  auto missing = findResultFault(grid, {8}, partition, write, {9});
  ASSERT_TRUE(missing);
  EXPECT_EQ(missing->point, (llvm::SmallVector<int64_t>{8}));
  EXPECT_EQ(missing->times, 0);
  // A result that is shorter.
  EXPECT_TRUE(findResultFault(grid, {8}, partition, write, {7}));
}

TEST(ShardCoverage, HaloLayoutsAreNotOwned) {
  DeviceGrid grid = DeviceGrid::ofPrimes(4);
  EXPECT_FALSE(findLayoutFault(grid, Layout::blocked({13}, {Cut{1, 0}})));
  EXPECT_FALSE(findLayoutFault(grid, Layout::replicated({13})));
  Layout halo = Layout::blocked({13}, {Cut{0}});
  halo.dims[0].span = 3;
  auto fault = findLayoutFault(grid, halo);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->times, 2);
  EXPECT_EQ(fault->point, (llvm::SmallVector<int64_t>{7}));
}

} // namespace

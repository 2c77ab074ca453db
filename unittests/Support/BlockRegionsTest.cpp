//===- BlockRegionsTest.cpp - A block in regions that read one place ------===//

#include "tapestry/Support/BlockRegions.h"
#include "tapestry/Support/Rim.h"
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

/// An operand of which devices have their blocks and the strips beside them.
RegionOperand operandOf(const DeviceGrid &grid, const Partition &partition,
                        llvm::ArrayRef<int64_t> extents, const Layout &held,
                        const Projection &read, bool isPadded) {
  RegionOperand operand;
  operand.isPadded = isPadded;
  llvm::SmallVector<Layout, 2> parts = {held};
  Layout window = Layout::ofProjection(read, extents, partition, held.shape());
  llvm::append_range(parts, findRims(grid, held, window));
  operand.pieces.push_back({read, held.shape(), std::move(parts)});
  return operand;
}

/// That the regions cover each block once, and that sources say where points
/// read.
void check(const DeviceGrid &grid, const Partition &partition,
           llvm::ArrayRef<int64_t> extents, const BlockRegions &blocks,
           llvm::ArrayRef<BlockRegion> regions) {
  for (int64_t device = 0, e = grid.numDevices(); device < e; ++device) {
    std::vector<ZBox> boxes;
    for (const BlockRegion &region : regions)
      boxes.push_back(blocks.pointsOf(region.ranges, device));
    ZBox block = partition.block(grid, extents, device);
    if (!isEmpty(block))
      EXPECT_FALSE(findCoverageFault(block, boxes));
    for (auto [region, box] : llvm::zip_equal(regions, boxes)) {
      if (isEmpty(box))
        continue;
      for (auto [source, operand] :
           llvm::zip_equal(region.sources, blocks.getOperands())) {
        if (source.kind == RegionSource::Window)
          continue;
        const RegionAccess &access = operand.pieces[source.piece];
        const ZBox held = access.parts[source.part].box(grid, device);
        ZBox image = source.read.image(box);
        ZBox inside = intersect(image, boxOfShape(access.shape));
        if (source.kind == RegionSource::Part)
          EXPECT_TRUE(contains(held, image));
        bool isRead =
            access.guard.empty() || !isEmpty(intersect(access.guard, box));
        if (source.kind == RegionSource::Outside)
          EXPECT_TRUE(isEmpty(inside) || !isRead);
        if (source.kind != RegionSource::Either)
          continue;
        EXPECT_TRUE(contains(held, inside) && !isEmpty(held));
        for (auto [dim, range] : llvm::enumerate(image))
          EXPECT_TRUE(source.beyond.test(dim) || held[dim].contains(range));
      }
    }
  }
}

TEST(BlockRegionsTest, AStarOverRows) {
  DeviceGrid three = DeviceGrid::ofPrimes(3);
  Partition rows{{Cut{0}, Cut{}}};
  Layout held = Layout::blocked({96, 20}, rows.cuts);
  std::vector<RegionOperand> operands;
  for (auto [i, j] : {std::pair(-1, 0), {1, 0}, {0, -1}, {0, 1}})
    operands.push_back(operandOf(three, rows, {96, 20}, held, shifted({i, j}),
                                 /*isPadded=*/true));
  BlockRegions blocks(three, rows, {96, 20}, operands);
  std::vector<BlockRegion> regions = blocks.find(32);
  check(three, rows, {96, 20}, blocks, regions);
  // The first row of the tensor, of other blocks, the interior ones, the last
  // of blocks and of the tensor: each in its first point, the last, and
  // between.
  EXPECT_EQ(regions.size(), 15u);
  for (const BlockRegion &region : regions)
    for (const RegionSource &source : region.sources)
      EXPECT_NE(source.kind, RegionSource::Either);
  // Where points may choose, a row is one region.
  std::vector<BlockRegion> choosing = blocks.find(14);
  check(three, rows, {96, 20}, blocks, choosing);
  EXPECT_EQ(choosing.size(), 7u);
  EXPECT_TRUE(llvm::all_of(
      regions, [](const BlockRegion &each) { return each.isServed(); }));
  EXPECT_EQ(blocks.pointsOf(regions.back().ranges, 1),
            (ZBox{{33, 63}, {1, 19}}));
  // What cannot be in so few regions is put together.
  std::vector<BlockRegion> few = blocks.find(6);
  check(three, rows, {96, 20}, blocks, few);
  EXPECT_LE(few.size(), 7u);
}

TEST(BlockRegionsTest, TensorsOneBehindTheOther) {
  DeviceGrid one;
  Partition whole{{Cut{}, Cut{}}};
  std::vector<RegionOperand> operands;
  int64_t start = 0;
  for (int64_t rows : {20, 30, 46}) {
    operands.push_back(operandOf(one, whole, {96, 5},
                                 Layout::replicated({rows, 5}),
                                 shifted({-start, 0}), /*isPadded=*/true));
    start += rows;
  }
  BlockRegions blocks(one, whole, {96, 5}, operands);
  std::vector<BlockRegion> regions = blocks.find(32);
  check(one, whole, {96, 5}, blocks, regions);
  ASSERT_EQ(regions.size(), 3u);
  for (const BlockRegion &region : regions) {
    unsigned read = 0;
    for (const RegionSource &source : region.sources)
      read += source.kind == RegionSource::Part;
    EXPECT_EQ(read, 1u);
  }
}

// Half of the columns are beside the tensor. The device that has them holds
// other rows than it would read.
TEST(BlockRegionsTest, BesideTheTensorAndBeyondThePart) {
  DeviceGrid two = DeviceGrid::ofPrimes(2);
  Partition columns{{Cut{}, Cut{0}}};
  RegionOperand half;
  half.isPadded = true;
  half.pieces.push_back(
      {shifted({0, 0}), {8, 48}, {Layout::blocked({8, 48}, {Cut{0}, Cut{}})}});
  // Cuts off the first row, which is thin.
  RegionOperand above =
      operandOf(two, columns, {4, 96}, Layout::blocked({4, 96}, columns.cuts),
                shifted({-1, 0}), /*isPadded=*/true);
  BlockRegions blocks(two, columns, {4, 96}, {half, above});
  std::vector<BlockRegion> regions = blocks.find(32);
  check(two, columns, {4, 96}, blocks, regions);
  ASSERT_EQ(regions.size(), 2u);
  EXPECT_EQ(regions.front().sources[0].kind, RegionSource::Either);
  EXPECT_TRUE(regions.front().sources[0].beyond.all());
}

// Half of the rows are read behind the others: one device reads one operand,
// and one the other.
TEST(BlockRegionsTest, BlocksApart) {
  DeviceGrid two = DeviceGrid::ofPrimes(2);
  Partition rows{{Cut{0}, Cut{}}};
  std::vector<RegionOperand> operands;
  for (int64_t shift : {48, -48}) {
    Projection read = shifted({shift, 0});
    RegionOperand &operand = operands.emplace_back();
    operand.isPadded = true;
    operand.pieces.push_back(
        {read, {96, 5}, {Layout::ofProjection(read, {96, 5}, rows, {96, 5})}});
  }
  std::vector<BlockRegion> alike =
      BlockRegions(two, rows, {96, 5}, operands).find(32);
  ASSERT_EQ(alike.size(), 1u);
  EXPECT_FALSE(alike.front().isServed());
  BlockRegions blocks(two, rows, {96, 5}, operands, /*separates=*/true);
  std::vector<BlockRegion> regions = blocks.find(32);
  check(two, rows, {96, 5}, blocks, regions);
  ASSERT_EQ(regions.size(), 2u);
  for (const BlockRegion &region : regions)
    EXPECT_TRUE(region.isServed());
}

// Rows 20 to 59 are chosen of one tensor, those around them of another, which
// devices have at these alone.
TEST(BlockRegionsTest, WhatIsNotRead) {
  for (int64_t devices : {1, 2, 3, 5, 8}) {
    DeviceGrid grid = DeviceGrid::ofPrimes(devices);
    Partition rows{{Cut{}, Cut{}}};
    for (unsigned axis = 0; axis < grid.axes.size(); ++axis)
      rows.cuts[0].push_back(axis);
    Projection read = shifted({0, 0});
    ZBox inner = {{20, 60}, {0, 5}};
    RegionOperand chosen, other;
    chosen.pieces.push_back(
        {read,
         {96, 5},
         {Layout::ofProjection(read, {96, 5}, rows, {96, 5}, inner)},
         inner});
    other.pieces.push_back(
        {read, {96, 5}, {Layout::blocked({96, 5}, rows.cuts)}});
    BlockRegions blocks(grid, rows, {96, 5}, {chosen, other},
                        /*separates=*/true);
    std::vector<BlockRegion> regions = blocks.find(32);
    check(grid, rows, {96, 5}, blocks, regions);
    for (const BlockRegion &region : regions)
      EXPECT_TRUE(region.isServed());
  }
}

TEST(BlockRegionsTest, AnyWindows) {
  std::mt19937 random(7);
  auto upTo = [&](int64_t last) {
    return std::uniform_int_distribution<int64_t>(0, last)(random);
  };
  for (int round = 0; round < 400; ++round) {
    DeviceGrid grid = DeviceGrid::ofPrimes(1 + upTo(7));
    Partition partition;
    partition.cuts.resize(2);
    for (unsigned axis = 0; axis < grid.axes.size(); ++axis)
      partition.cuts[upTo(1)].push_back(axis);
    llvm::SmallVector<int64_t> shape = {1 + upTo(30), 1 + upTo(30)};
    llvm::SmallVector<int64_t> extents = {shape[0], shape[1]};
    bool isPadded = upTo(1) == 0;
    int64_t less = isPadded ? 0 : 2;
    for (int64_t &extent : extents)
      extent = std::max<int64_t>(1, extent - less);
    Layout held = Layout::blocked(shape, partition.cuts);
    std::vector<RegionOperand> operands;
    for (int64_t number = upTo(3); number >= 0; --number) {
      Projection read = shifted({upTo(2), upTo(2)});
      for (auto [dim, extent] : llvm::zip_equal(read.dims, extents)) {
        if (isPadded)
          dim.constant -= 1 + upTo(2);
        else
          dim.constant =
              std::min(dim.constant, shape[&dim - read.dims.begin()] - extent);
      }
      operands.push_back(
          operandOf(grid, partition, extents, held, read, isPadded));
    }
    BlockRegions blocks(grid, partition, extents, operands);
    for (size_t limit : {1, 8, 64})
      check(grid, partition, extents, blocks, blocks.find(limit));
  }
}

// Rows 0, 2, 4, ... before rows 1, 3, 5, ..., and rows from the last on.
TEST(BlockRegionsTest, StridesAndMirrors) {
  for (int64_t devices : {1, 2, 3, 5, 8}) {
    DeviceGrid grid = DeviceGrid::ofPrimes(devices);
    Partition rows{{Cut{}, Cut{}}};
    for (unsigned axis = 0; axis < grid.axes.size(); ++axis)
      rows.cuts[0].push_back(axis);
    std::vector<RegionOperand> operands;
    for (auto [step, start, first, behind] :
         {std::tuple(2, 0, 0, 49), {2, -97, 49, 80}, {-1, 96, 80, 97}}) {
      Projection read = shifted({start, 0});
      read.dims[0].terms[0].coefficient = step;
      ZBox guard = {{first, behind}, {0, 5}};
      RegionOperand &operand = operands.emplace_back();
      operand.isPadded = true;
      operand.pieces.push_back(
          {read,
           {97, 5},
           {Layout::ofProjection(read, {97, 5}, rows, {97, 5}, guard)},
           guard});
    }
    BlockRegions blocks(grid, rows, {97, 5}, operands, /*separates=*/true);
    std::vector<BlockRegion> regions = blocks.find(32);
    check(grid, rows, {97, 5}, blocks, regions);
    EXPECT_EQ(regions.size(), 3u) << devices;
    for (const BlockRegion &region : regions)
      EXPECT_TRUE(region.isServed());
  }
}

TEST(BlockRegionsTest, AnySteps) {
  std::mt19937 random(11);
  auto upTo = [&](int64_t last) {
    return std::uniform_int_distribution<int64_t>(0, last)(random);
  };
  for (int round = 0; round < 300; ++round) {
    DeviceGrid grid = DeviceGrid::ofPrimes(1 + upTo(7));
    Partition partition;
    partition.cuts.resize(2);
    for (unsigned axis = 0; axis < grid.axes.size(); ++axis)
      partition.cuts[upTo(1)].push_back(axis);
    llvm::SmallVector<int64_t> extents = {1 + upTo(30), 1 + upTo(30)};
    llvm::SmallVector<int64_t> shape = {1 + upTo(60), 1 + upTo(60)};
    std::vector<RegionOperand> operands;
    for (int64_t number = upTo(2); number >= 0; --number) {
      Projection read = shifted({upTo(80) - 20, upTo(80) - 20});
      for (ProjectionDim &dim : read.dims)
        dim.terms[0].coefficient = (upTo(1) ? 1 : -1) * (1 + upTo(2));
      // What they read, or parts of it that end anywhere.
      Layout held = upTo(1)
                        ? Layout::ofProjection(read, extents, partition, shape)
                        : Layout::blocked(shape, partition.cuts);
      RegionOperand &operand = operands.emplace_back();
      operand.isPadded = true;
      operand.pieces.push_back({read, shape, {held}});
    }
    for (bool separates : {false, true}) {
      BlockRegions blocks(grid, partition, extents, operands, separates);
      for (size_t limit : {1, 8, 64})
        check(grid, partition, extents, blocks, blocks.find(limit));
    }
  }
}

} // namespace

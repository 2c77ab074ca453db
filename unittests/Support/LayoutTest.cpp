//===- LayoutTest.cpp - Grids, cuts and layouts ---------------------------===//

#include "tapestry/Support/Layout.h"
#include "gtest/gtest.h"

using namespace tapestry;

namespace {

TEST(GridTest, PrimeFactorsBecomeAxes) {
  DeviceGrid grid = DeviceGrid::ofPrimes(12);
  ASSERT_EQ(grid.axes.size(), 3u);
  EXPECT_EQ(grid.axes[2].name, "d.2");
  EXPECT_EQ(grid.axes[2].size, 3);
  EXPECT_EQ(grid.numDevices(), 12);
  // 7 = (1, 0, 1) in radices 2, 2, 3.
  EXPECT_EQ(grid.coordinate(7, 0), 1);
  EXPECT_EQ(grid.coordinate(7, 1), 0);
  EXPECT_EQ(grid.coordinate(7, 2), 1);
  EXPECT_TRUE(DeviceGrid::ofPrimes(1).axes.empty());
  EXPECT_EQ(primeFactors(97), (llvm::SmallVector<int64_t>{97}));
}

TEST(GridTest, AxesAreChecked) {
  auto grid = DeviceGrid::ofAxes({{"node", 2}, {"gpu", 4}});
  ASSERT_TRUE(bool(grid));
  EXPECT_EQ(grid->numDevices(), 8);
  auto refusal = [&](DeviceGrid::Axis axis) {
    DeviceGrid wider = *grid;
    std::string text;
    llvm::handleAllErrors(wider.add(axis), [&](const GridError &error) {
      text = (error.isNamedTwice() ? "twice: " : "") + error.sizes() + ": ";
      text += error.getText();
    });
    EXPECT_EQ(wider, *grid);
    return text;
  };
  EXPECT_EQ(refusal({"gpu", 2}), "twice: 2 devices beside 8 of the axes before "
                                 "it: axis 'gpu' is named twice");
  EXPECT_EQ(refusal({"rack", 0}),
            "0 devices beside 8 of the axes before it: axis 'rack' has 0 "
            "devices beside 8 of the axes before it; a grid has 1 to 1048576 "
            "devices");
  EXPECT_NE(refusal({"rack", maxDevices / 8 + 1}), "");
  EXPECT_FALSE(bool(grid->add({"rack", maxDevices / 8})));
  EXPECT_EQ(grid->numDevices(), maxDevices);
}

TEST(CutTest, LastBlocksAreSmallerOrEmpty) {
  EXPECT_EQ(blockRange(5, 4, 0), (ZRange{0, 2}));
  EXPECT_EQ(blockRange(5, 4, 2), (ZRange{4, 5}));
  EXPECT_TRUE(blockRange(5, 4, 3).empty());
}

TEST(LayoutTest, AxisOrderIsMajorToMinor) {
  DeviceGrid grid = DeviceGrid::ofPrimes(6); // d.0 = 2, d.1 = 3
  Layout layout = Layout::blocked({12}, {Cut{1, 0}});
  // Device 5 = (1, 2): part 2 * 2 + 1 = 5.
  EXPECT_EQ(layout.box(grid, 5), (ZBox{{10, 12}}));
  EXPECT_EQ(layout.box(grid, 2), (ZBox{{8, 10}}));
}

TEST(LayoutTest, WindowsHaveHalosAndPaddingIsClipped) {
  DeviceGrid grid = DeviceGrid::ofPrimes(2);
  Projection window; // y + r - 1
  window.dims.resize(1);
  window.dims[0].terms = {{0, 1}, {1, 1}};
  window.dims[0].constant = -1;
  Partition partition{{Cut{0}, Cut{}}};
  Layout layout = Layout::ofProjection(window, {10, 3}, partition, {10});
  EXPECT_FALSE(layout.isPlain());
  EXPECT_EQ(layout.imageBox(grid, 0), (ZBox{{-1, 6}}));
  EXPECT_EQ(layout.box(grid, 0), (ZBox{{0, 6}}));
  EXPECT_EQ(layout.box(grid, 1), (ZBox{{4, 10}}));
  EXPECT_EQ(uniformExtent(grid, layout.dims[0]), 6);
}

TEST(LayoutTest, WindowThatReadsEverythingIsPlain) {
  Projection window;
  window.dims.resize(1);
  window.dims[0].terms = {{0, 1}, {1, 1}};
  Layout layout =
      Layout::ofProjection(window, {8, 3}, Partition{{Cut{}, Cut{}}}, {10});
  EXPECT_EQ(layout, Layout::replicated({10}));
}

TEST(LayoutTest, OneDeviceHoldsTheWhole) {
  for (int64_t devices : {1, 2, 3, 5, 6, 8}) {
    DeviceGrid grid = DeviceGrid::ofPrimes(devices);
    for (int64_t device = 0; device < devices; ++device) {
      Layout layout = Layout::onDevice(grid, {7, 1}, device);
      EXPECT_TRUE(layout.isDisjoint());
      EXPECT_EQ(layout.isPlain(), devices == 1);
      EXPECT_EQ(layout.shape(), (llvm::SmallVector<int64_t>{7, 1}));
      for (int64_t other = 0; other < devices; ++other) {
        ZBox box = layout.box(grid, other);
        EXPECT_EQ(isEmpty(box), other != device);
        if (other == device)
          EXPECT_EQ(box, boxOfShape({7, 1}));
        EXPECT_TRUE(layout.isOwner(grid, other));
      }
    }
  }
  EXPECT_EQ(Layout::onDevice(DeviceGrid(), {7}, 0), Layout::replicated({7}));
}

TEST(LayoutTest, OnlyOneCoordinateIsAnAnchor) {
  DeviceGrid grid = DeviceGrid::ofPrimes(6);
  // Rows over the axis of two, at one coordinate of that of three.
  Layout layout = Layout::blocked({7, 9}, {Cut{0}, Cut{}});
  layout.dims[1].terms.push_back({0, 3, Cut{1}, ZRange{2, 3}});
  EXPECT_TRUE(layout.isDisjoint());
  EXPECT_FALSE(layout.isPlain());
  EXPECT_EQ(layout.box(grid, 5), (ZBox{{4, 7}, {0, 9}}));
  EXPECT_TRUE(isEmpty(layout.box(grid, 4)));
  EXPECT_EQ(layout.dims[0].cut(), llvm::ArrayRef<unsigned>(Cut{0}));
  // Two hold it, so that neither is who serves.
  Layout two = layout;
  two.dims[1].terms[1].within = ZRange{1, 3};
  EXPECT_FALSE(two.isDisjoint());
  Layout shifted = layout;
  shifted.dims[1].terms[1].coefficient = 1;
  EXPECT_FALSE(shifted.isDisjoint());
  // Devices of the diagonal alone hold a block.
  Layout diagonal = layout;
  diagonal.dims[1].terms[1].cut = {0};
  EXPECT_FALSE(diagonal.isDisjoint());
}

TEST(LayoutTest, OwnersStandForTheirPartOnce) {
  DeviceGrid grid = DeviceGrid::ofPrimes(8);
  Layout layout = Layout::blocked({7, 9}, {Cut{2}, Cut{0}});
  std::vector<ZBox> owned;
  for (int64_t device = 0; device < 8; ++device)
    if (layout.isOwner(grid, device))
      owned.push_back(layout.box(grid, device));
  EXPECT_EQ(owned.size(), 4u);
  EXPECT_FALSE(findCoverageFault(boxOfShape({7, 9}), owned));
}

} // namespace

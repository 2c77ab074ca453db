//===- ReshardingCostTest.cpp - Properties of what moves cost -------------===//
//
// On random shapes (uneven and prime extents), grids of two or three axes with
// links that differ, all plain layouts: prices are never negative, nothing
// costs nothing, detours never pay, more bytes and slower links never cost
// less.
//
//===----------------------------------------------------------------------===//

#include "../../../../lib/Planner/Cost/Seconds/ReshardingTable.h"
#include "tapestry/Planner/Cost/RecountMoves.h"
#include "tapestry/Planner/Cost/Seconds/SpmdCost.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <cmath>
#include <random>

using namespace tapestry;
using namespace tapestry::cost::seconds;
using namespace tapestry::machine;

namespace {

/// A random grid, links for its axes and a shape.
struct Scene {
  explicit Scene(unsigned seed) : random(seed) {
    unsigned count = 2 + seed % 2;
    for (unsigned axis = 0; axis < count; ++axis) {
      std::string name(1, char('a' + axis));
      int64_t size = std::vector<int64_t>{2, 2, 3, 5}[random() % 4];
      grid.axes.push_back({name, size});
      machine.axes.push_back(
          {name, size, {logUniform(1e8, 1e12), logUniform(1e-7, 1e-4)}});
    }
    machine.memoryBandwidth = logUniform(1e9, 1e12);
    machine.otherLink = {1e9, 1e-5};
    for (unsigned dim = 0; dim < 1 + random() % 2; ++dim)
      shape.push_back(1 + random() % 40);
  }

  double logUniform(double least, double most) {
    std::uniform_real_distribution<double> exponent(std::log(least),
                                                    std::log(most));
    return std::exp(exponent(random));
  }

  /// Every plain layout: each axis nowhere, or at any place of some dimension's
  /// cut.
  std::vector<Layout> layouts() const {
    std::vector<llvm::SmallVector<Cut>> cuts = {
        llvm::SmallVector<Cut>(shape.size())};
    for (unsigned axis = 0; axis < grid.axes.size(); ++axis) {
      std::vector<llvm::SmallVector<Cut>> wider = cuts;
      for (const llvm::SmallVector<Cut> &cut : cuts)
        for (unsigned dim = 0; dim < shape.size(); ++dim)
          for (unsigned place = 0; place <= cut[dim].size(); ++place) {
            wider.push_back(cut);
            Cut &changed = wider.back()[dim];
            changed.insert(changed.begin() + place, axis);
          }
      cuts = std::move(wider);
    }
    std::vector<Layout> result;
    for (const llvm::SmallVector<Cut> &cut : cuts)
      result.push_back(Layout::blocked(shape, cut));
    return result;
  }

  /// Partial values over some axes, else uncut.
  Layout partialOver(Cut axes) const {
    Layout layout = Layout::replicated(shape);
    layout.partial = std::move(axes);
    return layout;
  }

  double direct(const Layout &from, const Layout &to, int64_t bytes) const {
    return collectiveSeconds(planResharding(grid, from, to), grid, machine,
                             bytes);
  }

  std::mt19937 random;
  DeviceGrid grid;
  Machine machine;
  llvm::SmallVector<int64_t> shape;
};

/// Sums of the same terms in another order.
constexpr double rounding = 1 + 1e-6;

class ReshardingCost : public ::testing::TestWithParam<unsigned> {};

TEST_P(ReshardingCost, RoutedPricesAreAMetricWithoutSymmetry) {
  Scene scene(GetParam());
  ReshardingCostCache costs(scene.grid);
  std::vector<Layout> layouts = scene.layouts();
  ReshardingTable table(scene.grid, scene.machine, costs, layouts, 4);
  ASSERT_EQ(table.size(), layouts.size());
  ASSERT_GT(layouts.size(), 4u);
  unsigned detours = 0;
  for (unsigned a = 0; a < layouts.size(); ++a) {
    EXPECT_EQ(table.seconds(a, a), 0);
    for (unsigned b = 0; b < layouts.size(); ++b) {
      EXPECT_GE(table.seconds(a, b), 0);
      double straight = scene.direct(layouts[a], layouts[b], 4);
      EXPECT_GE(straight, 0);
      EXPECT_LE(table.seconds(a, b), straight * rounding);
      detours += table.seconds(a, b) < straight / rounding;
      for (unsigned c = 0; c < layouts.size(); ++c)
        EXPECT_LE(table.seconds(a, c),
                  (table.seconds(a, b) + table.seconds(b, c)) * rounding)
            << a << " over " << b << " to " << c;
    }
  }
  RecordProperty("detours", static_cast<int>(detours));
}

TEST_P(ReshardingCost, MovesAreCountedAgainTheSame) {
  Scene scene(GetParam());
  std::vector<Layout> layouts = scene.layouts();
  std::shuffle(layouts.begin(), layouts.end(), scene.random);
  layouts.resize(std::min<size_t>(layouts.size(), 12));
  int64_t devices = scene.grid.numDevices();
  for (int64_t device : {int64_t(0), devices / 2, devices - 1})
    layouts.push_back(Layout::onDevice(scene.grid, scene.shape, device));
  for (const Layout &from : layouts)
    for (const Layout &to : layouts) {
      Collective planned = planResharding(scene.grid, from, to);
      Collective counted = cost::countMove(scene.grid, from, to);
      EXPECT_EQ(planned.kind, counted.kind);
      EXPECT_EQ(planned.axes, counted.axes);
      EXPECT_EQ(planned.groupSize, counted.groupSize);
      EXPECT_EQ(planned.elements, counted.elements);
      EXPECT_EQ(planned.mostReceived, counted.mostReceived);
    }
}

TEST_P(ReshardingCost, APriceIsWhatItsRouteCosts) {
  Scene scene(GetParam());
  ReshardingCostCache costs(scene.grid);
  std::vector<Layout> layouts = scene.layouts();
  ReshardingTable table(scene.grid, scene.machine, costs, layouts, 4);
  for (unsigned a = 0; a < layouts.size(); ++a)
    for (unsigned b = 0; b < layouts.size(); ++b) {
      Route route;
      table.appendRoute(a, b, route);
      double seconds = 0;
      Layout at = layouts[a];
      route.push_back(layouts[b]);
      for (const Layout &stop : route) {
        if (at != stop)
          seconds += scene.direct(at, stop, 4);
        at = stop;
      }
      EXPECT_NEAR(table.seconds(a, b), seconds, 1e-6 * seconds + 1e-15);
    }
}

TEST_P(ReshardingCost, MoreBytesNeverCostLess) {
  Scene scene(GetParam());
  std::vector<Layout> layouts = scene.layouts();
  for (const Layout &from : layouts)
    for (const Layout &to : layouts) {
      double before = 0;
      for (int64_t bytes : {1, 2, 4, 8}) {
        double seconds = scene.direct(from, to, bytes);
        EXPECT_GE(seconds * rounding, before);
        before = seconds;
      }
    }
}

TEST_P(ReshardingCost, SlowerLinksNeverCostLess) {
  Scene scene(GetParam());
  Scene slower(GetParam());
  slower.machine.axes.front().link.bandwidth /= 3;
  slower.machine.axes.back().link.latency *= 2;
  std::vector<Layout> layouts = scene.layouts();
  for (const Layout &from : layouts)
    for (const Layout &to : layouts)
      EXPECT_LE(scene.direct(from, to, 4),
                slower.direct(from, to, 4) * rounding);
}

TEST_P(ReshardingCost, ReductionsGrowWithTheirBytes) {
  Scene scene(GetParam());
  for (Cut axes : {Cut{0}, Cut{1}, Cut{0, 1}}) {
    double before = 0;
    // Across the limit between tree and ring.
    for (int64_t extent = 1; extent < 20000; extent += 1 + extent / 3) {
      scene.shape = {extent};
      Layout whole = Layout::replicated(scene.shape);
      double all = scene.direct(scene.partialOver(axes), whole, 4);
      EXPECT_GE(all * rounding, before) << extent;
      before = all;
      Layout shared = Layout::blocked(scene.shape, {axes});
      double scattered = scene.direct(scene.partialOver(axes), shared, 4);
      EXPECT_GE(scattered, 0);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, ReshardingCost, ::testing::Range(1u, 25u));

/// The limit itself: the largest tree and the smallest ring of every group.
TEST(ReductionCost, NoStepDownFromTreeToRing) {
  Machine machine;
  machine.memoryBandwidth = 1e10;
  for (Link link : {Link{1e9, 0}, Link{1e9, 1e-4}, Link{1e12, 1e-6}}) {
    machine.otherLink = link;
    for (int64_t devices = 2; devices <= 16; ++devices) {
      DeviceGrid grid;
      grid.axes.push_back({"d", devices});
      double before = 0;
      for (int64_t extent = smallAllReduceBytes / 4 - 3;
           extent < smallAllReduceBytes / 4 + 3; ++extent) {
        Layout partial = Layout::replicated({extent});
        partial.partial = {0};
        double seconds = collectiveSeconds(
            planResharding(grid, partial, Layout::replicated({extent})), grid,
            machine, 4);
        EXPECT_GE(seconds * rounding, before)
            << devices << " devices, " << extent << " elements";
        before = seconds;
      }
    }
  }
}

} // namespace

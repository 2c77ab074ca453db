//===- ReshardingTest.cpp - Collectives between layouts -------------------===//

#include "tapestry/Support/Resharding.h"
#include "tapestry/Support/ReshardingCostCache.h"
#include "gtest/gtest.h"
#include <random>

using namespace tapestry;

namespace {

const DeviceGrid eight = DeviceGrid::ofPrimes(8);

TEST(ReshardingTest, GatherSliceExchange) {
  Layout rows = Layout::blocked({16, 8}, {Cut{0, 1, 2}, Cut{}});
  Layout half = Layout::blocked({16, 8}, {Cut{0, 1}, Cut{}});
  Layout cols = Layout::blocked({16, 8}, {Cut{0, 1}, Cut{2}});

  Collective gather = planResharding(eight, rows, half);
  EXPECT_EQ(gather.kind, CollectiveKind::AllGather);
  EXPECT_EQ(gather.axes, (Cut{2}));
  EXPECT_EQ(gather.groupSize, 2);
  // Every device fetches two rows of 8.
  EXPECT_EQ(gather.elements, 8 * 2 * 8);

  EXPECT_EQ(planResharding(eight, half, rows).kind, CollectiveKind::Slice);
  EXPECT_EQ(planResharding(eight, rows, rows).kind, CollectiveKind::None);

  Collective exchange = planResharding(eight, rows, cols);
  EXPECT_EQ(exchange.kind, CollectiveKind::AllToAll);
  EXPECT_EQ(exchange.axes, (Cut{2}));
  EXPECT_EQ(exchange.elements, 8 * 2 * 4);
}

TEST(ReshardingTest, PermutesAndHalos) {
  DeviceGrid four = DeviceGrid::ofPrimes(4);
  auto kind = [&](const Layout &from, const Layout &to) {
    return planResharding(four, from, to).kind;
  };
  Layout inner = Layout::blocked({8}, {Cut{0, 1}});
  Layout outer = Layout::blocked({8}, {Cut{1, 0}});
  EXPECT_EQ(kind(inner, outer), CollectiveKind::CollectivePermute);
  // A part of what one other device has is whole enough.
  EXPECT_EQ(kind(Layout::blocked({8}, {Cut{0}}), outer),
            CollectiveKind::CollectivePermute);
  // Windows of three around blocks of two: one element on each side.
  auto window = [](int64_t constant) {
    ProjectionDim dim;
    dim.terms.push_back({0, 1});
    dim.constant = constant;
    dim.size = 3;
    return Projection{{dim}};
  };
  Partition rows{{Cut{0, 1}}};
  Layout halo = Layout::ofProjection(window(-1), {8}, rows, {8}, {});
  EXPECT_EQ(kind(inner, halo), CollectiveKind::HaloExchange);
  // Starting two later, devices drop what they have.
  Layout later = Layout::ofProjection(window(2), {6}, rows, {8}, {});
  EXPECT_EQ(kind(inner, later), CollectiveKind::AllToAll);
}

TEST(ReshardingTest, UnevenBlocksDoNotNest) {
  DeviceGrid four = DeviceGrid::ofPrimes(4);
  // 2, 2, 1, 0 rows to 3, 2: rank (1, *) needs row 3 of rank (0, 1).
  Layout fine = Layout::blocked({5}, {Cut{0, 1}});
  Layout coarse = Layout::blocked({5}, {Cut{0}});
  Collective result = planResharding(four, fine, coarse);
  EXPECT_EQ(result.kind, CollectiveKind::AllToAll);
  EXPECT_EQ(result.axes, (Cut{0, 1}));
  EXPECT_EQ(result.elements, 1 + 2 + 1 + 2);
}

TEST(ReshardingTest, Reductions) {
  Layout partial = Layout::blocked({16, 8}, {Cut{0}, Cut{}});
  partial.partial = {1, 2};
  Layout reduced = Layout::blocked({16, 8}, {Cut{0}, Cut{}});
  Collective all = planResharding(eight, partial, reduced);
  EXPECT_EQ(all.kind, CollectiveKind::AllReduce);
  EXPECT_EQ(all.groupSize, 4);
  EXPECT_EQ(all.elements, 2 * (2 * 3 * 64));

  Layout scattered = Layout::blocked({16, 8}, {Cut{0}, Cut{2, 1}});
  EXPECT_TRUE(canReduceScatter(eight, partial, scattered));
  Collective scatter = planResharding(eight, partial, scattered);
  EXPECT_EQ(scatter.kind, CollectiveKind::ReduceScatter);
  EXPECT_EQ(scatter.elements, 2 * (3 * 64));
  // Another device's rows are not there to be scattered.
  EXPECT_FALSE(canReduceScatter(eight, partial,
                                Layout::blocked({16, 8}, {Cut{1}, Cut{2, 0}})));
}

TEST(ReshardingTest, WhatOneDeviceHasItSendsAndWhatItGetsComesFromAll) {
  Layout one = Layout::onDevice(eight, {13, 8}, 5);
  Layout rows = Layout::blocked({13, 8}, {Cut{0, 1, 2}, Cut{}});
  Layout whole = Layout::replicated({13, 8});
  Collective scatter = planResharding(eight, one, rows);
  EXPECT_EQ(scatter.kind, CollectiveKind::CollectivePermute);
  EXPECT_EQ(scatter.axes, (Cut{0, 1, 2}));
  // Blocks of two rows, the fifth of which stays; all that moves it sends.
  EXPECT_EQ(scatter.elements, (13 - 2) * 8);
  EXPECT_EQ(scatter.mostReceived, (13 - 2) * 8);
  Collective broadcast = planResharding(eight, one, whole);
  EXPECT_EQ(broadcast.kind, CollectiveKind::CollectivePermute);
  EXPECT_EQ(broadcast.elements, 7 * 13 * 8);
  EXPECT_EQ(broadcast.mostReceived, 7 * 13 * 8);
  Collective gather = planResharding(eight, rows, one);
  EXPECT_EQ(gather.kind, CollectiveKind::AllToAll);
  EXPECT_EQ(gather.elements, (13 - 2) * 8);
  EXPECT_EQ(gather.mostReceived, (13 - 2) * 8);
  EXPECT_EQ(planResharding(eight, whole, one).kind, CollectiveKind::Slice);
  Collective onward =
      planResharding(eight, one, Layout::onDevice(eight, {13, 8}, 4));
  EXPECT_EQ(onward.kind, CollectiveKind::CollectivePermute);
  EXPECT_EQ(onward.axes, (Cut{2}));
  EXPECT_EQ(onward.elements, 13 * 8);
  // Partial values of all devices are combined on one.
  Layout partial = whole;
  partial.partial = {0, 1, 2};
  EXPECT_TRUE(canReduceScatter(eight, partial, one));
  partial.partial = {1, 2};
  EXPECT_FALSE(canReduceScatter(eight, partial, one));
}

/// The claimed traffic against a count of single cells, served as documented.
TEST(ReshardingTest, ElementsAgreeWithCountingCells) {
  std::mt19937 random(11);
  auto randomLayout = [&](const DeviceGrid &grid, int64_t rows, int64_t cols) {
    llvm::SmallVector<Cut> cuts(2);
    for (unsigned axis = 0; axis < grid.axes.size(); ++axis)
      if (unsigned where = random() % 3; where < 2)
        cuts[where].insert(
            cuts[where].begin() + random() % (cuts[where].size() + 1), axis);
    Layout layout = Layout::blocked({rows, cols}, cuts);
    // Of axes that are left, some hold it at one coordinate alone.
    for (unsigned axis : layout.replicatedAxes(grid))
      if (int64_t size = grid.axes[axis].size; random() % 4 == 0) {
        int64_t place = random() % size;
        layout.dims[random() % 2].terms.push_back(
            {0, size, Cut{axis}, ZRange{place, place + 1}});
      }
    return layout;
  };
  for (int round = 0; round < 500; ++round) {
    DeviceGrid grid = DeviceGrid::ofPrimes(1 + random() % 12);
    int64_t rows = 1 + random() % 9, cols = 1 + random() % 9;
    Layout from = randomLayout(grid, rows, cols);
    Layout to = randomLayout(grid, rows, cols);
    int64_t sent = 0;
    auto holds = [&](const Layout &l, int64_t device, int64_t i, int64_t j) {
      ZBox box = l.box(grid, device);
      return box[0].lo <= i && i < box[0].hi && box[1].lo <= j && j < box[1].hi;
    };
    for (int64_t device = 0; device < grid.numDevices(); ++device)
      for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < cols; ++j) {
          if (!holds(to, device, i, j) || holds(from, device, i, j))
            continue;
          ++sent;
          int64_t servers = 0;
          for (int64_t holder = 0; holder < grid.numDevices(); ++holder)
            if (holds(from, holder, i, j))
              servers = std::max<int64_t>(
                  servers,
                  holds(from, servingDevice(grid, from, holder, device), i, j));
          EXPECT_EQ(servers, 1) << "no replica serves the cell";
        }
    EXPECT_EQ(planResharding(grid, from, to).elements, sent);
  }
}

/// In how many dimensions a point of `box` is outside of `cores`; nothing
/// outside of the box.
std::optional<unsigned> outsideOf(const ZBox &box, const ZBox &cores,
                                  llvm::ArrayRef<int64_t> point) {
  unsigned outside = 0;
  for (unsigned dim = 0; dim < box.size(); ++dim) {
    ZRange at{point[dim], point[dim] + 1};
    if (!box[dim].contains(at))
      return std::nullopt;
    outside += !cores[dim].contains(at);
  }
  return outside;
}

/// The corners of crosses against a count of single cells. Their fragments hold
/// the others, each once.
TEST(ReshardingTest, CornersOfCrossesStayWhereTheyAre) {
  std::mt19937 random(13);
  int64_t left = 0;
  for (int round = 0; round < 400; ++round) {
    DeviceGrid grid = DeviceGrid::ofPrimes(1 + random() % 8);
    unsigned rank = 2 + random() % 2;
    Partition partition;
    partition.cuts.resize(rank);
    for (unsigned axis = 0; axis < grid.axes.size(); ++axis)
      partition.cuts[random() % rank].push_back(axis);
    llvm::SmallVector<int64_t> shape, extents;
    Projection read;
    for (unsigned label = 0; label < rank; ++label) {
      shape.push_back(3 + random() % 9);
      ProjectionDim &dim = read.dims.emplace_back();
      dim.arms = {int64_t(random() % 3), int64_t(random() % 3)};
      dim.size = dim.arms.before + dim.arms.behind + 1 + random() % 2;
      dim.constant = int64_t(random() % 3) - 1;
      dim.terms.push_back({label, 1});
      extents.push_back(
          std::max<int64_t>(1, shape[label] - int64_t(random() % 3)));
    }
    Layout from = Layout::blocked(shape, partition.cuts);
    Layout to = Layout::ofProjection(read, extents, partition, shape);
    Layout cores = Layout::ofProjection(read.core(), extents, partition, shape);
    int64_t sent = 0;
    for (int64_t device = 0; device < grid.numDevices(); ++device) {
      ZBox box = to.box(grid, device), own = from.box(grid, device);
      ZBox core = to.isCross() ? cores.box(grid, device) : box;
      std::vector<ZBox> fragments = to.fragments(grid, device);
      llvm::SmallVector<int64_t> point(rank, 0);
      for (bool more = true; more;) {
        auto outside = outsideOf(box, core, point);
        bool isRead = outside.value_or(2) < 2;
        int64_t within = 0;
        for (const ZBox &fragment : fragments)
          within += outsideOf(fragment, fragment, point).has_value();
        EXPECT_EQ(within, isRead);
        left += outside.value_or(0) > 1;
        sent += isRead && !outsideOf(own, own, point);
        unsigned dim = 0;
        while (dim < rank && ++point[dim] == shape[dim])
          point[dim++] = 0;
        more = dim < rank;
      }
    }
    EXPECT_EQ(planResharding(grid, from, to).elements, sent);
    ReshardingCostCache costs(grid);
    EXPECT_EQ(costs.elementsMoved(costs.idOf(from), costs.idOf(to)), sent);
  }
  EXPECT_GT(left, 10000);
}

} // namespace

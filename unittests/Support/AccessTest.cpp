//===- AccessTest.cpp - Pieces of accesses against enumeration ------------===//

#include "tapestry/Support/Access.h"
#include "tapestry/Support/Layout.h"
#include "gtest/gtest.h"
#include <map>
#include <random>
#include <set>

using namespace tapestry;

namespace {

/// Calls `visit` for every point of a box.
void forEachPoint(llvm::ArrayRef<ZRange> box,
                  llvm::function_ref<void(llvm::ArrayRef<int64_t>)> visit) {
  llvm::SmallVector<int64_t> point;
  auto descend = [&](auto &&self) -> void {
    if (point.size() == box.size())
      return visit(point);
    ZRange range = box[point.size()];
    for (int64_t x = range.lo; x < range.hi; ++x) {
      point.push_back(x);
      self(self);
      point.pop_back();
    }
  };
  descend(descend);
}

/// By the definition: floor division and a remainder in [0, m).
int64_t startAt(const ProjectionDim &dim, llvm::ArrayRef<int64_t> point) {
  int64_t value = dim.constant;
  for (const AffineTerm &term : dim.terms)
    value += term.coefficient * point[term.dim];
  int64_t start = 0;
  while (start * dim.floordiv > value)
    --start;
  while ((start + 1) * dim.floordiv <= value)
    ++start;
  if (dim.mod == 0)
    return start;
  return ((start % dim.mod) + dim.mod) % dim.mod;
}

/// All coordinates that the points of `box` touch in a dimension.
std::set<int64_t> touched(const ProjectionDim &dim,
                          llvm::ArrayRef<ZRange> box) {
  std::set<int64_t> result;
  forEachPoint(box, [&](llvm::ArrayRef<int64_t> point) {
    for (int64_t k = 0; k < dim.size; ++k)
      result.insert(startAt(dim, point) + k * dim.stride);
  });
  return result;
}

class AccessTest : public ::testing::Test {
protected:
  int64_t pick(int64_t lo, int64_t hi) {
    return std::uniform_int_distribution<int64_t>(lo, hi)(random);
  }
  ZRange pickWithin(int64_t extent) {
    int64_t lo = pick(0, extent - 1);
    return {lo, pick(lo + 1, extent)};
  }
  /// An access of an index space of these extents to a tensor of rank 1 or 2.
  Access pickAccess(llvm::ArrayRef<int64_t> extents) {
    Access access;
    for (int64_t dims = pick(1, 2); dims > 0; --dims) {
      ProjectionDim &dim = access.projection.dims.emplace_back();
      for (unsigned label = 0; label < extents.size(); ++label)
        if (int64_t coefficient = pick(-2, 2))
          dim.terms.push_back({label, coefficient});
      dim.constant = pick(-6, 6);
      dim.size = pick(1, 3);
      dim.stride = pick(1, 3);
      if (pick(0, 1)) {
        dim.floordiv = pick(1, 4);
        dim.mod = pick(0, 1) ? pick(1, 7) : 0;
      }
    }
    if (pick(0, 2))
      for (int64_t extent : extents)
        access.guard.push_back(pick(0, 1) ? pickWithin(extent)
                                          : ZRange{0, extent});
    return access;
  }

  std::mt19937 random{20261122};
};

TEST_F(AccessTest, ImagesAreTightUnlessTheyWrap) {
  unsigned wrapping = 0, linear = 0;
  for (int round = 0; round < 20000; ++round) {
    llvm::SmallVector<int64_t> extents = {pick(1, 5), pick(1, 5)};
    Access access = pickAccess(extents);
    ZBox block = {pickWithin(extents[0]), pickWithin(extents[1])};
    ZBox served = access.guarded(block);
    ZBox image = access.image(block);
    ASSERT_EQ(image.size(), access.projection.rank());
    for (auto [dim, range] : llvm::zip_equal(access.projection.dims, image)) {
      std::set<int64_t> exact = touched(dim, served);
      if (exact.empty()) {
        EXPECT_TRUE(range.empty());
        continue;
      }
      ZRange bounds = {*exact.begin(), *exact.rbegin() + 1};
      EXPECT_TRUE(range.contains(bounds));
      if (range == bounds) {
        linear += dim.isLinear();
        continue;
      }
      // What wraps around reads, as far as anyone knows, all of [0, m).
      EXPECT_NE(dim.mod, 0);
      EXPECT_EQ(range, (ZRange{0, dim.mod + (dim.size - 1) * dim.stride}));
      ++wrapping;
    }
  }
  EXPECT_GT(wrapping, 100u);
  EXPECT_GT(linear, 1000u);
}

TEST_F(AccessTest, LayoutsHoldWhatThePieceReads) {
  unsigned guardedAway = 0;
  for (int round = 0; round < 2000; ++round) {
    llvm::SmallVector<int64_t> extents = {pick(1, 6), pick(1, 6)};
    Access access = pickAccess(extents);
    DeviceGrid grid = DeviceGrid::ofPrimes(pick(1, 12));
    Partition partition;
    partition.cuts.resize(2);
    for (unsigned axis = 0; axis < grid.axes.size(); ++axis)
      if (int64_t label = pick(0, 2); label < 2)
        partition.cuts[label].push_back(axis);
    llvm::SmallVector<int64_t> shape;
    for (unsigned dim = 0; dim < access.projection.rank(); ++dim)
      shape.push_back(pick(1, 12));
    Layout layout = Layout::ofProjection(access.projection, extents, partition,
                                         shape, access.guard);
    Cut used = layout.usedAxes();
    for (int64_t device = 0; device < grid.numDevices(); ++device) {
      ZBox block = partition.block(grid, extents, device);
      ZBox expected = access.image(block);
      ZBox image = layout.imageBox(grid, device);
      ZBox held = layout.box(grid, device);
      // A layout knows nothing of labels that neither the projection nor the
      // guard names, so nor of their empty blocks.
      if (isEmpty(block))
        continue;
      if (isEmpty(expected)) {
        EXPECT_TRUE(isEmpty(image));
        EXPECT_TRUE(isEmpty(held));
        ++guardedAway;
      } else {
        EXPECT_EQ(image, expected);
        EXPECT_EQ(volume(held), volume(intersect(expected, boxOfShape(shape))));
      }
      // Axes that are not used tell no two devices apart.
      for (unsigned axis = 0; axis < grid.axes.size(); ++axis)
        if (!llvm::is_contained(used, axis)) {
          int64_t first =
              device - grid.coordinate(device, axis) * grid.strideOf(axis);
          EXPECT_EQ(isEmpty(held), isEmpty(layout.box(grid, first)));
          if (!isEmpty(held))
            EXPECT_EQ(held, layout.box(grid, first));
        }
    }
  }
  EXPECT_GT(guardedAway, 500u);
}

/// Pieces with disjoint guards read what a concatenation reads: together every
/// element of both tensors once.
TEST_F(AccessTest, PiecesOfAConcatenationCoverBothTensors) {
  for (int round = 0; round < 200; ++round) {
    int64_t first = pick(1, 9), second = pick(1, 9);
    DeviceGrid grid = DeviceGrid::ofPrimes(pick(1, 12));
    Cut cut;
    for (unsigned axis = 0; axis < grid.axes.size(); ++axis)
      cut.push_back(axis);
    Partition partition{{cut}};
    Access a{Projection::identity(1), {{0, first}}};
    Access b{Projection::identity(1), {{first, first + second}}};
    b.projection.dims[0].constant = -first;
    for (auto [piece, extent] : {std::pair(a, first), std::pair(b, second)}) {
      Layout layout = Layout::ofProjection(piece.projection, {first + second},
                                           partition, {extent}, piece.guard);
      std::vector<ZBox> boxes;
      for (int64_t device = 0; device < grid.numDevices(); ++device)
        boxes.push_back(layout.box(grid, device));
      EXPECT_FALSE(findCoverageFault(boxOfShape({extent}), boxes));
    }
  }
}

TEST_F(AccessTest, AGuardThatLeavesNothingOutChangesNothing) {
  Projection projection = Projection::identity(2);
  Partition partition{{Cut{0}, Cut{1}}};
  EXPECT_EQ(Layout::ofProjection(projection, {6, 4}, partition, {6, 4},
                                 ZBox{{0, 6}, {0, 4}}),
            Layout::ofProjection(projection, {6, 4}, partition, {6, 4}));
  EXPECT_FALSE(Layout::ofProjection(projection, {6, 4}, partition, {6, 4},
                                    ZBox{{0, 6}, {1, 4}})
                   .isPlain());
}

/// A write of random pieces: rows of strides, offsets and regions.
TEST_F(AccessTest, WriteFaultsAgreeWithCounting) {
  unsigned right = 0, wrong = 0;
  for (int round = 0; round < 4000; ++round) {
    // A step of m is written by m pieces that are m apart, then perhaps spoilt.
    int64_t step = pick(1, 3), rows = pick(1, 5), columns = pick(1, 4);
    llvm::SmallVector<int64_t> extents = {rows, columns, 3};
    llvm::SmallVector<int64_t> shape = {step * rows, columns};
    std::vector<Write> writes;
    for (int64_t first = 0; first < step;) {
      Write &write = writes.emplace_back();
      write.projection = Projection::identity(2);
      ProjectionDim &dim = write.projection.dims[0];
      dim.terms[0].coefficient = step;
      dim.constant = first;
      dim.size = pick(1, step - first);
      first += dim.size;
      if (pick(0, 3) == 0) { // From the last row on.
        dim.terms[0].coefficient = -step;
        dim.constant += (rows - 1) * step;
      }
    }
    if (rows > 1 && pick(0, 1)) { // The first piece in two.
      int64_t middle = pick(1, rows - 1);
      writes.push_back(writes.front());
      writes.front().guard = {{0, middle}, {0, columns}, {0, 3}};
      writes.back().guard = {{middle, rows}, {0, columns}, {0, 3}};
    }
    Write &spoilt = writes[pick(0, writes.size() - 1)];
    switch (pick(0, 8)) {
    case 0:
      spoilt.projection.dims[0].constant += pick(-1, 1);
      break;
    case 1:
      spoilt.projection.dims[0].size += 1;
      break;
    case 2:
      spoilt.projection.dims[1].terms = {{0, 1}};
      break;
    case 3:
      shape[pick(0, 1)] += 1;
      break;
    case 4:
      spoilt.projection.dims[0].stride += 1;
      break;
    }
    DeviceGrid grid = DeviceGrid::ofPrimes(pick(1, 6));
    Partition partition;
    partition.cuts.resize(3);
    for (unsigned axis = 0; axis < grid.axes.size(); ++axis)
      partition.cuts[pick(0, 1)].push_back(axis);
    std::vector<ZBox> blocks;
    std::map<std::pair<int64_t, int64_t>, int64_t> times;
    for (int64_t x = 0; x < shape[0]; ++x)
      for (int64_t y = 0; y < shape[1]; ++y)
        times[{x, y}] = 0;
    for (int64_t device = 0; device < grid.numDevices(); ++device) {
      blocks.push_back(partition.block(grid, extents, device));
      for (const Write &write : writes) {
        // Nobody names the third label: it is summed over.
        std::set<std::pair<int64_t, int64_t>> cells;
        ZBox served = write.guard.empty()
                          ? blocks.back()
                          : intersect(blocks.back(), write.guard);
        forEachPoint(served, [&](llvm::ArrayRef<int64_t> point) {
          const ProjectionDim &row = write.projection.dims[0];
          for (int64_t k = 0; k < row.size; ++k)
            cells.insert({startAt(row, point) + k * row.stride,
                          startAt(write.projection.dims[1], point)});
        });
        for (const auto &cell : cells)
          ++times[cell];
      }
    }
    bool isOnce = llvm::all_of(times, [&](const auto &entry) {
      auto [x, y] = entry.first;
      return entry.second == 1 && x >= 0 && x < shape[0] && y >= 0 &&
             y < shape[1];
    });
    auto fault = findWriteFault(writes, blocks, shape);
    EXPECT_EQ(fault.has_value(), !isOnce) << "round " << round;
    (isOnce ? right : wrong) += 1;
  }
  EXPECT_GT(right, 500u);
  EXPECT_GT(wrong, 500u);
}

} // namespace

//===- TurnsTest.cpp - Subscripts that are folded against enumeration -----===//

#include "tapestry/Support/Access.h"
#include "tapestry/Support/Layout.h"
#include "gtest/gtest.h"
#include <random>
#include <set>

using namespace tapestry;

namespace {

/// Calls `visit` for every point of an index space.
void forEachPoint(llvm::ArrayRef<int64_t> extents,
                  llvm::function_ref<void(llvm::ArrayRef<int64_t>)> visit) {
  llvm::SmallVector<int64_t> point(extents.size(), 0);
  for (;;) {
    visit(point);
    unsigned label = 0;
    while (label < extents.size() && ++point[label] == extents[label])
      point[label++] = 0;
    if (label == extents.size())
      return;
  }
}

/// By the definition, one step at a time.
int64_t foldAt(int64_t value, int64_t mod, Fold fold) {
  while (value < 0 || value >= mod) {
    bool isBelow = value < 0;
    switch (fold) {
    case Fold::Wrap:
      value += isBelow ? mod : -mod;
      break;
    case Fold::Edge:
      value = isBelow ? 0 : mod - 1;
      break;
    case Fold::Reflect:
      if (mod == 1)
        return 0;
      value = isBelow ? -value : 2 * (mod - 1) - value;
      break;
    case Fold::Symmetric:
      value = isBelow ? -1 - value : 2 * mod - 1 - value;
      break;
    }
  }
  return value;
}

/// By the definition: floor division and a fold into [0, m).
int64_t startAt(const ProjectionDim &dim, llvm::ArrayRef<int64_t> point) {
  int64_t value = dim.constant;
  for (const AffineTerm &term : dim.terms)
    value += term.coefficient * point[term.dim];
  int64_t start = value / dim.floordiv - (value % dim.floordiv < 0);
  if (dim.mod == 0)
    return start;
  return foldAt(start, dim.mod, dim.fold);
}

constexpr Fold folds[] = {Fold::Wrap, Fold::Edge, Fold::Reflect,
                          Fold::Symmetric};

class TurnsTest : public ::testing::Test {
protected:
  int64_t pick(int64_t lo, int64_t hi) {
    return std::uniform_int_distribution<int64_t>(lo, hi)(random);
  }
  ProjectionDim pickDim(llvm::ArrayRef<int64_t> extents, int64_t largest) {
    ProjectionDim dim;
    for (unsigned label = 0; label < extents.size(); ++label)
      if (int64_t coefficient = pick(0, 1) ? pick(-largest, largest) : 0)
        dim.terms.push_back({label, coefficient});
    dim.constant = pick(-20, 20);
    return dim;
  }

  std::mt19937 random{20261122};
};

TEST_F(TurnsTest, StartsAreExactWhereTheyWrap) {
  unsigned sparse = 0;
  for (int round = 0; round < 20000; ++round) {
    llvm::SmallVector<int64_t> extents = {pick(1, 9), pick(1, 5), pick(1, 3)};
    ProjectionDim dim = pickDim(extents, 12);
    dim.floordiv = pick(0, 1) ? pick(1, 5) : 1;
    dim.mod = pick(0, 3) ? pick(1, 16) : 0;
    std::set<int64_t> starts;
    forEachPoint(extents, [&](llvm::ArrayRef<int64_t> point) {
      starts.insert(startAt(dim, point));
    });
    ZRange exact = {*starts.begin(), *starts.rbegin() + 1};
    EXPECT_EQ(startsOfDim(dim, extents), exact);
    sparse += exact != imageOfDim(dim, boxOfShape(extents));
  }
  EXPECT_GT(sparse, 500u);
}

TEST_F(TurnsTest, StartsOfLargeExtentsNeedNoEnumeration) {
  ProjectionDim dim;
  dim.terms = {{0, 6}, {1, 10}};
  dim.constant = 3;
  dim.mod = 1000;
  // Multiples of 2, 3 further on.
  EXPECT_EQ(startsOfDim(dim, {int64_t(1) << 40, int64_t(1) << 40}),
            (ZRange{1, 1000}));
  dim.terms = {{0, 500}};
  EXPECT_EQ(startsOfDim(dim, {int64_t(1) << 40}), (ZRange{3, 504}));
  dim.floordiv = 100;
  dim.mod = 10;
  EXPECT_EQ(startsOfDim(dim, {int64_t(1) << 40}), (ZRange{0, 6}));
}

/// What neighbours read is a range, also where they turn more than once.
TEST_F(TurnsTest, FoldsOfRangesAreExact) {
  for (int round = 0; round < 20000; ++round) {
    Fold fold = folds[pick(1, 3)];
    int64_t mod = pick(1, 9), lo = pick(-40, 40), size = pick(1, 30);
    std::set<int64_t> values;
    for (int64_t value = lo; value < lo + size; ++value)
      values.insert(foldAt(value, mod, fold));
    ZRange exact = {*values.begin(), *values.rbegin() + 1};
    EXPECT_EQ(exact.size(), static_cast<int64_t>(values.size()));
    EXPECT_EQ(wrapped({lo, lo + size}, 1, mod, fold), exact);
    EXPECT_EQ(symbolizeFold(stringifyFold(fold)), fold);
  }
}

TEST_F(TurnsTest, LargestImagesOfFoldsAreBounds) {
  unsigned reached = 0;
  for (int round = 0; round < 20000; ++round) {
    ProjectionDim dim;
    dim.terms = {{0, pick(0, 1) ? pick(1, 3) : pick(-3, -1)}};
    dim.constant = pick(-20, 20);
    dim.floordiv = pick(1, 3);
    dim.mod = pick(1, 12);
    dim.fold = folds[pick(1, 3)];
    int64_t size = pick(1, 9), lo = pick(0, 9);
    int64_t image = imageOfDim(dim, {{lo, lo + size}}).size();
    EXPECT_LE(image, largestImage(dim, {size}));
    reached += image == largestImage(dim, {size});
  }
  EXPECT_GT(reached, 2000u);
}

TEST_F(TurnsTest, FoldsStandWhereSubscriptsLeave) {
  Projection projection = Projection::identity(2);
  projection.dims[0].constant = -1;
  EXPECT_EQ(foldInto(projection, {8, 5}, {8, 5}, Fold::Edge), std::nullopt);
  EXPECT_EQ(projection.dims[0].mod, 8);
  EXPECT_EQ(projection.dims[0].fold, Fold::Edge);
  EXPECT_TRUE(projection.dims[1].isPlainDim());
  // What is folded is not folded again; nothing is folded into nothing.
  EXPECT_EQ(foldInto(projection, {8, 5}, {6, 5}, Fold::Edge), 0u);
  Projection plain = Projection::identity(2);
  EXPECT_EQ(foldInto(plain, {8, 5}, {8, 0}, Fold::Reflect), 1u);
  EXPECT_EQ(foldInto(plain, {8, 0}, {8, 0}, Fold::Reflect), std::nullopt);
}

/// Every point reads by exactly one piece, what the projection reads.
TEST_F(TurnsTest, PiecesServeEveryPointOnce) {
  unsigned split = 0;
  for (int round = 0; round < 5000; ++round) {
    llvm::SmallVector<int64_t> extents = {pick(1, 9), pick(1, 9)}, shape;
    Projection projection;
    for (int64_t dims = pick(1, 3); dims > 0; --dims) {
      ProjectionDim &dim = projection.dims.emplace_back(pickDim(extents, 2));
      shape.push_back(pick(1, 12));
      if (pick(0, 2))
        dim.mod = pick(0, 3) ? shape.back() : pick(1, 12);
      if (pick(0, 9) == 0)
        dim.floordiv = 2;
      if (dim.mod != 0 && pick(0, 3) == 0)
        dim.fold = folds[pick(1, 3)];
    }
    std::vector<Projection> pieces = splitTurns(projection, extents, shape);
    if (pieces.size() == 1 && pieces.front() == projection)
      continue;
    ++split;
    forEachPoint(extents, [&](llvm::ArrayRef<int64_t> point) {
      unsigned readers = 0;
      for (const Projection &piece : pieces) {
        bool isInside = true;
        for (auto [dim, whole, extent] :
             llvm::zip_equal(piece.dims, projection.dims, shape)) {
          int64_t start = startAt(dim, point);
          // Where nothing wraps the piece is the projection, in bounds or not.
          if (whole.mod == 0 || whole.fold != Fold::Wrap) {
            EXPECT_EQ(dim, whole);
            continue;
          }
          EXPECT_TRUE(dim.isLinear());
          isInside &= 0 <= start && start < extent;
          if (0 <= start && start < extent)
            EXPECT_EQ(start, startAt(whole, point));
        }
        readers += isInside;
      }
      EXPECT_EQ(readers, 1u);
    });
  }
  EXPECT_GT(split, 300u);
}

TEST_F(TurnsTest, WhatStaysWhole) {
  auto around = [](int64_t constant, int64_t mod) {
    Projection projection = Projection::identity(1);
    projection.dims[0].constant = constant;
    projection.dims[0].mod = mod;
    return projection;
  };
  EXPECT_EQ(splitTurns(around(1, 8), {8}, {8}).size(), 2u);
  EXPECT_EQ(splitTurns(around(-2, 8), {11}, {8}).size(), 3u);
  // Nothing wraps.
  EXPECT_EQ(splitTurns(around(0, 8), {8}, {8}).size(), 1u);
  EXPECT_TRUE(splitTurns(around(0, 8), {8}, {8})[0].dims[0].isLinear());
  // Less than the dimension; twice around; no point at all.
  for (auto [mod, extent] : {std::pair(7, 8), std::pair(8, 16)})
    EXPECT_EQ(splitTurns(around(1, mod), {extent}, {8})[0], around(1, mod));
  EXPECT_EQ(splitTurns(around(1, 8), {0}, {8})[0], around(1, 8));
  // 2^5 pieces are too many.
  Projection cube;
  for (int dim = 0; dim < 5; ++dim)
    cube.dims.push_back(around(1, 8).dims[0]);
  EXPECT_EQ(splitTurns(cube, {8}, {8, 8, 8, 8, 8}).size(), 1u);
}

/// A block reads the rim of its neighbours, and at the ends of the tensor no
/// more than it has.
TEST_F(TurnsTest, FoldedHalosAreExact) {
  for (Fold fold : {Fold::Edge, Fold::Reflect, Fold::Symmetric})
    for (int64_t devices : {2, 3, 4, 5, 7}) {
      DeviceGrid grid = DeviceGrid::ofPrimes(devices);
      Partition partition;
      partition.cuts.emplace_back();
      for (unsigned axis = 0; axis < grid.axes.size(); ++axis)
        partition.cuts.front().push_back(axis);
      Projection projection;
      projection.dims.resize(1);
      projection.dims[0].terms = {{0, 1}, {1, 1}};
      projection.dims[0].constant = -2;
      foldInto(projection, {40, 5}, {40}, fold);
      partition.cuts.emplace_back();
      Layout layout =
          Layout::ofProjection(projection, {40, 5}, partition, {40});
      for (int64_t device = 0; device < devices; ++device) {
        ZRange block = blockRange(40, devices, device);
        EXPECT_EQ(layout.box(grid, device)[0],
                  (ZRange{std::max<int64_t>(block.lo - 2, 0),
                          std::min<int64_t>(block.hi + 2, 40)}));
      }
    }
}

/// Only the rim is fetched of what a device lacks, from its neighbour.
TEST_F(TurnsTest, PeriodicHalosAreExact) {
  for (int64_t devices : {2, 3, 4, 5, 7}) {
    DeviceGrid grid = DeviceGrid::ofPrimes(devices);
    Partition partition;
    partition.cuts.emplace_back();
    for (unsigned axis = 0; axis < grid.axes.size(); ++axis)
      partition.cuts.front().push_back(axis);
    Projection projection = Projection::identity(1);
    projection.dims[0].constant = -3;
    projection.dims[0].mod = 40;
    for (int64_t device = 0; device < devices; ++device) {
      std::set<int64_t> held, needed;
      for (const Projection &piece : splitTurns(projection, {40}, {40})) {
        Layout layout = Layout::ofProjection(piece, {40}, partition, {40});
        ZRange range = layout.box(grid, device)[0];
        for (int64_t x = range.lo; x < range.hi; ++x)
          EXPECT_TRUE(held.insert(x).second);
      }
      ZRange block = blockRange(40, devices, device);
      for (int64_t i = block.lo; i < block.hi; ++i)
        needed.insert((i - 3 + 40) % 40);
      EXPECT_EQ(held, needed);
    }
  }
}

} // namespace

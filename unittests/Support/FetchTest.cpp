//===- FetchTest.cpp - What pieces are fetched together -------------------===//

#include "tapestry/Support/Fetch.h"
#include "tapestry/Support/Layout.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <random>

using namespace tapestry;

namespace {

/// Reads of a tensor at labels 0, 1, ... plus constants.
class Stencil {
public:
  explicit Stencil(llvm::SmallVector<int64_t> extents)
      : shape(std::move(extents)) {}

  Stencil &at(llvm::ArrayRef<int64_t> constants,
              std::optional<Fold> fold = std::nullopt) {
    TensorRead &read = reads.emplace_back();
    read.shape = shape;
    read.access.fallback = fold ? AccessFallback::None : AccessFallback::Pad;
    for (auto [label, constant] : llvm::enumerate(constants)) {
      ProjectionDim &dim = read.access.projection.dims.emplace_back();
      dim.terms.push_back({static_cast<unsigned>(label), 1});
      dim.constant = constant;
      if (!fold || constant == 0)
        continue;
      dim.mod = shape[label];
      dim.fold = *fold;
    }
    return *this;
  }
  TensorRead &last() { return reads.back(); }
  std::vector<Access> fetches() { return planFetches(reads, shape); }
  /// The fetches' numbers in order of their first reads.
  llvm::SmallVector<unsigned> groups() {
    llvm::SmallVector<unsigned> numbers;
    std::vector<Access> known;
    for (const Access &fetch : fetches()) {
      auto found = llvm::find_if(
          known, [&](const Access &other) { return other.readsAs(fetch); });
      numbers.push_back(found - known.begin());
      if (found == known.end())
        known.push_back(fetch);
    }
    return numbers;
  }

  std::vector<TensorRead> reads;

private:
  llvm::SmallVector<int64_t> shape;
};

using Numbers = llvm::SmallVector<unsigned>;

TEST(FetchTest, BoxesAreOne) {
  Stencil nine({40, 37});
  for (int64_t i = -1; i <= 1; ++i)
    for (int64_t j = -1; j <= 1; ++j)
      nine.at({i, j});
  std::vector<Access> fetches = nine.fetches();
  for (const Access &fetch : fetches) {
    EXPECT_EQ(fetch, fetches.front());
    EXPECT_EQ(fetch.fallback, AccessFallback::Pad);
    EXPECT_EQ(fetch.image({{8, 16}, {0, 8}}), (ZBox{{7, 17}, {-1, 9}}));
  }
}

/// The hull of a star has corners that nobody reads.
TEST(FetchTest, StarsAreOnePerDirection) {
  Stencil five({40, 37});
  five.at({0, 0}).at({-1, 0}).at({1, 0}).at({0, -1}).at({0, 1});
  EXPECT_EQ(five.groups(), (Numbers{0, 0, 0, 1, 1}));
  Stencil wide({40, 37});
  wide.at({-2, 0}).at({0, -2}).at({-1, 0}).at({0, -1});
  EXPECT_EQ(wide.groups(), (Numbers{0, 1, 0, 1}));
}

/// Inside of its tensor a star is one cross, whatever the blocks are.
TEST(FetchTest, StarsInsideAreCrosses) {
  Stencil five({40, 37});
  five.at({0, 1}).at({2, 1}).at({1, 0}).at({1, 2}).at({1, 1});
  auto makeInner = [](Stencil &stencil) {
    for (TensorRead &read : stencil.reads)
      read.access.fallback = AccessFallback::None;
  };
  llvm::SmallVector<int64_t> inner = {38, 35};
  makeInner(five);
  for (const Access &fetch : planFetches(five.reads, inner)) {
    EXPECT_EQ(fetch.image({{8, 16}, {0, 8}}), (ZBox{{8, 18}, {0, 10}}));
    for (const ProjectionDim &dim : fetch.projection.dims)
      EXPECT_EQ(dim.arms, (Arms{1, 1}));
    EXPECT_EQ(fetch.projection.core(), five.reads.back().access.projection);
  }
  // A corner more, and what is no star of its own.
  five.at({2, 2});
  makeInner(five);
  for (const Access &fetch : planFetches(five.reads, inner))
    for (const ProjectionDim &dim : fetch.projection.dims)
      EXPECT_FALSE(dim.arms.any());
  // Without its centre, farther to one side.
  Stencil wide({40, 37});
  wide.at({1, 0}).at({0, 2}).at({1, 1}).at({1, 3}).at({2, 2}).at({3, 2});
  wide.at({1, 4});
  makeInner(wide);
  for (const Access &fetch : planFetches(wide.reads, {37, 33})) {
    EXPECT_EQ(fetch.projection.dims[0].arms, (Arms{1, 2}));
    EXPECT_EQ(fetch.projection.dims[1].arms, (Arms{2, 2}));
  }
}

TEST(FetchTest, WhatIsFarApartStaysApart) {
  Stencil far({1000});
  far.at({0}).at({500}).at({1}).at({501});
  EXPECT_EQ(far.groups(), (Numbers{0, 1, 0, 1}));
  // As what wraps around, a turn each.
  Stencil turns({1000});
  turns.at({-1}).at({999}).at({0}).at({1}).at({-999});
  EXPECT_EQ(turns.groups(), (Numbers{0, 1, 0, 0, 2}));
}

TEST(FetchTest, OthersAreKeptAsTheyAre) {
  Stencil mixed({40});
  mixed.at({-1}).at({0}).at({1});
  mixed.last().tensor = 1;
  mixed.at({2});
  mixed.last().access.guard = {{0, 20}};
  mixed.at({3});
  mixed.last().access.kind = AccessKind::Indexed;
  mixed.at({-2});
  mixed.last().access.projection.dims.front().terms.front().coefficient = 2;
  std::vector<Access> fetches = mixed.fetches();
  EXPECT_EQ(fetches[0], fetches[1]);
  for (unsigned number = 2; number < fetches.size(); ++number)
    EXPECT_EQ(fetches[number], mixed.reads[number].access);
}

/// Even and odd elements are fetched as what they are together.
TEST(FetchTest, StepsAreOne) {
  Stencil halves({20});
  halves.at({0}).at({1});
  for (TensorRead &read : halves.reads)
    read.access.projection.dims.front().terms.front().coefficient = 2;
  llvm::SmallVector<int64_t> shape = {40};
  for (TensorRead &read : halves.reads)
    read.shape = shape;
  EXPECT_EQ(halves.fetches().front().image({{5, 10}}), (ZBox{{10, 20}}));
}

TEST(FetchTest, FoldsAreWidened) {
  // At the first point the edge itself is read.
  Stencil edge({40});
  edge.at({-1}, Fold::Edge).at({-2}, Fold::Edge);
  EXPECT_EQ(edge.fetches()[0].image({{0, 1}}), (ZBox{{-2, 1}}));
  // What mirrors has to reach as far inside, which here would be more.
  Stencil mirrored({40});
  mirrored.at({-1}, Fold::Reflect).at({-2}, Fold::Reflect);
  EXPECT_EQ(mirrored.groups(), (Numbers{0, 1}));
  Stencil both({40});
  both.at({-1}, Fold::Reflect).at({0}, Fold::Reflect).at({1}, Fold::Reflect);
  EXPECT_EQ(both.groups(), (Numbers{0, 0, 0}));
  // Each in another way.
  Stencil unlike({40});
  unlike.at({-1}, Fold::Reflect).at({1}, Fold::Edge);
  EXPECT_EQ(unlike.groups(), (Numbers{0, 1}));
}

/// However the labels are cut, even into single points, what is fetched holds
/// what is read.
TEST(FetchTest, HullsHoldTheirPieces) {
  std::mt19937 random(7);
  int hulls = 0;
  for (int round = 0; round < 4000; ++round) {
    llvm::SmallVector<int64_t> shape, extents;
    unsigned rank = 1 + random() % 2;
    for (unsigned dim = 0; dim < rank; ++dim) {
      shape.push_back(1 + random() % 12);
      extents.push_back(
          std::max<int64_t>(1, shape[dim] + int(random() % 5) - 2));
    }
    std::vector<TensorRead> reads(2 + random() % 6);
    auto fold = static_cast<Fold>(random() % 4);
    for (TensorRead &read : reads) {
      read.shape = shape;
      for (unsigned label = 0; label < rank; ++label) {
        ProjectionDim &dim = read.access.projection.dims.emplace_back();
        dim.terms.push_back({label, 1});
        dim.constant = int64_t(random() % 7) - 3;
        dim.size = random() % 8 ? 1 : 2;
      }
      read.access.fallback = AccessFallback::Pad;
      if (random() % 4)
        foldInto(read.access.projection, extents, shape, fold);
    }
    std::vector<Access> fetches = planFetches(reads, extents);
    DeviceGrid grid = DeviceGrid::ofPrimes(1 + random() % 12);
    Partition partition;
    partition.cuts.resize(rank);
    for (unsigned axis = 0; axis < grid.axes.size(); ++axis)
      partition.cuts[random() % rank].push_back(axis);
    for (auto [read, fetch] : llvm::zip_equal(reads, fetches)) {
      hulls += !fetch.readsAs(read.access);
      Layout own = Layout::ofProjection(read.access.projection, extents,
                                        partition, shape);
      Layout all =
          Layout::ofProjection(fetch.projection, extents, partition, shape);
      for (int64_t device = 0; device < grid.numDevices(); ++device)
        EXPECT_TRUE(contains(all.box(grid, device), own.box(grid, device)))
            << boxToString(all.box(grid, device)) << " lacks some of "
            << boxToString(own.box(grid, device));
    }
  }
  EXPECT_GT(hulls, 4000);
}

} // namespace

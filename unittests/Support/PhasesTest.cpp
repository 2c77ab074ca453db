//===- PhasesTest.cpp - Windows in phases against enumeration -------------===//

#include "tapestry/Support/Phases.h"
#include "tapestry/Support/ZTensor.h"
#include "gtest/gtest.h"
#include <random>

using namespace tapestry;

namespace {

int64_t formAt(const ProjectionDim &dim, llvm::ArrayRef<int64_t> point) {
  int64_t value = dim.constant;
  for (const AffineTerm &term : dim.terms)
    value += term.coefficient * point[term.dim];
  return value;
}

/// By the definition: floor division, then the remainder.
int64_t startAt(const ProjectionDim &dim, llvm::ArrayRef<int64_t> point) {
  int64_t value = formAt(dim, point);
  value = value / dim.floordiv - (value % dim.floordiv < 0);
  return dim.mod == 0 ? value : ((value % dim.mod) + dim.mod) % dim.mod;
}

ProjectionDim window(int64_t stride, int64_t dilation, int64_t constant = 0) {
  ProjectionDim dim;
  dim.terms = {{0, stride}, {1, dilation}};
  dim.constant = constant;
  return dim;
}

/// Every point of the label in phases reads by way of the view what it read.
void expectTheSame(const ProjectionDim &dim, const Phases &phases,
                   llvm::ArrayRef<int64_t> extents, const PhasedDim &apart) {
  forEachPoint(boxOfShape(extents), [&](llvm::ArrayRef<int64_t> point) {
    llvm::SmallVector<int64_t> split(point);
    split[phases.label] = point[phases.label] / phases.count;
    int64_t j = formAt(apart.read, split);
    ASSERT_GE(j, 0);
    ASSERT_LT(j, apart.extent);
    ASSERT_EQ(startAt(apart.view, {j, point[phases.label] % phases.count}),
              startAt(dim, point));
  });
}

TEST(Phases, DilatedWindowsAreDenseInEachPhase) {
  auto dim = window(1, 4);
  EXPECT_EQ(phasesOf(dim, 0, {10, 3}), 4);
  // Nothing divides what y has beside r.
  EXPECT_EQ(phasesOf(dim, 1, {10, 3}), std::nullopt);
  auto apart = takeApart(dim, Phases::of(0, 4, 10), {10, 3});
  ASSERT_TRUE(apart);
  // V[j, p] = X[4 * j + p], read at q + r.
  EXPECT_EQ(apart->view, window(4, 1));
  EXPECT_EQ(apart->read, window(1, 1));
  EXPECT_EQ(apart->extent, 3 + 3 - 1);
  EXPECT_EQ(Phases::of(0, 4, 10).surplus(10), 2);
}

TEST(Phases, StridesLeaveWindowsWhoseFiltersAreInPhases) {
  auto dim = window(3, 1, -1);
  EXPECT_EQ(phasesOf(dim, 0, {10, 5}), std::nullopt);
  EXPECT_EQ(phasesOf(dim, 1, {10, 5}), 3);
  auto apart = takeApart(dim, Phases::of(1, 3, 5), {10, 5});
  ASSERT_TRUE(apart);
  EXPECT_EQ(apart->view, window(3, 1, -1));
  EXPECT_EQ(apart->read, window(1, 1));
}

TEST(Phases, WhatAllLabelsSkipIsOneStridedView) {
  EXPECT_EQ(phasesOf(window(2, 4), 0, {10, 3}), 2);
  EXPECT_EQ(phasesOf(window(4, 2), 0, {10, 3}), 1);
  // A label of one point is none.
  EXPECT_EQ(phasesOf(window(2, 1), 0, {10, 1}), 1);
  EXPECT_EQ(phasesOf(window(1, 2), 0, {10, 1}), std::nullopt);
  ProjectionDim divided = window(1, 2);
  divided.floordiv = 2;
  EXPECT_EQ(phasesOf(divided, 0, {10, 3}), std::nullopt);
}

TEST(Phases, MorePhasesThanPointsLeaveOneStep) {
  auto dim = window(1, 100);
  EXPECT_EQ(phasesOf(dim, 0, {7, 3}), 7);
  Phases phases = Phases::of(0, 7, 7);
  auto apart = takeApart(dim, phases, {7, 3});
  ASSERT_TRUE(apart);
  EXPECT_EQ(apart->extent, 3);
  expectTheSame(dim, phases, {7, 3}, *apart);
}

TEST(Phases, RandomWindowsReadTheSame) {
  std::mt19937 engine(12);
  auto pick = [&](int64_t lo, int64_t hi) {
    return std::uniform_int_distribution<int64_t>(lo, hi)(engine);
  };
  unsigned numApart = 0;
  for (unsigned trial = 0; trial < 20'000; ++trial) {
    llvm::SmallVector<int64_t> extents;
    ProjectionDim dim;
    for (unsigned label = 0; label < 3; ++label) {
      extents.push_back(pick(1, 7));
      if (int64_t coefficient = pick(-6, 6))
        dim.terms.push_back({label, coefficient});
    }
    dim.constant = pick(-20, 20);
    if (pick(0, 3) == 0)
      dim.mod = pick(1, 9);
    unsigned label = pick(0, 2);
    std::optional<int64_t> natural = phasesOf(dim, label, extents);
    Phases phases = Phases::of(
        label, natural ? *natural : pick(1, extents[label]), extents[label]);
    EXPECT_LT(phases.surplus(extents[label]), phases.count);
    auto apart = takeApart(dim, phases, extents);
    if (natural) {
      EXPECT_TRUE(apart);
    }
    if (!apart)
      continue;
    ++numApart;
    expectTheSame(dim, phases, extents, *apart);
  }
  EXPECT_GT(numApart, 4000u);
}

TEST(Phases, WhatStaysWithinItsDivisorIsLinear) {
  // (4 * i + j) floordiv 4 and mod 4, with j below 4.
  ProjectionDim dim = window(4, 1);
  dim.floordiv = 4;
  ProjectionDim first;
  first.terms = {{0, 1}};
  EXPECT_EQ(linearWithin(dim, {5, 4}), first);
  EXPECT_EQ(linearWithin(dim, {5, 5}), std::nullopt);
  std::swap(dim.floordiv, dim.mod);
  dim.mod = 4;
  dim.floordiv = 1;
  ProjectionDim second;
  second.terms = {{1, 1}};
  EXPECT_EQ(linearWithin(dim, {5, 4}), second);
}

TEST(Phases, RandomSubscriptsAreLinearOnlyWhereTheyAre) {
  std::mt19937 engine(13);
  auto pick = [&](int64_t lo, int64_t hi) {
    return std::uniform_int_distribution<int64_t>(lo, hi)(engine);
  };
  unsigned numLinear = 0;
  for (unsigned trial = 0; trial < 20'000; ++trial) {
    llvm::SmallVector<int64_t> extents = {pick(1, 5), pick(1, 5)};
    ProjectionDim dim = window(pick(-8, 8), pick(1, 3), pick(-9, 9));
    if (dim.terms[0].coefficient == 0)
      continue;
    dim.floordiv = pick(1, 4);
    dim.mod = pick(0, 6);
    auto linear = linearWithin(dim, extents);
    if (!linear)
      continue;
    ++numLinear;
    EXPECT_TRUE(linear->isLinear());
    forEachPoint(boxOfShape(extents), [&](llvm::ArrayRef<int64_t> point) {
      ASSERT_EQ(startAt(*linear, point), startAt(dim, point));
    });
  }
  EXPECT_GT(numLinear, 2000u);
}

} // namespace

//===- OverlapTest.cpp - Tests of what goes on beside a line --------------===//

#include "tapestry/Support/Overlap.h"
#include "gtest/gtest.h"
#include <random>

using namespace tapestry;

namespace {

/// A line of steps over buffers, and its collectives.
struct Line {
  std::vector<LineStep> steps;
  std::vector<LineCollective> collectives;

  void compute(std::initializer_list<unsigned> reads,
               std::initializer_list<unsigned> writes) {
    steps.push_back({reads, writes, /*isFence=*/false, /*takesTime=*/true});
  }
  void move(unsigned from, unsigned to, int64_t bytes = 100) {
    collectives.push_back({steps.size(), bytes, 0});
    steps.push_back({{from}, {to}, /*isFence=*/false, /*takesTime=*/false});
  }
  std::vector<LineSpan> spans(OverlapLimits limits = {}) const {
    return findSpans(steps, collectives, limits);
  }
};

void expectSpan(const LineSpan &span, size_t start, size_t wait) {
  EXPECT_FALSE(span.isWhole);
  EXPECT_EQ(span.start, start);
  EXPECT_EQ(span.wait, wait);
}

} // namespace

TEST(Overlap, StartsBehindTheSourceAndWaitsBeforeTheReader) {
  Line line;
  line.compute({}, {1}); // 0: the source
  line.compute({}, {9}); // 1
  line.move(1, 2);       // 2
  line.compute({1}, {9});
  line.compute({2}, {9}); // 4: the reader
  std::vector<LineSpan> spans = line.spans();
  expectSpan(spans[0], 1, 4);
}

TEST(Overlap, StaysWholeWhereNothingLiesBetween) {
  Line line;
  line.compute({}, {1});
  line.move(1, 2);
  line.move(3, 4);
  line.compute({2, 4}, {5});
  EXPECT_TRUE(line.spans()[0].isWhole);
  // Of this one the source is there from the beginning.
  expectSpan(line.spans()[1], 0, 3);
}

TEST(Overlap, NothingCrossesAFence) {
  Line line;
  line.compute({}, {9});
  line.steps.push_back({{}, {}, /*isFence=*/true, /*takesTime=*/false});
  line.compute({}, {9}); // 2
  line.move(1, 2);
  line.compute({}, {9});
  line.steps.push_back({{}, {}, /*isFence=*/true, /*takesTime=*/false});
  line.compute({}, {9});
  expectSpan(line.spans()[0], 2, 5);
}

TEST(Overlap, OperandsHaveToBeThere) {
  Line line;
  line.compute({}, {9});
  line.compute({}, {9});
  line.compute({}, {9});
  line.move(1, 2);
  line.collectives[0].earliest = 1;
  expectSpan(line.spans()[0], 1, 4);
}

/// What one gets the next one sends: they follow each other.
TEST(Overlap, ChainsFollowEachOther) {
  Line line;
  line.compute({}, {9});
  line.move(1, 2);
  line.compute({}, {9}); // 2
  line.move(2, 3);       // 3
  line.compute({}, {9});
  line.compute({3}, {9}); // 5
  std::vector<LineSpan> spans = line.spans();
  expectSpan(spans[0], 0, 3);
  expectSpan(spans[1], 3, 5);
}

TEST(Overlap, AFewAreOnTheirWayAtOnce) {
  Line line;
  // Each product needs what was gathered for it.
  for (unsigned number = 0; number < 5; ++number) {
    line.move(10 + number, 20 + number);
    line.compute({20 + number}, {30 + number});
  }
  std::vector<LineSpan> spans = line.spans({0, 2});
  // Nothing is computed before the first product.
  EXPECT_TRUE(spans[0].isWhole);
  expectSpan(spans[1], 1, 3);
  expectSpan(spans[2], 1, 5);
  expectSpan(spans[3], 3, 7);
  expectSpan(spans[4], 5, 9);
  // Each product leaves something that is reduced and read at the end.
  Line gradients;
  for (unsigned number = 0; number < 4; ++number) {
    gradients.compute({}, {10 + number});
    gradients.move(10 + number, 20 + number);
  }
  gradients.compute({20, 21, 22, 23}, {9});
  spans = gradients.spans({0, 2});
  expectSpan(spans[0], 1, 5);
  EXPECT_TRUE(spans[3].isWhole);
}

/// Small ones are handed over only where they would wait for large ones.
TEST(Overlap, SmallOnesStayWhereTheyNeedNotWait) {
  Line line;
  line.compute({}, {1});
  line.move(1, 2, /*bytes=*/4);
  line.compute({}, {9});
  line.compute({2}, {9});
  EXPECT_TRUE(line.spans({50, 4})[0].isWhole);
  line.move(5, 6);
  line.compute({6}, {9});
  std::vector<LineSpan> spans = line.spans({50, 4});
  expectSpan(spans[0], 1, 3);
  expectSpan(spans[1], 0, 5);
}

/// One that could start, and is needed, first is not kept waiting; one whose
/// source is not there yet may be.
TEST(Overlap, WhatIsNeededFirstGoesFirst) {
  Line line;
  line.compute({}, {9});
  line.move(1, 2);        // 1
  line.compute({2}, {3}); // 2
  line.move(3, 4);        // 3
  line.compute({4}, {5}); // 4
  line.move(6, 7);        // 5
  line.compute({7}, {8});
  std::vector<LineSpan> spans = line.spans();
  expectSpan(spans[0], 0, 2);
  EXPECT_TRUE(spans[1].isWhole);
  expectSpan(spans[2], 0, 6);
}

/// Of random lines: no two things that conflict change places.
TEST(Overlap, KeepsTheOrderOfWhatConflicts) {
  std::mt19937 random(7);
  size_t started = 0;
  for (int round = 0; round < 500; ++round) {
    Line line;
    unsigned buffers = 3 + random() % 8;
    auto any = [&] { return unsigned(random() % buffers); };
    for (int step = 0; step < 40; ++step)
      if (random() % 3 == 0)
        line.move(any(), any(), random() % 100);
      else if (random() % 20 == 0)
        line.steps.push_back({{}, {}, /*isFence=*/true, false});
      else
        line.compute({any()}, {any()});
    OverlapLimits limits{int64_t(random() % 60), 1 + unsigned(random() % 3)};
    std::vector<LineSpan> spans = line.spans(limits);
    // The order in which accesses begin and end, as times: waits before starts
    // before the step of a place.
    struct Access {
      std::vector<size_t> reads, writes;
      size_t from, to, step;
      bool isFence;
    };
    std::vector<Access> accesses;
    for (size_t step = 0; step < line.steps.size(); ++step) {
      const LineStep &each = line.steps[step];
      Access access = {{each.reads.begin(), each.reads.end()},
                       {each.writes.begin(), each.writes.end()},
                       3 * step + 2,
                       3 * step + 2,
                       step,
                       each.isFence};
      for (size_t number = 0; number < spans.size(); ++number) {
        if (line.collectives[number].step != step || spans[number].isWhole)
          continue;
        access.from = 3 * spans[number].start + 1;
        access.to = 3 * spans[number].wait;
        EXPECT_LE(spans[number].start, step);
        EXPECT_GT(spans[number].wait, step);
        ++started;
      }
      accesses.push_back(access);
    }
    auto meet = [](const std::vector<size_t> &a, const std::vector<size_t> &b) {
      for (size_t x : a)
        for (size_t y : b)
          if (x == y)
            return true;
      return false;
    };
    for (const Access &a : accesses)
      for (const Access &b : accesses)
        if (a.step < b.step &&
            (a.isFence || b.isFence || meet(a.writes, b.writes) ||
             meet(a.writes, b.reads) || meet(a.reads, b.writes))) {
          EXPECT_LT(a.to, b.from) << round << ": " << a.step << ", " << b.step;
        }
    for (size_t step = 0; step < line.steps.size(); ++step) {
      unsigned under = 0;
      for (size_t number = 0; number < spans.size(); ++number)
        under += !spans[number].isWhole &&
                 line.collectives[number].bytes >= limits.leastBytes &&
                 spans[number].start <= step && spans[number].wait > step;
      EXPECT_LE(under, limits.most);
    }
  }
  EXPECT_GT(started, 1000u);
}

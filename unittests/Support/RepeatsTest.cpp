//===- RepeatsTest.cpp - Repeats that were put there are found ------------===//

#include "tapestry/Support/Repeats.h"
#include "gtest/gtest.h"
#include <random>

using namespace tapestry;

namespace {

class RepeatsTest : public ::testing::Test {
protected:
  /// Appends `count` elements that occur nowhere else.
  void addDistinct(size_t count) {
    for (size_t k = 0; k < count; ++k)
      sequence.push_back(fresh++);
  }
  /// Appends `count` copies of `piece`.
  void addCopies(const std::vector<uint64_t> &piece, size_t count) {
    for (size_t k = 0; k < count; ++k)
      sequence.insert(sequence.end(), piece.begin(), piece.end());
  }
  /// Elements below 5, so that there are many equal ones nearby.
  std::vector<uint64_t> randomPiece(size_t length) {
    std::vector<uint64_t> piece(length);
    for (uint64_t &element : piece)
      element = random() % 5;
    return piece;
  }

  std::vector<uint64_t> sequence;
  uint64_t fresh = 1000;
  std::mt19937 random{17};
};

TEST_F(RepeatsTest, LayersBetweenOtherThings) {
  addDistinct(7);
  addCopies(randomPiece(29), 5);
  addDistinct(11);
  addCopies(randomPiece(31), 13);
  addDistinct(3);
  EXPECT_EQ(findRepeats(sequence, 40),
            (std::vector<Repeat>{{7, 29, 5}, {7 + 145 + 11, 31, 13}}));
}

TEST_F(RepeatsTest, ShortRunsInsideLayersAreNoRepeats) {
  std::vector<uint64_t> layer = {1, 2, 3};
  for (int k = 0; k < 20; ++k)
    layer.push_back(9);
  layer.insert(layer.end(), {4, 5, 6, 7});
  addCopies(layer, 6);
  EXPECT_EQ(findRepeats(sequence, 64),
            (std::vector<Repeat>{{0, layer.size(), 6}}));
}

TEST_F(RepeatsTest, NothingRepeats) {
  addDistinct(500);
  EXPECT_TRUE(findRepeats(sequence, 2).empty());
  EXPECT_TRUE(findRepeats({}, 2).empty());
}

TEST_F(RepeatsTest, EqualPiecesApartAreNoRepeat) {
  std::vector<uint64_t> piece = randomPiece(40);
  for (int k = 0; k < 5; ++k) {
    addCopies(piece, 1);
    addDistinct(3);
  }
  EXPECT_TRUE(findRepeats(sequence, 40).empty());
}

TEST_F(RepeatsTest, WhatIsFoundRepeats) {
  for (int round = 0; round < 200; ++round) {
    sequence.clear();
    while (sequence.size() < 300) {
      addDistinct(random() % 4);
      addCopies(randomPiece(1 + random() % 20), 1 + random() % 8);
    }
    size_t from = 0;
    for (const Repeat &repeat : findRepeats(sequence, 30)) {
      EXPECT_GE(repeat.begin, from);
      EXPECT_GE(repeat.count, 2u);
      EXPECT_GE(repeat.period * repeat.count, 30u);
      from = repeat.end();
      ASSERT_LE(from, sequence.size());
      for (size_t at = repeat.begin; at + repeat.period < from; ++at)
        EXPECT_EQ(sequence[at], sequence[at + repeat.period]);
    }
  }
}

} // namespace

//===- BoxTest.cpp - Tests of boxes and copies between them ---------------===//

#include "Core/Box.h"
#include "Testing.h"
#include "gtest/gtest.h"
#include <algorithm>

using namespace tapestry::rt;
using namespace tapestry::rt::testing;

TEST(Box, Arithmetic) {
  Box a = {{2, 7}, {0, 4}};
  Box b = {{5, 9}, {3, 3}};
  EXPECT_EQ(volume(a), 20);
  EXPECT_EQ(volume(b), 0);
  EXPECT_EQ(volume(BoxRef()), 1);
  EXPECT_EQ(boxText(intersect(a, Box{{5, 9}, {3, 8}})), "[5, 7) x [3, 4)");
  EXPECT_TRUE(contains(a, b));
  EXPECT_FALSE(overlap(a, b));
  EXPECT_TRUE(samePoints(b, Box{{0, 0}, {7, 7}}));
  EXPECT_FALSE(samePoints(a, b));
  EXPECT_EQ(offsetIn(a, Box{{4, 5}, {1, 2}}), 2 * 4 + 1);
  EXPECT_TRUE(isContiguousIn(a, Box{{3, 6}, {0, 4}}));
  EXPECT_TRUE(isContiguousIn(a, Box{{3, 4}, {1, 3}}));
  EXPECT_FALSE(isContiguousIn(a, Box{{3, 5}, {1, 3}}));
}

/// What a device does, and what it asks for.
static void carryOut(const StretchCopy &copy) {
  if (copy.planes > 1) {
    ASSERT_EQ(copy.targetPlane % copy.targetRow, 0);
    ASSERT_EQ(copy.sourcePlane % copy.sourceRow, 0);
    ASSERT_GE(copy.targetPlane, copy.rows * copy.targetRow);
    ASSERT_GE(copy.sourcePlane, copy.rows * copy.sourceRow);
  }
  if (copy.rows > 1) {
    ASSERT_GE(copy.targetRow, copy.bytes);
    ASSERT_GE(copy.sourceRow, copy.bytes);
  }
  for (int64_t plane = 0; plane < copy.planes; ++plane)
    for (int64_t row = 0; row < copy.rows; ++row)
      std::copy_n(static_cast<const char *>(copy.source) +
                      plane * copy.sourcePlane + row * copy.sourceRow,
                  copy.bytes,
                  static_cast<char *>(copy.target) + plane * copy.targetPlane +
                      row * copy.targetRow);
}

/// Random shapes of rank 0 to 5 and all element sizes against the plain loop.
TEST(Box, CopyPieceMovesExactlyThePiece) {
  std::mt19937 random(7);
  for (int round = 0; round < 400; ++round) {
    int rank = round % 6;
    int64_t size = int64_t(1) << (round / 6 % 4);
    std::vector<int64_t> shape;
    for (int dim = 0; dim < rank; ++dim)
      shape.push_back(1 + random() % 6);
    Box from = boxOfShape(shape);
    Box to = boxOfShape(shape);
    // Holders that begin elsewhere and are larger than the piece or not.
    for (int dim = 0; dim < rank; ++dim) {
      from[dim] = {-int64_t(random() % 3), shape[dim] + int64_t(random() % 3)};
      to[dim] = {-int64_t(random() % 3), shape[dim] + int64_t(random() % 3)};
    }
    Box piece = randomBox(shape, random);
    std::string source(volume(from) * size, '\0');
    for (char &byte : source)
      byte = static_cast<char>(random());
    std::string target(volume(to) * size, 'x');
    std::string expected = target;
    std::vector<int64_t> fromShape, toShape;
    Box inFrom, inTo; // the piece, as seen from each holder's first point
    for (int dim = 0; dim < rank; ++dim) {
      fromShape.push_back(extent(from[dim]));
      toShape.push_back(extent(to[dim]));
      inFrom.push_back(
          {piece[dim].lo - from[dim].lo, piece[dim].hi - from[dim].lo});
      inTo.push_back({piece[dim].lo - to[dim].lo, piece[dim].hi - to[dim].lo});
    }
    std::vector<int64_t> offsets;
    forEachPoint(fromShape, inFrom,
                 [&](int64_t offset) { offsets.push_back(offset); });
    size_t next = 0;
    forEachPoint(toShape, inTo, [&](int64_t offset) {
      expected.replace(offset * size, size, source, offsets[next++] * size,
                       size);
    });
    std::string stretched = target;
    copyPiece(target.data(), to, source.data(), from, piece, size);
    ASSERT_EQ(target, expected) << "round " << round << ", " << boxText(piece);
    for (const StretchCopy &copy :
         stretchCopies(stretched.data(), to, source.data(), from, piece, size))
      carryOut(copy);
    ASSERT_EQ(stretched, expected)
        << "round " << round << ", " << boxText(piece);
  }
}

TEST(Box, CopiesGoAnyStride) {
  std::mt19937 random(13);
  for (int round = 0; round < 400; ++round) {
    int64_t size = int64_t(1) << round % 5;
    size_t rank = round / 5 % 5;
    std::vector<int64_t> sizes(rank), to(rank), from(rank);
    // The target's dimensions in some order; the source repeats, skips and goes
    // backwards.
    std::vector<size_t> order(rank);
    for (size_t dim = 0; dim < rank; ++dim) {
      sizes[dim] = 1 + random() % (dim == 1 ? 70 : 5);
      order[dim] = dim;
    }
    std::shuffle(order.begin(), order.end(), random);
    int64_t room = 1, begin = 0, end = 1;
    for (size_t dim : order) {
      to[dim] = room;
      room *= sizes[dim] + int64_t(random() % 2);
      from[dim] = round % 3 == 0 ? to[dim] : int64_t(random() % 9) - 4;
      (from[dim] < 0 ? begin : end) += from[dim] * (sizes[dim] - 1);
    }
    std::string source((end - begin) * size, '\0');
    for (char &byte : source)
      byte = static_cast<char>(random());
    std::string target(room * size, 'x');
    std::string expected = target;
    forEachPoint(sizes, boxOfShape(sizes), [&](int64_t point) {
      int64_t put = 0, got = -begin;
      for (size_t dim = rank; dim-- > 0; point /= sizes[dim]) {
        put += point % sizes[dim] * to[dim];
        got += point % sizes[dim] * from[dim];
      }
      expected.replace(put * size, size, source, got * size, size);
    });
    copyStrided(target.data(), source.data() - begin * size,
                {sizes, to, from, size});
    ASSERT_EQ(target, expected) << "round " << round;
  }
}

TEST(Box, StretchesCoverThePieceInOrder) {
  std::mt19937 random(11);
  for (int round = 0; round < 200; ++round) {
    std::vector<int64_t> shape;
    for (int dim = 0; dim < round % 4; ++dim)
      shape.push_back(1 + random() % 5);
    Box piece = randomBox(shape, random);
    std::vector<int64_t> expected, found;
    forEachPoint(shape, piece,
                 [&](int64_t offset) { expected.push_back(offset); });
    forEachStretch(boxOfShape(shape), piece, [&](int64_t at, int64_t count) {
      for (int64_t i = 0; i < count; ++i)
        found.push_back(at + i);
    });
    ASSERT_EQ(found, expected) << boxText(piece);
  }
  int stretches = 0;
  forEachStretch(Box{{0, 9}, {0, 4}, {0, 5}}, Box{{2, 5}, {0, 4}, {0, 5}},
                 [&](int64_t, int64_t) { ++stretches; });
  EXPECT_EQ(stretches, 1);
}

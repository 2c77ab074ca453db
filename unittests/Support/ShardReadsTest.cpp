//===- ShardReadsTest.cpp - Views, and what shards read of them -----------===//
//
// Random views and reads, right ones and those that are one off, against brute
// force.
//
//===----------------------------------------------------------------------===//

#include "tapestry/Support/ShardReads.h"
#include "gtest/gtest.h"
#include <random>

using namespace tapestry;

namespace {

class Random {
public:
  explicit Random(unsigned seed) : engine(seed) {}
  int64_t operator()(int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(engine);
  }

private:
  std::mt19937 engine;
};

/// A view of one dimension, and, cell by cell, what it is.
struct Drawn {
  TensorView view;
  std::vector<ViewCell> cells;
};

Drawn drawTensor(Random &draw, unsigned number) {
  Drawn drawn;
  int64_t extent = draw(1, 9);
  drawn.view = TensorView::of(number, {extent});
  for (int64_t cell = 0; cell < extent; ++cell)
    drawn.cells.push_back({number, {cell}});
  return drawn;
}

/// Every stride-th of some cells, or all from the last to the first.
Drawn drawSlice(Random &draw, const Drawn &of) {
  Drawn drawn;
  int64_t extent = of.cells.size();
  int64_t lo = draw(0, extent - 1), step = draw(1, 3);
  int64_t count = draw(1, (extent - 1 - lo) / step + 1);
  Projection projection = Projection::identity(1);
  projection.dims[0].constant = lo;
  projection.dims[0].terms[0].coefficient = step;
  if (draw(0, 3) == 0) {
    count = extent;
    projection.dims[0].constant = extent - 1;
    projection.dims[0].terms[0].coefficient = step = -1;
    lo = extent - 1;
  }
  for (int64_t cell = 0; cell < count; ++cell)
    drawn.cells.push_back(of.cells[lo + cell * step]);
  drawn.view.shape = {count};
  EXPECT_TRUE(drawn.view.add(of.view, projection, {{0, count}}));
  drawn.view.merge();
  return drawn;
}

Drawn drawConcat(const Drawn &a, const Drawn &b) {
  Drawn drawn;
  int64_t first = a.cells.size(), all = first + b.cells.size();
  drawn.cells = a.cells;
  drawn.cells.insert(drawn.cells.end(), b.cells.begin(), b.cells.end());
  drawn.view.shape = {all};
  EXPECT_TRUE(drawn.view.add(a.view, Projection::identity(1), {{0, first}}));
  Projection moved = Projection::identity(1);
  moved.dims[0].constant = -first;
  EXPECT_TRUE(drawn.view.add(b.view, moved, {{first, all}}));
  drawn.view.merge();
  return drawn;
}

/// Tensors that take turns, as many cells of each as fit.
Drawn drawInterleave(Random &draw, const std::vector<Drawn> &made) {
  Drawn drawn;
  std::vector<const Drawn *> parts;
  int64_t turns = draw(1, 3), least = 100;
  for (int64_t turn = 0; turn < turns; ++turn) {
    parts.push_back(&made[draw(0, made.size() - 1)]);
    least = std::min<int64_t>(least, parts.back()->cells.size());
  }
  // Some of those in front have one more.
  int64_t all = least * turns;
  while (all < least * turns + turns - 1 &&
         static_cast<int64_t>(parts[all % turns]->cells.size()) > least)
    ++all;
  drawn.view.shape = {all};
  for (int64_t cell = 0; cell < all; ++cell)
    drawn.cells.push_back(parts[cell % turns]->cells[cell / turns]);
  Projection projection = Projection::identity(1);
  projection.dims[0].floordiv = turns;
  for (int64_t turn = 0; turn < turns; ++turn)
    EXPECT_TRUE(drawn.view.add(parts[turn]->view, projection, {{0, all}},
                               Residue{0, turns, turn}));
  drawn.view.merge();
  return drawn;
}

TEST(TensorView, IsWhatItsSelectorsRead) {
  Random draw(5);
  for (int round = 0; round < 2000; ++round) {
    std::vector<Drawn> made = {drawTensor(draw, 0), drawTensor(draw, 1)};
    for (int step = 0; step < 5; ++step) {
      const Drawn &a = made[draw(0, made.size() - 1)];
      const Drawn &b = made[draw(0, made.size() - 1)];
      int64_t kind = draw(0, 2);
      Drawn next = kind == 0   ? drawSlice(draw, a)
                   : kind == 1 ? drawConcat(a, b)
                               : drawInterleave(draw, made);
      made.push_back(std::move(next));
    }
    const Drawn &last = made.back();
    for (size_t cell = 0; cell < last.cells.size(); ++cell)
      ASSERT_EQ(last.view.at({static_cast<int64_t>(cell)}), last.cells[cell])
          << round;
  }
}

TEST(TensorView, WhatIsCutAndJoinedIsOnePieceAgain) {
  TensorView whole = TensorView::of(7, {5, 6}), joined;
  joined.shape = {5, 6};
  for (ZRange rows : {ZRange{0, 2}, ZRange{2, 5}})
    for (ZRange columns : {ZRange{3, 6}, ZRange{0, 3}})
      ASSERT_TRUE(joined.add(whole, Projection::identity(2), {rows, columns}));
  EXPECT_EQ(joined.asTensor(), std::nullopt);
  joined.merge();
  EXPECT_EQ(joined.asTensor(), 7u);
}

TEST(TensorView, SlicesThatTakeTurnsAreOnePieceAgain) {
  for (int64_t turns : {1, 2, 3, 4})
    for (int64_t extent : {4, 7, 8, 24}) {
      TensorView whole = TensorView::of(7, {2, extent}), joined;
      joined.shape = {2, extent};
      for (int64_t turn = turns; turn-- > 0;) {
        TensorView slice;
        slice.shape = {2, (extent - turn - 1) / turns + 1};
        Projection strided = Projection::identity(2);
        strided.dims[1].terms[0].coefficient = turns;
        strided.dims[1].constant = turn;
        ASSERT_TRUE(slice.add(whole, strided, boxOfShape(slice.shape)));
        Projection back = Projection::identity(2);
        back.dims[1].floordiv = turns;
        ASSERT_TRUE(joined.add(slice, back, boxOfShape(joined.shape),
                               Residue{1, turns, turn}));
      }
      EXPECT_EQ(findDifference(joined, whole), std::nullopt);
      joined.merge();
      EXPECT_EQ(joined.asTensor(), 7u) << turns << " " << extent;
    }
}

TEST(TensorView, TurnsOfTurnsAreSolvedNotCounted) {
  // 4 times a prime to the depth: steps too many to try one by one.
  for (auto [turns, depth] :
       {std::pair<int64_t, int>{2, 55}, {3, 35}, {7, 19}, {31, 11}}) {
    TensorView nest = TensorView::of(0, {4});
    for (int level = 1; level <= depth; ++level) {
      TensorView next;
      next.shape = {nest.shape[0] * turns};
      Projection back = Projection::identity(1);
      back.dims[0].floordiv = turns;
      for (int64_t turn = 0; turn < turns; ++turn)
        ASSERT_TRUE(
            next.add(turn == 0 ? nest : TensorView::of(level, nest.shape), back,
                     boxOfShape(next.shape), Residue{0, turns, turn}));
      nest = std::move(next);
    }
    // Every fifth from the second on, and the same from the last to the first.
    int64_t count = (nest.shape[0] - 2) / 5 + 1, last = 1 + 5 * (count - 1);
    for (int64_t step : {5, -5}) {
      int64_t first = step > 0 ? 1 : last;
      Projection strided = Projection::identity(1);
      strided.dims[0].terms[0].coefficient = step;
      strided.dims[0].constant = first;
      TensorView slice;
      slice.shape = {count};
      ASSERT_TRUE(slice.add(nest, strided, boxOfShape(slice.shape)));
      Random draw(9);
      for (int round = 0; round < 200; ++round) {
        // Those that many turns end in are few: go there on purpose.
        int64_t cell = draw(0, count - 1), place = first + step * cell;
        for (int64_t power = turns;
             round % 2 && place % 5 == 1 && power < place / turns;
             power *= turns)
          if ((place - place % power) % 5 == 1)
            cell = (place - place % power - first) / step;
        place = first + step * cell;
        unsigned level = depth;
        while (level > 0 && place % turns == 0) {
          place /= turns;
          --level;
        }
        ViewCell expected{level, {level == 0 ? place : place / turns}};
        ASSERT_EQ(slice.at({cell}), expected) << turns << " " << step << cell;
      }
    }
  }
}

TEST(TensorView, TheFirstCellThatDiffersIsFound) {
  Random draw(6);
  for (int round = 0; round < 2000; ++round) {
    std::vector<Drawn> made = {drawTensor(draw, 0), drawTensor(draw, 1)};
    for (int step = 0; step < 5; ++step)
      made.push_back(draw(0, 1) ? drawSlice(draw, made[draw(0, step + 1)])
                                : drawInterleave(draw, made));
    for (const Drawn &a : made)
      for (const Drawn &b : made) {
        if (a.cells.size() != b.cells.size())
          continue;
        std::optional<llvm::SmallVector<int64_t>> expected;
        for (size_t cell = a.cells.size(); cell-- > 0;)
          if (!(a.cells[cell] == b.cells[cell]))
            expected = llvm::SmallVector<int64_t>{static_cast<int64_t>(cell)};
        ASSERT_EQ(findDifference(a.view, b.view), expected) << round;
      }
  }
}

/// The first point at which two reads differ, one point after the other.
std::optional<llvm::SmallVector<int64_t>>
firstDifference(const OperandRead &whole, const OperandRead &shard,
                const ZRange &range) {
  auto cell = [](const OperandRead &read, int64_t point) {
    int64_t place = read.projection.image({{point, point + 1}})[0].lo;
    return place < 0 || place >= read.operand.shape[0]
               ? std::optional<ViewCell>()
               : read.operand.at({place});
  };
  for (int64_t point = range.lo; point < range.hi; ++point)
    if (!(cell(whole, point) == cell(shard, point - range.lo)))
      return llvm::SmallVector<int64_t>{point};
  return std::nullopt;
}

TEST(ShardReads, TheFirstWrongCellIsFound) {
  Random draw(6);
  int faults = 0;
  for (int round = 0; round < 20000; ++round) {
    int64_t points = draw(1, 8), extent = draw(1, 9);
    // The whole may read the first cells of a tensor alone.
    int64_t all = extent + draw(0, 2);
    OperandRead whole;
    whole.operand = TensorView::of(0, {extent});
    ProjectionDim dim;
    if (int64_t coefficient = draw(-2, 2))
      dim.terms.push_back({0, coefficient});
    dim.constant = draw(-5, 8);
    int64_t kind = draw(0, 5);
    if (kind < 4) {
      dim.mod = kind == 0 ? draw(1, extent) : extent;
      dim.fold = static_cast<Fold>(kind);
    } else {
      dim.floordiv = draw(1, 3);
    }
    whole.projection.dims.push_back(dim);
    ZRange range;
    range.lo = draw(0, points - 1);
    range.hi = draw(range.lo + 1, points);
    Access access;
    access.projection = whole.projection;
    ZBox slices = sliceOfReads(access, {range}, {extent});
    Access read = readsOfSlice({access}, {range}, slices).front();
    // One off in one way or another, or right.
    ProjectionDim &own = read.projection.dims[0];
    ZRange &slice = slices[0];
    int64_t change = draw(0, 7);
    own.constant += change == 1 ? 1 : change == 2 ? -1 : 0;
    slice.lo = std::max<int64_t>(0, slice.lo - (change == 3));
    slice.hi = std::min<int64_t>(all, slice.hi + (change == 4));
    if (change == 5 && slice.size() > 1)
      --slice.hi;
    if (own.mod != 0 && own.fold != Fold::Wrap)
      own.mod = slice.size();
    OperandRead shard;
    shard.projection = read.projection;
    Projection moved = Projection::identity(1);
    moved.dims[0].constant = slice.lo;
    shard.operand.shape = {slice.size()};
    ASSERT_TRUE(shard.operand.add(TensorView::of(0, {all}), moved,
                                  {{0, slice.size()}}));
    auto expected = firstDifference(whole, shard, range);
    auto got = findReadFault(whole, shard, {range});
    ASSERT_EQ(got.has_value(), expected.has_value()) << round;
    if (got) {
      ASSERT_EQ(got->point, *expected) << round;
      ++faults;
    }
  }
  EXPECT_GT(faults, 2000);
}

TEST(ShardReads, TooManyPointsAreNoProof) {
  OperandRead whole, shard;
  int64_t extent = int64_t(1) << 40;
  whole.operand = TensorView::of(0, {extent});
  whole.projection = Projection::identity(1);
  shard = whole;
  EXPECT_FALSE(findReadFault(whole, shard, {{0, extent}}));
  // Equal, but as two pieces.
  shard.operand.pieces[0].cells[0].hi = extent / 2;
  shard.operand.pieces.push_back(whole.operand.pieces[0]);
  shard.operand.pieces[1].cells[0].lo = extent / 2;
  auto fault = findReadFault(whole, shard, {{0, extent}});
  ASSERT_TRUE(fault.has_value());
  EXPECT_FALSE(fault->isFound);
}

} // namespace

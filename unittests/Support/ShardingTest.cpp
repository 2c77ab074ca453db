//===- ShardingTest.cpp - What shards are given and read ------------------===//
//
// Random projections, blocks and shapes against brute force: at every index
// point a shard reads of its slice what the whole reads of the tensor.
//
//===----------------------------------------------------------------------===//

#include "tapestry/Support/Sharding.h"
#include "tapestry/Support/Access.h"
#include "gtest/gtest.h"
#include <random>

using namespace tapestry;

namespace {

/// A cell of a dimension, or nothing beside it.
using Cell = std::optional<int64_t>;

/// What a dimension reads at a point of a tensor of this extent.
Cell readAt(const ProjectionDim &dim, llvm::ArrayRef<int64_t> point,
            int64_t extent) {
  ZBox at;
  for (int64_t coordinate : point)
    at.push_back({coordinate, coordinate + 1});
  int64_t place = imageOfDim(dim, at).lo;
  return 0 <= place && place < extent ? Cell(place) : std::nullopt;
}

class Random {
public:
  explicit Random(unsigned seed) : engine(seed) {}
  int64_t operator()(int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(engine);
  }

private:
  std::mt19937 engine;
};

ProjectionDim drawDim(Random &draw, unsigned labels) {
  ProjectionDim dim;
  for (unsigned label = 0; label < labels; ++label)
    if (draw(0, 2) != 0)
      if (int64_t coefficient = draw(-2, 3))
        dim.terms.push_back({label, coefficient});
  dim.constant = draw(-6, 6);
  dim.floordiv = draw(0, 2) == 0 ? draw(2, 4) : 1;
  return dim;
}

struct Case {
  llvm::SmallVector<int64_t> extents, shape;
  Projection projection;
};

/// A projection of one or two dimensions, some of which wrap around or fold.
Case drawCase(Random &draw) {
  Case made;
  unsigned labels = draw(1, 3);
  for (unsigned label = 0; label < labels; ++label)
    made.extents.push_back(draw(1, 7));
  for (int64_t rank = draw(1, 2); rank > 0; --rank) {
    ProjectionDim dim = drawDim(draw, labels);
    made.shape.push_back(draw(1, 9));
    int64_t kind = draw(0, 5);
    if (kind == 1)
      dim.mod = draw(1, made.shape.back());
    if (kind >= 2 && kind <= 4 && dim.floordiv == 1) {
      dim.mod = made.shape.back();
      dim.fold = static_cast<Fold>(kind - 1);
    }
    made.projection.dims.push_back(dim);
  }
  return made;
}

ZBox drawBlock(Random &draw, llvm::ArrayRef<int64_t> extents) {
  ZBox block;
  for (int64_t extent : extents) {
    int64_t lo = draw(0, extent - 1);
    block.push_back({lo, draw(lo + 1, extent)});
  }
  return block;
}

template <typename Visit>
void forEachPoint(llvm::ArrayRef<ZRange> box, const Visit &visit) {
  llvm::SmallVector<int64_t> point;
  for (const ZRange &range : box)
    point.push_back(range.lo);
  while (true) {
    visit(point);
    size_t dim = box.size();
    for (; dim > 0; --dim) {
      if (++point[dim - 1] < box[dim - 1].hi)
        break;
      point[dim - 1] = box[dim - 1].lo;
    }
    if (dim == 0)
      return;
  }
}

TEST(Sharding, ShardsReadWhatTheWholeReads) {
  Random draw(12);
  for (int round = 0; round < 4000; ++round) {
    Case drawn = drawCase(draw);
    ZBox block = drawBlock(draw, drawn.extents);
    Access whole;
    whole.projection = drawn.projection;
    ZBox slices = sliceOfReads(whole, block, drawn.shape);
    Access read = readsOfSlice({whole}, block, slices).front();
    for (size_t number = 0; number < drawn.shape.size(); ++number) {
      const ProjectionDim &dim = drawn.projection.dims[number];
      int64_t extent = drawn.shape[number];
      const ZRange &slice = slices[number];
      ASSERT_FALSE(slice.empty());
      ASSERT_TRUE((ZRange{0, extent}.contains(slice)));
      const ProjectionDim &local = read.projection.dims[number];
      int64_t least = extent, most = -1;
      bool isInside = true;
      forEachPoint(block, [&](llvm::ArrayRef<int64_t> point) {
        llvm::SmallVector<int64_t> own;
        for (auto [coordinate, range] : llvm::zip_equal(point, block))
          own.push_back(coordinate - range.lo);
        Cell expected = readAt(dim, point, extent);
        Cell got = readAt(local, own, slice.size());
        ASSERT_EQ(expected.has_value(), got.has_value()) << round;
        isInside &= expected.has_value();
        if (!expected)
          return;
        ASSERT_EQ(*expected, slice.lo + *got) << round;
        least = std::min(least, *expected);
        most = std::max(most, *expected);
      });
      // Nothing is fetched that lies beyond what is read, but for turns, folds
      // and the places of sparse points at the edge.
      if (dim.mod == 0 && isInside)
        ASSERT_EQ(slice, (ZRange{least, most + 1})) << round;
    }
  }
}

/// Where a piece reads a tensor at a point: the cells, or nothing beside it.
std::vector<Cell> cellsAt(const ProjectionDim &dim,
                          llvm::ArrayRef<int64_t> point, int64_t extent) {
  std::vector<Cell> cells;
  for (int64_t step = 0; step < dim.size; ++step) {
    ProjectionDim one = dim;
    one.size = 1;
    one.constant += step * dim.stride * dim.floordiv;
    cells.push_back(readAt(one, point, extent));
  }
  return cells;
}

// Windows, halves of an index space and what both read: blocks read of one
// slice what the whole reads, and the slice ends where that does.
TEST(Sharding, PiecesAreReadOfOneSlice) {
  Random draw(56);
  for (int round = 0; round < 4000; ++round) {
    Case drawn = drawCase(draw);
    ZBox block = drawBlock(draw, drawn.extents);
    std::vector<Access> pieces(draw(1, 2));
    for (Access &piece : pieces) {
      piece.projection = drawn.projection;
      for (ProjectionDim &dim : piece.projection.dims) {
        dim.constant += draw(-2, 2);
        if (dim.mod == 0 && draw(0, 2) == 0) {
          dim.size = draw(1, 3);
          dim.stride = draw(1, 2);
        }
      }
      if (draw(0, 1) == 0)
        piece.guard = drawBlock(draw, drawn.extents);
    }
    ZBox slice = sliceOfReads(pieces, block, drawn.shape);
    ASSERT_EQ(slice.size(), drawn.shape.size());
    llvm::SmallVector<ZRange> read(slice.size(), ZRange{99, -99});
    llvm::SmallVector<bool> isInside(slice.size(), true);
    for (const Access &piece : pieces) {
      Access own = readsOfSlice({piece}, block, slice).front();
      ZBox tensor = boxOfShape(drawn.shape);
      if (isEmpty(intersect(tensor, piece.image(block)))) {
        // What lies beside the tensor lies beside its slice.
        ZBox all = boxOfShape(shapeOf(block)),
             cells = boxOfShape(shapeOf(slice));
        if (pieces.size() == 1 || isEmpty(own.guarded(all)))
          continue;
        ASSERT_TRUE(isEmpty(intersect(cells, own.image(all)))) << round;
        continue;
      }
      forEachPoint(block, [&](llvm::ArrayRef<int64_t> point) {
        llvm::SmallVector<int64_t> local;
        ZBox at, localAt;
        for (auto [coordinate, range] : llvm::zip_equal(point, block)) {
          local.push_back(coordinate - range.lo);
          at.push_back({coordinate, coordinate + 1});
          localAt.push_back({local.back(), local.back() + 1});
        }
        bool isRead = !isEmpty(piece.guarded(at));
        ASSERT_EQ(isRead, !isEmpty(own.guarded(localAt))) << round;
        if (!isRead)
          return;
        for (auto [dim, extent] : llvm::enumerate(drawn.shape)) {
          auto expected = cellsAt(piece.projection.dims[dim], point, extent);
          auto got =
              cellsAt(own.projection.dims[dim], local, slice[dim].size());
          for (auto [a, b] : llvm::zip_equal(expected, got)) {
            ASSERT_EQ(a.has_value(), b.has_value()) << round;
            isInside[dim] &= a.has_value();
            if (!a)
              continue;
            ASSERT_EQ(*a, slice[dim].lo + *b) << round;
            read[dim].lo = std::min(read[dim].lo, *a);
            read[dim].hi = std::max(read[dim].hi, *a + 1);
          }
        }
      });
    }
    for (auto [dim, extent] : llvm::enumerate(drawn.shape)) {
      ASSERT_FALSE(slice[dim].empty());
      ASSERT_TRUE((ZRange{0, extent}.contains(slice[dim])));
      // Nothing is fetched that lies beyond what is read.
      bool isFolded = drawn.projection.dims[dim].mod != 0;
      if (!isFolded && isInside[dim] && !read[dim].empty())
        ASSERT_EQ(slice[dim], read[dim]) << round;
    }
  }
}

// What goes around a tensor in pieces, one per turn, of which one lies in it.
TEST(Sharding, TurnsAreReadOfOneSlice) {
  Random draw(34);
  int dropped = 0;
  for (int round = 0; round < 4000; ++round) {
    Case drawn = drawCase(draw);
    for (auto [dim, extent] :
         llvm::zip_equal(drawn.projection.dims, drawn.shape)) {
      dim.mod = extent;
      dim.fold = Fold::Wrap;
    }
    ZBox block = drawBlock(draw, drawn.extents);
    std::vector<Access> pieces;
    for (Projection &turn :
         splitTurns(drawn.projection, drawn.extents, drawn.shape))
      pieces.push_back(
          {std::move(turn), {}, AccessKind::Affine, AccessFallback::Other});
    ZBox slice = sliceOfReads(pieces, block, drawn.shape);
    std::vector<Access> own = readsOfSlice(pieces, block, slice);
    ASSERT_FALSE(own.empty());
    dropped += pieces.size() - own.size();
    forEachPoint(block, [&](llvm::ArrayRef<int64_t> point) {
      llvm::SmallVector<int64_t> local;
      for (auto [coordinate, range] : llvm::zip_equal(point, block))
        local.push_back(coordinate - range.lo);
      int found = 0;
      for (const Access &piece : own) {
        llvm::SmallVector<Cell> cells;
        for (auto [dim, cut] : llvm::zip_equal(piece.projection.dims, slice))
          cells.push_back(readAt(dim, local, cut.size()));
        bool isRead =
            llvm::all_of(cells, [](Cell cell) { return cell.has_value(); });
        ASSERT_TRUE(isRead || piece.fallback == AccessFallback::Other) << round;
        if (!isRead)
          continue;
        ++found;
        for (size_t dim = 0; dim < cells.size(); ++dim)
          ASSERT_EQ(*cells[dim] + slice[dim].lo,
                    readAt(drawn.projection.dims[dim], point, drawn.shape[dim]))
              << round;
      }
      ASSERT_EQ(found, 1) << round;
    });
  }
  EXPECT_GT(dropped, 500);
}

TEST(Sharding, BlocksAreThoseThatAreNotEmpty) {
  DeviceGrid grid;
  grid.axes = {{"a", 4}, {"b", 2}};
  Partition partition;
  partition.cuts = {{0}, {1}, {}, {0}};
  auto blocks = blocksOf(grid, {5, 3, 7, 0}, partition);
  EXPECT_EQ(blocks[0], (std::vector<ZRange>{{0, 2}, {2, 4}, {4, 5}}));
  EXPECT_EQ(blocks[1], (std::vector<ZRange>{{0, 2}, {2, 3}}));
  EXPECT_EQ(blocks[2], (std::vector<ZRange>{{0, 7}}));
  EXPECT_EQ(blocks[3], (std::vector<ZRange>{{0, 0}}));
}

} // namespace

//===- ZTensorTest.cpp - Views and ZSpace against brute force -------------===//
//
// Exhaustive over small spaces: every view, and every view of a view, against
// what the view means cell by cell; ranges, images and coverage against sets
// of points.
//
//===----------------------------------------------------------------------===//

#include "tapestry/Support/ZTensor.h"
#include "tapestry/Support/Projection.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <functional>
#include <map>
#include <set>

using namespace tapestry;

namespace {

/// A view with what it means: where in its operand a cell lies.
struct Step {
  std::string name;
  StridedView view;
  std::function<ZPoint(llvm::ArrayRef<int64_t>)> source;
};

ZPoint with(llvm::ArrayRef<int64_t> point, unsigned dim, int64_t value) {
  ZPoint result(point);
  result[dim] = value;
  return result;
}

ZPoint inserted(llvm::ArrayRef<int64_t> point, unsigned dim, int64_t value) {
  ZPoint result(point);
  result.insert(result.begin() + dim, value);
  return result;
}

/// All atomic views of `view` with these parameters.
std::vector<Step> viewsOf(const StridedView &view) {
  std::vector<Step> steps;
  llvm::SmallVector<unsigned> order(view.rank());
  for (unsigned dim = 0; dim < view.rank(); ++dim)
    order[dim] = dim;
  do {
    auto source = [order](llvm::ArrayRef<int64_t> point) {
      ZPoint result(point.size());
      for (auto [at, dim] : llvm::zip_equal(point, order))
        result[dim] = at;
      return result;
    };
    steps.push_back({"permuted", view.permuted(order), source});
  } while (std::next_permutation(order.begin(), order.end()));

  for (unsigned dim = 0; dim <= view.rank(); ++dim)
    steps.push_back({"unsqueezed", view.unsqueezed(dim),
                     [dim](llvm::ArrayRef<int64_t> point) {
                       ZPoint result(point);
                       result.erase(result.begin() + dim);
                       return result;
                     }});
  for (unsigned dim = 0; dim < view.rank(); ++dim) {
    int64_t extent = view.shape[dim];
    steps.push_back(
        {"reversed", view.reversed(dim), [=](llvm::ArrayRef<int64_t> point) {
           return with(point, dim, extent - 1 - point[dim]);
         }});
    for (int64_t index = 0; index < extent; ++index)
      steps.push_back({"selected", view.selected(dim, index),
                       [=](llvm::ArrayRef<int64_t> point) {
                         return inserted(point, dim, index);
                       }});
    for (int64_t lo = 0; lo <= extent; ++lo)
      for (int64_t hi = lo; hi <= extent; ++hi)
        for (int64_t step = 1; step <= 3; ++step)
          steps.push_back({"sliced", view.sliced(dim, {lo, hi}, step),
                           [=](llvm::ArrayRef<int64_t> point) {
                             return with(point, dim, lo + point[dim] * step);
                           }});
    if (extent != 1)
      continue;
    steps.push_back(
        {"squeezed", view.squeezed(dim), [=](llvm::ArrayRef<int64_t> point) {
           return inserted(point, dim, 0);
         }});
    for (int64_t times = 0; times <= 3; ++times)
      steps.push_back(
          {"broadcast", view.broadcast(dim, times),
           [=](llvm::ArrayRef<int64_t> point) { return with(point, dim, 0); }});
  }
  return steps;
}

/// Shapes of up to three dimensions with extents 0 to 3.
std::vector<ZPoint> shapes() {
  std::vector<ZPoint> result;
  for (unsigned rank = 0; rank <= 3; ++rank)
    forEachPoint(ZBox(rank, {0, 4}), [&](llvm::ArrayRef<int64_t> shape) {
      result.emplace_back(shape);
    });
  return result;
}

/// Numbers its cells, no two alike.
ZTensor numbered(llvm::ArrayRef<int64_t> shape) {
  int64_t next = 100;
  return ZTensor::generate(shape,
                           [&](llvm::ArrayRef<int64_t>) { return next++; });
}

TEST(ZTensorTest, ViewsOfViewsReadTheCellsThatTheyMean) {
  int64_t checked = 0;
  for (const ZPoint &shape : shapes()) {
    ZTensor tensor = numbered(shape);
    for (const Step &outer : viewsOf(tensor.getView())) {
      ZTensor once = tensor.through(outer.view);
      for (const Step &inner : viewsOf(outer.view)) {
        ZTensor twice = once.through(inner.view);
        forEachPoint(boxOfShape(twice.getShape()),
                     [&](llvm::ArrayRef<int64_t> point) {
                       ++checked;
                       ASSERT_EQ(twice.at(point),
                                 tensor.at(outer.source(inner.source(point))))
                           << inner.name << " of " << outer.name;
                     });
      }
    }
  }
  EXPECT_GT(checked, 300000);
}

TEST(ZTensorTest, PlacesAndOrderAgreeWithTheCells) {
  for (const ZPoint &shape : shapes())
    for (const Step &outer : viewsOf(StridedView::rowMajor(shape)))
      for (const Step &inner : viewsOf(outer.view)) {
        std::vector<int64_t> places;
        forEachPoint(boxOfShape(inner.view.shape),
                     [&](llvm::ArrayRef<int64_t> point) {
                       places.push_back(inner.view.placeOf(point));
                     });
        ASSERT_EQ(static_cast<int64_t>(places.size()), inner.view.numCells());
        bool inOrder = true;
        for (size_t i = 1; i < places.size(); ++i)
          inOrder &= places[i] == places[0] + static_cast<int64_t>(i);
        ASSERT_EQ(inner.view.isRowMajor(), inOrder)
            << inner.name << " of " << outer.name;
        if (places.empty()) {
          ASSERT_TRUE(inner.view.places().empty());
          continue;
        }
        auto [first, last] = std::minmax_element(places.begin(), places.end());
        ASSERT_EQ(inner.view.places(), (ZRange{*first, *last + 1}));
      }
}

TEST(ZTensorTest, ViewsShareCellsAndCopiesDoNot) {
  ZTensor tensor = numbered({2, 3});
  ZTensor column = tensor.through(tensor.getView().selected(1, 2).reversed(0));
  ZTensor copy = column.copy();
  column.at({0}) = -7;
  EXPECT_EQ(tensor.str(), "[[100, 101, 102], [103, 104, -7]]");
  EXPECT_EQ(copy.str(), "[105, 102]");
  EXPECT_FALSE(copy == column);
  EXPECT_TRUE(column == column.copy());
}

/// The views of the white paper's "Tensor Layout Pragmatics" and "Squeeze,
/// Unsqueeze, and Broadcast", with the fields and cells that it tabulates.
TEST(ZTensorTest, ViewsOfTheWhitePaperHaveItsFieldsAndCells) {
  auto expectFields = [](const StridedView &view, int64_t offset, ZPoint shape,
                         ZPoint strides) {
    EXPECT_EQ(view.offset, offset);
    EXPECT_EQ(view.shape, shape);
    EXPECT_EQ(view.strides, strides);
  };
  llvm::Expected<ZTensor> t = ZTensor::parse("[8, 9, 10, 11]");
  ASSERT_TRUE(static_cast<bool>(t));
  expectFields(t->getView(), 0, {4}, {1});
  EXPECT_EQ(t->at({2}), 10);

  ZTensor r = t->through(t->getView().reversed(0));
  expectFields(r.getView(), 3, {4}, {-1});
  EXPECT_EQ(r.at({2}), 9);
  EXPECT_EQ(r.str(), "[11, 10, 9, 8]");

  llvm::Expected<ZTensor> a = ZTensor::parse("[[10, 20, 30], [40, 50, 60]]");
  ASSERT_TRUE(static_cast<bool>(a));
  expectFields(a->getView(), 0, {2, 3}, {3, 1});
  EXPECT_EQ(a->at({1, 2}), 60);
  ZTensor b = a->through(a->getView().permuted({1, 0}));
  expectFields(b.getView(), 0, {3, 2}, {1, 3});
  EXPECT_EQ(b.at({2, 1}), 60);
  EXPECT_EQ(b.str(), "[[10, 40], [20, 50], [30, 60]]");

  ZTensor v =
      t->through(t->getView().unsqueezed(0).unsqueezed(0).unsqueezed(3));
  expectFields(v.getView(), 0, {1, 1, 4, 1}, {0, 0, 1, 0});
  EXPECT_EQ(v.at({0, 0, 2, 0}), 10);
  EXPECT_EQ(v.getView().squeezed(3).squeezed(0).squeezed(0), t->getView());

  ZTensor m = t->through(t->getView().unsqueezed(1).broadcast(1, 2));
  expectFields(m.getView(), 0, {4, 2}, {1, 0});
  EXPECT_EQ(m.str(), "[[8, 8], [9, 9], [10, 10], [11, 11]]");
  // There is one copy in the buffer.
  t->at({1}) = 99;
  EXPECT_EQ(m.str(), "[[8, 8], [99, 99], [10, 10], [11, 11]]");
  EXPECT_EQ(r.at({2}), 99);
}

/// "Size, Z^0, and Scalars": the product of no extents is 1.
TEST(ZTensorTest, ScalarsHaveOneCell) {
  ZTensor scalar({}, 7);
  EXPECT_EQ(scalar.getView().numCells(), 1);
  EXPECT_EQ(scalar.at({}), 7);
  EXPECT_EQ(scalar.str(), "7");
  EXPECT_EQ(ZTensor({3, 0}).getView().numCells(), 0);
}

TEST(ZTensorTest, TextIsReadBack) {
  for (const ZPoint &shape : shapes()) {
    ZTensor tensor = numbered(shape);
    llvm::Expected<ZTensor> read = ZTensor::parse(tensor.str());
    ASSERT_TRUE(static_cast<bool>(read)) << llvm::toString(read.takeError());
    // Behind a dimension without cells text says no more of the shape.
    EXPECT_EQ(read->str(), tensor.str());
    if (tensor.getView().numCells() > 0)
      EXPECT_TRUE(*read == tensor);
  }
  auto refused = [](llvm::StringRef text) {
    llvm::Expected<ZTensor> read = ZTensor::parse(text);
    return read ? std::string("read") : llvm::toString(read.takeError());
  };
  EXPECT_EQ(refused("[[1, 2], [3]]"),
            "a list at depth 1 has 1 entries, but the first has 2");
  EXPECT_EQ(refused("[[1, 2], 3]"),
            "an integer stands at depth 1 beside lists");
  EXPECT_EQ(refused("[1, 2.5]"), "a cell is no 64-bit integer");
  EXPECT_NE(refused("[1, 2"), "read");
}

//===----------------------------------------------------------------------===//
// ZSpace
//===----------------------------------------------------------------------===//

using Points = std::set<std::vector<int64_t>>;

Points pointsOf(llvm::ArrayRef<ZRange> box) {
  Points points;
  forEachPoint(box, [&](llvm::ArrayRef<int64_t> point) {
    points.insert(std::vector<int64_t>(point.begin(), point.end()));
  });
  return points;
}

/// All boxes of this rank with bounds from -1 to `most`, inverted ones, too.
std::vector<ZBox> boxes(unsigned rank, int64_t most) {
  std::vector<ZBox> result;
  forEachPoint(ZBox(2 * rank, {-1, most + 1}),
               [&](llvm::ArrayRef<int64_t> bounds) {
                 ZBox box;
                 for (unsigned dim = 0; dim < rank; ++dim)
                   box.push_back({bounds[2 * dim], bounds[2 * dim + 1]});
                 result.push_back(box);
               });
  return result;
}

TEST(ZSpaceTest, BoxesAreSetsOfPoints) {
  for (unsigned rank = 0; rank <= 2; ++rank) {
    std::vector<ZBox> all = boxes(rank, 2);
    std::vector<Points> sets;
    for (const ZBox &box : all) {
      sets.push_back(pointsOf(box));
      ASSERT_EQ(volume(box), static_cast<int64_t>(sets.back().size()));
      ASSERT_EQ(isEmpty(box), sets.back().empty());
    }
    for (size_t a = 0; a < all.size(); ++a)
      for (size_t b = 0; b < all.size(); ++b) {
        Points both;
        std::set_intersection(sets[a].begin(), sets[a].end(), sets[b].begin(),
                              sets[b].end(), std::inserter(both, both.end()));
        ASSERT_EQ(pointsOf(intersect(all[a], all[b])), both);
        ASSERT_EQ(contains(all[a], all[b]), both == sets[b]);
      }
  }
}

/// Where a value is read that is divided and folded, one step at a time.
int64_t foldedByDefinition(int64_t value, int64_t floordiv, int64_t mod,
                           Fold fold) {
  while (value % floordiv != 0)
    --value;
  value /= floordiv;
  // A walker on [0, mod) that goes around, stops, or turns at the ends.
  while (mod != 0 && (value < 0 || value >= mod)) {
    int64_t end = value < 0 ? 0 : mod - 1;
    switch (fold) {
    case Fold::Wrap:
      value += value < 0 ? mod : -mod;
      break;
    case Fold::Edge:
      value = end;
      break;
    case Fold::Reflect:
      value = mod == 1 ? 0 : 2 * end - value;
      break;
    case Fold::Symmetric:
      value = 2 * end - value + (value < 0 ? -1 : 1);
      break;
    }
  }
  return value;
}

TEST(ZSpaceTest, FoldedRangesAreHulls) {
  for (Fold fold : {Fold::Wrap, Fold::Edge, Fold::Reflect, Fold::Symmetric})
    for (int64_t floordiv = 1; floordiv <= 4; ++floordiv)
      for (int64_t mod = 0; mod <= 5; ++mod)
        for (int64_t lo = -12; lo <= 12; ++lo)
          for (int64_t hi = lo + 1; hi <= 13; ++hi) {
            ZRange hull = {INT64_MAX, INT64_MIN};
            bool wraps = false;
            int64_t before = 0;
            for (int64_t value = lo; value < hi; ++value) {
              int64_t at = foldedByDefinition(value, floordiv, mod, fold);
              wraps |= fold == Fold::Wrap && value > lo && at < before;
              before = at;
              hull = {std::min(hull.lo, at), std::max(hull.hi, at + 1)};
            }
            // One place that is gone around again and again is itself.
            ASSERT_EQ(wrapped({lo, hi}, floordiv, mod, fold),
                      wraps ? ZRange({0, mod}) : hull)
                << "[" << lo << ", " << hi << ") floordiv " << floordiv << " "
                << stringifyFold(fold).str() << " " << mod;
          }
}

/// All dimensions of projections of two labels with small numbers.
void forEachProjectionDim(
    llvm::function_ref<void(const ProjectionDim &)> visit) {
  for (int64_t a = -2; a <= 2; ++a)
    for (int64_t b = -1; b <= 2; ++b)
      for (int64_t constant : {-3, 0, 2})
        for (auto [size, stride] :
             {std::pair(1, 1), std::pair(3, 1), std::pair(2, 3)})
          for (int64_t floordiv : {1, 2, 3})
            for (int64_t mod : {0, 1, 4}) {
              ProjectionDim dim;
              if (a != 0)
                dim.terms.push_back({0, a});
              if (b != 0)
                dim.terms.push_back({1, b});
              dim.constant = constant;
              dim.size = size;
              dim.stride = stride;
              dim.floordiv = floordiv;
              dim.mod = mod;
              visit(dim);
            }
}

TEST(ZSpaceTest, ImagesHoldWhatPointsRead) {
  std::vector<ZBox> all = boxes(2, 2);
  forEachProjectionDim([&](const ProjectionDim &dim) {
    std::map<std::pair<int64_t, int64_t>, int64_t> largest;
    for (const ZBox &box : all) {
      ZRange hull = {INT64_MAX, INT64_MIN};
      forEachPoint(box, [&](llvm::ArrayRef<int64_t> point) {
        int64_t start = dim.constant;
        for (const AffineTerm &term : dim.terms)
          start += term.coefficient * point[term.dim];
        start = foldedByDefinition(start, dim.floordiv, dim.mod, dim.fold);
        hull.lo = std::min(hull.lo, start);
        hull.hi = std::max(hull.hi, start + (dim.size - 1) * dim.stride + 1);
      });
      ZRange image = imageOfDim(dim, box);
      if (isEmpty(box)) {
        ASSERT_TRUE(image.empty());
        continue;
      }
      ASSERT_TRUE(image.contains(hull));
      // Only what wraps around may read less than the hull says.
      if (dim.mod == 0)
        ASSERT_EQ(image, hull);
      int64_t &most = largest[{box[0].size(), box[1].size()}];
      most = std::max(most, image.size());
    }
    for (auto [sizes, most] : largest) {
      int64_t bound = largestImage(dim, {sizes.first, sizes.second});
      ASSERT_GE(bound, most);
      if (dim.isLinear())
        ASSERT_EQ(bound, most);
    }
  });
}

/// Coverage counted cell by cell.
void checkCoverage(llvm::ArrayRef<ZRange> space, llvm::ArrayRef<ZBox> parts) {
  ZTensor times(ZPoint(space.size(), 8));
  auto cell = [&](llvm::ArrayRef<int64_t> point) -> int64_t & {
    ZPoint shifted(point);
    for (int64_t &at : shifted)
      at += 2;
    return times.at(shifted);
  };
  for (const ZBox &part : parts)
    forEachPoint(part, [&](llvm::ArrayRef<int64_t> point) { ++cell(point); });
  bool exact = true;
  Points inside = pointsOf(space);
  forEachPoint(ZBox(space.size(), {-2, 6}), [&](llvm::ArrayRef<int64_t> point) {
    bool in = inside.count({point.begin(), point.end()});
    exact &= cell(point) == (in ? 1 : 0);
  });
  std::optional<CoverageFault> fault = findCoverageFault(space, parts);
  ASSERT_EQ(fault.has_value(), !exact);
  if (!fault)
    return;
  bool in = inside.count({fault->point.begin(), fault->point.end()});
  if (in)
    ASSERT_EQ(cell(fault->point), fault->times);
  ASSERT_EQ(in, fault->times != 1);
  ASSERT_NE(cell(fault->point), in ? 1 : 0);
}

TEST(ZSpaceTest, CoverageCountsEveryPoint) {
  for (const ZBox &space : {ZBox{{0, 3}}, ZBox{{1, 2}}, ZBox{{2, 2}}})
    for (const ZBox &a : boxes(1, 3))
      for (const ZBox &b : boxes(1, 3))
        for (const ZBox &c : boxes(1, 3))
          ASSERT_NO_FATAL_FAILURE(checkCoverage(space, {a, b, c}));
  for (const ZBox &a : boxes(2, 2))
    for (const ZBox &b : boxes(2, 2))
      ASSERT_NO_FATAL_FAILURE(checkCoverage(ZBox{{0, 2}, {0, 2}}, {a, b}));
}

} // namespace

//===- CompositionTest.cpp - Projections behind one another ---------------===//
//
// Random projections, all of whose points are read one after another, against
// the region that is composed.
//
//===----------------------------------------------------------------------===//

#include "tapestry/Support/Composition.h"
#include "tapestry/Support/ZTensor.h"
#include "gtest/gtest.h"
#include <numeric>
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

/// Labels of which some are those of another space of this rank, in any order.
struct DrawnSpace {
  llvm::SmallVector<int64_t> extents;
  LabelImages images;
  unsigned rank = 0;
};

DrawnSpace drawSpace(Random &draw) {
  DrawnSpace space;
  unsigned labels = draw(1, 4);
  llvm::SmallVector<unsigned> order(labels);
  std::iota(order.begin(), order.end(), 0);
  space.images.resize(labels);
  for (unsigned label = 0; label < labels; ++label) {
    space.extents.push_back(draw(1, 4));
    std::swap(order[label], order[draw(label, labels - 1)]);
  }
  space.rank = draw(0, labels);
  for (unsigned image = 0; image < space.rank; ++image)
    space.images[order[image]] = image;
  return space;
}

ProjectionDim drawDim(Random &draw, const DrawnSpace &space) {
  ProjectionDim dim;
  for (unsigned label = 0; label < space.extents.size(); ++label)
    if (int64_t coefficient = draw(-3, 3); coefficient && draw(0, 1))
      dim.terms.push_back({label, coefficient});
  dim.constant = draw(-4, 4);
  if (draw(0, 2) == 0) {
    dim.size = draw(1, 3);
    dim.stride = dim.size == 1 ? 1 : draw(1, 3);
  } else if (draw(0, 2) == 0) {
    dim.floordiv = draw(1, 3);
    dim.mod = draw(0, 1) * draw(2, 6);
  }
  return dim;
}

ZRange startOf(const ProjectionDim &dim, llvm::ArrayRef<int64_t> point) {
  int64_t value = dim.constant;
  for (const AffineTerm &term : dim.terms)
    value += term.coefficient * point[term.dim];
  return wrapped({value, value + 1}, dim.floordiv, dim.mod, dim.fold);
}

/// The first and the last element that all points read whose images are `own`,
/// with those that they read beside them.
std::pair<ZRange, llvm::SmallVector<int64_t>>
readBy(const DrawnSpace &space, const ProjectionDim &dim,
       llvm::ArrayRef<int64_t> own) {
  ZRange hull{INT64_MAX, INT64_MIN};
  llvm::SmallVector<int64_t> read;
  forEachPoint(boxOfShape(space.extents), [&](llvm::ArrayRef<int64_t> point) {
    for (auto [image, at] : llvm::zip_equal(space.images, point))
      if (image && own[*image] != at)
        return;
    int64_t start = startOf(dim, point).lo;
    for (int64_t element = 0; element < dim.size; ++element)
      read.push_back(start + element * dim.stride);
    hull.lo = std::min(hull.lo, read[read.size() - dim.size]);
    hull.hi = std::max(hull.hi, read.back() + 1);
  });
  return {hull, read};
}

TEST(CompositionTest, RegionsAreThoseOfAllPoints) {
  Random draw(20261126);
  int compositions = 0, refusals = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    DrawnSpace space = drawSpace(draw);
    Projection read;
    read.dims.push_back(drawDim(draw, space));
    const ProjectionDim &dim = read.dims.front();
    auto own = composed(read, space.images, space.extents);
    if (!own) {
      EXPECT_FALSE(dim.isLinear()) << trial;
      ++refusals;
      continue;
    }
    ++compositions;
    const ProjectionDim &region = own->dims.front();
    llvm::SmallVector<int64_t> outer(space.rank);
    for (auto [label, image] : llvm::enumerate(space.images))
      if (image)
        outer[*image] = space.extents[label];
    forEachPoint(boxOfShape(outer), [&](llvm::ArrayRef<int64_t> point) {
      auto [hull, elements] = readBy(space, dim, point);
      int64_t start = startOf(region, point).lo;
      int64_t last = start + (region.size - 1) * region.stride;
      // What wraps around may have no more than all that it wraps in.
      if (dim.isLinear() || dim.fold != Fold::Wrap || dim.mod == 0) {
        EXPECT_EQ(start, hull.lo) << trial;
        EXPECT_EQ(last + 1, hull.hi) << trial;
      }
      for (int64_t element : elements) {
        EXPECT_LE(start, element) << trial;
        EXPECT_LE(element, last) << trial;
        EXPECT_EQ((element - start) % region.stride, 0) << trial;
      }
    });
  }
  EXPECT_GT(compositions, 2500);
  EXPECT_GT(refusals, 50);
}

TEST(CompositionTest, LabelsWithoutPointsAreNotRead) {
  Projection read;
  read.dims.push_back({{{0, 1}, {1, 1}}});
  EXPECT_FALSE(composed(read, {0, std::nullopt}, {3, 0}));
  EXPECT_TRUE(composed(read, {0, std::nullopt}, {3, 1}));
}

TEST(CompositionTest, ImagesFollowFromPlainLabels) {
  Projection written, read;
  written.dims = {{{{2, 1}}}, {{{0, 1}}}};
  read.dims = {{{{1, 1}}}, {{{0, 1}}}};
  EXPECT_EQ(imagesOfLabels(written, read, 3),
            (LabelImages{0, std::nullopt, 1}));
  // Twice one label, a shift, and another rank.
  read.dims[1].terms[0].dim = 1;
  EXPECT_FALSE(imagesOfLabels(written, read, 3));
  read.dims[1].terms[0].dim = 0;
  read.dims[1].constant = 1;
  EXPECT_FALSE(imagesOfLabels(written, read, 3));
  read.dims.pop_back();
  EXPECT_FALSE(imagesOfLabels(written, read, 3));
}

} // namespace

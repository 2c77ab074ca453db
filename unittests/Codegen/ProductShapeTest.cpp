//===- ProductShapeTest.cpp - Products against their nests ----------------===//
//
// Random nests: the elements that calls multiply are those of the nest, and
// where no product is found, none of all that there could be fits.
//
//===----------------------------------------------------------------------===//

#include "tapestry/Codegen/GPU/ProductShape.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <array>
#include <random>
#include <set>

using namespace tapestry;
using llvm::SmallVector;

namespace {

using Place = std::array<int64_t, 3>;

/// Loops of rows, columns, terms and batches, and dense tensors whose
/// dimensions are in any order, some with a gap behind their lines.
NestProblem randomNest(std::mt19937 &random) {
  auto upTo = [&](int most) {
    return std::uniform_int_distribution<int>(0, most)(random);
  };
  NestProblem problem;
  // Left, right and result: which depend on the loop.
  static constexpr bool kinds[4][3] = {{true, false, true},
                                       {false, true, true},
                                       {true, true, false},
                                       {true, true, true}};
  SmallVector<const bool *> depends;
  for (int kind : {0, 1, 2, 3})
    for (int left = kind < 3 ? 1 + (upTo(3) == 0) : upTo(2); left > 0; --left) {
      NestDim dim;
      dim.extent = 2 + upTo(2);
      dim.known = upTo(5) != 0;
      dim.reduction = kind == 2;
      problem.dims.push_back(dim);
      depends.push_back(kinds[kind]);
    }
  for (int operand : {0, 1, 2}) {
    NestAccess access;
    access.output = operand == 2;
    access.strides.assign(problem.dims.size(), 0);
    SmallVector<unsigned> order;
    for (unsigned loop = 0; loop < problem.dims.size(); ++loop)
      if (depends[loop][operand])
        order.push_back(loop);
    std::shuffle(order.begin(), order.end(), random);
    int64_t dense = upTo(9) == 0 ? 2 : 1;
    for (unsigned loop : order) {
      access.strides[loop] = dense;
      dense = dense * problem.dims[loop].extent + (upTo(4) == 0);
    }
    problem.accesses.push_back(access);
  }
  return problem;
}

/// All points of some loops, each by what `visit` gets.
template <typename Visit>
void forEachPoint(const NestProblem &problem, llvm::ArrayRef<unsigned> loops,
                  Visit visit) {
  SmallVector<int64_t> point(problem.dims.size(), 0);
  std::function<void(size_t)> go = [&](size_t at) {
    if (at == loops.size())
      return visit(point);
    for (int64_t index = 0; index < problem.dims[loops[at]].extent; ++index) {
      point[loops[at]] = index;
      go(at + 1);
    }
    point[loops[at]] = 0;
  };
  go(0);
}

int64_t offsetOf(const NestAccess &access, llvm::ArrayRef<int64_t> point) {
  int64_t offset = 0;
  for (auto [stride, index] : llvm::zip_equal(access.strides, point))
    offset += stride * index;
  return offset;
}

std::multiset<Place> placesOf(const NestProblem &problem, unsigned left,
                              unsigned right) {
  std::multiset<Place> places;
  auto all = llvm::to_vector(
      llvm::seq<unsigned>(0, static_cast<unsigned>(problem.dims.size())));
  forEachPoint(problem, all, [&](llvm::ArrayRef<int64_t> point) {
    places.insert({offsetOf(problem.accesses[left], point),
                   offsetOf(problem.accesses[right], point),
                   offsetOf(problem.accesses.back(), point)});
  });
  return places;
}

/// What calls multiply, with one pitch and neighbours side by side.
std::multiset<Place> placesOf(const NestProblem &problem,
                              const MatrixProduct &product) {
  const NestAccess &left = problem.accesses[product.left];
  const NestAccess &right = problem.accesses[product.right];
  const NestAccess &result = problem.accesses.back();
  std::multiset<Place> places;
  SmallVector<unsigned> outer(product.calls.begin(), product.calls.end());
  if (product.batch >= 0)
    outer.push_back(static_cast<unsigned>(product.batch));
  auto extent = [&](unsigned loop) { return problem.dims[loop].extent; };
  forEachPoint(problem, outer, [&](llvm::ArrayRef<int64_t> point) {
    for (int64_t i = 0; i < extent(product.row); ++i)
      for (int64_t k = 0; k < extent(product.column); ++k)
        for (int64_t j = 0; j < extent(product.term); ++j) {
          int64_t pitchA = left.strides[product.leftPitch()];
          int64_t pitchB = right.strides[product.rightPitch()];
          int64_t a = product.leftTransposed ? j * pitchA + i : i * pitchA + j;
          int64_t b = product.rightTransposed ? k * pitchB + j : j * pitchB + k;
          int64_t d = i * result.strides[product.row] + k;
          places.insert({offsetOf(left, point) + a, offsetOf(right, point) + b,
                         offsetOf(result, point) + d});
        }
  });
  return places;
}

bool isMatrix(const NestProblem &problem, const NestAccess &access,
              unsigned outer, unsigned inner) {
  const NestDim &dim = problem.dims[inner];
  return access.strides[inner] == 1 &&
         (!dim.known || access.strides[outer] >= dim.extent);
}

/// Whether any choice of three loops is a product.
bool isAnyProduct(const NestProblem &problem, int64_t mostCalls) {
  unsigned loops = problem.dims.size();
  int terms = 0;
  for (const NestDim &dim : problem.dims)
    terms += dim.reduction;
  if (terms != 1)
    return false;
  for (unsigned swapped : {0, 1})
    for (unsigned row = 0; row < loops; ++row)
      for (unsigned column = 0; column < loops; ++column)
        for (unsigned term = 0; term < loops; ++term) {
          const NestAccess &left = problem.accesses[swapped];
          const NestAccess &right = problem.accesses[1 - swapped];
          const NestAccess &result = problem.accesses.back();
          auto both = [&](const NestAccess &access, unsigned a, unsigned b) {
            return isMatrix(problem, access, a, b) ||
                   isMatrix(problem, access, b, a);
          };
          if (!problem.dims[term].reduction || left.dependsOn(column) ||
              right.dependsOn(row) || !left.dependsOn(row) ||
              !right.dependsOn(column) || !both(left, row, term) ||
              !both(right, term, column) ||
              !isMatrix(problem, result, row, column))
            continue;
          SmallVector<unsigned> rest;
          for (unsigned loop = 0; loop < loops; ++loop)
            if (loop != row && loop != column && loop != term)
              rest.push_back(loop);
          // The longest of the rest is the batch, and others are calls.
          int64_t calls = 1, longest = 1;
          for (unsigned loop : rest)
            longest = std::max(longest, problem.dims[loop].extent);
          unsigned known = 0;
          for (unsigned loop : rest) {
            calls *= problem.dims[loop].extent;
            known += problem.dims[loop].known;
          }
          bool isSure = rest.size() < 2 || known == rest.size();
          if (isSure && calls / longest <= mostCalls)
            return true;
        }
  return false;
}

TEST(ProductShape, CallsMultiplyWhatTheNestDoes) {
  std::mt19937 random(5);
  int found = 0, refused = 0, several = 0;
  for (int round = 0; round < 3000; ++round) {
    NestProblem problem = randomNest(random);
    std::optional<ProductShape> shape = findProductShape(problem);
    ASSERT_TRUE(shape);
    int64_t mostCalls = round % 2 ? 4 : 100;
    std::optional<MatrixProduct> product =
        findMatrixProduct(problem, *shape, mostCalls);
    if (!product) {
      ++refused;
      ASSERT_FALSE(isAnyProduct(problem, mostCalls)) << round;
      continue;
    }
    ++found;
    several += !product->calls.empty();
    ASSERT_EQ(placesOf(problem, *product),
              placesOf(problem, product->left, product->right))
        << round;
    int64_t calls = 1;
    for (unsigned loop : product->calls)
      calls *= problem.dims[loop].extent;
    ASSERT_LE(calls, mostCalls) << round;
  }
  // All three come often.
  EXPECT_GT(found, 300);
  EXPECT_GT(refused, 300);
  EXPECT_GT(several, 30);
}

NestProblem plainProduct() {
  NestProblem problem;
  for (int64_t extent : {64, 48, 32}) {
    NestDim dim;
    dim.extent = extent;
    dim.known = dim.expected = true;
    problem.dims.push_back(dim);
  }
  problem.dims[2].reduction = true;
  problem.accesses.resize(3);
  problem.accesses[0].strides = {32, 0, 1};
  problem.accesses[1].strides = {0, 1, 48};
  problem.accesses[2].strides = {48, 1, 0};
  problem.accesses[2].output = true;
  return problem;
}

TEST(ProductShape, ResultsSideBySideAreColumns) {
  NestProblem problem = plainProduct();
  auto product =
      findMatrixProduct(problem, *findProductShape(problem), /*mostCalls=*/1);
  ASSERT_TRUE(product);
  EXPECT_EQ(product->left, 0u);
  EXPECT_EQ(product->column, 1u);
  EXPECT_FALSE(product->leftTransposed);
  EXPECT_FALSE(product->rightTransposed);
  // The result the other way round: of the second input are the rows.
  problem.accesses[2].strides = {1, 64, 0};
  product =
      findMatrixProduct(problem, *findProductShape(problem), /*mostCalls=*/1);
  ASSERT_TRUE(product);
  EXPECT_EQ(product->left, 1u);
  EXPECT_EQ(product->column, 0u);
  EXPECT_TRUE(product->leftTransposed);
  EXPECT_TRUE(product->rightTransposed);
}

TEST(ProductShape, WhatLiesInOneAnotherIsNoMatrix) {
  // Windows of one row.
  NestProblem problem = plainProduct();
  problem.accesses[0].strides = {1, 0, 1};
  EXPECT_FALSE(
      findMatrixProduct(problem, *findProductShape(problem), /*mostCalls=*/1));
  problem = plainProduct();
  problem.accesses[0].strides = {32, 0, -1};
  EXPECT_FALSE(
      findMatrixProduct(problem, *findProductShape(problem), /*mostCalls=*/1));
  problem = plainProduct();
  problem.accesses[1].strides = {0, 2, 96};
  EXPECT_FALSE(
      findMatrixProduct(problem, *findProductShape(problem), /*mostCalls=*/1));
}

TEST(ProductShape, SmallProductsAreNotWorthIt) {
  NestProblem problem = plainProduct();
  EXPECT_TRUE(isWorthFetching(problem, *findProductShape(problem)));
  problem.dims[1].extent = 8;
  EXPECT_FALSE(isWorthFetching(problem, *findProductShape(problem)));
}

} // namespace

//===- ProductShape.cpp - Nests that are products of matrices -------------===//

#include "tapestry/Codegen/GPU/ProductShape.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace llvm;

namespace tapestry {

std::optional<ProductShape> findProductShape(const NestProblem &problem) {
  if (problem.isScan || !problem.loads.empty())
    return std::nullopt;
  ProductShape shape;
  size_t inputs = problem.accesses.size() - 1;
  const NestAccess &output = problem.accesses.back();
  auto isReduced = [&](const NestAccess &access) {
    for (auto [loop, dim] : enumerate(problem.dims))
      if (dim.reduction && access.dependsOn(loop))
        return true;
    return false;
  };
  if (isReduced(output))
    return std::nullopt;
  for (size_t number = 0; number < inputs; ++number) {
    if (!isReduced(problem.accesses[number]))
      continue;
    if (shape.right >= 0)
      return std::nullopt;
    (shape.left < 0 ? shape.left : shape.right) = static_cast<int>(number);
  }
  if (shape.right < 0)
    return std::nullopt;
  for (auto [loop, dim] : enumerate(problem.dims)) {
    bool left = problem.accesses[shape.left].dependsOn(loop);
    bool right = problem.accesses[shape.right].dependsOn(loop);
    if (dim.reduction)
      shape.terms.push_back(loop);
    else if (left == right || !output.dependsOn(loop))
      shape.batch.push_back(loop);
    else
      (left ? shape.rows : shape.columns).push_back(loop);
  }
  if (shape.rows.empty() || shape.columns.empty())
    return std::nullopt;
  auto leastStride = [&](ArrayRef<unsigned> loops) {
    int64_t least = INT64_MAX;
    for (unsigned loop : loops)
      least = std::min(least, std::abs(output.strides[loop]));
    return least;
  };
  if (leastStride(shape.rows) < leastStride(shape.columns)) {
    std::swap(shape.left, shape.right);
    std::swap(shape.rows, shape.columns);
  }
  return shape;
}

bool isWorthFetching(const NestProblem &problem, const ProductShape &shape) {
  constexpr int64_t fewLines = 12, fewTerms = 8;
  auto countOf = [&](ArrayRef<unsigned> loops) {
    int64_t count = 1;
    for (unsigned loop : loops)
      count = std::min<int64_t>(count * problem.dims[loop].extent, int64_t(1)
                                                                       << 30);
    return count;
  };
  return countOf(shape.rows) >= fewLines &&
         countOf(shape.columns) >= fewLines && countOf(shape.terms) >= fewTerms;
}

namespace {

class MatrixFinder {
public:
  MatrixFinder(const NestProblem &problem, const ProductShape &shape,
               int64_t mostCalls)
      : problem(problem), shape(shape), mostCalls(mostCalls) {}

  std::optional<MatrixProduct> run();

private:
  const NestAccess &left() const { return problem.accesses[shape.left]; }
  const NestAccess &right() const { return problem.accesses[shape.right]; }
  const NestAccess &result() const { return problem.accesses.back(); }
  /// Whether neighbours of `inner` lie side by side, and lines of them behind
  /// one another.
  bool isMatrix(const NestAccess &access, unsigned outer,
                unsigned inner) const {
    const NestDim &dim = problem.dims[inner];
    return access.strides[inner] == 1 &&
           access.strides[outer] >= (dim.known ? dim.extent : 1);
  }
  bool fits(MatrixProduct &product) const;
  bool shareOut(MatrixProduct &product) const;

  const NestProblem &problem;
  const ProductShape &shape;
  int64_t mostCalls;
};

bool MatrixFinder::fits(MatrixProduct &product) const {
  unsigned row = product.row, column = product.column, term = product.term;
  product.leftTransposed = !isMatrix(left(), row, term);
  product.rightTransposed = !isMatrix(right(), term, column);
  return isMatrix(result(), row, column) &&
         (!product.leftTransposed || isMatrix(left(), term, row)) &&
         (!product.rightTransposed || isMatrix(right(), column, term));
}

/// What is neither row, column nor term: the longest loop is the batch.
bool MatrixFinder::shareOut(MatrixProduct &product) const {
  SmallVector<unsigned> loops;
  for (unsigned loop = 0; loop < problem.dims.size(); ++loop) {
    if (is_contained({product.row, product.column, product.term}, loop))
      continue;
    loops.push_back(loop);
    // Each product has results of its own.
    if (result().strides[loop] <= 0)
      return false;
  }
  llvm::sort(loops, [&](unsigned a, unsigned b) {
    return std::pair(problem.dims[b].extent, a) <
           std::pair(problem.dims[a].extent, b);
  });
  if (loops.empty())
    return true;
  product.batch = static_cast<int>(loops.front());
  product.calls.assign(loops.begin() + 1, loops.end());
  int64_t calls = 1;
  for (unsigned loop : product.calls) {
    if (!problem.dims[loop].known || problem.dims[loop].extent > mostCalls)
      return false;
    calls *= problem.dims[loop].extent;
  }
  return calls <= mostCalls;
}

std::optional<MatrixProduct> MatrixFinder::run() {
  if (shape.terms.size() != 1)
    return std::nullopt;
  auto isPositive = [](int64_t stride) { return stride >= 0; };
  for (const NestAccess *access : {&left(), &right(), &result()})
    if (!all_of(access->strides, isPositive))
      return std::nullopt;
  std::optional<MatrixProduct> best;
  double most = 0;
  for (unsigned row : shape.rows)
    for (unsigned column : shape.columns) {
      MatrixProduct product;
      product.left = shape.left;
      product.right = shape.right;
      product.row = row;
      product.column = column;
      product.term = shape.terms.front();
      double size = double(problem.dims[row].extent) *
                    double(problem.dims[column].extent);
      if (size > most && fits(product) && shareOut(product)) {
        best = product;
        most = size;
      }
    }
  return best;
}

} // namespace

std::optional<MatrixProduct> findMatrixProduct(const NestProblem &problem,
                                               const ProductShape &shape,
                                               int64_t mostCalls) {
  return MatrixFinder(problem, shape, mostCalls).run();
}

} // namespace tapestry

//===- DotProducts.cpp - Words of narrow numbers --------------------------===//
//
// Which instruction serves which factors, and how a nest looks in words.
//
//===----------------------------------------------------------------------===//

#include "DotProducts.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cstdlib>

using namespace llvm;

namespace tapestry {

/// Copying into words takes about as long as so many rows take to compute.
constexpr int64_t leastRows = 8;

static Dot dotFor(const NestAccess &a, const NestAccess &b,
                  const TargetInfo &target) {
  if (a.factor == Factor::BF16 && b.factor == Factor::BF16)
    return target.dotBF16 || target.tilesBF16 ? Dot::BF16Pairs : Dot::None;
  if (a.bits == 8 && b.bits == 8 && (target.dotIntegers || target.tilesI8))
    return Dot::I8Quads;
  auto fitsI16 = [](const NestAccess &access) {
    return access.bits == 8 || access.factor == Factor::Signed;
  };
  return target.addsPairs && fitsI16(a) && fitsI16(b) ? Dot::I16Pairs
                                                      : Dot::None;
}

bool flipsRows(Factor row, Factor column, const NestPlan &plan) {
  return plan.dot == Dot::I8Quads && !plan.tiles && row == column;
}

/// The points of a loop that whole words have, per point.
static double padding(const NestDim &loop, unsigned group) {
  return loop.known ? double(alignTo(loop.extent, group)) /
                          std::max<int64_t>(loop.extent, 1)
                    : 1;
}

/// The loop of `inner` to be laid out in words.
static unsigned wordLoop(const NestProblem &problem, const NestPlan &plan,
                         unsigned group) {
  unsigned best = plan.inner.back();
  for (unsigned dim : plan.inner)
    if (padding(problem.dims[dim], group) < padding(problem.dims[best], group))
      best = dim;
  return best;
}

/// What the reductions come to.
static int64_t wordsOf(const NestProblem &problem, const NestPlan &plan,
                       unsigned group) {
  int64_t points = 1;
  for (unsigned dim : plan.inner)
    points *= problem.dims[dim].extent;
  return points / group;
}

Dot findDot(const NestProblem &problem, const TargetInfo &target,
            const NestPlan &plan) {
  SmallVector<const NestAccess *, 2> factors;
  for (const NestAccess &access : problem.accesses)
    if (access.factor != Factor::None)
      factors.push_back(&access);
  if (factors.size() != 2 || plan.rowDim < 0 || problem.computeBits != 32 ||
      problem.dims[plan.rowDim].extent < leastRows ||
      problem.dims[plan.vectorDim].extent < plan.lanes)
    return Dot::None;
  if (factors[1]->dependsOn(plan.rowDim))
    std::swap(factors[0], factors[1]);
  if (!factors[0]->dependsOn(plan.rowDim) ||
      factors[0]->dependsOn(plan.vectorDim) ||
      factors[1]->dependsOn(plan.rowDim) ||
      !factors[1]->dependsOn(plan.vectorDim))
    return Dot::None;
  Dot dot = dotFor(*factors[0], *factors[1], target);
  unsigned group = groupOf(dot);
  const NestDim &loop = problem.dims[wordLoop(problem, plan, group)];
  bool pays = loop.extent >= 2 * group && padding(loop, group) <= 1.34;
  if (dot == Dot::BF16Pairs && !target.dotBF16)
    pays &= wordsOf(problem, plan, group) >= tileSize;
  return pays ? dot : Dot::None;
}

bool suitsTiles(const NestProblem &problem, const TargetInfo &target,
                const NestPlan &plan) {
  bool has = plan.dot == Dot::BF16Pairs ? target.tilesBF16
             : plan.dot == Dot::I8Quads ? target.tilesI8
                                        : false;
  return has && plan.lanes == tileSize &&
         wordsOf(problem, plan, groupOf(plan.dot)) >= tileSize;
}

DotLayout layOutWords(NestProblem &problem, NestPlan &plan) {
  unsigned group = groupOf(plan.dot);
  unsigned dim = wordLoop(problem, plan, group);
  llvm::erase(plan.inner, dim);
  plan.inner.push_back(dim);

  DotLayout layout{};
  Factor row = Factor::None, column = Factor::None;
  for (auto [number, access] : enumerate(problem.accesses)) {
    if (access.factor == Factor::None)
      continue;
    bool isRow = access.dependsOn(plan.rowDim);
    (isRow ? layout.rows : layout.columns) = number;
    (isRow ? row : column) = access.factor;
  }
  const NestDim &loop = problem.dims[dim];
  NestAccess &rows = problem.accesses[layout.rows];
  layout.rowsAreWords = rows.strides[dim] == 1 && loop.known &&
                        loop.extent % group == 0 && rows.bits * group == 32 &&
                        !flipsRows(row, column, plan) && !plan.tiles;

  problem.dims[dim].extent = divideCeil(loop.extent, group);
  problem.bodyCost = 2;
  for (NestAccess &access : problem.accesses) {
    if (access.factor == Factor::None)
      continue;
    // 0 and 1 say what they said.
    for (auto [other, stride] : enumerate(access.strides))
      if (std::abs(stride) > 1)
        stride = std::max<int64_t>(std::abs(stride) * access.bits *
                                       (other == dim ? group : 1) / 32,
                                   2);
    access.bits = 32;
    access.converted = false;
  }
  return layout;
}

void packWords(const DotLayout &layout, NestPlan &plan) {
  plan.packing[layout.columns] = Packing::Columns;
  if (!layout.rowsAreWords)
    plan.packing[layout.rows] = Packing::Rows;
}

} // namespace tapestry

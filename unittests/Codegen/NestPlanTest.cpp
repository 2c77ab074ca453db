//===- NestPlanTest.cpp - Which lanes, tiles and panels are chosen --------===//
//
// The policy on plain structs, for loop nests that occur in practice.
//
//===----------------------------------------------------------------------===//

#include "tapestry/Codegen/CPU/NestPlan.h"
#include "llvm/Support/MathExtras.h"
#include <gtest/gtest.h>
#include <tuple>

using namespace tapestry;
using llvm::divideCeil;

namespace {

TargetInfo avx512() { return *TargetInfo::get("x86-64-v4"); }
TargetInfo avx2() { return *TargetInfo::get("x86-64-v3"); }

NestDim parallel(int64_t extent) { return {extent, true, false}; }
NestDim reduction(int64_t extent) { return {extent, true, true}; }
NestAccess input(std::initializer_list<int64_t> strides) {
  return {strides, 32, false};
}
NestAccess output(std::initializer_list<int64_t> strides) {
  return {strides, 32, true};
}

/// C[i, j] += A[i, k] B[k, j], loops i, j, k.
NestProblem matmul(int64_t m, int64_t n, int64_t k) {
  NestProblem problem;
  problem.dims = {parallel(m), parallel(n), reduction(k)};
  problem.accesses = {input({k, 0, 1}), input({0, 1, n}), output({n, 1, 0})};
  problem.bodyCost = 2;
  problem.lanesCombine = true;
  return problem;
}

TEST(TargetInfo, ReadsLLVMsTables) {
  EXPECT_EQ(avx512().vectorBits, 512u);
  EXPECT_TRUE(avx512().maskedMemory);
  EXPECT_EQ(avx2().vectorBits, 256u);
  EXPECT_FALSE(avx2().maskedMemory);
  EXPECT_EQ(TargetInfo::get("x86-64")->vectorBits, 128u);
  EXPECT_TRUE(avx2().fusedMultiplyAdd);
  EXPECT_FALSE(TargetInfo::get("x86-64-v2")->fusedMultiplyAdd);
  EXPECT_EQ(TargetInfo::get("x86-64-v4", 256)->vectorBits, 256u);
  EXPECT_FALSE(TargetInfo::get("no-such-cpu"));
  EXPECT_FALSE(TargetInfo::get("x86-64-v4", 100));
}

TEST(NestSplit, TheOutermostLoopWithManyRunsIsSharedOut) {
  // Columns, in widths of a tile: what is packed of them is packed once.
  NestPlan plan = planNest(matmul(1024, 1024, 1024), avx512());
  EXPECT_EQ(plan.splitDim, 1);
  EXPECT_EQ(plan.splitStep, int64_t(plan.lanes) * plan.vectors);
  // Few columns, many rows.
  plan = planNest(matmul(4096, 64, 1024), avx512());
  EXPECT_EQ(plan.splitDim, 0);
  EXPECT_EQ(plan.splitStep, plan.rows);
  // A batch of products.
  NestProblem batch = matmul(64, 64, 64);
  batch.dims.push_back(parallel(32));
  for (NestAccess &access : batch.accesses)
    access.strides.push_back(64 * 64);
  plan = planNest(batch, avx512());
  EXPECT_EQ(plan.splitDim, 3);
  EXPECT_EQ(plan.splitStep, 1);
}

TEST(NestSplit, SymmetricResultsAreSharedOutInWholeTilesOfTheDiagonal) {
  for (const TargetInfo &target : {avx512(), avx2()}) {
    NestProblem symmetric = matmul(1000, 1000, 300);
    symmetric.symmetric = {0, 1};
    NestPlan plan = planNest(symmetric, target);
    EXPECT_TRUE(plan.mirrors);
    EXPECT_EQ(plan.splitDim, int(plan.vectorDim));
    EXPECT_EQ(plan.splitStep % plan.rows, 0);
    EXPECT_EQ(plan.splitStep % (int64_t(plan.lanes) * plan.vectors), 0);
  }
}

TEST(NestSplit, LoopsThatShareAPanelAreSharedOut) {
  // 7 tiles of rows would be 3 and 4; loops over the same columns have more.
  NestProblem batch;
  batch.dims = {parallel(40), parallel(56), parallel(64), reduction(576)};
  batch.accesses = {input({56 * 576, 576, 0, 1}), input({0, 0, 576, 1}),
                    output({56 * 64, 64, 1, 0})};
  batch.bodyCost = 2;
  batch.lanesCombine = true;
  NestPlan plan = planNest(batch, avx512());
  EXPECT_EQ(plan.shared, (llvm::SmallVector<unsigned, 2>{0}));
  EXPECT_EQ(plan.splitDim, 0);
}

TEST(NestSplit, CopiesFromMemoryTakeWhatMemoryDoes) {
  NestProblem copy;
  copy.dims = {parallel(1000), parallel(800)};
  copy.accesses = {input({800, 1}), output({800, 1})};
  copy.bodyCost = 0;
  EXPECT_GE(planNest(copy, avx512()).splitDim, 0);
  copy.dims[0].extent = 100;
  EXPECT_LT(planNest(copy, avx512()).splitDim, 0);
}

TEST(NestSplit, WhatIsShortOrReducedIsNot) {
  EXPECT_LT(planNest(matmul(16, 16, 16), avx512()).splitDim, 0);
  // How long it takes is not known.
  NestProblem unknown = matmul(1000, 1000, 300);
  unknown.dims[0].known = unknown.dims[0].expected = false;
  EXPECT_LT(planNest(unknown, avx512()).splitDim, 0);
  // What most devices have is enough.
  unknown.dims[0].expected = true;
  EXPECT_GE(planNest(unknown, avx512()).splitDim, 0);
  // A sum of all.
  NestProblem sum;
  sum.dims = {reduction(1 << 24)};
  sum.accesses = {input({1}), output({0})};
  sum.lanesCombine = true;
  EXPECT_LT(planNest(sum, avx512()).splitDim, 0);
}

TEST(NestPlan, TilesOfThreeVectorsWhereTwoLeaveLanesIdle) {
  for (auto [columns, vectors, rows] : {std::tuple(48, 3, 8),
                                        {144, 3, 8},
                                        {64, 2, 8},
                                        {80, 2, 8},
                                        {240, 2, 8}}) {
    NestPlan plan = planNest(matmul(96, columns, 64), avx512());
    EXPECT_EQ(plan.vectors, unsigned(vectors)) << columns;
    EXPECT_EQ(plan.rows, unsigned(rows)) << columns;
  }
  NestPlan plan = planNest(matmul(96, 24, 64), avx2());
  EXPECT_EQ(plan.vectors, 3u);
  EXPECT_EQ(plan.rows, 4u);
}

TEST(NestPlan, HalfOfASymmetricProductIsMirrored) {
  NestProblem problem = matmul(300, 300, 300);
  EXPECT_FALSE(planNest(problem, avx512()).mirrors);
  problem.symmetric = {0, 1};
  EXPECT_TRUE(planNest(problem, avx512()).mirrors);
  // Most of few tiles are on the diagonal.
  NestProblem small = matmul(40, 40, 300);
  small.symmetric = {0, 1};
  EXPECT_FALSE(planNest(small, avx512()).mirrors);
}

/// The same of factors of `bits`, which are added in 32.
NestProblem narrowMatmul(int64_t m, int64_t n, int64_t k, Factor factor,
                         unsigned bits) {
  NestProblem problem = matmul(m, n, k);
  problem.bodyCost = 4;
  for (unsigned side : {0, 1}) {
    problem.accesses[side].factor = factor;
    problem.accesses[side].bits = bits;
    problem.accesses[side].converted = true;
  }
  return problem;
}

TEST(NestPlan, TileRegistersMultiplySquares) {
  TargetInfo rapids = *TargetInfo::get("sapphirerapids");
  for (auto [factor, bits] :
       {std::pair(Factor::BF16, 16), std::pair(Factor::Signed, 8)}) {
    NestPlan plan =
        planNest(narrowMatmul(100, 1024, 1024, factor, bits), rapids);
    EXPECT_TRUE(plan.tiles);
    EXPECT_EQ(plan.rows, 32u);
    EXPECT_EQ(plan.vectors, 2u);
    EXPECT_EQ(plan.packing[0], Packing::Rows);
    EXPECT_EQ(plan.packing[1], Packing::Columns);
    EXPECT_EQ(planNest(narrowMatmul(12, 1024, 1024, factor, bits), rapids).rows,
              16u);
    // One register's words, and half of them.
    EXPECT_TRUE(
        planNest(narrowMatmul(64, 64, 512 / bits, factor, bits), rapids).tiles);
    EXPECT_FALSE(
        planNest(narrowMatmul(64, 64, 256 / bits, factor, bits), rapids).tiles);
  }
  NestProblem pairs = narrowMatmul(64, 64, 1024, Factor::Signed, 16);
  EXPECT_FALSE(planNest(pairs, rapids).tiles);
  EXPECT_EQ(planNest(pairs, rapids).dot, Dot::I16Pairs);
  EXPECT_FALSE(TargetInfo::get("sapphirerapids", 256)->tilesI8);
  EXPECT_FALSE(TargetInfo::get("znver5")->tilesI8);
}

TEST(NestPlan, NarrowProductsAreOfWords) {
  TargetInfo lake = *TargetInfo::get("icelake-server");
  TargetInfo zen = *TargetInfo::get("znver5");
  NestProblem quads = narrowMatmul(100, 1024, 1024, Factor::Signed, 8);
  NestPlan plan = planNest(quads, lake);
  EXPECT_EQ(plan.dot, Dot::I8Quads);
  // Rows are flipped on their way into a panel.
  EXPECT_EQ(plan.packing[0], Packing::Rows);
  EXPECT_EQ(plan.packing[1], Packing::Columns);
  EXPECT_EQ(planNest(quads, avx2()).dot, Dot::I16Pairs);
  EXPECT_EQ(planNest(quads, *TargetInfo::get("alderlake")).dot, Dot::I8Quads);
  // 256-bit vectors of integers came after those of floats.
  EXPECT_EQ(planNest(quads, *TargetInfo::get("sandybridge")).dot, Dot::None);

  NestProblem pairs = narrowMatmul(100, 1024, 1024, Factor::BF16, 16);
  plan = planNest(pairs, zen);
  EXPECT_EQ(plan.dot, Dot::BF16Pairs);
  EXPECT_EQ(plan.packing[0], Packing::None);
  EXPECT_EQ(planNest(pairs, lake).dot, Dot::None);
  EXPECT_EQ(
      planNest(narrowMatmul(100, 1024, 1023, Factor::BF16, 16), zen).packing[0],
      Packing::Rows);
  // Without tile registers Intel's bf16 is best taken for f32.
  TargetInfo other = *TargetInfo::get("cooperlake");
  EXPECT_EQ(planNest(pairs, other).dot, Dot::None);
  // u16 fits no i16; a row or three points are not worth it.
  EXPECT_EQ(planNest(narrowMatmul(100, 99, 98, Factor::Unsigned, 16), zen).dot,
            Dot::None);
  EXPECT_EQ(planNest(narrowMatmul(1, 99, 98, Factor::Signed, 8), zen).dot,
            Dot::None);
  EXPECT_EQ(planNest(narrowMatmul(100, 99, 3, Factor::Signed, 8), zen).dot,
            Dot::None);
}

TEST(NestPlan, MatmulIsTiledAndPacked) {
  NestPlan plan = planNest(matmul(1024, 1024, 1024), avx512());
  EXPECT_EQ(plan.kind, NestKind::Tile);
  EXPECT_EQ(plan.vectorDim, 1u);
  EXPECT_EQ(plan.rowDim, 0);
  EXPECT_EQ(plan.lanes, 16u);
  EXPECT_EQ(plan.rows * plan.vectors, 16u);
  EXPECT_EQ(plan.packing[0], Packing::None);
  EXPECT_EQ(plan.packing[1], Packing::Columns);
  EXPECT_GT(plan.reductionBlock, 0);

  NestPlan narrow = planNest(matmul(512, 512, 512), avx2());
  EXPECT_EQ(narrow.lanes, 8u);
  EXPECT_LE(narrow.rows * narrow.vectors + narrow.vectors + 1, 16u);
}

TEST(NestPlan, TransposedOperands) {
  NestProblem problem = matmul(512, 512, 512);
  problem.accesses[1].strides = {0, 512, 1}; // B^T
  NestPlan plan = planNest(problem, avx512());
  EXPECT_EQ(plan.kind, NestKind::Tile);
  EXPECT_EQ(plan.packing[1], Packing::Columns);

  problem = matmul(512, 512, 512);
  problem.accesses[0].strides = {1, 0, 512}; // A^T
  plan = planNest(problem, avx512());
  EXPECT_EQ(plan.packing[0], Packing::Rows);
  // What is packed of A serves more columns.
  problem = matmul(512, 2048, 512);
  int64_t columns = planNest(problem, avx512()).vectorBlock;
  problem.accesses[0].strides = {1, 0, 512};
  EXPECT_GT(planNest(problem, avx512()).vectorBlock, columns);
}

TEST(NestPlan, FewRowsReadTheOtherOperandWhereItLies) {
  for (int64_t rows : {1, 4, 7, 16, 23, 64})
    for (const TargetInfo &target : {avx2(), avx512()}) {
      NestPlan plan = planNest(matmul(rows, 4096, 4096), target);
      EXPECT_EQ(plan.kind, NestKind::Tile) << rows;
      EXPECT_EQ(plan.packing[1], Packing::None) << rows;
      EXPECT_LE(plan.reductionBlock, 16) << rows;
      EXPECT_LT(plan.rows * plan.vectors, target.vectorRegisters) << rows;
      // Tiles of even size.
      if (rows > 1)
        EXPECT_LT(divideCeil(rows, plan.rows) * plan.rows - rows,
                  divideCeil(rows, plan.rows))
            << rows;
      EXPECT_TRUE(plan.fetchesBlocks) << rows;
    }
  EXPECT_EQ(planNest(matmul(65, 4096, 4096), avx512()).packing[1],
            Packing::Columns);
  // One block: nothing comes after it.
  EXPECT_FALSE(planNest(matmul(64, 4096, 16), avx512()).fetchesBlocks);
}

TEST(NestPlan, PackedColumnsFollowTheOrderOfRows) {
  // C[i, k] += A[i, j, b] B[b, j, k], loops i, k, j, b.
  NestProblem problem = matmul(64, 256, 96);
  problem.dims.push_back(reduction(32));
  problem.accesses = {input({3072, 0, 32, 1}), input({0, 1, 256, 24576}),
                      output({256, 1, 0, 0})};
  NestPlan plan = planNest(problem, avx512());
  EXPECT_EQ(plan.packing[1], Packing::Columns);
  EXPECT_EQ(plan.inner, (llvm::SmallVector<unsigned, 6>{2, 3}));
  // Few rows read them where they lie, which takes the order of these.
  problem.dims[0].extent = 8;
  plan = planNest(problem, avx512());
  EXPECT_EQ(plan.packing[1], Packing::None);
  EXPECT_EQ(plan.inner, (llvm::SmallVector<unsigned, 6>{3, 2}));
}

TEST(NestPlan, LoopsWithoutColumnsShareTheirPanels) {
  // C[b, i, k] += A[i, b, j] B[j, k], loops b, i, k, j.
  NestProblem problem;
  problem.dims = {parallel(5), parallel(512), parallel(256), reduction(512)};
  problem.accesses = {input({512, 2560, 0, 1}), input({0, 0, 1, 256}),
                      output({131072, 256, 1, 0})};
  problem.bodyCost = 2;
  problem.lanesCombine = true;
  NestPlan plan = planNest(problem, avx512());
  EXPECT_EQ(plan.packing[1], Packing::Columns);
  EXPECT_TRUE(plan.outer.empty());
  EXPECT_EQ(plan.shared, (llvm::SmallVector<unsigned, 2>{0}));
  // A batch of products has panels of its own for each.
  problem.accesses[1].strides[0] = 131072;
  EXPECT_TRUE(planNest(problem, avx512()).shared.empty());
  // Long sums are added in groups, which keep totals.
  problem.accesses[1].strides[0] = 0;
  problem.dims[3].extent = 100000;
  EXPECT_TRUE(planNest(problem, avx512()).shared.empty());
}

TEST(NestPlan, ReductionsOfNoMonoidKeepTheirOrder) {
  NestProblem problem = matmul(64, 512, 7);
  problem.dims.push_back(reduction(5));
  problem.accesses[0].strides = {35, 0, 1, 7};
  problem.accesses[1].strides = {0, 1, 512, 3584};
  problem.accesses[2].strides = {512, 1, 0, 0};
  EXPECT_EQ(planNest(problem, avx512()).inner.front(), 3u);
  problem.keepsOrder = true;
  problem.lanesCombine = false;
  EXPECT_EQ(planNest(problem, avx512()).inner.front(), 2u);
}

TEST(NestPlan, ConvertedRowsArePacked) {
  NestProblem problem = matmul(512, 512, 512);
  problem.accesses[0].converted = true;
  EXPECT_EQ(planNest(problem, avx512()).packing[0], Packing::Rows);
  problem.accesses[0].strides[2] = 0; // One number for all steps.
  EXPECT_EQ(planNest(problem, avx512()).packing[0], Packing::None);
  problem.accesses[0].strides[2] = 1;
  problem.dims[1].extent = 64; // Too few tiles read a panel.
  EXPECT_EQ(planNest(problem, avx512()).packing[0], Packing::None);
}

TEST(NestPlan, FewColumnsAreNotWorthTransposing) {
  // The rows would fill the lanes, but the left operand would be transposed
  // and the results scattered, each for a few steps of the reduction only.
  for (int64_t n : {3, 4, 6, 8})
    EXPECT_EQ(planNest(matmul(1000, n, n), avx512()).vectorDim, 1u) << n;
  EXPECT_EQ(planNest(matmul(16, 8, 8), avx512()).vectorDim, 1u);
}

TEST(NestPlan, FewColumnsAreComputedAlongTheReduction) {
  for (const TargetInfo &target : {avx2(), avx512()})
    for (int64_t n : {2, 3, 5, 7, 8, 12, 24}) {
      NestPlan plan = planNest(matmul(1000, n, 4096), target);
      if (n >= plan.lanes && target.vectorRegisters < 32)
        continue;
      EXPECT_EQ(plan.kind, NestKind::LaneReduction) << n;
      EXPECT_EQ(plan.vectorDim, 2u) << n;
      EXPECT_EQ(plan.rowDim, 0) << n;
      EXPECT_EQ(plan.columnDim, 1) << n;
      EXPECT_EQ(plan.packing[1], Packing::Columns) << n;
      // Accumulators, the columns' vectors and one of a row.
      EXPECT_LT(plan.columns * (plan.rows + 1), target.vectorRegisters) << n;
      EXPECT_GT(plan.vectorBlock, 0) << n;
      EXPECT_EQ(plan.vectorBlock % plan.lanes, 0) << n;
    }
  // Few rows beside a transposed operand are the same.
  NestProblem problem = matmul(8, 4096, 4096);
  problem.accesses[1].strides = {0, 4096, 1};
  NestPlan plan = planNest(problem, avx512());
  EXPECT_EQ(plan.rowDim, 1);
  EXPECT_EQ(plan.columnDim, 0);
  EXPECT_EQ(plan.packing[0], Packing::Columns);
  // Lanes along rows that are contiguous need no transposing.
  problem = matmul(4096, 8, 4096);
  problem.accesses[0].strides = {1, 0, 4096};
  EXPECT_EQ(planNest(problem, avx512()).kind, NestKind::Tile);
  // Short sums do not pay for combining lanes, long ones keep their errors, and
  // many columns fill vectors.
  EXPECT_EQ(planNest(matmul(4096, 8, 256), avx512()).kind, NestKind::Tile);
  EXPECT_EQ(planNest(matmul(4096, 2, 40000), avx512()).columnDim, -1);
  EXPECT_EQ(planNest(matmul(4096, 25, 4096), avx512()).kind, NestKind::Tile);
}

TEST(NestPlan, MatrixVectorRunsLanesAlongTheReduction) {
  NestProblem problem;
  problem.dims = {parallel(512), reduction(512)};
  problem.accesses = {input({512, 1}), input({0, 1}), output({1, 0})};
  problem.bodyCost = 2;
  problem.lanesCombine = true;
  NestPlan plan = planNest(problem, avx512());
  EXPECT_EQ(plan.kind, NestKind::LaneReduction);
  EXPECT_EQ(plan.vectorDim, 1u);
  EXPECT_EQ(plan.rowDim, 0);

  // A combining operation of which nothing is known leaves lanes to the
  // results.
  problem.lanesCombine = false;
  plan = planNest(problem, avx512());
  EXPECT_EQ(plan.kind, NestKind::Tile);
  EXPECT_EQ(plan.vectorDim, 0u);
}

TEST(NestPlan, ColumnSumsStreamFewRows) {
  NestProblem problem;
  problem.dims = {reduction(4096), parallel(4096)};
  problem.accesses = {input({4096, 1}), output({0, 1})};
  problem.lanesCombine = true;
  NestPlan plan = planNest(problem, avx512());
  EXPECT_EQ(plan.kind, NestKind::Tile);
  EXPECT_EQ(plan.vectorDim, 1u);
  EXPECT_EQ(plan.rowDim, -1);
  EXPECT_GT(plan.reductionBlock, 0);
  EXPECT_LE(plan.reductionBlock, 16);
}

TEST(NestPlan, TransposedMapIsBlocked) {
  NestProblem problem;
  problem.dims = {parallel(512), parallel(512)};
  problem.accesses = {input({1, 512}), output({512, 1})};
  NestPlan plan = planNest(problem, avx512());
  EXPECT_EQ(plan.kind, NestKind::Map);
  EXPECT_EQ(plan.vectorDim, 1u);
  EXPECT_EQ(plan.blockDim, 0);
  EXPECT_TRUE(plan.outer.empty());
}

/// Y[n, c] = T[I[n], c], or of T[n, c], of which I is not asked.
TEST(NestPlan, RowsThatDataNameAreFetchedAhead) {
  auto aheadOf = [](int64_t points, int64_t row, int64_t rows, bool jumps) {
    NestProblem problem;
    problem.dims = {parallel(points), parallel(row)};
    problem.accesses = {input({1, 0}), output({row, 1})};
    NestAccess load = input({assumedExtent, 1});
    load.tableBytes = rows * row * 4;
    load.jumps = {jumps, false};
    problem.loads = {load};
    NestPlan plan = planNest(problem, avx512());
    EXPECT_EQ(plan.kind, NestKind::Map);
    EXPECT_EQ(plan.vectorDim, 1u);
    return plan.fetchAhead.front();
  };
  EXPECT_EQ(aheadOf(1000, 256, 50000, true), 8);
  EXPECT_EQ(aheadOf(1000, 250, 50000, true), 9);
  EXPECT_EQ(aheadOf(1000, 8000, 50000, true), 2);
  EXPECT_EQ(aheadOf(1000, 32, 50000, true), 64);
  // Short rows, a table in the cache, too few points, places one by one.
  EXPECT_EQ(aheadOf(1000, 31, 50000, true), 0);
  EXPECT_EQ(aheadOf(1000, 256, 2000, true), 0);
  EXPECT_EQ(aheadOf(15, 256, 50000, true), 0);
  EXPECT_EQ(aheadOf(1000, 256, 50000, false), 0);
}

/// Parts of complex numbers, which lie in turns: Z.re[i], Z.im[i] from X.re[i],
/// X.im[i].
TEST(NestPlan, LanesThatAreTwoApartAreWorthTheirVectors) {
  NestProblem problem;
  problem.dims = {parallel(100), parallel(100)};
  problem.accesses = {input({2, 2000}), input({2, 2000}), output({2, 200}),
                      output({2, 200})};
  EXPECT_EQ(planNest(problem, avx512()).kind, NestKind::Map);
  for (NestAccess &access : problem.accesses)
    access.isPart = access.output;
  NestPlan plan = planNest(problem, avx512());
  EXPECT_EQ(plan.kind, NestKind::Map);
  EXPECT_EQ(plan.vectorDim, 0u);
}

/// Y[n, f, y, x] += X[n, c, y + r, x + s] W[f, c, r, s], of `size` squared.
static NestProblem convolution(int64_t size) {
  NestProblem problem;
  int64_t line = size + 2;
  problem.dims = {parallel(4),   parallel(64), parallel(size), parallel(size),
                  reduction(64), reduction(3), reduction(3)};
  problem.accesses = {
      input({64 * line * line, 0, line, 1, line * line, line, 1}),
      input({0, 64 * 9, 0, 0, 9, 3, 1}),
      output({64 * size * size, size * size, size, 1, 0, 0, 0})};
  problem.bodyCost = 2;
  problem.lanesCombine = true;
  return problem;
}

TEST(NestPlan, ConvolutionReusesTheImageAcrossFilters) {
  NestPlan plan = planNest(convolution(64), avx512());
  EXPECT_EQ(plan.kind, NestKind::Tile);
  EXPECT_EQ(plan.vectorDim, 3u);
  EXPECT_EQ(plan.rowDim, 1);
  EXPECT_EQ(plan.packing[0], Packing::None);
  EXPECT_EQ(plan.inner.size(), 3u);
  EXPECT_EQ(plan.inner.front(), 4u);
}

TEST(NestPlan, LanesRunAlongFiltersWhereLinesAreNoWholeVectors) {
  NestPlan plan = planNest(convolution(56), avx512());
  EXPECT_EQ(plan.kind, NestKind::Tile);
  EXPECT_EQ(plan.vectorDim, 1u);
  EXPECT_EQ(plan.rowDim, 3);
  EXPECT_NE(plan.packing[1], Packing::None);
  // Those of so few points that scattering results would cost more do not.
  NestProblem pointwise = convolution(56);
  pointwise.dims[4] = reduction(1);
  EXPECT_EQ(planNest(pointwise, avx512()).vectorDim, 3u);
}

TEST(NestPlan, TrappingBodiesArePaddedByNothing) {
  NestProblem problem = matmul(512, 512, 512);
  problem.mayTrap = true;
  NestPlan plan = planNest(problem, avx512());
  for (Packing packing : plan.packing)
    EXPECT_EQ(packing, Packing::None);
  if (plan.kind == NestKind::Tile) {
    EXPECT_EQ(plan.vectors, 1u);
  }
}

TEST(NestPlan, LongBodiesGetSmallTiles) {
  NestProblem problem = matmul(512, 512, 512);
  problem.bodyCost = 60;
  NestPlan plan = planNest(problem, avx512());
  EXPECT_LE(plan.rows * plan.vectors, 4u);
}

TEST(NestPlan, NoLoopForLanes) {
  // A parallel loop that the result does not depend on.
  NestProblem problem;
  problem.dims = {parallel(8)};
  problem.accesses = {input({1}), output({0})};
  EXPECT_EQ(planNest(problem, avx512()).kind, NestKind::Scalar);
}

/// C[n, i] and what line n carries, loops n, i.
NestProblem scan(std::initializer_list<int64_t> elements, int64_t carried) {
  NestProblem problem;
  problem.dims = {parallel(1000), reduction(1000)};
  problem.accesses = {input(elements), output(elements), output({carried, 0})};
  problem.isScan = true;
  return problem;
}

TEST(NestPlan, ScansRunAlongOrAcrossContiguousLines) {
  NestPlan along = planNest(scan({1000, 1}, 1), avx512());
  EXPECT_EQ(along.kind, NestKind::Scan);
  EXPECT_EQ(along.vectorDim, 1u);
  EXPECT_TRUE(along.inner.empty());
  EXPECT_EQ(along.outer.size(), 1u);
  NestPlan across = planNest(scan({1, 1000}, 1), avx512());
  EXPECT_EQ(across.kind, NestKind::Scan);
  EXPECT_EQ(across.vectorDim, 0u);
  EXPECT_EQ(across.inner.size(), 1u);
  EXPECT_EQ(across.vectorBlock % across.lanes, 0);
  NestPlan pairs = planNest(scan({2000, 2}, 2), avx512());
  EXPECT_EQ(pairs.kind, NestKind::Scan);
  EXPECT_EQ(pairs.vectorDim, 1u);
  // What lines carry lies apart, or the elements do.
  EXPECT_EQ(planNest(scan({1, 1000}, 7), avx512()).kind, NestKind::Scalar);
  EXPECT_EQ(planNest(scan({2, 2000}, 1), avx512()).kind, NestKind::Scalar);
}

} // namespace

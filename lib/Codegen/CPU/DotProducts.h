//===- DotProducts.h - Words of narrow numbers ------------------*- C++ -*-===//
//
// Several products of narrow numbers are added by one instruction where
// neighbours along the reduction lie side by side in words of 32 bits. A nest
// of such products is planned as one over words.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_CODEGEN_CPU_DOTPRODUCTS_H
#define TAPESTRY_LIB_CODEGEN_CPU_DOTPRODUCTS_H

#include "tapestry/Codegen/CPU/NestPlan.h"

namespace tapestry {

/// The instruction that serves a tile with these rows, lanes and inner loops;
/// none where it would not be faster.
Dot findDot(const NestProblem &problem, const TargetInfo &target,
            const NestPlan &plan);

/// Whether tile registers serve the products for which `plan.dot` was found.
bool suitsTiles(const NestProblem &problem, const TargetInfo &target,
                const NestPlan &plan);
/// Lines of a tile register, and the words in each.
constexpr int64_t tileSize = 16;

/// Whether the rows' numbers are stored with their upper bit flipped, which
/// makes a u8 of an i8 and the other way round, as `quads` take one of each:
/// 128 times the sum of the columns' numbers is too much then.
bool flipsRows(Factor row, Factor column, const NestPlan &plan);
constexpr uint32_t flippedBits = 0x80808080;

/// The loop whose points go into words; what is known of the operands before.
struct DotLayout {
  /// Accesses of rows and of columns.
  unsigned rows, columns;
  /// The rows' words lie in memory as they are wanted.
  bool rowsAreWords;
};

/// Moves the loop that loses least to padding to the end of `plan.inner`, and
/// counts it in words.
DotLayout layOutWords(NestProblem &problem, NestPlan &plan);

/// Packs what has to become words.
void packWords(const DotLayout &layout, NestPlan &plan);

} // namespace tapestry

#endif // TAPESTRY_LIB_CODEGEN_CPU_DOTPRODUCTS_H
